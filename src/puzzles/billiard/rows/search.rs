//! The depth-first search from a bottom triangle upwards: iterative, with all its memory made before it starts.
//!
//! Row `k + 1` over a row `a_1 … a_k` is fixed by one value and `k` signs. The value is `p`, the smaller parent of the row's
//! largest entry; the larger parent is then `p` plus that entry, which leaves `p` few values. The first sign says which of
//! the two stands on the left, the others go outward from there, each beside the larger one of the two neighbours that
//! are next. With the signs chosen so far, each entry of the new row is `p + o` with a known offset `o`, and the values
//! of `p` that are still possible are a word of bits: the AND over the entries of the set of values allowed in that row,
//! shifted by `o`. Equal offsets would be equal entries, so they end a pattern at once.
//!
//! A *node* is a bottom triangle that is valid and passes the bounds. A *step* is one sign tried over a window of 64
//! values of `p`; the windows are `1..=64`, `65..=128`, … as far as the limit for the row reaches.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "rows have at most 16 entries and values at most 256; offsets are made positive before they are places"
)]

use super::bounds::{BLANK, Bounds, Limits, MOST_ROWS, Row};

/// Words of the largest set of values.
pub const MOST_WORDS: usize = 4;
/// Words of a set of allowed values with enough empty ones on both sides that any window of it is inside: an offset is less
/// than 64·`W` away from 0 where a value allows it, and the next one tried less than as much again.
const PADDED: usize = 5 * MOST_WORDS + 1;

/// The width of a set of values, in words of 64.
#[must_use]
pub fn words(max: usize) -> usize {
    max.div_ceil(64).next_power_of_two()
}

/// What searching under a prefix yields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Valid bottom triangles met, the prefix itself and solutions too.
    pub nodes: u64,
    /// Signs tried.
    pub steps: u64,
    /// Solutions, one of each two mirror images.
    pub found: u64,
}

/// What a search tells on its way.
pub trait Watcher {
    /// A node of this many rows, the last of which is given, was met; whether to search above it.
    fn enter(&mut self, rows: usize, row: &Row) -> bool;
    /// Whether [`Watcher::enter`] wants to be told of solutions too; else they are only counted.
    const SOLUTIONS: bool;
    /// Told of the steps taken above nodes of this many rows.
    fn steps(&mut self, _rows: usize, _steps: u64) {}
}

/// Wants to know nothing.
pub struct Counter;

impl Watcher for Counter {
    const SOLUTIONS: bool = false;
    fn enter(&mut self, _: usize, _: &Row) -> bool {
        true
    }
}

/// The state of the signs after a number of them were chosen.
#[derive(Clone, Copy)]
struct Signs {
    /// The values of `p` still possible, value `v` of the window at bit `v - 1`.
    window: u64,
    /// Those possible when the last sign is turned round, while that is still to be tried.
    other: u64,
    /// Offsets of the outermost entries so far.
    ends: [i32; 2],
    /// The largest offset.
    largest: i32,
    /// The offsets taken, as bits.
    taken: [u64; 2 * MOST_WORDS],
}

/// A row, and the search for rows above it.
#[derive(Clone)]
struct Level {
    row: Row,
    largest: i32,
    /// The values that the triangle up to this row leaves.
    fresh: [u64; MOST_WORDS],
    /// Those allowed in the next row, with zeros around.
    allowed: [u64; PADDED],
    /// Which entry comes after each sign: the difference, and the end that it joins (0 left, 1 right).
    order: [(i32, u8); MOST_ROWS],
    /// The column in the next row that each sign but the first fixes; the first fixes this one and the next.
    columns: [u8; MOST_ROWS],
    window: i32,
    windows: i32,
    /// Values of `p` left to take with the signs as they stand.
    complete: u64,
    /// The signs whose other choice is still to be tried, as bits.
    pending: u32,
    /// The sign that was chosen last.
    depth: usize,
    signs: [Signs; MOST_ROWS],
    /// The offsets by their columns in the next row, as far as they are chosen.
    offsets: Row,
    /// What the pairs and triples of the next row may sum to at the very most.
    limits: Limits,
}

/// A search with values of up to 64·`W`.
pub struct Search<'b, const W: usize> {
    bounds: &'b Bounds,
    order: usize,
    levels: Box<[Level]>,
}

/// The set of `1..=max`.
#[must_use]
pub fn full(max: usize) -> [u64; MOST_WORDS] {
    std::array::from_fn(|word| match max.saturating_sub(word * 64) {
        0 => 0,
        left if left >= 64 => u64::MAX,
        left => (1 << left) - 1,
    })
}

/// The word of a bit, and the bit's place in it.
const fn place(at: i32) -> (usize, u32) {
    ((at as usize) >> 6, at as u32 & 63)
}

