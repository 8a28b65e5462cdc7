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
use super::lanes::{LANES, Lanes};
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

/// The largest order: 28 balls, whose permutations 128 bits can number.
const MOST_ROWS: usize = 7;
/// Places in which the permutations of a run differ.
const SUFFIX: usize = 7;
/// Permutations in a run: 7!.
const RUN: u32 = 5040;
/// Most places, phantoms included.
const MOST_PLACES: usize = 28;

/// The space of permutations.
#[derive(Clone, Copy, Debug)]
pub struct BruteForce {
    order: usize,
}

/// For each place, from 0 and bottom-up, the lower entry of the group that it completes; none where it is the first of its
/// row.
const LOWER: [Option<usize>; MOST_PLACES] = {
    let mut lower = [None; MOST_PLACES];
    let mut row = 1;
    while row <= MOST_ROWS {
        let mut place = balls(row - 1) + 1;
        while place < balls(row) {
            lower[place] = Some(place - row);
            place += 1;
        }
        row += 1;
    }
    lower
};

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
        let groups = (0..self.balls()).filter_map(|place| Some((place, LOWER[place]?))).collect::<Vec<_>>();
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
        if block.filled == 0 {
            return;
        }
        let verdict = match self.order {
            4 => block.walk::<4>(),
            5 => block.walk::<5>(),
            6 => block.walk::<6>(),
            _ => block.walk::<7>(),
        };
        for (lane, (work, solved)) in verdict.into_iter().enumerate().take(block.filled) {
            let run = block.first + lane as u128;
            if solved {
                self.enter_singly(tally, run, &(0..RUN));
            } else {
                tally.enter_run(run, u64::from(work), 0);
            }
        }
    }
}

/// Successive whole runs side by side, a lane each. Orders 4 to 7, where no group lies wholly within the last four places.
struct Block {
    first: u128,
    filled: usize,
    /// The balls in the places that a run shares, bottom-up.
    shared: [Lanes; MOST_PLACES - SUFFIX],
    /// The balls left over, ascending.
    left: [Lanes; SUFFIX],
}

/// The ways to split the seven balls left over: which go to the first three places, which to the last four.
const SPLITS: [([usize; 3], [usize; 4]); 35] = splits();

const fn splits() -> [([usize; 3], [usize; 4]); 35] {
    let mut splits = [([0; 3], [0; 4]); 35];
    let mut count = 0;
    let mut set = 0u32;
    while set < 1 << SUFFIX {
        if set.count_ones() == 3 {
            let (mut front, mut back, mut ball) = (0, 0, 0);
            while ball < SUFFIX {
                if set >> ball & 1 == 1 {
                    splits[count].0[front] = ball;
                    front += 1;
                } else {
                    splits[count].1[back] = ball;
                    back += 1;
                }
                ball += 1;
            }
            count += 1;
        }
        set += 1;
    }
    splits
}

/// The orders of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The number of the pair of two of four things.
const PAIR: [[usize; 4]; 4] = [[0, 0, 1, 2], [0, 0, 3, 4], [1, 3, 0, 5], [2, 4, 5, 0]];

impl Block {
    fn new() -> Self {
        Self { first: 0, filled: 0, shared: [Lanes::ZERO; MOST_PLACES - SUFFIX], left: [Lanes::ZERO; SUFFIX] }
    }

    /// Adds the next run, whose permutations start with these symbols.
    fn push(&mut self, run: u128, prefix: &Arrangement) {
        let lane = self.filled;
        if lane == 0 {
            self.first = run;
        }
        for (lanes, symbol) in self.shared.iter_mut().zip(prefix.entries()) {
            lanes.0[lane] = symbol + 1;
        }
        let mut free = prefix.free();
        for lanes in &mut self.left {
            lanes.0[lane] = super::row::lowest(free);
            free &= free - 1;
        }
        self.filled += 1;
    }

