//! Columns of the ring's perfect index: arrangements of the names on the places of a row's reading.
//!
//! Names count modulo `N` and are shifted until place 0 has name 0; a permutation of 1..N on places 1..N remains, whose
//! parity the row's colours give away. Its Lehmer digit at place `j` counts the later places with lesser names. The last
//! five places of a permutation whose other names are known have 60 arrangements of one parity, which share a *word*:
//!
//! * the word's number is the digits of places 1..=N−6 in mixed radix;
//! * the bit within it is 12, 3 and 1 times the digits of the next three places; parity gives the last digit that counts.
//!
//! An *address* is `64 · word + bit`; bits 60..64 of a word are never set.

/// Arrangements that share a word.
pub const WORD_COLUMNS: u32 = 60;
/// The bits of a word that stand for columns.
pub const COLUMNS_MASK: u64 = (1 << WORD_COLUMNS) - 1;
/// Places whose names vary within a word.
pub const VARYING: usize = 5;

/// Names by place: `names[p]`, 0..N, each once, `names[0] = 0`.
pub type Names<const N: usize> = [u8; N];

/// Words of a row of a ring of `N`: (N−1)!/120.
#[must_use]
pub const fn words<const N: usize>() -> usize {
    let mut words = 1;
    let mut k = VARYING + 1;
    while k < N {
        words *= k;
        k += 1;
    }
    words
}

/// What a unit of the Lehmer digit of each place adds to an address; 0 at place 0 and at the last two places.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "at most 64 · 11!/120")]
pub const fn weights<const N: usize>() -> [u32; N] {
    let mut weights = [0; N];
    weights[N - 5] = 12;
    weights[N - 4] = 3;
    weights[N - 3] = 1;
    let mut place = N - 6;
    let mut weight = 64;
    while place > 0 {
        weights[place] = weight;
        weight *= (N - place) as u32;
        place -= 1;
    }
    weights
}

/// The address of an arrangement.
#[must_use]
pub fn rank<const N: usize>(names: &Names<N>) -> u32 {
    let weights = const { weights::<N>() };
    let mut address = 0;
    for place in 1..N - 2 {
        let digit: u32 = names[place + 1..].iter().map(|later| u32::from(*later < names[place])).sum();
        address += digit * weights[place];
    }
    address
}

/// The arrangement at an address, in a row with an even or odd number of yellow tiles.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "names are below 13")]
pub fn unrank<const N: usize>(address: u32, odd: bool) -> Names<N> {
    let weights = const { weights::<N>() };
    let mut digits = [0; N];
    let (mut word, mut bit) = (address / 64 * 64, address % 64);
    for place in 1..N - 2 {
        let rest = if place < N - VARYING { &mut word } else { &mut bit };
        digits[place] = *rest / weights[place];
        *rest %= weights[place];
    }
    digits[N - 2] = (digits.iter().sum::<u32>() ^ u32::from(odd)) & 1;
    let mut free: u32 = (1 << N) - 2;
    let mut names = [0; N];
    for place in 1..N {
        let mut left = free;
        for _ in 0..digits[place] {
            left &= left - 1;
        }
        names[place] = left.trailing_zeros() as u8;
        free ^= 1 << names[place];
    }
    names
}

/// Whether a permutation is odd.
#[must_use]
pub fn is_odd<const N: usize>(names: &Names<N>) -> bool {
    let inversions = (0..N).map(|k| names[..k].iter().filter(|before| **before > names[k]).count()).sum::<usize>();
    inversions % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every_address<const N: usize>() {
        for odd in [false, true] {
            for address in 0..u32::try_from(words::<N>()).unwrap() * 64 {
                if address % 64 >= WORD_COLUMNS {
                    continue;
                }
                let names = unrank::<N>(address, odd);
                assert_eq!(names[0], 0);
                assert_eq!(is_odd(&names), odd);
                assert_eq!(names.iter().fold(0u32, |seen, name| seen | 1 << name), (1 << N) - 1);
                assert_eq!(rank(&names), address);
            }
        }
    }

    #[test]
    fn ranking_undoes_unranking_at_every_address_of_7_and_9_tiles() {
        every_address::<7>();
        every_address::<9>();
        assert_eq!(words::<7>(), 6);
        assert_eq!(words::<9>() * 60, 40_320 / 2);
        assert_eq!(words::<11>() * 60, 3_628_800 / 2);
        assert_eq!(words::<13>() * 60, 479_001_600 / 2);
    }

    fn some_address<const N: usize>(word: u32, bit: u32, odd: bool) -> Result<(), TestCaseError> {
        let address = word % u32::try_from(words::<N>()).unwrap() * 64 + bit;
        let names = unrank::<N>(address, odd);
        prop_assert_eq!(is_odd(&names), odd);
        prop_assert_eq!(rank(&names), address);
        Ok(())
    }

    proptest! {
        #[test]
        fn ranking_undoes_unranking_on_11_and_13_tiles(word: u32, bit in 0..WORD_COLUMNS, odd: bool) {
            some_address::<11>(word, bit, odd)?;
            some_address::<13>(word, bit, odd)?;
        }

        #[test]
        fn unranking_undoes_ranking(shuffled in Just((1..13u8).collect::<Vec<_>>()).prop_shuffle()) {
            let mut names = [0; 13];
            names[1..].copy_from_slice(&shuffled);
            prop_assert_eq!(unrank::<13>(rank(&names), is_odd(&names)), names);
        }
    }
}
