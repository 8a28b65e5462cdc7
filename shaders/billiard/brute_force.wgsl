// Brute force: an invocation checks the 5040 permutations that differ in their last seven places only.
// Twin: src/puzzles/billiard/brute_force.rs, which says what is counted, and what the phantom balls are.
//
// Loops turn fewer than 10,000 times in an invocation: some drivers cut it short at 65,535.

override ORDER: u32;

const SUFFIX: u32 = 7u;
const RUN: u32 = 5040u;

// The balls of the permutation, bottom-up, from 1.
var<private> balls: array<u32, 28>;

fn differ_by(left: u32, right: u32, difference: u32) -> u32 {
    return u32(max(left, right) - min(left, right) == difference);
}

// Groups that hold among the first `places` places.
fn groups_held(places: u32) -> u32 {
    var held = 0u;
    for (var row = 2u; row <= ORDER; row++) {
        let start = row * (row - 1u) / 2u;
        let end = min(start + row, places);
        for (var place = start + 1u; place < end; place++) {
            held += differ_by(balls[place - 1u], balls[place], balls[place - row]);
        }
    }
    return held;
}

// Four bytes to a word, each below 128.

fn splat(byte: u32) -> u32 { return byte * 0x01010101u; }

// Byte k of the result is byte k + by.
fn turn(word: u32, by: u32) -> u32 { return (word >> (8u * by)) | (word << (32u - 8u * by)); }

fn differences(a: u32, b: u32) -> u32 {
    let wide = (a | 0x80808080u) - b;
    let below = (~wide >> 7u) & 0x01010101u;
    return ((wide & 0x7f7f7f7fu) ^ ((below << 7u) - below)) + below;
}

// 1 in each byte where the words differ.
fn unequal(a: u32, b: u32) -> u32 {
    return (((a ^ b) + 0x7f7f7f7fu) >> 7u) & 0x01010101u;
}

fn byte_sum(word: u32) -> u32 {
    let pairs = (word & 0x00ff00ffu) + ((word >> 8u) & 0x00ff00ffu);
    return (pairs & 0xffffu) + (pairs >> 16u);
}

// The `k`-th of the seven balls left over.
fn ball_left(left: vec2<u32>, k: u32) -> u32 {
    return (select(left.x, left.y, k >= 4u) >> (8u * (k & 3u))) & 0xffu;
}

// The place of the lower ball of the group that a place completes; NONE where it is the first of its row. For places in
// the last two rows.
const NONE: u32 = 0xffffffffu;

fn lower_place(place: u32, total: u32) -> u32 {
    let top = total - ORDER;
    if place == top || place + ORDER == top + 1u { return NONE; }
    return place - ORDER + u32(place < top);
}

// Whether one of the first three of the last seven places completes a group that holds. Below order 4 none does.
fn front_group(place: u32, total: u32, left: u32, right: u32) -> u32 {
    if ORDER < 4u { return 0u; }
    let lower = lower_place(place, total);
    if lower == NONE { return 0u; }
    return differ_by(left, right, balls[lower]);
}

// The lower ball of the group that place total - back completes, back in 1..=4, of orders 4 to 7.
fn lower_ball(back: u32, total: u32, front: vec3<u32>) -> u32 {
    if back + ORDER > SUFFIX { return balls[total - back - ORDER]; }
    return front[min(SUFFIX - back - ORDER, 2u)];
}

// The orders of four balls, four to a word: in byte k, ball k and then those this many further round.
const TURNS = array<vec3<u32>, 6>(
    vec3<u32>(1u, 2u, 3u), vec3<u32>(1u, 3u, 2u), vec3<u32>(2u, 1u, 3u), vec3<u32>(2u, 3u, 1u), vec3<u32>(3u, 1u, 2u), vec3<u32>(3u, 2u, 1u)
);
// And their numbers in lexicographic order.
const RANKS = array<u32, 6>(0x12100900u, 0x13110801u, 0x140d0b02u, 0x150c0a03u, 0x160f0604u, 0x170e0705u);

// The groups that the last four places complete and that hold, in each byte; `last` has the balls of each place.
// Of every order, so the lower ball may be among the last four itself, and the first places may be a phantom's.
fn last_groups_held(total: u32, front: vec3<u32>, last: vec4<u32>) -> u32 {
    var held = 0u;
    for (var k = 0u; k < 4u; k++) {
        if total + k < 4u { continue; }
        let place = total + k - 4u;
        let lower = lower_place(place, total);
        if lower == NONE { continue; }
        var before = splat(front.z);
        if k > 0u { before = last[k - 1u]; }
        var ball = 0u;
        if lower + 4u >= total {
            ball = last[lower + 4u - total];
        } else if lower + SUFFIX >= total {
            ball = splat(front[lower + SUFFIX - total]);
        } else {
            ball = splat(balls[lower]);
        }
        held += 0x01010101u - unequal(differences(before, last[k]), ball);
    }
    return held;
}

