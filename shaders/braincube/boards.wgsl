// Every board of a size: an invocation takes successive masks and settles many of them at once.
// Twin: src/puzzles/braincube/boards/, whose tree.rs says how; the recursion there is a stack of layers here.
//
// What masks take is very unequal, so the invocations of a workgroup take pieces of its runs one after another. On llvmpipe the
// first eight invocations of a workgroup come first and would take them all: each leaves off after some turns.

override ROWS: u32;
override COLS: u32;
// 1: between all pairs of squares. 0: from the last corner to the first.
override PAIRS: u32;

// Turns of the loop below that an invocation may take: llvmpipe ends it soon after.
const MOST_TURNS: u32 = 65000u;
// Turns after which it takes no further piece.
const ENOUGH_TURNS: u32 = 40000u;
// Masks of a piece, as a power of two.
const PIECE_BITS: u32 = 12u;
const TOO_MANY_TURNS: u32 = 1u;
const TOO_DEEP: u32 = 2u;

// What a turn of the loop does.
const NEXT_START: u32 = 0u;     // begins a search
const TAKE: u32 = 1u;           // takes in a layer, all its squares present
const RETURN: u32 = 2u;         // makes the highest square that this layer took in absent, or goes back a layer
const HOPE: u32 = 3u;           // looks one move further whether the goal can still be reached

// Sets of states: upright, along a row, down a column.
struct Planes { u: Squares, h: Squares, v: Squares }

// A layer of the search as it was entered.
struct Layer { states: Planes, twice: Planes, present: Squares, possible: Squares }

var<private> layers: array<Layer, DEPTH>;
// Boards by length: all, unique, by turns.
var<workgroup> bars: array<atomic<u32>, 384>;
// Pieces taken.
var<workgroup> pieces_taken: atomic<u32>;

var<private> board: Squares;
var<private> but_last: Squares;
var<private> but_last_two: Squares;
var<private> but_first: Squares;
var<private> but_first_two: Squares;

var<private> found: u32;
var<private> singles: u32;
var<private> digest: vec2<u32>;

fn shape_word(number: u32) -> Squares {
    return squares_of(params[HEADER + 2u * number], params[HEADER + 2u * number + 1u]);
}

fn nowhere() -> Planes {
    let none = squares_of(0u, 0u);
    return Planes(none, none, none);
}

fn both(a: Planes, b: Planes) -> Planes { return Planes(a.u & b.u, a.h & b.h, a.v & b.v); }
fn either(a: Planes, b: Planes) -> Planes { return Planes(a.u | b.u, a.h | b.h, a.v | b.v); }
fn without(a: Planes, b: Planes) -> Planes { return Planes(a.u & ~b.u, a.h & ~b.h, a.v & ~b.v); }
fn is_nowhere(a: Planes) -> bool { return is_empty(a.u | a.h | a.v); }

fn moved_right(a: Planes) -> Planes {
    return Planes(forth(a.h & but_last_two, 2u), forth(a.u & but_last_two, 1u), forth(a.v & but_last, 1u));
}
fn moved_left(a: Planes) -> Planes {
    return Planes(back(a.h & but_first, 1u), back(a.u & but_first_two, 2u), back(a.v & but_first, 1u));
}
fn moved_up(a: Planes) -> Planes { return Planes(row_up(a.v), row_up(a.h), row_up(row_up(a.u))); }
fn moved_down(a: Planes) -> Planes {
    return Planes(row_down(row_down(a.v) & board) & board, row_down(a.h) & board, row_down(a.u) & board);
}

fn moved(a: Planes) -> Planes {
    return either(either(moved_right(a), moved_left(a)), either(moved_up(a), moved_down(a)));
}

// The states of a set that stand on these squares alone.
fn on(squares: Squares, a: Planes) -> Planes {
    return Planes(a.u & squares, a.h & squares & back(squares & but_first, 1u), a.v & squares & row_up(squares));
}

