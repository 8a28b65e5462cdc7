//! Breadth-first search with one bit a state over a [`RowSpace`], whole.
//!
//! The space is bipartite: states at distance `d` lie in rows of the parity of `d`. The pass for depth `d` marks, in the
//! rows of its parity, every column that has a marked neighbour. All marks of the other parity are at most `d − 1` deep,
//! so what is new is exactly `d` deep, and no bit is needed to tell the last layer from the ones before it: they lead
//! nowhere new. A pass reads rows of one parity and writes rows of the other, so threads share nothing that they change.
//!
//! Row by row and turn by turn, marks are *pushed* (every marked column of the neighbouring row is looked at) or *pulled*
//! (every unmarked column of the row itself is), whichever are fewer.
//!
//! A row that a pass was stopped in is given up, and its file has it as it was before. So a search may be stopped anywhere
//! and goes on, from its files, row by row to the same rows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use thiserror::Error;

use super::row::{Entry, History, RowError, Words, ones};
use super::shelf::Shelf;
use crate::gpu::Fault;
use crate::puzzles::index_space::mix;
use crate::puzzles::rows::{RowSpace, Way};

/// Rows with less than one marked column in so many are pushed from a list of them.
const FEW: u64 = 200;
/// A pass keeps the addresses that it finds in a row, up to [`KEPT`], when no more than so many columns are left there.
const SEARCHED: u64 = 1 << 22;
const KEPT: u64 = 1 << 13;
/// How often the stop flag and the clock are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Why a search failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum OneBitError {
    #[error(transparent)]
    Row(#[from] RowError),
    #[error(transparent)]
    Carry(#[from] CarryError),
    #[error(
        "the rows of the checkpoint do not belong together: row {row} stands at depth {found}, and the others at {expected}; \
        start again in an empty folder"
    )]
    Torn { row: usize, found: String, expected: String },
}

/// Why marks could not be carried.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum CarryError {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(
        "kernel {kernel} and its CPU twin diverge in row {row}, turn {turn}, {way:?}\nfirst differing word {word}: GPU \
        {gpu:#018x}, CPU {cpu:#018x}"
    )]
    Divergence { kernel: &'static str, row: usize, turn: usize, way: Way, word: usize, gpu: u64, cpu: u64 },
}

/// Carries marks from one row into another.
pub trait Carrier: Sync {
    /// Row, turn and way as in [`RowSpace`]; false when halted, with part of the work done.
    ///
    /// # Errors
    /// A [`CarryError`].
    fn carry(
        &self,
        what: (usize, usize, Way),
        from: &[u64],
        into: &mut [u64],
        halt: &AtomicBool,
    ) -> Result<bool, CarryError>;
}

/// The CPU path.
pub fn host(
    space: &impl RowSpace,
    (row, turn, way): (usize, usize, Way),
    from: &[u64],
    into: &mut [u64],
    halt: &AtomicBool,
) -> bool {
    match way {
        Way::Push => space.push(row, turn, from, into, halt),
        Way::Pull => space.pull(row, turn, from, into, halt),
    }
}

/// A layer of the space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layer {
    /// Distance from the start.
    pub depth: u32,
    /// States.
    pub states: u64,
    /// Columns.
    pub columns: u64,
    /// Order-free digest of all rows of this parity after the pass: the wrapping sum over rows of their mixed CRC-32s.
    pub digest: u64,
    /// Neighbours looked at.
    pub looked_at: u64,
    /// Time, summed over threads, in seconds.
    pub thread_seconds: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All reachable states are marked.
    Whole,
    /// Stopped by the flag.
    Stopped,
    /// Out of time.
    OutOfTime,
}

/// How far a pass is.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The depth that the pass is for.
    pub depth: u32,
    /// Rows done.
    pub rows: usize,
    /// Rows of the pass.
    pub of: usize,
}

/// A search, by its rows.
pub struct OneBit<'a, S> {
    space: &'a S,
    shelf: Shelf,
    /// In place of the CPU path.
    carrier: Option<&'a dyn Carrier>,
    /// Time between two savings within a pass.
    save_every: Duration,
    /// By row and turn: where the turn leads.
    neighbours: Vec<Vec<usize>>,
    saved: Mutex<Instant>,
}

impl<'a, S: RowSpace> OneBit<'a, S> {
    /// A search that begins, or goes on with what the shelf has. Without a carrier it runs on the CPU.
    ///
    /// # Errors
    /// Rows that do not belong together, and files that cannot be written.
    pub fn new(
        space: &'a S,
        shelf: Shelf,
        carrier: Option<&'a dyn Carrier>,
        save_every: Duration,
    ) -> Result<Self, OneBitError> {
        let neighbours =
            (0..space.rows()).map(|row| (0..space.turns()).map(|turn| space.neighbour(row, turn)).collect()).collect();
        let search = Self { space, shelf, carrier, save_every, neighbours, saved: Mutex::new(Instant::now()) };
        search.check()?;
        Ok(search)
    }

