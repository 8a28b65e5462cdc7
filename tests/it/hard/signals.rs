//! Interrupts, terminations and kills at random moments of every long command.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use gpu_solve::search::index::record;
use serde_json::Value;

use super::*;

/// A search that was asked to stop does so within this, on a machine however busy.
const PROMPT: Duration = Duration::from_secs(60);

/// Pseudo-random moments, the same in every run.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis((self.0 >> 33) % below)
    }
}

/// Starts a command and waits until it says that it has begun.
fn started(arguments: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gpu-solve"))
        .env_remove("WGPU_BACKEND")
        .env_remove("WGPU_ADAPTER_NAME")
        .args(arguments)
        .args(["--progress", "json"])
        .args(if arguments.contains(&"generate") { &[] } else { &["--format", "json"][..] })
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("\"event\":\"begin\""), "{line}");
    (child, stderr)
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The exit code, stdout and the last line of stderr of a child that was sent a signal.
fn stopped(mut child: Child, mut stderr: BufReader<std::process::ChildStderr>) -> (Option<i32>, String, String) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PROMPT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not stop within {PROMPT:?}");
        }
        sleep(Duration::from_millis(20));
    }
    let (mut stdout, mut told) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    stderr.read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), stdout, told.lines().last().unwrap_or_default().to_owned())
}

/// A stage of many bridges, each with a switch: millions of states.
fn a_long_stage(folder: &Path) -> String {
    let side = 30;
    let grid: Vec<String> = (0..side)
        .map(|row| {
            (0..side)
                .map(|col| {
                    if (row, col) == (25, 25) {
                        'G'
                    } else if row == 2 && col < 22 {
                        's'
                    } else if row == 0 && col > 7 {
                        '-'
                    } else {
                        '#'
                    }
                })
                .collect()
        })
        .collect();
    let switches: Vec<Value> = (0..22)
        .map(|number| {
            serde_json::json!({ "at": [2, number], "kind": "soft", "effects": [{ "op": "toggle", "cells": [[0, number + 8]] }] })
        })
        .collect();
    let stage = serde_json::json!({
        "format": "gpu-solve-level/1", "grid": grid, "start": { "kind": "u", "at": [29, 29] }, "switches": switches,
    });
    let path = folder.join("long.json");
    fs::write(&path, stage.to_string()).unwrap();
    text(&path).to_owned()
}

#[test]
fn every_long_command_ends_with_130_soon_after_it_is_asked_to() {
    let folder = folder("asked");
    let stage = a_long_stage(&folder);
    let rows = folder.join("rows");
    let mut moments = Moments(7);
    for arguments in [
        &["billiard", "--solver", "brute-force"][..],
        &["billiard", "--order", "11", "--max", "100", "--count"],
        &["billiard", "minimum", "--order", "11"],
        &["billiard", "sequence", "--to", "12"],
        &["billiard", "estimate", "--order", "11", "--max", "100", "--sample", "100"],
        &["brainball", "layers", "--goal", "ring", "--depth", "11"],
        &["brainball", "layers", "--goal", "fixed", "--tiles", "11", "--depth", "99"],
        &["brainball", "distribution", "--goal", "ring", "--tiles", "11"],
        &["brainball", "distribution", "--goal", "ring", "--tiles", "11", "--checkpoint", text(&rows)],
        &["brainball", "solve", "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9", "--table-depth", "11", "--no-cache"],
        &["braincube", "boards", "--rows", "6", "--cols", "6", "--pairs"],
        &["braincube", "walk", "--rows", "3000", "--cols", "3000"],
        &["braincube", "stage", &stage],
        &["braincube", "generate", "--rows", "9", "--cols", "9", "--length", "200", "--trials", "100000000"],
    ] {
        for name in ["INT", "TERM"] {
            let arguments = [arguments, &["--backend", "cpu"]].concat();
            let (child, stderr) = started(&arguments);
            sleep(moments.next(600));
            signal(&child, name);
            let (code, stdout, last) = stopped(child, stderr);
            assert_eq!(code, Some(130), "{arguments:?}, SIG{name}: {last}");
            let last: Value = serde_json::from_str(&last).unwrap();
            assert_eq!((&last["event"], &last["exit"]), (&"end".into(), &130.into()), "{arguments:?}: {last}");
            if !stdout.is_empty() {
                let answer: Value = serde_json::from_str(&stdout).unwrap();
                assert_ne!(answer["complete"], true, "{arguments:?}");
            }
        }
    }
}

