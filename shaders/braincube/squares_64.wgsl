// Sets of squares of boards of up to 64 squares: two words, the low one first.

alias Squares = vec2<u32>;

fn squares_of(low: u32, high: u32) -> vec2<u32> { return vec2<u32>(low, high); }
fn square(place: u32) -> vec2<u32> {
    let one = 1u << (place & 31u);
    return select(vec2<u32>(0u, one), vec2<u32>(one, 0u), place < 32u);
}
fn is_empty(those: vec2<u32>) -> bool { return (those.x | those.y) == 0u; }
fn size_of(those: vec2<u32>) -> u32 { return countOneBits(those.x) + countOneBits(those.y); }
fn wide(those: vec2<u32>) -> vec2<u32> { return those; }
// The highest square of a set that has one, and all below it.
fn highest(those: vec2<u32>) -> vec2<u32> {
    let low = 1u << (firstLeadingBit(those.x) & 31u);
    let high = 1u << (firstLeadingBit(those.y) & 31u);
    return select(vec2<u32>(low, 0u), vec2<u32>(0u, high), those.y != 0u);
}
fn below(one: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(one.x - 1u, select(one.y - 1u, 0u, one.y == 0u));
}
fn forth(those: vec2<u32>, places: u32) -> vec2<u32> {
    return vec2<u32>(those.x << places, (those.y << places) | (those.x >> (32u - places)));
}
fn back(those: vec2<u32>, places: u32) -> vec2<u32> {
    return vec2<u32>((those.x >> places) | (those.y << (32u - places)), those.y >> places);
}
// Shifts by a row. On a board of 1 by 64 a row is 63 places: what that leads to is no state.
fn row_down(those: vec2<u32>) -> vec2<u32> {
    if COLS >= 32u { return vec2<u32>(0u, those.x << (clamp(COLS, 32u, 63u) - 32u)); }
    return forth(those, COLS);
}
fn row_up(those: vec2<u32>) -> vec2<u32> {
    if COLS >= 32u { return vec2<u32>(those.y >> (clamp(COLS, 32u, 63u) - 32u), 0u); }
    return back(those, COLS);
}
