// Brute force: an invocation checks the 5040 permutations that differ in their last seven places only.
// Twin: src/puzzles/billiard/brute_force.rs, which says what is counted, and what the phantom balls are.

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

// Walks the places of a clip one by one, as the rule trio reads; `free` has the symbols of the last seven places. Returns
// the groups that hold and the solutions found.
fn walk_singly(run: u32, part: vec2<u32>, free: u32, total: u32) -> vec2<u32> {
    let phantoms = max(total, SUFFIX) - total;
    let groups = total - ORDER;
    var work = 0u;
    var found = 0u;
    for (var place = part.x; place < part.y; place++) {
        var rest = place;
        var left = free;
        var weight = RUN;
        for (var k = 0u; k < SUFFIX; k++) {
            weight /= SUFFIX - k;
            let symbol = select_symbol(vec2<u32>(left, 0u), rest / weight);
            rest %= weight;
            left &= ~(1u << symbol);
            if k >= phantoms {
                balls[max(total, SUFFIX) - SUFFIX + k - phantoms] = symbol + 1u - phantoms;
            }
        }
        let held = groups_held(total);
        work += held;
        if held == groups {
            found++;
            append_hit(run, RUN, place);
        }
    }
    return vec2<u32>(work, found);
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

// Whether a place in the last seven completes a group that holds, of orders 4 to 7, where its lower ball is among those
// that the run shares.
fn front_group(place: u32, total: u32, left: u32, right: u32) -> u32 {
    let top = total - ORDER;
    if place == top || place + ORDER == top + 1u { return 0u; }     // first of its row
    return differ_by(left, right, balls[place - ORDER + u32(place < top)]);
}

// The lower ball of the group that place total - back completes, back in 1..=4.
fn lower_ball(back: u32, total: u32, front: vec3<u32>) -> u32 {
    let beyond = 7u - min(back + ORDER, 7u);
    if back + ORDER > 7u { return balls[total - back - ORDER]; }
    return front[min(beyond, 2u)];
}

// Walks a whole run of orders 4 to 7. Each permutation has its own sum of groups that do not hold: four permutations to
// a word, those that turn the last four balls round. Returns the groups that hold, and 1 if all do in one permutation.
fn walk_whole(free: u32, total: u32) -> vec2<u32> {
    let common = total - SUFFIX;
    let in_common = groups_held(common);
    let last_groups = select(4u, 3u, ORDER == 4u);
    // What the first three places add when all of their groups hold.
    let all_outer = total - ORDER - last_groups - in_common;

    var left = vec2<u32>(0u, 0u);
    var symbols = free;
    for (var k = 0u; k < SUFFIX; k++) {
        let ball = (firstTrailingBit(symbols) + 1u) << (8u * (k & 3u));
        symbols &= symbols - 1u;
        left |= select(vec2<u32>(0u, ball), vec2<u32>(ball, 0u), k < 4u);
    }
    let before = balls[common - 1u];

    var outers = 0u;
    var fails = 0u;
    var solved = 0u;
    for (var trio = 7u; trio < 0x71u; trio++) {
        // Three of the seven go to the first three places.
        if countOneBits(trio) != 3u { continue; }
        let trio2 = trio & (trio - 1u);
        var front = vec3<u32>(
            ball_left(left, firstTrailingBit(trio)),
            ball_left(left, firstTrailingBit(trio2)),
            ball_left(left, firstTrailingBit(trio2 & (trio2 - 1u))),
        );
        let back1 = ~trio & 0x7fu;
        let back2 = back1 & (back1 - 1u);
        let back3 = back2 & (back2 - 1u);
        let back = ball_left(left, firstTrailingBit(back1))
            | (ball_left(left, firstTrailingBit(back2)) << 8u)
            | (ball_left(left, firstTrailingBit(back3)) << 16u)
            | (ball_left(left, firstTrailingBit(back3 & (back3 - 1u))) << 24u);
        let near = differences(back, turn(back, 1u));
        let far = differences(back, turn(back, 2u));
        var sums = 0u;      // a byte takes 6 orders of 6 words of at most 4
        for (var order = 0u; order < 6u; order++) {
            front = select(front.yzx, front.yxz, order == 3u);
            let outer = front_group(common, total, before, front.x)
                + front_group(common + 1u, total, front.x, front.y)
                + front_group(common + 2u, total, front.y, front.z);
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
            // The balls of the last four places in byte k are k, then k + those of the name.
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
            // The top bit of a byte is gone where the byte is 0.
            let nonzero = (sum_123 + 0x7f7f7f7fu) & (sum_132 + 0x7f7f7f7fu) & (sum_213 + 0x7f7f7f7fu)
                & (sum_231 + 0x7f7f7f7fu) & (sum_312 + 0x7f7f7f7fu) & (sum_321 + 0x7f7f7f7fu);
            solved |= u32((nonzero & 0x80808080u) != 0x80808080u) & u32(outer == all_outer);
        }
        fails += byte_sum(sums);
    }
    return vec2<u32>(RUN * (in_common + last_groups) - fails + 24u * outers, solved);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let run = invocation_number(id, groups);
    if run >= run_count() { return; }
    let part = clip(run, RUN);
    let total = ORDER * (ORDER + 1u) / 2u;
    let places = max(total, SUFFIX);
    let free = unrank(run, places - SUFFIX, places).x;
    for (var place = 0u; place < places - SUFFIX; place++) {
        balls[place] = entries[place] + 1u;
    }
    if part.y - part.x == RUN {
        let whole = walk_whole(free, total);
        if whole.y == 0u {
            enter_run(run, whole.x, 0u);
            return;
        }
    }
    let single = walk_singly(run, part, free, total);
    enter_run(run, single.x, single.y);
}
