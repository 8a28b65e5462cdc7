//! What a user types after `gpu-solve braincube`.

use serde_json::{Value, json};

use super::expected::cases;
use crate::cli::{gpu_solve, json as run_json, run};
use crate::support::adapters;

fn braincube(arguments: &[&str]) -> (i32, String, String) {
    run(&[&["braincube"], arguments].concat())
}

fn object(arguments: &[&str]) -> (i32, Value) {
    run_json(&[&["braincube"], arguments].concat())
}

/// A board file in a folder of its own.
fn file(content: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board.txt");
    std::fs::write(&path, content).unwrap();
    let name = path.to_str().unwrap().to_owned();
    (folder, name)
}

#[test]
fn the_posters_board_has_two_shortest_ways() {
    let (code, answer) = object(&["path", "--rows", "3", "--cols", "3", "--all"]);
    assert_eq!(code, 0);
    for (field, value) in [
        ("format", json!("gpu-solve/1")),
        ("command", json!("braincube path")),
        ("rows", json!(3)),
        ("cols", json!(3)),
        ("start", json!("u1")),
        ("goal", json!("u9")),
        ("solvable", json!(true)),
        ("length", json!(8)),
        ("cost", json!(8)),
        ("shortest_paths", json!("2")),
        ("unique", json!(false)),
        ("path", json!("RDDLURRD")),
        ("labels", json!(["u1", "h4", "h5", "h6", "u7", "v1", "v2", "v3", "u9"])),
        ("paths", json!(["RDDLURRD", "DRRULDDR"])),
        ("backend", json!("cpu")),
        ("lockstep", json!(false)),
    ] {
        assert_eq!(answer[field], value, "{field}");
    }
    assert!(answer["seconds"].as_f64().unwrap() >= 0.0);
    let (code, text, _) = braincube(&["path", "--rows", "3", "--cols", "4"]);
    assert_eq!(code, 0);
    assert!(text.contains("the only shortest way\nRDDR\n"), "{text}");
}

#[test]
fn a_goal_out_of_reach_is_answered_with_both_components_and_exit_code_1() {
    let (code, text, _) = braincube(&["path", "--rows", "3", "--cols", "3", "--goal", "u5"]);
    assert_eq!(code, 1);
    assert!(text.contains("u1 lies in component 1 (20 states: u1 u2"), "{text}");
    assert!(text.contains("u5 lies in component 2 (1 state: u5)"), "{text}");
    let (code, answer) = object(&["path", "--rows", "3", "--cols", "3", "--goal", "u:1,1"]);
    assert_eq!(code, 1);
    assert_eq!(answer["solvable"], false);
    assert_eq!((&answer["length"], &answer["path"]), (&Value::Null, &Value::Null));
    assert_eq!((&answer["shortest_paths"], &answer["unique"]), (&json!("0"), &json!(false)));
    assert_eq!(answer["start_component"]["size"], 20);
    assert_eq!(answer["goal_component"], json!({ "component": 2, "size": 1, "members": ["u5"] }));
}

#[test]
fn costs_by_kind_are_exact_decimals() {
    let costs = "tip=1,stand=0.5,roll=0.05";
    let (code, answer) = object(&["path", "--rows", "3", "--cols", "3", "--cost", costs]);
    assert_eq!(code, 0);
    // Two tips, two stands and four rolls: u1 h4 h5 h6 u7 v1 v2 v3 u9.
    assert_eq!(answer["cost"], 3.2);
    assert_eq!(answer["costs"], json!({ "tip": 1, "stand": 0.5, "roll": 0.05 }));
    let (_, text, _) = braincube(&["path", "--rows", "3", "--cols", "3", "--cost", costs]);
    assert!(text.starts_with("u1 to u9: 8 moves, cost 3.2\n2 cheapest ways\n"), "{text}");
}

#[test]
fn a_list_of_ways_says_how_many_it_leaves_out() {
    let (_, text, _) = braincube(&["path", "--rows", "40", "--cols", "40", "--all", "--list", "3"]);
    assert!(text.contains("10,400,600 shortest ways\n"), "{text}");
    assert!(text.contains("… and 10,400,597 more\n"), "{text}");
}

