//! Counts are those of `tests/data/billiard_counts.csv` (an independent program); nodes and steps with the path bound alone
//! and with pairs as well were measured by another independent program in C.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bounds::{Bounds, Which};
use super::{BilliardSpace, IndexSpace, Rows};

const PATH: Which = Which { path: true, pair: false, triple: false };
const PAIR: Which = Which { path: true, pair: true, triple: false };
const NONE: Which = Which { path: false, pair: false, triple: false };

/// Solutions up to mirror, nodes and steps, those of the list of prefixes included.
fn all(order: usize, max: usize, which: Which) -> (u64, u64, u64) {
    let space = Rows::with(order, max, which).unwrap();
    let tally = space.walk(0..space.size());
    (tally.found, tally.nodes + space.below().nodes, tally.work + space.below().steps)
}

#[test]
fn the_path_bound_alone_leaves_the_nodes_that_an_independent_program_met() {
    assert_eq!(all(5, 15, PATH).1, 90);
    assert_eq!(all(6, 22, PATH).1, 593);
    assert_eq!(all(7, 33, PATH).1, 28_113);
    assert_eq!(all(8, 44, PATH).1, 332_148);
}

#[test]
fn with_pairs_the_nodes_and_steps_of_order_6_are_those_that_an_independent_program_met() {
    assert_eq!(all(6, 22, PAIR), (1, 159, 1_453));
}

#[test]
fn no_bound_loses_a_solution_and_each_saves_nodes() {
    for (order, max) in [(5, 20), (5, 40), (6, 22), (6, 30), (7, 35), (8, 44)] {
        let counts = [PATH, PAIR, Which::ALL].map(|which| all(order, max, which));
        assert!(counts.iter().all(|count| count.0 == counts[0].0), "order {order}, max {max}: {counts:?}");
        assert!(counts[1].1 <= counts[0].1 && counts[2].1 <= counts[1].1, "order {order}, max {max}: {counts:?}");
    }
    for (order, max) in [(7, 33), (8, 44)] {
        let counts = [PATH, PAIR, Which::ALL].map(|which| all(order, max, which).1);
        assert!(counts[0] > 2 * counts[1] && counts[1] > counts[2], "order {order}, max {max}: {counts:?}");
    }
    // Without any bound, where that ends soon.
    for (order, max) in [(4, 14), (5, 17), (6, 22)] {
        let (bare, bound) = (all(order, max, NONE), all(order, max, Which::ALL));
        assert_eq!(bare.0, bound.0);
        assert!(bare.1 > bound.1);
    }
    // Triples by themselves, too.
    let triples = Which { path: false, pair: false, triple: true };
    assert_eq!(all(6, 24, triples).0, 9);
}

#[test]
fn every_count_known_is_met_at_every_order() {
    let table = include_str!("../../../../tests/data/billiard_counts.csv");
    let mut seen = 0;
    for line in table.lines().skip(1) {
        let numbers: Vec<u64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let [order, max, total, up_to_mirror] = numbers[..] else { panic!("{line}") };
        let space = Rows::new(usize::try_from(order).unwrap(), usize::try_from(max).unwrap()).unwrap();
        let found = space.walk(0..space.size()).found;
        assert_eq!((found * space.weight(), found), (total, up_to_mirror), "order {order}, max {max}");
        seen += 1;
    }
    assert!(seen > 150, "{seen} counts");
}

#[test]
fn a_reported_prefix_stands_for_checked_triangles() {
    for (order, max) in [(1, 7), (2, 9), (3, 10), (4, 15), (5, 15), (6, 24), (7, 34), (8, 44)] {
        let space = Rows::new(order, max).unwrap();
        let tally = space.walk(0..space.size());
        let triangles: Vec<_> = tally.hits.iter().flat_map(|&hit| space.expand(hit).unwrap()).collect();
        assert_eq!(triangles.len() as u64, tally.found, "order {order}, max {max}");
        assert!(triangles.iter().all(|triangle| triangle.order() == order));
    }
    let space = Rows::new(6, 22).unwrap();
    assert!(space.expand(0).is_err());
    assert!(space.expand(1 << 40).is_err());
}

#[test]
fn wider_sets_find_the_same_as_narrow_ones_and_more() {
    // 64 values fit one word, 65 two, 129 four; a triangle of fewer values is one of more.
    for order in [3, 4] {
        let mut before = 0;
        for max in [63, 64, 65, 127, 128, 129, 140] {
            let found = all(order, max, Which::ALL).0;
            assert!(found > before, "order {order}, max {max}: {found} after {before}");
            assert_eq!(found, all(order, max, PATH).0);
            before = found;
        }
    }
}

#[test]
fn the_pieces_of_a_space_add_up_to_the_whole() {
    let space = Rows::new(8, 44).unwrap();
    let whole = space.walk(0..space.size());
    let mut sum = crate::puzzles::index_space::Tally::default();
    for start in (0..space.size()).step_by(1_000) {
        sum.absorb(space.walk(start..(start + 1_000).min(space.size())));
    }
    assert_eq!(sum, whole);
}

#[test]
fn a_search_told_to_stop_gives_up_what_it_has_in_hand() {
    // More than an hour's work.
    let space = Rows::new(12, 123).expect("a space");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(space.walk_unless(0..space.size(), &stop), None);
    });
    assert_eq!(space.walk_unless(0..1, &AtomicBool::new(false)), Some(space.walk(0..1)));
}

#[test]
fn samples_are_right_on_average() {
    let space = Rows::new(8, 44).unwrap();
    let whole = space.walk(0..space.size());
    let (mut nodes, mut steps) = (0.0, 0.0);
    for index in 0..space.size() {
        let probe = space.sample(index, 7);
        nodes += probe.nodes;
        steps += probe.work;
    }
    // Nothing is thinned at order 8: the sample of every index is the index.
    assert!((nodes - whole.nodes as f64).abs() < 0.5, "{nodes} {}", whole.nodes);
    assert!((steps - whole.work as f64).abs() < 0.5, "{steps} {}", whole.work);
    let order = 11;
    let space = Rows::new(order, 75).unwrap();
    let range = 0..space.size().min(4_000);
    let whole = space.walk(range.clone());
    let mean =
        (0..8u64).map(|seed| range.clone().map(|index| space.sample(index, (seed << 32) + 77).work).sum::<f64>());
    let mean = mean.sum::<f64>() / 8.0;
    assert!((mean / whole.work as f64 - 1.0).abs() < 0.1, "{mean} {}", whole.work);
}

#[test]
fn bounds_are_the_same_each_time_they_are_made() {
    let (one, two) = (Bounds::new(12, 124, Which::ALL), Bounds::new(12, 124, Which::ALL));
    for rows in 0..=12 {
        assert_eq!(format!("{:?}", one.row(rows)), format!("{:?}", two.row(rows)));
    }
}

#[test]
fn what_the_solver_cannot_hold_is_refused() {
    for (order, max, told) in
        [(0, 5, "at least one row"), (17, 200, "up to 16 rows"), (6, 20, "21 entries"), (6, 257, "up to 256")]
    {
        let error = Rows::new(order, max).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
