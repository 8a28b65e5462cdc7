//! The bounds that cut a bottom triangle off, with their proofs.
//!
//! # Setting
//! A *node* is a valid bottom triangle of `k` rows: its `k(k+1)/2` entries are distinct and in `1..=M`. `n` is the order,
//! `m = n - k` the number of rows still to come. A value is *fresh* when it is in `1..=M` and no entry of the node has it;
//! `u_1 < u_2 < …` are the fresh values and `U(j) = u_1 + … + u_j` (infinite where there are fewer than `j`). `U` is
//! convex: its increments `u_j` increase.
//!
//! Suppose the node is the bottom of an exact triangle of `n` rows. Every entry `e` below the top row has two parents above
//! it whose difference it is, so the larger parent is `e` plus the smaller one. Follow the larger parents upwards from an
//! entry `e` of row `k`: `e = c_0, c_1, …, c_m`, and call the smaller parents passed on the way `s_1, …, s_m`, so that
//!
//! ```text
//! c_j = c_(j-1) + s_j,    hence    c_m = e + s_1 + … + s_m ≤ M.                                            (1)
//! ```
//!
//! The cell of `s_j` lies in row `k + j`. So the cells of `s_1, …, s_m` are different cells outside the node, and their
//! values are distinct and fresh.
//!
//! # Path bound
//! By (1), `e + U(m) ≤ M` for each entry `e` of row `k`; it is enough to look at the largest. The same holds for the
//! entries of row `k + 1` with `U` taken over the node below it, for the values fresh to the larger triangle are among
//! those fresh to the node: an entry `b` of row `k + 1` has `b + U(m - 1) ≤ M`. The search takes no value above that limit.
//!
//! # Pair and triple bounds
//! Take the paths of `t` different entries `e_1, …, e_t` of row `k` from left to right (`t` = 2 or 3) and add (1) up:
//!
//! ```text
//! T_1 + … + T_t = (e_1 + … + e_t) + sum over cells z outside the node of w(z)·value(z)                      (2)
//! ```
//!
//! where `T_i` is the top end of path `i` and `w(z)` the number of paths that pass `z` as a smaller parent. How large
//! can `w` be? Write a path's move as 0 when it goes to the left one of the two parents and 1 when to the right one. From
//! column `q`, whose parents have the columns `q` and `q + 1`, a move `d` leads to column `q + d`, and the smaller
//! parent passed is the other one, at column `q + 1 - d`.
//!
//! *Order.* Two paths at columns `q ≤ q'` of one row are at columns in that order in the next: from `q < q'` the left
//! one comes to `q + 1 ≤ q'` at most; from `q = q'` both go the same way, for the larger parent of a cell is what it is.
//! So with gap `g = q' - q` the next gap is `g + d' - d`, it is never negative, and paths that meet stay together.
//!
//! *Sharing.* Both pass the same smaller parent when `q + 1 - d = q' + 1 - d'`, that is `g = d' - d`. So they do at `g = 0`
//! always, at `g = 1` exactly when the left one goes left and the right one goes right, and at no other gap. Paths that
//! meet in this step (`g = 1`, `d = 1`, `d' = 0`) pass two different smaller parents.
//!
//! So the gaps at row `k` decide which ways the paths can take (ignoring the values, which only allows more ways), each
//! way decides at each step which of the `t` smaller parents are one cell, and so the number `N_l` of cells with
//! `w(z) ≥ l`, for `l = 1..=t`; `N_1 + … + N_t = t·m`. For one way,
//!
//! ```text
//! sum of w(z)·value(z) = sum over l of (sum of value(z) over the N_l cells with w(z) ≥ l) ≥ U(N_1) + … + U(N_t),   (3)
//! ```
//!
//! since the cells are different and their values distinct and fresh. The top ends: paths that have met share theirs;
//! else they are different entries of the top row, so distinct values up to `M`. If they fall into classes of
//! `z_1 ≥ z_2 ≥ …` paths, then
//!
//! ```text
//! T_1 + … + T_t ≤ z_1·M + z_2·(M - 1) + z_3·(M - 2) = t·M - loss,    loss = z_2 + 2·z_3,                            (4)
//! ```
//!
//! for the sum is largest when the most numerous class has the largest value. Together: **if the node has a completion,
//! then for any `t` entries of row `k` some way open to their gaps satisfies**
//!
//! ```text
//! e_1 + … + e_t + U(N_1) + … + U(N_t) ≤ t·M - loss.                                                               (5)
//! ```
//!
//! A node with a pair or a triple for which no way satisfies (5) is cut off.
//!
//! *Fewer ways to try.* Way `A` makes way `B` superfluous when `A`'s `N` is majorised by `B`'s (for `N_1 ≥ N_2 ≥ N_3`: `N_1`
//! and `N_1 + N_2` are at most `B`'s) and its loss is at most `B`'s: as `U` is convex, the left side of (5) is then at most
//! `B`'s and the right side at least. [`Bounds::new`] runs through all ways by recursion over the steps and keeps those
//! that no other one makes superfluous, at each step already. Gaps above `m` never close: the paths stay apart, so one class `m + 1` stands for
//! them all.
//!
//! Each bound can be switched off by [`Which`]; the tests count with and without it.

