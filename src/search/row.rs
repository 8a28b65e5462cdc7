//! A row of a one-bit search: its words, what its passes found, and its file.
//!
//! The file: 16 bytes `gpu-solve a row\n`; the format's version and the length of the head (u32 each, little-endian); the
//! head, JSON; its CRC-32; then the words (u64, little-endian) or, where that is shorter, the addresses of the marked
//! bits (u32 each). The head's last entry has the CRC-32 of all the words, so that both are checked.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use memmap2::MmapMut;
use serde::{Deserialize, Serialize};
use thiserror::Error;

const MAGIC: &[u8; 16] = b"gpu-solve a row\n";
/// Rises with every change of the format.
const VERSION: u32 = 1;
/// Words or addresses read or written at a time.
const CHUNK: usize = 1 << 16;
/// How the temporary names of files under way begin.
pub const UNFINISHED: &str = ".row-";
/// Heads longer than this are no heads.
const LONGEST_HEAD: u32 = 1 << 24;
/// Bytes of a large page: what the memory of a long row is rounded to.
pub const LARGE_PAGE: usize = 1 << 21;

/// Why a row's file is refused.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum RowError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a row of a search", path.display())]
    NotARow { path: PathBuf },
    #[error("{} is a row of format {found}; this program reads format {VERSION}", path.display())]
    Version { path: PathBuf, found: u32 },
    #[error("{} holds row {row} of \"{found}\", wanted is row {wanted_row} of \"{wanted}\"", path.display())]
    Space { path: PathBuf, found: String, row: usize, wanted: String, wanted_row: usize },
    #[error("{} is cut short", path.display())]
    CutShort { path: PathBuf },
    #[error("{} is damaged: its checksum does not fit", path.display())]
    Checksum { path: PathBuf },
    #[error("row {row} was given up when the search was stopped, and there is no checkpoint that has it")]
    Gone { row: usize },
    #[error("no memory for a row of {bytes} bytes: {source}")]
    Memory { bytes: usize, source: io::Error },
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
        let bytes = (length * 8).next_multiple_of(if length * 8 < LARGE_PAGE { 8 } else { LARGE_PAGE });
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

    /// The number of marked bits.
    #[must_use]
    pub fn marked(&self) -> u64 {
        self.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The addresses of the marked bits.
    pub fn addresses(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(self.iter()).flat_map(|(word, bits)| ones(*bits).map(move |bit| word * 64 + bit))
    }

    fn in_bytes(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
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

/// What a pass did to a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The depth that the pass was for.
    pub depth: u32,
    /// Columns found at this depth.
    pub columns: u64,
    /// The CRC-32 of the row's words after it.
    pub crc: u32,
    /// Neighbours looked at.
    pub looked_at: u64,
    /// Time of the one thread that did it, in seconds.
    pub seconds: f64,
}

/// What is known of a row besides its words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The passes, ascending by depth.
    pub entries: Vec<Entry>,
    /// The addresses found by the last pass, where they are few enough to be kept.
    pub latest: Option<Vec<u32>>,
}

impl History {
    /// The depth of the last pass, none before the first.
    #[must_use]
    pub fn depth(&self) -> Option<u32> {
        self.entries.last().map(|entry| entry.depth)
    }

    /// The pass for a depth.
    #[must_use]
    pub fn at(&self, depth: u32) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.depth == depth)
    }

    /// Columns found so far.
    #[must_use]
    pub fn columns(&self) -> u64 {
        // A damaged head may hold any numbers.
        self.entries.iter().map(|entry| entry.columns).fold(0, u64::saturating_add)
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    space: String,
    row: usize,
    words: usize,
    /// Addresses instead of words follow, this many.
    addresses: Option<u64>,
    history: History,
}

