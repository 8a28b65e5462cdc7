//! What a user types after `gpu-solve braincube boards`, `stage`, `convert`, `generate` and `play`.

use serde_json::{Value, json};

use crate::cli::{gpu_solve, json as run_json, run};
use crate::support::adapters;

fn braincube(arguments: &[&str]) -> (i32, String, String) {
    run(&[&["braincube"], arguments].concat())
}

fn object(arguments: &[&str]) -> (i32, Value) {
    run_json(&[&["braincube"], arguments].concat())
}

fn file(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let name = path.to_str().unwrap().to_owned();
    (folder, name)
}

/// The values are those of `masks.csv`.
#[test]
fn all_boards_of_four_by_four_are_told_with_the_hardest() {
    let folder = tempfile::tempdir().unwrap();
    let (code, answer) =
        object(&["boards", "--rows", "4", "--cols", "4", "--list", "99", "--save", folder.path().to_str().unwrap()]);
    assert_eq!(code, 0);
    for (field, value) in [
        ("format", json!("gpu-solve/1")),
        ("command", json!("braincube boards")),
        ("masks", json!(16_384)),
        ("solvable", json!(1_123)),
        ("unique", json!(1_106)),
        ("max_shortest", json!(12)),
        ("max_shortest_count", json!(18)),
        ("max_shortest_unique", json!(12)),
        ("complete", json!(true)),
        ("backend", json!("cpu")),
        (
            "histogram",
            json!([
                { "length": 4, "masks": 1008, "unique": 992 },
                { "length": 5, "masks": 97, "unique": 96 },
                { "length": 12, "masks": 18, "unique": 18 },
            ]),
        ),
    ] {
        assert_eq!(answer[field], value, "{field}");
    }
    let masks = answer["max_shortest_masks"].as_array().unwrap();
    assert_eq!(masks.len(), 18);
    assert!(masks.contains(&json!(52_471)));
    let (_, text, _) = braincube(&["boards", "--rows", "4", "--cols", "4"]);
    assert!(text.contains("16,384 boards with both corners, 1,123 with a solution, 1,106 of them"), "{text}");
}

