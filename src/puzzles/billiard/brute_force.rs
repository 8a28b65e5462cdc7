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
        5e9
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
            (1, 1, &[ALL]),
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook step to the next permutation, written apart from [`Arrangement`].
    fn next_permutation(values: &mut [u8]) {
        let pivot = (1..values.len()).rev().find(|&i| values[i - 1] < values[i]).unwrap();
        let swap = (pivot..values.len()).rev().find(|&i| values[i] > values[pivot - 1]).unwrap();
        values.swap(pivot - 1, swap);
        values[pivot..].reverse();
    }

    #[test]
    fn indices_number_the_permutations_as_next_permutation_steps_through_them() {
        for (order, start) in [(2, 0), (3, 0), (4, 0), (5, 370_450_160_000), (6, 1 << 64), (7, 1 << 97)] {
            let space = BruteForce::new(order, balls(order)).unwrap();
            let count = balls(order);
            let values = |index| space.values(&space.permutation(index))[..count].to_vec();
            let mut stepped = values(start);
            for index in start + 1..(start + 6000).min(space.size()) {
                next_permutation(&mut stepped);
                assert_eq!(stepped, values(index), "order {order}, index {index}");
            }
        }
    }

    #[test]
    fn the_first_index_has_the_balls_in_order_and_the_last_in_reverse() {
        for order in 1..=MOST_ROWS {
            let space = BruteForce::new(order, balls(order)).unwrap();
            let values = |index| space.values(&space.permutation(index))[..balls(order)].to_vec();
            let mut ascending = (1..=u8::try_from(balls(order)).unwrap()).collect::<Vec<_>>();
            assert_eq!(values(0), ascending);
            ascending.reverse();
            assert_eq!(values(space.size() - 1), ascending);
        }
    }

    #[test]
    fn the_two_answers_of_order_5_stand_at_their_known_indices() {
        let space = BruteForce::new(5, 15).unwrap();
        for (index, top) in [(370_450_163_080, [6, 14, 15, 3, 13]), (393_802_275_173, [13, 3, 15, 14, 6])] {
            assert_eq!(space.expand(index).unwrap()[0].top_row(), top);
            let near = space.walk(index - 1_000_000..index + 1_000_000);
            assert_eq!((near.found, near.hits), (1, vec![index]));
            assert_eq!(space.walk(index..index + 1).found, 1);
            assert_eq!(space.walk(index + 1..index + 1_000_000).found, 0);
        }
    }

    #[test]
    fn groups_are_those_of_the_rules() {
        // As the rule set lists them for order 5: lower ball, then the two above it.
        let listed = [(0, 1, 2), (1, 3, 4), (2, 4, 5), (3, 6, 7), (4, 7, 8), (5, 8, 9)];
        let listed = listed.into_iter().chain([(6, 10, 11), (7, 11, 12), (8, 12, 13), (9, 13, 14)]);
        let groups = (0..15).filter_map(|place| lower(place).map(|low| (low, place - 1, place)));
        assert!(groups.eq(listed));
    }

    fn singly(space: BruteForce, range: Range<u128>) -> Tally {
        let mut tally = Tally::default();
        for (run, clip) in clips(&range, RUN) {
            space.enter_singly(&mut tally, run, &clip);
        }
        tally
    }

    #[test]
    fn a_run_with_solutions_is_found_out_side_by_side_too() {
        // All eight solutions of order 4 are in whole runs of its space.
        let space = BruteForce::new(4, 10).unwrap();
        let (mut lanes, mut single) = (space.walk(0..space.size()), singly(space, 0..space.size()));
        lanes.sort();
        single.sort();
        assert_eq!(lanes.found, 8);
        assert_eq!(lanes, single);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn side_by_side_and_singly_yield_the_same(order in 4usize..=7, at in 0.0..1.0f64, length in 0u128..200_000) {
            let space = BruteForce::new(order, balls(order)).unwrap();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let start = ((space.size() as f64 * at) as u128).min(space.size());
            let range = start..(start + length).min(space.size());
            prop_assert_eq!(space.walk(range.clone()), singly(space, range));
        }
    }
}
