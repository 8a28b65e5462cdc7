// Sequences of turns from one position, looked up in a layer: an invocation takes one prefix and walks its last turns
// depth first. Twin: src/puzzles/brainball/seek.rs, which also says what the words of `params` mean.

@group(0) @binding(3) var<storage, read> table: array<u32>;

fn turned(ball: Ball, axis: u32) -> Ball {
    var at = ball;
    for (var k = 0u; k < axis; k++) { at = Ball(row_on(at.labels), colours_on(at.colours)); }
    at = turn_at_0(at);
    for (var k = axis; k < 13u; k++) { at = Ball(row_on(at.labels), colours_on(at.colours)); }
    return at;
}

// Whether the table holds a key (x), and how many words that took (y).
fn look_up(key: vec2<u32>, lines: u32) -> vec2<u32> {
    let mixed = mix_key(key);
    var line = home_line(mixed.x, lines);
    var looked = 0u;
    for (var probe = 0u; probe < min(lines, MAX_PROBES); probe++) {
        let at = (mixed.y * lines + line) * LINE;
        for (var k = 0u; k < LINE; k++) {
            looked++;
            let word = table[at + k];
            if word == mixed.x { return vec2<u32>(1u, looked); }
            if word == 0u { return vec2<u32>(0u, looked); }
        }
        line = select(line + 1u, 0u, line + 1u == lines);
    }
    return vec2<u32>(0u, looked);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let run = invocation_number(id, groups);
    if run >= run_count() { return; }
    var ball = Ball(vec2<u32>(params[HEADER], params[HEADER + 1u]), params[HEADER + 2u]);
    let ahead = params[HEADER + 3u];
    let lines = params[HEADER + 4u];
    let tail = min(ahead - 1u, 2u);
    let run_length = select(select(144u, 12u, tail == 1u), 1u, tail == 0u);
    let clipped = clip(run, run_length);
    let odd = (countOneBits(ball.colours) ^ ahead) & 1u;

    // The prefix: base 12, the first turn's digit on top; a digit passes over the turn before it. 8 nibbles suffice for
    // the digits below the top one.
    var number = params[4] + run;
    let prefix = ahead - tail;
    var digits = 0u;
    for (var k = 1u; k < prefix; k++) {
        digits = (digits << 4u) | (number % 12u);
        number /= 12u;
    }
    var last = number;
    ball = turned(ball, last);
    for (var k = 1u; k < prefix; k++) {
        let digit = digits & 15u;
        digits >>= 4u;
        last = digit + select(0u, 1u, digit >= last);
        ball = turned(ball, last);
    }

    var work = 0u;
    var found = 0u;
    var place = 0u;
    let middles = select(1u, 12u, tail == 2u);
    for (var m = 0u; m < middles; m++) {
        var middle = ball;
        var undo = last;
        if tail == 2u {
            undo = m + select(0u, 1u, m >= last);
            middle = turned(ball, undo);
        }
        if tail == 0u {
            // The prefix is the whole sequence.
            var q = base_of(middle);
            if RING == 1u { q = Ball(subtract(row_on(q.labels), q.labels), q.colours); }
            if clipped.x == 0u && clipped.y == 1u {
                let outcome = look_up(key_of(least_reading(q).xy, odd), lines);
                work += outcome.y;
                found += outcome.x;
                if outcome.x == 1u { append_hit(run, run_length, 0u); }
            }
            continue;
        }
        var base = base_of(middle);
        for (var axis = 0u; axis < 13u; axis++) {
            if axis != undo {
                if place >= clipped.x && place < clipped.y {
                    let least = least_reading(turned_reading(base));
                    let outcome = look_up(key_of(least.xy, odd), lines);
                    work += outcome.y;
                    found += outcome.x;
                    if outcome.x == 1u { append_hit(run, run_length, place); }
                }
                place++;
            }
            base = Ball(row_on(base.labels), colours_on(base.colours));
        }
    }
    enter_run(run, work, found);
}
