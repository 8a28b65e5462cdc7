//! Every board of a size, against the expected values and against a plain search of each board by itself.

use std::collections::BTreeMap;

use gpu_solve::puzzles::braincube::boards::{Bar, Boards, Instance};
use gpu_solve::puzzles::braincube::{Board, State};
use gpu_solve::puzzles::index_space::{IndexSpace, Tally};
use gpu_solve::search::index::engine::walk_parallel;
use proptest::prelude::*;

use super::{naive, rows};

fn board_of(rows: u32, cols: u32, mask: u64) -> Board {
    Board::from_squares(rows, cols, |row, col| mask >> (row * cols + col) & 1 == 1).unwrap()
}

/// Length and number of shortest ways between two squares of a board, by the plain search.
fn way(board: &Board, start: u32, goal: u32) -> Option<(u64, u128)> {
    let upright = |square: u32| State::upright(square / board.cols(), square % board.cols());
    naive::shortest(board, upright(start)).get(&upright(goal)).copied()
}

fn whole(rows: u32, cols: u32, pairs: bool) -> (Boards, Tally) {
    let space = Boards::new(rows, cols, pairs).unwrap();
    let tally = walk_parallel(&space, &(0..space.size()));
    (space, tally)
}

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

/// The longest of all, or of the unique, with how many there are.
fn longest(bars: &[Bar], of: impl Fn(&Bar) -> u64) -> Option<(u32, u64)> {
    bars.iter().rev().find(|bar| of(bar) > 0).map(|bar| (bar.length, of(bar)))
}

#[test]
fn every_listed_size_has_its_solvable_and_unique_boards_and_its_hardest() {
    let listed = rows("masks.csv");
    assert_eq!(listed.len(), 22);
    for row in listed {
        let (m, n) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let (space, tally) = whole(m, n, false);
        assert_eq!(space.questions(&(0..space.size())).to_string(), row[2], "{row:?}");
        assert_eq!((tally.found, tally.work), (number(&row[3]), number(&row[4])), "{row:?}");
        let bars = space.histogram(&tally);
        for (at, unique) in [(5, false), (8, true)] {
            let found = longest(&bars, |bar| if unique { bar.unique } else { bar.boards });
            let expected = (!row[at].is_empty()).then(|| (row[at].parse().unwrap(), number(&row[at + 2])));
            assert_eq!(found, expected, "{row:?}");
            let Some((length, count)) = found else { continue };
            let shown = space.of_length(&(0..space.size()), length, unique, usize::MAX);
            assert_eq!(shown.len() as u64, count, "{row:?}");
            let (start, goal) = (0, m * n - 1);
            let example = Instance { mask: number(&row[at + 1]), start, goal };
            assert!(shown.contains(&example), "{row:?}");
            let first = space.of_length(&(0..space.size()), length, unique, 3);
            assert_eq!(first, shown[..shown.len().min(3)], "{row:?}");
        }
    }
}

#[test]
fn every_listed_size_has_its_pairs_of_squares() {
    let listed = rows("masks_all_pairs.csv");
    assert_eq!(listed.len(), 6);
    for row in listed {
        let (space, tally) = whole(row[0].parse().unwrap(), row[1].parse().unwrap(), true);
        let all = 0..space.size();
        assert_eq!(space.questions(&all).to_string(), row[2], "{row:?}");
        assert_eq!((tally.found, tally.work), (number(&row[3]), number(&row[4])), "{row:?}");
        let (length, count) = longest(&space.histogram(&tally), |bar| bar.boards).unwrap();
        assert_eq!((length, count), (row[5].parse().unwrap(), number(&row[9])), "{row:?}");
        let shown = space.of_length(&all, length, false, usize::MAX);
        assert_eq!(shown.len() as u64, count, "{row:?}");
        let square = |at: usize| row[at].parse().unwrap();
        assert!(shown.contains(&Instance { mask: number(&row[6]), start: square(7), goal: square(8) }), "{row:?}");
    }
}

/// The size: 2^28 boards of 5×6 have both corners.
#[test]
fn five_by_six_is_settled() {
    let (space, tally) = whole(5, 6, false);
    assert_eq!(space.questions(&(0..space.size())), 1 << 28);
    let bars = space.histogram(&tally);
    assert_eq!(longest(&bars, |bar| bar.unique), Some((30, 1)));
    let hardest = space.of_length(&(0..space.size()), 30, false, 9);
    assert_eq!(hardest.len(), 1);
    assert_eq!(way(&board_of(5, 6, hardest[0].mask), 0, 29), Some((30, 1)));
}

