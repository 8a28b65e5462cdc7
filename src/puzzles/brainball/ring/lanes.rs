//! What the walk over a row computes with: vectors of eight and sixteen lanes, their constants, and table look-ups in
//! registers.

#![expect(
    clippy::inline_always,
    reason = "vector instructions are chosen by the one function that all this is inlined into"
)]

use super::columns::{VARYING, WORD_COLUMNS};

/// Names, padded to whole vectors.
pub const NAMES: usize = 16;
/// By name.
pub type Lanes = [u32; NAMES];
/// Half of the names.
pub type Half = [u32; 8];

/// All ones at the names above `y`.
pub const ABOVE: [Lanes; NAMES] = {
    let mut masks = [[0; NAMES]; NAMES];
    let mut y = 0;
    while y < NAMES {
        let mut x = y + 1;
        while x < NAMES {
            masks[y][x] = u32::MAX;
            x += 1;
        }
        y += 1;
    }
    masks
};
/// All ones from `m` on.
pub const FROM: [Half; 6] = {
    let mut masks = [[0; 8]; 6];
    let mut m = 0;
    while m < 6 {
        let mut x = m;
        while x < 8 {
            masks[m][x] = u32::MAX;
            x += 1;
        }
        m += 1;
    }
    masks
};
/// 0, 1, 2, … without `m`.
#[expect(clippy::cast_possible_truncation, reason = "below 8")]
pub const WITHOUT: [Half; 6] = {
    let mut rows = [[0; 8]; 6];
    let mut m = 0;
    while m < 6 {
        let mut x = 0;
        while x < 8 {
            let value = if x < m { x } else { x + 1 };
            rows[m][x] = if value < 8 { value as u32 } else { 7 };
            x += 1;
        }
        m += 1;
    }
    rows
};

/// By the parity of the five, by varying place, by column: which of the five names, in ascending order, lies there.
pub const PATTERNS: [[[u32; 64]; VARYING]; 2] = {
    let mut patterns = [[[0; 64]; VARYING]; 2];
    let mut parity = 0;
    while parity < 2 {
        let mut bit = 0;
        while bit < WORD_COLUMNS as usize {
            let mut digits = [bit / 12, bit / 3 % 4, bit % 3, 0, 0];
            digits[3] = (digits[0] + digits[1] + digits[2] + parity) % 2;
            let mut free = 31u32;
            let mut place = 0;
            while place < VARYING {
                let mut left = free;
                let mut k = 0;
                while k < digits[place] {
                    left &= left - 1;
                    k += 1;
                }
                patterns[parity][place][bit] = left.trailing_zeros();
                free ^= 1 << left.trailing_zeros();
                place += 1;
            }
            bit += 1;
        }
        parity += 1;
    }
    patterns
};

/// Table look-ups in registers, where the processor has them.
pub trait Shuffle: Copy {
    /// `table[index % 8]`, lane by lane.
    fn pick(self, table: Half, index: Half) -> Half;
}

/// Without vector instructions of the processor's own.
#[derive(Clone, Copy)]
pub struct Plain;

impl Shuffle for Plain {
    #[inline(always)]
    fn pick(self, table: Half, index: Half) -> Half {
        let mut picked = [0; 8];
        for lane in 0..8 {
            picked[lane] = table[index[lane] as usize % 8];
        }
        picked
    }
}

#[cfg(target_arch = "x86_64")]
impl Shuffle for pulp::x86::V3 {
    #[inline(always)]
    fn pick(self, table: Half, index: Half) -> Half {
        pulp::cast(self.avx2._mm256_permutevar8x32_epi32(pulp::cast(table), pulp::cast(index)))
    }
}

/// By the parity of the five, by varying place, by which of the five names: the columns that have it there.
pub const HOLDING: [[[u64; VARYING]; VARYING]; 2] = {
    let mut holding = [[[0; VARYING]; VARYING]; 2];
    let mut parity = 0;
    while parity < 2 {
        let mut place = 0;
        while place < VARYING {
            let mut bit = 0;
            while bit < WORD_COLUMNS as usize {
                holding[parity][place][PATTERNS[parity][place][bit] as usize] |= 1 << bit;
                bit += 1;
            }
            place += 1;
        }
        parity += 1;
    }
    holding
};
