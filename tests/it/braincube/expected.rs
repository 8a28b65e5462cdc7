//! Against the expected values: states, components, shortest solutions.

use gpu_solve::puzzles::braincube::formula::{self, CornerSolutions, Verdict};
use gpu_solve::puzzles::braincube::{Board, Move, Pose, State};
use gpu_solve::puzzles::state_graph::StateGraph;
use gpu_solve::search::graph::components::Components;
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::graph::counting::count_paths;
use gpu_solve::search::graph::shortest::{CpuExpander, Paths, field_to};
use num_bigint::BigUint;
use serde_json::Value;

use super::{data, rows};

/// Length and number of the shortest solutions, and the first of them as letters.
pub fn search(board: &Board, start: u32, goal: u32) -> Option<(u64, BigUint, String)> {
    let costs = Costs::unit(3);
    let (field, _) = field_to(board, goal, Some(start), &costs, &mut CpuExpander::new(board)).unwrap();
    let length = field.get(start)?;
    let path = Paths::new(board, &field, &costs, start).next().unwrap();
    let letters = path.iter().map(|step| Move::from_number(step.label).letter()).collect();
    Some((length, count_paths(board, &field, &costs, start), letters))
}

fn corners(board: &Board) -> (u32, u32) {
    let last = State::upright(board.rows() - 1, board.cols() - 1);
    (board.index(State::upright(0, 0)).unwrap(), board.index(last).unwrap())
}

pub fn case_board(case: &Value) -> Board {
    let side = |name: &str| u32::try_from(case["board"][name].as_u64().unwrap()).unwrap();
    let grid = case["board"]["grid"].as_array();
    Board::from_squares(side("rows"), side("cols"), |row, col| {
        grid.is_none_or(|lines| lines[row as usize].as_str().unwrap().as_bytes()[col as usize] == b'#')
    })
    .unwrap()
}

pub fn case_state(value: &Value) -> State {
    let pose = match value["kind"].as_str().unwrap() {
        "u" => Pose::Upright,
        "h" => Pose::AlongRow,
        _ => Pose::DownColumn,
    };
    let at = |name: &str| u32::try_from(value[name].as_u64().unwrap()).unwrap();
    State { pose, row: at("row"), col: at("col") }
}

pub fn cases() -> Vec<Value> {
    let cases: Value = serde_json::from_str(&data("cases.json")).unwrap();
    cases["cases"].as_array().unwrap().clone()
}

#[test]
fn every_case_has_its_states_edges_components_and_shortest_solutions() {
    for case in cases() {
        let (name, expect) = (case["name"].as_str().unwrap(), &case["expect"]);
        let board = case_board(&case);
        assert_eq!(expect["states"], board.state_count(), "{name}");
        let moves: u64 = board.each_state().map(|state| u64::from(board.out_degree(state))).sum();
        assert_eq!(expect["edges"], moves / 2, "{name}");
        let components = Components::of(&board);
        assert_eq!(expect["component_sizes"], serde_json::json!(components.sizes()), "{name}");
        assert_eq!(expect["components"], components.sizes().len(), "{name}");
        let (start, goal) = (case_state(&case["start"]), case_state(&case["goal"]));
        let ends = [board.index(start), board.index(goal)];
        assert_eq!(expect["start_valid"], ends[0].is_ok(), "{name}");
        assert_eq!(expect["goal_valid"], ends[1].is_ok(), "{name}");
        let [Ok(from), Ok(to)] = ends else { continue };
        assert_eq!(expect["start_label"], board.label(from).to_string(), "{name}");
        assert_eq!(expect["goal_label"], board.label(to).to_string(), "{name}");
        let found = search(&board, from, to);
        assert_eq!(expect["solvable"], found.is_some(), "{name}");
        assert_eq!(found.is_some(), components.of_state(from) == components.of_state(to), "{name}");
        if let Some((length, count, path)) = found {
            assert_eq!(expect["length"], length, "{name}");
            assert_eq!(expect["shortest_paths"], count.to_string(), "{name}");
            assert_eq!(expect["unique"], count == BigUint::from(1u32), "{name}");
            assert_eq!(expect["one_path"], path, "{name}");
        }
    }
}

#[test]
fn every_listed_board_has_its_length_and_number_of_shortest_solutions() {
    for (file, least) in [("shortest.csv", 190), ("shortest_thin.csv", 80)] {
        let rows = rows(file);
        assert!(rows.len() >= least, "{file}");
        for row in rows {
            let board = Board::full(row[0].parse().unwrap(), row[1].parse().unwrap()).unwrap();
            let (start, goal) = corners(&board);
            let found = search(&board, start, goal);
            let expected = (!row[2].is_empty()).then(|| (row[2].parse().unwrap(), row[3].parse().unwrap()));
            assert_eq!(found.map(|(length, count, _)| (length, count)), expected, "{row:?}");
        }
    }
}

/// Every board 1..40 × 1..40, the thin ones too; one side of the diagonal suffices for the search, as boards can be turned.
#[test]
fn the_formulas_agree_with_the_search_on_every_board_up_to_40_by_40() {
    for (rows, cols) in (1..=40).flat_map(|m| (1..=40).map(move |n| (m, n))) {
        let board = Board::full(rows, cols).unwrap();
        let (start, goal) = corners(&board);
        let found = match search(&board, start, goal) {
            Some((length, count, _)) => Verdict::Solvable(CornerSolutions { length, count }),
            None => Verdict::Unsolvable,
        };
        assert_eq!(formula::corner_to_corner(rows, cols), found, "{rows}×{cols}");
        assert_eq!(formula::states(rows, cols), board.state_count(), "{rows}×{cols}");
        let moves: u64 = board.each_state().map(|state| u64::from(board.out_degree(state))).sum();
        assert_eq!(formula::edges(rows, cols), moves / 2, "{rows}×{cols}");
    }
}

/// The poster's result 3.
#[test]
fn from_sides_of_three_on_only_3_by_4_has_a_single_shortest_solution() {
    for (rows, cols) in (3..=40).flat_map(|m| (3..=40).map(move |n| (m, n))) {
        let Verdict::Solvable(found) = formula::corner_to_corner(rows, cols) else { panic!("{rows}×{cols}") };
        let single = found.count == BigUint::from(1u32);
        assert_eq!(single, [(3, 4), (4, 3)].contains(&(rows, cols)), "{rows}×{cols}");
    }
}

/// Past 64 and past 128 bits, against the formula.
#[test]
fn counts_past_128_bits_are_exact() {
    for (rows, cols) in [(90, 90), (301, 200), (200, 302)] {
        let board = Board::full(rows, cols).unwrap();
        let (start, goal) = corners(&board);
        let (length, count, _) = search(&board, start, goal).unwrap();
        assert_eq!(formula::corner_to_corner(rows, cols), Verdict::Solvable(CornerSolutions { length, count }));
    }
}
