//! Rows: bottom triangles grown upwards row by row, the method that measured best.
//!
//! [`search`] says how a row is put on, and what is counted as a node and a step; [`bounds`] has the bounds that cut
//! triangles off, with their proofs; [`prefixes`] is the index space: an index is a valid bottom triangle of three or four
//! rows, and stands for all triangles above it. A run is one index; it is a hit when there is at least one solution
//! above it, and `found` counts those. Of two mirror images only the one whose second row ascends is found.
//!
//! Work is counted in steps. Nodes and steps of an index include those of its prefix, but not those of the rows below,
//! which [`Rows::below`] has for the whole list.

#![expect(clippy::cast_possible_truncation, reason = "orders and values below 257; random words")]

pub mod bounds;
mod kernel;
pub mod prefixes;
pub mod search;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::bounds::{Bounds, MOST_ROWS, Row, Which};
pub use self::kernel::KERNEL;
use self::prefixes::{Prefixes, unpack};
use self::search::{Counter, Counts, Search, Watcher, words};
use super::rules::Triangle;
use super::{BilliardError, BilliardSpace, Solver, mirror_images};
use crate::kernel::Kernel;
use crate::puzzles::index_space::{IndexSpace, Lanes, Tally, mix};

/// The largest value that a triangle may hold.
pub const MOST_VALUES: usize = 256;

/// The space of bottom triangles.
#[derive(Clone, Debug)]
pub struct Rows {
    order: usize,
    max: usize,
    bounds: Arc<Bounds>,
    prefixes: Arc<Prefixes>,
}

/// Calls a function with the width of the space's sets as its constant.
macro_rules! by_width {
    ($max:expr, $width:ident => $call:expr) => {
        match words($max) {
            1 => {
                const $width: usize = 1;
                $call
            }
            2 => {
                const $width: usize = 2;
                $call
            }
            _ => {
                const $width: usize = 4;
                $call
            }
        }
    };
}

impl Rows {
    /// Triangles of `order` (1..=16) rows of the values `1..=max` (at most 256).
    ///
    /// # Errors
    /// When either is out of range, or `max` is below the number of entries.
    pub fn new(order: usize, max: usize) -> Result<Self, BilliardError> {
        Self::with(order, max, Which::ALL)
    }

    /// The same with only these bounds: the tests show that none of them loses a solution.
    ///
    /// # Errors
    /// As [`Rows::new`].
    pub fn with(order: usize, max: usize, which: Which) -> Result<Self, BilliardError> {
        Solver::Rows.check(order, max, MOST_ROWS, MOST_VALUES)?;
        let bounds = Bounds::new(order, max, which);
        let prefixes = by_width!(max, W => Prefixes::new::<W>(order, max, &bounds));
        Ok(Self { order, max, bounds: Arc::new(bounds), prefixes: Arc::new(prefixes) })
    }

    /// The nodes below the prefixes and the steps that listed them.
    #[must_use]
    pub fn below(&self) -> Counts {
        self.prefixes.below
    }

    /// Rows of a prefix.
    #[must_use]
    pub fn prefix_rows(&self) -> usize {
        self.prefixes.rows
    }

    /// A random part of the search above a prefix: above the prefix, two rows of nodes are followed up with a chance of 1 in
    /// `THINNING` each, and what is met is weighed by how unlikely it was, so that the estimate is right on average.
    #[must_use]
    pub fn sample(&self, index: u128, seed: u64) -> Probe {
        let mut sampler = Sampler::new(self.order, self.prefixes.rows, seed);
        let mut probe = Probe::default();
        self.search(index..index + 1, &mut sampler, |_, counts, sampler| {
            // The prefix itself is a node too.
            probe = Probe { nodes: sampler.nodes + 1.0, work: sampler.steps, done: counts.steps };
        });
        probe
    }

    /// Searches above the prefixes with these numbers, one after the other; `watcher` sees what the search meets, `each`
    /// gets what each one yields.
    fn search<V: Watcher>(&self, range: Range<u128>, watcher: &mut V, mut each: impl FnMut(u128, Counts, &mut V)) {
        by_width!(self.max, W => {
            let mut search = Search::<W>::new(&self.bounds, self.order);
            for index in range {
                let Some(&prefix) = usize::try_from(index).ok().and_then(|index| self.prefixes.list.get(index)) else {
                    return;
                };
                let (row, fresh) = unpack(prefix, self.prefixes.rows, self.max);
                let counts = search.run(self.prefixes.rows, &row, fresh, watcher);
                each(index, counts, watcher);
            }
        });
    }
}

impl Rows {
    fn tally<V: Watcher>(&self, range: Range<u128>, watcher: &mut V) -> Tally {
        let mut tally = Tally::default();
        self.search(range, watcher, |index, counts, _| {
            tally.enter_tree(index, counts.nodes, counts.steps, counts.found);
            if counts.found != 0 {
                tally.hits.push(index);
            }
        });
        tally
    }
}

/// Searches on until it is told to stop.
struct Stoppable<'s> {
    stop: &'s AtomicBool,
}

impl Watcher for Stoppable<'_> {
    const SOLUTIONS: bool = false;

    fn enter(&mut self, _: usize, _: &Row) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

impl IndexSpace for Rows {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn size(&self) -> u128 {
        self.prefixes.list.len() as u128
    }

    fn run_length(&self) -> u32 {
        1
    }