/// Every case through the command line, its board as a file in both formats.
#[test]
fn every_case_is_answered_from_a_board_file_in_either_format() {
    for case in cases() {
        let (name, expect) = (case["name"].as_str().unwrap(), &case["expect"]);
        let side = |what: &str| usize::try_from(case["board"][what].as_u64().unwrap()).unwrap();
        let grid: Vec<String> = match case["board"]["grid"].as_array() {
            Some(lines) => lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect(),
            None => vec!["#".repeat(side("cols")); side("rows")],
        };
        let state = |end: &str| {
            let end = &case[end];
            format!("{}:{},{}", end["kind"].as_str().unwrap(), end["row"], end["col"])
        };
        let (start, goal) = (state("start"), state("goal"));
        let text = grid.join("\n");
        for content in [text.clone(), text.replace('#', "o").replace('.', "-")] {
            let (_folder, path) = file(content.as_bytes());
            let arguments = ["path", "--board", &path, "--start", &start, "--goal", &goal];
            if expect["start_valid"] == false || expect["goal_valid"] == false {
                let (code, _, stderr) = braincube(&arguments);
                assert_eq!(code, 2, "{name}");
                assert!(stderr.contains("lies over the hole at row"), "{name}: {stderr}");
                continue;
            }
            let (code, answer) = object(&arguments);
            assert_eq!(code, i32::from(expect["solvable"] == false), "{name}");
            for (field, expected) in [
                ("solvable", "solvable"),
                ("length", "length"),
                ("shortest_paths", "shortest_paths"),
                ("unique", "unique"),
                ("path", "one_path"),
                ("start", "start_label"),
                ("goal", "goal_label"),
                ("states", "states"),
            ] {
                assert_eq!(answer[field], expect[expected], "{name}: {field}");
            }
        }
    }
}

