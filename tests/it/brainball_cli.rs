//! BrainBall as a user has it: arguments, files, exit codes, text and JSON.

use assert_cmd::Command;
use serde_json::Value;

const TWO: &str = "-12,-13,3,4,7,8,9,-5,-6,10,11,1,2";
const SOLVED: &str = "1,2,3,4,5,6,7,8,9,10,11,12,13";

fn brainball(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpu-solve").unwrap();
    command.arg("brainball").args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let out = brainball(arguments).args(["--format", "json", "-q"]).assert().success().get_output().stdout.clone();
    serde_json::from_slice(&out).unwrap()
}

fn text(arguments: &[&str]) -> String {
    let out = brainball(arguments).arg("-q").assert().success().get_output().stdout.clone();
    String::from_utf8(out).unwrap()
}

fn error(arguments: &[&str]) -> String {
    let out = brainball(arguments).assert().code(2).stdout("").get_output().stderr.clone();
    String::from_utf8(out).unwrap()
}

#[test]
fn solve_tells_length_turns_and_every_turn180_in_json() {
    let answer = json(&["solve", TWO, "--no-cache", "--table-depth", "5"]);
    assert_eq!(answer["format"], "gpu-solve/1");
    assert_eq!(answer["command"], "brainball solve");
    assert_eq!(answer["goal"], "fixed");
    assert_eq!(answer["length"], 2);
    assert_eq!(answer["optimal"], true);
    assert_eq!(answer["turns"], serde_json::json!([12, 12]));
    assert_eq!(answer["steps"], serde_json::json!([{"turn": 12}, {"turn180": true}, {"turn": 12}, {"turn180": true}]));
    assert_eq!(answer["table_depth"], 5);
    assert_eq!(answer["backend"], "cpu");
    assert_eq!(answer["position"].as_array().unwrap().len(), 13);
    assert!(answer["nodes"].as_u64().unwrap() > 0);
}

#[test]
fn a_position_may_begin_with_a_minus_and_come_as_words_with_options_anywhere() {
    let table = ["--no-cache", "--table-depth", "4"];
    for words in [vec![TWO], TWO.split(',').collect(), vec!["12y 13y 3w 4w 7 8 9 5y 6y 10 11 1 2"]] {
        for goal_first in [true, false] {
            let goal = ["--goal", "ring"];
            let mut arguments = vec!["solve"];
            if goal_first {
                arguments.extend(goal);
            }
            arguments.extend(&words);
            if !goal_first {
                arguments.extend(goal);
            }
            arguments.extend(table);
            assert_eq!(json(&arguments)["turns"], serde_json::json!([12, 12]));
        }
    }
}

#[test]
fn wrong_entries_are_named_and_nothing_is_printed() {
    assert!(error(&["solve", "1,2,99"]).contains("entry 3 of the position, \"99\", is out of range"));
    assert!(error(&["solve", "1,2,2"]).contains("entry 3 of the position repeats tile 2, which entry 2 has"));
    assert!(error(&["solve", "1,2,x"]).contains("entry 3 of the position, \"x\", is not a tile"));
    assert!(error(&["solve", "1,2"]).contains("has 2 tiles, expected 13"));
    assert!(error(&["apply", SOLVED, "3 13"]).contains("entry 2 of the moves, \"13\""));
    assert!(error(&["order", "+1/x"]).contains("entry 2 of the moves, \"x\""));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{SOLVED}\n\n1,2,3\n")).unwrap();
    assert!(error(&["solve", "--file", file.path().to_str().unwrap()]).contains("line 3"));
}

#[test]
fn a_file_gives_one_result_a_line_and_one_json_object() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("# two positions\n{TWO}\n{SOLVED}\n")).unwrap();
    let arguments = ["solve", "--file", file.path().to_str().unwrap(), "--no-cache", "--table-depth", "4"];
    assert_eq!(text(&arguments), format!("{TWO}  2  12 12\n{SOLVED}  0  \n"));
    let answer = json(&arguments);
    assert_eq!(answer["results"][0]["length"], 2);
    assert_eq!(answer["results"][1]["length"], 0);
    let piped = brainball(&["solve", "--no-cache", "--table-depth", "4", "-q"]).write_stdin(TWO).assert().success();
    assert!(String::from_utf8(piped.get_output().stdout.clone()).unwrap().contains("2 turns: 12 12"));
}

#[test]
fn a_table_file_is_made_used_and_rebuilt_with_a_word_when_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.layers");
    let arguments = ["solve", TWO, "--table-depth", "4", "--table", path.to_str().unwrap()];
    let said = |arguments: &[&str]| {
        let out = brainball(arguments).assert().success().get_output().stderr.clone();
        String::from_utf8(out).unwrap()
    };
    assert!(said(&arguments).contains("built"));
    assert!(!said(&arguments).contains("built"));
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(said(&arguments).contains("is cut short; built anew"));
    assert!(!said(&arguments).contains("built"));
}