#![expect(clippy::cast_possible_truncation, reason = "at most 16 columns, sums below 2^15")]

use std::collections::{BTreeSet, HashMap};

/// The most rows of a triangle.
pub const MOST_ROWS: usize = 16;
/// The most fresh values that a bound sums: three paths over all rows above the lowest.
pub const MOST_SUMMED: usize = 3 * (MOST_ROWS - 1);
/// Stands for a fresh value that is not there: greater than any sum that a bound allows.
const NONE_LEFT: i32 = 4096;

/// Which bounds to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Which {
    /// The path bound.
    pub path: bool,
    /// The pair bound.
    pub pair: bool,
    /// The triple bound.
    pub triple: bool,
}

impl Which {
    /// All of them.
    pub const ALL: Self = Self { path: true, pair: true, triple: true };
}

/// One way that paths can take: `U` is summed over these three counts (0 for a pair's third), and `limit = t·M - loss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// `N_1 ≥ N_2 ≥ N_3`.
    pub cells: [u8; 3],
    /// The right side of (5).
    pub limit: i32,
}

/// The gaps of a pair or a triple, added up from the left: a pair's first is 0.
type Gaps = [u8; 2];

/// Pairs or triples of a row to which the same ways are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// From the left entry: the columns to the middle one (0 in a pair) and to the right one.
    pub gaps: Vec<Gaps>,
    /// The ways, none of them superfluous.
    pub ways: Vec<Way>,
}

/// What a row is held against.
#[derive(Clone, Debug, Default)]
pub struct RowBounds {
    /// Pairs.
    pub pairs: Vec<List>,
    /// Triples.
    pub triples: Vec<List>,
    /// Fresh values that the ways sum at most.
    pub summed: usize,
}

/// The bounds for one order and largest value.
#[derive(Clone, Debug)]
pub struct Bounds {
    order: usize,
    max: i32,
    which: Which,
    /// At `k`: for a node of `k` rows.
    rows: Vec<RowBounds>,
}

/// A row's entries from column 0, or their offsets from one value; [`BLANK`] behind them.
pub type Row = [i16; 2 * MOST_ROWS];
/// Stands where a row has no entry: so low that no sum with it passes a limit.
pub const BLANK: i16 = -8000;

/// Sums of the smallest fresh values: at `j`, of the `j` smallest.
pub type Sums = [i32; MOST_SUMMED + 1];

/// Lists in a [`RowBounds`] at most.
const MOST_LISTS: usize = 64;

/// What the entries of each of a row's pairs and triples may sum to at most, list by list.
#[derive(Clone, Copy)]
pub struct Limits([i16; MOST_LISTS]);

impl Limits {
    /// No limits yet.
    pub const NONE: Self = Self([0; MOST_LISTS]);
}

impl Bounds {
    /// The bounds for triangles of `order` rows (1..=16) of values up to `max` (at most 256).
    #[must_use]
    pub fn new(order: usize, max: usize, which: Which) -> Self {
        let max = i32::try_from(max).unwrap_or(i32::MAX);
        let mut known = Ways::default();
        let rows = (0..=order).map(|row| RowBounds::new(row, order - row, max, which, &mut known)).collect();
        Self { order, max, which, rows }
    }

    /// The largest value that the row above a node of `rows` rows may hold (at most 0: none), and what its pairs and
    /// triples may sum to if the values `fresh` to the node were so to the row above.
    #[must_use]
    pub fn ahead(&self, rows: usize, fresh: &[u64], limits: &mut Limits) -> i32 {
        let above = self.order - rows - 1;
        let bounds = &self.rows[rows + 1];
        let mut sums: Sums = [0; MOST_SUMMED + 1];
        Summer::new(fresh).extend(&mut sums, bounds.summed.max(above));
        bounds.limits(&sums, limits);
        if self.which.path { self.max - sums[above] } else { self.max }
    }

    /// Whether a node of `rows` rows, whose last row is `row`, passes every bound.
    #[must_use]
    pub fn pass(&self, rows: usize, row: &Row, largest: i32, fresh: &[u64]) -> bool {
        let above = self.order - rows;
        let bounds = &self.rows[rows];
        let mut sums: Sums = [0; MOST_SUMMED + 1];
        let mut summer = Summer::new(fresh);
        summer.extend(&mut sums, above);
        if self.which.path && largest + sums[above] > self.max {
            return false;
        }
        if bounds.pairs.is_empty() && bounds.triples.is_empty() {
            return true;
        }
        summer.extend(&mut sums, bounds.summed);
        // Rows that fit are done in fewer lanes.
        if rows <= 8 { bounds.pass::<8>(row, &sums) } else { bounds.pass::<MOST_ROWS>(row, &sums) }
    }

