//! The three searches against published counts, a naive enumeration and each other.

use std::ops::Range;

use proptest::prelude::*;
use rayon::prelude::*;

use super::rules::balls;
use super::{BilliardError, BilliardSpace, Solver, brute_force, diagonal, strategy};
use crate::puzzles::index_space::{Tally, clips};

/// Exact counts, from an independent program: order, largest value, solutions, solutions up to mirror.
const COUNTS: &str = include_str!("../../../tests/data/billiard_counts.csv");

fn counts() -> Vec<[u64; 4]> {
    let row = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap();
    COUNTS.lines().skip(1).map(row).collect()
}

fn space(solver: Solver, order: u64, max: u64) -> Box<dyn BilliardSpace> {
    solver.space(usize::try_from(order).unwrap(), usize::try_from(max).unwrap()).unwrap()
}

fn whole(space: &dyn BilliardSpace) -> Tally {
    let mut tally = space.walk(0..space.size());
    tally.sort();
    tally
}

/// Checks a solver on the rows of the table that `cheap` takes; returns how many they were.
fn check_counts(solver: Solver, cheap: impl Fn(u64, u64) -> bool) -> usize {
    let rows = counts().into_iter().filter(|row| cheap(row[0], row[1])).collect::<Vec<_>>();
    rows.par_iter().for_each(|&[order, max, total, up_to_mirror]| {
        let space = space(solver, order, max);
        let found = whole(&*space).found;
        assert_eq!(found * space.weight(), total, "{solver}, order {order}, max {max}");
        if solver != Solver::BruteForce {
            assert_eq!(found, up_to_mirror, "{solver}, order {order}, max {max}");
        }
    });
    rows.len()
}

#[test]
fn strategy_counts_what_the_table_has_up_to_order_6_and_max_32() {
    assert_eq!(check_counts(Solver::Strategy, |order, max| order < 6 || order == 6 && max <= 32), 122);
}

#[test]
fn diagonal_counts_what_the_table_has_up_to_order_7_and_max_33() {
    let cheap = |order, max| order < 6 || order == 6 && max <= 32 || order == 7 && max <= 33;
    assert_eq!(check_counts(Solver::Diagonal, cheap), 128);
}

#[test]
fn brute_force_counts_what_the_table_has_up_to_order_4() {
    assert_eq!(check_counts(Solver::BruteForce, |order, max| order <= 4 && max == order * (order + 1) / 2), 4);
}

/// Solutions up to mirror as the rules read, with nothing pruned and no sets.
fn naive(order: usize, max: u16) -> u64 {
    fn grow(top: &mut Vec<u16>, order: usize, max: u16) -> u64 {
        if top.len() == order {
            let exact = super::rules::Triangle::from_top_row(top, max).is_ok();
            return u64::from(exact && (order == 1 || top[0] < top[order - 1]));
        }
        (1..=max)
            .map(|value| {
                top.push(value);
                let count = grow(top, order, max);
                top.pop();
                count
            })
            .sum()
    }
    grow(&mut Vec::new(), order, max)
}

#[test]
fn every_solver_counts_what_naive_enumeration_does() {
    for (order, max) in [(1, 1), (1, 64), (2, 3), (2, 64), (3, 6), (3, 17), (3, 45), (4, 10), (4, 16)] {
        let expected = naive(order, max);
        for solver in [Solver::Strategy, Solver::Diagonal] {
            let space = solver.space(order, max.into()).unwrap();
            assert_eq!(whole(&*space).found, expected, "{solver}, order {order}, max {max}");
        }
    }
}

#[test]
fn every_hit_expands_to_checked_triangles_and_all_of_them() {
    for (solver, order, max) in [
        (Solver::Strategy, 5, 19),
        (Solver::Diagonal, 5, 19),
        (Solver::Diagonal, 2, 40),
        (Solver::Strategy, 1, 7),
        (Solver::Diagonal, 1, 7),
        (Solver::BruteForce, 4, 10),
    ] {
        let space = solver.space(order, max).unwrap();
        let tally = whole(&*space);
        let mut triangles = tally.hits.iter().flat_map(|&hit| space.expand(hit).unwrap()).collect::<Vec<_>>();
        assert_eq!(triangles.len() as u64, tally.found);
        triangles.sort();
        triangles.dedup();
        assert_eq!(triangles.len() as u64, tally.found, "{solver} lists a triangle twice");
        if space.weight() == 2 {
            assert!(triangles.iter().all(|triangle| triangle.top_row()[0] < triangle.top_row()[order - 1]));
        }
    }
}

