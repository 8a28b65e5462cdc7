//! A row of a one-bit search: what its passes found, and its file.
//!
//! The file: 16 bytes `gpu-solve a row\n`; the format's version and the length of the head (u32 each, little-endian); the
//! head, JSON; its CRC-32; then the words (u64, little-endian) or, where that is shorter, the addresses of the marked
//! bits (u32 each). The head's last entry has the CRC-32 of all the words, so that both are checked.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::marks::{CHUNK, Marks, Words, is_few};

const MAGIC: &[u8; 16] = b"gpu-solve a row\n";
/// Rises with every change of the format.
const VERSION: u32 = 1;
/// How the temporary names of files under way begin; the row's number and `-` come next.
pub const UNFINISHED: &str = ".row-";
/// Heads longer than this are no heads.
const LONGEST_HEAD: u32 = 1 << 24;

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
    #[error("{} was changed by another run meanwhile", path.display())]
    Changed { path: PathBuf },
    #[error("no memory for a row of {bytes} bytes: {source}")]
    Memory { bytes: usize, source: io::Error },
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

    /// Whether both tell of the same row after the same pass.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        let last = |history: &Self| history.entries.last().map(|entry| (entry.depth, entry.crc));
        last(self) == last(other)
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

/// Which row a file is to hold.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a Path,
    /// The space's name.
    pub space: &'a str,
    /// The row's number.
    pub row: usize,
    /// Words of a row.
    pub words: usize,
}

/// Writes a row, whole or not at all: the bytes of its file.
///
/// # Errors
/// [`RowError::Io`].
pub fn store(place: Place, marks: &Marks, history: &History) -> Result<u64, RowError> {
    let Place { path, space, row, words } = place;
    let at = |source: io::Error| RowError::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    let columns = history.columns();
    let addresses = (columns * 4 < words as u64 * 8).then_some(columns);
    let head = Head { space: space.to_owned(), row, words, addresses, history: history.clone() };
    let prefix = format!("{UNFINISHED}{row:03}-");
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder).map_err(at)?;
    write(file.as_file_mut(), &head, marks).map_err(at)?;
    file.as_file().sync_all().map_err(at)?;
    let bytes = file.as_file().metadata().map_err(at)?.len();
    file.persist(path).map_err(|fault| at(fault.error))?;
    Ok(bytes)
}

#[expect(clippy::cast_possible_truncation, reason = "a head is short")]
fn write(file: &mut File, head: &Head, marks: &Marks) -> io::Result<()> {
    let json = serde_json::to_vec(head)?;
    file.write_all(MAGIC)?;
    file.write_all(&VERSION.to_le_bytes())?;
    file.write_all(&(json.len() as u32).to_le_bytes())?;
    file.write_all(&json)?;
    file.write_all(&crc32fast::hash(&json).to_le_bytes())?;
    let bytes: Vec<u8> = match marks {
        Marks::Few(addresses) => addresses.iter().copied().flat_map(u32::to_le_bytes).collect(),
        Marks::Many(words) if head.addresses.is_some() => words.addresses().flat_map(u32::to_le_bytes).collect(),
        Marks::Many(words) => return words.in_bytes(|bytes| file.write_all(bytes)),
    };
    file.write_all(&bytes)
}

/// Reads a row's history, and its marks and the bytes of its file if they are wanted.
///
/// # Errors
/// Every [`RowError`] but [`RowError::Gone`] and [`RowError::Changed`].
pub fn load(place: Place, whole: bool) -> Result<(History, Option<(Marks, u64)>), RowError> {
    let Place { path, space, row, words } = place;
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
    let bytes = file.metadata().map_err(at)?.len();
    let marks = match head.addresses {
        None => {
            let mut row = Words::new(words)?;
            read_words(&mut file, &mut row).map_err(at)?;
            Marks::Many(row)
        }
        // More addresses than bits are none, whatever the head says.
        Some(count) if count > words as u64 * 64 => return Err(damaged()),
        Some(count) => {
            let addresses = read_addresses(&mut file, count).map_err(at)?;
            // Those outside the row, or out of order, are no row's.
            let end = words as u64 * 64;
            if !addresses.is_sorted_by(|a, b| a < b) || addresses.last().is_some_and(|last| u64::from(*last) >= end) {
                return Err(damaged());
            }
            let few = Marks::Few(addresses);
            if is_few(few.marked(), words) { few } else { Marks::Many(few.into_words(words)?) }
        }
    };
    if head.history.entries.last().is_some_and(|entry| entry.crc != marks.checksum(words)) {
        return Err(damaged());
    }
    Ok((head.history, Some((marks, bytes))))
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

fn read_addresses(file: &mut File, count: u64) -> io::Result<Vec<u32>> {
    let mut bytes = Vec::new();
    file.take(count.saturating_mul(4)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != count * 4 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect())
}
