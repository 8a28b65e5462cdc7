use super::super::bracelets::Bracelets;
use super::super::columns::{rank, unrank, words};
use super::*;
use crate::puzzles::index_space::mix;

/// A row with about one state in `sparse` visited.
fn some_row<const N: usize>(seed: u32, sparse: u64) -> Vec<u64> {
    let visited = |word: u32, bit: u32| mix(word ^ seed << 24, bit ^ seed).is_multiple_of(sparse);
    (0..u32::try_from(words::<N>()).unwrap())
        .map(|word| (0..WORD_COLUMNS).map(|bit| u64::from(visited(word, bit)) << bit).sum())
        .collect()
}

fn addresses(row: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..)
        .zip(row)
        .flat_map(|(word, bits)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit))
}

fn holds(row: &[u64], address: u32) -> bool {
    row[address as usize / 64] >> (address % 64) & 1 == 1
}

/// Both tasks, on some rows and all turns, against carrying every single arrangement over by the definition.
fn walks_as_defined<const N: usize>(rows: usize, plain: bool) {
    let bracelets = Bracelets::<N>::new();
    let stop = AtomicBool::new(false);
    for row in (0..bracelets.len()).step_by(bracelets.len().div_ceil(rows)) {
        let odd = bracelets.colours(row).count_ones() % 2 == 1;
        for axis in 0..N {
            let seed = u32::try_from(row * N + axis).unwrap();
            let (_, transfer) = Transfer::of_turn(&bracelets, row, axis);
            let walk = Walk::new(&transfer, odd, None);
            let image = |address| rank(&transfer.apply(&unrank::<N>(address, odd)));
            for sparse in [2, 40] {
                let (home, before) = (some_row::<N>(seed, sparse), some_row::<N>(seed + 1, 5));
                let mut far = before.clone();
                let mut expected = before.clone();
                for address in addresses(&home) {
                    let address = image(address);
                    expected[address as usize / 64] |= 1 << (address % 64);
                }
                if plain {
                    let mut nodes = vec![walk.root(); Walk::<N>::FIXED];
                    for names in walk.leading.iter().copied() {
                        walk.walk(Plain, &mut Push { home: &home, far: &mut far }, names, &mut nodes);
                    }
                } else {
                    assert!(walk.push(&home, &mut far, &stop));
                }
                assert!(far == expected, "push of row {row} by turn {axis}");

                let mut home = home;
                let unset: Vec<u64> = home.iter().map(|word| !word & COLUMNS_MASK).collect();
                let mut expected = home.clone();
                for address in addresses(&unset) {
                    if holds(&before, image(address)) {
                        expected[address as usize / 64] |= 1 << (address % 64);
                    }
                }
                assert!(walk.pull(&mut home, &before, &stop));
                assert!(home == expected, "pull into row {row} by turn {axis}");
            }
        }
    }
}

#[test]
fn whole_rows_move_as_single_arrangements_do() {
    walks_as_defined::<7>(18, false);
    walks_as_defined::<9>(10, false);
    walks_as_defined::<11>(1, false);
}

#[test]
fn so_they_do_without_vector_instructions() {
    walks_as_defined::<7>(18, true);
    walks_as_defined::<9>(10, true);
}

#[test]
fn a_walk_that_is_stopped_says_so() {
    let bracelets = Bracelets::<9>::new();
    let (_, transfer) = Transfer::of_turn(&bracelets, 0, 0);
    let (home, mut far) = (vec![0; words::<9>()], vec![0; words::<9>()]);
    assert!(!Walk::new(&transfer, false, None).push(&home, &mut far, &AtomicBool::new(true)));
}

/// Every name that may come to place 0, on some rows and all turns.
fn walks_in_parts_as_defined<const N: usize>(rows: usize) {
    let bracelets = Bracelets::<N>::new();
    let stop = AtomicBool::new(false);
    let mut places = [0; N];
    for row in (0..bracelets.len()).step_by(bracelets.len().div_ceil(rows)) {
        let odd = bracelets.colours(row).count_ones() % 2 == 1;
        for axis in 0..N {
            let (_, transfer) = Transfer::of_turn(&bracelets, row, axis);
            let place = transfer.places[0];
            places[place] += 1;
            for zero in (1..u8::try_from(N).unwrap()).filter(|_| place != 0) {
                let walk = Walk::new(&transfer, odd, Some(zero));
                let seed = u32::try_from(row * N + axis).unwrap() * 16 + u32::from(zero);
                let (home, before) = (some_row::<N>(seed, 2), some_row::<N>(seed + 1, 5));
                let (mut far, mut pushed) = (before.clone(), before.clone());
                let (mut near, mut pulled) = (home.clone(), home.clone());
                let every: Vec<u64> = home.iter().map(|_| COLUMNS_MASK).collect();
                for address in addresses(&every) {
                    let names = unrank::<N>(address, odd);
                    if names[place] == zero {
                        let image = rank(&transfer.apply(&names));
                        pushed[image as usize / 64] |= u64::from(holds(&home, address)) << (image % 64);
                        pulled[address as usize / 64] |= u64::from(holds(&before, image)) << (address % 64);
                    }
                }
                assert!(walk.push(&home, &mut far, &stop));
                assert!(far == pushed, "push of row {row} by turn {axis}, name {zero}");
                assert!(walk.pull(&mut near, &before, &stop));
                assert!(near == pulled, "pull into row {row} by turn {axis}, name {zero}");
            }
        }
    }
    assert!(places.iter().filter(|seen| **seen > 0).count() > N / 2, "{places:?}");
}

#[test]
fn parts_of_rows_move_as_single_arrangements_do() {
    walks_in_parts_as_defined::<7>(18);
    walks_in_parts_as_defined::<9>(5);
    walks_in_parts_as_defined::<11>(1);
}
