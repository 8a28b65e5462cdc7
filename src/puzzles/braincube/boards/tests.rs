use std::sync::atomic::AtomicBool;

use super::*;

#[test]
fn blocks_cover_a_range_in_order_and_once() {
    for range in [0..0, 0..1, 3..17, 5..64, 0..64, 1_000..5_003] {
        let masks: Vec<u128> = blocks(&range)
            .flat_map(|(present, open)| subsets(open).map(move |subset| u128::from(present | subset)))
            .collect();
        assert_eq!(masks, range.collect::<Vec<_>>());
    }
    assert_eq!(blocks(&(0..1 << 64)).collect::<Vec<_>>(), [(0, u64::MAX)]);
}

#[test]
fn masks_that_have_some_squares_are_counted_below_any_end() {
    for ends in [1, 5, 0b10_0001, 1 << 6] {
        for end in 0..200 {
            assert_eq!(count_having(end, ends), (0..end).filter(|mask| mask & ends == ends).count() as u128);
        }
    }
}

/// What a tally holds does not depend on where a range is cut: neither counts nor digest.
#[test]
fn cutting_a_range_anywhere_changes_nothing() {
    for (rows, cols, pairs) in [(3, 5, false), (4, 4, false), (3, 3, true), (2, 6, true)] {
        let space = Boards::new(rows, cols, pairs).unwrap();
        let whole = space.walk(0..space.size());
        for cuts in [[1, 77], [200, 311], [256, 257], [0, 509]] {
            let mut sum = space.walk(0..cuts[0]);
            sum.absorb(space.walk(cuts[0]..cuts[1]));
            sum.absorb(space.walk(cuts[1]..space.size()));
            assert_eq!(sum, whole);
        }
    }
}

#[test]
fn sizes_out_of_range_are_refused_with_the_limit() {
    assert!(Boards::new(0, 4, false).unwrap_err().to_string().contains("at least 1"));
    assert!(Boards::new(8, 8, false).is_ok());
    assert!(Boards::new(5, 13, false).unwrap_err().to_string().contains("more than 64 squares"));
    assert!(
        Boards::new(8, 8, true)
            .unwrap_err()
            .to_string()
            .contains("more than 54 squares, which is the most with --pairs")
    );
    assert!(Boards::new(u32::MAX, u32::MAX, false).is_err());
}

/// A row of 64 squares, where a row down is past the word: one way, of 42 moves.
#[test]
fn the_longest_single_row_has_its_one_way() {
    let space = Boards::new(1, 64, false).unwrap();
    let full = u128::from(u64::MAX);
    let bars = space.histogram(&space.walk(full..full + 1));
    assert_eq!(bars, [Bar { length: 42, boards: 1, unique: 1 }]);
}

/// Between all pairs the threads share out forks instead of pieces of the range.
#[test]
fn all_threads_together_find_what_one_finds() {
    for (rows, cols, pairs, range) in
        [(3, 5, true, 77..30_001), (4, 4, true, 0..65_536), (1, 3, true, 0..8), (2, 2, true, 0..16)]
    {
        let space = Boards::new(rows, cols, pairs).unwrap();
        assert_eq!(space.walk_together(&range, &AtomicBool::new(false)), Some(space.walk(range)));
    }
}
