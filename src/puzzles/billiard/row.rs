//! A top row that grows from the left. Each entry completes one diagonal of the triangle: itself, its difference from the
//! entry before, the difference of that from the one beside it, and so on down; a repeat anywhere kills every row that
//! starts so. Twin: `shaders/billiard/row.wgsl`.

use super::arrangement::{Arrangement, full};

/// Entries that a row may have.
pub const MOST_ENTRIES: usize = 8;
/// The largest value that a row may hold: the sets of values have 64 bits, value `v` at bit `v - 1`.
pub const MOST_VALUES: usize = 64;

/// The start of a top row, with the diagonals that it fixes.
#[derive(Clone, Debug)]
pub struct Row {
    /// All values, as a set.
    values: u64,
    /// The entries themselves: the first values of the diagonals.
    diagonals: [[u8; MOST_ENTRIES]; MOST_ENTRIES],
    /// The values that the triangle under the first `k` entries takes up.
    used: [u64; MOST_ENTRIES + 1],
}

/// The set of one value.
fn bit(value: u8) -> u64 {
    1 << (value - 1)
}

/// The lowest value of a set that is not empty.
#[expect(clippy::cast_possible_truncation, reason = "a bit's number in 64 bits")]
pub fn lowest(set: u64) -> u8 {
    set.trailing_zeros() as u8 + 1
}

/// The values above `value`, as a set.
pub fn above(value: u8) -> u64 {
    !(bit(value) | below(value))
}

/// The values below `value`, as a set.
pub fn below(value: u8) -> u64 {
    bit(value) - 1
}

impl Row {
    /// An empty row of values in `1..=max`.
    pub fn new(max: usize) -> Self {
        Self { values: full(max), diagonals: [[0; MOST_ENTRIES]; MOST_ENTRIES], used: [0; MOST_ENTRIES + 1] }
    }

    /// The entry at a place.
    pub fn entry(&self, place: usize) -> u8 {
        self.diagonals[place][0]
    }

    /// The first `count` entries, as a set.
    pub fn entries(&self, count: usize) -> u64 {
        (0..count).fold(0, |set, place| set | bit(self.entry(place)))
    }

    /// The values that no entry of the triangle under the first `count` entries takes up, as a set.
    pub fn candidates(&self, count: usize) -> u64 {
        self.values & !self.used[count]
    }

    /// Puts a value at a place, after the entries before it; false when its diagonal repeats a value.
    ///
    /// A difference is never 0: it would be that of two equal values, and the second was found repeated before.
    #[inline]
    pub fn place(&mut self, place: usize, value: u8) -> bool {
        let mut used = self.used[place];
        let mut value = value;
        if used & bit(value) != 0 {
            return false;
        }
        used |= bit(value);
        let before = if place == 0 { [0; MOST_ENTRIES] } else { self.diagonals[place - 1] };
        let diagonal = &mut self.diagonals[place];
        diagonal[0] = value;
        for (entry, beside) in diagonal[1..=place].iter_mut().zip(before) {
            value = value.abs_diff(beside);
            if used & bit(value) != 0 {
                return false;
            }
            used |= bit(value);
            *entry = value;
        }
        self.used[place + 1] = used;
        true
    }
}

/// The prefixes of top rows in lexicographic order, each tried entry by entry until a diagonal repeats a value.
#[derive(Clone, Debug)]
pub struct Prefixes {
    /// The prefix as an index has it.
    arrangement: Arrangement,
    /// As much of it as can stand.
    pub row: Row,
    /// How many entries that is.
    standing: usize,
}

impl Prefixes {
    /// Starts at the prefix of `count` entries in `1..=max` with this number.
    pub fn from(rank: u128, count: usize, max: usize) -> Self {
        let mut prefixes = Self { arrangement: Arrangement::unrank(rank, count, max), row: Row::new(max), standing: 0 };
        prefixes.stand();
        prefixes
    }

    /// Whether all of the prefix can stand.
    pub fn stands(&self) -> bool {
        self.standing == self.arrangement.entries().len()
    }

    /// Entries tried: those that stand and the first that does not.
    pub fn tried(&self) -> u64 {
        (self.standing + usize::from(!self.stands())) as u64
    }

    /// Steps to the next prefix; does nothing at the last.
    pub fn step(&mut self) {
        if let Some(changed) = self.arrangement.step()
            && changed <= self.standing
        {
            self.standing = changed;
            self.stand();
        }
    }

    fn stand(&mut self) {
        let entries = self.arrangement.entries();
        while let Some(&symbol) = entries.get(self.standing)
            && self.row.place(self.standing, symbol + 1)
        {
            self.standing += 1;
        }
    }
}
