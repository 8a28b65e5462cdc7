// Expands a piece of a layer: an invocation takes one slot. Twin: src/puzzles/brainball/expand.rs.

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let class_key = class_to_expand(id, groups);
    if class_key.z == 0u { return; }
    let ball = unkey(class_key.xy);
    let odd = (countOneBits(ball.colours) & 1u) ^ 1u;
    var base = base_of(ball);
    for (var axis = 0u; axis < 13u; axis++) {
        let least = least_reading(turned_reading(base));
        base = Ball(row_on(base.labels), colours_on(base.colours));
        lead_to(key_of(least.xy, odd), least.z);
    }
    tell();
}