/// `timeout` sends its signal to the child and then to the child's group.
#[test]
fn two_signals_in_a_moment_are_one_and_lose_nothing() {
    let folder = folder("twice");
    let checkpoint = folder.join("cp.json");
    let search = ["billiard", "--solver", "brute-force", "--backend", "cpu", "--checkpoint"];
    let (child, mut stderr) = started(&[&search[..], &[text(&checkpoint)]].concat());
    let mut line = String::new();
    while !line.contains("\"event\":\"progress\"") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended without any progress");
    }
    signal(&child, "TERM");
    signal(&child, "TERM");
    let (code, stdout, last) = stopped(child, stderr);
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {last}"));
    assert_eq!((code, &answer["complete"]), (Some(130), &Value::from(false)), "{last}");
    assert!(record::load(&checkpoint).is_ok());
}

/// Starts a command six times and ends it at a random moment below so many milliseconds, later by some each time: killed, or by
/// the signal, in turn.
fn ended_again_and_again(search: &[&str], name: &str, moments: (Moments, u64, u64), check: impl Fn()) {
    let (mut moments, below, later) = moments;
    for round in 0..6 {
        let (mut child, stderr) = started(search);
        sleep(moments.next(below) + Duration::from_millis(later * round));
        if round % 2 == 0 {
            child.kill().unwrap();
            child.wait().unwrap();
        } else {
            signal(&child, name);
            let (code, ..) = stopped(child, stderr);
            assert!(code == Some(130) || code == Some(0), "{code:?}");
        }
        check();
    }
}

#[test]
fn the_least_max_is_right_after_kills_at_random_moments() {
    let folder = folder("minimum");
    let checkpoint = folder.join("cp.json");
    let search = [
        "billiard",
        "minimum",
        "--order",
        "9",
        "--backend",
        "cpu",
        "--threads",
        "1",
        "--resume",
        "--checkpoint-every",
        "0",
        "--checkpoint",
        text(&checkpoint),
    ];
    ended_again_and_again(&search, "TERM", (Moments(3), 500, 100), || {
        assert!(!checkpoint.exists() || record::load(&checkpoint).is_ok());
    });
    let ended = run(&[&search[..], &["--format", "json"]].concat());
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &answer["minimum"]), (Some(0), &Value::from(59)), "{}", ended.stderr);
    let tried = answer["maxima"].as_array().unwrap();
    assert!(tried.iter().all(|tried| tried["max"] == 59 || (tried["complete"] == true && tried["count"] == 0)));
    assert_eq!(tried.len(), 59 - 45 + 1);
}

#[test]
fn a_distribution_killed_again_and_again_goes_on_to_the_right_counts() {
    let folder = folder("distribution");
    let rows = folder.join("rows");
    let plain = ["brainball", "distribution", "--goal", "ring", "--tiles", "9", "--backend", "cpu", "--threads", "1"];
    let search = [&plain[..], &["--checkpoint", text(&rows), "--memory", "6MB"]].concat();
    ended_again_and_again(&search, "INT", (Moments(5), 400, 50), || ());
    let answer = |arguments: &[&str]| -> (Value, Vec<Value>) {
        let ended = run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
        let layers = answer["layers"].as_array().unwrap();
        let layers = layers.iter().map(|layer| serde_json::json!([layer["depth"], layer["states"], layer["digest"]]));
        (answer["states"].clone(), layers.collect())
    };
    assert_eq!(answer(&search), answer(&plain));
    // Nothing that was under way is left.
    assert!(names(&rows).iter().all(|name| name.starts_with("row-")), "{:?}", names(&rows));
}

#[test]
fn a_kill_while_a_table_is_made_leaves_none_or_a_whole_one() {
    let folder = folder("table");
    let path = folder.join("table");
    let solve = [
        "brainball",
        "solve",
        "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9",
        "--goal",
        "ring",
        "--table-depth",
        "7",
        "--table",
        text(&path),
        "--backend",
        "cpu",
    ];
    let mut moments = Moments(11);
    for _ in 0..6 {
        let (mut child, _stderr) = started(&solve);
        sleep(moments.next(900));
        child.kill().unwrap();
        child.wait().unwrap();
        let ended = run(&solve);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(!ended.stderr.contains("anew"), "{}", ended.stderr);
        fs::remove_file(&path).unwrap();
    }
}
