// Positions of 13 tiles and the keys of their classes. Twin: src/puzzles/brainball/packed.rs, which says what the words
// mean. A row of 13 nibbles is a pair of words, (nibbles 0..8, nibbles 8..13). RING is 1 under the goal `ring`, else 0.

override RING: u32;

const HIGH_BITS: u32 = 13u;
const EVEN: u32 = 0x0f0f0f0fu;
const ONES: u32 = 0x01010101u;
const IOTA: vec2<u32> = vec2<u32>(0x76543210u, 0xcba98u);
// -2p at the places p that a turn about index 0 moves, modulo 13.
const DRIFT: vec2<u32> = vec2<u32>(0xc13000b0u, 0x2000au);
// The places that a turn about index 0 flips.
const FLIPS: u32 = 0x11e3u;
const ALL_COLOURS: u32 = 0x1fffu;

struct Ball {
    labels: vec2<u32>,
    colours: u32,
}

// Bytes below 26, modulo 13.
fn reduce(bytes: vec2<u32>) -> vec2<u32> {
    let over = ((bytes + vec2<u32>(ONES * 115u)) >> vec2<u32>(7u)) & vec2<u32>(ONES);
    return bytes - over * 13u;
}

fn trim(row: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(row.x, row.y & 0xfffffu);
}

// x - y modulo 13, nibble by nibble.
fn subtract(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let mask = vec2<u32>(EVEN);
    let four = vec2<u32>(4u);
    let even = reduce((x & mask) + vec2<u32>(ONES * 13u) - (y & mask));
    let odd = reduce(((x >> four) & mask) + vec2<u32>(ONES * 13u) - ((y >> four) & mask));
    return trim(even | (odd << four));
}

// x + y modulo 13, nibble by nibble.
fn add(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let mask = vec2<u32>(EVEN);
    let four = vec2<u32>(4u);
    let even = reduce((x & mask) + (y & mask));
    let odd = reduce(((x >> four) & mask) + ((y >> four) & mask));
    return trim(even | (odd << four));
}

// Index 1 becomes index 0.
fn row_on(row: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((row.x >> 4u) | (row.y << 28u), (row.y >> 4u) | ((row.x & 15u) << 16u));
}

fn colours_on(colours: u32) -> u32 {
    return (colours >> 1u) | ((colours & 1u) << 12u);
}

// The turn about index 0: exchanges 1 and 12, 5 and 8, 6 and 7, and flips its seven tiles.
fn turn_at_0(ball: Ball) -> Ball {
    var labels = ball.labels;
    var differ = ((labels.x >> 4u) ^ (labels.y >> 16u)) & 15u;
    labels ^= vec2<u32>(differ << 4u, differ << 16u);
    differ = ((labels.x >> 20u) ^ labels.y) & 15u;
    labels ^= vec2<u32>(differ << 20u, differ);
    differ = ((labels.x >> 24u) ^ (labels.x >> 28u)) & 15u;
    labels.x ^= (differ << 24u) | (differ << 28u);
    var colours = ball.colours;
    var bits = ((colours >> 11u) ^ colours) & 2u;
    colours ^= bits | (bits << 11u);
    bits = ((colours >> 3u) ^ colours) & 32u;
    colours ^= bits | (bits << 3u);
    bits = ((colours >> 1u) ^ colours) & 64u;
    colours ^= bits | (bits << 1u);
    return Ball(labels, colours ^ FLIPS);
}

// What is rotated and turned: labels under `ring`, s(p) - p under `fixed`.
fn base_of(ball: Ball) -> Ball {
    if RING == 1u { return ball; }
    return Ball(subtract(ball.labels, IOTA), ball.colours);
}

// The cyclic sequence after the turn about index 0 of a base.
fn turned_reading(base: Ball) -> Ball {
    let turned = turn_at_0(base);
    if RING == 1u {
        return Ball(subtract(row_on(turned.labels), turned.labels), turned.colours);
    }
    return Ball(add(turned.labels, DRIFT), turned.colours);
}

fn nibbles_reversed(word: u32) -> u32 {
    let r = reverseBits(word);
    return ((r & 0x88888888u) >> 3u) | ((r & 0x44444444u) >> 1u) | ((r & 0x22222222u) << 1u) | ((r & 0x11111111u) << 3u);
}

