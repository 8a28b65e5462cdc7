//! Stages: the 27 of `stages.json` with their answers from an independent program, and a plain reading of the rules.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::AtomicBool;

use gpu_solve::puzzles::braincube::stage::builtin;
use gpu_solve::puzzles::braincube::stage::generate::{Maker, Wishes};
use gpu_solve::puzzles::braincube::stage::text::{self, StageFormat};
use gpu_solve::puzzles::braincube::stage::{Merged, Operation, Rules, Stage, Tile, json};
use gpu_solve::search::layers::packed::{Found, search, search_by};
use gpu_solve::search::layers::packed_gpu::PackedExpander;
use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::Value;

use super::data;
use crate::support::devices;

fn stages() -> Vec<Value> {
    let all: Value = serde_json::from_str(&data("stages.json")).unwrap();
    all["stages"].as_array().unwrap().clone()
}

fn solve(rules: &Rules) -> Found {
    search(rules, rules.start(), &AtomicBool::new(false))
}

/// Where the labels lead, step by step by the rules; `None` where one is illegal.
fn replay(rules: &Rules, labels: &[u8]) -> Option<u64> {
    labels.iter().try_fold(rules.start(), |state, &label| rules.after(state, label))
}

fn labels(letters: &str) -> Vec<u8> {
    letters.chars().map(|letter| u8::try_from("LRUDx".find(letter).unwrap()).unwrap()).collect()
}

#[test]
fn every_stage_has_its_least_rolls_and_moves_and_reachable_states() {
    let stages = stages();
    assert_eq!(stages.len(), 27);
    for stage in stages {
        let (name, expect) = (stage["name"].as_str().unwrap(), &stage["expect"]);
        let read = json::read(&stage.to_string()).unwrap();
        let rules = Rules::new(&read).unwrap();
        let moves = solve(&rules);
        let merged = Merged(&rules);
        let rolls = search(&merged, rules.start(), &AtomicBool::new(false));
        let number = |key: &str| expect[key].as_u64().map(|number| usize::try_from(number).unwrap());
        assert_eq!(moves.way.as_ref().map(Vec::len), number("moves_exchange_counted"), "{name}");
        assert_eq!(rolls.way.as_ref().map(Vec::len), number("rolls_exchange_free"), "{name}");
        assert_eq!(Some(moves.reachable), expect["reachable_states"].as_u64(), "{name}");
        if let Some(way) = &moves.way {
            assert!(rules.is_won(replay(&rules, way).unwrap()), "{name}");
            let listed = labels(expect["one_solution_exchange_counted"].as_str().unwrap());
            assert!(rules.is_won(replay(&rules, &listed).unwrap()), "{name}");
            let rolling = merged.unmerge(rolls.way.as_ref().unwrap());
            assert!(rules.is_won(replay(&rules, &rolling).unwrap()), "{name}");
            assert_eq!(rolling.iter().filter(|&&label| label < 4).count(), rolls.way.unwrap().len(), "{name}");
        }
    }
}

/// A state read plainly: the squares of the pieces (the active one first), whether they are one block, the bridges on.
type Plain = (Vec<Vec<(i32, i32)>>, BTreeSet<(usize, usize)>);

