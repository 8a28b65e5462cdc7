// Expands a frontier of a stage's states: every state one move away that was not met before. Twin:
// src/puzzles/braincube/stage/expand.rs, which says what `table` holds; the rules are those of src/puzzles/braincube/stage/rules.rs.
// One invocation a frontier state. A state is two words: the active piece's square in bits 0 to 11, the other cube's in 12 to 23,
// the kind of piece in 24 and 25, and from bit 26 the bridges that are on.

const COUNT: u32 = 0u;      // frontier states
const CAPACITY: u32 = 1u;   // states that `next` has room for
const MERGED: u32 = 2u;     // 1: either cube moves, and the lower one is always the active one
const SQUARES: u32 = 3u;
const PLACES: u32 = 4u;     // of the block in its poses, and of two cubes where there are any

const APPENDED: u32 = 0u;
const DIGEST: u32 = 1u;

const SQUARE: u32 = 0xfffu;
const OTHER: u32 = 12u;
const KIND: u32 = 24u;
const FIRST_BRIDGE: u32 = 26u;
const BRIDGES_LOW: u32 = 0xfc000000u;
const SPLIT: u32 = 3u;
const OFF: u32 = 0xffffu;
const EXCHANGE: u32 = 4u;

// Words of a square in `table`.
const GROUND: u32 = 8u;
const FLAGS: u32 = 0u;
const NEEDS: u32 = 1u;
const KEEP: u32 = 3u;
const FLIP: u32 = 5u;
const SPLITS: u32 = 7u;

const SOLID: u32 = 1u;
const FRAGILE: u32 = 2u;
const HEAVY: u32 = 4u;
const SPLITTER: u32 = 8u;

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> met: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> frontier: array<u32>;
@group(0) @binding(4) var<storage, read_write> tally: array<atomic<u32>, 4>;
@group(0) @binding(5) var<storage, read_write> next: array<u32>;

struct After { legal: bool, state: vec2<u32> }

fn illegal() -> After { return After(false, vec2<u32>(0u, 0u)); }

fn wide(square: u32, word: u32) -> vec2<u32> {
    let at = square * GROUND + word;
    return vec2<u32>(table[at], table[at + 1u]);
}

fn flags(square: u32) -> u32 { return table[square * GROUND]; }

fn roll_of(square: u32, pose: u32, label: u32) -> u32 {
    return table[params[SQUARES] * GROUND + (square * 3u + pose) * 4u + label];
}

fn step_of(square: u32, label: u32) -> u32 {
    return table[params[SQUARES] * (GROUND + 12u) + square * 4u + label];
}

// Whether there is something to stand on.
fn is_there(square: u32, bridges: vec2<u32>) -> bool {
    return (flags(square) & SOLID) != 0u && all((wide(square, NEEDS) & ~bridges) == vec2<u32>(0u, 0u));
}

// The bridges after a landing on a square.
fn act(square: u32, upright: bool, bridges: vec2<u32>) -> vec2<u32> {
    if (flags(square) & HEAVY) != 0u && !upright {
        return bridges;
    }
    return (bridges & wide(square, KEEP)) ^ wide(square, FLIP);
}

fn packed(piece: u32, bridges: vec2<u32>) -> After {
    return After(true, vec2<u32>(piece | bridges.x, bridges.y));
}

// Two cubes, or the block that they join to.
fn place_cubes(cube: u32, other: u32, bridges: vec2<u32>) -> After {
    if !is_there(cube, bridges) || !is_there(other, bridges) {
        return illegal();
    }
    let low = min(cube, other);
    let high = max(cube, other);
    if step_of(low, 1u) == high {
        return packed(low | (1u << KIND), bridges);
    }
    if step_of(low, 3u) == high {
        return packed(low | (2u << KIND), bridges);
    }
    return packed(cube | (other << OTHER) | (SPLIT << KIND), bridges);
}

