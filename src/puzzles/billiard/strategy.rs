//! The strategy: the top row as an index gives it, everything below follows.
//!
//! The index space is the ordered top rows of `n` of the values `1..=max`, lexicographically; a run is the top rows that
//! differ in their last two entries only. The entries are placed from the left and a run is given up at the first
//! diagonal that repeats a value; of two mirror images only the one whose top row ends higher than it starts is found.
//!
//! Work is counted in entries tried: those of the run's prefix, with the run's first index, up to the first that can't
//! stand; then each last-but-one entry with the first index that has it; then each last entry.
//! Twin of `shaders/billiard/strategy.wgsl`.

use std::ops::Range;

use super::arrangement::{Arrangement, digits, number};
use super::row::{self, MOST_ENTRIES, MOST_VALUES, Prefixes};
use super::rules::Triangle;
use super::{BilliardError, BilliardSpace, END, Solver, mirror_images};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::{BINDINGS, IndexSpace, Tally, clips};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "billiard/strategy",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/common/index_space.wgsl"),
        include_str!("../../../shaders/billiard/arrangement.wgsl"),
        include_str!("../../../shaders/billiard/row.wgsl"),
        include_str!("../../../shaders/billiard/strategy.wgsl"),
    ],
    bindings: BINDINGS,
    constants: &["ORDER", "MAX"],
    twin,
    trials,
};

/// The space of top rows.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    order: usize,
    max: usize,
}

impl Strategy {
    /// Top rows of `order` (1..=8) of the values `1..=max` (at most 64).
    ///
    /// # Errors
    /// When either is out of range, or `max` is below the number of entries.
    pub fn new(order: usize, max: usize) -> Result<Self, BilliardError> {
        Solver::Strategy.check(order, max, MOST_ENTRIES, MOST_VALUES)?;
        Ok(Self { order, max })
    }

    /// Entries that a run's top rows share.
    fn shared(&self) -> usize {
        self.order.saturating_sub(2)
    }

    /// Top rows that differ in their last entry only.
    #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
    fn block(&self) -> u32 {
        (self.max - self.order + 1) as u32
    }

    /// Walks the part of a run that `clip` leaves of it; hands over the places found and returns the work done.
    fn run(&self, prefix: &mut Prefixes, clip: &Range<u32>, mut hit: impl FnMut(u32)) -> u64 {
        let mut work = if clip.start == 0 { prefix.tried() } else { 0 };
        if !prefix.stands() {
            return work;
        }
        let row = &mut prefix.row;
        if self.order == 1 {
            clip.clone().for_each(&mut hit);
            return work + u64::from(clip.end - clip.start);
        }
        let (shared, block) = (self.shared(), self.block());
        let entries = row.entries(shared);
        let mut seconds = row.candidates(shared);
        while seconds != 0 {
            let second = row::lowest(seconds);
            seconds &= seconds - 1;
            let start = (row::below(second) & !entries).count_ones() * block;
            if start + block <= clip.start || start >= clip.end {
                continue;
            }
            work += u64::from(clip.contains(&start));
            if !row.place(shared, second) {
                continue;
            }
            let entries = row.entries(shared + 1);
            let mut lasts = row.candidates(shared + 1) & row::above(row.entry(0));
            while lasts != 0 {
                let last = row::lowest(lasts);
                lasts &= lasts - 1;
                let place = start + (row::below(last) & !entries).count_ones();
                if clip.contains(&place) {
                    work += 1;
                    if row.place(shared + 1, last) {
                        hit(place);
                    }
                }
            }
        }
        work
    }
}

impl IndexSpace for Strategy {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn indices_per_second(&self) -> f64 {
        match self.order {
            ..=4 => 1.5e8,
            5 => 1e9,
            _ => 4e9,
        }
    }

    fn size(&self) -> u128 {
        number(self.order, self.max)
    }

    fn run_length(&self) -> u32 {
        let second = if self.order == 1 { 1 } else { self.block() + 1 };
        second * self.block()
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 8 and 64")]
    fn constants(&self) -> Vec<u32> {
        vec![self.order as u32, self.max as u32]
    }

    fn run_words(&self, first_run: u128) -> Vec<u32> {
        digits(first_run, self.shared(), self.max)
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        let mut tally = Tally::default();
        let length = self.run_length();
        let mut prefix = Prefixes::from(range.start / u128::from(length), self.shared(), self.max);
        for (run, clip) in clips(&range, length) {
            let start = run * u128::from(length);
            let mut found = 0;
            let work = self.run(&mut prefix, &clip, |place| {
                found += 1;
                tally.hits.push(start + u128::from(place));
            });
            tally.enter_run(run, work, found);
            prefix.step();
        }
        tally
    }
}

impl BilliardSpace for Strategy {
    fn order(&self) -> usize {
        self.order
    }

    fn max(&self) -> usize {
        self.max
    }

    fn unit(&self) -> &'static str {
        "top rows"
    }

    fn weight(&self) -> u64 {
        mirror_images(self.order)
    }

    fn expand(&self, index: u128) -> Result<Vec<Triangle>, BilliardError> {
        let top = Arrangement::unrank(index, self.order, self.max);
        let top = top.entries().iter().map(|symbol| symbol + 1).collect::<Vec<_>>();
        Ok(vec![super::replay(index, &top, self.max)?])
    }
}

fn twin(launch: &mut Launch) {
    super::run_twin(launch, Strategy::new);
}

fn trials() -> Vec<Launch> {
    const ALL: (u128, u128) = (0, END);
    super::trials(
        Strategy::new,
        &[
            (1, 1, &[ALL]),
            (1, 64, &[ALL, (5, 60)]),
            (2, 3, &[ALL, (1, 4)]),
            (2, 64, &[ALL, (100, 101), (77, 4000)]),
            (3, 6, &[ALL, (7, 100)]),
            (3, 40, &[ALL, (1407, 2814)]),
            (4, 10, &[ALL, (1, 5039)]),
            (4, 33, &[(0, 20_000), (500_000, 520_001)]),
            (5, 15, &[ALL, (1000, 100_000), (123_456, 123_457)]),
            (6, 22, &[(0, 300_000), (26_000_001, 26_999_999)]),
            (7, 33, &[(5_000_000_001, 5_000_900_000), (21_531_000_000, END)]),
            (8, 44, &[(1_095_056_912_000, 1_095_057_000_000), (1 << 42, (1 << 42) + 1_000_000)]),
            (8, 64, &[((1 << 47) - 3, (1 << 47) + 1_000_000)]),
        ],
    )
}