/// A plain reading of the rules, apart from the packed one.
fn plain_after(stage: &Stage, state: &Plain, label: u8) -> Option<Plain> {
    let (pieces, mut on) = state.clone();
    if label == 4 {
        return (pieces.len() == 2).then(|| (vec![pieces[1].clone(), pieces[0].clone()], on));
    }
    let (dr, dc) = [(0, -1), (0, 1), (-1, 0), (1, 0)][usize::from(label)];
    let piece = &pieces[0];
    let extent = |f: fn(&(i32, i32)) -> i32| (piece.iter().map(f).min().unwrap(), piece.iter().map(f).max().unwrap());
    let (top, bottom) = extent(|square| square.0);
    let (left, right) = extent(|square| square.1);
    // Upright the block is two high: it is as long in the direction of the roll after it as it was high.
    let height = if pieces.len() == 1 && piece.len() == 1 { 2 } else { 1 };
    let (rows, cols): (Vec<i32>, Vec<i32>) = match (dr, dc) {
        (0, -1) => ((top..=bottom).collect(), (left - height..left).collect()),
        (0, 1) => ((top..=bottom).collect(), (right + 1..=right + height).collect()),
        (-1, _) => ((top - height..top).collect(), (left..=right).collect()),
        _ => ((bottom + 1..=bottom + height).collect(), (left..=right).collect()),
    };
    let landed: Vec<(i32, i32)> = rows.iter().flat_map(|&row| cols.iter().map(move |&col| (row, col))).collect();
    let is_there = |(row, col): (i32, i32), on: &BTreeSet<(usize, usize)>| {
        let (Ok(row), Ok(col)) = (usize::try_from(row), usize::try_from(col)) else { return false };
        match stage.tile((row, col)) {
            Tile::Void => false,
            Tile::Bridge { .. } => on.contains(&(row, col)),
            _ => true,
        }
    };
    if !landed.iter().all(|&square| is_there(square, &on)) {
        return None;
    }
    let whole_upright = pieces.len() == 1 && landed.len() == 1;
    let at = |(row, col): (i32, i32)| (usize::try_from(row).unwrap(), usize::try_from(col).unwrap());
    if whole_upright && stage.tile(at(landed[0])) == Tile::Fragile {
        return None;
    }
    for &square in &landed {
        let heavy = stage.tile(at(square)) == Tile::Heavy;
        for switch in stage.switches.iter().filter(|switch| switch.at == at(square) && (!heavy || whole_upright)) {
            for (operation, cells) in &switch.effects {
                for cell in cells {
                    let turn_on = match operation {
                        Operation::On => true,
                        Operation::Off => false,
                        Operation::Toggle => !on.contains(cell),
                    };
                    if turn_on {
                        on.insert(*cell)
                    } else {
                        on.remove(cell)
                    };
                }
            }
        }
    }
    let mut after = pieces.clone();
    after[0].clone_from(&landed);
    if whole_upright && let Some(splitter) = stage.splitters.iter().find(|splitter| splitter.at == at(landed[0])) {
        let square = |(row, col): (usize, usize)| (i32::try_from(row).unwrap(), i32::try_from(col).unwrap());
        after = splitter.to.iter().map(|&to| vec![square(to)]).collect();
    }
    if !after.iter().flatten().all(|&square| is_there(square, &on)) {
        return None;
    }
    if after.len() == 2 && (after[0][0].0 - after[1][0].0).abs() + (after[0][0].1 - after[1][0].1).abs() == 1 {
        let mut joined = after.concat();
        joined.sort_unstable();
        after = vec![joined];
    }
    Some((after, on))
}

/// Least moves, their number and the reachable states, by the plain reading.
fn plainly(stage: &Stage) -> (Option<usize>, BigUint, u64) {
    let start: Vec<(i32, i32)> =
        stage.start.squares().map(|(row, col)| (row.cast_signed(), col.cast_signed())).collect();
    let on = stage.squares().filter(|(_, tile)| *tile == Tile::Bridge { on: true }).map(|(at, _)| at).collect();
    let first: Plain = (vec![start], on);
    let won = |(pieces, _): &Plain| {
        pieces.len() == 1
            && pieces[0].len() == 1
            && stage.tile((pieces[0][0].0.cast_unsigned() as usize, pieces[0][0].1.cast_unsigned() as usize))
                == Tile::Goal
    };
    let mut met: HashMap<Plain, (usize, BigUint)> = HashMap::from([(first.clone(), (0, 1u32.into()))]);
    let mut queue = VecDeque::from([first]);
    let (mut best, mut ways) = (None, BigUint::ZERO);
    while let Some(state) = queue.pop_front() {
        let (length, count) = met[&state].clone();
        if won(&state) && *best.get_or_insert(length) == length {
            ways += count.clone();
        }
        for label in 0..5 {
            let Some(next) = plain_after(stage, &state, label) else { continue };
            match met.get_mut(&next) {
                None => {
                    met.insert(next.clone(), (length + 1, count.clone()));
                    queue.push_back(next);
                }
                Some((there, sum)) if *there == length + 1 => *sum += &count,
                Some(_) => {}
            }
        }
    }
    (best, ways, met.len() as u64)
}

#[test]
fn the_listed_stages_agree_with_a_plain_reading_of_the_rules() {
    for stage in stages() {
        let read = json::read(&stage.to_string()).unwrap();
        let found = solve(&Rules::new(&read).unwrap());
        assert_eq!((found.way.map(|way| way.len()), found.ways, found.reachable), plainly(&read), "{}", stage["name"]);
    }
}

fn any_stage(seed: u64, rows: usize, cols: usize, features: [usize; 3], split: bool) -> Stage {
    let [switches, bridges, fragile] = features;
    Maker::new(Wishes { rows, cols, switches, bridges, fragile, split }, seed).stage()
}

