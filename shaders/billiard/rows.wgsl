// Rows from the bottom up: a lane runs the depth-first search above a prefix, and takes the next prefix of the batch from a
// counter when it is through. What a lane has not finished when its rounds are up is saved, and the next dispatch goes on.
// Twin: src/puzzles/billiard/rows/search.rs, which says what is searched and counted; tables: rows/kernel.rs.
//
// Rows, offsets and sets of values are packed as packed.wgsl says; an offset o is held as o + BIAS, so that 0 is no offset.
// Its override constants are the same for all spaces: the kernel is large, and so it is compiled once.

@group(0) @binding(3) var<storage, read> items: array<u32>;
@group(0) @binding(4) var<storage, read_write> counter: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> unfinished: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> state: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> tables: array<u32>;

const BIAS: u32 = 512u;
const BIASES: u32 = 0x02000200u;
// Turns of the sign search in a round, before those lanes that have a row ready are looked at together.
override TURNS: u32;
// How often a round looks for a candidate, before the lanes that have one hold it against the dearer bounds together.
override TRIES: u32;
const NONE_LEFT: u32 = 4096u;

// The level under way: its row, what the triangle leaves, what the next row may hold, and the signs chosen.
var<private> rows: u32;
var<private> row: Packed;
var<private> fresh: Packed;
var<private> allowed: Packed;
var<private> offsets: Packed;
var<private> largest: i32;
var<private> top: u32;
var<private> lefts: u32;            // bit s: sign s joins on the left
var<private> limit: i32;
var<private> window: i32;
var<private> depth: u32;
var<private> pending: u32;
var<private> live: bool;            // the pattern so far may go on
var<private> up: bool;              // the level is through
var<private> now: vec2<u32>;        // values of p for the signs so far
var<private> complete: vec2<u32>;   // values of p left for a whole pattern
var<private> alive: bool;
var<private> run: u32;
var<private> nodes: vec2<u32>;
var<private> steps: vec2<u32>;
var<private> found: vec2<u32>;
var<private> order: u32;
var<private> greatest_value: u32;
var<private> prefix_rows: u32;
// A row to be looked at: its number of columns, itself, and what it leaves; no columns: none.
var<private> columns: u32;
var<private> candidate: Packed;
var<private> struck: bool;          // its entries are no longer among those it leaves
var<private> leaves: Packed;
var<private> sums: array<u32, 64>;
var<private> limits: array<i32, 64>;

// State of a lane: vector v of lane l at v·lanes + l. First a head, then a record a level from the prefix on: its row, what
// that leaves, its offsets, (complete, pending, depth), (window, limit, largest and top, lefts), and for each sign the values
// with its other choice.
const HEAD: u32 = 3u;
const RECORD: u32 = 8u;
var<private> lane: u32;
var<private> lanes: u32;
var<private> record_vectors: u32;

fn load(at: u32) -> vec4<u32> { return state[at * lanes + lane]; }
fn store(at: u32, value: vec4<u32>) { state[at * lanes + lane] = value; }
fn record_of(level: u32) -> u32 { return HEAD + (level - prefix_rows) * record_vectors; }

fn add(wide: vec2<u32>, more: u32) -> vec2<u32> {
    let low = wide.x + more;
    return vec2<u32>(low, wide.y + select(0u, 1u, low < more));
}

// 64 allowed values from the one after `start` on.
fn allowed_from(start: i32) -> vec2<u32> {
    let at = u32(start >> 5u);      // negative: no word has that number
    let bit = u32(start) & 31u;
    let w = vec3<u32>(word_of(allowed, at), word_of(allowed, at + 1u), word_of(allowed, at + 2u));
    return (w.xy >> vec2<u32>(bit)) | ((w.yz << vec2<u32>(1u)) << vec2<u32>(31u - bit));
}

// The columns that are fixed after sign `sign`: leftmost and rightmost.
fn columns_after(sign: u32) -> vec2<u32> {
    let joined = countOneBits(lefts & ((2u << sign) - 1u));
    return vec2<u32>(top - joined, top + 1u + sign - joined);
}

// The values of p left when the next entry has this offset.
fn choice(offset: i32) -> vec2<u32> {
    let both = vec4<u32>((u32(offset) + BIAS) * 0x10001u);
    let taken = has_zero_field(offsets.a ^ both) || has_zero_field(offsets.b ^ both);
    return select(now & allowed_from(window * 64 + offset), vec2<u32>(), taken);
}