fn exchanged(state: vec2<u32>) -> vec2<u32> {
    let cube = state.x & SQUARE;
    let other = (state.x >> OTHER) & SQUARE;
    return vec2<u32>((state.x & 0xff000000u) | other | (cube << OTHER), state.y);
}

// The state after a move or an exchange.
fn after(state: vec2<u32>, label: u32) -> After {
    let kind = (state.x >> KIND) & 3u;
    let square = state.x & SQUARE;
    let bridges = vec2<u32>(state.x & BRIDGES_LOW, state.y);
    if kind == SPLIT {
        if label == EXCHANGE {
            return After(true, exchanged(state));
        }
        let to = step_of(square, label);
        if to == OFF || !is_there(to, bridges) {
            return illegal();
        }
        return place_cubes(to, (state.x >> OTHER) & SQUARE, act(to, false, bridges));
    }
    if label == EXCHANGE {
        return illegal();
    }
    let roll = roll_of(square, kind, label);
    let first = roll & OFF;
    let second = roll >> 16u;
    if first == OFF || second == OFF || !is_there(first, bridges) || !is_there(second, bridges) {
        return illegal();
    }
    // Upright it falls along the roll's axis; lying along it, it stands up; lying across, it stays so.
    let axis = 1u + (label >> 1u);
    let pose = select(select(kind, 0u, kind == axis), axis, kind == 0u);
    let upright = pose == 0u;
    if upright && (flags(first) & FRAGILE) != 0u {
        return illegal();
    }
    var left = act(first, upright, bridges);
    if !upright {
        left = act(second, false, left);
    }
    if !is_there(first, left) || !is_there(second, left) {
        return illegal();
    }
    if upright && (flags(first) & SPLITTER) != 0u {
        let places = table[first * GROUND + SPLITS];
        return place_cubes(places & SQUARE, places >> OTHER, left);
    }
    return packed(first | (pose << KIND), left);
}

// The state's number in the set of those met.
fn number_of(state: vec2<u32>) -> u32 {
    let squares = params[SQUARES];
    let kind = (state.x >> KIND) & 3u;
    let square = state.x & SQUARE;
    let cubes = 3u * squares + square * squares + ((state.x >> OTHER) & SQUARE);
    let place = select(kind * squares + square, cubes, kind == SPLIT);
    // Numbers have 31 bits at most, so that the bridges all fit one word.
    let on = (state.x >> FIRST_BRIDGE) | (state.y << (32u - FIRST_BRIDGE));
    return on * params[PLACES] + place;
}

fn visit(move_to: After) {
    if !move_to.legal {
        return;
    }
    var state = move_to.state;
    if params[MERGED] == 1u && ((state.x >> KIND) & 3u) == SPLIT && ((state.x >> OTHER) & SQUARE) < (state.x & SQUARE) {
        state = exchanged(state);
    }
    let number = number_of(state);
    let word = number >> 5u;
    let bit = 1u << (number & 31u);
    // Looked at first: most neighbours were met already, and an atomic write is dear.
    if word >= arrayLength(&met) || (atomicLoad(&met[word]) & bit) != 0u || (atomicOr(&met[word], bit) & bit) != 0u {
        return;
    }
    let slot = atomicAdd(&tally[APPENDED], 1u);
    if slot < params[CAPACITY] {
        next[2u * slot] = state.x;
        next[2u * slot + 1u] = state.y;
    }
    let key = mix_words(state.x, state.y);
    add_wide(DIGEST, key.x, key.y);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= params[COUNT] {
        return;
    }
    let state = vec2<u32>(frontier[2u * number], frontier[2u * number + 1u]);
    for (var label = 0u; label < EXCHANGE; label++) {
        visit(after(state, label));
    }
    if ((state.x >> KIND) & 3u) != SPLIT {
        return;
    }
    let turned = exchanged(state);
    if params[MERGED] == 0u {
        visit(After(true, turned));
        return;
    }
    for (var label = 0u; label < EXCHANGE; label++) {
        visit(after(turned, label));
    }
}