#[test]
fn the_triangles_of_least_max_of_orders_7_and_8_are_found_where_their_indices_say() {
    // Their indices were ranked apart from this program; the counts are the table's, cut down to one index.
    for (solver, order, max, index, top) in [
        (Solver::Diagonal, 7, 33, 413_999, vec![14, 31, 5, 33, 32, 8, 19]),
        (Solver::Strategy, 7, 33, 9_076_535_421, vec![14, 31, 5, 33, 32, 8, 19]),
        (Solver::Diagonal, 8, 44, 19_970_399, vec![7, 33, 42, 3, 44, 43, 6, 29]),
        (Solver::Strategy, 8, 44, 1_095_056_912_367, vec![7, 33, 42, 3, 44, 43, 6, 29]),
    ] {
        let space = solver.space(order, max).unwrap();
        let near = space.walk(index - 10_000..index + 10_000);
        assert_eq!((near.found, near.hits), (1, vec![index]), "{solver}, order {order}");
        assert_eq!(space.expand(index).unwrap()[0].top_row(), top);
    }
}

#[test]
fn an_index_that_is_no_solution_is_refuted() {
    let error = |solver: Solver, index| solver.space(5, 15).unwrap().expand(index).unwrap_err();
    assert!(matches!(error(Solver::Strategy, 142_329), BilliardError::Refuted { index: 142_329, .. }));
    assert!(matches!(error(Solver::BruteForce, 0), BilliardError::Refuted { index: 0, .. }));
    assert_eq!(error(Solver::Diagonal, 0), BilliardError::Barren { index: 0 });
    assert!(error(Solver::BruteForce, 0).to_string().contains("row 2, column 1: 2 is not the difference of 4 and 5"));
}

#[test]
fn bad_sizes_are_refused_with_a_reason() {
    let refused = |solver: Solver, order, max| solver.space(order, max).err().unwrap().to_string();
    assert!(refused(Solver::Strategy, 0, 5).contains("at least one row"));
    assert!(refused(Solver::Strategy, 9, 60).starts_with("strategy holds triangles of up to 8 rows, not of 9"));
    assert!(refused(Solver::BruteForce, 8, 36).starts_with("brute-force holds triangles of up to 7 rows, not of 8"));
    assert!(refused(Solver::Diagonal, 5, 14).contains("at least 15, not 14"));
    assert!(refused(Solver::Diagonal, 5, 65).contains("diagonal holds values of up to 64, not of 65"));
    assert!(refused(Solver::BruteForce, 5, 16).contains("so its max is 15, not 16"));
    assert!(Solver::auto(0, 1).is_err());
}

#[test]
fn auto_takes_rows_from_order_6_on_and_where_strategy_does_not_hold_the_values() {
    assert_eq!(Solver::auto(5, 15), Ok(Solver::Strategy));
    assert_eq!(Solver::auto(5, 64), Ok(Solver::Strategy));
    assert_eq!(Solver::auto(5, 65), Ok(Solver::Rows));
    assert_eq!(Solver::auto(6, 21), Ok(Solver::Rows));
    assert_eq!(Solver::auto(8, 44), Ok(Solver::Rows));
}

#[test]
fn trials_cover_every_order_sets_of_two_words_and_hits() {
    for (kernel, most) in [(brute_force::KERNEL, 7), (strategy::KERNEL, 8), (diagonal::KERNEL, 8)] {
        let trials = (kernel.trials)();
        for order in 1..=most {
            assert!(trials.iter().any(|trial| trial.constants[0] == order), "{}: no order {order}", kernel.name);
        }
        let two_words = trials.iter().any(|trial| trial.constants.get(1).is_some_and(|&max| max > 32));
        assert_eq!(two_words, kernel.name != brute_force::KERNEL.name, "{}", kernel.name);
        let mut with_hits = 0;
        for mut trial in trials {
            assert_eq!(trial.constants.len(), kernel.constants.len());
            assert!(trial.invocations > 0);
            (kernel.twin)(&mut trial);
            with_hits += usize::from(trial.buffers[1][6] > 0);
            assert!(trial.buffers[1][6] as usize <= trial.buffers[2].len(), "{}: more hits than room", kernel.name);
        }
        assert!(with_hits > 5, "{}", kernel.name);
    }
}