impl Level {
    const EMPTY: Self = Self {
        row: [BLANK; 2 * MOST_ROWS],
        largest: 0,
        fresh: [0; MOST_WORDS],
        allowed: [0; PADDED],
        order: [(0, 0); MOST_ROWS],
        columns: [0; MOST_ROWS],
        window: 0,
        windows: 0,
        complete: 0,
        pending: 0,
        depth: 0,
        signs: [Signs { window: 0, other: 0, ends: [0; 2], largest: 0, taken: [0; 2 * MOST_WORDS] }; MOST_ROWS],
        offsets: [BLANK; 2 * MOST_ROWS],
        limits: Limits::NONE,
    };

    /// 64 allowed values from the one after `from` on.
    #[inline]
    fn allowed<const W: usize>(&self, from: i32) -> u64 {
        let (word, bit) = place(from + 128 * W as i32);
        self.allowed[word] >> bit | self.allowed[word + 1] << 1 << (63 - bit)
    }

    /// Gets ready to search above this row, its `rows`-th, with values up to `limit` in the next.
    fn open<const W: usize>(&mut self, rows: usize, limit: i32) {
        for word in 0..W {
            let below = (limit - 64 * word as i32).clamp(0, 64);
            let mask = if below == 64 { u64::MAX } else { (1 << below) - 1 };
            self.allowed[2 * W + word] = self.fresh[word] & mask;
        }
        let top = (0..rows).max_by_key(|&column| self.row[column]).unwrap_or(0);
        self.largest = i32::from(self.row[top]);
        // The columns of this row to the left and right that are next.
        let (mut left, mut right) = (top, top + 1);
        self.columns[0] = top as u8;
        self.offsets = [BLANK; 2 * MOST_ROWS];
        for sign in 1..rows {
            if right == rows || left > 0 && self.row[left - 1] > self.row[right] {
                left -= 1;
                self.order[sign] = (i32::from(self.row[left]), 0);
                self.columns[sign] = left as u8;
            } else {
                self.order[sign] = (i32::from(self.row[right]), 1);
                right += 1;
                self.columns[sign] = right as u8;
            }
        }
        self.windows = (limit - self.largest + 63).max(0) >> 6;
        self.window = -1;
        self.complete = 0;
        self.pending = 0;
    }

    /// Tries signs until a pattern stands whole, with [`Level::complete`] the values of `p` that it allows; false when this
    /// level is through.
    fn advance<const W: usize>(&mut self, rows: usize, steps: &mut u64) -> bool {
        loop {
            if self.pending == 0 {
                self.window += 1;
                if self.window >= self.windows {
                    return false;
                }
                let base = 64 * self.window;
                let window = self.allowed::<W>(base) & self.allowed::<W>(base + self.largest);
                // Mirror images: the second row's smaller entry stands on the left.
                *steps += if rows == 1 { 1 } else { 2 };
                if window == 0 {
                    continue;
                }
                self.start::<W>(window, if rows == 1 { 0 } else { window }, [0, self.largest]);
            } else {
                self.turn::<W>();
            }
            if self.descend::<W>(rows, steps) {
                return true;
            }
        }
    }

    #[inline]
    fn start<const W: usize>(&mut self, window: u64, other: u64, ends: [i32; 2]) {
        let mut taken = [0; 2 * MOST_WORDS];
        for offset in ends {
            let (word, bit) = place(offset + 64 * W as i32);
            taken[word] |= 1 << bit;
        }
        self.signs[0] = Signs { window, other, ends, largest: self.largest, taken };
        let column = usize::from(self.columns[0]);
        (self.offsets[column], self.offsets[column + 1]) = (ends[0] as i16, ends[1] as i16);
        self.pending = u32::from(other != 0);
        self.depth = 0;
    }

    /// Turns the last sign round whose other choice is still to be tried.
    #[inline]
    fn turn<const W: usize>(&mut self) {
        let sign = self.pending.ilog2() as usize;
        self.pending ^= 1 << sign;
        self.depth = sign;
        if sign == 0 {
            let window = self.signs[0].other;
            self.start::<W>(window, 0, [self.largest, 0]);
        } else {
            let (difference, end) = self.order[sign];
            let offset = self.signs[sign - 1].ends[usize::from(end)] - difference;
            let window = self.signs[sign].other;
            self.put::<W>(sign, window, 0, offset);
        }
    }

    /// Enters a sign's choice behind the ones before it.
    #[inline]
    fn put<const W: usize>(&mut self, sign: usize, window: u64, other: u64, offset: i32) {
        self.offsets[usize::from(self.columns[sign])] = offset as i16;
        let end = self.order[sign].1;
        let (before, after) = self.signs.split_at_mut(sign);
        let (before, now) = (&before[sign - 1], &mut after[0]);
        now.window = window;
        now.other = other;
        now.largest = before.largest.max(offset);
        now.ends = before.ends;
        now.ends[usize::from(end)] = offset;
        let (word, bit) = place(offset + 64 * W as i32);
        for k in 0..2 * W {
            now.taken[k] = before.taken[k] | if k == word { 1 << bit } else { 0 };
        }
    }

