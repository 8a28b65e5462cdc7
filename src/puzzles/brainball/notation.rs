//! Sequences of moves as people write them: ring indices (`3 3 11`) and the field's `+n/`, and what a sequence does.
//!
//! `+n/` shifts the whole ring clockwise by `n` (towards higher indices) and then makes the half turn about index 0; a
//! sequence of these ends with a shift. It knows no `turn180`: the ball is held as it is and never turned over.

use std::fmt::Write as _;

use thiserror::Error;

use super::ball::Ball;
use super::parse;
use crate::excerpt::excerpt;

/// What is wrong with a written sequence of moves.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum MovesError {
    #[error(
        "entry {entry} of the moves, \"{text}\", is not a ring index: expected a number from 0 to {last}; example: 3 3 11"
    )]
    Index { entry: usize, text: String, last: usize },
    #[error(
        "entry {entry} of the moves, \"{text}\", is not a shift: expected a number with its sign; example: +1/-1/+3"
    )]
    Shift { entry: usize, text: String },
}

/// A sequence of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Side turns, by the index of their axis.
    Indices(Vec<usize>),
    /// Shifts with a half turn about index 0 after each but the last.
    Slash(Vec<i64>),
}

impl Moves {
    /// Reads a sequence for a ring of `size` tiles; anything with a `/` is in slash notation.
    ///
    /// # Errors
    /// A [`MovesError`] that names the first wrong entry.
    pub fn parse(text: &str, size: usize) -> Result<Self, MovesError> {
        if text.contains('/') {
            let parts = text.split('/').map(str::trim).enumerate();
            let last = text.matches('/').count();
            let shifts = parts.map(|(k, part)| match part {
                "" if k == last => Ok(0),
                _ => part
                    .parse::<i64>()
                    .ok()
                    .filter(|n| n.unsigned_abs() < 1_000_000)
                    .ok_or_else(|| MovesError::Shift { entry: k + 1, text: excerpt(part) }),
            });
            return shifts.collect::<Result<_, _>>().map(Self::Slash);
        }
        let entries = parse::split(text).enumerate().map(|(k, part)| {
            let index = part.parse::<usize>().ok().filter(|index| *index < size);
            index.ok_or_else(|| MovesError::Index { entry: k + 1, text: excerpt(part), last: size - 1 })
        });
        entries.collect::<Result<_, _>>().map(Self::Indices)
    }

    /// Side turns in the sequence.
    #[must_use]
    pub fn turns(&self) -> usize {
        match self {
            Self::Indices(turns) => turns.len(),
            Self::Slash(shifts) => shifts.len().saturating_sub(1),
        }
    }

    /// Does the sequence to a ball as it is held, without any `turn180`.
    pub fn apply_held(&self, ball: &mut Ball) {
        match self {
            Self::Indices(turns) => turns.iter().for_each(|axis| ball.turn_sides(*axis)),
            Self::Slash(shifts) => {
                for (k, by) in shifts.iter().enumerate() {
                    ball.shift(*by);
                    if k + 1 < shifts.len() {
                        ball.turn_sides(0);
                    }
                }
            }
        }
    }

    /// The cycles of what the sequence does to a ball of `size` tiles, by their least index, fixed and unflipped tiles
    /// left out.
    #[must_use]
    pub fn cycles(&self, size: usize) -> Vec<Cycle> {
        let mut after = Ball::solved(size);
        self.apply_held(&mut after);
        // Where the tile at each index goes, and whether it flips on the way.
        let mut goes = vec![(0, false); size];
        for (place, tile) in after.tiles().iter().enumerate() {
            goes[usize::from(tile.unsigned_abs()) - 1] = (place, *tile < 0);
        }
        let mut seen = vec![false; size];
        let mut cycles = Vec::new();
        for start in 0..size {
            let mut cycle = Cycle { places: Vec::new(), flips: false };
            let mut at = start;
            while !std::mem::replace(&mut seen[at], true) {
                cycle.places.push(at);
                cycle.flips ^= goes[at].1;
                at = goes[at].0;
            }
            if cycle.order() > 1 {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// After how many repetitions the sequence has done nothing, the ball held as it is: the least common multiple of
    /// its cycles' orders.
    #[must_use]
    pub fn order(&self, size: usize) -> usize {
        self.cycles(size).iter().map(Cycle::order).fold(1, |a, b| a / gcd(a, b) * b)
    }
}

/// Tiles that take each other's place in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Ring indices: the tile at each goes to the next, that at the last to the first.
    pub places: Vec<usize>,
    /// Whether a tile comes back in the other colour after one round.
    pub flips: bool,
}

impl Cycle {
    /// Repetitions after which the cycle's tiles lie as before, colours included.
    #[must_use]
    pub fn order(&self) -> usize {
        self.places.len() * if self.flips { 2 } else { 1 }
    }
}

/// Side turns (by axis, on the ball held as it is) in slash notation, shifts between −size/2 and size/2.
#[must_use]
pub fn slash(turns: &[usize], size: usize) -> String {
    let mut text = String::new();
    let mut held = 0;
    for axis in turns {
        // Brings the axis to index 0.
        let by = short(held + size - axis, size);
        let _ = write!(text, "{by:+}/");
        held = *axis;
    }
    let _ = write!(text, "{:+}", short(held, size));
    text
}

fn short(by: usize, size: usize) -> i64 {
    let by = i64::try_from(by % size).unwrap_or(0);
    let size = i64::try_from(size).unwrap_or(0);
    if by > size / 2 { by - size } else { by }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::ball::TILES;
    use super::*;

    /// Orders published on math.stackexchange, question 4140936.
    #[test]
    fn orders_are_the_published_ones() {
        for (text, order) in [
            ("+1/", 8),
            ("+2/", 12),
            ("+3/", 4),
            ("+4/", 12),
            ("+5/", 6),
            ("+6/", 14),
            ("+7/", 14),
            ("+1/-1/", 20),
            ("+1/+2/", 13),
            ("+1/+2/+3/", 12),
            ("+2/+2/", 6),
        ] {
            let moves = Moves::parse(text, TILES).unwrap();
            assert_eq!(moves.order(TILES), order, "{text}");
            let mut ball = Ball::solved(TILES);
            for repetition in 1..=order {
                moves.apply_held(&mut ball);
                assert_eq!(ball == Ball::solved(TILES), repetition == order, "{text}, {repetition} times");
            }
        }
    }

    #[test]
    fn slash_notation_and_ring_indices_do_the_same() {
        let turns = vec![3, 3, 11, 0, 7, 12];
        let mut by_index = Ball::solved(TILES);
        Moves::Indices(turns.clone()).apply_held(&mut by_index);
        let mut by_slash = Ball::solved(TILES);
        Moves::parse(&slash(&turns, TILES), TILES).unwrap().apply_held(&mut by_slash);
        assert_eq!(by_index, by_slash);
        assert_eq!(slash(&[], TILES), "+0");
    }

    #[test]
    fn a_wrong_move_is_named() {
        assert_eq!(Moves::parse("3 13", TILES), Err(MovesError::Index { entry: 2, text: "13".into(), last: 12 }));
        assert_eq!(Moves::parse("+1/x/", TILES), Err(MovesError::Shift { entry: 2, text: "x".into() }));
        assert_eq!(Moves::parse("/+1", TILES), Err(MovesError::Shift { entry: 1, text: String::new() }));
        let least = i64::MIN.to_string();
        assert_eq!(Moves::parse(&format!("{least}/"), TILES), Err(MovesError::Shift { entry: 1, text: least }));
        assert_eq!(Moves::parse("", TILES), Ok(Moves::Indices(vec![])));
    }
}
