//! Every board of a size: which have a solution, how long the shortest is, and whether it is the only one.
//!
//! The index of a board is its mask: bit `row · cols + col` says whether the square is there. Asked is either the way from
//! corner to corner, upright to upright, on the boards that have both corners, or the way between every two squares,
//! upright to upright, both ways round.
//!
//! The search settles many boards at once (`tree`); it goes from the last corner, whose squares are the high bits of the
//! mask, to the first, so that boards with neighbouring masks share most of it. By symmetry of the moves that is the same.
//!
//! `found` and `work` count boards (or pairs on boards) with a solution, and with only one shortest solution. The digest is a
//! sum over all boards of what was found there, so that it does not depend on how the boards were grouped:
//! `(2·length + 1)·mask + (2·start + 1)·(goals + 2·single)`, for each start and length, with the goals first reached then,
//! and those of them reached in a single way, as sets.

pub mod kernel;
mod planes;
mod tree;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

pub use self::kernel::{KERNEL_32, KERNEL_64};
use self::planes::Shape;
use self::tree::{Reached, Search};
use crate::kernel::Kernel;
use crate::puzzles::index_space::{IndexSpace, Lanes, Mark, Tally};

/// Squares of the largest boards.
pub const MOST_SQUARES: u32 = 64;
/// Squares of the largest boards between all of whose squares ways are counted: past that, counts pass 64 bits.
pub const MOST_SQUARES_FOR_PAIRS: u32 = 54;

/// Masks that a lane takes at a time, as a power of two: the more, the more boards share a pattern; the fewer, the more lanes of
/// a large device have something to do.
const RUN_BITS: u32 = 16;
const RUN_BITS_FOR_PAIRS: u32 = 12;
/// Batches that are marked for what is longest in them: as many of the longest are sure to be found again.
pub const MOST_MARKS: usize = 1000;

/// Moves after which the forks of a search are shared out among the threads.
const MOVES_TOGETHER: u32 = 3;

/// Why boards of a size are not searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardsError {
    /// A side of 0.
    #[error("boards of {rows}×{cols} have no squares: rows and columns are at least 1, e.g. --rows 4 --cols 5")]
    Empty {
        /// Rows.
        rows: u32,
        /// Columns.
        cols: u32,
    },
    /// More squares than a mask has bits.
    #[error("boards of {rows}×{cols} have more than {most} squares, which is the most{}: take fewer, e.g. --rows 5 --cols 6", if *pairs { " with --pairs" } else { "" })]
    TooLarge {
        /// Rows.
        rows: u32,
        /// Columns.
        cols: u32,
        /// The most squares.
        most: u32,
        /// Whether all pairs were asked for.
        pairs: bool,
    },
}

/// One answer: a board and what was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// The board.
    pub mask: u64,
    /// The square of the start, as a bit's number.
    pub start: u32,
    /// The square of the goal.
    pub goal: u32,
}

/// Boards with a shortest solution of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Moves.
    pub length: u32,
    /// Boards, or pairs on boards.
    pub boards: u64,
    /// Those with only one shortest solution.
    pub unique: u64,
}

/// All boards of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boards {
    shape: Shape,
    pairs: bool,
}

impl Boards {
    /// All boards of a size, from corner to corner or between all `pairs` of squares.
    ///
    /// # Errors
    /// When there are no squares, or more than a mask holds.
    pub fn new(rows: u32, cols: u32, pairs: bool) -> Result<Self, BoardsError> {
        if rows == 0 || cols == 0 {
            return Err(BoardsError::Empty { rows, cols });
        }
        let most = if pairs { MOST_SQUARES_FOR_PAIRS } else { MOST_SQUARES };
        if u64::from(rows) * u64::from(cols) > u64::from(most) {
            return Err(BoardsError::TooLarge { rows, cols, most, pairs });
        }
        Ok(Self { shape: Shape::new(rows, cols), pairs })
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.shape.rows
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self) -> u32 {
        self.shape.cols
    }

    /// Whether ways between all pairs of squares are counted.
    #[must_use]
    pub fn pairs(&self) -> bool {
        self.pairs
    }

    /// Questions that the boards of a range pose: boards with both corners, or ordered pairs of different squares, both
    /// present.
    #[must_use]
    pub fn questions(&self, range: &Range<u128>) -> u128 {
        let squares = self.shape.squares();
        let having = |ends: u128| count_having(range.end, ends) - count_having(range.start, ends);
        if !self.pairs {
            return having(1 | 1 << (squares - 1));
        }
        (0..squares).flat_map(|one| (0..one).map(move |other| 1 << one | 1 << other)).map(|ends| 2 * having(ends)).sum()
    }

    /// The boards by length, from a tally's counters; lengths that do not occur are left out.
    #[must_use]
    pub fn histogram(&self, tally: &Tally) -> Vec<Bar> {
        let bars = (0..).zip(tally.counters.chunks(2)).map(|(length, counts)| Bar {
            length,
            boards: counts[0],
            unique: counts.get(1).copied().unwrap_or(0),
        });
        bars.filter(|bar| bar.boards > 0).collect()
    }

