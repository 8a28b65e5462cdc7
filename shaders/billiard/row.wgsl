// A top row that grows from the left, each entry completing one diagonal. Values are told from 1, sets hold value - 1.
// Twin: src/puzzles/billiard/row.rs.

override ORDER: u32;
override MAX: u32;

// The values of the diagonals, and the values that the triangle under the first entries takes up.
var<private> diagonals: array<array<u32, 8>, 8>;
var<private> used: array<vec2<u32>, 9>;

fn candidates(count: u32) -> vec2<u32> { return set_below(MAX) & ~used[count]; }

// Puts a value at a place, after the entries before it; false when its diagonal repeats a value.
fn place_entry(place: u32, entry: u32) -> bool {
    var taken = used[place];
    var value = entry;
    var bit = set_of(value - 1u);
    if !is_empty(taken & bit) { return false; }
    taken |= bit;
    diagonals[place][0] = value;
    for (var step = 1u; step <= place; step++) {
        let beside = diagonals[place - 1u][step - 1u];
        value = max(value, beside) - min(value, beside);
        bit = set_of(value - 1u);
        if !is_empty(taken & bit) { return false; }
        taken |= bit;
        diagonals[place][step] = value;
    }
    used[place + 1u] = taken;
    return true;
}

// Places the entries of the arrangement until one can't stand; returns how many stand.
fn place_prefix(count: u32) -> u32 {
    var standing = 0u;
    while standing < count && place_entry(standing, entries[standing] + 1u) {
        standing++;
    }
    return standing;
}
