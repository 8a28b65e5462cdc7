//! Arrangements: `count` of `symbols` symbols in order (k-permutations), numbered lexicographically.
//!
//! The number is written in the falling mixed radix `symbols, symbols - 1, …` whose digit `i` is the rank of entry `i`
//! among the symbols that the entries before it left over. Twin: `shaders/billiard/arrangement.wgsl`.

/// Entries that an arrangement may have.
pub const MOST_ENTRIES: usize = 28;

/// One arrangement, which steps through its successors in lexicographic order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    entries: [u8; MOST_ENTRIES],
    count: usize,
    free: u64,
}

/// The number of arrangements of `count` of `symbols` symbols.
#[must_use]
pub fn number(count: usize, symbols: usize) -> u128 {
    (0..count).map(|taken| symbols as u128 - taken as u128).product()
}

/// The mixed-radix digits of a number, most significant first; a number past the last arrangement wraps.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a digit is below its radix, which is at most 64")]
pub fn digits(mut rank: u128, count: usize, symbols: usize) -> Vec<u32> {
    let mut digits = vec![0; count];
    for (taken, digit) in digits.iter_mut().enumerate().rev() {
        let radix = (symbols - taken) as u128;
        *digit = (rank % radix) as u32;
        rank /= radix;
    }
    digits
}

/// The set of the symbols `0..symbols`, at most 64 of them.
#[must_use]
pub fn full(symbols: usize) -> u64 {
    u64::MAX >> (64 - symbols)
}

impl Arrangement {
    /// The arrangement with this number.
    #[must_use]
    pub fn unrank(rank: u128, count: usize, symbols: usize) -> Self {
        let mut arrangement = Self { entries: [0; MOST_ENTRIES], count, free: full(symbols) };
        for (place, digit) in digits(rank, count, symbols).into_iter().enumerate() {
            let mut left = arrangement.free;
            for _ in 0..digit {
                left &= left - 1;
            }
            arrangement.take(place, left);
        }
        arrangement
    }

    /// The entries, symbols counted from 0.
    #[must_use]
    pub fn entries(&self) -> &[u8] {
        &self.entries[..self.count]
    }

    /// The symbols that are left over, as a bit set.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Steps to the next arrangement and returns the first place that changed; `None`, and nothing changed, after the last.
    pub fn step(&mut self) -> Option<usize> {
        let mut free = self.free;
        for place in (0..self.count).rev() {
            let bit = 1 << self.entries[place];
            free |= bit;
            let higher = free & !(bit | (bit - 1));
            if higher != 0 {
                self.free = free;
                self.take(place, higher);
                for later in place + 1..self.count {
                    self.take(later, self.free);
                }
                return Some(place);
            }
        }
        None
    }

    /// Puts the lowest symbol of a set at a place.
    #[expect(clippy::cast_possible_truncation, reason = "a bit's number in 64 bits")]
    fn take(&mut self, place: usize, set: u64) {
        self.entries[place] = set.trailing_zeros() as u8;
        self.free &= !(1 << self.entries[place]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_gives_the_arrangements_of_4_of_6_in_order_and_their_numbers() {
        let mut stepped = Arrangement::unrank(0, 4, 6);
        let mut last = Vec::new();
        for rank in 0..number(4, 6) {
            let entries = stepped.entries().to_vec();
            assert!(entries > last, "{entries:?} after {last:?}");
            assert_eq!(stepped, Arrangement::unrank(rank, 4, 6));
            let changed = stepped.step();
            assert_eq!(changed.is_none(), rank + 1 == number(4, 6));
            if let Some(place) = changed {
                assert_eq!(stepped.entries()[..place], entries[..place]);
                assert_ne!(stepped.entries()[place], entries[place]);
            }
            last = entries;
        }
    }

    #[test]
    fn no_entries_make_one_arrangement() {
        assert_eq!(number(0, 5), 1);
        assert_eq!(Arrangement::unrank(0, 0, 5).step(), None);
    }

    #[test]
    fn the_64th_symbol_is_taken_too() {
        let mut last = Arrangement::unrank(number(2, 64) - 1, 2, 64);
        assert_eq!(last.entries(), [63, 62]);
        assert_eq!(last.step(), None);
    }
}