/// Writes a row, whole or not at all.
///
/// # Errors
/// [`RowError::Io`].
pub fn store(path: &Path, space: &str, row: usize, words: &Words, history: &History) -> Result<(), RowError> {
    let at = |source: io::Error| RowError::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    let columns = history.columns();
    let addresses = (columns * 4 < words.len() as u64 * 8).then_some(columns);
    let head = Head { space: space.to_owned(), row, words: words.len(), addresses, history: history.clone() };
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(at)?;
    write(file.as_file_mut(), &head, words).map_err(at)?;
    file.as_file().sync_all().map_err(at)?;
    file.persist(path).map_err(|fault| at(fault.error))?;
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "a head is short")]
fn write(file: &mut File, head: &Head, words: &Words) -> io::Result<()> {
    let json = serde_json::to_vec(head)?;
    file.write_all(MAGIC)?;
    file.write_all(&VERSION.to_le_bytes())?;
    file.write_all(&(json.len() as u32).to_le_bytes())?;
    file.write_all(&json)?;
    file.write_all(&crc32fast::hash(&json).to_le_bytes())?;
    if head.addresses.is_none() {
        return words.in_bytes(|bytes| file.write_all(bytes));
    }
    let bytes: Vec<u8> = words.addresses().flat_map(u32::to_le_bytes).collect();
    file.write_all(&bytes)
}

/// Reads a row's history, and its words if they are wanted.
///
/// # Errors
/// Every [`RowError`] but [`RowError::Gone`].
pub fn load(
    path: &Path,
    space: &str,
    row: usize,
    words: usize,
    whole: bool,
) -> Result<(History, Option<Words>), RowError> {
    let at = |source: io::Error| match source.kind() {
        io::ErrorKind::UnexpectedEof => RowError::CutShort { path: path.to_owned() },
        _ => RowError::Io { path: path.to_owned(), source },
    };
    let mut file = File::open(path).map_err(at)?;
    let mut magic = [0; MAGIC.len()];
    if file.read_exact(&mut magic).is_err() || &magic != MAGIC {
        return Err(RowError::NotARow { path: path.to_owned() });
    }
    let found = number(&mut file).map_err(at)?;
    if found != VERSION {
        return Err(RowError::Version { path: path.to_owned(), found });
    }
    let damaged = || RowError::Checksum { path: path.to_owned() };
    let length = number(&mut file).map_err(at)?;
    if length > LONGEST_HEAD {
        return Err(damaged());
    }
    let mut json = vec![0; length as usize];
    file.read_exact(&mut json).map_err(at)?;
    if number(&mut file).map_err(at)? != crc32fast::hash(&json) {
        return Err(damaged());
    }
    let head: Head = serde_json::from_slice(&json).map_err(|_| damaged())?;
    if head.space != space || head.row != row || head.words != words {
        let (wanted, wanted_row) = (space.to_owned(), row);
        return Err(RowError::Space { path: path.to_owned(), found: head.space, row: head.row, wanted, wanted_row });
    }
    if !whole {
        return Ok((head.history, None));
    }
    let mut row = Words::new(words)?;
    match head.addresses {
        None => read_words(&mut file, &mut row).map_err(at)?,
        // More addresses than bits are none, whatever the head says.
        Some(count) if count > words as u64 * 64 => return Err(damaged()),
        Some(count) => {
            for _ in 0..count.div_ceil(CHUNK as u64) {
                read_addresses(&mut file, &mut row).map_err(at)?;
            }
        }
    }
    if head.history.entries.last().is_some_and(|entry| entry.crc != row.checksum()) {
        let cut_short = head.addresses.is_some() && row.marked() < head.history.columns();
        return Err(if cut_short { RowError::CutShort { path: path.to_owned() } } else { damaged() });
    }
    Ok((head.history, Some(row)))
}

fn number(file: &mut File) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_words(file: &mut File, row: &mut Words) -> io::Result<()> {
    let mut bytes = vec![0; CHUNK * 8];
    for words in row.chunks_mut(CHUNK) {
        let bytes = &mut bytes[..words.len() * 8];
        file.read_exact(bytes)?;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
    Ok(())
}

/// Up to a chunk of addresses; those outside the row are left to the checksum.
fn read_addresses(file: &mut File, row: &mut Words) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK * 4);
    file.take(CHUNK as u64 * 4).read_to_end(&mut bytes)?;
    for bytes in bytes.as_chunks().0 {
        let address = u32::from_le_bytes(*bytes);
        if let Some(word) = row.get_mut(address as usize / 64) {
            *word |= 1 << (address % 64);
        }
    }
    Ok(())
}
