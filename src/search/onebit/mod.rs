//! Breadth-first search with one bit a state over a [`RowSpace`], whole.
//!
//! The space is bipartite: states at distance `d` lie in rows of the parity of `d`. The pass for depth `d` marks, in the
//! rows of its parity, every column that has a marked neighbour. All marks of the other parity are at most `d − 1` deep,
//! so what is new is exactly `d` deep, and no bit is needed to tell the last layer from the ones before it: they lead
//! nowhere new. A pass reads rows of one parity and writes rows of the other, so threads share nothing that they change.
//!
//! Row by row and turn by turn, marks are *pushed* (every marked column of the neighbouring row is looked at) or *pulled*
//! (every unmarked column of the row itself is), whichever are fewer. Rows with few marks are lists of them, and a row
//! without marks takes no memory.
//!
//! A row that a pass was stopped in is given up, and its file has it as it was before. So a search may be stopped anywhere
//! and goes on, from its files, row by row to the same rows. Several processes may share the rows of one folder out among
//! them ([`Bundles`]): each passes its own, waits until the others' files show the pass finished, and reads those.

pub mod bundles;
pub mod gpu;
pub mod marks;
pub mod row;
pub mod shelf;
pub mod target;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use thiserror::Error;

use self::bundles::Bundles;
use self::marks::Marks;
use self::row::{History, RowError};
use self::shelf::{Shelf, Traffic};
use self::target::Target;
use crate::gpu::Fault;
use crate::puzzles::index_space::mix;
use crate::puzzles::rows::{RowSpace, Way};

/// How often the stop flag and the clock are looked at, and other processes' files, which are left alone for longer as
/// the wait goes on.
const GLANCE: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

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
    /// Neighbours looked at; where a turn takes a part of a row, that share of the row's.
    pub looked_at: u64,
    /// Time, summed over threads, in seconds.
    pub thread_seconds: f64,
    /// What this run read from files and wrote to them in the pass.
    pub traffic: Traffic,
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
    /// At the depth that was asked for.
    Deep,
}

/// Where a search ends before it is whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// After this time.
    pub time: Option<Duration>,
    /// With this layer.
    pub depth: Option<u32>,
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
    /// What the pass has read and written.
    pub traffic: Traffic,
}

/// A search, by its rows.
pub struct OneBit<'a, S> {
    space: &'a S,
    shelf: Shelf,
    /// In place of the CPU path.
    carrier: Option<&'a dyn Carrier>,
    /// Time between two savings within a pass.
    save_every: Duration,
    bundles: Bundles,
    /// The checksum of a row without marks.
    nothing: u32,
    /// By depth.
    traffic: Mutex<BTreeMap<u32, Traffic>>,
    saved: Mutex<Instant>,
}

