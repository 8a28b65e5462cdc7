//! `--progress json`: what a program that watches a run reads.

use serde_json::Value;

use super::cli::gpu_solve;

/// The lines of stderr, each an object. Mesa writes lines of its own where there is no folder for a display's sockets.
fn watched(arguments: &[&str]) -> (i32, Vec<Value>) {
    let mut command = gpu_solve(&[arguments, &["--progress", "json"]].concat());
    let output = command.env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    let (code, stderr) = (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap());
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}, {arguments:?}"));
    (code, stderr.lines().map(parse).collect())
}

/// The fields and their types, as documented.
fn assert_sound(lines: &[Value], command: &str, code: i32) {
    const FIELDS: [&str; 11] =
        ["format", "command", "event", "seconds", "unit", "depth", "done", "total", "found", "text", "exit"];
    let mut before = 0.0;
    for line in lines {
        let fields: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields.len(), FIELDS.len(), "{line}");
        assert!(FIELDS.iter().all(|field| fields.contains(field)), "{line}");
        assert_eq!((&line["format"], &line["command"]), (&"gpu-solve-progress/1".into(), &command.into()));
        let seconds = line["seconds"].as_f64().unwrap();
        assert!(seconds >= before, "{line}");
        before = seconds;
        let is = |name: &str, test: fn(&Value) -> bool| line[name].is_null() || test(&line[name]);
        let whole = |value: &Value| value.is_u64() || value.as_str().is_some_and(|text| text.parse::<u128>().is_ok());
        assert!(["unit", "text"].iter().all(|name| is(name, Value::is_string)), "{line}");
        assert!(["depth", "done", "total", "found", "exit"].iter().all(|name| is(name, whole)), "{line}");
        assert_eq!(line["event"] == "end", !line["exit"].is_null(), "{line}");
    }
    let event = |line: Option<&Value>| line.map(|line| line["event"].clone());
    assert_eq!(event(lines.first()), Some("begin".into()), "{command}");
    assert_eq!(event(lines.last()), Some("end".into()), "{command}");
    assert_eq!(lines.last().unwrap()["exit"], code, "{command}");
    assert_eq!(lines.iter().filter(|line| line["event"] == "begin" || line["event"] == "end").count(), 2, "{command}");
}

fn of<'l>(lines: &'l [Value], event: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["event"] == event).collect()
}

#[test]
fn every_long_command_tells_how_far_it_is_one_object_a_line() {
    for (arguments, command, unit) in [
        (&["billiard", "--order", "8", "--max", "44"][..], "billiard", Some("prefixes")),
        (&["billiard", "--solver", "brute-force", "--order", "4"], "billiard", Some("permutations")),
        (&["billiard", "minimum", "--order", "6"], "billiard minimum", Some("prefixes")),
        (&["billiard", "sequence", "--to", "4"], "billiard sequence", Some("prefixes")),
        (&["billiard", "estimate", "--order", "7", "--max", "33", "--sample", "0.05"], "billiard estimate", None),
        (&["brainball", "layers", "--depth", "4"], "brainball layers", Some("states")),
        (&["brainball", "distribution", "--goal", "ring", "--tiles", "7"], "brainball distribution", Some("rows")),
        (
            &["brainball", "solve", "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9", "--no-cache", "--table-depth", "3"],
            "brainball solve",
            Some("positions"),
        ),
        (&["braincube", "boards", "--rows", "4", "--cols", "4"], "braincube boards", Some("boards")),
        (&["braincube", "walk", "--rows", "30", "--cols", "30"], "braincube walk", None),
        (&["braincube", "stage", "--builtin", "3"], "braincube stage", None),
        (&["adapters"], "adapters", None),
    ] {
        let (code, lines) = watched(&[arguments, &["--verbose"]].concat());
        assert_sound(&lines, command, code);
        let counted: Vec<_> = of(&lines, "progress").into_iter().chain(of(&lines, "layer")).collect();
        if let Some(unit) = unit {
            assert!(counted.iter().any(|line| line["unit"] == unit && !line["done"].is_null()), "{command}: {lines:?}");
        }
        for line in of(&lines, "progress") {
            let number = |name: &str| line[name].as_u64();
            assert!(number("done") <= number("total"), "{line}");
        }
    }
}

#[test]
fn layers_are_told_as_they_are_whole() {
    let (_, lines) = watched(&["brainball", "layers", "--goal", "ring", "--depth", "4", "--backend", "cpu"]);
    let layers: Vec<_> = of(&lines, "layer").iter().map(|line| (line["depth"].clone(), line["done"].clone())).collect();
    let expected =
        [1u64, 13, 143, 1_547, 16_640].iter().zip(0u64..).map(|(states, depth)| (depth.into(), (*states).into()));
    assert_eq!(layers, expected.collect::<Vec<(Value, Value)>>());
}

#[test]
fn what_else_is_said_is_json_too_and_quiet_keeps_progress_alone() {
    let (code, lines) = watched(&["billiard", "--backend", "cpu"]);
    assert_sound(&lines, "billiard", code);
    assert!(of(&lines, "say").iter().any(|line| line["text"].as_str().unwrap().starts_with("backend: cpu")));
    let (_, lines) = watched(&["billiard", "--backend", "cpu", "-q"]);
    assert!(of(&lines, "say").is_empty() && !of(&lines, "progress").is_empty(), "{lines:?}");
    // An error is the text of the end.
    let (code, lines) = watched(&["billiard", "--order", "0"]);
    assert_sound(&lines, "billiard", 2);
    assert_eq!(code, 2);
    assert!(lines.last().unwrap()["text"].as_str().unwrap().contains("1 or more"), "{lines:?}");
    // None exists: no error.
    let (code, lines) = watched(&["billiard", "--order", "6", "--max", "21", "--backend", "cpu"]);
    assert_sound(&lines, "billiard", code);
    assert_eq!((code, &lines.last().unwrap()["text"]), (1, &Value::Null));
}

#[test]
fn progress_comes_at_most_twice_a_second() {
    let (_, lines) = watched(&["billiard", "--order", "9", "--max", "58", "--count", "--backend", "cpu"]);
    let times: Vec<_> = of(&lines, "progress").iter().map(|line| line["seconds"].as_f64().unwrap()).collect();
    let length = lines.last().unwrap()["seconds"].as_f64().unwrap();
    // The last one is what was held back.
    assert!(times.len() as f64 <= 2.0 * length + 2.0, "{} lines in {length} s", times.len());
    assert!(!times.is_empty());
}