    /// Counts, for each lane, the groups that hold in all the permutations of its run, and says whether all of them hold
    /// in one. Each of the 5040 permutations has its own sum, compared on its own.
    fn walk<const ORDER: usize>(&self) -> [(u32, bool); LANES] {
        let total = balls(ORDER);
        let shared = total - SUFFIX;
        let held = |low: Lanes, left: Lanes, right: Lanes| left.abs_diff(right).equal(low);

        let mut in_shared = Lanes::ZERO;
        for (place, low) in LOWER.iter().enumerate().take(shared) {
            if let Some(low) = *low {
                in_shared = in_shared.plus(held(self.shared[low], self.shared[place - 1], self.shared[place]));
            }
        }
        let mut sums = [0u16; LANES];
        let mut best = Lanes::ZERO;
        for (front, back) in &SPLITS {
            let back = each(*back, |ball| self.left[ball]);
            let mut differences = [Lanes::ZERO; 6];
            for i in 0..4 {
                for j in i + 1..4 {
                    differences[PAIR[i][j]] = back[i].abs_diff(back[j]);
                }
            }
            for order in &ORDERS {
                let front = each(*order, |k| self.left[front[k]]);
                let ball = |place: usize| if place < shared { self.shared[place] } else { front[place - shared] };
                // The groups that the first three places complete.
                let mut outer = Lanes::ZERO;
                for (place, low) in LOWER.iter().enumerate().skip(shared).take(3) {
                    if let Some(low) = *low {
                        outer = outer.plus(held(ball(low), ball(place - 1), ball(place)));
                    }
                }
                let last = LastFour {
                    first: match LOWER[total - 4] {
                        Some(low) => each(back, |ball_there| held(ball(low), front[2], ball_there)),
                        None => [Lanes::ZERO; 4],
                    },
                    second: each(differences, |difference| difference.equal(ball(total - 3 - ORDER))),
                    third: each(differences, |difference| difference.equal(ball(total - 2 - ORDER))),
                    fourth: each(differences, |difference| difference.equal(ball(total - 1 - ORDER))),
                };
                let (sum, top) = last.check();
                best = best.max(top.plus(outer));
                // 24 permutations of at most 4 + 3 groups: below 256, and 210 times that below 65536.
                for (total, (sum, outer)) in sums.iter_mut().zip(sum.0.iter().zip(outer.0)) {
                    *total += u16::from(sum + 24 * outer);
                }
            }
        }
        let groups = total - ORDER;
        std::array::from_fn(|lane| {
            let work = u32::from(sums[lane]) + RUN * u32::from(in_shared.0[lane]);
            (work, usize::from(best.0[lane] + in_shared.0[lane]) == groups)
        })
    }
}

/// As the array's own `map`, which the compiler does not unroll.
#[expect(clippy::inline_always, reason = "so that the places become constants")]
#[inline(always)]
fn each<T: Copy, const N: usize>(array: [T; N], apply: impl Fn(T) -> Lanes) -> [Lanes; N] {
    let mut lanes = [Lanes::ZERO; N];
    for (out, &item) in lanes.iter_mut().zip(&array) {
        *out = apply(item);
    }
    lanes
}

/// The groups that each of the last four places completes, 1 where they hold: by which of the four balls stands at the
/// first of them, by which pair ([`PAIR`]) stands at each later one and the place before it.
struct LastFour {
    first: [Lanes; 4],
    second: [Lanes; 6],
    third: [Lanes; 6],
    fourth: [Lanes; 6],
}

#[expect(clippy::inline_always, reason = "so that the balls become constants: four times as fast")]
impl LastFour {
    /// Checks the permutations of the four balls; returns the groups that hold in all, and the most that hold in one.
    #[inline(always)]
    fn check(&self) -> (Lanes, Lanes) {
        let mut result = (Lanes::ZERO, Lanes::ZERO);
        self.check_two::<0, 1, 2, 3>(&mut result);
        self.check_two::<0, 2, 1, 3>(&mut result);
        self.check_two::<0, 3, 1, 2>(&mut result);
        self.check_two::<1, 0, 2, 3>(&mut result);
        self.check_two::<1, 2, 0, 3>(&mut result);
        self.check_two::<1, 3, 0, 2>(&mut result);
        self.check_two::<2, 0, 1, 3>(&mut result);
        self.check_two::<2, 1, 0, 3>(&mut result);
        self.check_two::<2, 3, 0, 1>(&mut result);
        self.check_two::<3, 0, 1, 2>(&mut result);
        self.check_two::<3, 1, 0, 2>(&mut result);
        self.check_two::<3, 2, 0, 1>(&mut result);
        result
    }

    /// Checks the two permutations that start with balls `I` and `J`: `I J K L` and `I J L K`.
    #[inline(always)]
    fn check_two<const I: usize, const J: usize, const K: usize, const L: usize>(&self, result: &mut (Lanes, Lanes)) {
        let front = self.first[I].plus(self.second[PAIR[I][J]]);
        let last = self.fourth[PAIR[K][L]];
        for third in [self.third[PAIR[J][K]], self.third[PAIR[J][L]]] {
            let count = front.plus(third).plus(last);
            result.0 = result.0.plus(count);
            result.1 = result.1.max(count);
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
                if block.filled == LANES {
                    self.enter_block(&mut tally, &block);
                    block.filled = 0;
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