    fn rows(&self, depth: u32) -> impl Iterator<Item = usize> {
        (0..self.space.rows()).filter(move |row| self.space.parity(*row) == depth % 2)
    }

    /// The depth whose pass is next, or under way.
    fn next(&self) -> u32 {
        let depth = |row| self.shelf.history(row, |history| history.depth().map_or(0, |depth| depth + 2));
        let at_least = |parity: u32| self.rows(parity).map(|row| depth(row).max(parity)).min().unwrap_or(parity);
        at_least(0).min(at_least(1))
    }

    fn check(&self) -> Result<(), OneBitError> {
        let next = self.next();
        for row in 0..self.space.rows() {
            let found = self.shelf.history(row, History::depth);
            let before = |depth: u32| next.checked_sub(depth);
            let passing = self.space.parity(row) == next % 2;
            let allowed = if passing { [before(2), Some(next)] } else { [before(1), before(1)] };
            if !allowed.contains(&found) {
                let told = |depth: Option<u32>| depth.map_or("none".to_owned(), |depth| depth.to_string());
                let expected = format!("{} or {}", told(allowed[0]), told(allowed[1]));
                return Err(OneBitError::Torn { row, found: told(found), expected });
            }
        }
        Ok(())
    }

    /// The layer of a depth that all rows have passed.
    #[must_use]
    pub fn layer(&self, depth: u32) -> Option<Layer> {
        let mut layer = Layer { depth, ..Layer::default() };
        for row in self.rows(depth) {
            let entry = self.shelf.history(row, |history| history.at(depth).cloned())?;
            layer.states += entry.columns * self.space.weight(row);
            layer.columns += entry.columns;
            layer.digest = layer.digest.wrapping_add(mix(u32::try_from(row).unwrap_or(u32::MAX), entry.crc));
            layer.looked_at += entry.looked_at;
            layer.thread_seconds += entry.seconds;
        }
        Some(layer)
    }

    /// The layers so far, without the empty one that ends the search.
    #[must_use]
    pub fn layers(&self) -> Vec<Layer> {
        (0..).map_while(|depth| self.layer(depth)).take_while(|layer| layer.columns > 0).collect()
    }

    /// Row and address of the columns of the last layer, when all of them were kept.
    #[must_use]
    pub fn last_layer(&self) -> Option<Vec<(usize, u32)>> {
        let last = self.layers().last()?.depth;
        let mut all = Vec::new();
        for row in self.rows(last) {
            // No pass comes after the empty one of the other parity, so this was the row's last.
            let latest = self.shelf.history(row, |history| match history.at(last)?.columns {
                0 => Some(Vec::new()),
                _ => history.latest.clone(),
            });
            all.extend(latest?.into_iter().map(|address| (row, address)));
        }
        Some(all)
    }

