// What every kernel that expands a layer shares: its bindings, looking a key up in the layer before, entering it in the
// next one, and the tally. Twin: src/puzzles/expansion.rs, which also says what the words mean. A kernel's `main` takes
// `class_to_expand`, calls `lead_to` with each class that a move leads to, and ends with `tell`.

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read_write> tally: array<atomic<u32>, 8>;
@group(0) @binding(2) var<storage, read> layer: array<u32>;
@group(0) @binding(3) var<storage, read> before: array<u32>;
@group(0) @binding(4) var<storage, read_write> next_0: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> next_1: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> next_2: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> next_3: array<atomic<u32>>;

const SEGMENTS: u32 = 4u;
const BUCKETS_A_SEGMENT: u32 = (2u << HIGH_BITS) / SEGMENTS;

const NEW: u32 = 0u;
const KNOWN: u32 = 1u;
const FULL: u32 = 2u;

// The slot of this invocation in a dispatch that was folded over x and y.
fn slot_number(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.x + id.y * groups.x * 64u;
}

fn before_holds(mixed: vec2<u32>) -> bool {
    let lines = params[4];
    if lines == 0u { return false; }
    var line = home_line(mixed.x, lines);
    for (var probe = 0u; probe < min(lines, MAX_PROBES); probe++) {
        let at = (mixed.y * lines + line) * LINE;
        for (var k = 0u; k < LINE; k++) {
            let word = before[at + k];
            if word == mixed.x { return true; }
            if word == 0u { return false; }
        }
        line = select(line + 1u, 0u, line + 1u == lines);
    }
    return false;
}

fn load_next(segment: u32, at: u32) -> u32 {
    switch segment {
        case 0u: { return atomicLoad(&next_0[at]); }
        case 1u: { return atomicLoad(&next_1[at]); }
        case 2u: { return atomicLoad(&next_2[at]); }
        default: { return atomicLoad(&next_3[at]); }
    }
}

// Puts a word in an empty slot; gives what the slot holds then. May fail to exchange and give 0.
fn put_next(segment: u32, at: u32, word: u32) -> vec2<u32> {
    switch segment {
        case 0u: { let r = atomicCompareExchangeWeak(&next_0[at], 0u, word); return vec2<u32>(r.old_value, u32(r.exchanged)); }
        case 1u: { let r = atomicCompareExchangeWeak(&next_1[at], 0u, word); return vec2<u32>(r.old_value, u32(r.exchanged)); }
        case 2u: { let r = atomicCompareExchangeWeak(&next_2[at], 0u, word); return vec2<u32>(r.old_value, u32(r.exchanged)); }
        default: { let r = atomicCompareExchangeWeak(&next_3[at], 0u, word); return vec2<u32>(r.old_value, u32(r.exchanged)); }
    }
}

// Enters a mixed key in the next layer: NEW, KNOWN, or FULL when all lines that may hold it are full. Every loop is
// bounded: no invocation waits for another one.
fn enter_next(mixed: vec2<u32>) -> u32 {
    let lines = params[5];
    let segment = mixed.y / BUCKETS_A_SEGMENT;
    let first = (mixed.y % BUCKETS_A_SEGMENT) * lines;
    var line = home_line(mixed.x, lines);
    for (var probe = 0u; probe < min(lines, MAX_PROBES); probe++) {
        let at = (first + line) * LINE;
        for (var k = 0u; k < LINE; k++) {
            var word = load_next(segment, at + k);
            // A weak exchange may fail on an empty slot; a few tries are allowed it.
            for (var attempt = 0u; attempt < 8u && word == 0u; attempt++) {
                let outcome = put_next(segment, at + k, mixed.x);
                if outcome.y == 1u { return NEW; }
                word = outcome.x;
            }
            if word == mixed.x { return KNOWN; }
            if word == 0u { return FULL; }
        }
        line = select(line + 1u, 0u, line + 1u == lines);
    }
    return FULL;
}

// What this invocation entered.
var<private> entered: u32;
var<private> entered_states: u32;
var<private> entered_digest: vec2<u32>;
var<private> without_room: u32;

// The key of the class that this invocation is to expand, and 1; or 0 where it has none.
fn class_to_expand(id: vec3<u32>, groups: vec3<u32>) -> vec3<u32> {
    let number = slot_number(id, groups);
    if number >= params[0] { return vec3<u32>(0u); }
    let slot = params[1] + number;
    let word = layer[slot];
    if word == 0u { return vec3<u32>(0u); }
    let bucket = params[2] + slot / (LINE * params[3]);
    return vec3<u32>(unmix_key(vec2<u32>(word, bucket)), 1u);
}

// Enters a class of so many states that a move leads to, unless it lies in the layer before.
fn lead_to(key: vec2<u32>, states: u32) {
    let mixed = mix_key(key);
    if before_holds(mixed) { return; }
    let outcome = enter_next(mixed);
    if outcome == NEW {
        entered++;
        entered_states += states;
        let part = mix_words(key.x, key.y);
        let low = entered_digest.x + part.x;
        entered_digest = vec2<u32>(low, entered_digest.y + part.y + select(0u, 1u, low < part.x));
    }
    without_room += u32(outcome == FULL);
}

// Adds to the tally what this invocation entered: once, at its end.
fn tell() {
    atomicAdd(&tally[5], 1u);
    if entered != 0u {
        atomicAdd(&tally[0], entered);
        add_wide(1u, entered_states, 0u);
        add_wide(3u, entered_digest.x, entered_digest.y);
    }
    if without_room != 0u { atomicAdd(&tally[6], without_room); }
}
