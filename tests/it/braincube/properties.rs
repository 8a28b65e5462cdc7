//! Random boards with holes, against the plain program of [`super::naive`].

use std::collections::HashSet;

use gpu_solve::puzzles::braincube::{Board, Move, MoveKind, State};
use gpu_solve::puzzles::state_graph::StateGraph;
use gpu_solve::search::graph::components::Components;
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::graph::counting::count_paths;
use gpu_solve::search::graph::shortest::{CpuExpander, Paths, field_to};
use num_bigint::BigUint;
use proptest::prelude::*;

use super::naive;

/// Boards of up to 9×9 squares, some of them holes, with at least one square.
pub fn boards() -> impl Strategy<Value = Board> {
    (1u32..10, 1u32..10)
        .prop_flat_map(|(rows, cols)| {
            let squares = prop::collection::vec(prop::bool::weighted(0.8), (rows * cols) as usize);
            (Just(rows), Just(cols), squares)
        })
        .prop_map(|(rows, cols, squares)| {
            Board::from_squares(rows, cols, |r, c| squares[(r * cols + c) as usize]).unwrap()
        })
        .prop_filter("a board with a square", |board| board.square_count() > 0)
}

proptest! {
    #[test]
    fn states_and_moves_are_those_of_the_rules(board in boards()) {
        let states = naive::states(&board);
        prop_assert_eq!(board.state_count(), states.len() as u64);
        for &state in &states {
            let index = board.index(state).unwrap();
            let mut found = Vec::new();
            board.successors(index, |step| {
                let letter = Move::from_number(step.label).letter();
                found.push((letter, board.state(step.state), MoveKind::ALL[usize::from(step.kind)].name()));
            });
            prop_assert_eq!(&found, &naive::moves(&board, state));
        }
    }

    #[test]
    fn every_shortest_way_is_as_long_and_as_many_as_a_plain_search_finds(board in boards(), pick in any::<prop::sample::Index>()) {
        let states = naive::states(&board);
        let goal = states[pick.index(states.len())];
        // Moves can be undone, so ways from the goal are ways to it.
        let expected = naive::shortest(&board, goal);
        let costs = Costs::unit(3);
        let (field, effort) = field_to(&board, board.index(goal).unwrap(), None, &costs, &mut CpuExpander::new(&board)).unwrap();
        prop_assert_eq!(effort.settled, expected.len() as u64);
        for &state in &states {
            let index = board.index(state).unwrap();
            let (length, count) = expected.get(&state).map_or((None, 0), |&(length, count)| (Some(length), count));
            prop_assert_eq!(field.get(index), length);
            prop_assert_eq!(count_paths(&board, &field, &costs, index), BigUint::from(count));
        }
    }

    #[test]
    fn cheapest_ways_are_those_that_plain_relaxation_finds(
        board in boards(),
        picks in any::<[prop::sample::Index; 2]>(),
        costs in prop::array::uniform3(1u64..6),
    ) {
        let states = naive::states(&board);
        let [start, goal] = picks.map(|pick| states[pick.index(states.len())]);
        // Backwards, tipping becomes standing.
        let expected = naive::cheapest(&board, goal, [costs[1], costs[0], costs[2]]).get(&start).copied();
        let texts = costs.map(|cost| format!("0.{cost}"));
        let read = Costs::read(&texts.each_ref().map(String::as_str)).unwrap();
        let (from, to) = (board.index(start).unwrap(), board.index(goal).unwrap());
        let (field, _) = field_to(&board, to, Some(from), &read, &mut CpuExpander::new(&board)).unwrap();
        prop_assert_eq!(field.get(from), expected.map(|(cost, _)| cost));
        let count = expected.map_or(0, |(_, count)| count);
        prop_assert_eq!(count_paths(&board, &field, &read, from), BigUint::from(count));
        // The listed paths are legal, cost what they must, differ, ascend, and are as many as counted.
        let paths: Vec<_> = Paths::new(&board, &field, &read, from).take(50).collect();
        prop_assert_eq!(paths.len() as u128, count.min(50));
        let mut seen = HashSet::new();
        for path in &paths {
            let (mut state, mut cost) = (from, 0);
            for step in path {
                prop_assert_eq!(board.after(state, Move::from_number(step.label)), Some(step.state));
                cost += read.of(step.kind);
                state = step.state;
            }
            prop_assert_eq!(state, to);
            prop_assert_eq!(Some(cost), field.get(from));
            prop_assert!(seen.insert(path.iter().map(|step| step.label).collect::<Vec<_>>()));
        }
        let labels: Vec<Vec<u8>> = paths.iter().map(|path| path.iter().map(|step| step.label).collect()).collect();
        prop_assert!(labels.is_sorted());
    }

    #[test]
    fn components_are_what_a_plain_search_reaches(board in boards()) {
        let components = Components::of(&board);
        prop_assert_eq!(components.sizes().iter().sum::<u64>(), board.state_count());
        prop_assert!(components.sizes().is_sorted_by(|a, b| a >= b));
        let states = naive::states(&board);
        for &state in states.iter().step_by(5) {
            let mine = components.of_state(board.index(state).unwrap()).unwrap();
            let reached: HashSet<State> = naive::shortest(&board, state).into_keys().collect();
            prop_assert_eq!(components.sizes()[mine], reached.len() as u64);
            for &other in &states {
                let theirs = components.of_state(board.index(other).unwrap());
                prop_assert_eq!(theirs == Some(mine), reached.contains(&other));
            }
        }
    }
}

/// A frontier long enough to be split over threads, on a board whose holes are scattered.
#[test]
fn wide_frontiers_give_the_same_field_on_one_thread_and_on_several() {
    let board = Board::from_squares(1500, 1500, |r, c| (r * 31 + c * 17 + r * c) % 23 != 0).unwrap();
    let goal = board.index(State::upright(750, 751)).unwrap();
    let costs = Costs::unit(3);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let search = || field_to(&board, goal, None, &costs, &mut CpuExpander::new(&board)).unwrap();
    let (one, effort) = pool(1).install(search);
    let (several, again) = pool(3).install(search);
    assert_eq!(effort, again);
    assert!(effort.widest > 8192, "{effort:?}");
    assert!(board.each_state().all(|state| one.get(state) == several.get(state)));
}