fn start(side: u32, values: vec2<u32>) {
    offsets = Packed(ZERO, ZERO);
    offsets = with_field(offsets, top + side, BIAS);
    offsets = with_field(offsets, top + 1u - side, BIAS + u32(largest));
    now = values;
    depth = 0u;
    live = true;
}

fn put(sign: u32, column: u32, offset: i32, values: vec2<u32>) {
    offsets = with_field(offsets, column, u32(offset) + BIAS);
    now = values;
    depth = sign;
}

// One turn: if the pattern is dead, the next one to try; then one more sign, both ways.
fn turn() {
    if !live {
        if pending == 0u {
            window++;
            if window * 64 >= limit - largest {
                up = true;
                return;
            }
            steps = add(steps, 2u);
            let values = allowed_from(window * 64) & allowed_from(window * 64 + largest);
            if any(values != vec2<u32>()) {
                store(record_of(rows) + RECORD, vec4<u32>(values, 0u, 0u));
                pending = 1u;
                start(0u, values);
            }
        } else {
            let sign = firstLeadingBit(pending);
            pending ^= 1u << sign;
            let values = load(record_of(rows) + RECORD + sign).xy;
            if sign == 0u {
                start(1u, values);
            } else {
                let ends = columns_after(sign - 1u);
                let left = ((lefts >> sign) & 1u) == 1u;
                offsets.a &= columns_mask(INDEX_LOW, ends);
                offsets.b &= columns_mask(INDEX_HIGH, ends);
                let base = i32(field(offsets, select(ends.y, ends.x, left)));
                let difference = i32(field(row, select(ends.y, ends.x - 1u, left)));
                put(sign, select(ends.y + 1u, ends.x - 1u, left), base - i32(BIAS) - difference, values);
                live = true;
            }
        }
    }
    if live {
        if depth + 1u == rows {
            complete = now;
            live = false;
            return;
        }
        let sign = depth + 1u;
        let ends = columns_after(depth);
        let left = ((lefts >> sign) & 1u) == 1u;
        let base = i32(field(offsets, select(ends.y, ends.x, left))) - i32(BIAS);
        let difference = i32(field(row, select(ends.y, ends.x - 1u, left)));
        let column = select(ends.y + 1u, ends.x - 1u, left);
        let plus = choice(base + difference);
        let minus = choice(base - difference);
        let has_plus = any(plus != vec2<u32>());
        let has_minus = any(minus != vec2<u32>());
        steps = add(steps, 2u);
        if has_plus && has_minus {
            store(record_of(rows) + RECORD + sign, vec4<u32>(minus, 0u, 0u));
            pending |= 1u << sign;
        }
        if has_plus || has_minus {
            put(sign, column, base + select(-difference, difference, has_plus), select(minus, plus, vec2<bool>(has_plus)));
            if sign + 1u == rows {
                complete = now;
                live = false;
            }
        } else {
            live = false;
        }
    }
}

// Sums the smallest values of a set: sums[j] of the j smallest, for j up to `count`.
fn sum_smallest(values: Packed, count: u32) {
    var at = 0u;
    var bits = values.a.x;
    var sum = 0u;
    var done = 0u;
    sums[0] = 0u;
    while done < count {
        if bits == 0u && at < 7u {
            at++;
            bits = word_of(values, at);
        } else {
            sum += select(at * 32u + firstTrailingBit(bits) + 1u, NONE_LEFT, bits == 0u);
            bits &= bits - 1u;
            done++;
            sums[done] = sum;
        }
    }
}

// What the lists of a row of `count` entries may sum to, from the sums made.
fn make_limits(count: u32) {
    var at = tables[1u + count];
    let lists = (tables[at] >> 8u) & 0xffu;
    at++;
    for (var list = 0u; list < lists; list++) {
        let head = tables[at];
        let ways = head & 0xffu;
        at++;
        var most = -1;
        for (var way = 0u; way < ways; way++) {
            let cells = tables[at + way];
            let sum = sums[cells & 63u] + sums[(cells >> 8u) & 63u] + sums[(cells >> 16u) & 63u];
            most = max(most, i32(head >> 8u) - i32(cells >> 24u) - i32(sum));
        }
        at += ways;
        limits[list & 63u] = most;
    }
}

