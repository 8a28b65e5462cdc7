// Keys mixed by a bijection into a bucket and a stored word, and lines of words. Twin: src/puzzles/compact.rs, which says
// how tables are laid out. A key or a mixed key is a pair of words: (low, high), (word, bucket). The puzzle declares
// HIGH_BITS, the bits of a key above the lowest 32.

const LINE: u32 = 16u;
const MAX_PROBES: u32 = 16u;
const TAKEN: u32 = 0x80000000u;
const FIRST: u32 = 0x9e3779b9u;
const SECOND: u32 = 0x7f4a7c15u;

fn mix_key(key: vec2<u32>) -> vec2<u32> {
    let low = scramble(key.x ^ scramble(key.y ^ FIRST));
    let high = key.y ^ (scramble(low ^ SECOND) >> (32u - HIGH_BITS));
    return vec2<u32>(low | TAKEN, (high << 1u) | (low >> 31u));
}

// Undoes `scramble`: the multipliers are the inverses modulo 2^32.
fn unscramble(word: u32) -> u32 {
    var h = word;
    h ^= h >> 16u;
    h *= 0x7ed1b41du;
    h ^= (h >> 13u) ^ (h >> 26u);
    h *= 0xa5cb9243u;
    return h ^ (h >> 16u);
}

fn unmix_key(mixed: vec2<u32>) -> vec2<u32> {
    let low = (mixed.x & 0x7fffffffu) | (mixed.y << 31u);
    let high = (mixed.y >> 1u) ^ (scramble(low ^ SECOND) >> (32u - HIGH_BITS));
    return vec2<u32>(unscramble(low) ^ scramble(high ^ FIRST), high);
}

// The home line of a stored word within a bucket of `lines` lines (below 2^16).
fn home_line(word: u32, lines: u32) -> u32 {
    return (((word & 0x7fffffffu) >> 15u) * lines) >> 16u;
}
