// Mixing of two words into 64 bits (low, high), and adding 64 bits to two words of the kernel's `tally`. Twin: `mix` in
// src/puzzles/index_space.rs.

fn scramble(word: u32) -> u32 {
    var h = word;
    h ^= h >> 16u;
    h *= 0x85ebca6bu;
    h ^= h >> 13u;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

fn mix_words(a: u32, b: u32) -> vec2<u32> {
    let low = scramble(a ^ scramble(b + 0x9e3779b9u));
    let rotated = (low << 13u) | (low >> 19u);
    let high = scramble(b ^ scramble(a + 0x85ebca77u) ^ rotated);
    return vec2<u32>(low, high);
}

fn add_wide(at: u32, low: u32, high: u32) {
    let old = atomicAdd(&tally[at], low);
    let carry = select(0u, 1u, old + low < old);
    if high + carry != 0u {
        atomicAdd(&tally[at + 1u], high + carry);
    }
}
