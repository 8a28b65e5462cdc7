// A top row that grows from the left, each entry completing one diagonal. Values are told from 1, sets hold value - 1.
// Twin: src/puzzles/billiard/row.rs.

override ORDER: u32;
override MAX: u32;

// The values of the diagonal of each place, a byte each, and the values that the triangle under the first entries takes up.
var<private> diagonals: array<vec2<u32>, 8>;
var<private> used: array<vec2<u32>, 9>;

fn entry_at(place: u32) -> u32 { return diagonals[place].x & 0xffu; }

fn candidates(count: u32) -> vec2<u32> { return set_below(MAX) & ~used[count]; }

// A diagonal that grows downwards.
struct Chain {
    value: u32,
    clash: vec2<u32>,
    taken: vec2<u32>,
}

fn value_set(value: u32) -> vec2<u32> {
    let bit = 1u << ((value - 1u) & 31u);
    if MAX <= 32u { return vec2<u32>(bit, 0u); }
    return select(vec2<u32>(0u, bit), vec2<u32>(bit, 0u), value <= 32u);
}

fn take(chain: Chain, value: u32) -> Chain {
    let those = value_set(value);
    return Chain(value, chain.clash | (chain.taken & those), chain.taken | those);
}

// Takes the difference of the chain's end and the value beside it. After a clash it may be 0, which does no harm.
fn extend(chain: Chain, beside: u32) -> Chain {
    let value = chain.value;
    return take(chain, max(value, beside) - min(value, beside));
}

// Puts a value at a place, after the entries before it; false when its diagonal repeats a value.
fn place_entry(place: u32, entry: u32) -> bool {
    var chain = take(Chain(0u, vec2<u32>(0u, 0u), used[place]), entry);
    let beside = diagonals[max(place, 1u) - 1u];
    var diagonal = vec2<u32>(entry, 0u);
    if ORDER > 1u && place > 0u {
        chain = extend(chain, beside.x & 0xffu);
        diagonal.x |= chain.value << 8u;
    }
    if ORDER > 2u && place > 1u {
        chain = extend(chain, (beside.x >> 8u) & 0xffu);
        diagonal.x |= chain.value << 16u;
    }
    if ORDER > 3u && place > 2u {
        chain = extend(chain, (beside.x >> 16u) & 0xffu);
        diagonal.x |= chain.value << 24u;
    }
    if ORDER > 4u && place > 3u {
        chain = extend(chain, beside.x >> 24u);
        diagonal.y |= chain.value;
    }
    if ORDER > 5u && place > 4u {
        chain = extend(chain, beside.y & 0xffu);
        diagonal.y |= chain.value << 8u;
    }
    if ORDER > 6u && place > 5u {
        chain = extend(chain, (beside.y >> 8u) & 0xffu);
        diagonal.y |= chain.value << 16u;
    }
    if ORDER > 7u && place > 6u {
        chain = extend(chain, (beside.y >> 16u) & 0xffu);
        diagonal.y |= chain.value << 24u;
    }
    if !is_empty(chain.clash) { return false; }
    diagonals[place] = diagonal;
    used[place + 1u] = chain.taken;
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