    /// What a node of this many rows is held against.
    #[must_use]
    pub fn row(&self, rows: usize) -> &RowBounds {
        &self.rows[rows]
    }

    /// The largest value.
    #[must_use]
    pub fn max(&self) -> i32 {
        self.max
    }

    /// The bounds in use.
    #[must_use]
    pub fn which(&self) -> Which {
        self.which
    }
}

impl List {
    /// What the entries may sum to by (5). No sum is negative, so that where no way is open any negative limit will do.
    #[inline]
    fn limit(&self, sums: &Sums) -> i16 {
        let mut most = -1;
        for way in &self.ways {
            let [a, b, c] = way.cells.map(|cells| sums[usize::from(cells)]);
            most = most.max(way.limit - a - b - c);
        }
        most as i16
    }
}

/// The largest sum in each lane of the pairs of a list whose left entry is there.
#[inline]
fn pair_sums<const LANES: usize>(list: &List, row: &Row) -> [i16; LANES] {
    let left = lanes::<LANES>(row, 0);
    let mut most = [2 * BLANK; LANES];
    for [_, whole] in &list.gaps {
        let right = lanes::<LANES>(row, *whole);
        for lane in 0..LANES {
            most[lane] = most[lane].max(left[lane] + right[lane]);
        }
    }
    most
}

/// The same of triples.
#[inline]
fn triple_sums<const LANES: usize>(list: &List, row: &Row) -> [i16; LANES] {
    let left = lanes::<LANES>(row, 0);
    let mut most = [3 * BLANK; LANES];
    for [first, whole] in &list.gaps {
        let (middle, right) = (lanes::<LANES>(row, *first), lanes::<LANES>(row, *whole));
        for lane in 0..LANES {
            most[lane] = most[lane].max(left[lane] + middle[lane] + right[lane]);
        }
    }
    most
}

#[inline]
fn lanes<const LANES: usize>(row: &Row, from: u8) -> &[i16; LANES] {
    let from = usize::from(from) & (MOST_ROWS - 1);
    row[from..from + LANES].first_chunk().unwrap_or(&[BLANK; LANES])
}

impl RowBounds {
    /// What pairs and triples may sum to.
    #[inline]
    fn limits(&self, sums: &Sums, limits: &mut Limits) {
        for (list, limit) in self.pairs.iter().chain(&self.triples).zip(&mut limits.0) {
            *limit = list.limit(sums);
        }
    }

    #[inline]
    fn pass<const LANES: usize>(&self, row: &Row, sums: &Sums) -> bool {
        let fits = |most: [i16; LANES], limit: i16| most.into_iter().fold(3 * BLANK, i16::max) <= limit;
        self.pairs.iter().all(|list| fits(pair_sums(list, row), list.limit(sums)))
            && self.triples.iter().all(|list| fits(triple_sums(list, row), list.limit(sums)))
    }

    /// By how much the worst pair and the worst triple pass their limits; not positive: none does.
    #[inline]
    #[must_use]
    pub fn excess(&self, columns: usize, row: &Row, limits: &Limits) -> [i32; 2] {
        if columns <= 8 { self.excess_in::<8>(row, limits) } else { self.excess_in::<MOST_ROWS>(row, limits) }
    }

    #[inline]
    fn excess_in<const LANES: usize>(&self, row: &Row, limits: &Limits) -> [i32; 2] {
        let mut worst = [[3 * BLANK; LANES]; 2];
        let (pairs, triples) = limits.0.split_at(self.pairs.len().min(MOST_LISTS));
        for (list, limit) in self.pairs.iter().zip(pairs) {
            let sums = pair_sums::<LANES>(list, row);
            for lane in 0..LANES {
                worst[0][lane] = worst[0][lane].max(sums[lane] - limit);
            }
        }
        for (list, limit) in self.triples.iter().zip(triples) {
            let sums = triple_sums::<LANES>(list, row);
            for lane in 0..LANES {
                worst[1][lane] = worst[1][lane].max(sums[lane] - limit);
            }
        }
        worst.map(|lanes| i32::from(lanes.into_iter().fold(3 * BLANK, i16::max)))
    }
}

/// Sums the smallest values of a set, as far as asked.
struct Summer<'f> {
    fresh: &'f [u64],
    word: usize,
    bits: u64,
    done: usize,
}