    fn indices_per_second(&self) -> f64 {
        // Steps above a prefix at the least M with a solution, roughly, at some fifty million a second; fewer values take less.
        const STEPS: [f64; MOST_ROWS + 1] =
            [1.0, 1.0, 1.0, 1.0, 10.0, 10.0, 20.0, 80.0, 300.0, 2e3, 2e4, 3e4, 3e5, 2e7, 5e8, 1e10, 1e12];
        5e7 / STEPS[self.order.min(MOST_ROWS)]
    }

    fn constants(&self) -> Vec<u32> {
        vec![kernel::TURNS, kernel::TRIES]
    }

    fn run_words(&self, _: u128) -> Vec<u32> {
        [self.order, self.max, self.prefixes.rows].map(|value| value as u32).to_vec()
    }

    fn lanes(&self) -> Option<Lanes> {
        Some(kernel::lanes(self.order, &self.bounds))
    }

    fn tables(&self) -> Vec<Arc<[u32]>> {
        vec![kernel::tables(self.order, &self.bounds).into()]
    }

    fn items(&self, batch: &Range<u128>) -> Vec<u32> {
        let place = |index: u128| usize::try_from(index).unwrap_or(usize::MAX).min(self.prefixes.list.len());
        let prefixes = &self.prefixes.list[place(batch.start)..place(batch.end)];
        prefixes.iter().map(|prefix| u32::from_le_bytes(*prefix)).collect()
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        self.tally(range, &mut Counter)
    }

    fn walk_unless(&self, range: Range<u128>, stop: &AtomicBool) -> Option<Tally> {
        // Once told to stop the watcher lets nothing more be searched, so that what comes of it is worth nothing.
        let tally = self.tally(range, &mut Stoppable { stop });
        (!stop.load(Ordering::Relaxed)).then_some(tally)
    }
}

/// One in how many nodes a sample follows up, by order; two rows are thinned so.
const THINNING: [u32; MOST_ROWS + 1] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 128];

/// Part of a search, and what it stands for.
struct Sampler {
    order: usize,
    /// The rows of nodes that are thinned.
    thinned: Range<usize>,
    one_in: u32,
    state: u64,
    nodes: f64,
    steps: f64,
}

/// What a sample of one index says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probe {
    /// Estimate of its nodes.
    pub nodes: f64,
    /// Estimate of its steps.
    pub work: f64,
    /// Steps that were taken.
    pub done: u64,
}

impl Sampler {
    fn new(order: usize, prefix_rows: usize, seed: u64) -> Self {
        let thinned = prefix_rows + 1..prefix_rows + 3;
        Self { order, thinned, one_in: THINNING[order], state: seed, nodes: 0.0, steps: 0.0 }
    }

    /// What a node of this many rows, or a step above one, stands for.
    fn weight(&self, rows: usize) -> f64 {
        let passed = self.thinned.clone().filter(|&row| row < rows).count();
        f64::from(self.one_in).powi(i32::try_from(passed).unwrap_or(0))
    }
}

impl Watcher for Sampler {
    const SOLUTIONS: bool = true;

    fn enter(&mut self, rows: usize, _: &Row) -> bool {
        self.nodes += self.weight(rows);
        if rows == self.order || !self.thinned.contains(&rows) {
            return true;
        }
        let drawn = mix((self.state >> 32) as u32, self.state as u32);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((drawn >> 32) as u32).is_multiple_of(self.one_in)
    }

    fn steps(&mut self, rows: usize, steps: u64) {
        self.steps += self.weight(rows + 1) * steps as f64;
    }
}

/// Keeps the top rows of the solutions.
struct Keeper {
    order: usize,
    tops: Vec<Row>,
}

impl Watcher for Keeper {
    const SOLUTIONS: bool = true;

    fn enter(&mut self, rows: usize, row: &Row) -> bool {
        if rows == self.order {
            self.tops.push(*row);
        }
        true
    }
}

impl BilliardSpace for Rows {
    fn order(&self) -> usize {
        self.order
    }

    fn max(&self) -> usize {
        self.max
    }

    fn unit(&self) -> &'static str {
        "prefixes"
    }

    fn below(&self) -> Option<(u64, u64)> {
        Some((self.prefixes.below.nodes, self.prefixes.below.steps))
    }

    fn weight(&self) -> u64 {
        mirror_images(self.order)
    }

    fn expand(&self, index: u128) -> Result<Vec<Triangle>, BilliardError> {
        let mut keeper = Keeper { order: self.order, tops: Vec::new() };
        if self.prefixes.rows == self.order {
            let prefix = usize::try_from(index).ok().and_then(|index| self.prefixes.list.get(index));
            keeper.tops.extend(prefix.map(|&prefix| unpack(prefix, self.prefixes.rows, self.max).0));
        } else {
            self.search(index..index + 1, &mut keeper, |_, _, _| {});
        }
        if keeper.tops.is_empty() {
            return Err(BilliardError::Barren { index });
        }
        let max = u16::try_from(self.max).unwrap_or(u16::MAX);
        let triangles = keeper.tops.iter().map(|row| {
            let top: Vec<_> = row[..self.order].iter().map(|entry| entry.unsigned_abs()).collect();
            Triangle::from_top_row(&top, max).map_err(|violation| BilliardError::Refuted { index, violation })
        });
        triangles.collect()
    }
}
