//! Sets of keys at 32 bits a key, losing nothing: a key is mixed by a bijection, its high bits choose a *bucket* and only
//! the other 31 are stored (with a marker bit, so that no stored word is 0). A stored word and its bucket give the key
//! back. This is Cleary's quotienting (IEEE Trans. Comput. C-33, 1984) over a keyed permutation of three rounds.
//!
//! A bucket is a whole number of *lines* of [`LINE`] words. A key's home is a line of its bucket; a line fills from its
//! first word on, and a full one passes on to the next of its bucket, in a ring. Probes are bounded by
//! [`MAX_PROBES`] lines: past them the table is too small and is made anew, larger. The WGSL twin is
//! `shaders/common/compact.wgsl`.

/// Words of a line: one 64-byte cache line.
pub const LINE: usize = 16;
/// Lines that a search for a key looks at, at most.
pub const MAX_PROBES: u32 = 16;
/// Marks a word as taken.
pub const TAKEN: u32 = 1 << 31;

/// How keys of a width are mixed and laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixer {
    high_bits: u32,
}

/// A mixed key: where it belongs and what is stored there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// Below [`Mixer::buckets`].
    pub bucket: u32,
    /// The stored word, [`TAKEN`] set.
    pub word: u32,
}

impl Mixed {
    /// The home line within a bucket of `lines` lines (below 2¹⁶).
    #[must_use]
    pub const fn home(self, lines: u32) -> u32 {
        (((self.word & !TAKEN) >> 15) * lines) >> 16
    }
}

impl Mixer {
    /// For keys of 33 to 56 bits: wider ones would have more buckets than memory.
    ///
    /// # Panics
    /// For other widths.
    #[must_use]
    pub const fn new(key_bits: u32) -> Self {
        assert!(key_bits > 32 && key_bits <= 56, "keys are 33 to 56 bits wide");
        Self { high_bits: key_bits - 32 }
    }

    /// Bits of a key above the lowest 32.
    #[must_use]
    pub const fn high_bits(self) -> u32 {
        self.high_bits
    }

    /// The number of buckets.
    #[must_use]
    pub const fn buckets(self) -> u32 {
        2 << self.high_bits
    }

    /// Mixes a key. Two Feistel rounds with a bijection of the low word between them.
    #[must_use]
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "splits the key into words")]
    pub const fn mix(self, key: u64) -> Mixed {
        let high = (key >> 32) as u32;
        let low = scramble(key as u32 ^ scramble(high ^ FIRST));
        let high = high ^ scramble(low ^ SECOND) >> (32 - self.high_bits);
        Mixed { bucket: high << 1 | low >> 31, word: low | TAKEN }
    }

    /// The key that was mixed.
    #[must_use]
    #[inline]
    pub const fn unmix(self, mixed: Mixed) -> u64 {
        let low = (mixed.word & !TAKEN) | mixed.bucket << 31;
        let high = (mixed.bucket >> 1) ^ scramble(low ^ SECOND) >> (32 - self.high_bits);
        (high as u64) << 32 | (unscramble(low) ^ scramble(high ^ FIRST)) as u64
    }
}

const FIRST: u32 = 0x9e37_79b9;
const SECOND: u32 = 0x7f4a_7c15;

/// The 32-bit finaliser of MurmurHash3 (Appleby, public domain): a bijection.
#[inline]
const fn scramble(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Undoes [`scramble`]: the multipliers are the inverses modulo 2³².
#[inline]
const fn unscramble(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x7ed1_b41d);
    h ^= h >> 13 ^ h >> 26;
    h = h.wrapping_mul(0xa5cb_9243);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn unmixing_gives_the_key_back(bits in 33u32..=56, raw: u64) {
            let key = raw & ((1 << bits) - 1);
            let mixer = Mixer::new(bits);
            let mixed = mixer.mix(key);
            prop_assert!(mixed.bucket < mixer.buckets());
            prop_assert!(mixed.word & TAKEN != 0);
            prop_assert_eq!(mixer.unmix(mixed), key);
        }
    }

    #[test]
    fn every_high_part_with_a_run_of_low_parts_mixes_to_distinct_places() {
        let mixer = Mixer::new(45);
        let mut seen = std::collections::HashSet::new();
        for high in 0..1u64 << 13 {
            for low in 0..16u64 {
                let place = mixer.mix(high << 32 | low);
                assert!(seen.insert((place.bucket, place.word)));
            }
        }
    }
}
