//! A turn from one row to another, and marks carried over it.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::bracelets::Bracelets;
use super::carry::{self, NO_PIN, Pin};
use super::columns::{rank, unrank};
use super::transfer::Transfer;
use super::walk::Walk;
use crate::puzzles::rows::Way;

/// A turn of the arrangements of a bracelet, or of those alone in which a certain name comes to place 0.
#[derive(Clone, Copy, Debug)]
pub struct Passage<const N: usize> {
    /// The bracelet that it leads to.
    pub bracelet: usize,
    /// How.
    pub transfer: Transfer<N>,
    /// The name, not 0, of the tile that is to come to place 0.
    zero: Option<u8>,
    odd: bool,
}

impl<const N: usize> Passage<N> {
    /// The turn about place `axis` of a bracelet.
    #[must_use]
    pub fn new(bracelets: &Bracelets<N>, bracelet: usize, axis: usize) -> Self {
        let odd = bracelets.colours(bracelet).count_ones() % 2 == 1;
        let (bracelet, transfer) = Transfer::of_turn(bracelets, bracelet, axis);
        Self { bracelet, transfer, zero: None, odd }
    }

    /// The part of it that brings a tile of this name to place 0; none where that cannot be: place 0 has name 0, and no
    /// other place has.
    #[must_use]
    pub fn of_name(self, name: u8) -> Option<Self> {
        let zero = (name != 0).then_some(name);
        ((self.transfer.places[0] == 0) == (name == 0)).then_some(Self { zero, ..self })
    }

    /// The way back: a turn changes seven colours, so parity with them.
    fn back(&self) -> Self {
        // Names count from the tile that came to place 0: there it is 0, and what was 0 lies as far below it, or, where
        // names are counted downwards, above.
        #[expect(clippy::cast_possible_truncation, reason = "at most 13")]
        let zero = self.zero.map(|name| if self.transfer.mirrored { name } else { N as u8 - name });
        Self { bracelet: self.bracelet, transfer: self.transfer.inverse(), zero, odd: !self.odd }
    }

    /// See [`crate::puzzles::rows::RowSpace::push`].
    pub fn push(&self, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        let back = self.back();
        Walk::new(&back.transfer, back.odd, back.zero).push(from, into, stop)
    }

    /// See [`crate::puzzles::rows::RowSpace::push_few`].
    pub fn push_few(&self, from: &[u32], into: &mut Vec<u32>) {
        let back = self.back();
        for address in from {
            let names = unrank::<N>(*address, back.odd);
            if back.zero.is_none_or(|zero| names[back.transfer.places[0]] == zero) {
                into.push(rank(&back.transfer.apply(&names)));
            }
        }
    }

    /// See [`crate::puzzles::rows::RowSpace::pull`].
    pub fn pull(&self, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool {
        Walk::new(&self.transfer, self.odd, self.zero).pull(into, from, stop)
    }

    fn walked(&self, way: Way) -> Self {
        match way {
            Way::Push => self.back(),
            Way::Pull => *self,
        }
    }

    /// The kernel's `turn`.
    #[must_use]
    pub fn turn_table(&self, way: Way) -> Vec<u32> {
        carry::turn_table(&self.walked(way).transfer)
    }

    /// The kernel's `params` for these words of the row that is walked.
    #[must_use]
    pub fn params(&self, way: Way, words: Range<u32>) -> Vec<u32> {
        let walked = self.walked(way);
        let place = u32::try_from(walked.transfer.places[0]).unwrap_or(0);
        let pin: Pin = walked.zero.map_or(NO_PIN, |name| (place, name.into()));
        carry::params(words.end - words.start, words.start, walked.odd, way, pin).to_vec()
    }
}