// The sequence read backwards: that of the mirrored position.
fn mirrored(reading: Ball) -> Ball {
    let low = nibbles_reversed(reading.labels.y);
    let high = nibbles_reversed(reading.labels.x);
    let row = vec2<u32>((low >> 12u) | (high << 20u), high >> 12u);
    let colours = reverseBits(reading.colours) >> 19u;
    if RING == 1u {
        return Ball(row, ((colours << 1u) | (colours >> 12u)) & ALL_COLOURS);
    }
    return Ball(subtract(vec2<u32>(0u), row), colours);
}

// A reading: the row above 12 colours, as (low, high) words.
fn window(reading: Ball) -> vec2<u32> {
    let row = reading.labels;
    return vec2<u32>((row.x << 12u) | (reading.colours & 0xfffu), (row.y << 12u) | (row.x >> 20u));
}

fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn least_rotation(start: Ball) -> vec2<u32> {
    var reading = start;
    var least = window(reading);
    for (var k = 1u; k < 13u; k++) {
        reading = Ball(row_on(reading.labels), colours_on(reading.colours));
        let here = window(reading);
        least = select(least, here, less(here, least));
    }
    return least;
}

// The least of the 26 readings (x, y), and the states in the class (z).
fn least_reading(reading: Ball) -> vec3<u32> {
    let ahead = least_rotation(reading);
    let behind = least_rotation(mirrored(reading));
    let on = window(Ball(row_on(reading.labels), colours_on(reading.colours)));
    var orbit = select(26u, 13u, all(ahead == behind));
    // 13 is prime: a sequence that repeats is constant.
    if all(on == window(reading)) { orbit /= 13u; }
    return vec3<u32>(select(ahead, behind, less(behind, ahead)), orbit);
}

// The key (low, high) of a least reading; `odd` is the parity of its yellow tiles.
fn key_of(reading: vec2<u32>, odd: u32) -> vec2<u32> {
    let low = reading.x & 0xfffu;
    let colours = low | (((countOneBits(low) & 1u) ^ odd) << 12u);
    var row = vec2<u32>((reading.x >> 12u) | (reading.y << 20u), reading.y >> 12u);
    if RING == 0u { row = add(row, IOTA); }
    var used = 0u;
    var rank = 0u;
    var label = 0u;
    for (var k = 0u; k < 11u; k++) {
        if RING == 0u { label = row.x & 15u; }
        rank = rank * (13u - k) + label - countOneBits(used & ((1u << label) - 1u));
        used |= 1u << label;
        if RING == 1u {
            label += row.x & 15u;
            label -= select(0u, 13u, label >= 13u);
        }
        row = vec2<u32>((row.x >> 4u) | (row.y << 28u), row.y >> 4u);
    }
    return vec2<u32>(rank, colours);
}

// The position that a key stands for.
fn unkey(key: vec2<u32>) -> Ball {
    var rank = key.x;
    var digits = vec2<u32>(0u);
    var parity = countOneBits(key.y);
    for (var radix = 3u; radix <= 13u; radix++) {
        let digit = rank % radix;
        rank /= radix;
        parity ^= digit;
        digits = vec2<u32>((digits.x << 4u) | digit, (digits.y << 4u) | (digits.x >> 28u));
    }
    // The last choice, of two, gives the permutation the colours' parity.
    digits.y |= (parity & 1u) << 12u;
    var free = IOTA;
    var labels = vec2<u32>(0u);
    for (var k = 0u; k < 13u; k++) {
        let at = 4u * (digits.x & 15u);
        digits = vec2<u32>((digits.x >> 4u) | (digits.y << 28u), digits.y >> 4u);
        let gone = vec2<u32>((free.x >> 4u) | (free.y << 28u), free.y >> 4u);
        var label: u32;
        if at < 32u {
            label = (free.x >> at) & 15u;
            let below = (1u << at) - 1u;
            free = vec2<u32>((free.x & below) | (gone.x & ~below), gone.y);
        } else {
            label = (free.y >> (at - 32u)) & 15u;
            let below = (1u << (at - 32u)) - 1u;
            free.y = (free.y & below) | (gone.y & ~below);
        }
        labels = vec2<u32>((labels.x >> 4u) | (labels.y << 28u), (labels.y >> 4u) | (label << 16u));
    }
    return Ball(labels, key.y);
}
