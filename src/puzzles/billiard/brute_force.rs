//! Brute force: every order of the n(n+1)/2 balls, each one checked.
//!
//! The index space is the permutations of the balls, bottom-up, lexicographically. A run is the 5040 permutations that
//! differ in their last seven places only. With fewer than seven balls, lower phantom balls stand in front: the real
//! permutations are then the first ones of the only run.
//!
//! Work is counted in groups that hold (a group: an entry and the two above it). A solution is a permutation all of whose
//! groups hold. Every permutation has its own count summed and compared; only the comparisons of single groups are shared
//! by the permutations that have the group in common. Twin of `shaders/billiard/brute_force.wgsl`.

use std::ops::Range;

use super::arrangement::{Arrangement, digits, number};
use super::block::{Block, MOST_PLACES, MOST_ROWS, RUN, SUFFIX, lower};
use super::rules::{Triangle, balls};
use super::{BilliardError, BilliardSpace, END, Solver};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::{BINDINGS, IndexSpace, Tally, clips};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "billiard/brute_force",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/common/index_space.wgsl"),
        include_str!("../../../shaders/billiard/arrangement.wgsl"),
        include_str!("../../../shaders/billiard/brute_force.wgsl"),
    ],
    bindings: BINDINGS,
    constants: &["ORDER"],
    twin,
    trials,
};

/// The space of permutations.
#[derive(Clone, Copy, Debug)]
pub struct BruteForce {
    order: usize,
}

impl BruteForce {
    /// Permutations of the balls of a triangle of `order` rows (1..=7); `max` must be their number.
    ///
    /// # Errors
    /// When the order is out of range, or `max` is another number.
    pub fn new(order: usize, max: usize) -> Result<Self, BilliardError> {
        Solver::BruteForce.check(order, max, MOST_ROWS, usize::MAX)?;
        let balls = balls(order);
        if max == balls { Ok(Self { order }) } else { Err(BilliardError::NotAPermutation { order, balls, max }) }
    }

    fn balls(self) -> usize {
        balls(self.order)
    }

    /// Places, with the phantoms in front.
    fn places(self) -> usize {
        self.balls().max(SUFFIX)
    }

    /// Places that the permutations of a run have in common.
    fn shared(self) -> usize {
        self.places() - SUFFIX
    }

    /// The permutation at an index, as symbols: phantoms first, the lowest ball is symbol `places - balls`.
    fn permutation(self, index: u128) -> Arrangement {
        Arrangement::unrank(index, self.places(), self.places())
    }

    /// The balls of a permutation, bottom-up.
    fn values(self, permutation: &Arrangement) -> [u8; MOST_PLACES] {
        let phantoms = self.places() - self.balls();
        let mut values = [0; MOST_PLACES];
        for (value, symbol) in values.iter_mut().zip(&permutation.entries()[phantoms..]) {
            // A phantom stands among the balls only past the last real permutation, where nobody looks.
            *value = (symbol + 1).saturating_sub(u8::try_from(phantoms).unwrap_or(0));
        }
        values
    }

    /// Walks indices one by one, as the rule set reads; hands over those found and returns the groups that hold.
    fn walk_singly(self, indices: Range<u128>, mut hit: impl FnMut(u128)) -> u64 {
        let groups = (0..self.balls()).filter_map(|place| Some((place, lower(place)?))).collect::<Vec<_>>();
        let mut permutation = self.permutation(indices.start);
        let mut work = 0;
        for index in indices {
            let values = self.values(&permutation);
            let holds = |&&(place, low): &&(usize, usize)| values[place - 1].abs_diff(values[place]) == values[low];
            let held = groups.iter().filter(holds).count();
            work += held as u64;
            if held == groups.len() {
                hit(index);
            }
            permutation.step();
        }
        work
    }

