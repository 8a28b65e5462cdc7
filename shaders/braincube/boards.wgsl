// Every board of a size: a lane takes a run of successive masks, settles many of them at once, and takes the next run from a
// counter when it is through. What a lane has not finished when its rounds are up is saved, and the next dispatch goes on.
// Twin: src/puzzles/braincube/boards/, whose tree.rs says why patterns of squares settle many boards. It keeps the layers of
// a search on a stack and goes on from there; here a round begins every search again at the start, which takes no
// memory but registers:
//
// Squares that no layer has touched are not decided. A search takes all of them as present, and notes those it touches as
// assumed, in the order of the layers and, in a layer, of their numbers. What it finds holds for all boards with the squares
// touched, and without those known absent. Then the square assumed last is known absent, those decided after it are open again,
// and the next search begins. When no square is assumed any more, all boards are settled. A search that does not reach
// its goal says that no board of the pattern does, so the squares it touched are not noted.
//
// The order is kept as the numbers of the layers, a bit a plane, so that the last square is found by a few steps on sets.

override ROWS: u32;
override COLS: u32;
// 1: between all pairs of squares. 0: from the last corner to the first.
override PAIRS: u32;
// Masks of a run, as a power of two.
override RUN_BITS: u32;
// Layers of a search that are told apart, 128 at most: no board has been seen to have as many.
override DEPTH: u32;

// Runs need no words of their own.
@group(0) @binding(3) var<storage, read> items: array<u32>;
@group(0) @binding(4) var<storage, read_write> counter: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> unfinished: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> state: array<u32>;

const TOO_DEEP: u32 = 2u;

// Sets of states: upright, along a row, down a column.
struct Planes { u: Squares, h: Squares, v: Squares }

// The numbers of the layers at which squares were decided: the lowest bits in the first plane.
struct Order { a: Squares, b: Squares, c: Squares, d: Squares, e: Squares, f: Squares, g: Squares }

// Boards by length: all, unique, by turns, two words each.
var<workgroup> bars: array<atomic<u32>, 768>;

var<private> board: Squares;
var<private> but_last: Squares;
var<private> but_last_two: Squares;
var<private> but_first: Squares;
var<private> but_first_two: Squares;

var<private> found: vec2<u32>;
var<private> singles: vec2<u32>;
var<private> digest: vec2<u32>;

// What a lane saves.
var<private> alive: bool;           // it has a run
var<private> is_searching: bool;    // and a start
var<private> run: u32;
var<private> at: u32;               // the masks of the run that are left, the block in hand not among them
var<private> end: u32;
var<private> start: u32;
var<private> fixed: Squares;        // present on all boards of the block
var<private> open: Squares;         // present on some
var<private> assumed: Squares;
var<private> absent: Squares;
var<private> order: Order;
var<private> changed_at: u32;       // the layer of the square that is known absent last

var<private> lane: u32;
var<private> lanes: u32;

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

fn add_bar(number: u32, boards: u32) {
    let before = atomicAdd(&bars[2u * number], boards);
    if before + boards < before { atomicAdd(&bars[2u * number + 1u], 1u); }
}

// Enters what a layer reached on the boards with these squares.
fn enter(length: u32, present: Squares, possible: Squares, upright: Squares, single: Squares) {
    let untouched = possible & ~present;
    let free = size_of(untouched);
    let boards = size_of(upright) << free;
    let alone = size_of(single) << free;
    found = add_wide_to(found, vec2<u32>(boards, 0u));
    singles = add_wide_to(singles, vec2<u32>(alone, 0u));
    add_bar(2u * length, boards);
    if alone != 0u { add_bar(2u * length + 1u, alone); }
    // Of the untouched squares each is present on half of the boards.
    let halves = doubled(wide(untouched), select(free - 1u, 0u, free == 0u));
    let masks = add_wide_to(doubled(wide(present), free), halves);
    let ends = doubled(add_wide_to(wide(upright), doubled(wide(single), 1u)), free);
    digest = add_wide_to(digest, add_wide_to(times(masks, 2u * length + 1u), times(ends, 2u * start + 1u)));
}

// The squares of the first mask of a run.
fn first_mask() -> Squares {
    let number = add_wide_to(vec2<u32>(params[4], params[5]), vec2<u32>(run, 0u));
    let mask = doubled(number, RUN_BITS);
    return squares_of(mask.x, mask.y);
}

