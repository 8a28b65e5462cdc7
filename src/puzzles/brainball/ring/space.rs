//! The ring as a [`RowSpace`]: bracelets are its rows.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::bracelets::Bracelets;
use super::carry;
use super::columns::{COLUMNS_MASK, WORD_COLUMNS, unrank, words};
use super::passage::Passage;
use super::{Positions, alike, ball_of};
use crate::kernel::Kernel;
use crate::puzzles::brainball::ball::{Ball, Goal};
use crate::puzzles::rows::{Carrying, RowSpace, Way};

/// All positions of a ring of `N` tiles under the goal `ring`.
#[derive(Clone, Debug, Default)]
pub struct Ring<const N: usize> {
    bracelets: Bracelets<N>,
}

impl<const N: usize> Ring<N> {
    /// The rows.
    #[must_use]
    pub const fn bracelets(&self) -> &Bracelets<N> {
        &self.bracelets
    }

    /// A turn of a row.
    #[must_use]
    pub fn passage(&self, row: usize, turn: usize) -> Passage<N> {
        Passage::new(&self.bracelets, row, turn)
    }
}

impl<const N: usize> Positions for Ring<N> {
    const GOAL: Goal = Goal::Ring;

    fn classes(&self, columns: &[(usize, u32)]) -> Vec<(Ball, u64)> {
        let class = |&(row, address): &(usize, u32)| {
            let names = unrank::<N>(address, self.parity(row) == 1);
            let alike = alike(&self.bracelets, row, &names);
            let states = self.weight(row) * alike.len() as u64;
            (alike.first() == Some(&names)).then(|| (ball_of(&self.bracelets, row, &names), states))
        };
        columns.iter().filter_map(class).collect()
    }
}

impl<const N: usize> RowSpace for Ring<N> {
    fn name(&self) -> String {
        format!("brainball {N} ring, bracelets by 60 columns a word")
    }

    fn rows(&self) -> usize {
        self.bracelets.len()
    }

    fn words(&self) -> usize {
        words::<N>()
    }

    fn columns(&self) -> u64 {
        words::<N>() as u64 * u64::from(WORD_COLUMNS)
    }

    fn mask(&self, _: usize) -> u64 {
        COLUMNS_MASK
    }

    fn parity(&self, row: usize) -> u32 {
        self.bracelets.colours(row).count_ones() % 2
    }

    fn weight(&self, row: usize) -> u64 {
        self.bracelets.orbit(row).into()
    }

    fn start(&self) -> Vec<(usize, u32)> {
        // The white bracelet's symmetries all leave the names in order as they are.
        vec![(self.bracelets.row(0).0, 0)]
    }

    fn turns(&self) -> usize {
        N
    }

    fn neighbour(&self, row: usize, turn: usize) -> Option<usize> {
        Some(self.passage(row, turn).bracelet)
    }

    fn push(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        self.passage(row, turn).push(from, into, stop)
    }

    fn push_few(&self, row: usize, turn: usize, from: &[u32], into: &mut Vec<u32>) {
        self.passage(row, turn).push_few(from, into);
    }

    fn pull(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        self.passage(row, turn).pull(from, into, stop)
    }
}

impl<const N: usize> Carrying for Ring<N> {
    fn kernel(&self) -> &'static Kernel {
        &carry::KERNEL
    }

    fn constants(&self) -> Vec<u32> {
        vec![u32::try_from(N).unwrap_or(0)]
    }

    fn turn_table(&self, row: usize, turn: usize, way: Way) -> Vec<u32> {
        self.passage(row, turn).turn_table(way)
    }

    fn params(&self, row: usize, turn: usize, way: Way, words: Range<u32>) -> Vec<u32> {
        self.passage(row, turn).params(way, words)
    }
}
