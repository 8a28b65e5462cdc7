//! The space of the goal `ring` as a perfect index with one bit a state.
//!
//! Rotating the ball changes nothing under this goal; mirroring it, or shifting all names, carries turns into turns and
//! the goal into itself. So a state is a *row*, its colour bracelet ([`bracelets`]), and a *column*, the names in the
//! order in which the bracelet's representative reads them, shifted so that place 0 has name 0 ([`columns`]): for 13
//! tiles 380 rows of 12!/2 columns. A turn leads from one row to one row ([`transfer`]), and [`walk`] carries whole rows
//! over. Under the goal `fixed` rows are told apart by one number more ([`fixed`]).
//!
//! A bracelet with symmetries of its own has several columns for one class; they are visited together, and a column of
//! any row stands for exactly [`Bracelets::orbit`] states: of the `orbit · N!/2` ways to colour and name the places, each
//! `N` that differ by a rotation are one state, and each `N` that differ by a shift of names share a column.

pub mod bracelets;
pub mod carry;
pub mod columns;
pub mod fixed;
mod lanes;
pub mod passage;
pub mod space;
pub mod transfer;
pub mod walk;

use bracelets::{Bracelets, Reading};
use columns::Names;

use super::ball::{Ball, Goal};
use crate::puzzles::rows::Carrying;

/// The ball that a row and an arrangement stand for, in the row's own reading.
///
/// # Panics
/// When `names` is no arrangement.
#[must_use]
pub fn ball_of<const N: usize>(bracelets: &Bracelets<N>, row: usize, names: &Names<N>) -> Ball {
    let tiles: Vec<i8> = (0..N)
        .map(|place| {
            let name = i8::try_from(names[place]).unwrap_or(0) + 1;
            if bracelets.colours(row) >> place & 1 == 1 { -name } else { name }
        })
        .collect();
    Ball::from_tiles(&tiles).expect("an arrangement has every name once")
}

/// The row and the arrangement of a ball (one of them, where its bracelet has symmetries).
///
/// # Panics
/// When the ball has not `N` tiles.
#[must_use]
pub fn cell_of<const N: usize>(bracelets: &Bracelets<N>, ball: &Ball) -> (usize, Names<N>) {
    assert_eq!(ball.size(), N, "a ball of this ring size");
    let colours = ball.tiles().iter().enumerate().map(|(place, tile)| u32::from(*tile < 0) << place).sum();
    let (row, reading) = bracelets.row(colours);
    (row, read(ball, reading))
}

/// The same arrangement seen through each of the row's own symmetries, ascending; among them itself.
#[must_use]
pub fn alike<const N: usize>(bracelets: &Bracelets<N>, row: usize, names: &Names<N>) -> Vec<Names<N>> {
    let ball = ball_of(bracelets, row, names);
    let mut alike: Vec<Names<N>> = bracelets.symmetries(row).map(|reading| read(&ball, reading)).collect();
    alike.sort_unstable();
    alike.dedup();
    alike
}

/// Columns of a space of balls, told as positions.
pub trait Positions: Carrying {
    /// When one is solved.
    const GOAL: Goal;

    /// Of every class that one of these columns is the first of: a position, and the states of the class. All columns of
    /// a class being there, this is one a class.
    fn classes(&self, columns: &[(usize, u32)]) -> Vec<(Ball, u64)>;
}

/// A ball's names in the order of a reading, from name 0 at place 0.
#[expect(clippy::cast_possible_truncation, reason = "names are below 13")]
fn read<const N: usize>(ball: &Ball, reading: Reading) -> Names<N> {
    let name = |q: usize| ball.tiles()[reading.place::<N>(q)].unsigned_abs();
    let zero = name(0);
    std::array::from_fn(|q| {
        let (from, to) = if reading.mirrored { (name(q), zero) } else { (zero, name(q)) };
        (to + N as u8 - from) % N as u8
    })
}
