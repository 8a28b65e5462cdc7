//! All boards of a size in parts: stopped and taken up again, killed, sharded and merged.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gpu_solve::puzzles::braincube::boards::Boards;
use gpu_solve::puzzles::index_space::{IndexSpace, Tally};
use gpu_solve::search::index::engine::{Opener, walk_parallel};
use gpu_solve::search::index::range::{Event, Plan};
use gpu_solve::search::index::record::{Job, Record, load};
use gpu_solve::search::index::session::{How, Session};
use serde_json::{Value, json};

use crate::cli::{json as run_json, run};
use crate::support::{Shared, devices, text};

const BINARY: &str = env!("CARGO_BIN_EXE_gpu-solve");
/// What is the same however a run was cut.
const SAME: [&str; 9] = [
    "masks",
    "solvable",
    "unique",
    "max_shortest",
    "max_shortest_count",
    "max_shortest_masks",
    "max_shortest_unique_masks",
    "histogram",
    "digest",
];

fn object(arguments: &[&str]) -> (i32, Value) {
    run_json(&[&["braincube"], arguments].concat())
}

/// Searches, stopping after so many batches, and gives the record.
fn go_on(space: &Boards, path: &Path, opener: Option<&dyn Opener>, batches: usize) -> Record {
    let stop = AtomicBool::new(false);
    let job = Job { command: "boards".to_owned(), parameters: [].into(), size: space.size() };
    let mut session = Session::open(Some(path), Duration::ZERO, true).unwrap();
    let at = session.record(&Record::new(job, 0..space.size()), &[]).unwrap();
    let plan = Plan { space, range: 0..space.size(), device: opener, lockstep: false, keep: 0, stop: &stop };
    let how = How { fleet: &[], device: "test", deadline: None, first: false };
    let mut left = batches;
    session
        .run(at, &plan, &how, &mut |event| {
            if matches!(event, Event::Batch(_)) {
                left = left.saturating_sub(1);
                stop.store(left == 0, Ordering::Relaxed);
            }
        })
        .unwrap();
    session.records()[at].clone()
}

#[test]
fn a_run_stopped_and_taken_up_on_another_device_counts_what_one_run_counts() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (rows, cols, pairs)) in [(4, 5, false), (3, 5, true)].into_iter().enumerate() {
        let space = Boards::new(rows, cols, pairs).unwrap();
        let whole = walk_parallel(&space, &(0..space.size()));
        let openers: Vec<_> = devices().iter().map(|gpu| Shared(Arc::clone(gpu))).collect();
        let device = openers.first().map(|opener| opener as &dyn Opener);
        let path = folder.path().join(format!("{number}.json"));
        let first = go_on(&space, &path, device, 1);
        assert!(!first.covered.is_empty());
        let last = go_on(&space, &path, None, usize::MAX);
        assert!(last.is_complete());
        assert_eq!(last, load(&path).unwrap()[0]);
        let tally = last.tally();
        assert_eq!((tally.found, tally.work, tally.digest), (whole.found, whole.work, whole.digest));
        assert_eq!(space.histogram(&tally), space.histogram(&whole));
        assert_eq!(last.counters.values().sum::<u64>(), whole.counters.iter().sum::<u64>());
    }
}

/// The marked batches hold the longest ones, whatever the batches were; the first mark holds the first of them.
#[test]
fn the_marked_batches_hold_the_longest() {
    let space = Boards::new(4, 4, false).unwrap();
    let whole = walk_parallel(&space, &(0..space.size()));
    for size in [100u32, 1_000, 20_000, 1 << 16] {
        let mut sum = Tally::default();
        let mut start = 0;
        while start < space.size() {
            let batch = start..(start + u128::from(size)).min(space.size());
            space.enter(&mut sum, space.walk(batch.clone()), &batch);
            start = batch.end;
        }
        assert_eq!(space.histogram(&sum), space.histogram(&whole));
        for unique in [false, true] {
            let marked = Boards::marked(&sum, 12, unique);
            let found: Vec<_> = marked.flat_map(|batch| space.of_length(batch, 12, unique, usize::MAX)).collect();
            assert_eq!(found, space.of_length(&(0..space.size()), 12, unique, usize::MAX), "batches of {size}");
        }
        assert!(sum.marks.iter().all(|mark| mark.counter >= 24));
    }
}

