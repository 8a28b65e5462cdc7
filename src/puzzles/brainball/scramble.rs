//! Seeded positions: the same seed gives the same position on every machine and in every release, since ChaCha8's stream
//! is a published constant.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::ball::Ball;

/// Turns the solved ball `turns` times at random, never about the axis just used (which would undo the turn before), with
/// the white majority brought up after each; returns the position and the ring indices turned.
#[must_use]
pub fn scramble(size: usize, turns: usize, seed: u64) -> (Ball, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ball = Ball::solved(size);
    let mut made = Vec::with_capacity(turns);
    let mut undoes = None;
    for _ in 0..turns {
        let axis = loop {
            let axis = below(&mut rng, size);
            if Some(axis) != undoes {
                break axis;
            }
        };
        ball.turn_sides(axis);
        made.push(axis);
        // Turned over, the same axis is called by its mirror image.
        undoes = Some(if ball.normalise() { size - 1 - axis } else { axis });
    }
    (ball, made)
}

/// A uniformly random position of the group that side turns generate, its white majority up.
#[must_use]
pub fn random(size: usize, seed: u64) -> Ball {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tiles: Vec<i8> = Ball::solved(size).tiles().to_vec();
    for k in (1..size).rev() {
        tiles.swap(k, below(&mut rng, k + 1));
    }
    for tile in &mut tiles {
        if rng.next_u32() & 1 == 1 {
            *tile = -*tile;
        }
    }
    let mut ball = Ball::from_tiles(&tiles).unwrap_or_else(|| Ball::solved(size));
    if !ball.in_side_group() {
        // One tile flipped evens the parities out, and keeps the choice uniform.
        tiles[0] = -tiles[0];
        ball = Ball::from_tiles(&tiles).unwrap_or(ball);
    }
    ball.normalise();
    ball
}

/// A number below `bound` (small): the high half of a 64-bit product, whose bias of `bound`/2³² is beneath notice.
fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let product = u64::from(rng.next_u32()) * bound as u64;
    usize::try_from(product >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::ball::TILES;
    use super::*;

    #[test]
    fn a_scramble_is_its_seed_and_replays() {
        let (ball, turns) = scramble(TILES, 20, 7);
        assert_eq!((ball.clone(), turns.clone()), scramble(TILES, 20, 7));
        assert_ne!(ball, scramble(TILES, 20, 8).0);
        let mut again = Ball::solved(TILES);
        for axis in turns {
            again.turn_sides(axis);
            again.normalise();
        }
        assert_eq!(again, ball);
    }

    #[test]
    fn random_positions_are_normalised() {
        for seed in 0..200 {
            let ball = random(TILES, seed);
            assert!(ball.yellow() <= 6);
        }
    }
}