    /// Searches on, to the end, until `stop` is set or until `limit` has passed. Tells of every row and every layer.
    ///
    /// # Errors
    /// Files that cannot be read or written, and memory that is not there.
    pub fn run(
        &self,
        stop: &AtomicBool,
        limit: Option<Duration>,
        told: &(impl Fn(Step) + Sync),
        layer_told: &(impl Fn(&Layer) + Sync),
    ) -> Result<Ended, OneBitError> {
        let (halt, done) = (AtomicBool::new(false), AtomicBool::new(false));
        let begun = Instant::now();
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if stop.load(Ordering::Relaxed) || limit.is_some_and(|limit| begun.elapsed() >= limit) {
                        halt.store(true, Ordering::Relaxed);
                    }
                    thread::sleep(GLANCE);
                }
            });
            let outcome = self.passes(&halt, told, layer_told);
            done.store(true, Ordering::Relaxed);
            outcome
        });
        Ok(match outcome? {
            true => Ended::Whole,
            false if stop.load(Ordering::Relaxed) => Ended::Stopped,
            false => Ended::OutOfTime,
        })
    }

    fn passes(
        &self,
        halt: &AtomicBool,
        told: &(impl Fn(Step) + Sync),
        layer_told: &(impl Fn(&Layer) + Sync),
    ) -> Result<bool, OneBitError> {
        loop {
            let depth = self.next();
            if depth > 0 && self.layer(depth - 1).is_some_and(|layer| layer.columns == 0) {
                return Ok(true);
            }
            if halt.load(Ordering::Relaxed) {
                self.shelf.save_all()?;
                return Ok(false);
            }
            self.pass(depth, halt, told)?;
            self.shelf.save_all()?;
            match self.layer(depth) {
                Some(layer) if layer.columns > 0 => layer_told(&layer),
                _ => {}
            }
        }
    }

    fn pass(&self, depth: u32, halt: &AtomicBool, told: &(impl Fn(Step) + Sync)) -> Result<(), OneBitError> {
        let rows: Vec<usize> = self.rows(depth).collect();
        let left: Vec<usize> =
            rows.iter().copied().filter(|row| self.shelf.history(*row, History::depth) != Some(depth)).collect();
        let finished = Mutex::new(rows.len() - left.len());
        let lists: Vec<Lists> = (0..self.space.rows()).map(|_| OnceLock::new()).collect();
        // Rows one by one: those of a thread's share side by side would leave the others idle at the end.
        left.into_par_iter().with_max_len(1).try_for_each(|row| {
            if halt.load(Ordering::Relaxed) || !self.pass_row(row, depth, halt, &lists)? {
                return Ok(());
            }
            let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            *finished += 1;
            told(Step { depth, rows: *finished, of: rows.len() });
            drop(finished);
            self.save_if_due()
        })
    }

    fn save_if_due(&self) -> Result<(), OneBitError> {
        let Ok(mut saved) = self.saved.try_lock() else { return Ok(()) };
        if saved.elapsed() >= self.save_every {
            self.shelf.save_all()?;
            *saved = Instant::now();
        }
        Ok(())
    }

    /// False when it was stopped; what was done to the row is then lost.
    fn pass_row(&self, row: usize, depth: u32, halt: &AtomicBool, lists: &[Lists]) -> Result<bool, OneBitError> {
        let begun = Instant::now();
        let mut history = self.shelf.history(row, History::clone);
        let mut words = self.shelf.take(row)?;
        let (all, before) = (self.space.columns(), history.columns());
        let unmarked = (all - before <= SEARCHED).then(|| self.unmarked(row, &words, before));
        let mut looked_at = 0;
        if depth == 0 {
            for (_, address) in self.space.start().into_iter().filter(|(start, _)| *start == row) {
                words[address as usize / 64] |= 1 << (address % 64);
            }
        } else {
            match self.turns(row, &mut words, halt, lists)? {
                Some(looked) => looked_at = looked,
                None => return Ok(false),
            }
        }
        let columns = words.marked() - before;
        history.latest = unmarked.filter(|_| columns <= KEPT).map(|unmarked| {
            let is_marked = |address: &u32| words[*address as usize / 64] >> (address % 64) & 1 == 1;
            unmarked.into_iter().filter(is_marked).collect()
        });
        let seconds = begun.elapsed().as_secs_f64();
        history.entries.push(Entry { depth, columns, crc: words.checksum(), looked_at, seconds });
        self.shelf.put(row, words, history)?;
        Ok(true)
    }

    /// The addresses of the columns that are not marked.
    fn unmarked(&self, row: usize, words: &Words, marked: u64) -> Vec<u32> {
        let mask = self.space.mask(row);
        let mut unmarked = Vec::with_capacity(usize::try_from(self.space.columns() - marked).unwrap_or(0));
        for (number, word) in (0u32..).zip(words.iter()) {
            unmarked.extend(ones(!word & mask).map(|bit| number * 64 + bit));
        }
        unmarked
    }

    /// All turns of a row: the neighbours looked at, or none when stopped.
    fn turns(
        &self,
        row: usize,
        words: &mut Words,
        halt: &AtomicBool,
        lists: &[Lists],
    ) -> Result<Option<u64>, OneBitError> {
        let all = self.space.columns();
        let mut looked_at = 0;
        for turn in 0..self.space.turns() {
            let neighbour = self.neighbours[row][turn];
            let marked = self.shelf.history(neighbour, History::columns);
            if marked == 0 {
                continue;
            }
            if marked * FEW < all {
                looked_at += marked;
                if lists[neighbour].get().is_none() {
                    // Another thread may make the same list meanwhile; they are equal.
                    let from = self.shelf.read(neighbour)?;
                    let mut list = Vec::with_capacity(usize::try_from(marked).unwrap_or(0));
                    list.extend(from.addresses());
                    let _ = lists[neighbour].set(list);
                }
                if let Some(list) = lists[neighbour].get() {
                    self.space.push_few(row, turn, list, words);
                }
                if halt.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                continue;
            }
            let unmarked = all - words.marked();
            if unmarked == 0 {
                break;
            }
            looked_at += marked.min(unmarked);
            let from = self.shelf.read(neighbour)?;
            let what = (row, turn, if marked < unmarked { Way::Push } else { Way::Pull });
            let whole = match self.carrier {
                Some(carrier) => carrier.carry(what, &from, words, halt)?,
                None => host(self.space, what, &from, words, halt),
            };
            if !whole {
                return Ok(None);
            }
        }
        Ok(Some(looked_at))
    }
}

/// The addresses of the marked columns of a row, where they are few.
type Lists = OnceLock<Vec<u32>>;

#[cfg(test)]
#[path = "onebit_tests.rs"]
mod tests;