// The bytes of `word` in low..high, as a 1 in each.
fn bytes_within(word: u32, low: u32, high: u32) -> u32 {
    let from_low = (word | 0x80808080u) - splat(low);
    let from_high = (word | 0x80808080u) - splat(high);
    return ((from_low & ~from_high) >> 7u) & 0x01010101u;
}

// What was counted.
struct Count {
    work: u32,
    found: u32,
}

// Checks the 24 permutations of which all but the last four places are fixed, as far as they lie in `part`; `seats` has the
// numbers of the balls `front` among the seven, `outer` the groups that hold before the last four places. Appends hits.
fn check_slowly(run: u32, part: vec2<u32>, total: u32, seats: vec3<u32>, front: vec3<u32>, back: u32, outer: u32) -> Count {
    let start = 720u * seats.x + 120u * (seats.y - u32(seats.x < seats.y))
        + 24u * (seats.z - u32(seats.x < seats.z) - u32(seats.y < seats.z));
    let low = clamp(part.x, start, start + 24u) - start;
    let high = clamp(part.y, start, start + 24u) - start;
    var count = Count(0u, 0u);
    for (var k = 0u; k < 6u; k++) {
        let turns = TURNS[k];
        let ranks = RANKS[k];
        let inside = bytes_within(ranks, low, high);
        let last = vec4<u32>(back, turn(back, turns.x), turn(back, turns.y), turn(back, turns.z));
        let held = last_groups_held(total, front, last) + splat(outer);
        count.work += byte_sum(held & (inside * 0xffu));
        for (var byte = 0u; byte < 32u; byte += 8u) {
            if ((inside >> byte) & 1u) != 0u && ((held >> byte) & 0xffu) == total - ORDER {
                count.found++;
                append_hit(run, RUN, start + ((ranks >> byte) & 0xffu));
            }
        }
    }
    return count;
}

// The seven balls left over, ascending, a byte each; a phantom is 0.
fn balls_left(free: u32, phantoms: u32) -> vec2<u32> {
    var left = vec2<u32>(0u, 0u);
    var symbols = free;
    for (var k = 0u; k < SUFFIX; k++) {
        let ball = (max(firstTrailingBit(symbols) + 1u, phantoms) - phantoms) << (8u * (k & 3u));
        symbols &= symbols - 1u;
        left |= select(vec2<u32>(0u, ball), vec2<u32>(ball, 0u), k < 4u);
    }
    return left;
}

// The numbers of the three balls in a set of the seven.
fn seats_of(trio: u32) -> vec3<u32> {
    let two = trio & (trio - 1u);
    return vec3<u32>(firstTrailingBit(trio), firstTrailingBit(two), firstTrailingBit(two & (two - 1u)));
}

fn three_balls(left: vec2<u32>, seats: vec3<u32>) -> vec3<u32> {
    return vec3<u32>(ball_left(left, seats.x), ball_left(left, seats.y), ball_left(left, seats.z));
}

// The four balls that are not in a set of three of the seven, ascending.
fn four_balls(left: vec2<u32>, trio: u32) -> u32 {
    let four = ~trio & 0x7fu;
    let first = three_balls(left, seats_of(four));
    let last = ball_left(left, firstLeadingBit(four));
    return first.x | (first.y << 8u) | (first.z << 16u) | (last << 24u);
}

// The groups that hold among those that the first three of the last seven places complete.
fn front_groups(start: u32, total: u32, before: u32, front: vec3<u32>) -> u32 {
    return front_group(start, total, before, front.x)
        + front_group(start + 1u, total, front.x, front.y)
        + front_group(start + 2u, total, front.y, front.z);
}

// Walks a part of a run, of any order.
fn walk_part(run: u32, part: vec2<u32>, left: vec2<u32>, total: u32, in_start: u32) -> Count {
    let start = max(total, SUFFIX) - SUFFIX;
    let before = balls[max(start, 1u) - 1u];
    var count = Count(0u, 0u);
    for (var trio = 0x07u; trio <= 0x70u; trio++) {
        if countOneBits(trio) != 3u { continue; }
        var seats = seats_of(trio);
        let back = four_balls(left, trio);
        for (var order = 0u; order < 6u; order++) {
            seats = select(seats.yzx, seats.yxz, order == 3u);
            let front = three_balls(left, seats);
            let outer = in_start + front_groups(start, total, before, front);
            let here = check_slowly(run, part, total, seats, front, back, outer);
            count = Count(count.work + here.work, count.found + here.found);
        }
    }
    return count;
}

