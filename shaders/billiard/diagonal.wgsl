// The diagonals: an invocation searches all top rows that begin with the entries its index gives.
// Twin: src/puzzles/billiard/diagonal.rs, which says what is counted.

// Entries that an index fixes.
override FIXED: u32;

// What is left to try at each place.
var<private> open: array<vec2<u32>, 9>;

// Opens a place: everything that stands nowhere yet; at the last place, of two mirror images the one that ends higher
// than it starts.
fn open_place(place: u32) -> u32 {
    open[place] = candidates(place);
    if place + 1u == ORDER {
        open[place] &= ~set_below(entry_at(0u));
    }
    return size_of(open[place]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let run = invocation_number(id, groups);
    if run >= run_count() { return; }
    let count = FIXED;
    unrank(run, count, MAX);
    let standing = place_prefix(count);
    var work = min(standing + 1u, count);
    var found = 0u;
    if standing == count {
        if count == ORDER {
            found = 1u;
        } else {
            // Depth first, one entry tried a turn whatever its depth, so that neighbours stay in step.
            var place = count;
            work += open_place(place);
            loop {
                let left = open[place];
                if is_empty(left) {
                    if place == count { break; }
                    place--;
                    continue;
                }
                open[place] = without_lowest(left);
                if !place_entry(place, lowest(left) + 1u) { continue; }
                if place + 1u == ORDER {
                    found++;
                } else {
                    place++;
                    work += open_place(place);
                }
            }
        }
    }
    enter_run(run, work, found);
    if found != 0u { append_hit(run, 1u, 0u); }
}