    /// Walks a run, or part of one, singly and enters it.
    fn enter_singly(self, tally: &mut Tally, run: u128, clip: &Range<u32>) {
        let start = run * u128::from(RUN);
        let mut found = 0;
        let work = self.walk_singly(start + u128::from(clip.start)..start + u128::from(clip.end), |index| {
            found += 1;
            tally.hits.push(index);
        });
        tally.enter_run(run, work, found);
    }

    /// Walks the whole runs of a block side by side and enters them.
    fn enter_block(self, tally: &mut Tally, block: &Block) {
        if block.filled() == 0 {
            return;
        }
        let verdict = match self.order {
            4 => block.walk::<4>(),
            5 => block.walk::<5>(),
            6 => block.walk::<6>(),
            _ => block.walk::<7>(),
        };
        for (lane, (work, solved)) in verdict.into_iter().enumerate().take(block.filled()) {
            let run = block.first() + lane as u128;
            if solved {
                self.enter_singly(tally, run, &(0..RUN));
            } else {
                tally.enter_run(run, u64::from(work), 0);
            }
        }
    }
}

impl IndexSpace for BruteForce {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn indices_per_second(&self) -> f64 {
        1e9
    }

    fn size(&self) -> u128 {
        number(self.balls(), self.balls())
    }

    fn run_length(&self) -> u32 {
        RUN
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 7")]
    fn constants(&self) -> Vec<u32> {
        vec![self.order as u32]
    }

    fn run_words(&self, first_run: u128) -> Vec<u32> {
        digits(first_run, self.shared(), self.places())
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        let mut tally = Tally::default();
        let mut prefix = Arrangement::unrank(range.start / u128::from(RUN), self.shared(), self.places());
        let mut block = Block::new();
        for (run, clip) in clips(&range, RUN) {
            // A space of fewer than seven balls is part of one run, so it never comes to a whole one.
            if clip == (0..RUN) {
                block.push(run, &prefix);
                if block.is_full() {
                    self.enter_block(&mut tally, &block);
                    block.clear();
                }
            } else {
                self.enter_singly(&mut tally, run, &clip);
            }
            prefix.step();
        }
        self.enter_block(&mut tally, &block);
        tally
    }
}

impl BilliardSpace for BruteForce {
    fn order(&self) -> usize {
        self.order
    }

    fn max(&self) -> usize {
        self.balls()
    }

    fn unit(&self) -> &'static str {
        "permutations"
    }

    fn weight(&self) -> u64 {
        1
    }

    fn expand(&self, index: u128) -> Result<Vec<Triangle>, BilliardError> {
        let values = self.values(&self.permutation(index));
        let entries = values[..self.balls()].iter().copied().map(u16::from).collect::<Vec<_>>();
        #[expect(clippy::cast_possible_truncation, reason = "at most 28")]
        let triangle = Triangle::check(&entries, self.balls() as u16);
        Ok(vec![triangle.map_err(|violation| BilliardError::Refuted { index, violation })?])
    }
}

fn twin(launch: &mut Launch) {
    super::run_twin(launch, |order, _| BruteForce::new(order, balls(order)));
}

fn trials() -> Vec<Launch> {
    const ALL: (u128, u128) = (0, END);
    super::trials(
        BruteForce::new,
        &[
            (1, 1, &[ALL, (0, 0)]),
            (2, 3, &[ALL, (1, 4)]),
            (3, 6, &[ALL, (100, 700)]),
            (4, 10, &[ALL, (5040, 10_080), (5041, 20_159), (77, 78)]),
            (
                5,
                15,
                &[
                    (370_450_163_080, 370_450_163_081),
                    (370_450_000_000, 370_450_200_000),
                    (393_802_275_000, 393_802_276_000),
                    (1_307_674_300_000, END),
                ],
            ),
            (6, 21, &[(1 << 60, (1 << 60) + 1_000_000), ((1 << 64) - 999_999, (1 << 64) + 7)]),
            (7, 28, &[(1 << 90, (1 << 90) + 1_000_000)]),
        ],
    )
}