#[test]
fn the_epfl_terrain_with_its_start_and_goal_is_solved() {
    let (_folder, path) = file(b"ooo-------\noSoooo----\nooooooooo-\n-ooooooooo\n-----ooToo\n------ooo-\n");
    let (code, answer) = object(&["path", "--board", &path]);
    assert_eq!(code, 0);
    // Level 1 of the game, in seven moves as is well known.
    assert_eq!((&answer["start"], &answer["goal"], &answer["length"]), (&json!("u12"), &json!("u48"), &json!(7)));
    let (code, _, stderr) = braincube(&["path", "--board", &path, "--board-format", "grid"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("line 1, column 1: 'o' in a grid"), "{stderr}");
    let mut stdin = gpu_solve(&["braincube", "path", "--board", "-"]);
    assert!(stdin.write_stdin("S##T").output().unwrap().status.success());
}

#[test]
fn each_wrong_input_gets_a_message_with_its_place() {
    let big = vec![b'#'; 100 << 20];
    for (content, parts) in [
        (&b"###\n##\n"[..], &["line 2, column 3", "2 squares", "line 1 has 3"][..]),
        (b"S##\n#S#\n", &["line 2, column 2", "a second S", "line 1, column 1"]),
        (b"###\n#?#\n", &["line 2, column 2", "'?'", "S##.T"]),
        (b"###\n\n###\n", &["line 2, column 1", "empty line"]),
        (b"##\noo\n", &["line 2, column 1", "EPFL"]),
        (b"", &["no board in it"]),
        (b"\x00\x01\x02\xff", &["line 1, column 1", "the byte 0x00"]),
        (&big, &["too large", "4096×4096"]),
        (b".##\n###\n", &["the start: u1 (the default) lies over the hole at row 0, column 0", "--start u2"]),
        (b"S##\n##.\n", &["the goal: u6 (the default) lies over the hole at row 1, column 2"]),
    ] {
        let (_folder, path) = file(content);
        let begun = std::time::Instant::now();
        let (code, stdout, stderr) = braincube(&["path", "--board", &path]);
        assert_eq!((code, &*stdout), (2, ""), "{stderr}");
        for part in parts.iter().chain(&["board.txt"][..usize::from(!parts[0].contains("the "))]) {
            assert!(stderr.contains(part), "{part:?} in {stderr}");
        }
        assert!(begun.elapsed().as_secs() < 20);
    }
    for (arguments, parts) in [
        (&["path", "--rows", "3", "--cols", "3", "--start", "x1"][..], &["--start x1", "u1, h4 or v2"][..]),
        (&["path", "--rows", "3", "--cols", "3", "--start", "u0"], &["\"u0\" is not a state"]),
        (&["path", "--rows", "3", "--cols", "3", "--goal", "u10"], &["u10 is past the last one", "u1 to u9"]),
        (&["path", "--rows", "3", "--cols", "3", "--goal", "h7"], &["h1 to h6"]),
        (&["path", "--rows", "3", "--cols", "3", "--goal", "v:2,0"], &["rows go from 0 to 1"]),
        (&["path", "--rows", "1", "--cols", "3", "--goal", "v1"], &["does not fit"]),
        (&["path", "--rows", "0", "--cols", "3"], &["0×3", "1 to 4096"]),
        (&["path", "--rows", "4097", "--cols", "3"], &["4097×3", "1 to 4096"]),
        (&["path", "--rows", "99999999999", "--cols", "3"], &["1 to 4096"]),
        (&["path", "--rows", "3"], &["--cols"]),
        (&["path"], &["--rows", "--board"]),
        (&["path", "--board", "/no/such/file"], &["/no/such/file"]),
        (&["path", "--rows", "3", "--cols", "3", "--cost", "tip"], &["\"tip\" is not KIND=COST"]),
        (
            &["path", "--rows", "3", "--cols", "3", "--cost", "fly=1"],
            &["\"fly\" is no kind of move", "tip, stand or roll"],
        ),
        (&["path", "--rows", "3", "--cols", "3", "--cost", "tip=1,tip=2"], &["tip is given twice"]),
        (&["path", "--rows", "3", "--cols", "3", "--cost", "tip=-1"], &["\"-1\" is not a cost"]),
        (&["path", "--rows", "3", "--cols", "3", "--cost", "tip=0"], &["costs are above 0"]),
        (&["path", "--rows", "3", "--cols", "3", "--cost", "tip=0.00000000000000001"], &["too many digits"]),
        (&["walk", "--rows", "3", "--cols", "3", "--tolerance", "0"], &["1e-20 to 1e-2"]),
        (&["walk", "--rows", "300", "--cols", "300", "--exact"], &["past the limit"]),
        (&["walk", "--rows", "3", "--cols", "3", "--format", "csv"], &["text or json"]),
        (&["path", "--rows", "3", "--cols", "3", "--format", "dot"], &["text or json"]),
        (&["graph", "--rows", "3", "--cols", "3", "--format", "csv"], &["text or json or dot"]),
        (&["adjacency", "--rows", "90", "--cols", "90", "--format", "csv"], &["up to 5000 states"]),
        (&["show", "--rows", "3", "--cols", "3", "--moves", "RX"], &["letter 2 is 'X'"]),
        (&["show", "--rows", "3", "--cols", "3", "--moves", "RR"], &["move 2 (R) is illegal", "h4"]),
        (&["show", "--rows", "300", "--cols", "3"], &["too large to draw"]),
        (&["graph", "--rows", "3", "--cols", "3", "--lockstep"], &["CPU only"]),
    ] {
        let (code, stdout, stderr) = braincube(arguments);
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{arguments:?}: {part:?} in {stderr}");
        }
    }
}

#[test]
fn walks_are_answered_as_numbers_and_as_fractions() {
    let (code, answer) = object(&["walk", "--rows", "4", "--cols", "4", "--exact"]);
    assert_eq!((code, &answer["exact"], &answer["command"]), (0, &json!("8650/109"), &json!("braincube walk")));
    let (_, answer) = object(&["walk", "--rows", "4", "--cols", "4", "--fall", "--exact"]);
    assert_eq!(answer["win_probability_exact"], "5004205/292476397");
    assert_eq!(answer["fall_probability_exact"], "287472192/292476397");
    assert_eq!(answer["expected_moves_fall_exact"], "778458576/292476397");
    for solver in ["direct", "cg"] {
        let (code, answer) = object(&["walk", "--rows", "5", "--cols", "5", "--solver", solver]);
        assert_eq!((code, &answer["states"], &answer["exact"]), (0, &json!(65), &Value::Null));
        assert!((answer["expected_moves"].as_f64().unwrap() - 304_750.0 / 1667.0).abs() < 1e-10);
        assert!(answer["expected_moves_relative_error"].as_f64().unwrap() <= 1e-10);
        assert!(answer["residual"].as_f64().unwrap() <= 1e-10);
        assert!(answer["solver"].as_str().unwrap().starts_with(solver));
        assert!(answer["return_time"]["gap"].as_f64().unwrap() < 1e-9);
        let (_, answer) = object(&["walk", "--rows", "5", "--cols", "5", "--solver", solver, "--fall"]);
        assert!((answer["win_probability"].as_f64().unwrap() - 133_753.0 / 77_156_681.0).abs() < 1e-13);
        assert!((answer["expected_moves_fall"].as_f64().unwrap() - 2.880_120_521_513_879).abs() < 1e-11);
    }
}