proptest! {
    #[test]
    fn any_stage_agrees_with_a_plain_reading_of_the_rules(
        seed: u64, rows in 3usize..7, cols in 3usize..7, features: [u8; 3], split: bool
    ) {
        let stage = any_stage(seed, rows, cols, features.map(|count| usize::from(count % 4)), split);
        if let Ok(rules) = Rules::new(&stage) {
            let found = solve(&rules);
            prop_assert_eq!((found.way.map(|way| way.len()), found.ways, found.reachable), plainly(&stage));
        }
    }

    /// Whatever a format can hold comes back from it with the same game.
    #[test]
    fn any_stage_comes_back_from_any_format_that_holds_it(
        seed: u64, rows in 2usize..7, cols in 2usize..7, features: [u8; 3], split: bool
    ) {
        let stage = any_stage(seed, rows, cols, features.map(|count| usize::from(count % 4)), split);
        if Rules::new(&stage).is_ok() {
            for format in StageFormat::ALL {
                let Ok(written) = text::write(&stage, format) else { continue };
                for told in [None, Some(format)] {
                    let back = text::read(&written, None, told);
                    let Ok(back) = back else { return Err(TestCaseError::fail(format!("{back:?}\n{written}"))) };
                    if format == StageFormat::Json {
                        prop_assert_eq!(&back, &stage);
                    } else {
                        prop_assert_eq!(plainly(&back), plainly(&stage), "{}", &written);
                    }
                }
            }
        }
    }

    #[test]
    fn no_file_makes_the_reader_panic(text in "[.#oSTG@!$^aA:, -]{0,40}", rest in "[.#oSTG@!$^aA:, \n{}\"-]{0,80}") {
        for format in [None, Some(StageFormat::Json), Some(StageFormat::Grid), Some(StageFormat::Epfl), Some(StageFormat::Bneils)] {
            if let Ok(stage) = text::read(&format!("{text}\n{rest}"), None, format) {
                let _ = Rules::new(&stage);
            }
        }
    }
}

#[test]
fn the_built_in_stages_are_solvable_and_ever_longer() {
    let mut before = 0;
    let mut seen = BTreeSet::new();
    for number in 0..builtin::BUILTIN.len() {
        let stage = builtin::stage(number).unwrap().unwrap();
        assert!(!stage.name.is_empty() && seen.insert(stage.name.clone()));
        let found = solve(&Rules::new(&stage).unwrap());
        let length = found.way.unwrap().len();
        assert!(length > before, "stage {}: {length} moves after {before}", number + 1);
        before = length;
    }
    assert_eq!(seen.len(), 10);
}

#[test]
fn the_map_of_bneils_solver_is_read_with_its_info() {
    let map = "@@@     \n@$@a@A^@\n@@@    \n";
    let stage = text::read(map, Some("A: hard, toggle a\na: off\n"), None).unwrap();
    assert_eq!(stage.tile((1, 3)), Tile::Bridge { on: false });
    assert_eq!(stage.tile((1, 5)), Tile::Heavy);
    assert_eq!(stage.switches[0].effects, [(Operation::Toggle, vec![(1, 3)])]);
    let together = text::read(&format!("{map}\nA: hard, toggle a\na: off\n"), None, None).unwrap();
    assert_eq!(together, stage);
    let split = text::read("$@@T@b@@^", Some("T: hard, teleport b $"), None).unwrap();
    assert_eq!(split.splitters[0].to, [(0, 5), (0, 0)]);
}

#[test]
fn faults_in_stage_files_are_told_with_line_and_column() {
    for (written, info, expected) in [
        ("S##\n#x#\n", None, "line 2, column 2: 'x'"),
        ("S##T\n###\n", None, "line 2, column 4: the line has 3 squares, but line 1 has 4"),
        ("S#S\n", None, "line 1, column 3: a second S"),
        ("###T\n", None, "line 1, column 1: no start"),
        ("Soo\no?T", None, "line 2, column 2: '?'"),
        ("$@@\n@@&\n", None, "line 2, column 3: '&'"),
        ("$@A^", Some("A: hard, onn b"), "line 1, column 10: \"onn\""),
        ("$@A^", Some("A: hard, on bb"), "line 1, column 10: \"bb\""),
        ("$@@^", Some("A: hard"), "line 1, column 1: A is described, but is not in the map"),
        ("$@A^", Some("A: hard, on b"), "line 1, column 1: b is not in the map"),
        ("{\"format\": \"gpu-solve-level/1\",\n \"grid\": 5}", None, "line 2, column 10: invalid type"),
        (
            "{\"format\": \"gpu-solve-level/1\",\n \"grid\": [\"###\",\n  \"#?#\"], \"start\": {\"kind\": \"u\", \"at\": [0, 0]}}",
            None,
            "line 3, column 3: grid[1], character 2: '?'",
        ),
    ] {
        let fault = text::read(written, info, None).unwrap_err().to_string();
        assert!(fault.contains(expected), "{written:?}: {fault}");
    }
}