// Whether the pairs and triples of the candidate are within the limits made last. Those that start too far right to have their
// last entry are masked.
fn passes(count: u32) -> bool {
    var at = tables[1u + count];
    at += tables[at] >> 16u;
    var there = Packed(columns_mask(INDEX_LOW, vec2<u32>(0u, count - 1u)), columns_mask(INDEX_HIGH, vec2<u32>(0u, count - 1u)));
    var right = candidate;
    var fits = true;
    for (var whole = 1u; whole < count && fits; whole++) {
        right = moved(right);
        there = moved(there);
        var middle = Packed(ZERO, ZERO);
        for (var first = 0u; first < whole && fits; first++) {
            if first == 1u { middle = candidate; }
            if first > 0u { middle = moved(middle); }
            let list = tables[at];
            at++;
            if list < 64u {
                fits = is_within(
                    limits[list & 63u],
                    (candidate.a + middle.a + right.a) & there.a,
                    (candidate.b + middle.b + right.b) & there.b);
            }
        }
    }
    return fits;
}

// Starts a level on a row whose sums are made.
fn open() {
    limit = i32(greatest_value);
    if tables[0] != 0u {
        limit -= i32(sums[(order - rows - 1u) & 63u]);
    }
    let within = set_up_to(limit);
    allowed = Packed(fresh.a & within.a, fresh.b & within.b);
    largest = 0;
    for (var column = 0u; column < rows; column++) {
        let entry = i32(field(row, column));
        top = select(top, column, entry > largest);
        largest = max(largest, entry);
    }
    lefts = 0u;
    var left = top;
    var right = top + 1u;
    for (var sign = 1u; sign < rows; sign++) {
        let before = select(0u, field(row, left - 1u), left > 0u);
        let after = select(0u, field(row, right), right < rows);
        if before > after {
            left--;
            lefts |= 1u << sign;
        } else {
            right++;
        }
    }
    window = -1;
    pending = 0u;
    complete = vec2<u32>();
    live = false;
    up = false;
}

// Keeps the search of the level under way.
fn keep_search() {
    let at = record_of(rows);
    store(at + 4u, offsets.a);
    store(at + 5u, offsets.b);
    store(at + 6u, vec4<u32>(complete, pending, depth));
    store(at + 7u, vec4<u32>(u32(window), u32(limit), u32(largest) | (top << 16u), lefts));
}

// Strikes the candidate's entries out of what it leaves, and holds it against the path bound.
fn strike() {
    var greatest = 0u;
    for (var column = 0u; column < columns; column++) {
        let entry = field(candidate, column);
        leaves = without_value(leaves, entry);
        greatest = max(greatest, entry);
    }
    struck = true;
    if tables[0] != 0u {
        let above = order - columns;
        sum_smallest(leaves, above);
        if greatest + sums[above & 63u] > greatest_value { columns = 0u; }
    }
}

// Holds the candidate against the other bounds; if it passes, it is a node and the level under way.
fn meet() {
    let count = columns;
    columns = 0u;
    let above = order - count;
    sum_smallest(leaves, max(above, tables[tables[1u + count]] & 0xffu));
    make_limits(count);
    if !passes(count) { return; }
    nodes = add(nodes, 1u);
    if count == order {
        found = add(found, 1u);
        return;
    }
    if rows != 0u { keep_search(); }
    rows = count;
    row = candidate;
    fresh = leaves;
    let at = record_of(rows);
    store(at, row.a);
    store(at + 1u, row.b);
    store(at + 2u, fresh.a);
    store(at + 3u, fresh.b);
    open();
}

// Goes back to the level that was kept for `rows`.
fn back() {
    let at = record_of(rows);
    row = Packed(load(at), load(at + 1u));
    fresh = Packed(load(at + 2u), load(at + 3u));
    offsets = Packed(load(at + 4u), load(at + 5u));
    let search = load(at + 6u);
    complete = search.xy;
    pending = search.z;
    depth = search.w;
    let frame = load(at + 7u);
    window = i32(frame.x);
    limit = i32(frame.y);
    largest = i32(frame.z & 0xffffu);
    top = frame.z >> 16u;
    lefts = frame.w;
    let within = set_up_to(limit);
    allowed = Packed(fresh.a & within.a, fresh.b & within.b);
    live = false;
    up = false;
}