#[test]
fn a_walk_that_cannot_arrive_has_an_infinite_expectation() {
    for more in [&[][..], &["--exact"]] {
        let arguments = [&["walk", "--rows", "3", "--cols", "3", "--goal", "u5"], more].concat();
        let (code, answer) = object(&arguments);
        assert_eq!((code, &answer["expected_moves"]), (1, &json!("infinite")));
        assert!(braincube(&arguments).1.contains("infinite: the goal can't be reached"));
    }
    let (code, answer) = object(&["walk", "--rows", "3", "--cols", "3", "--goal", "u5", "--fall", "--exact"]);
    assert_eq!((code, &answer["win_probability_exact"]), (1, &json!("0")));
    assert_eq!(answer["expected_moves_fall_exact"], "184/89");
}

#[test]
fn the_distribution_after_some_moves_is_whole() {
    let (code, answer) = object(&["walk", "--rows", "4", "--cols", "4", "--steps", "4"]);
    assert_eq!(code, 0);
    assert!((answer["at_goal"].as_f64().unwrap() - 1.0 / 18.0).abs() < 1e-15);
    let sum: f64 = answer["distribution"].as_object().unwrap().values().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-14);
    let (_, answer) = object(&["walk", "--rows", "4", "--cols", "4", "--steps", "4", "--fall"]);
    assert_eq!((&answer["won_by"], &answer["fallen_by"]), (&json!(2f64.powi(-7)), &json!(0.820_312_5)));
}

#[test]
fn the_graph_is_printed_as_a_list_as_dot_and_as_json() {
    let (_, text, _) = braincube(&["graph", "--rows", "3", "--cols", "3"]);
    assert!(text.starts_with("3×3 board: 21 states, 20 edges\nu1: R h4 D v4\n"), "{text}");
    assert!(text.contains("\nh2: R u6 U h1 D h3\n"), "{text}");
    let (_, dot, _) = braincube(&["graph", "--rows", "3", "--cols", "3", "--format", "dot"]);
    assert!(dot.starts_with("graph braincube {") && dot.trim_end().ends_with('}'), "{dot}");
    assert_eq!(dot.matches(" -- ").count(), 20);
    let (_, answer) = object(&["graph", "--rows", "3", "--cols", "3"]);
    assert_eq!((&answer["states"], &answer["edges"]), (&json!(21), &json!(20)));
    let h2 = answer["adjacency"].as_array().unwrap().iter().find(|entry| entry["state"] == "h2").unwrap();
    assert_eq!(h2["moves"], json!({ "R": "u6", "U": "h1", "D": "h3" }));
    let (_, answer) = object(&["components", "--rows", "3", "--cols", "3"]);
    assert_eq!((&answer["sizes"], &answer["members"][1]), (&json!([20, 1]), &json!(["u5"])));
    let (_, text, _) = braincube(&["components", "--rows", "3", "--cols", "3", "--list", "1"]);
    assert_eq!(text, "2 components of 21 states\n1: 20 states: u1 … and 19 more\n… and 1 more components\n");
}

#[test]
fn matrices_are_printed_for_other_tools() {
    let (_, market, _) = braincube(&["adjacency", "--rows", "3", "--cols", "3", "--format", "matrix-market"]);
    let lines: Vec<&str> = market.lines().filter(|line| !line.starts_with("% ")).collect();
    assert_eq!(lines[..2], ["%%MatrixMarket matrix coordinate pattern symmetric", "21 21 20"]);
    assert_eq!(lines.len(), 22);
    let (_, csv, _) = braincube(&["transition", "--rows", "3", "--cols", "3", "--format", "csv"]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == 22 && rows.iter().all(|row| row.len() == 22));
    for row in &rows[1..] {
        let sum: f64 = row[1..].iter().map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((sum - f64::from(u8::from(row[0] != "u5"))).abs() < 1e-15, "{row:?}");
    }
    let (_, answer) = object(&["transition", "--rows", "1", "--cols", "4", "--fall"]);
    assert_eq!(
        answer["entries"],
        json!([
            [0, 5, 0.25],
            [1, 6, 0.25],
            [2, 4, 0.25],
            [3, 5, 0.25],
            [4, 2, 0.25],
            [5, 0, 0.25],
            [5, 3, 0.25],
            [6, 1, 0.25]
        ])
    );
}