#[test]
fn all_solutions_are_counted_and_the_seeds_estimate_is_said_to_be_no_bound() {
    let table = ["--no-cache", "--table-depth", "4"];
    let answer = json(&[&["solve", TWO, "--all"], &table[..]].concat());
    assert_eq!(answer["count"], 1);
    assert_eq!(answer["solutions"], serde_json::json!([[12, 12]]));
    let out = brainball(&["solve", TWO, "--heuristic", "seed", "--no-cache", "--table-depth", "4"]).assert().success();
    assert!(String::from_utf8(out.get_output().stderr.clone()).unwrap().contains("no bound"));
}

#[test]
fn to_leads_to_another_position_across_the_parities() {
    let over = "-13,-12,-11,-10,-9,-8,-7,-6,-5,-4,-3,-2,-1";
    let answer = json(&["solve", SOLVED, "--to", over, "--no-cache", "--table-depth", "4"]);
    assert_eq!(answer["length"], 0);
    assert_eq!(answer["steps"], serde_json::json!([{"turn180": true}]));
}

#[test]
fn apply_makes_the_moves_and_turn180s_in_either_notation() {
    assert_eq!(text(&["apply", TWO, "12", "12"]), format!("{SOLVED}\n"));
    assert_eq!(text(&["apply", TWO, "12 12"]), format!("{SOLVED}\n"));
    let slash = json(&["solve", TWO, "--no-cache", "--table-depth", "4"])["slash"].as_str().unwrap().to_owned();
    assert_eq!(text(&["apply", TWO, &slash]), format!("{SOLVED}\n"));
    assert_eq!(json(&["apply", TWO, "12 12"])["solved_fixed"], true);
}

#[test]
fn order_tells_repetitions_and_cycles() {
    assert!(text(&["order", "+1/-1/"]).starts_with("+1/-1/: the identity after 20 repetitions\n"));
    let answer = json(&["order", "-1/+1/"]);
    assert_eq!(answer["order"], 20);
    assert_eq!(answer["cycles"].as_array().unwrap().len(), 3);
}

#[test]
fn scramble_is_its_seed_and_demo_solves_it() {
    assert_eq!(text(&["scramble", "--seed", "7"]), text(&["scramble", "--seed", "7"]));
    assert_eq!(text(&["scramble", "--seed", "7", "--count", "3"]).lines().count(), 3);
    let demo = json(&["demo", "--seed", "7", "--turns", "4", "--no-cache", "--table-depth", "5"]);
    assert_eq!(demo["scramble"].as_array().unwrap().len(), 4);
    assert!(demo["length"].as_u64().unwrap() <= 4);
    let shown = text(&["demo", "--seed", "7", "--turns", "4", "--no-cache", "--table-depth", "5"]);
    assert!(shown.contains("step 1 of"));
    assert!(!shown.contains('\u{1b}'), "no colour into a pipe");
}

#[test]
fn show_draws_within_80_columns_and_with_colour_when_asked() {
    let plain = text(&["show", TWO]);
    assert!(plain.lines().all(|line| line.len() <= 80));
    assert!(plain.contains("12y") && plain.contains("10w"));
    assert!(text(&["show", TWO, "--color", "always"]).contains('\u{1b}'));
}

#[test]
fn layers_are_counted_in_text_and_json() {
    let answer = json(&["layers", "--goal", "ring", "--depth", "4"]);
    let states: Vec<_> =
        answer["layers"].as_array().unwrap().iter().map(|row| row["states"].as_u64().unwrap()).collect();
    assert_eq!(states, [1, 13, 143, 1_547, 16_640]);
    assert_eq!(answer["layers"][4]["classes"], 642);
    assert!(text(&["layers", "--depth", "3"]).contains("1,872"));
    assert_eq!(json(&["layers", "--tiles", "7", "--depth", "99"])["complete"], true);
}

#[test]
fn play_without_a_terminal_is_refused() {
    assert!(error(&["play"]).contains("needs a terminal"));
}

#[test]
fn layers_and_solutions_come_from_a_device_in_lockstep_when_asked() {
    for adapter in super::support::adapters() {
        let backend = adapter.description.backend.name();
        let device = ["--backend", backend, "--adapter", &adapter.description.name, "--lockstep"];
        let layers = json(&[&["layers", "--goal", "ring", "--depth", "4"], &device[..]].concat());
        assert_eq!((&layers["backend"], &layers["lockstep"]), (&Value::from(backend), &Value::from(true)));
        assert_eq!(layers["states"], 1 + 13 + 143 + 1_547 + 16_640);
        let four = "2,3,4,5,6,7,8,9,10,11,12,13,1";
        let solved = json(&[&["solve", four, "--no-cache", "--table-depth", "2"], &device[..]].concat());
        assert_eq!((&solved["backend"], &solved["lockstep"]), (&Value::from(backend), &Value::from(true)));
        assert_eq!(solved["length"], 4);
        assert_eq!(solved["turns"], json(&["solve", four, "--no-cache", "--table-depth", "2"])["turns"]);
    }
}