/// A stage of 60×60 with nothing but floor, twelve bridges and a switch for each: all sets of bridges can be had, with the block
/// wherever it has something to stand on.
#[test]
fn a_large_stage_with_twelve_bridges_is_searched_whole() {
    let stage = json::read(&data("sixty.json")).unwrap();
    let bridges = |squares: &[(usize, usize)]| {
        squares.iter().filter(|&&at| matches!(stage.tile(at), Tile::Bridge { .. })).count()
    };
    let squares = || (0..60).flat_map(|row| (0..60).map(move |col| (row, col)));
    let upright = squares().map(|at| vec![at]);
    let along = squares().filter(|at| at.1 < 59).map(|(row, col)| vec![(row, col), (row, col + 1)]);
    let down = squares().filter(|at| at.0 < 59).map(|(row, col)| vec![(row, col), (row + 1, col)]);
    let standing: u64 = upright.chain(along).chain(down).map(|under| 1 << (12 - bridges(&under))).sum();
    let found = solve(&Rules::new(&stage).unwrap());
    assert!(found.complete);
    assert_eq!(found.reachable, standing);
}

/// A stage of 60×60 with twelve bridges and as many switches, nearly all of whose states can be reached.
fn large() -> Stage {
    let wishes = Wishes { rows: 60, cols: 60, switches: 12, bridges: 12, fragile: 40, split: false };
    let mut stage = Maker::new(wishes, 3).stage();
    // Floor for the holes, and switches that set no bridge by all of them: whatever can be on or off will be.
    for (row, line) in stage.tiles.iter_mut().enumerate() {
        for (col, tile) in line.iter_mut().enumerate() {
            if *tile == Tile::Void && (row * 7 + col * 3) % 11 != 0 {
                *tile = Tile::Floor;
            }
        }
    }
    stage
}

/// Least moves and reachable states by a queue, state by state.
fn one_by_one(rules: &Rules) -> (usize, u64) {
    let mut met = HashMap::from([(rules.start(), 0usize)]);
    let mut queue = VecDeque::from([rules.start()]);
    while let Some(state) = queue.pop_front() {
        let next = met[&state] + 1;
        for to in (0..5).filter_map(|label| rules.after(state, label)) {
            met.entry(to).or_insert_with(|| {
                queue.push_back(to);
                next
            });
        }
    }
    let least = met.iter().filter(|&(&state, _)| rules.is_won(state)).map(|(_, &moves)| moves).min();
    (least.unwrap(), met.len() as u64)
}

#[test]
fn a_large_stage_has_one_answer_on_the_cpu_on_every_device_and_state_by_state() {
    let stage = large();
    let rules = Rules::new(&stage).unwrap();
    let cpu = solve(&rules);
    assert!(cpu.complete && cpu.reachable > 100_000, "{}", cpu.reachable);
    let way = cpu.way.clone().unwrap();
    assert!(rules.is_won(replay(&rules, &way).unwrap()));
    assert_eq!((way.len(), cpu.reachable), one_by_one(&rules));
    for gpu in devices() {
        let mut expander = PackedExpander::new(gpu, &rules, false).unwrap();
        let stop = AtomicBool::new(false);
        let found = search_by(&rules, rules.start(), &stop, |met, frontier| expander.expand(met, frontier)).unwrap();
        assert_eq!(expander.fault(), None);
        assert!(expander.on_device() > 10, "{} frontiers were large", expander.on_device());
        // Frontiers come in another order, and with them the way that is told.
        assert!(rules.is_won(replay(&rules, found.way.as_ref().unwrap()).unwrap()));
        assert_eq!(found, Found { way: found.way.clone(), ..cpu.clone() });
        assert_eq!(found.way.unwrap().len(), way.len());
    }
}

#[test]
fn stages_hold_lockstep_on_every_device_frontier_by_frontier() {
    for gpu in devices() {
        for number in [2, 5, 9] {
            let stage = builtin::stage(number).unwrap().unwrap();
            let rules = Rules::new(&stage).unwrap();
            let stop = AtomicBool::new(false);
            let mut expander = PackedExpander::new(gpu, &rules, true).unwrap();
            let found =
                search_by(&rules, rules.start(), &stop, |met, frontier| expander.expand(met, frontier)).unwrap();
            let alone = solve(&rules);
            assert_eq!(expander.compared(), alone.layers);
            assert_eq!((found.ways, found.reachable), (alone.ways, alone.reachable));
            let merged = Merged(&rules);
            let mut expander = PackedExpander::new(gpu, &merged, true).unwrap();
            let found =
                search_by(&merged, rules.start(), &stop, |met, frontier| expander.expand(met, frontier)).unwrap();
            let alone = search(&merged, rules.start(), &stop);
            assert_eq!((found.ways, found.reachable), (alone.ways, alone.reachable));
        }
    }
}
