//! The rows of a one-bit search: in memory, on disk, or some here and some there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::row::{self, History, RowError, Words};
use crate::puzzles::rows::RowSpace;

#[derive(Default)]
struct Slot {
    words: Option<Arc<Words>>,
    history: History,
    /// The file, if any, is older than what is here.
    dirty: bool,
    /// There is a file.
    stored: bool,
}

/// Rows by number. Each is handed out to be read by many or to be changed by one.
pub struct Shelf {
    space: String,
    length: usize,
    folder: Option<PathBuf>,
    slots: Vec<Mutex<Slot>>,
    /// Rows that may stay in memory, and rows that do.
    room: usize,
    held: AtomicUsize,
}

impl Shelf {
    /// A shelf for a space, `room` rows of it in memory; less than all needs a folder. What the folder has is taken up.
    ///
    /// # Errors
    /// A folder that cannot be made or read, and rows in it that are damaged or of another space.
    pub fn new(space: &impl RowSpace, folder: Option<&Path>, room: usize) -> Result<Self, RowError> {
        let (name, length) = (space.name(), space.words());
        let mut slots: Vec<Mutex<Slot>> = (0..space.rows()).map(|_| Mutex::default()).collect();
        if let Some(folder) = folder {
            let at = |source| RowError::Io { path: folder.to_owned(), source };
            fs::create_dir_all(folder).map_err(at)?;
            for entry in fs::read_dir(folder).map_err(at)? {
                let path = entry.map_err(at)?.path();
                // What a run that was killed had under way.
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(row::UNFINISHED)) {
                    fs::remove_file(&path).map_err(at)?;
                }
            }
            for (row, slot) in slots.iter_mut().enumerate() {
                let path = file(folder, row);
                if path.exists() {
                    let slot = slot.get_mut().unwrap_or_else(PoisonError::into_inner);
                    slot.history = row::load(&path, &name, row, length, false)?.0;
                    slot.stored = true;
                }
            }
        }
        Ok(Self { space: name, length, folder: folder.map(Path::to_owned), slots, room, held: AtomicUsize::new(0) })
    }

    fn slot(&self, row: usize) -> MutexGuard<'_, Slot> {
        // A thread that died while it held a slot left it as it was: nothing here panics half way.
        self.slots[row].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks up what is known of a row.
    #[must_use]
    pub fn history<T>(&self, row: usize, look: impl FnOnce(&History) -> T) -> T {
        look(&self.slot(row).history)
    }

    /// A row to be read.
    ///
    /// # Errors
    /// Its file's.
    pub fn read(&self, row: usize) -> Result<Arc<Words>, RowError> {
        let mut slot = self.slot(row);
        if let Some(words) = &slot.words {
            return Ok(words.clone());
        }
        let words = Arc::new(self.fetch(row, &slot)?);
        if self.held.load(Ordering::Relaxed) < self.room {
            self.held.fetch_add(1, Ordering::Relaxed);
            slot.words = Some(words.clone());
        }
        Ok(words)
    }

    /// A row to be changed and put back; until then it is not on the shelf.
    ///
    /// # Errors
    /// Its file's.
    pub fn take(&self, row: usize) -> Result<Words, RowError> {
        let mut slot = self.slot(row);
        match slot.words.take() {
            Some(words) => {
                self.held.fetch_sub(1, Ordering::Relaxed);
                match Arc::try_unwrap(words) {
                    Ok(words) => Ok(words),
                    Err(shared) => {
                        let mut own = Words::new(self.length)?;
                        own.copy_from_slice(&shared);
                        Ok(own)
                    }
                }
            }
            None => self.fetch(row, &slot),
        }
    }

    fn fetch(&self, row: usize, slot: &Slot) -> Result<Words, RowError> {
        match &self.folder {
            Some(folder) if slot.stored => {
                let (_, words) = row::load(&file(folder, row), &self.space, row, self.length, true)?;
                words.map_or_else(|| Words::new(self.length), Ok)
            }
            _ if slot.history.entries.is_empty() => Words::new(self.length),
            _ => Err(RowError::Gone { row }),
        }
    }

    /// Puts a row back; one that finds no room is written to its file at once.
    ///
    /// # Errors
    /// Its file's.
    pub fn put(&self, row: usize, words: Words, history: History) -> Result<(), RowError> {
        let mut slot = self.slot(row);
        slot.history = history;
        slot.dirty = true;
        slot.words = Some(Arc::new(words));
        if self.held.fetch_add(1, Ordering::Relaxed) >= self.room {
            self.save(row, &mut slot)?;
            slot.words = None;
            self.held.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn save(&self, row: usize, slot: &mut Slot) -> Result<(), RowError> {
        if let (Some(folder), Some(words), true) = (&self.folder, &slot.words, slot.dirty) {
            row::store(&file(folder, row), &self.space, row, words, &slot.history)?;
            (slot.dirty, slot.stored) = (false, true);
        }
        Ok(())
    }

    /// Brings the files up to date with the rows.
    ///
    /// # Errors
    /// The first that a file had.
    pub fn save_all(&self) -> Result<(), RowError> {
        (0..self.slots.len()).into_par_iter().try_for_each(|row| self.save(row, &mut self.slot(row)))
    }
}

fn file(folder: &Path, row: usize) -> PathBuf {
    folder.join(format!("row-{row:03}"))
}