#[test]
fn spaces_are_as_large_as_their_numbers_of_candidates() {
    let size = |solver: Solver, order, max| solver.space(order, max).unwrap().size();
    assert_eq!(size(Solver::BruteForce, 5, 15), 1_307_674_368_000);
    assert_eq!(size(Solver::BruteForce, 7, 28), (1..=28).product());
    assert_eq!(size(Solver::BruteForce, 1, 1), 1);
    assert_eq!(size(Solver::Strategy, 5, 15), 360_360);
    assert_eq!(size(Solver::Strategy, 6, 22), 53_721_360);
    assert_eq!(size(Solver::Diagonal, 6, 22), 22 * 21 * 20);
    assert_eq!(size(Solver::Diagonal, 1, 9), 9);
}

fn solvers() -> impl Strategy<Value = (Solver, usize, usize)> {
    prop_oneof![
        (1usize..=5, 0usize..12).prop_map(|(order, more)| (Solver::Strategy, order, balls(order) + more)),
        (1usize..=3, 40usize..=64).prop_map(|(order, max)| (Solver::Strategy, order, max)),
        (1usize..=5, 0usize..8).prop_map(|(order, more)| (Solver::Diagonal, order, balls(order) + more)),
        (1usize..=3, 40usize..=64).prop_map(|(order, max)| (Solver::Diagonal, order, max)),
        (1usize..=3).prop_map(|order| (Solver::BruteForce, order, balls(order))),
    ]
}

fn sum(space: &dyn BilliardSpace, pieces: impl IntoIterator<Item = Range<u128>>) -> Tally {
    let mut sum = Tally::default();
    for piece in pieces {
        sum.absorb(space.walk(piece));
    }
    sum.sort();
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pieces_sum_to_the_whole((solver, order, max) in solvers(), cuts in prop::collection::vec(0.0..1.0f64, 1..5)) {
        let space = solver.space(order, max).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut cuts = cuts.iter().map(|cut| (space.size() as f64 * cut) as u128).collect::<Vec<_>>();
        cuts.extend([0, space.size()]);
        cuts.sort_unstable();
        let all = whole(&*space);
        let cut = sum(&*space, cuts.windows(2).map(|cut| cut[0]..cut[1]));
        prop_assert_eq!((cut.found, cut.work, &cut.hits), (all.found, all.work, &all.hits));
        // Where runs stay whole the digest sums up too.
        let run = u128::from(space.run_length());
        let cut = sum(&*space, cuts.windows(2).map(|cut| cut[0].next_multiple_of(run).min(space.size())..cut[1].next_multiple_of(run).min(space.size())));
        prop_assert_eq!(cut, all);
    }

    #[test]
    fn strategy_and_diagonal_agree(order in 1usize..=5, more in 0usize..10) {
        let max = balls(order) + more;
        let [strategy, diagonal] = [Solver::Strategy, Solver::Diagonal].map(|solver| {
            let space = solver.space(order, max).unwrap();
            let mut tops = whole(&*space).hits.iter().flat_map(|&hit| space.expand(hit).unwrap()).collect::<Vec<_>>();
            tops.sort();
            tops
        });
        prop_assert_eq!(strategy, diagonal);
    }

    #[test]
    fn clips_cover_a_range_once_and_in_order(start in 0u128..1000, length in 0u128..1000, run in 1u32..200) {
        let range = start..start + length;
        let covered = clips(&range, run)
            .flat_map(|(number, clip)| (clip.start..clip.end).map(move |place| number * u128::from(run) + u128::from(place)));
        prop_assert!(covered.eq(range));
    }
}