/// Each file holds what the search says of it, corner to corner and between any two squares.
#[test]
fn the_hardest_boards_are_written_as_files_that_path_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = listed(folder.path(), &["--rows", "4", "--cols", "5", "--list", "2"]);
    assert_eq!(code, 0);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    let files = answer["files"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    assert_eq!(files[0], "boards-4x5/4x5-longest-1.txt");
    let (_, stdout, _) = listed(folder.path(), &["--rows", "3", "--cols", "4", "--pairs", "--list"]);
    let pairs: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&pairs["max_shortest"], &pairs["max_shortest_count"]), (&json!(13), &json!(8)));
    assert_eq!(pairs["files"][0], "boards-3x4-pairs/3x4-pairs-longest-1.txt");
    let shown = |kind: &str| pairs[kind].as_array().unwrap().len();
    let of_pairs = pairs["files"].as_array().unwrap();
    assert_eq!(of_pairs.len(), shown("max_shortest_masks") + shown("max_shortest_unique_masks"));
    for (answer, file) in files.iter().map(|file| (&answer, file)).chain(of_pairs.iter().map(|file| (&pairs, file))) {
        let unique = file.as_str().unwrap().contains("unique");
        let path = folder.path().join(file.as_str().unwrap());
        let (code, path) = object(&["path", "--board", path.to_str().unwrap()]);
        assert_eq!(code, 0);
        assert_eq!(path["length"], answer[if unique { "max_shortest_unique" } else { "max_shortest" }]);
        assert!(!unique || path["unique"] == true);
    }
    // None is written where none is asked for.
    let (_, stdout, _) = listed(folder.path(), &["--rows", "3", "--cols", "3"]);
    assert!(stdout.contains("\"files\":[]") && stdout.contains("\"max_shortest_masks\":[511]"), "{stdout}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// `boards` run in a folder.
fn listed(folder: &std::path::Path, arguments: &[&str]) -> (i32, String, String) {
    let output = gpu_solve(&[&["braincube", "boards", "--format", "json"], arguments].concat())
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn ranges_add_up_and_a_range_without_a_solution_exits_with_1() {
    let (_, whole) = object(&["boards", "--rows", "3", "--cols", "5", "--pairs"]);
    let part = |range: &str| object(&["boards", "--rows", "3", "--cols", "5", "--pairs", "--range", range]).1;
    let (low, high) = (part("..12345"), part("12345.."));
    for field in ["masks", "solvable", "unique"] {
        assert_eq!(low[field].as_u64().unwrap() + high[field].as_u64().unwrap(), whole[field].as_u64().unwrap());
    }
    assert_eq!(whole["max_shortest_masks"][0]["start"].as_str().map(|start| &start[..1]), Some("u"));
    let (code, text, _) = braincube(&["boards", "--rows", "4", "--cols", "4", "--range", "0..100"]);
    assert_eq!(code, 1);
    assert!(text.contains("0 with a solution"), "{text}");
}

#[test]
fn boards_hold_lockstep_on_every_adapter() {
    for adapter in adapters() {
        let backend = adapter.description.backend.name();
        for size in [["--rows", "4", "--cols", "5"], ["--rows", "3", "--cols", "4"]] {
            let (code, answer) = object(&[&["boards", "--backend", backend, "--lockstep"], &size[..]].concat());
            assert_eq!((code, &answer["lockstep"]), (0, &json!(true)));
            let (_, alone) = object(&[&["boards", "--backend", "cpu"], &size[..]].concat());
            for field in ["solvable", "unique", "digest", "histogram", "max_shortest_masks"] {
                assert_eq!(answer[field], alone[field], "{field}");
            }
        }
    }
}

#[test]
fn boards_out_of_range_are_refused() {
    for (arguments, expected) in [
        (&["boards", "--rows", "9", "--cols", "8"][..], "more than 64 squares"),
        (&["boards", "--rows", "8", "--cols", "7", "--pairs"], "54 squares, which is the most with --pairs"),
        (&["boards", "--rows", "0", "--cols", "7"], "at least 1"),
        (&["boards", "--rows", "2", "--cols", "2", "--range", "0..17"], "0..16"),
        (&["boards", "--rows", "2"], "--cols"),
    ] {
        let (code, _, told) = braincube(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_stage_is_solved_with_its_rolls_moves_and_number_of_solutions() {
    let stages: Value = serde_json::from_str(&super::data("stages.json")).unwrap();
    // The stage with a splitter whose cubes have to be exchanged.
    let stage = &stages["stages"][5];
    let (_folder, name) = file("split.json", &stage.to_string());
    let (code, answer) = object(&["stage", &name]);
    assert_eq!(code, 0);
    for (field, value) in [
        ("format", json!("gpu-solve/1")),
        ("command", json!("braincube stage")),
        ("solvable", json!(true)),
        ("rolls", json!(16)),
        ("moves", json!(17)),
        ("reachable", json!(497)),
        ("backend", json!("cpu")),
    ] {
        assert_eq!(answer[field], value, "{field}");
    }
    assert!(answer["solutions"].is_string());
    assert_eq!(answer["solution"].as_str().unwrap().len(), 17);
    let (_, text, _) = braincube(&["stage", &name, "--steps"]);
    assert!(text.contains("\n17. ") && text.contains("least moves: 17"), "{text}");
}

#[test]
fn a_stage_without_a_solution_exits_with_1() {
    let (_folder, name) = file("wall.txt", "S##.\n...T\n");
    let (code, answer) = object(&["stage", &name]);
    assert_eq!((code, &answer["solvable"], &answer["moves"]), (1, &json!(false), &Value::Null));
    let (code, text, _) = braincube(&["stage", &name]);
    assert_eq!(code, 1);
    assert!(text.contains("no solution"), "{text}");
}

#[test]
fn a_stage_goes_from_any_format_to_any_that_holds_it() {
    let (_folder, name) = file("plain.txt", "S###\n##o#\n###T\n");
    let (_, before) = object(&["stage", &name]);
    for format in ["json", "grid", "epfl", "bneils"] {
        let (code, written, _) = braincube(&["convert", &name, "--to", format]);
        assert_eq!(code, 0);
        let (_folder, copy) = file("copy.txt", &written);
        let (_, after) = object(&["stage", &copy]);
        assert_eq!(after["moves"], before["moves"], "{format}");
        assert_eq!(after["solutions"], before["solutions"], "{format}");
    }
    let (code, _, told) = braincube(&["convert", "--builtin", "10", "--to", "epfl"]);
    assert_eq!(code, 2);
    assert!(told.contains("the format epfl can't hold this stage"), "{told}");
    let (code, _, told) = braincube(&["convert", &name, "--to", "json", "--output", &name]);
    assert_eq!(code, 2);
    assert!(told.contains("is there already"), "{told}");
}

#[test]
fn a_generated_stage_is_the_same_again_and_as_long_as_asked_for() {
    let wishes = [
        "generate",
        "--rows",
        "5",
        "--cols",
        "7",
        "--seed",
        "3",
        "--switches",
        "2",
        "--bridges",
        "2",
        "--length",
        "12",
        "--unique",
    ];
    let (code, written, told) = braincube(&wishes);
    assert_eq!(code, 0, "{told}");
    assert_eq!(braincube(&wishes).1, written);
    let (_folder, name) = file("made.json", &written);
    let (_, answer) = object(&["stage", &name]);
    assert!(answer["moves"].as_u64().unwrap() >= 12);
    assert_eq!(answer["solutions"], "1");
}

#[test]
fn stages_that_cannot_be_are_refused() {
    let (_folder, ragged) = file("ragged.txt", "S##\n##\n");
    for (arguments, expected) in [
        (&["stage", &ragged][..], "line 2, column 3"),
        (&["stage", "/nowhere/at-all.txt"], "reading a stage from /nowhere/at-all.txt"),
        (&["stage", "--builtin", "11"], "built-in stages are 1 to 10"),
        (&["stage", "--builtin", "0"], "built-in stages are 1 to 10"),
        (&["stage"], "FILE"),
        (&["generate", "--rows", "2", "--cols", "2", "--bridges", "9"], "too few"),
        (&["generate", "--rows", "5", "--cols", "5", "--switches", "1"], "--bridges"),
        (&["generate", "--rows", "65", "--cols", "5"], "out of range"),
        (&["play", "--builtin", "1"], "terminal"),
    ] {
        let (code, _, told) = braincube(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(told.contains(expected), "{told}");
    }
    let (code, _, told) = braincube(&["generate", "--rows", "2", "--cols", "3", "--length", "50", "--trials", "20"]);
    assert_eq!(code, 1);
    assert!(told.contains("no stage with a solution of 50 moves"), "{told}");
}
