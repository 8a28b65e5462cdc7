//! The rules, on plain signed numbers: slow, and short enough to be checked by eye.

use std::fmt;

/// Tiles of the real toy.
pub const TILES: usize = 13;

/// The ring sizes the rules allow. From 7 upwards the 3-arc round an axis and the 4-arc opposite it are disjoint; on 7
/// they fill the ring, so that a turn there turns the whole ball.
pub const SIZES: [usize; 4] = [7, 9, 11, 13];

/// When a ball counts as solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Goal {
    /// White, and tile `k + 1` at index `k`.
    #[default]
    Fixed,
    /// White, and the tiles in cyclic order from any index: a ring has no first place.
    Ring,
}

impl Goal {
    /// Both goals.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Ring];

    /// `fixed` or `ring`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Ring => "ring",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position: `tiles[k]` is `+n` where tile `n` lies white at index `k`, `−n` where it lies yellow.
/// Every tile 1..=len occurs once; the length is one of [`SIZES`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ball {
    tiles: Vec<i8>,
}

impl Ball {
    /// The solved ball of a ring size.
    ///
    /// # Panics
    /// When the size is not one of [`SIZES`].
    #[must_use]
    pub fn solved(size: usize) -> Self {
        assert!(SIZES.contains(&size), "a ring of {size} tiles");
        Self { tiles: (1..).take(size).collect() }
    }

    /// A position from signed tiles, or `None` when they are not a signed permutation of 1..=len of an allowed length.
    #[must_use]
    pub fn from_tiles(tiles: &[i8]) -> Option<Self> {
        let mut seen = vec![false; tiles.len()];
        for tile in tiles {
            let place = usize::from(tile.unsigned_abs()).checked_sub(1)?;
            if std::mem::replace(seen.get_mut(place)?, true) {
                return None;
            }
        }
        SIZES.contains(&tiles.len()).then(|| Self { tiles: tiles.to_vec() })
    }

    /// The signed tiles, by index.
    #[must_use]
    pub fn tiles(&self) -> &[i8] {
        &self.tiles
    }

    /// The number of tiles.
    #[must_use]
    pub fn size(&self) -> usize {
        self.tiles.len()
    }

    /// The indices that the turn about `axis` moves, each once: the 3-arc round the axis, then the opposite 4-arc.
    pub fn arcs(size: usize, axis: usize) -> impl Iterator<Item = usize> {
        let half = size / 2;
        [size - 1, 0, 1, half - 1, half, half + 1, half + 2].into_iter().map(move |k| (axis + k) % size)
    }

    /// `turnSides(axis)`: both arcs are mirrored about the axis and their tiles flip. Its own inverse.
    pub fn turn_sides(&mut self, axis: usize) {
        let size = self.size();
        let old = self.tiles.clone();
        for place in Self::arcs(size, axis) {
            self.tiles[place] = -old[(2 * axis + size - place) % size];
        }
    }

    /// `turn180`: the whole ball turned over, `new[k] = −old[last − k]`.
    pub fn turn180(&mut self) {
        self.tiles.reverse();
        for tile in &mut self.tiles {
            *tile = -*tile;
        }
    }

    /// Shifts the ring clockwise, that is towards higher indices: `new[k + by] = old[k]`.
    pub fn shift(&mut self, by: i64) {
        let size = i64::try_from(self.size()).unwrap_or(1);
        self.tiles.rotate_right(usize::try_from(by.rem_euclid(size)).unwrap_or(0));
    }

    /// Tiles lying yellow.
    #[must_use]
    pub fn yellow(&self) -> usize {
        self.tiles.iter().filter(|tile| **tile < 0).count()
    }

    /// Brings the white majority up; says whether that took a `turn180`.
    pub fn normalise(&mut self) -> bool {
        let over = self.yellow() > self.size() / 2;
        if over {
            self.turn180();
        }
        over
    }

    /// Whether this very position, not turned over, is solved.
    #[must_use]
    pub fn is_solved(&self, goal: Goal) -> bool {
        let size = self.size();
        let start = match goal {
            Goal::Fixed => 0,
            Goal::Ring => self.tiles.iter().position(|tile| *tile == 1).unwrap_or(0),
        };
        (0..size).all(|k| usize::try_from(self.tiles[(start + k) % size]) == Ok(k + 1))
    }

    /// Whether the permutation is odd.
    #[must_use]
    pub fn is_odd(&self) -> bool {
        let inversions = self.tiles.iter().enumerate().map(|(k, tile)| {
            self.tiles[..k].iter().filter(|before| before.unsigned_abs() > tile.unsigned_abs()).count()
        });
        inversions.sum::<usize>() % 2 == 1
    }

    /// Whether permutation and colours have one parity: on 13 tiles, exactly the positions that side turns alone reach
    /// from the solved ball; of a position and its `turn180`, one.
    #[must_use]
    pub fn in_side_group(&self) -> bool {
        self.is_odd() == (self.yellow() % 2 == 1)
    }

    /// The position as seen by someone who calls `target` solved: tile `t` becomes the index (from 1) at which `target`
    /// has it, white where the two agree in colour. A sequence of turns leads from here to `target` exactly when it leads
    /// from the result to the solved ball.
    ///
    /// # Panics
    /// When the sizes differ.
    #[must_use]
    pub fn relative_to(&self, target: &Self) -> Self {
        assert_eq!(self.size(), target.size(), "positions of one ring size");
        let mut names = vec![0i8; self.size() + 1];
        for (name, tile) in (1i8..).zip(&target.tiles) {
            names[usize::from(tile.unsigned_abs())] = if *tile < 0 { -name } else { name };
        }
        let tiles = self.tiles.iter().map(|tile| {
            let name = names[usize::from(tile.unsigned_abs())];
            if *tile < 0 { -name } else { name }
        });
        Self { tiles: tiles.collect() }
    }
}

impl fmt::Display for Ball {
    /// `1,-5,2,…`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, tile) in self.tiles.iter().enumerate() {
            if k > 0 {
                f.write_str(",")?;
            }
            write!(f, "{tile}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_its_own_inverse_and_moves_seven_tiles_on_every_ring() {
        for size in SIZES {
            for axis in 0..size {
                let mut ball = Ball::solved(size);
                ball.turn_sides(axis);
                assert_eq!(ball.yellow(), 7);
                assert!(ball.in_side_group());
                ball.turn_sides(axis);
                assert_eq!(ball, Ball::solved(size));
            }
        }
    }

    #[test]
    fn turn180_carries_the_turn_about_i_into_the_turn_about_12_minus_i() {
        for axis in 0..TILES {
            let mut here = Ball::solved(TILES);
            here.turn_sides(axis);
            here.turn180();
            let mut there = Ball::solved(TILES);
            there.turn180();
            there.turn_sides(TILES - 1 - axis);
            assert_eq!(here, there);
        }
    }

    #[test]
    fn turn180_changes_between_the_two_halves_on_13_tiles() {
        let mut ball = Ball::solved(TILES);
        ball.turn180();
        assert!(!ball.in_side_group());
        assert!(ball.normalise());
        assert!(ball.is_solved(Goal::Fixed));
    }
}
