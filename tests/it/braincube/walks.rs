//! Random walks against the expected values and against dense solves.

use gpu_solve::puzzles::braincube::{Board, State};
use gpu_solve::search::graph::walk::{Region, distribution, falling, falling_exact, free, free_exact};
use gpu_solve::search::linear::SolverChoice;
use proptest::prelude::*;

use super::expected::{case_board, case_state, cases};
use super::{naive, properties, rows};

fn corners(row: &[String]) -> (Board, u32, u32) {
    let board = Board::full(row[0].parse().unwrap(), row[1].parse().unwrap()).unwrap();
    let start = board.index(State::upright(0, 0)).unwrap();
    let goal = board.index(State::upright(board.rows() - 1, board.cols() - 1)).unwrap();
    (board, start, goal)
}

fn close(found: f64, expected: f64, relative: f64, what: &str) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{what}: {found} for {expected}");
}

#[test]
fn expectations_and_probabilities_of_the_table_come_from_both_solvers() {
    for row in rows("walk.csv") {
        let (board, start, goal) = corners(&row);
        let value = |at: usize| row[at].parse::<f64>().unwrap();
        let region = Region::of(&board, start, goal);
        for solver in [SolverChoice::Direct, SolverChoice::Cg] {
            let what = format!("{row:?} {solver:?}");
            let walk = free(&region, &solver, 1e-13).unwrap();
            let moves = walk.expected_moves.unwrap();
            close(moves.value, value(3), 1e-14, &what);
            assert!(moves.relative_error < 1.1e-13, "{what}");
            assert!(walk.return_time.unwrap().gap() < 1e-12, "{what}");
            assert!(walk.adjoint.unwrap().gap() < 1e-12, "{what}");
            let walk = falling(&region, &solver, 1e-13).unwrap();
            close(walk.win.value, value(4), 1e-14, &what);
            close(walk.fall.value, value(5), 1e-14, &what);
            close(walk.expected_moves.value, value(6), 1e-14, &what);
            assert!(walk.total.unwrap().gap() < 1e-12, "{what}");
        }
    }
}

#[test]
fn fractions_of_the_table_are_exact() {
    for row in rows("walk_exact.csv") {
        let (board, start, goal) = corners(&row);
        let region = Region::of(&board, start, goal);
        assert_eq!(free_exact(&region).unwrap().unwrap().to_string(), row[2], "{row:?}");
        let [win, fall, moves] = falling_exact(&region).unwrap();
        assert_eq!([win.to_string(), moves.to_string()], [&*row[3], &*row[4]], "{row:?}");
        assert_eq!(&win.numerator + &fall.numerator, win.denominator, "{row:?}");
    }
}

#[test]
fn every_case_has_its_walks() {
    for case in cases() {
        let (name, expect) = (case["name"].as_str().unwrap(), &case["expect"]);
        if expect["expected_moves_no_fall"].is_null() {
            continue;
        }
        let board = case_board(&case);
        let ends = [&case["start"], &case["goal"]].map(|end| board.index(case_state(end)).unwrap());
        let region = Region::of(&board, ends[0], ends[1]);
        let walk = free(&region, &SolverChoice::Auto, 1e-12).unwrap();
        let small = board.rows() * board.cols() <= 400;
        let fractions = if small { free_exact(&region).unwrap() } else { None };
        match walk.expected_moves {
            None => {
                assert_eq!(expect["expected_moves_no_fall"]["value"], "infinite", "{name}");
                assert_eq!(fractions, None, "{name}");
            }
            Some(moves) => {
                close(moves.value, expect["expected_moves_no_fall"]["value"].as_f64().unwrap(), 1e-12, name);
            }
        }
        let fall = falling(&region, &SolverChoice::Auto, 1e-12).unwrap();
        close(fall.win.value, expect["win_prob_fall"]["value"].as_f64().unwrap(), 1e-11, name);
        close(fall.expected_moves.value, expect["expected_moves_fall_game"]["value"].as_f64().unwrap(), 1e-12, name);
        if !small {
            continue;
        }
        let exact = falling_exact(&region).unwrap();
        let free = fractions.map(|fraction| fraction.to_string());
        for (found, expected) in [
            (free, &expect["expected_moves_no_fall"]["exact"]),
            (Some(exact[0].to_string()), &expect["win_prob_fall"]["exact"]),
            (Some(exact[2].to_string()), &expect["expected_moves_fall_game"]["exact"]),
        ] {
            // Where no fraction is listed it is too long to be listed.
            if let (Some(found), Some(expected)) = (found, expected.as_str()) {
                assert_eq!(found, expected, "{name}");
            }
        }
    }
}