// The squares under the states of a set.
fn under(a: Planes) -> Squares {
    return a.u | a.h | forth(a.h, 1u) | a.v | (row_down(a.v) & board);
}

fn add_wide_to(sum: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
    let low = sum.x + other.x;
    return vec2<u32>(low, sum.y + other.y + u32(low < sum.x));
}

// By a number below 2^16.
fn times(value: vec2<u32>, factor: u32) -> vec2<u32> {
    let low = (value.x & 0xffffu) * factor;
    let middle = (value.x >> 16u) * factor;
    return add_wide_to(vec2<u32>(low, value.y * factor), vec2<u32>(middle << 16u, middle >> 16u));
}

// By 2^places, fewer than 32.
fn doubled(value: vec2<u32>, places: u32) -> vec2<u32> {
    let over = select(value.x >> ((32u - places) & 31u), 0u, places == 0u);
    return vec2<u32>(value.x << places, (value.y << places) | over);
}

// Enters what a layer reached on the boards with these squares.
fn enter(start: u32, length: u32, present: Squares, possible: Squares, upright: Squares, single: Squares) {
    let open = possible & ~present;
    let free = size_of(open);
    let boards = size_of(upright) << free;
    let alone = size_of(single) << free;
    found += boards;
    singles += alone;
    atomicAdd(&bars[2u * length], boards);
    if alone != 0u { atomicAdd(&bars[2u * length + 1u], alone); }
    // Of the open squares each is present on half of the boards.
    let halves = doubled(wide(open), select(free - 1u, 0u, free == 0u));
    let masks = add_wide_to(doubled(wide(present), free), halves);
    let ends = doubled(add_wide_to(wide(upright), doubled(wide(single), 1u)), free);
    digest = add_wide_to(digest, add_wide_to(times(masks, 2u * length + 1u), times(ends, 2u * start + 1u)));
}

// The squares of the first mask of a run.
fn first_mask(run: u32, run_bits: u32) -> Squares {
    let number = add_wide_to(vec2<u32>(params[4], params[5]), vec2<u32>(run, 0u));
    let mask = doubled(number, run_bits);
    return squares_of(mask.x, mask.y);
}

fn run_bits() -> u32 { return min(select(14u, 6u, PAIRS == 1u), ROWS * COLS); }

// Pieces of a workgroup's runs, of which the first has this number.
fn pieces_from(first_run: u32) -> u32 {
    return min(64u, run_count() - first_run) << (run_bits() - min(run_bits(), PIECE_BITS));
}

