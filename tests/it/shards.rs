//! `brainball distribution --shard`: several processes on one checkpoint.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_gpu-solve");

fn shard(folder: &Path, goal: &str, tiles: &str, part: &str) -> Command {
    let mut command = Command::new(BINARY);
    command
        .args(["brainball", "distribution", "--format", "json", "--backend", "cpu", "--threads", "1"])
        .args(["--goal", goal, "--tiles", tiles, "--shard", part, "--checkpoint"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What does not depend on who did it: layers with their digests, the greatest distance, and who attains it.
fn told(child: Child) -> (Vec<(Value, Value, Value)>, Value, Value) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let layers = answer["layers"].as_array().unwrap();
    let layers =
        layers.iter().map(|layer| (layer["depth"].clone(), layer["states"].clone(), layer["digest"].clone())).collect();
    (layers, answer["greatest"].clone(), answer["antipodes"].clone())
}

fn alone(goal: &str, tiles: &str) -> (Vec<(Value, Value, Value)>, Value, Value) {
    let folder = tempfile::tempdir().unwrap();
    told(shard(folder.path(), goal, tiles, "1/1").spawn().unwrap())
}

/// Without the second the others wait, so the third is under way when it is killed, whenever that is.
#[test]
fn three_processes_one_of_them_killed_and_run_again_find_what_one_finds() {
    for (goal, tiles) in [("ring", "9"), ("fixed", "7")] {
        let expected = alone(goal, tiles);
        let folder = tempfile::tempdir().unwrap();
        let first = shard(folder.path(), goal, tiles, "1/3").spawn().unwrap();
        for wait in [0, 40, 150, 400] {
            let mut third = shard(folder.path(), goal, tiles, "3/3").spawn().unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            assert!(third.try_wait().unwrap().is_none(), "the third did not wait for the second");
            third.kill().unwrap();
            third.wait().unwrap();
        }
        let others = ["2/3", "3/3"].map(|part| shard(folder.path(), goal, tiles, part).spawn().unwrap());
        assert_eq!(told(first), expected);
        for other in others {
            assert_eq!(told(other), expected);
        }
    }
}

#[test]
fn a_shard_that_waits_obeys_its_time_limit_and_keeps_others_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut waiting = shard(folder.path(), "ring", "7", "1/2").args(["--time-limit", "20s"]).spawn().unwrap();
    // Until it has the folder.
    while !folder.path().join("shard-1-of-2.lock").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let refused = |command: &mut Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&mut shard(folder.path(), "ring", "7", "1/2")).contains("in use by another run"));
    let mut single = Command::new(BINARY);
    single.args(["brainball", "distribution", "--goal", "ring", "--tiles", "7", "--checkpoint"]).arg(folder.path());
    assert!(refused(&mut single).contains("in use by another run"));
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    let told = refused(shard(folder.path(), "ring", "7", "1/2").args(["--time-limit", "0.3s"]));
    assert!(told.contains("--time-limit reached"), "{told}");
}
