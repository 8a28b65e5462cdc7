//! The marks of a row: a bit a column, or the addresses of the marked ones while they are few.

use std::io;
use std::ops::{Deref, DerefMut};

use crc32fast::Hasher;
use memmap2::MmapMut;

use super::row::RowError;

/// Words or addresses taken at a time.
pub const CHUNK: usize = 1 << 16;
/// Bytes of a large page: what the memory of a long row is rounded to.
pub const LARGE_PAGE: usize = 1 << 21;

/// Whether so many marks, in a row of so many words, are kept as addresses: up to an eighth of the row's bytes.
#[must_use]
pub const fn is_few(marked: u64, words: usize) -> bool {
    marked * 4 < words as u64
}

/// Bytes of memory that a row of so many words takes.
#[must_use]
pub const fn bytes_of(words: usize) -> usize {
    (words * 8).next_multiple_of(if words * 8 < LARGE_PAGE { 8 } else { LARGE_PAGE })
}

/// A row's marks.
#[derive(Debug)]
pub enum Marks {
    /// Their addresses, ascending. A row without marks takes no memory.
    Few(Vec<u32>),
    /// All words.
    Many(Words),
}

impl Marks {
    /// Bytes of memory that they take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Few(addresses) => addresses.capacity() as u64 * 4,
            Self::Many(words) => bytes_of(words.len()) as u64,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn marked(&self) -> u64 {
        match self {
            Self::Few(addresses) => addresses.len() as u64,
            Self::Many(words) => words.marked(),
        }
    }

    /// As words.
    ///
    /// # Errors
    /// [`RowError::Memory`].
    pub fn into_words(self, length: usize) -> Result<Words, RowError> {
        match self {
            Self::Many(words) => Ok(words),
            Self::Few(addresses) => {
                let mut words = Words::new(length)?;
                words.mark(&addresses);
                Ok(words)
            }
        }
    }

    /// A copy.
    ///
    /// # Errors
    /// [`RowError::Memory`].
    pub fn copy(&self) -> Result<Self, RowError> {
        Ok(match self {
            Self::Few(addresses) => Self::Few(addresses.clone()),
            Self::Many(words) => {
                let mut own = Words::new(words.len())?;
                own.copy_from_slice(words);
                Self::Many(own)
            }
        })
    }

    /// The CRC-32 of the row's words, little-endian.
    #[must_use]
    pub fn checksum(&self, length: usize) -> u32 {
        match self {
            Self::Many(words) => words.checksum(),
            Self::Few(addresses) => checksum_of(addresses, length),
        }
    }
}

/// The CRC-32 of a row's words, from the addresses of its marks: stretches without any are not gone through byte by byte.
#[expect(clippy::cast_possible_truncation, reason = "addresses have 32 bits")]
fn checksum_of(addresses: &[u32], length: usize) -> u32 {
    const STRETCH: usize = 1 << 11;
    let blank = [0u8; STRETCH * 8];
    let mut zeros = Hasher::new();
    zeros.update(&blank);
    let mut hasher = Hasher::new();
    let mut left = addresses;
    for first in (0..length).step_by(STRETCH) {
        let words = STRETCH.min(length - first);
        let end = ((first + words) * 64) as u32;
        let (here, later) = left.split_at(left.partition_point(|address| *address < end));
        left = later;
        if here.is_empty() && words == STRETCH {
            hasher.combine(&zeros);
            continue;
        }
        let mut bytes = blank;
        for address in here {
            let bit = *address as usize - first * 64;
            bytes[bit / 8] |= 1 << (bit % 8);
        }
        hasher.update(&bytes[..words * 8]);
    }
    hasher.finalize()
}

/// The words of a row, in large pages where the system has them: images lie all over a row, and with small pages nearly
/// every access would miss the translation buffer as well.
#[derive(Debug)]
pub struct Words {
    map: MmapMut,
    length: usize,
}

impl Words {
    /// All zero.
    ///
    /// # Errors
    /// [`RowError::Memory`].
    pub fn new(length: usize) -> Result<Self, RowError> {
        let bytes = bytes_of(length);
        let map = MmapMut::map_anon(bytes).map_err(|source| RowError::Memory { bytes, source })?;
        // Advice that is not taken costs time, not answers.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, length })
    }

    /// The CRC-32 of the words, little-endian.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        let mut hasher = Hasher::new();
        self.in_bytes(|bytes| {
            hasher.update(bytes);
            Ok(())
        })
        .map_or(0, |()| hasher.finalize())
    }

    /// Marks these addresses.
    pub fn mark(&mut self, addresses: &[u32]) {
        for address in addresses {
            self[*address as usize / 64] |= 1 << (address % 64);
        }
    }

    /// The number of marked bits.
    #[must_use]
    pub fn marked(&self) -> u64 {
        self.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The addresses of the marked bits.
    pub fn addresses(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(self.iter()).flat_map(|(word, bits)| ones(*bits).map(move |bit| word * 64 + bit))
    }

    /// The words, little-endian, some at a time.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn in_bytes(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(CHUNK * 8);
        for words in self.chunks(CHUNK) {
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            take(&bytes)?;
        }
        Ok(())
    }
}

/// The numbers of a word's set bits.
pub fn ones(word: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)))
        .take_while(|left| *left != 0)
        .map(u64::trailing_zeros)
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.map)[..self.length]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut bytemuck::cast_slice_mut(&mut self.map)[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::index_space::mix;

    #[test]
    fn few_marks_have_the_checksum_of_their_words() {
        for length in [6, 336, 4_096, 30_240, 8_192 + 7] {
            for count in [0, 1, 5, 300u32] {
                let bits = length as u64 * 64;
                let mut addresses: Vec<u32> =
                    (0..count).map(|k| u32::try_from(mix(k, count) % bits).unwrap()).collect();
                addresses.sort_unstable();
                addresses.dedup();
                let few = Marks::Few(addresses.clone());
                let words = few.copy().unwrap().into_words(length).unwrap();
                assert_eq!(words.addresses().collect::<Vec<_>>(), addresses);
                assert_eq!(few.checksum(length), words.checksum());
                assert_eq!(few.marked(), words.marked());
            }
        }
    }
}
