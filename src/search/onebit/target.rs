//! A row while a pass adds to it.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::marks::{Marks, Words, is_few, ones};
use super::row::{Entry, History, RowError};
use super::{Carrier, OneBitError, host};
use crate::puzzles::rows::{RowSpace, Way};

/// A pass keeps the addresses that it finds in a row, up to [`KEPT`], when no more than so many columns are left there.
const SEARCHED: u64 = 1 << 22;
const KEPT: u64 = 1 << 13;

/// A row, and what a pass finds in it.
pub struct Target<'s, S> {
    space: &'s S,
    row: usize,
    history: History,
    /// Columns before the pass, and the addresses of the others where they are few.
    before: u64,
    unmarked: Option<Vec<u32>>,
    work: Work,
    looked_at: u64,
    spent: Duration,
}

enum Work {
    /// What was marked, ascending, and what is found, in any order.
    List { old: Vec<u32>, found: Vec<u32> },
    Words {
        words: Words,
        /// Columns still to be marked, and the parts of a turn since they were counted.
        left: u64,
        age: u64,
    },
}

impl<'s, S: RowSpace> Target<'s, S> {
    /// A row about to be passed, for which so many images are expected.
    ///
    /// # Errors
    /// [`RowError::Memory`].
    pub fn new(space: &'s S, row: usize, marks: Marks, history: History, expected: u64) -> Result<Self, RowError> {
        let begun = Instant::now();
        let before = history.columns();
        let left = space.columns() - before;
        let unmarked = (left <= SEARCHED).then(|| addresses_left(space, row, &marks, left));
        let work = match marks {
            // A list of them is at most half a row long.
            Marks::Few(old) if expected <= space.words() as u64 => Work::List { old, found: Vec::new() },
            marks => Work::Words { words: marks.into_words(space.words())?, left, age: 0 },
        };
        Ok(Self { space, row, history, before, unmarked, work, looked_at: 0, spent: begun.elapsed() })
    }

    /// Its number.
    #[must_use]
    pub const fn row(&self) -> usize {
        self.row
    }

    /// Marks a column.
    pub fn mark(&mut self, address: u32) {
        match &mut self.work {
            Work::List { found, .. } => found.push(address),
            Work::Words { words, .. } => words.mark(&[address]),
        }
    }

