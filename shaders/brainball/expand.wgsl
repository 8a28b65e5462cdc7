// Expands a piece of a layer: an invocation takes one slot. Twin: src/puzzles/brainball/expand.rs.

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let number = slot_number(id, groups);
    if number >= params[0] { return; }
    let slot = params[1] + number;
    let word = layer[slot];
    if word == 0u { return; }
    let bucket = params[2] + slot / (LINE * params[3]);
    let ball = unkey(unmix_key(vec2<u32>(word, bucket)));
    let odd = (countOneBits(ball.colours) & 1u) ^ 1u;
    var base = base_of(ball);
    var entered = 0u;
    var states = 0u;
    var full = 0u;
    var digest = vec2<u32>(0u);
    for (var axis = 0u; axis < 13u; axis++) {
        let least = least_reading(turned_reading(base));
        base = Ball(row_on(base.labels), colours_on(base.colours));
        let key = key_of(least.xy, odd);
        let mixed = mix_key(key);
        if before_holds(mixed) { continue; }
        let outcome = enter_next(mixed);
        if outcome == NEW {
            entered++;
            states += least.z;
            let part = mix_words(key.x, key.y);
            let low = digest.x + part.x;
            digest = vec2<u32>(low, digest.y + part.y + select(0u, 1u, low < part.x));
        }
        full += u32(outcome == FULL);
    }
    atomicAdd(&tally[5], 1u);
    if entered != 0u {
        atomicAdd(&tally[0], entered);
        add_wide(1u, states, 0u);
        add_wide(3u, digest.x, digest.y);
    }
    if full != 0u { atomicAdd(&tally[6], full); }
}
