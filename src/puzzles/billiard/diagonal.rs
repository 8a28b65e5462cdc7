//! The diagonals: the top row from the left, entry by entry, each completing one diagonal, given up at the first repeat.
//!
//! The index space is the starts of top rows, all but their last three entries or, where that leaves too much to one
//! invocation, their last two, and at least one; lexicographically. A run is one start; a start is a hit when at least one
//! solution begins so, and `found` counts those solutions. Of two mirror images only the one whose top row ends higher
//! than it starts is found.
//!
//! Work is counted in entries tried: those of the start up to the first that can't stand, then those searched below.
//! Twin of `shaders/billiard/diagonal.wgsl`.

use std::ops::Range;

use super::arrangement::{digits, number};
use super::row::{self, MOST_ENTRIES, MOST_VALUES, Prefixes, Row};
use super::rules::{Triangle, balls};
use super::{BilliardError, BilliardSpace, END, Solver, mirror_images};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::{BINDINGS, IndexSpace, Tally};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "billiard/diagonal",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/common/index_space.wgsl"),
        include_str!("../../../shaders/billiard/arrangement.wgsl"),
        include_str!("../../../shaders/billiard/row.wgsl"),
        include_str!("../../../shaders/billiard/diagonal.wgsl"),
    ],
    bindings: BINDINGS,
    constants: &["ORDER", "MAX", "FIXED"],
    twin,
    trials,
};

/// Entries that an index leaves open at most.
const OPEN: usize = 3;
/// Turns of the kernel's search loop that one index may take. It bounds a dispatch, and Mesa's llvmpipe cuts an invocation
/// short once all its loops together have turned 65,535 times.
const MOST_TURNS: usize = 65_000;

/// The space of the starts of top rows.
#[derive(Clone, Copy, Debug)]
pub struct Diagonal {
    order: usize,
    max: usize,
    /// Entries that an index fixes.
    fixed: usize,
}

/// An upper bound of the turns of the kernel's search loop below `fixed` entries: one for each entry tried, and one to go
/// back from each that is not the last. The triangle under `k` entries takes up k(k+1)/2 values.
fn turns(order: usize, max: usize, fixed: usize) -> usize {
    let (mut turns, mut tried) = (1, 1);
    for place in fixed..order {
        tried *= max - balls(place);
        turns += if place + 1 == order { tried } else { 2 * tried };
    }
    turns
}

impl Diagonal {
    /// Starts of top rows of `order` (1..=8) of the values `1..=max` (at most 64).
    ///
    /// # Errors
    /// When either is out of range, or `max` is below the number of entries.
    pub fn new(order: usize, max: usize) -> Result<Self, BilliardError> {
        Solver::Diagonal.check(order, max, MOST_ENTRIES, MOST_VALUES)?;
        let start = order.saturating_sub(OPEN).max(1);
        let fixed = (start..order).find(|&fixed| turns(order, max, fixed) <= MOST_TURNS).unwrap_or(order);
        Ok(Self { order, max, fixed })
    }

    /// Searches the rows that start with the first `count` entries; hands over each solution, and returns the entries
    /// tried.
    fn descend(&self, row: &mut Row, count: usize, found: &mut impl FnMut(&Row)) -> u64 {
        if count == self.order {
            found(row);
            return 0;
        }
        let mut candidates = row.candidates(count);
        if count + 1 == self.order {
            candidates &= row::above(row.entry(0));
        }
        let mut tried = u64::from(candidates.count_ones());
        while candidates != 0 {
            let value = row::lowest(candidates);
            candidates &= candidates - 1;
            if row.place(count, value) {
                tried += self.descend(row, count + 1, found);
            }
        }
        tried
    }
}

impl IndexSpace for Diagonal {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn indices_per_second(&self) -> f64 {
        // Measured: a hundred million entries tried a second, and of the turns an index may take so many are taken.
        let share = match self.order {
            ..=5 => 0.5,
            6 => 0.05,
            7 => 0.007,
            _ => 0.001,
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 65,000")]
        let turns = turns(self.order, self.max, self.fixed) as f64;
        1e8 / (10.0 + share * turns)
    }

    fn size(&self) -> u128 {
        number(self.fixed, self.max)
    }

    fn run_length(&self) -> u32 {
        1
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 8 and 64")]
    fn constants(&self) -> Vec<u32> {
        vec![self.order as u32, self.max as u32, self.fixed as u32]
    }

    fn run_words(&self, first_run: u128) -> Vec<u32> {
        digits(first_run, self.fixed, self.max)
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        let mut tally = Tally::default();
        let mut prefix = Prefixes::from(range.start, self.fixed, self.max);
        for index in range {
            let mut work = prefix.tried();
            let mut found = 0;
            if prefix.stands() {
                work += self.descend(&mut prefix.row, self.fixed, &mut |_| found += 1);
            }
            tally.enter_run(index, work, found);
            if found != 0 {
                tally.hits.push(index);
            }
            prefix.step();
        }
        tally
    }
}

impl BilliardSpace for Diagonal {
    fn order(&self) -> usize {
        self.order
    }

    fn max(&self) -> usize {
        self.max
    }

    fn unit(&self) -> &'static str {
        "prefixes"
    }

    fn weight(&self) -> u64 {
        mirror_images(self.order)
    }

    fn expand(&self, index: u128) -> Result<Vec<Triangle>, BilliardError> {
        let mut prefix = Prefixes::from(index, self.fixed, self.max);
        let mut tops = Vec::new();
        if prefix.stands() {
            self.descend(&mut prefix.row, self.fixed, &mut |row| {
                tops.push((0..self.order).map(|place| row.entry(place)).collect::<Vec<_>>());
            });
        }
        if tops.is_empty() {
            return Err(BilliardError::Barren { index });
        }
        tops.iter().map(|top| super::replay(index, top, self.max)).collect()
    }
}

fn twin(launch: &mut Launch) {
    super::run_twin(launch, Diagonal::new);
}

fn trials() -> Vec<Launch> {
    const ALL: (u128, u128) = (0, END);
    super::trials(
        Diagonal::new,
        &[
            (1, 1, &[ALL]),
            (1, 64, &[ALL, (5, 60)]),
            (2, 3, &[ALL, (1, 2)]),
            (2, 64, &[ALL, (10, 33)]),
            (3, 6, &[ALL]),
            (3, 40, &[ALL]),
            (4, 10, &[ALL, (3, 7)]),
            (4, 33, &[ALL]),
            (4, 64, &[(0, 200), (4000, END)]),
            (5, 15, &[ALL, (17, 200)]),
            (5, 34, &[(100, 300)]),
            (5, 64, &[(100_000, 101_000)]),
            (6, 22, &[ALL, (1001, 1500)]),
            (7, 33, &[(413_000, 415_001)]),
            (8, 44, &[(19_970_000, 19_971_000), ((1 << 26) - 3, (1 << 26) + 1000)]),
            (8, 64, &[((1 << 35) - 3, (1 << 35) + 3000)]),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_index_takes_more_turns_than_an_invocation_may() {
        for order in 1..=MOST_ENTRIES {
            for max in balls(order)..=MOST_VALUES {
                let space = Diagonal::new(order, max).unwrap();
                assert!(turns(order, max, space.fixed) <= MOST_TURNS, "order {order}, max {max}");
                assert!(space.fixed >= 1 && (order == 1 || space.fixed < order), "order {order}, max {max}");
            }
        }
    }
}