#[test]
fn pictures_show_the_block_on_its_way() {
    let (_, text, _) = braincube(&["show", "--rows", "3", "--cols", "3", "--moves", "rd"]);
    assert_eq!(text, "u1\n■ □ □\n□ □ □\n□ □ □\n\n1. R to h4\n□ ■ ■\n□ □ □\n□ □ □\n\n2. D to h5\n□ □ □\n□ ■ ■\n□ □ □\n");
    let (_folder, path) = file(b"S##.\n####\n#.#T\n");
    assert_eq!(braincube(&["show", "--board", &path]).1, "□ □ □ ·\n□ □ □ □\n□ · □ □\n");
    let (code, text, _) = braincube(&["show", "--rows", "3", "--cols", "4", "--solution"]);
    assert_eq!((code, text.matches(" to ").count()), (0, 4));
    assert_eq!(braincube(&["show", "--rows", "3", "--cols", "3", "--goal", "u5", "--solution"]).0, 1);
    let (_, coloured, _) = braincube(&["show", "--rows", "2", "--cols", "2", "--state", "u1", "--color", "always"]);
    assert!(coloured.contains("\u{1b}["), "{coloured:?}");
}

#[test]
fn the_formula_says_where_it_holds_and_is_checked_on_request() {
    let (code, answer) = object(&["formula", "--rows", "90", "--cols", "90", "--check"]);
    assert_eq!((code, &answer["checked"], &answer["length"]), (0, &json!(true), &json!(120)));
    assert!(answer["shortest_paths"].as_str().unwrap().parse::<u64>().is_err(), "past 64 bits");
    let (code, text, _) = braincube(&["formula", "--rows", "2", "--cols", "5", "--check"]);
    assert_eq!(code, 1);
    assert!(text.contains("no way") && text.contains("else no solution") && text.contains("equal"), "{text}");
}

#[test]
fn frontiers_and_cycles_on_every_adapter_agree_with_the_cpu() {
    for adapter in adapters() {
        let index = adapter.description.index.to_string();
        let on = |arguments: &[&str]| object(&[arguments, &["--adapter", &index, "--lockstep"]].concat());
        for arguments in [
            &["path", "--rows", "61", "--cols", "45"][..],
            &["path", "--rows", "20", "--cols", "31", "--cost", "roll=1.25,tip=2"],
        ] {
            let (code, answer) = on(arguments);
            let (_, cpu) = object(&[arguments, &["--backend", "cpu"]].concat());
            assert_eq!((code, &answer["lockstep"]), (0, &json!(true)));
            for field in ["length", "cost", "shortest_paths", "path", "settled"] {
                assert_eq!(answer[field], cpu[field], "{field}");
            }
        }
        for fall in [&[][..], &["--fall"]] {
            let walk = [&["walk", "--rows", "60", "--cols", "50", "--solver", "cg"], fall].concat();
            let (code, answer) = on(&walk);
            let (_, cpu) = object(&[&walk[..], &["--backend", "cpu"]].concat());
            assert_eq!((code, &answer["lockstep"]), (0, &json!(true)));
            let field = if fall.is_empty() { "expected_moves" } else { "win_probability" };
            let (device, cpu) = (answer[field].as_f64().unwrap(), cpu[field].as_f64().unwrap());
            assert!((device - cpu).abs() <= 1e-9 * cpu, "{device} {cpu}");
        }
        let (code, _, stderr) =
            braincube(&["walk", "--rows", "4", "--cols", "4", "--solver", "cg", "--adapter", &index, "--lockstep"]);
        assert_eq!(code, 2);
        assert!(stderr.contains("compared nothing"), "{stderr}");
    }
}