    /// Leaves the marks of batches with the longest shortest solution, and of those with the longest that is the only one: the
    /// first [`MOST_MARKS`] of each.
    pub fn prune(&self, sum: &mut Tally) {
        sum.marks.sort_by_key(|mark| mark.batch.start);
        let longest = [false, true].map(|unique| longest(&sum.counters, unique));
        let mut kept = [0; 2];
        sum.marks.retain(|mark| {
            let kind = mark.counter as usize % 2;
            kept[kind] += usize::from(longest[kind] == Some(mark.counter));
            longest[kind] == Some(mark.counter) && kept[kind] <= MOST_MARKS
        });
    }

    /// The batches of a tally that hold instances of some length, ascending; see [`Boards::prune`].
    pub fn marked(tally: &Tally, length: u32, unique: bool) -> impl Iterator<Item = &Range<u128>> {
        let counter = 2 * length + u32::from(unique);
        tally.marks.iter().filter(move |mark| mark.counter == counter).map(|mark| &mark.batch)
    }

    /// The instances of a range with a shortest solution of some length, or only those where it is the only one: the first
    /// `most` by mask, start and goal. On all threads.
    #[must_use]
    pub fn of_length(&self, range: &Range<u128>, length: u32, unique: bool, most: usize) -> Vec<Instance> {
        let first = |mut instances: Vec<Instance>| {
            instances.sort_unstable();
            instances.truncate(most);
            instances
        };
        let enter = |here: &mut Vec<Instance>, start: u32, reached: Reached| {
            let goals = if unique { reached.single } else { reached.upright };
            if reached.length != length || goals == 0 {
                return;
            }
            for goal in ones(goals) {
                // The search goes backwards from corner to corner.
                let (start, goal) = if self.pairs { (start, goal) } else { (goal, start) };
                // Of the masks of a pattern the lowest are wanted: they come in ascending order.
                let masks = subsets(reached.open).map(|subset| reached.present | subset);
                here.extend(masks.take(most).map(|mask| Instance { mask, start, goal }));
            }
            if here.len() > most.saturating_mul(4).max(1 << 16) {
                *here = first(std::mem::take(here));
            }
        };
        let mut found: Vec<Instance> = Vec::new();
        for (present, open) in blocks(range) {
            // The masks of a block come before those of the next.
            if found.len() >= most {
                break;
            }
            let join = |one: Vec<Instance>, other: Vec<Instance>| first([one, other].concat());
            found.extend(first(self.search_together(present, open, &Vec::new, &enter, &join, &AtomicBool::new(false))));
        }
        found.truncate(most);
        found
    }

    /// The square to search from first, the last one, and the one to find, if any.
    fn ends(&self) -> (std::ops::RangeInclusive<u32>, Option<u32>) {
        let last = self.shape.squares() - 1;
        if self.pairs { (0..=last, None) } else { (last..=last, Some(0)) }
    }

    /// Searches all boards with the squares `present` and any of `open`.
    fn search(&self, present: u64, open: u64, stop: &AtomicBool, mut visit: impl FnMut(u32, Reached)) {
        let (starts, goal) = self.ends();
        for start in starts {
            Search::new(&self.shape, goal, |reached| visit(start, reached)).unless(stop).run(start, present, open);
        }
    }

    /// The same on all threads, each gathering what it reaches. Once `stop` is set what comes of it is worth nothing.
    fn search_together<T: Send>(
        &self,
        present: u64,
        open: u64,
        empty: &(impl Fn() -> T + Sync),
        enter: &(impl Fn(&mut T, u32, Reached) + Sync),
        join: &(impl Fn(T, T) -> T + Sync),
        stop: &AtomicBool,
    ) -> T {
        let (starts, goal) = self.ends();
        let from = |start: u32| {
            let mut begun = empty();
            let left = Search::new(&self.shape, goal, |reached| enter(&mut begun, start, reached)).begin(
                start,
                present,
                open,
                MOVES_TOGETHER,
            );
            let rest = left.into_par_iter().fold(empty, |mut sum, left| {
                if stop.load(Ordering::Relaxed) {
                    return sum;
                }
                Search::new(&self.shape, goal, |reached| enter(&mut sum, start, reached)).go_on(&left);
                sum
            });
            join(begun, rest.reduce(empty, join))
        };
        starts.into_par_iter().map(from).reduce(empty, join)
    }

    fn nothing(&self) -> Tally {
        Tally { counters: vec![0; self.counters()], ..Tally::default() }
    }

    fn run_bits(&self) -> u32 {
        (if self.pairs { RUN_BITS_FOR_PAIRS } else { RUN_BITS }).min(self.shape.squares())
    }
}

/// The last counter that is not 0, of all boards or of the unique.
fn longest(counters: &[u64], unique: bool) -> Option<u32> {
    let last = (0..).zip(counters).filter(|&(counter, &count)| count > 0 && counter % 2 == u32::from(unique)).last();
    last.map(|(counter, _)| counter)
}