#[test]
fn distributions_after_k_moves_are_those_of_the_table() {
    for row in rows("kstep.csv") {
        let (board, start, goal) = corners(&row);
        let found = distribution(&board, start, goal, row[2].parse().unwrap());
        for (value, at) in [(found.at_goal, 3), (found.won, 4), (found.won_falling, 5), (found.fallen, 6)] {
            assert!((value - row[at].parse::<f64>().unwrap()).abs() < 1e-14, "{row:?} column {at}: {value}");
        }
        assert!((found.free.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        assert!((found.falling.iter().sum::<f64>() + found.fallen - 1.0).abs() < 1e-13);
    }
}

/// 100×100: the value of a plain conjugate gradient run elsewhere, good to about 1e-11.
#[test]
fn a_hundred_by_a_hundred_is_solved_by_both_solvers() {
    let board = Board::full(100, 100).unwrap();
    let ends = [(0, 0), (99, 99)].map(|(r, c)| board.index(State::upright(r, c)).unwrap());
    let region = Region::of(&board, ends[0], ends[1]);
    let solve = |solver| free(&region, &solver, 1e-12).unwrap().expected_moves.unwrap().value;
    let (direct, cg) = (solve(SolverChoice::Direct), solve(SolverChoice::Cg));
    close(direct, 147_468.466_426, 1e-11, "direct");
    close(cg, direct, 1e-12, "cg");
    let fall = falling(&region, &SolverChoice::Cg, 1e-10).unwrap();
    close(fall.win.value, 4.2368e-8, 1e-5, "win");
    close(fall.expected_moves.value, 8.520_675_684, 1e-9, "moves");
}

/// A corridor so long that the probability to win is below what a double holds: said, not rounded to something else.
#[test]
fn a_hopeless_walk_is_not_given_a_wrong_probability() {
    let board = Board::full(1, 3001).unwrap();
    let ends = [0, 3000].map(|c| board.index(State::upright(0, c)).unwrap());
    let region = Region::of(&board, ends[0], ends[1]);
    let walk = falling(&region, &SolverChoice::Direct, 1e-10).unwrap();
    assert!(walk.win.value < 1e-280);
    assert!(walk.win.relative_error.is_infinite());
    // A walk on a path of 2001 states: 2000² moves.
    let moves = free(&region, &SolverChoice::Cg, 1e-10).unwrap().expected_moves.unwrap();
    close(moves.value, 4e6, 1e-10, "corridor");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn walks_on_random_boards_agree_with_dense_solves(board in properties::boards(), picks in any::<[prop::sample::Index; 2]>()) {
        let states = naive::states(&board);
        let [start, goal] = picks.map(|pick| states[pick.index(states.len())]);
        let mut reach: Vec<State> = naive::shortest(&board, start).into_keys().collect();
        let solvable = reach.contains(&goal);
        reach.retain(|&state| state != goal);
        let place = |state: State| reach.iter().position(|&s| s == state);
        let region = Region::of(&board, board.index(start).unwrap(), board.index(goal).unwrap());
        let dense = |free: bool| {
            let mut matrix = vec![vec![0.0; reach.len()]; reach.len()];
            let (mut times, mut wins) = (vec![0.0; reach.len()], vec![0.0; reach.len()]);
            for (i, &state) in reach.iter().enumerate() {
                let moves = naive::moves(&board, state);
                let choices = if free { moves.len() as f64 } else { 4.0 };
                matrix[i][i] += 1.0;
                times[i] = 1.0;
                for (_, next, _) in moves {
                    if let Some(j) = place(next) {
                        matrix[i][j] -= 1.0 / choices;
                    } else {
                        wins[i] += 1.0 / choices;
                    }
                }
            }
            (naive::solve(matrix.clone(), times), naive::solve(matrix, wins))
        };
        let fall = falling(&region, &SolverChoice::Auto, 1e-11).unwrap();
        let walk = free(&region, &SolverChoice::Auto, 1e-11).unwrap();
        if start == goal {
            prop_assert_eq!((walk.expected_moves.unwrap().value, fall.win.value), (0.0, 1.0));
        } else {
            let at = place(start).unwrap();
            let (times, wins) = dense(false);
            prop_assert!((fall.expected_moves.value - times[at]).abs() < 1e-10 * times[at]);
            prop_assert!((fall.win.value - wins[at]).abs() < 1e-9 * wins[at] + 1e-300);
            prop_assert_eq!(walk.expected_moves.is_some(), solvable);
            if let Some(moves) = walk.expected_moves {
                let (times, _) = dense(true);
                prop_assert!((moves.value - times[at]).abs() < 1e-9 * times[at]);
                let exact = free_exact(&region).unwrap().unwrap();
                let ratio = exact.to_f64();
                prop_assert!((ratio - moves.value).abs() <= 1.1e-11 * ratio, "{} {}", exact, moves.value);
            }
            let exact = falling_exact(&region).unwrap();
            prop_assert!((exact[0].to_f64() - fall.win.value).abs() <= 1.1e-11 * fall.win.value);
            prop_assert!((exact[2].to_f64() - fall.expected_moves.value).abs() <= 1.1e-11 * fall.expected_moves.value);
        }
    }
}
