//! The rows of a one-bit search: in memory, on disk, or some here and some there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::bundles::Bundles;
use super::marks::Marks;
use super::row::{self, History, Place, RowError};
use crate::puzzles::rows::RowSpace;

#[derive(Default)]
struct Slot {
    marks: Option<Arc<Marks>>,
    history: History,
    /// The file, if any, is older than what is here.
    dirty: bool,
    /// There is a file.
    stored: bool,
    /// When it was last read: a count of readings.
    used: u64,
}

/// What was read from files and written to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Rows read.
    pub rows: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl Traffic {
    /// What has come since an earlier count.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        let (rows, read) = (self.rows - before.rows, self.read - before.read);
        Self { rows, read, written: self.written - before.written }
    }
}

/// Rows by number. Each is handed out to be read by many or to be changed by one.
pub struct Shelf {
    space: String,
    length: usize,
    folder: Option<PathBuf>,
    slots: Vec<Mutex<Slot>>,
    /// Bytes of rows that may stay in memory, and that do.
    room: u64,
    held: AtomicU64,
    clock: AtomicU64,
    rows: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
}

impl Shelf {
    /// A shelf for a space, `room` bytes of its rows in memory; without a folder all of them stay there. What the folder
    /// has is taken up; what a killed run had under way in it is removed, where it was of one's own rows.
    ///
    /// # Errors
    /// A folder that cannot be made or read, and rows in it that are damaged or of another space.
    pub fn new(
        space: &impl RowSpace,
        bundles: &Bundles,
        folder: Option<&Path>,
        room: Option<u64>,
    ) -> Result<Self, RowError> {
        let (name, length) = (space.name(), space.words());
        let mut slots: Vec<Mutex<Slot>> = (0..space.rows()).map(|_| Mutex::default()).collect();
        if let Some(folder) = folder {
            let at = |source| RowError::Io { path: folder.to_owned(), source };
            fs::create_dir_all(folder).map_err(at)?;
            for entry in fs::read_dir(folder).map_err(at)? {
                let path = entry.map_err(at)?.path();
                let Some(unfinished) = path.file_name().and_then(|name| name.to_str()?.strip_prefix(row::UNFINISHED))
                else {
                    continue;
                };
                let row = unfinished.split_once('-').and_then(|(row, _)| row.parse::<usize>().ok());
                let ours =
                    row.filter(|row| *row < bundles.rows()).map_or(bundles.is_whole(), |row| bundles.is_own(row));
                if ours {
                    fs::remove_file(&path).map_err(at)?;
                }
            }
            for (row, slot) in slots.iter_mut().enumerate() {
                let path = file(folder, row);
                if path.exists() {
                    let slot = slot.get_mut().unwrap_or_else(PoisonError::into_inner);
                    slot.history = row::load(Place { path: &path, space: &name, row, words: length }, false)?.0;
                    slot.stored = true;
                }
            }
        }
        let room = room.filter(|_| folder.is_some()).unwrap_or(u64::MAX);
        let [held, clock, rows, read, written] = [(); 5].map(|()| AtomicU64::new(0));
        let folder = folder.map(Path::to_owned);
        Ok(Self { space: name, length, folder, slots, room, held, clock, rows, read, written })
    }

    /// Words of a row.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// What has been read and written so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let [rows, read, written] = [&self.rows, &self.read, &self.written].map(|count| count.load(Ordering::Relaxed));
        Traffic { rows, read, written }
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
    pub fn read(&self, row: usize) -> Result<Arc<Marks>, RowError> {
        let mut slot = self.slot(row);
        slot.used = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(marks) = &slot.marks {
            return Ok(marks.clone());
        }
        let marks = Arc::new(self.fetch(row, &slot)?);
        slot.marks = Some(marks.clone());
        self.held.fetch_add(marks.bytes(), Ordering::Relaxed);
        drop(slot);
        self.make_room();
        Ok(marks)
    }