    /// Chooses signs one after the other, the larger entry first, until the pattern is whole (true) or dead.
    #[inline]
    fn descend<const W: usize>(&mut self, rows: usize, steps: &mut u64) -> bool {
        let base = 64 * self.window;
        while self.depth + 1 < rows {
            let before = &self.signs[self.depth];
            let (difference, end) = self.order[self.depth + 1];
            let from = before.ends[usize::from(end)];
            let choice = |offset: i32| {
                let (word, bit) = place(offset + 64 * W as i32);
                let taken = before.taken[word & (2 * W - 1)] >> bit & 1;
                before.window & self.allowed::<W>(base + offset) & taken.wrapping_sub(1)
            };
            let (up, down) = (choice(from + difference), choice(from - difference));
            *steps += 2;
            let sign = self.depth + 1;
            if up != 0 {
                self.pending |= u32::from(down != 0) << sign;
                self.put::<W>(sign, up, down, from + difference);
            } else if down != 0 {
                self.put::<W>(sign, down, 0, from - difference);
            } else {
                return false;
            }
            self.depth = sign;
        }
        self.complete = self.signs[self.depth].window;
        true
    }
}

impl<'b, const W: usize> Search<'b, W> {
    /// A search with these bounds, for values that fit `W` words.
    #[must_use]
    pub fn new(bounds: &'b Bounds, order: usize) -> Self {
        Self { bounds, order, levels: vec![Level::EMPTY; order + 1].into_boxed_slice() }
    }

    /// Searches everything above a node of `rows` rows, given by its last row and the values that it leaves.
    pub fn run<V: Watcher>(&mut self, rows: usize, row: &Row, fresh: [u64; MOST_WORDS], watcher: &mut V) -> Counts {
        let mut counts = Counts { nodes: 1, ..Counts::default() };
        if rows == self.order {
            counts.found = 1;
            return counts;
        }
        let level = &mut self.levels[rows];
        (level.row, level.fresh) = (*row, fresh);
        let limit = self.bounds.ahead(rows, &fresh[..W], &mut level.limits);
        level.open::<W>(rows, limit);
        let lowest = rows;
        let mut rows = rows;
        loop {
            let (below, above) = self.levels.split_at_mut(rows + 1);
            let level = &mut below[rows];
            if level.complete == 0 {
                let mut steps = 0;
                let whole = level.advance::<W>(rows, &mut steps);
                counts.steps += steps;
                watcher.steps(rows, steps);
                if !whole {
                    if rows == lowest {
                        return counts;
                    }
                    rows -= 1;
                    continue;
                }
                if rows + 1 == self.order && !V::SOLUTIONS {
                    // The entries are distinct, allowed and differ as they should: each value of p is a solution.
                    let solutions = u64::from(level.complete.count_ones());
                    counts.nodes += solutions;
                    counts.found += solutions;
                    level.complete = 0;
                    continue;
                }
                level.cut(rows, self.bounds);
                if level.complete == 0 {
                    continue;
                }
            }
            let p = 64 * level.window + level.complete.trailing_zeros() as i32 + 1;
            level.complete &= level.complete - 1;
            let (next, fresh, largest) = level.above::<W>(p);
            if rows + 1 < self.order && !self.bounds.pass(rows + 1, &next, largest, &fresh[..W]) {
                continue;
            }
            counts.nodes += 1;
            let enter = watcher.enter(rows + 1, &next);
            if rows + 1 == self.order {
                counts.found += 1;
            } else if enter {
                rows += 1;
                let level = &mut above[0];
                (level.row, level.fresh) = (next, fresh);
                let limit = self.bounds.ahead(rows, &fresh[..W], &mut level.limits);
                level.open::<W>(rows, limit);
            }
        }
    }
}

impl Level {
    /// Strikes the values of `p` out whose row the bounds are sure to cut off, whatever it takes up.
    #[inline]
    fn cut(&mut self, rows: usize, bounds: &Bounds) {
        let [pairs, triples] = bounds.row(rows + 1).excess(rows + 1, &self.offsets, &self.limits);
        let most = (-pairs).div_euclid(2).min((-triples).div_euclid(3)) - 64 * self.window;
        if most < 64 {
            self.complete &= (1 << most.max(0)) - 1;
        }
    }

    /// The row above with the signs as they stand and this value of `p`, what it leaves, and its largest entry.
    #[inline]
    fn above<const W: usize>(&self, p: i32) -> (Row, [u64; MOST_WORDS], i32) {
        let mut row = self.offsets;
        for entry in &mut row {
            *entry += if *entry == BLANK { 0 } else { p as i16 };
        }
        let signs = &self.signs[self.depth];
        let mut fresh = self.fresh;
        // Offset o is at bit o + 64 W of the taken ones, and value p + o at bit p + o - 1 of a set.
        for (word, fresh) in fresh.iter_mut().enumerate().take(W) {
            let (from, bit) = place(64 * (W + word) as i32 - p + 1);
            let high = if from + 1 < 2 * W { signs.taken[from + 1] << 1 << (63 - bit) } else { 0 };
            *fresh &= !(signs.taken[from] >> bit | high);
        }
        (row, fresh, p + signs.largest)
    }
}