/// Masks below `end` that have all of `ends`.
fn count_having(end: u128, ends: u128) -> u128 {
    // Masks that share the bits of `end` above one of its ones, and have a zero there: the bits below are free.
    (0..128)
        .filter(|bit| end >> bit & 1 == 1)
        .map(|bit| {
            let below = (1u128 << bit) - 1;
            let above = end & !below & !(1 << bit);
            if ends & !below & !above == 0 { 1u128 << (below & !ends).count_ones() } else { 0 }
        })
        .sum()
}

/// The places of the ones of a word, lowest first.
fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        place
    })
}

/// The subsets of a set, ascending.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset != set).then(|| subset.wrapping_sub(set) & set);
        Some(subset)
    })
}

/// A range of masks as blocks, each of all masks with some squares present and any of the lowest few.
fn blocks(range: &Range<u128>) -> impl Iterator<Item = (u64, u64)> {
    let (mut at, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let bits = at.trailing_zeros().min((end - at).ilog2());
        let block = u64::try_from(at).ok().zip(u64::try_from((1u128 << bits) - 1).ok());
        at += 1 << bits;
        block
    })
}

impl IndexSpace for Boards {
    fn kernel(&self) -> &'static Kernel {
        kernel::of(self.shape.squares())
    }

    fn size(&self) -> u128 {
        1 << self.shape.squares()
    }

    fn run_length(&self) -> u32 {
        1 << self.run_bits()
    }

    fn indices_per_second(&self) -> f64 {
        // Measured; the more squares, the more boards share a pattern.
        let squares = f64::from(self.shape.squares());
        if self.pairs { 4e6 * (0.13 * squares).exp2() } else { 2e7 * (0.28 * squares).exp2() }
    }

    fn counters(&self) -> usize {
        // No shortest way is longer than there are states.
        6 * self.shape.squares() as usize
    }

    fn indices_together(&self) -> u64 {
        // Of 36 squares a batch is a 32nd, which with pairs takes up to a minute of one core; what of the mask is the same in all
        // of a batch parts boards that a search from another side of the board would not tell apart.
        let squares = self.shape.squares();
        1 << squares.saturating_sub(5).clamp(self.run_bits(), 31)
    }

    fn most_indices_together(&self) -> u64 {
        // What has no goal takes no time, and lets batches grow: those after it are not to take hours.
        if self.pairs { 1 << 31 } else { 1 << 36 }
    }

    fn constants(&self) -> Vec<u32> {
        vec![self.shape.rows, self.shape.cols, self.pairs.into(), self.run_bits(), kernel::depth(self.shape.squares())]
    }

    fn run_words(&self, _: u128) -> Vec<u32> {
        self.shape.words()
    }

    fn lanes(&self) -> Option<Lanes> {
        Some(kernel::lanes(self.shape.squares()))
    }

    fn enter(&self, sum: &mut Tally, tally: Tally, batch: &Range<u128>) {
        let longest = [false, true].into_iter().filter_map(|unique| longest(&tally.counters, unique));
        sum.marks.extend(longest.map(|counter| Mark { counter, batch: batch.clone() }));
        sum.absorb(tally);
        self.prune(sum);
    }

    fn walk_together(&self, range: &Range<u128>, stop: &AtomicBool) -> Option<Tally> {
        // From corner to corner, pieces of the range share enough among their own boards.
        self.pairs.then(|| {
            let join = |mut sum: Tally, other: Tally| {
                sum.absorb(other);
                sum
            };
            let walked = blocks(range)
                .map(|(present, open)| self.search_together(present, open, &|| self.nothing(), &enter, &join, stop));
            walked.fold(self.nothing(), join)
        })
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        self.walk_unless(range, &AtomicBool::new(false)).unwrap_or_default()
    }

    fn walk_unless(&self, range: Range<u128>, stop: &AtomicBool) -> Option<Tally> {
        let mut tally = self.nothing();
        for (present, open) in blocks(&range) {
            self.search(present, open, stop, |start, reached| enter(&mut tally, start, reached));
        }
        (!stop.load(Ordering::Relaxed)).then_some(tally)
    }
}

/// Enters what was reached on the boards of a pattern.
fn enter(tally: &mut Tally, start: u32, reached: Reached) {
    let Reached { length, present, open, upright, single } = reached;
    let boards = 1u64.checked_shl(open.count_ones()).unwrap_or(0);
    let goals = boards * u64::from(upright.count_ones());
    let singles = boards * u64::from(single.count_ones());
    tally.found += goals;
    tally.work += singles;
    tally.counters[2 * length as usize] += goals;
    tally.counters[2 * length as usize + 1] += singles;
    // Over all subsets of the open squares each is present in half of them.
    let masks = present.wrapping_mul(boards).wrapping_add(open.wrapping_mul(boards >> 1));
    let ends = upright.wrapping_add(single << 1).wrapping_mul(boards);
    let sum = masks.wrapping_mul(2 * u64::from(length) + 1).wrapping_add(ends.wrapping_mul(2 * u64::from(start) + 1));
    tally.digest = tally.digest.wrapping_add(sum);
}

#[cfg(test)]
mod tests;