impl<'f> Summer<'f> {
    fn new(fresh: &'f [u64]) -> Self {
        Self { fresh, word: 0, bits: fresh[0], done: 0 }
    }

    #[inline]
    fn extend(&mut self, sums: &mut Sums, count: usize) {
        let mut at = self.done;
        let mut sum = sums[at];
        while at < count {
            while self.bits == 0 && self.word + 1 < self.fresh.len() {
                self.word += 1;
                self.bits = self.fresh[self.word];
            }
            #[expect(clippy::cast_possible_wrap, reason = "values are at most 256")]
            let value = if self.bits == 0 {
                NONE_LEFT
            } else {
                (self.word * 64) as i32 + self.bits.trailing_zeros() as i32 + 1
            };
            self.bits &= self.bits.wrapping_sub(1);
            sum += value;
            at += 1;
            sums[at] = sum;
        }
        self.done = at;
    }
}

impl RowBounds {
    fn new(row: usize, above: usize, max: i32, which: Which, known: &mut Ways) -> Self {
        let mut bounds = Self::default();
        if above == 0 {
            return bounds;
        }
        let pairs = (1..row).map(|gap| vec![gap]);
        let triples = (1..row).flat_map(|first| (1..row - first).map(move |second| vec![first, second]));
        let wanted = pairs.filter(|_| which.pair).chain(triples.filter(|_| which.triple));
        for gaps in wanted {
            let paths = i32::try_from(gaps.len() + 1).unwrap_or(0);
            let capped: Vec<_> = gaps.iter().map(|&gap| gap.min(above + 1)).collect();
            let ways: Vec<_> = known
                .open(&capped, above)
                .into_iter()
                .map(|(cells, loss)| Way { cells, limit: paths * max - loss })
                .collect();
            bounds.summed = ways.iter().map(|way| usize::from(way.cells[0])).fold(bounds.summed, usize::max);
            let lists = if gaps.len() == 1 { &mut bounds.pairs } else { &mut bounds.triples };
            let place = lists.iter().position(|list| list.ways == ways).unwrap_or_else(|| {
                lists.push(List { gaps: Vec::new(), ways });
                lists.len() - 1
            });
            let first = if gaps.len() == 1 { 0 } else { gaps[0] };
            lists[place].gaps.push([first as u8, gaps.iter().sum::<usize>() as u8]);
        }
        bounds
    }
}

/// One way's `N_1, N_2, N_3` and its loss.
type Counts = ([u8; 3], i32);

/// The ways open to paths, by their gaps and the rows above; each list once it was asked for.
#[derive(Default)]
struct Ways(HashMap<(Vec<usize>, usize), Vec<Counts>>);

impl Ways {
    /// The ways open to paths with these gaps (each at most `above + 1`) over `above` rows, without the superfluous ones.
    ///
    /// One that is superfluous after a step is so before it: the step adds the same counts to both.
    fn open(&mut self, gaps: &[usize], above: usize) -> Vec<Counts> {
        if above == 0 {
            return vec![([0; 3], loss(gaps))];
        }
        let key = (gaps.to_vec(), above);
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let mut all = BTreeSet::new();
        for moves in 0..1usize << (gaps.len() + 1) {
            let right = |path: usize| moves >> path & 1;
            // Met paths go the same way.
            if gaps.iter().enumerate().any(|(path, &gap)| gap == 0 && right(path) != right(path + 1)) {
                continue;
            }
            let mut runs = vec![1usize];
            let mut after = Vec::with_capacity(gaps.len());
            for (path, &gap) in gaps.iter().enumerate() {
                after.push((gap + right(path + 1) - right(path)).min(above));
                match runs.last_mut() {
                    Some(run) if gap + right(path) == right(path + 1) => *run += 1,
                    _ => runs.push(1),
                }
            }
            for (mut cells, loss) in self.open(&after, above - 1) {
                for run in &runs {
                    cells.iter_mut().take(*run).for_each(|count| *count += 1);
                }
                all.insert((cells, loss));
            }
        }
        let better =
            |a: &Counts, b: &Counts| a != b && a.1 <= b.1 && a.0[0] <= b.0[0] && a.0[0] + a.0[1] <= b.0[0] + b.0[1];
        let kept: Vec<_> = all.iter().filter(|way| !all.iter().any(|other| better(other, way))).copied().collect();
        self.0.insert(key, kept.clone());
        kept
    }
}

/// The loss of (4) for top ends with these gaps.
fn loss(gaps: &[usize]) -> i32 {
    let mut classes = vec![1];
    for &gap in gaps {
        match classes.last_mut() {
            Some(class) if gap == 0 => *class += 1,
            _ => classes.push(1),
        }
    }
    classes.sort_unstable_by(|a, b| b.cmp(a));
    (0..).zip(classes).map(|(place, class): (i32, i32)| place * class).sum()
}
