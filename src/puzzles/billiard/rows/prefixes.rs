//! The list of prefixes, in a fixed order: the valid bottom triangles of three rows, or of four from order 11 on, as the
//! search meets them (the bottom value ascending, then depth first). An index is a place in this list.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "values are at most 256 and sets have four words"
)]

use rayon::prelude::*;

use super::bounds::{BLANK, Bounds, MOST_ROWS, Row};
use super::search::{Counts, MOST_WORDS, Search, Watcher, full};

/// The most rows of a prefix.
pub const MOST_PREFIX_ROWS: usize = 4;

/// A prefix: the entries of its last row less one; zeros behind them.
pub type Prefix = [u8; MOST_PREFIX_ROWS];

/// The prefixes of an order and a largest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefixes {
    /// Rows of each.
    pub rows: usize,
    /// All of them, in order.
    pub list: Vec<Prefix>,
    /// The nodes below them and the steps that it took to list them.
    pub below: Counts,
}

struct Lister {
    rows: usize,
    list: Vec<Prefix>,
}

impl Watcher for Lister {
    const SOLUTIONS: bool = true;

    fn enter(&mut self, rows: usize, row: &Row) -> bool {
        if rows == self.rows {
            self.list.push(pack(rows, row));
        }
        rows < self.rows
    }
}

fn pack(rows: usize, row: &Row) -> Prefix {
    std::array::from_fn(|column| if column < rows { (row[column] - 1) as u8 } else { 0 })
}

/// The row that a prefix stands for, and the values that the triangle below it and itself leave.
#[must_use]
pub fn unpack(prefix: Prefix, rows: usize, max: usize) -> (Row, [u64; MOST_WORDS]) {
    let mut row = [BLANK; 2 * MOST_ROWS];
    for (entry, &byte) in row.iter_mut().zip(&prefix[..rows]) {
        *entry = i16::from(byte) + 1;
    }
    let mut fresh = full(max);
    let mut lower = row;
    for rows in (1..=rows).rev() {
        for &entry in &lower[..rows] {
            let bit = entry as usize - 1;
            fresh[bit / 64] &= !(1 << (bit % 64));
        }
        for column in 0..rows - 1 {
            lower[column] = (lower[column] - lower[column + 1]).abs();
        }
    }
    (row, fresh)
}

impl Prefixes {
    /// Lists them, for values that fit `W` words.
    #[must_use]
    pub fn new<const W: usize>(order: usize, max: usize, bounds: &Bounds) -> Self {
        let rows = if order < 11 { order.min(3) } else { MOST_PREFIX_ROWS };
        let lists: Vec<_> = (1..=max)
            .into_par_iter()
            .map_init(
                || Search::<W>::new(bounds, order),
                |search, bottom| {
                    let (row, fresh) = unpack([(bottom - 1) as u8, 0, 0, 0], 1, max);
                    let mut lister = Lister { rows, list: Vec::new() };
                    let mut counts = Counts::default();
                    if bounds.pass(1, &row, bottom as i32, &fresh[..W]) {
                        if lister.enter(1, &row) {
                            counts = search.run(1, &row, fresh, &mut lister);
                        } else {
                            counts.nodes = 1;
                        }
                    }
                    (lister.list, counts)
                },
            )
            .collect();
        let mut prefixes = Self { rows, list: Vec::new(), below: Counts::default() };
        for (list, counts) in lists {
            prefixes.below.nodes += counts.nodes - list.len() as u64;
            prefixes.below.steps += counts.steps;
            prefixes.list.extend(list);
        }
        prefixes
    }
}
