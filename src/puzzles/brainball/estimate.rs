//! The original solver's estimate: (misplaced colours + misplaced numbers) / 7, a turn moving seven tiles. It is *not* a
//! bound: `-13,-12,-11,7,8,9,10,-6,-5,-4,1,2,3` is one turn from solved and has 19/7.

use super::packed::{Packed, Space};
use crate::puzzles::layered::Estimated;

impl<const N: usize, const RING: bool> Estimated for Space<N, RING> {
    fn estimate(&self, state: &Packed<N>) -> u32 {
        let mut ball = state.ball();
        ball.normalise();
        let tiles = ball.tiles();
        // Under `ring` the numbers count from whichever place misplaces the fewest.
        let misplaced = |start: usize| {
            let named = |k: usize| usize::from(tiles[(start + k) % N].unsigned_abs());
            (0..N).filter(|k| named(*k) != k + 1).count()
        };
        let numbers = (0..if RING { N } else { 1 }).map(misplaced).min().unwrap_or(0);
        u32::try_from(ball.yellow() + numbers).unwrap_or(u32::MAX)
    }

    fn denominator(&self) -> u32 {
        7
    }

    fn greatest_estimate(&self) -> u32 {
        // Six yellow tiles at the most, and all numbers.
        u32::try_from(N / 2 + N).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::position;
    use super::*;
    use crate::puzzles::brainball::packed::FixedSpace;

    #[test]
    fn one_turn_from_solved_it_says_19_sevenths() {
        let ball = position("-13,-12,-11,7,8,9,10,-6,-5,-4,1,2,3").unwrap();
        let turned = {
            let mut ball = ball.clone();
            ball.turn180();
            ball
        };
        let packed = Packed::new(&ball).or_else(|| Packed::new(&turned)).unwrap();
        assert_eq!(FixedSpace::default().estimate(&packed), 19);
    }
}
