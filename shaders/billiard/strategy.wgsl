// The strategy: top rows by index. An invocation walks the rows that differ in their last two entries only.
// Twin: src/puzzles/billiard/strategy.rs, which says what is counted.

// The first entries of this invocation's rows, as a set.
fn entries_before(count: u32) -> vec2<u32> {
    var those = vec2<u32>(0u, 0u);
    for (var place = 0u; place < count; place++) {
        those |= set_of(entry_at(place) - 1u);
    }
    return those;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let run = invocation_number(id, groups);
    if run >= run_count() { return; }
    let block = MAX - ORDER + 1u;
    let run_length = select(block * (block + 1u), block, ORDER == 1u);
    let part = clip(run, run_length);
    if ORDER == 1u {
        for (var place = part.x; place < part.y; place++) {
            append_hit(run, run_length, place);
        }
        enter_run(run, part.y - part.x, part.y - part.x);
        return;
    }

    let before_two = max(ORDER, 2u) - 2u;
    unrank(run, before_two, MAX);
    let standing = place_prefix(before_two);
    var work = select(0u, min(standing + 1u, before_two), part.x == 0u);
    var found = 0u;
    if standing == before_two {
        let before = entries_before(before_two);
        var seconds = candidates(before_two);
        while !is_empty(seconds) {
            let second = lowest(seconds);
            seconds = without_lowest(seconds);
            let start = size_of(set_below(second) & ~before) * block;
            if start + block <= part.x || start >= part.y { continue; }
            work += u32(start >= part.x);
            if !place_entry(before_two, second + 1u) { continue; }
            let before_last = before | set_of(second);
            // Of two mirror images, the one that ends higher than it starts.
            var lasts = candidates(before_two + 1u) & ~set_below(entry_at(0u));
            while !is_empty(lasts) {
                let last = lowest(lasts);
                lasts = without_lowest(lasts);
                let place = start + size_of(set_below(last) & ~before_last);
                if place < part.x || place >= part.y { continue; }
                work++;
                if place_entry(before_two + 1u, last + 1u) {
                    found++;
                    append_hit(run, run_length, place);
                }
            }
        }
    }
    enter_run(run, work, found);
}