fn sharded(number: u32, out: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["braincube", "boards", "--rows", "4", "--cols", "5", "--pairs", "--backend", "cpu", "-q"]);
    command.args(["--threads", "1", "--shard", &format!("{number}/8"), "--out", text(out)]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn eight_shards_two_of_them_killed_merge_to_the_single_run() {
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<_> = (1..=8).map(|number| folder.path().join(format!("part-{number}.json"))).collect();
    for (number, part) in (1..).zip(&parts) {
        let mut child = sharded(number, part).spawn().unwrap();
        if number == 3 || number == 6 {
            child.kill().unwrap();
        }
        child.wait().unwrap();
    }
    let done: Vec<_> = [1, 2, 4, 5, 7, 8].map(|number| text(&parts[number - 1])).into();
    let (code, merged) = object(&[&["merge"], &done[..]].concat());
    assert_eq!((code, merged["missing"].as_array().unwrap().len()), (2, 2));
    for (number, part) in [3, 6].into_iter().map(|number| (number, &parts[number as usize - 1])) {
        assert!(sharded(number, part).status().unwrap().success());
    }
    let (all, sum): (Vec<_>, _) = (parts.iter().map(|part| text(part)).collect(), folder.path().join("whole.json"));
    let saved = folder.path().join("hardest");
    let listed = ["--list", "5", "--save", text(&saved)];
    let (code, merged) = object(&[&["merge", "--out", text(&sum)], &all[..], &listed].concat());
    assert_eq!((code, &merged["complete"], &merged["keyspace"]), (0, &json!(true), &json!("1048576")));
    let single = ["boards", "--rows", "4", "--cols", "5", "--pairs", "--backend", "cpu"];
    let (_, whole) = object(&[&single[..], &listed].concat());
    for field in SAME {
        assert_eq!(merged[field], whole[field], "{field}");
    }
    // The sum is the result of a single run, to the command too.
    let (code, again) = object(&[&single[..], &["--out", text(&sum)], &listed].concat());
    assert_eq!((code, &again["backend"]), (0, &json!("file")));
    for field in SAME {
        assert_eq!(again[field], whole[field], "{field}");
    }
    // Twice the same part is an overlap; parts of other boards do not belong.
    let (code, _, told) = run(&["braincube", "merge", all[0], all[0]]);
    assert!(code == 2 && told.contains("overlap"), "{told}");
    let other = folder.path().join("other.json");
    object(&["boards", "--rows", "4", "--cols", "5", "--shard", "1/8", "--out", text(&other)]);
    let (code, _, told) = run(&["braincube", "merge", text(&other), all[1]]);
    assert!(code == 2 && told.contains("pairs is true, not false"), "{told}");
    let (code, _, told) = run(&["billiard", "merge", text(&other)]);
    assert!(code == 2 && told.contains("not of a search of triangles"), "{told}");
}

#[test]
fn a_killed_run_goes_on_from_its_checkpoint_and_no_other_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("run.json");
    let base = ["braincube", "boards", "--rows", "5", "--cols", "5", "--backend", "cpu", "--threads", "1"];
    let keep = ["--checkpoint", text(&checkpoint), "--checkpoint-every", "0"];
    for round in 0..6u64 {
        let mut command = Command::new(BINARY);
        command.args(base).args(keep).arg("--resume").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + 6 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (_, whole) = run_json(&base);
    let (code, answer) = run_json(&[&base[..], &keep, &["--resume"]].concat());
    assert_eq!((code, &answer["complete"]), (0, &json!(true)));
    for field in SAME {
        assert_eq!(answer[field], whole[field], "{field}");
    }
    let before = fs::read(&checkpoint).unwrap();
    let (code, _, told) = run(&[&base[..], &keep].concat());
    assert!(code == 2 && told.contains("--resume"), "{told}");
    for other in [&["--rows", "5", "--cols", "5", "--pairs"][..], &["--rows", "4", "--cols", "5"]] {
        let (code, _, told) = run(&[&["braincube", "boards"], other, &keep, &["--resume"]].concat());
        assert!(code == 2 && told.contains("another run's"), "{told}");
    }
    assert_eq!(fs::read(&checkpoint).unwrap(), before);
    let (code, answer) = object(&["keyspace", "--rows", "5", "--cols", "5"]);
    assert_eq!((code, &answer["keyspace"]), (0, &json!("33554432")));
}