// Takes the next run, if there is one.
fn fetch() {
    run = atomicAdd(&counter[0], 1u);
    alive = run < run_count();
    if alive {
        let part = clip(run, 1u << RUN_BITS);
        at = part.x;
        end = part.y;
    }
}

fn goal() -> Squares { return select(square(0u), squares_of(0u, 0u), PAIRS == 1u); }

// The next start of the block of masks, or the next block: of its masks the lowest few bits are free.
fn begin() {
    start++;
    if start >= ROWS * COLS {
        if at >= end { fetch(); }
        if !alive { return; }
        let bits = min(countTrailingZeros(at), firstLeadingBit(end - at));
        fixed = first_mask() | squares_of(at, 0u);
        open = squares_of((1u << bits) - 1u, 0u);
        at += 1u << bits;
        start = select(ROWS * COLS - 1u, 0u, PAIRS == 1u);
    }
    assumed = squares_of(0u, 0u);
    absent = assumed;
    changed_at = 0u;
    is_searching = is_empty((goal() | square(start)) & ~(fixed | open));
}

fn bit_of(number: u32, place: u32, those: Squares) -> Squares {
    return those & squares_of(0u - ((number >> place) & 1u), 0u - ((number >> place) & 1u));
}

// Notes that squares were decided at a layer.
fn note(those: Squares, layer: u32) {
    order.a = (order.a & ~those) | bit_of(layer, 0u, those);
    order.b = (order.b & ~those) | bit_of(layer, 1u, those);
    order.c = (order.c & ~those) | bit_of(layer, 2u, those);
    order.d = (order.d & ~those) | bit_of(layer, 3u, those);
    order.e = (order.e & ~those) | bit_of(layer, 4u, those);
    order.f = (order.f & ~those) | bit_of(layer, 5u, those);
    order.g = (order.g & ~those) | bit_of(layer, 6u, those);
}

// One search from the start, all that is not known absent taken as present. Gives the squares that are assumed after it.
fn search() -> Squares {
    let ends = goal() | square(start);
    let possible = (fixed | open) & ~absent;
    var present = fixed | ends | assumed;
    var states = nowhere();
    states.u = square(start);
    var visited = nowhere();
    var twice = nowhere();
    var length = 0u;
    loop {
        let touched = under(states) & ~present;
        present |= touched;
        note(touched, length);
        if PAIRS == 1u {
            // What earlier layers reached was entered when their squares were decided.
            if length > 0u && length >= changed_at && !is_empty(states.u) {
                enter(length, present, possible, states.u, states.u & ~twice.u);
            }
        } else if !is_empty(states.u & goal()) {
            break;
        }
        let right = moved_right(states);
        let left = moved_left(states);
        let up = moved_up(states);
        let down = moved_down(states);
        let sides = either(right, left);
        let ways = either(up, down);
        let met_twice = either(either(both(right, left), both(up, down)), both(sides, ways));
        visited = either(visited, states);
        twice = either(met_twice, moved(both(twice, states)));
        states = on(possible, without(either(sides, ways), visited));
        length++;
        if is_nowhere(states) { break; }
        if length == DEPTH {
            atomicStore(&tally[TALLY_FAULT], TOO_DEEP);
            break;
        }
    }
    if PAIRS == 0u {
        if is_empty(states.u & goal()) { return assumed; }
        enter(length, present, possible, goal(), goal() & ~twice.u);
    }
    return present & ~(fixed | ends);
}

// The squares of a set whose layers have a bit set, if there are any; else the set.
fn later(those: Squares, plane: Squares) -> Squares {
    let some = those & plane;
    return select(some, those, is_empty(some));
}

// Squares decided at the same layer as a certain one, and at later layers, by the planes looked at so far.
struct Parted { same: Squares, after: Squares }

fn part(those: Parted, one: Squares, plane: Squares) -> Parted {
    let some = those.same & plane;
    let rest = those.same & ~plane;
    let has = !is_empty(one & plane);
    return Parted(select(rest, some, has), those.after | select(some, squares_of(0u, 0u), has));
}

