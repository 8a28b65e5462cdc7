use proptest::prelude::*;

use super::super::columns::{rank, words};
use super::*;

/// A turn of the rules, on the ball as it lies, against the one turn of the row space that takes its column.
fn agrees<const N: usize>(row: usize, axis: usize, word: u32, bit: u32) -> Result<(), TestCaseError> {
    let space = Fixed::<N>::default();
    let (row, axis) = (row % space.rows(), axis % N);
    let address = word % u32::try_from(words::<N>()).unwrap() * 64 + bit;
    let ball = space.ball(row, &unrank::<N>(address, space.parity(row) == 1));
    prop_assert!(space.cells(&ball).iter().any(|(cell, names)| (*cell, rank(names)) == (row, address)));

    let mut turned = ball;
    turned.turn_sides(axis);
    let images: Vec<_> = space.cells(&turned).into_iter().map(|(row, names)| (row, rank(&names))).collect();
    let mut taken = 0;
    for turn in axis * N..(axis + 1) * N {
        let Some(neighbour) = space.neighbour(row, turn) else { continue };
        prop_assert_eq!(space.parity(neighbour), 1 - space.parity(row));
        for (_, image) in images.iter().filter(|(image_row, _)| *image_row == neighbour) {
            let mut found = vec![];
            space.push_few(row, turn, &[*image], &mut found);
            // Another reading of the same ball may have been reached by another turn.
            taken += found.iter().filter(|found| **found == address).count();
        }
    }
    prop_assert_eq!(taken, 1);
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

    /// Rotating places and names alike, and mirroring both, leads to the same rows and columns.
    #[test]
    fn the_symmetries_of_the_goal_keep_row_and_column(
        shuffled in Just((1..14i8).collect::<Vec<_>>()).prop_shuffle(),
        colours: u16,
        by in 0..13i8,
    ) {
        let space = Fixed::<13>::default();
        let tiles: Vec<i8> =
            shuffled.iter().enumerate().map(|(k, tile)| if colours >> k & 1 == 1 { -tile } else { *tile }).collect();
        let cells = space.cells(&Ball::from_tiles(&tiles).unwrap());
        let alike = |place: &dyn Fn(i8) -> i8| {
            let mut alike = vec![0; 13];
            for (k, tile) in (0i8..).zip(&tiles) {
                let at = usize::try_from(place(k).rem_euclid(13)).unwrap();
                alike[at] = (place(tile.abs() - 1).rem_euclid(13) + 1) * tile.signum();
            }
            space.cells(&Ball::from_tiles(&alike).unwrap())
        };
        prop_assert_eq!(&alike(&|k| k + by), &cells);
        prop_assert_eq!(&alike(&|k| by - k), &cells);
    }
}

/// A bundle's rows lead to the rows of the same bracelets, and share and turns fill the row: each column once a turn.
#[test]
fn the_parts_of_a_turn_take_every_column_once() {
    let space = Fixed::<9>::default();
    let stop = AtomicBool::new(false);
    for row in (0..space.rows()).step_by(7) {
        for axis in 0..9 {
            let mut seen = vec![0u64; space.words()];
            for turn in axis * 9..(axis + 1) * 9 {
                let Some(_) = space.neighbour(row, turn) else { continue };
                let mut part = vec![0u64; space.words()];
                assert!(space.pull(row, turn, &vec![space.mask(0); space.words()], &mut part, &stop));
                let columns: u64 = part.iter().map(|word| u64::from(word.count_ones())).sum();
                assert_eq!(columns * space.share(turn), space.columns());
                assert!(seen.iter().zip(&part).all(|(seen, part)| seen & part == 0));
                let mut pushed = vec![0u64; space.words()];
                assert!(space.push(row, turn, &vec![space.mask(0); space.words()], &mut pushed, &stop));
                assert!(pushed == part, "row {row}, turn {turn}");
                seen.iter_mut().zip(&part).for_each(|(seen, part)| *seen |= part);
            }
            assert!(seen.iter().all(|word| *word == space.mask(row)));
        }
    }
}