// Takes the next prefix of the batch as a candidate, if there is one.
fn fetch() {
    alive = false;
    let next = atomicAdd(&counter[0], 1u);
    if next >= run_count() { return; }
    alive = true;
    run = next;
    nodes = vec2<u32>();
    steps = vec2<u32>();
    found = vec2<u32>();
    rows = 0u;
    up = true;
    complete = vec2<u32>();
    let entries = ((vec4<u32>(items[next]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu)) + vec4<u32>(1u);
    columns = prefix_rows;
    struck = false;
    let all_fields = Packed(vec4<u32>(entries.x | (entries.y << 16u), entries.z | (entries.w << 16u), 0u, 0u), ZERO);
    candidate = Packed(all_fields.a & columns_mask(INDEX_LOW, vec2<u32>(0u, prefix_rows - 1u)), ZERO);
    leaves = set_up_to(i32(greatest_value));
    // The rows below the prefix's own, which is struck out as every candidate is.
    var lower = vec4<i32>(entries);
    for (var length = prefix_rows - 1u; length > 0u; length--) {
        lower = abs(lower - vec4<i32>(lower.yzw, 0));
        for (var column = 0u; column < length; column++) {
            leaves = without_value(leaves, pick(vec4<u32>(lower), INDEX_LOW == vec4<u32>(column)));
        }
    }
}

// The next value of p as a candidate; above the last row but one, all of them as solutions.
fn grow() {
    if rows + 1u == order {
        // The entries are distinct, allowed and differ as they should: each value of p is a solution.
        let solutions = countOneBits(complete.x) + countOneBits(complete.y);
        nodes = add(nodes, solutions);
        found = add(found, solutions);
        complete = vec2<u32>();
        return;
    }
    let in_low = complete.x != 0u;
    let bit = firstTrailingBit(select(complete.y, complete.x, in_low));
    let p = u32(window) * 64u + bit + select(33u, 1u, in_low);
    if in_low { complete.x &= complete.x - 1u; } else { complete.y &= complete.y - 1u; }
    let whole = vec2<u32>(0u, rows);
    let mask_a = columns_mask(INDEX_LOW, whole);
    let mask_b = columns_mask(INDEX_HIGH, whole);
    let ps = vec4<u32>(p * 0x10001u);
    columns = rows + 1u;
    struck = false;
    candidate = Packed(
        offsets.a + (ps & mask_a) - (vec4<u32>(BIASES) & mask_a),
        offsets.b + (ps & mask_b) - (vec4<u32>(BIASES) & mask_b));
    leaves = fresh;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    lane = invocation_number(id, groups);
    order = params[HEADER];
    greatest_value = params[HEADER + 1u];
    prefix_rows = params[HEADER + 2u];
    lanes = params[HEADER + 3u];
    record_vectors = RECORD + order;
    if lane >= lanes { return; }
    let head = load(0u);
    alive = (head.x & 1u) != 0u;
    if alive {
        rows = head.y;
        run = head.z;
        let counts = load(1u);
        nodes = counts.xy;
        steps = counts.zw;
        let more = load(2u);
        found = more.xy;
        if rows != 0u { back(); }
        live = (head.x & 2u) != 0u;
        up = (head.x & 4u) != 0u;
        now = more.zw;
    } else {
        fetch();
    }
    var rounds = params[HEADER + 4u];
    while alive && rounds > 0u {
        rounds--;
        if columns == 0u && up {
            // A prefix that no level stands on is the whole triangle.
            if rows <= prefix_rows {
                enter_tree(run, nodes, steps, found);
                if any(found != vec2<u32>()) { append_hit(run, 1u, 0u); }
                fetch();
            } else {
                rows--;
                back();
            }
        }
        for (var tries = 0u; tries < TRIES; tries++) {
            for (var turns = 0u; turns < TURNS; turns++) {
                if !alive || up || columns != 0u || any(complete != vec2<u32>()) { break; }
                turn();
            }
            if alive && columns == 0u && any(complete != vec2<u32>()) { grow(); }
            if alive && columns != 0u && !struck { strike(); }
        }
        if alive && columns != 0u { meet(); }
    }
    if alive {
        if rows != 0u { keep_search(); }
        store(0u, vec4<u32>(1u | select(0u, 2u, live) | select(0u, 4u, up), rows, run, 0u));
        store(1u, vec4<u32>(nodes, steps));
        store(2u, vec4<u32>(found, now));
        atomicAdd(&unfinished[0], 1u);
    } else {
        store(0u, ZERO);
    }
}
