//! The ring as a [`RowSpace`]: bracelets are its rows.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::alike;
use super::bracelets::Bracelets;
use super::carry;
use super::columns::{COLUMNS_MASK, Names, WORD_COLUMNS, rank, unrank, words};
use super::transfer::Transfer;
use super::walk::Walk;
use crate::kernel::Kernel;
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

    /// States of the class that an arrangement of a row belongs to.
    #[must_use]
    pub fn class_size(&self, row: usize, names: &Names<N>) -> u64 {
        self.weight(row) * alike(&self.bracelets, row, names).len() as u64
    }

    fn odd(&self, row: usize) -> bool {
        self.parity(row) == 1
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

    fn neighbour(&self, row: usize, turn: usize) -> usize {
        Transfer::of_turn(&self.bracelets, row, turn).0
    }

    fn push(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        let (neighbour, transfer) = Transfer::of_turn(&self.bracelets, row, turn);
        Walk::new(&transfer.inverse(), self.odd(neighbour)).push(from, into, stop)
    }

    fn push_few(&self, row: usize, turn: usize, from: &[u32], into: &mut [u64]) {
        let (neighbour, transfer) = Transfer::of_turn(&self.bracelets, row, turn);
        let (odd, back) = (self.odd(neighbour), transfer.inverse());
        for address in from {
            let image = rank(&back.apply(&unrank::<N>(*address, odd)));
            into[image as usize / 64] |= 1 << (image % 64);
        }
    }

    fn pull(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        let (_, transfer) = Transfer::of_turn(&self.bracelets, row, turn);
        Walk::new(&transfer, self.odd(row)).pull(into, from, stop)
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
        let (_, transfer) = Transfer::of_turn(&self.bracelets, row, turn);
        match way {
            Way::Push => carry::turn_table(&transfer.inverse()),
            Way::Pull => carry::turn_table(&transfer),
        }
    }

    fn params(&self, row: usize, turn: usize, way: Way, words: Range<u32>) -> Vec<u32> {
        let home = match way {
            Way::Push => self.neighbour(row, turn),
            Way::Pull => row,
        };
        carry::params(words.end - words.start, words.start, self.odd(home), way).to_vec()
    }
}
