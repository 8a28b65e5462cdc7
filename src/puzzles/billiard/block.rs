//! Whole runs of brute force, walked side by side: the permutations of a run differ in how its last seven balls are
//! permuted, and that goes the same way in every run, so each run takes a byte lane.

use super::arrangement::Arrangement;
use super::lanes::{LANES, Lanes};
use super::rules::balls;

/// The largest order: 28 balls, whose permutations 128 bits can number.
pub const MOST_ROWS: usize = 7;
/// Places in which the permutations of a run differ.
pub const SUFFIX: usize = 7;
/// Permutations in a run: 7!.
pub const RUN: u32 = 5040;
/// Most places, phantoms included.
pub const MOST_PLACES: usize = 28;

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

/// The lower entry of the group that a place completes; none where it is the first of its row.
pub fn lower(place: usize) -> Option<usize> {
    LOWER[place]
}

/// Successive whole runs side by side, a lane each. Orders 4 to 7, where no group lies wholly within the last four places.
pub struct Block {
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
    /// An empty block.
    pub fn new() -> Self {
        Self { first: 0, filled: 0, shared: [Lanes::ZERO; MOST_PLACES - SUFFIX], left: [Lanes::ZERO; SUFFIX] }
    }

    /// The number of its first run.
    pub fn first(&self) -> u128 {
        self.first
    }

    /// Runs in it.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Whether there is no lane left.
    pub fn is_full(&self) -> bool {
        self.filled == LANES
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Adds the next run, whose permutations start with these symbols.
    pub fn push(&mut self, run: u128, prefix: &Arrangement) {
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
    pub fn walk<const ORDER: usize>(&self) -> [(u32, bool); LANES] {
        let total = balls(ORDER);
        let shared = total - SUFFIX;
        let held = |low: Lanes, left: Lanes, right: Lanes| left.abs_diff(right).equal(low);

        let mut in_shared = Lanes::ZERO;
        for place in 1..shared {
            if let Some(low) = lower(place) {
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
                for place in shared..shared + 3 {
                    if let Some(low) = lower(place) {
                        outer = outer.plus(held(ball(low), ball(place - 1), ball(place)));
                    }
                }
                let last = LastFour {
                    first: match lower(total - 4) {
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

#[expect(
    clippy::inline_always,
    reason = "so that the balls become constants: without, a walk takes three times as long"
)]
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
