// Sets of squares of boards of up to 32 squares: one word.

alias Squares = u32;

fn squares_of(low: u32, high: u32) -> u32 { return low; }
fn square(place: u32) -> u32 { return 1u << place; }
fn is_empty(those: u32) -> bool { return those == 0u; }
fn size_of(those: u32) -> u32 { return countOneBits(those); }
fn wide(those: u32) -> vec2<u32> { return vec2<u32>(those, 0u); }
// The highest square of a set that has one, and all below it.
fn highest(those: u32) -> u32 { return 1u << firstLeadingBit(those); }
fn below(one: u32) -> u32 { return one - 1u; }
// Shifts by 1 or 2 places, and by a row. On a board of 1 by 32 a row is 31 places: what that leads to is no state.
fn forth(those: u32, places: u32) -> u32 { return those << places; }
fn back(those: u32, places: u32) -> u32 { return those >> places; }
fn row_down(those: u32) -> u32 { return those << min(COLS, 31u); }
fn row_up(those: u32) -> u32 { return those >> min(COLS, 31u); }
