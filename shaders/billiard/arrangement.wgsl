// Arrangements: some of a number of symbols in order, numbered lexicographically, and sets of at most 64 symbols (from 0)
// in two words. Twin: src/puzzles/billiard/arrangement.rs.

// The arrangement of this invocation.
var<private> entries: array<u32, 28>;

fn set_of(symbol: u32) -> vec2<u32> {
    let bit = 1u << (symbol & 31u);
    return select(vec2<u32>(0u, bit), vec2<u32>(bit, 0u), symbol < 32u);
}

// The symbols below `symbol`, which is at most 64.
fn set_below(symbol: u32) -> vec2<u32> {
    let bits = (1u << (symbol & 31u)) - 1u;
    if symbol < 32u { return vec2<u32>(bits, 0u); }
    return vec2<u32>(0xffffffffu, select(bits, 0xffffffffu, symbol == 64u));
}

fn is_empty(those: vec2<u32>) -> bool { return (those.x | those.y) == 0u; }

fn size_of(those: vec2<u32>) -> u32 { return countOneBits(those.x) + countOneBits(those.y); }

// The lowest symbol of a set that is not empty.
fn lowest(those: vec2<u32>) -> u32 {
    if those.x != 0u { return firstTrailingBit(those.x); }
    return 32u + firstTrailingBit(those.y);
}

fn without_lowest(those: vec2<u32>) -> vec2<u32> {
    if those.x != 0u { return vec2<u32>(those.x & (those.x - 1u), those.y); }
    return vec2<u32>(0u, those.y & (those.y - 1u));
}

// The symbol of a set that has `rank` others below it.
fn select_symbol(those: vec2<u32>, rank: u32) -> u32 {
    var word = those.x;
    var symbol = 0u;
    var left = rank;
    let low = countOneBits(word);
    if left >= low {
        left -= low;
        word = those.y;
        symbol = 32u;
    }
    for (var width = 16u; width != 0u; width >>= 1u) {
        let count = countOneBits(word & ((1u << width) - 1u));
        if left >= count {
            left -= count;
            word >>= width;
            symbol += width;
        }
    }
    return symbol;
}

// Fills `entries` with the arrangement of `count` of `symbols` symbols that stands `run` after the one whose mixed-radix
// digits are in `params`, and returns the symbols left over.
fn unrank(run: u32, count: u32, symbols: u32) -> vec2<u32> {
    var carry = run;
    for (var place = count; place > 0u; place--) {
        let radix = symbols - place + 1u;
        let sum = params[HEADER + place - 1u] + carry;
        carry = sum / radix;
        entries[place - 1u] = sum - carry * radix;
    }
    var free = set_below(symbols);
    for (var place = 0u; place < count; place++) {
        let symbol = select_symbol(free, entries[place]);
        entries[place] = symbol;
        free &= ~set_of(symbol);
    }
    return free;
}