impl<'a, S: RowSpace> OneBit<'a, S> {
    /// A search that begins, or goes on with what the shelf has. Without a carrier it runs on the CPU.
    ///
    /// # Errors
    /// Rows that do not belong together, and files that cannot be written.
    pub fn new(
        space: &'a S,
        bundles: Bundles,
        shelf: Shelf,
        carrier: Option<&'a dyn Carrier>,
        save_every: Duration,
    ) -> Result<Self, OneBitError> {
        let nothing = Marks::Few(Vec::new()).checksum(space.words());
        let (traffic, saved) = (Mutex::default(), Mutex::new(Instant::now()));
        let search = Self { space, shelf, carrier, save_every, bundles, nothing, traffic, saved };
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
        let traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
        layer.traffic = traffic.get(&depth).copied().unwrap_or_default();
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

    /// Searches on, to the end, until `stop` is set or to a limit. Tells of every bundle of rows and every layer.
    ///
    /// # Errors
    /// Files that cannot be read or written, and memory that is not there.
    pub fn run(
        &self,
        stop: &AtomicBool,
        limits: Limits,
        told: &(impl Fn(Step) + Sync),
        layer_told: &(impl Fn(&Layer) + Sync),
    ) -> Result<Ended, OneBitError> {
        let (halt, done) = (AtomicBool::new(false), AtomicBool::new(false));
        let begun = Instant::now();
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if stop.load(Ordering::Relaxed) || limits.time.is_some_and(|limit| begun.elapsed() >= limit) {
                        halt.store(true, Ordering::Relaxed);
                    }
                    thread::sleep(GLANCE);
                }
            });
            let outcome = self.passes(&halt, limits.depth, told, layer_told);
            done.store(true, Ordering::Relaxed);
            outcome
        });
        Ok(match outcome? {
            Some(ended) => ended,
            None if stop.load(Ordering::Relaxed) => Ended::Stopped,
            None => Ended::OutOfTime,
        })
    }

    /// None when halted.
    fn passes(
        &self,
        halt: &AtomicBool,
        deepest: Option<u32>,
        told: &(impl Fn(Step) + Sync),
        layer_told: &(impl Fn(&Layer) + Sync),
    ) -> Result<Option<Ended>, OneBitError> {
        loop {
            let depth = self.next();
            if depth > 0 && self.layer(depth - 1).is_some_and(|layer| layer.columns == 0) {
                return Ok(Some(Ended::Whole));
            }
            if deepest.is_some_and(|deepest| depth > deepest) {
                return Ok(Some(Ended::Deep));
            }
            if halt.load(Ordering::Relaxed) {
                self.shelf.save_all()?;
                return Ok(None);
            }
            let before = self.shelf.traffic();
            self.pass(depth, halt, told)?;
            self.shelf.save_all()?;
            self.traffic
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(depth, self.shelf.traffic().since(before));
            if !self.await_others(depth, halt)? {
                return Ok(None);
            }
            match self.layer(depth) {
                Some(layer) if layer.columns > 0 => layer_told(&layer),
                _ => {}
            }
        }
    }

    /// Waits until the rows that are passed elsewhere are so; false when halted.
    fn await_others(&self, depth: u32, halt: &AtomicBool) -> Result<bool, OneBitError> {
        let mut wait = GLANCE;
        for row in self.rows(depth).filter(|row| !self.bundles.is_own(*row)) {
            loop {
                let found = self.shelf.history(row, History::depth);
                if found >= Some(depth) || self.shelf.look_again(row)? >= Some(depth) {
                    break;
                }
                let until = Instant::now() + wait;
                while Instant::now() < until {
                    if halt.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    thread::sleep(GLANCE);
                }
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
        self.check()?;
        Ok(!halt.load(Ordering::Relaxed))
    }

    fn pass(&self, depth: u32, halt: &AtomicBool, told: &(impl Fn(Step) + Sync)) -> Result<(), OneBitError> {
        let begun = self.shelf.traffic();
        let undone = |row: &usize| self.shelf.history(*row, History::depth) != Some(depth);
        let own: Vec<Vec<usize>> = self.bundles.own(depth % 2).collect();
        let of: usize = own.iter().map(Vec::len).sum();
        let left: Vec<Vec<usize>> = own
            .into_iter()
            .map(|bundle| bundle.into_iter().filter(undone).collect::<Vec<_>>())
            .filter(|bundle| !bundle.is_empty())
            .collect();
        let finished = Mutex::new(of - left.iter().map(Vec::len).sum::<usize>());
        // One after the other, whichever thread is free: so they share what they read.
        left.into_iter().par_bridge().try_for_each(|bundle| {
            if halt.load(Ordering::Relaxed) || !self.pass_bundle(&bundle, depth, halt)? {
                return Ok(());
            }
            let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            *finished += bundle.len();
            told(Step { depth, rows: *finished, of, traffic: self.shelf.traffic().since(begun) });
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

    /// False when it was stopped; what was done to the rows is then lost.
    fn pass_bundle(&self, bundle: &[usize], depth: u32, halt: &AtomicBool) -> Result<bool, OneBitError> {
        // Each neighbour once: it, and what it is wanted for.
        let mut wanted: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut expected = vec![0; bundle.len()];
        for (at, row) in bundle.iter().enumerate() {
            for (turn, neighbour) in self.bundles.neighbours(*row) {
                let marked = self.shelf.history(neighbour, History::columns);
                if marked > 0 {
                    wanted.entry(neighbour).or_default().push((at, turn));
                    expected[at] += marked.div_ceil(self.space.share(turn));
                }
            }
        }
        let mut targets = Vec::with_capacity(bundle.len());
        for (row, expected) in bundle.iter().zip(expected) {
            let history = self.shelf.history(*row, History::clone);
            targets.push(Target::new(self.space, *row, self.shelf.take(*row)?, history, expected)?);
        }
        if depth == 0 {
            for (row, address) in self.space.start() {
                targets.iter_mut().filter(|target| target.row() == row).for_each(|target| target.mark(address));
            }
        } else {
            for (neighbour, wanted) in wanted {
                if wanted.iter().all(|(at, _)| targets[*at].is_full()) {
                    continue;
                }
                let from = self.shelf.read(neighbour)?;
                let marked = self.shelf.history(neighbour, History::columns);
                for (at, turn) in wanted {
                    if !targets[at].carry(self.carrier, turn, (&from, marked), halt)? || halt.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                }
            }
        }
        for target in targets {
            let (row, marks, history) = target.finish(depth, self.nothing)?;
            self.shelf.put(row, marks, history)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