fn plainly(rows: u32, cols: u32, mask: u64, pairs: bool) -> Vec<Bar> {
    let board = board_of(rows, cols, mask);
    let squares = rows * cols;
    let questions: Vec<(u32, u32)> = if pairs {
        (0..squares).flat_map(|s| (0..squares).filter(move |&t| s != t).map(move |t| (s, t))).collect()
    } else {
        vec![(0, squares - 1)]
    };
    let there = |square: u32| mask >> square & 1 == 1;
    let mut bars: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (start, goal) in questions.into_iter().filter(|&(start, goal)| there(start) && there(goal)) {
        if let Some((length, ways)) = way(&board, start, goal) {
            let bar = bars.entry(length).or_default();
            bar.0 += 1;
            bar.1 += u64::from(ways == 1);
        }
    }
    let bar =
        |(length, (boards, unique)): (u64, (u64, u64))| Bar { length: u32::try_from(length).unwrap(), boards, unique };
    bars.into_iter().map(bar).collect()
}

#[test]
fn every_board_of_small_sizes_agrees_with_a_plain_search() {
    for (rows, cols, pairs) in [(3, 4, false), (4, 3, false), (2, 5, true), (3, 3, true), (1, 7, true)] {
        let space = Boards::new(rows, cols, pairs).unwrap();
        for mask in 0..space.size() {
            let found = space.histogram(&space.walk(mask..mask + 1));
            assert_eq!(found, plainly(rows, cols, u64::try_from(mask).unwrap(), pairs), "{rows}×{cols} {mask}");
        }
    }
}

proptest! {
    /// Boards of any size with few holes, where ways are long and many.
    #[test]
    fn any_board_agrees_with_a_plain_search(rows in 1u32..9, cols in 1u32..9, holes: [u64; 3], pairs: bool) {
        let squares = rows * cols;
        let pairs = pairs && squares <= 20;
        let present = !(holes[0] & holes[1] & holes[2]);
        let mask = (if squares == 64 { present } else { present & ((1 << squares) - 1) }) | 1 | 1 << (squares - 1);
        let space = Boards::new(rows, cols, pairs).unwrap();
        let index = u128::from(mask);
        prop_assert_eq!(space.histogram(&space.walk(index..index + 1)), plainly(rows, cols, mask, pairs));
    }
}

/// A number of a certificate, which is a string where a double would not hold it.
fn told(value: &serde_json::Value) -> u64 {
    value.as_u64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// A certificate, whose sums must agree, and its hardest boards, which must be as many as it says.
fn certificate(name: &str, masks: u64) -> (u64, Vec<serde_json::Value>) {
    let path = format!("{}/tests/certificates/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let bars = kept["histogram"].as_array().unwrap();
    for (sum, field) in [("solvable", "masks"), ("unique", "unique")] {
        assert_eq!(told(&kept[sum]), bars.iter().map(|bar| told(&bar[field])).sum::<u64>());
    }
    assert_eq!(told(&kept["masks"]), masks);
    assert_eq!(kept["complete"], true);
    let longest = told(&kept["max_shortest"]);
    assert_eq!(told(&bars.last().unwrap()["length"]), longest);
    let hardest = kept["max_shortest_masks"].as_array().unwrap();
    assert_eq!(hardest.len() as u64, told(&kept["max_shortest_count"]));
    (longest, hardest.clone())
}

/// All boards of 6×6: the hardest are as hard as the certificate says by the plain search, and a part of the boards searched
/// again holds no harder one.
#[test]
fn the_certificate_of_six_by_six_holds() {
    let (longest, hardest) = certificate("braincube-boards-6x6", 1 << 34);
    let space = Boards::new(6, 6, false).unwrap();
    for mask in hardest.iter().map(told) {
        assert_eq!(way(&board_of(6, 6, mask), 0, 35), Some((longest, 1)));
        let around = u128::from(mask) >> 24 << 24;
        let found = space.of_length(&(around..around + (1 << 24)), u32::try_from(longest).unwrap(), true, 9);
        assert!(found.contains(&Instance { mask, start: 0, goal: 35 }));
        let part = space.histogram(&space.walk(around..around + (1 << 24)));
        assert_eq!(u64::from(part.last().unwrap().length), longest);
    }
}

/// The same between all pairs.
#[test]
fn the_certificate_of_all_pairs_of_six_by_six_holds() {
    let (longest, hardest) = certificate("braincube-pairs-6x6", (36 * 35) << 34);
    for one in hardest {
        // Squares are counted from 1.
        let square = |end: &str| one[end].as_str().unwrap()[1..].parse::<u32>().unwrap() - 1;
        let board = board_of(6, 6, told(&one["mask"]));
        assert_eq!(way(&board, square("start"), square("goal")), Some((longest, 1)));
    }
}