fn layer_of(one: Squares) -> u32 {
    return u32(!is_empty(one & order.a)) | (u32(!is_empty(one & order.b)) << 1u) | (u32(!is_empty(one & order.c)) << 2u)
        | (u32(!is_empty(one & order.d)) << 3u) | (u32(!is_empty(one & order.e)) << 4u) | (u32(!is_empty(one & order.f)) << 5u)
        | (u32(!is_empty(one & order.g)) << 6u);
}

// Makes the square that was assumed last known absent, and opens those decided after it; with none the start is done with.
fn change(decided: Squares) {
    if is_empty(decided) {
        is_searching = false;
        return;
    }
    let of_g = later(decided, order.g);
    let of_f = later(of_g, order.f);
    let of_e = later(of_f, order.e);
    let of_d = later(of_e, order.d);
    let of_c = later(of_d, order.c);
    let of_b = later(of_c, order.b);
    let one = highest(later(of_b, order.a));
    var others = part(Parted(absent, squares_of(0u, 0u)), one, order.g);
    others = part(others, one, order.f);
    others = part(others, one, order.e);
    others = part(others, one, order.d);
    others = part(others, one, order.c);
    others = part(others, one, order.b);
    others = part(others, one, order.a);
    let after = others.after | (others.same & ~below(one));
    absent = (absent & ~after) | one;
    assumed = decided & ~one;
    if PAIRS == 1u { changed_at = layer_of(one); }
}

// Saved words are `lanes` apart. A lane with nothing left has a first word of 0, as all have at first.
fn save(at_word: u32, those: Squares) {
    let words = wide(those);
    state[at_word * lanes + lane] = words.x;
    state[(at_word + 1u) * lanes + lane] = words.y;
}

fn saved(at_word: u32) -> Squares {
    return squares_of(state[at_word * lanes + lane], state[(at_word + 1u) * lanes + lane]);
}

fn restore() {
    let head = state[lane];
    alive = head != 0u;
    is_searching = (head & 2u) != 0u;
    run = state[lanes + lane];
    at = state[2u * lanes + lane];
    end = state[3u * lanes + lane];
    start = state[4u * lanes + lane];
    changed_at = state[5u * lanes + lane];
    fixed = saved(6u);
    open = saved(8u);
    assumed = saved(10u);
    absent = saved(12u);
    order = Order(saved(14u), saved(16u), saved(18u), saved(20u), saved(22u), saved(24u), saved(26u));
    if !alive {
        at = 0u;
        end = 0u;
        start = ROWS * COLS;
        alive = true;
    }
}

fn keep() {
    state[lane] = select(0u, 1u | select(0u, 2u, is_searching), alive);
    if !alive { return; }
    state[lanes + lane] = run;
    state[2u * lanes + lane] = at;
    state[3u * lanes + lane] = end;
    state[4u * lanes + lane] = start;
    state[5u * lanes + lane] = changed_at;
    save(6u, fixed);
    save(8u, open);
    save(10u, assumed);
    save(12u, absent);
    save(14u, order.a);
    save(16u, order.b);
    save(18u, order.c);
    save(20u, order.d);
    save(22u, order.e);
    save(24u, order.f);
    save(26u, order.g);
    atomicAdd(&unfinished[0], 1u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    lane = invocation_number(id, groups);
    lanes = params[HEADER + 10u];
    board = shape_word(0u);
    but_last = shape_word(1u);
    but_last_two = shape_word(2u);
    but_first = shape_word(3u);
    but_first_two = shape_word(4u);
    if lane < lanes {
        restore();
        for (var rounds = params[HEADER + 11u]; rounds > 0u; rounds--) {
            if !is_searching { begin(); }
            if !alive { break; }
            if is_searching { change(search()); }
        }
        keep();
        add_wide(TALLY_FOUND, found.x, found.y);
        add_wide(TALLY_DIGEST, digest.x, digest.y);
        add_wide(TALLY_WORK, singles.x, singles.y);
    }
    workgroupBarrier();
    for (var number = local; number < 6u * ROWS * COLS; number += 64u) {
        let boards = vec2<u32>(atomicLoad(&bars[2u * number]), atomicLoad(&bars[2u * number + 1u]));
        if any(boards != vec2<u32>()) { add_wide(TALLY_COUNTERS + 2u * number, boards.x, boards.y); }
    }
}