    /// Whether every column is marked, as far as is known.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.work {
            Work::List { .. } => false,
            Work::Words { left, .. } => *left == 0,
        }
    }

    /// Marks what a turn leads to a marked column of its neighbour, which has so many; false when halted.
    ///
    /// # Errors
    /// The carrier's, and [`RowError::Memory`].
    pub fn carry(
        &mut self,
        carrier: Option<&dyn Carrier>,
        turn: usize,
        (from, marked): (&Marks, u64),
        halt: &AtomicBool,
    ) -> Result<bool, OneBitError> {
        let begun = Instant::now();
        let whole = match from {
            Marks::Few(list) => {
                self.carry_few(turn, list);
                true
            }
            Marks::Many(words) => self.carry_many(carrier, turn, (words, marked), halt)?,
        };
        self.spent += begun.elapsed();
        Ok(whole)
    }

    fn carry_few(&mut self, turn: usize, list: &[u32]) {
        match &mut self.work {
            Work::List { found, .. } => {
                let before = found.len();
                self.space.push_few(self.row, turn, list, found);
                self.looked_at += (found.len() - before) as u64;
            }
            Work::Words { words, .. } => {
                let mut found = Vec::new();
                self.space.push_few(self.row, turn, list, &mut found);
                self.looked_at += found.len() as u64;
                words.mark(&found);
            }
        }
    }

    fn carry_many(
        &mut self,
        carrier: Option<&dyn Carrier>,
        turn: usize,
        (from, marked): (&Words, u64),
        halt: &AtomicBool,
    ) -> Result<bool, OneBitError> {
        let (all, share) = (self.space.columns(), self.space.share(turn));
        if let Work::List { old, found } = &mut self.work {
            let mut words = Words::new(self.space.words())?;
            words.mark(old);
            words.mark(found);
            let left = all - words.marked();
            self.work = Work::Words { words, left, age: 0 };
        }
        let Work::Words { words, left, age } = &mut self.work else { return Ok(true) };
        if *age >= share {
            (*left, *age) = (all - words.marked(), 0);
        }
        if *left == 0 {
            return Ok(true);
        }
        *age += 1;
        self.looked_at += marked.min(*left) / share;
        let what = (self.row, turn, if marked < *left { Way::Push } else { Way::Pull });
        Ok(match carrier {
            Some(carrier) => carrier.carry(what, from, words, halt)?,
            None => host(self.space, what, from, words, halt),
        })
    }

    /// The row after the pass. `nothing`: the checksum of a row without marks.
    ///
    /// # Errors
    /// [`RowError::Memory`].
    pub fn finish(self, depth: u32, nothing: u32) -> Result<(usize, Marks, History), RowError> {
        let begun = Instant::now();
        let length = self.space.words();
        let (marks, columns) = match self.work {
            Work::List { old, mut found } => {
                found.sort_unstable();
                found.dedup();
                let marks = merged(old, &found);
                let columns = marks.len() as u64 - self.before;
                let marks = Marks::Few(marks);
                (if is_few(marks.marked(), length) { marks } else { Marks::Many(marks.into_words(length)?) }, columns)
            }
            Work::Words { words, .. } => {
                let marked = words.marked();
                let marks =
                    if is_few(marked, length) { Marks::Few(words.addresses().collect()) } else { Marks::Many(words) };
                (marks, marked - self.before)
            }
        };
        let mut history = self.history;
        history.latest = self.unmarked.filter(|_| columns <= KEPT).map(|unmarked| match &marks {
            Marks::Few(list) => {
                list.iter().copied().filter(|address| unmarked.binary_search(address).is_ok()).collect()
            }
            Marks::Many(words) => {
                let is_marked = |address: &u32| words[*address as usize / 64] >> (address % 64) & 1 == 1;
                unmarked.into_iter().filter(is_marked).collect()
            }
        });
        let crc = match history.entries.last() {
            Some(entry) if columns == 0 => entry.crc,
            None if columns == 0 => nothing,
            _ => marks.checksum(length),
        };
        let seconds = (self.spent + begun.elapsed()).as_secs_f64();
        history.entries.push(Entry { depth, columns, crc, looked_at: self.looked_at, seconds });
        Ok((self.row, marks, history))
    }
}

/// Two ascending lists as one, without doubles.
fn merged(old: Vec<u32>, found: &[u32]) -> Vec<u32> {
    if found.iter().all(|address| old.binary_search(address).is_ok()) {
        return old;
    }
    let mut all = Vec::with_capacity(old.len() + found.len());
    all.extend(old);
    all.extend_from_slice(found);
    all.sort_unstable();
    all.dedup();
    all.shrink_to_fit();
    all
}

/// The addresses of the columns that are not marked.
fn addresses_left(space: &impl RowSpace, row: usize, marks: &Marks, left: u64) -> Vec<u32> {
    let mask = space.mask(row);
    let mut unmarked = Vec::with_capacity(usize::try_from(left).unwrap_or(0));
    match marks {
        Marks::Many(words) => {
            for (number, word) in (0u32..).zip(words.iter()) {
                unmarked.extend(ones(!word & mask).map(|bit| number * 64 + bit));
            }
        }
        Marks::Few(list) => {
            let words = u32::try_from(space.words()).unwrap_or(0);
            let all = (0..words).flat_map(|number| ones(mask).map(move |bit| number * 64 + bit));
            let mut marked = list.iter().peekable();
            unmarked.extend(all.filter(|address| marked.next_if_eq(&address).is_none()));
        }
    }
    unmarked
}