fn search(first_run: u32) {
    let count = ROWS * COLS;
    let piece_bits = min(run_bits(), PIECE_BITS);
    let pieces = pieces_from(first_run);
    let goal = select(square(0u), squares_of(0u, 0u), PAIRS == 1u);
    let everywhere = Planes(board, board, board);

    // Blocks of masks of which the lowest few bits are free, from `at` to `end` of a run.
    var at = 0u;
    var end = 0u;
    var first = squares_of(0u, 0u);
    var block = first;
    var block_open = first;
    var start = count;

    var phase = NEXT_START;
    var length = 0u;
    var present = first;
    var possible = first;
    var states = nowhere();
    var visited = nowhere();
    var layer = Layer(nowhere(), nowhere(), first, first);
    var hope = nowhere();
    var left = nowhere();
    for (var turn = 0u; ; turn++) {
        if turn == MOST_TURNS {
            atomicStore(&tally[TALLY_FAULT], TOO_MANY_TURNS);
            break;
        }
        if phase == NEXT_START {
            start++;
            if start >= count && at >= end {
                if turn > ENOUGH_TURNS { break; }
                let piece = atomicAdd(&pieces_taken, 1u);
                if piece >= pieces { break; }
                let place = piece << piece_bits;
                let run = first_run + (place >> run_bits());
                let begin = place & ((1u << run_bits()) - 1u);
                let part = clip(run, 1u << run_bits());
                first = first_mask(run, run_bits());
                at = max(part.x, begin);
                end = min(part.y, begin + (1u << piece_bits));
            }
            if start >= count && at < end {
                let bits = min(min(countTrailingZeros(at), piece_bits), firstLeadingBit(end - at));
                block = first | squares_of(at, 0u);
                block_open = squares_of((1u << bits) - 1u, 0u);
                at += 1u << bits;
                start = select(count - 1u, 0u, PAIRS == 1u);
            }
            possible = block | block_open;
            let ends = goal | square(min(start, count - 1u));
            if start < count && is_empty(ends & ~possible) {
                present = block | ends;
                states = nowhere();
                states.u = square(start);
                visited = nowhere();
                length = 0u;
                layer = Layer(states, nowhere(), present, possible);
                phase = TAKE;
            }
        }
        if phase == RETURN {
            let taken = present & ~layer.present;
            if is_empty(taken) {
                if length == 0u {
                    phase = NEXT_START;
                } else {
                    possible = layer.possible;
                    length--;
                    layer = layers[length];
                    visited = without(visited, on(possible, layer.states));
                }
            } else {
                let absent = highest(taken);
                present ^= absent;
                let again = layer.possible & ~possible & ~below(absent);
                possible = (possible | again) & ~absent;
                states = on(possible, layer.states);
                if !is_nowhere(states) {
                    phase = select(HOPE, TAKE, PAIRS == 1u);
                    hope = states;
                    left = without(on(possible, everywhere), visited);
                }
            }
        }
        if phase == TAKE || phase == HOPE {
            var source = states;
            if phase == HOPE { source = hope; }
            let right = moved_right(source);
            let leftward = moved_left(source);
            let up = moved_up(source);
            let down = moved_down(source);
            let sides = either(right, leftward);
            let ends = either(up, down);
            let next = either(sides, ends);
            if phase == HOPE {
                left = without(left, hope);
                if !is_empty(hope.u & goal) {
                    phase = TAKE;
                } else {
                    hope = both(next, left);
                    if is_nowhere(hope) { phase = RETURN; }
                }
            } else {
                present |= under(states);
                var upright = states.u;
                if PAIRS == 0u { upright &= goal; }
                let reached = !is_empty(upright) && (PAIRS == 0u || length > 0u);
                if reached { enter(start, length, present, possible, upright, upright & ~layer.twice.u); }
                if reached && PAIRS == 0u {
                    phase = RETURN;
                } else {
                    if length == DEPTH {
                        atomicStore(&tally[TALLY_FAULT], TOO_DEEP);
                        break;
                    }
                    layers[length] = layer;
                    length++;
                    visited = either(visited, states);
                    let met_twice = either(either(both(right, leftward), both(up, down)), both(sides, ends));
                    let twice = either(met_twice, moved(both(layer.twice, states)));
                    states = on(possible, without(next, visited));
                    layer = Layer(states, twice, present, possible);
                    if is_nowhere(states) { phase = RETURN; }
                }
            }
        }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first_run = invocation_number(id, groups) - local;
    if first_run < run_count() {
        board = shape_word(0u);
        but_last = shape_word(1u);
        but_last_two = shape_word(2u);
        but_first = shape_word(3u);
        but_first_two = shape_word(4u);
        search(first_run);
        add_wide(TALLY_FOUND, found, 0u);
        add_wide(TALLY_DIGEST, digest.x, digest.y);
        add_wide(TALLY_WORK, singles, 0u);
    }
    workgroupBarrier();
    if local == 0u && first_run < run_count() && atomicLoad(&pieces_taken) < pieces_from(first_run) {
        atomicStore(&tally[TALLY_FAULT], TOO_MANY_TURNS);
    }
    for (var number = local; number < 6u * ROWS * COLS; number += 64u) {
        let boards = atomicLoad(&bars[number]);
        if boards != 0u { add_wide(TALLY_COUNTERS + 2u * number, boards, 0u); }
    }
}
