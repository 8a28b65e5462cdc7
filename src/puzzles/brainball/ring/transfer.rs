//! What a turn does to the index. From one row a turn leads to exactly one row, and there it moves all arrangements in
//! the same way: a permutation of the places, and names counted anew from the tile that has come to place 0.

use super::bracelets::Bracelets;
use super::columns::{Names, weights};
use crate::puzzles::brainball::ball::Ball;

/// Carries the arrangements of one row into another: the tile at place `places[q]` comes to place `q`, and names become
/// distances upwards (downwards, if `mirrored`) from the tile that comes to place 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<const N: usize> {
    /// By place of the row arrived at: the place in the row left.
    pub places: [usize; N],
    /// Whether names are counted downwards.
    pub mirrored: bool,
    /// The place of the row left, as the ball lies after the turn, that is place 0 of the row arrived at.
    pub start: usize,
}

impl<const N: usize> Transfer<N> {
    /// The turn about place `axis` of a row's representative: the row that it leads to, and how.
    #[must_use]
    pub fn of_turn(bracelets: &Bracelets<N>, row: usize, axis: usize) -> (usize, Self) {
        let colours = bracelets.colours(row);
        let mut from: [usize; N] = std::array::from_fn(|place| place);
        let mut turned = colours;
        for place in Ball::arcs(N, axis) {
            from[place] = (2 * axis + N - place) % N;
            turned = turned & !(1 << place) | (!colours >> from[place] & 1) << place;
        }
        let (row, reading) = bracelets.row(turned);
        let places = std::array::from_fn(|q| from[reading.place::<N>(q)]);
        (row, Self { places, mirrored: reading.mirrored, start: reading.start })
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut places = [0; N];
        for (q, place) in self.places.iter().enumerate() {
            places[*place] = q;
        }
        let start = if self.mirrored { self.start } else { (N - self.start) % N };
        Self { places, mirrored: self.mirrored, start }
    }

    /// Carries one arrangement over, by the definition.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "names are below 13")]
    pub fn apply(&self, names: &Names<N>) -> Names<N> {
        let zero = names[self.places[0]];
        std::array::from_fn(|q| {
            let name = names[self.places[q]];
            let (from, to) = if self.mirrored { (name, zero) } else { (zero, name) };
            (to + N as u8 - from) % N as u8
        })
    }

    /// The address of the image as a sum over pairs of places, so that it never has to be built: see [`PairSums`].
    #[must_use]
    pub fn pair_sums(&self) -> PairSums<N> {
        let mut less = [[0u32; N]; N];
        let mut constant = 0u32;
        let weights = const { weights::<N>() };
        let zero = self.places[0];
        for (j, weight) in weights.into_iter().enumerate().skip(1) {
            for k in j + 1..N {
                // The digit of place j counts this later place when its name is the lesser: when, from the tile at
                // `zero` on round the names, that of `first` comes before that of `second`. Of three names this is so
                // exactly when two, not one, of zero < first, first < second and second < zero hold.
                let (j_from, k_from) = (self.places[j], self.places[k]);
                let (first, second) = if self.mirrored { (j_from, k_from) } else { (k_from, j_from) };
                for (a, b) in [(zero, first), (first, second), (second, zero)] {
                    less[a][b] = less[a][b].wrapping_add(weight);
                }
                constant = constant.wrapping_sub(weight);
            }
        }
        let mut pairs = [[0u32; N]; N];
        for a in 0..N {
            for b in a + 1..N {
                constant = constant.wrapping_add(less[b][a]);
                pairs[a][b] = less[a][b].wrapping_sub(less[b][a]);
            }
        }
        // Place 0 has name 0, less than all others.
        constant = (1..N).fold(constant, |sum, b| sum.wrapping_add(pairs[0][b]));
        PairSums { constant, pairs }
    }
}

/// The address of an arrangement's image: `constant` plus, for all places 1 ≤ a < b where `names[a] < names[b]`,
/// `pairs[a][b]`; modulo 2³². (Row and column 0 of `pairs` are not part of the sum.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSums<const N: usize> {
    /// The image's address where no such pair is.
    pub constant: u32,
    /// What each pair adds, above the diagonal.
    pub pairs: [[u32; N]; N],
}

impl<const N: usize> PairSums<N> {
    /// The address of an arrangement's image.
    #[must_use]
    pub fn image(&self, names: &Names<N>) -> u32 {
        let mut address = self.constant;
        for a in 1..N {
            for b in a + 1..N {
                if names[a] < names[b] {
                    address = address.wrapping_add(self.pairs[a][b]);
                }
            }
        }
        address
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::{is_odd, rank, unrank, words};
    use super::*;
    use proptest::prelude::*;

    fn agrees<const N: usize>(row: usize, axis: usize, word: u32, bit: u32) -> Result<(), TestCaseError> {
        let bracelets = Bracelets::<N>::new();
        let (row, axis) = (row % bracelets.len(), axis % N);
        let odd = bracelets.colours(row) % 2 == 1;
        let odd = odd ^ ((bracelets.colours(row) >> 1).count_ones() % 2 == 1);
        let names = unrank::<N>(word % u32::try_from(words::<N>()).unwrap() * 64 + bit, odd);
        let (target, transfer) = Transfer::of_turn(&bracelets, row, axis);
        let image = transfer.apply(&names);
        prop_assert_eq!(transfer.inverse().apply(&image), names);
        prop_assert_eq!(transfer.pair_sums().image(&names), rank(&image));
        prop_assert_eq!(transfer.inverse().pair_sums().image(&image), rank(&names));
        prop_assert_eq!(is_odd(&image), bracelets.colours(target).count_ones() % 2 == 1);

        // By the rules: the turned ball's colours read as the target row's, and its tiles as the image.
        let mut ball = super::super::ball_of(&bracelets, row, &names);
        ball.turn_sides(axis);
        prop_assert_eq!(super::super::cell_of(&bracelets, &ball), (target, image));
        Ok(())
    }

    proptest! {
        #[test]
        fn a_turn_on_the_index_is_the_turn_of_the_rules(row: usize, axis: usize, word: u32, bit in 0..60u32) {
            agrees::<7>(row, axis, word, bit)?;
            agrees::<9>(row, axis, word, bit)?;
            agrees::<11>(row, axis, word, bit)?;
            agrees::<13>(row, axis, word, bit)?;
        }
    }
}