    /// A row to be changed and put back; until then it is not on the shelf.
    ///
    /// # Errors
    /// Its file's.
    pub fn take(&self, row: usize) -> Result<Marks, RowError> {
        let mut slot = self.slot(row);
        match slot.marks.take() {
            Some(marks) => {
                self.held.fetch_sub(marks.bytes(), Ordering::Relaxed);
                Arc::try_unwrap(marks).or_else(|shared| shared.copy())
            }
            None => self.fetch(row, &slot),
        }
    }

    fn fetch(&self, row: usize, slot: &Slot) -> Result<Marks, RowError> {
        match &self.folder {
            Some(folder) if slot.stored => {
                let path = file(folder, row);
                let (history, loaded) = row::load(self.place(&path, row), true)?;
                if !history.is_as(&slot.history) {
                    return Err(RowError::Changed { path });
                }
                let (marks, bytes) = loaded.unwrap_or((Marks::Few(Vec::new()), 0));
                self.rows.fetch_add(1, Ordering::Relaxed);
                self.read.fetch_add(bytes, Ordering::Relaxed);
                Ok(marks)
            }
            _ if slot.history.columns() == 0 => Ok(Marks::Few(Vec::new())),
            _ => Err(RowError::Gone { row }),
        }
    }

    fn place<'a>(&'a self, path: &'a Path, row: usize) -> Place<'a> {
        Place { path, space: &self.space, row, words: self.length }
    }

    /// Lets go of rows that were only read and are on disk as they are here, those not used for longest first.
    fn make_room(&self) {
        while self.held.load(Ordering::Relaxed) > self.room {
            // A slot in use by another thread is none to be let go of.
            let idle = |slot: &Mutex<Slot>| {
                slot.try_lock()
                    .ok()
                    .filter(|slot| slot.marks.is_some() && slot.stored && !slot.dirty)
                    .map(|slot| slot.used)
            };
            let least = (0..self.slots.len()).filter_map(|row| Some((idle(&self.slots[row])?, row))).min();
            let Some((used, row)) = least else { return };
            let mut slot = self.slot(row);
            if slot.used == used && slot.stored && !slot.dirty {
                self.drop_marks(&mut slot);
            }
        }
    }

    fn drop_marks(&self, slot: &mut Slot) {
        if let Some(marks) = slot.marks.take() {
            self.held.fetch_sub(marks.bytes(), Ordering::Relaxed);
        }
    }

    /// Puts a row back; one that finds no room is written to its file at once: the pass that changed it has no more use
    /// for it.
    ///
    /// # Errors
    /// Its file's.
    pub fn put(&self, row: usize, marks: Marks, history: History) -> Result<(), RowError> {
        let mut slot = self.slot(row);
        let held = self.held.fetch_add(marks.bytes(), Ordering::Relaxed) + marks.bytes();
        slot.history = history;
        slot.dirty = true;
        slot.marks = Some(Arc::new(marks));
        if held > self.room {
            self.save(row, &mut slot)?;
            self.drop_marks(&mut slot);
        }
        Ok(())
    }

    fn save(&self, row: usize, slot: &mut Slot) -> Result<(), RowError> {
        if let (Some(folder), Some(marks), true) = (&self.folder, &slot.marks, slot.dirty) {
            let bytes = row::store(self.place(&file(folder, row), row), marks, &slot.history)?;
            self.written.fetch_add(bytes, Ordering::Relaxed);
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

    /// Looks in the folder how far another process has come with a row; what is here of it, being older, is let go of.
    ///
    /// # Errors
    /// Its file's.
    pub fn look_again(&self, row: usize) -> Result<Option<u32>, RowError> {
        let mut slot = self.slot(row);
        let Some(path) = self.folder.as_ref().map(|folder| file(folder, row)).filter(|path| path.exists()) else {
            return Ok(slot.history.depth());
        };
        let history = row::load(self.place(&path, row), false)?.0;
        slot.stored = true;
        if !history.is_as(&slot.history) {
            slot.history = history;
            self.drop_marks(&mut slot);
        }
        Ok(slot.history.depth())
    }
}

fn file(folder: &Path, row: usize) -> PathBuf {
    folder.join(format!("row-{row:03}"))
}