// Walks a whole run of orders 4 to 7. Each permutation has its own sum of groups that do not hold, four permutations to a
// word. Returns the groups that hold, and 1 if some permutation has them all.
//
// Nothing rare may stand in these loops: some drivers run every branch, whether it is taken or not.
fn walk_whole(left: vec2<u32>, total: u32, in_start: u32) -> vec2<u32> {
    let start = total - SUFFIX;
    let before = balls[start - 1u];
    let last_groups = select(4u, 3u, ORDER == 4u);
    // What the first three places have to add to make all groups.
    let all_outer = total - ORDER - last_groups - in_start;
    var outers = 0u;
    var fails = 0u;
    var solved = 0u;
    for (var trio = 0x07u; trio <= 0x70u; trio++) {
        // Three of the seven go to the first three places.
        if countOneBits(trio) != 3u { continue; }
        var front = three_balls(left, seats_of(trio));
        let back = four_balls(left, trio);
        let near = differences(back, turn(back, 1u));
        let far = differences(back, turn(back, 2u));
        var sums = 0u;      // a byte takes 6 orders of 6 words of at most 4
        for (var order = 0u; order < 6u; order++) {
            front = select(front.yzx, front.yxz, order == 3u);
            let outer = front_groups(start, total, before, front);
            outers += outer;
            // Byte k tells of the group of ball k with front.z, with its neighbour, with the one after that.
            var first = 0u;
            if ORDER != 4u {
                first = unequal(differences(back, splat(front.z)), splat(lower_ball(4u, total, front)));
            }
            let low2 = splat(lower_ball(3u, total, front));
            let low3 = splat(lower_ball(2u, total, front));
            let low4 = splat(lower_ball(1u, total, front));
            let near2 = unequal(near, low2);
            let near3 = unequal(near, low3);
            let near4 = unequal(near, low4);
            let far3 = unequal(far, low3);
            let far4 = unequal(far, low4);
            // The names tell which balls stand there: those so many further round than ball k.
            let first_1 = first + near2;
            let first_2 = first + unequal(far, low2);
            let first_3 = first + turn(near2, 3u);
            let third_12 = turn(near3, 1u);
            let third_23 = turn(near3, 2u);
            let third_13 = turn(far3, 1u);
            let fourth_12 = turn(near4, 1u);
            let fourth_23 = turn(near4, 2u);
            let fourth_13 = turn(far4, 1u);
            let sum_123 = first_1 + third_12 + fourth_23;
            let sum_132 = first_1 + third_13 + fourth_23;
            let sum_213 = first_2 + third_12 + fourth_13;
            let sum_231 = first_2 + third_23 + fourth_13;
            let sum_312 = first_3 + third_13 + fourth_12;
            let sum_321 = first_3 + third_23 + fourth_12;
            sums += sum_123 + sum_132 + sum_213 + sum_231 + sum_312 + sum_321;
            // The top bit of a byte is missing where the byte is 0.
            let nonzero = (sum_123 + 0x7f7f7f7fu) & (sum_132 + 0x7f7f7f7fu) & (sum_213 + 0x7f7f7f7fu)
                & (sum_231 + 0x7f7f7f7fu) & (sum_312 + 0x7f7f7f7fu) & (sum_321 + 0x7f7f7f7fu);
            solved |= u32((nonzero & 0x80808080u) != 0x80808080u) & u32(outer == all_outer);
        }
        fails += byte_sum(sums);
    }
    return vec2<u32>(RUN * (in_start + last_groups) + 24u * outers - fails, solved);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let run = invocation_number(id, groups);
    if run >= run_count() { return; }
    let total = ORDER * (ORDER + 1u) / 2u;
    let places = max(total, SUFFIX);
    let free = unrank(run, places - SUFFIX, places).x;
    for (var place = 0u; place < places - SUFFIX; place++) {
        balls[place] = entries[place] + 1u;
    }
    let part = clip(run, RUN);
    let left = balls_left(free, places - total);
    let in_start = groups_held(places - SUFFIX);
    var whole = vec2<u32>(0u, 1u);
    if ORDER >= 4u && part.y - part.x == RUN {
        whole = walk_whole(left, total, in_start);
    }
    // A run that holds a solution is walked again to find it: that is rare.
    var count = Count(whole.x, 0u);
    if whole.y != 0u {
        count = walk_part(run, part, left, total, in_start);
    }
    enter_run(run, count.work, count.found);
}
