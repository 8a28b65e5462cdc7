//! The space of the goal `fixed` as a perfect index with one bit a state: the ring's, thirteenfold.
//!
//! Under this goal the ball has a first place. What still carries turns into turns and the goal into itself is rotating
//! places and shifting names by the same number, and mirroring both. So a state is told from others of the same bracelet
//! and column by one number more, its *shift*: the name of the tile at place 0 of the reading, less that place's own
//! number on the ball; the other way round where the reading goes downwards. A row is a bracelet and a shift, 4,940 in
//! all for 13 tiles.
//!
//! Seen in the row's own reading, place `q` holds name `names[q] + shift`. Where the image of a turn is read from place
//! `start` on, its shift is that of the tile that has come there, less `start`: it depends on the column only through
//! this one tile's name. So a turn of the row space is a turn of the ball and that name: it leads from one row to one
//! row, and takes one in `N − 1` of the columns (all of them where the tile is that of place 0).
//!
//! A bracelet with symmetries has several columns for one class here too, in rows of several shifts. A state counts once
//! for each of them, and a column stands for as many states as there are colourings in the bracelet, as in the ring.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::columns::{Names, unrank};
use super::passage::Passage;
use super::space::Ring;
use super::{Positions, ball_of, read};
use crate::kernel::Kernel;
use crate::puzzles::brainball::ball::{Ball, Goal};
use crate::puzzles::rows::{Carrying, RowSpace, Way};

/// All positions of a ring of `N` tiles under the goal `fixed`.
#[derive(Clone, Debug, Default)]
pub struct Fixed<const N: usize> {
    ring: Ring<N>,
}

impl<const N: usize> Fixed<N> {
    /// The bracelet of a row, and its shift.
    #[must_use]
    pub const fn parts(row: usize) -> (usize, usize) {
        (row / N, row % N)
    }

    /// The row that a turn leads to, and how.
    fn passage(&self, row: usize, turn: usize) -> Option<(usize, Passage<N>)> {
        let ((bracelet, shift), (axis, name)) = (Self::parts(row), (turn / N, turn % N));
        let passage = self.ring.passage(bracelet, axis).of_name(u8::try_from(name).unwrap_or(0))?;
        let upwards = (name + shift + N - passage.transfer.start) % N;
        let shift = if passage.transfer.mirrored { (N - upwards) % N } else { upwards };
        Some((passage.bracelet * N + shift, passage))
    }

    /// The ball that a row and an arrangement stand for, read from place 0 upwards.
    ///
    /// # Panics
    /// When `names` is no arrangement.
    #[must_use]
    pub fn ball(&self, row: usize, names: &Names<N>) -> Ball {
        let (bracelet, shift) = Self::parts(row);
        let size = i8::try_from(N).unwrap_or(1);
        let by = i8::try_from(shift).unwrap_or(0);
        let mut tiles = ball_of(self.ring.bracelets(), bracelet, names).tiles().to_vec();
        for tile in &mut tiles {
            *tile = ((tile.abs() - 1 + by) % size + 1) * tile.signum();
        }
        Ball::from_tiles(&tiles).expect("a shift of names keeps each once")
    }

    /// The rows and arrangements that a ball may be read as, ascending: more than one where its bracelet has symmetries.
    ///
    /// # Panics
    /// When the ball has not `N` tiles.
    #[must_use]
    pub fn cells(&self, ball: &Ball) -> Vec<(usize, Names<N>)> {
        assert_eq!(ball.size(), N, "a ball of this ring size");
        let bracelets = self.ring.bracelets();
        let colours = ball.tiles().iter().enumerate().map(|(place, tile)| u32::from(*tile < 0) << place).sum();
        let bracelet = bracelets.row(colours).0;
        let mut cells: Vec<_> = bracelets
            .readings(colours)
            .map(|reading| {
                let upwards = (usize::from(ball.tiles()[reading.start].unsigned_abs()) - 1 + N - reading.start) % N;
                let shift = if reading.mirrored { (N - upwards) % N } else { upwards };
                (bracelet * N + shift, read(ball, reading))
            })
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl<const N: usize> Positions for Fixed<N> {
    const GOAL: Goal = Goal::Fixed;

    fn classes(&self, columns: &[(usize, u32)]) -> Vec<(Ball, u64)> {
        let class = |&(row, address): &(usize, u32)| {
            let names = unrank::<N>(address, self.parity(row) == 1);
            let ball = self.ball(row, &names);
            let cells = self.cells(&ball);
            (cells.first() == Some(&(row, names))).then(|| (ball, self.weight(row) * cells.len() as u64))
        };
        columns.iter().filter_map(class).collect()
    }
}

impl<const N: usize> RowSpace for Fixed<N> {
    fn name(&self) -> String {
        format!("brainball {N} fixed, bracelets and shifts by 60 columns a word")
    }

    fn rows(&self) -> usize {
        self.ring.rows() * N
    }

    fn words(&self) -> usize {
        self.ring.words()
    }

    fn columns(&self) -> u64 {
        self.ring.columns()
    }

    fn mask(&self, row: usize) -> u64 {
        self.ring.mask(Self::parts(row).0)
    }

    fn parity(&self, row: usize) -> u32 {
        // Rotating by any number of places, or shifting names by it, is an even permutation of an odd number of them.
        self.ring.parity(Self::parts(row).0)
    }

    fn weight(&self, row: usize) -> u64 {
        self.ring.weight(Self::parts(row).0)
    }

    fn start(&self) -> Vec<(usize, u32)> {
        // However the solved ball is read: no shift.
        self.ring.start().into_iter().map(|(bracelet, address)| (bracelet * N, address)).collect()
    }

    fn bundle(&self) -> usize {
        N
    }

    fn turns(&self) -> usize {
        N * N
    }

    fn neighbour(&self, row: usize, turn: usize) -> Option<usize> {
        self.passage(row, turn).map(|(row, _)| row)
    }

    fn share(&self, turn: usize) -> u64 {
        if turn.is_multiple_of(N) { 1 } else { N as u64 - 1 }
    }

    fn push(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        self.passage(row, turn).is_none_or(|(_, passage)| passage.push(from, into, stop))
    }

    fn push_few(&self, row: usize, turn: usize, from: &[u32], into: &mut Vec<u32>) {
        if let Some((_, passage)) = self.passage(row, turn) {
            passage.push_few(from, into);
        }
    }

    fn pull(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        self.passage(row, turn).is_none_or(|(_, passage)| passage.pull(from, into, stop))
    }
}

impl<const N: usize> Carrying for Fixed<N> {
    fn kernel(&self) -> &'static Kernel {
        self.ring.kernel()
    }

    fn constants(&self) -> Vec<u32> {
        self.ring.constants()
    }

    fn turn_table(&self, row: usize, turn: usize, way: Way) -> Vec<u32> {
        // The table is the same whichever name comes to place 0.
        self.ring.turn_table(Self::parts(row).0, turn / N, way)
    }

    fn params(&self, row: usize, turn: usize, way: Way, words: Range<u32>) -> Vec<u32> {
        match self.passage(row, turn) {
            Some((_, passage)) => passage.params(way, words),
            None => self.ring.params(Self::parts(row).0, turn / N, way, words),
        }
    }
}

#[cfg(test)]
#[path = "fixed_tests.rs"]
mod tests;
