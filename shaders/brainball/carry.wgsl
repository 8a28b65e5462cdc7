// Carries marked columns from one row of the ring's index into another. Twin: src/puzzles/brainball/ring/carry.rs, which
// says what the words mean. An invocation takes one word of the home row: 60 columns that share all names but five.

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> turn: array<u32>;
@group(0) @binding(2) var<storage, read> marked: array<u32>;
@group(0) @binding(3) var<storage, read_write> into: array<atomic<u32>>;

// Tiles of the ring: 7, 9, 11 or 13.
override TILES: u32;

// Where `turn` has its parts.
const PAIRS: u32 = 1u;
const PATTERNS: u32 = 170u;
const SUMS: u32 = 290u;
const STRIDE: u32 = 13u;
const COLUMNS: u32 = 60u;
// The upper half of a word with all its columns.
const HIGH_COLUMNS: u32 = 0x0fffffffu;

var<private> names: array<u32, 13>;
// By varying place and by which of the five names it gets: what that adds to the image's address.
var<private> tables: array<u32, 25>;

fn image_of(bit: u32, base: u32, of_parity: u32) -> u32 {
    let pattern = turn[PATTERNS + of_parity + bit];
    var address = base + turn[SUMS + of_parity + bit];
    for (var v = 0u; v < 5u; v++) {
        address += tables[5u * v + ((pattern >> (4u * v)) & 15u)];
    }
    return address;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let invocation = id.y * groups.x * 64u + id.x;
    if (invocation >= params[0]) {
        return;
    }
    let word = params[1] + invocation;
    let pull = params[3] == 1u;
    var columns: vec2<u32>;
    if (pull) {
        columns = ~vec2<u32>(atomicLoad(&into[2u * word]), atomicLoad(&into[2u * word + 1u]));
        columns.y &= HIGH_COLUMNS;
    } else {
        columns = vec2<u32>(marked[2u * word], marked[2u * word + 1u]);
    }
    if (all(columns == vec2<u32>(0u))) {
        return;
    }

    // The word's number is the Lehmer digits of the fixed places 1..=TILES - 6.
    let fixed = TILES - 6u;
    var rest = word;
    var parity = params[2];
    for (var place = fixed; place > 0u; place--) {
        let radix = TILES - place;
        names[place] = rest % radix;
        parity += rest % radix;
        rest /= radix;
    }
    var free = (1u << TILES) - 2u;
    for (var place = 1u; place <= fixed; place++) {
        var left = free;
        for (var skip = names[place]; skip > 0u; skip--) {
            left &= left - 1u;
        }
        names[place] = firstTrailingBit(left);
        free ^= left & (~left + 1u);
    }

    // The name that is wanted at a place: there the word has it, or some of its columns have the `pinned`-th of the five.
    var pinned = 5u;
    var pin_shift = 0u;
    if (params[4] > fixed) {
        let lesser = (1u << params[5]) - 1u;
        if (((free >> params[5]) & 1u) == 0u) {
            return;
        }
        pinned = countOneBits(free & lesser);
        pin_shift = 4u * (params[4] - fixed - 1u);
    } else if (params[4] != 0u && names[params[4]] != params[5]) {
        return;
    }

    var base = turn[0];
    for (var a = 1u; a < fixed; a++) {
        for (var b = a + 1u; b <= fixed; b++) {
            if (names[a] < names[b]) {
                base += turn[PAIRS + STRIDE * a + b];
            }
        }
    }
    for (var v = 0u; v < 5u; v++) {
        var left = free;
        for (var k = 0u; k < 5u; k++) {
            let name = firstTrailingBit(left);
            left &= left - 1u;
            var sum = 0u;
            for (var a = 1u; a <= fixed; a++) {
                if (names[a] < name) {
                    sum += turn[PAIRS + STRIDE * a + fixed + 1u + v];
                }
            }
            tables[5u * v + k] = sum;
        }
    }

    let of_parity = COLUMNS * (parity & 1u);
    var found = vec2<u32>(0u);
    for (var half = 0u; half < 2u; half++) {
        var left = columns[half];
        while (left != 0u) {
            let bit = firstTrailingBit(left);
            left &= left - 1u;
            let column = 32u * half + bit;
            if (pinned < 5u && ((turn[PATTERNS + of_parity + column] >> pin_shift) & 15u) != pinned) {
                continue;
            }
            let address = image_of(column, base, of_parity);
            if (pull) {
                found[half] |= ((marked[address / 32u] >> (address % 32u)) & 1u) << bit;
            } else {
                atomicOr(&into[address / 32u], 1u << (address % 32u));
            }
        }
    }
    if (pull) {
        if (found.x != 0u) {
            atomicOr(&into[2u * word], found.x);
        }
        if (found.y != 0u) {
            atomicOr(&into[2u * word + 1u], found.y);
        }
    }
}
