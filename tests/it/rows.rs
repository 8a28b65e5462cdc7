//! The solver rows: both sides in lockstep, and runs that are split, killed, resumed and merged.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gpu_solve::puzzles::billiard::rows::Rows;
use gpu_solve::puzzles::billiard::rules::Triangle;
use gpu_solve::puzzles::billiard::{BilliardSpace, Solver};
use gpu_solve::puzzles::index_space::IndexSpace;
use gpu_solve::search::index::merge::{MergeError, merge, shard};
use gpu_solve::search::index::range::{Plan, Terms, search};
use gpu_solve::search::index::record::{Job, Record, load, save};
use gpu_solve::search::index::{engine::Opener, fleet};
use gpu_solve::search::lock::Lock;
use serde_json::Value;

use super::cli::{json, run};
use super::support::{Shared, devices, folder, text};

const BINARY: &str = env!("CARGO_BIN_EXE_gpu-solve");

#[test]
fn both_sides_agree_index_by_index_at_every_order_and_width() {
    let stop = AtomicBool::new(false);
    for gpu in devices() {
        for (order, max) in [(1, 9), (2, 70), (3, 40), (4, 20), (4, 66), (5, 25), (6, 24), (7, 33), (8, 44)] {
            let space = Rows::new(order, max).unwrap();
            let range = 0..space.size().min(6_000);
            let opener = Shared(Arc::clone(gpu));
            let plan = Plan { space: &space, range, device: Some(&opener), lockstep: true, keep: 9, stop: &stop };
            let report = search(&plan, &mut |_| {}).unwrap();
            assert!(report.complete && report.lockstep_held(), "order {order}, max {max}");
        }
        // Wide sets, and a piece of a large space.
        for (order, max, range) in [(4, 200, 100_000..100_300), (10, 75, 9_000..9_030), (11, 100, 4_000_000..4_000_300)]
        {
            let space = Rows::new(order, max).unwrap();
            let opener = Shared(Arc::clone(gpu));
            let plan = Plan { space: &space, range, device: Some(&opener), lockstep: true, keep: 9, stop: &stop };
            assert!(search(&plan, &mut |_| {}).unwrap().lockstep_held(), "order {order}, max {max}");
        }
    }
}

#[test]
fn every_device_and_the_cpu_on_one_range_count_what_the_cpu_counts_alone() {
    let stop = AtomicBool::new(false);
    let space = Rows::new(8, 46).unwrap();
    let range = 3..space.size() - 2;
    let plan = Plan { space: &space, range: range.clone(), device: None, lockstep: false, keep: 99, stop: &stop };
    let alone = search(&plan, &mut |_| {}).unwrap();
    let openers: Vec<_> = devices().iter().map(|gpu| Shared(Arc::clone(gpu))).collect();
    let openers: Vec<&dyn Opener> = openers.iter().map(|opener| opener as &dyn Opener).collect();
    let together = fleet::search(&plan, &openers, &Terms::default(), &mut |_| {}).unwrap();
    assert!(together.complete);
    assert_eq!((together.tally, together.covered), (alone.tally, range));
}

#[test]
fn auto_takes_rows_from_order_6_on_and_where_no_other_holds_the_values() {
    assert_eq!(Solver::auto(6, 22), Ok(Solver::Rows));
    assert_eq!(Solver::auto(3, 65), Ok(Solver::Rows));
    assert_ne!(Solver::auto(5, 15), Ok(Solver::Rows));
    let (code, answer) = json(&["billiard", "--order", "6", "--max", "22", "--backend", "cpu"]);
    assert_eq!((code, &answer["solver"], &answer["count"]), (0, &Value::from("rows"), &Value::from(2)));
    assert!(answer["nodes"].as_u64() > Some(50) && answer["steps"].as_u64() > answer["nodes"].as_u64());
}

#[test]
fn the_least_max_comes_with_every_smaller_one_ruled_out() {
    let (code, answer) = json(&["billiard", "minimum", "--order", "7", "--backend", "cpu"]);
    assert_eq!((code, &answer["minimum"], &answer["complete"]), (0, &Value::from(33), &Value::from(true)));
    let tried = answer["maxima"].as_array().unwrap();
    let maxes: Vec<_> = tried.iter().map(|tried| tried["max"].as_u64().unwrap()).collect();
    assert_eq!(maxes, [28, 29, 30, 31, 32, 33]);
    assert!(tried[..5].iter().all(|tried| tried["count"] == 0 && tried["complete"] == true));
    let rows: Vec<Vec<u16>> = serde_json::from_value(answer["solutions"][0]["rows"].clone()).unwrap();
    assert!(Triangle::check(&rows.concat(), 33).is_ok());
    let (code, _, stderr) = run(&["billiard", "minimum", "--order", "7", "--from", "27"]);
    assert!(code == 2 && stderr.contains("28 entries"), "{stderr}");
}

#[test]
fn the_sequences_agree_with_the_published_terms() {
    let (code, answer) = json(&["billiard", "sequence", "--to", "8", "--backend", "cpu"]);
    assert_eq!((code, &answer["agree"]), (0, &Value::from(true)));
    let minimum: Vec<_> =
        answer["terms"].as_array().unwrap().iter().map(|term| term["minimum"].as_u64().unwrap()).collect();
    assert_eq!(minimum, [1, 3, 6, 10, 15, 22, 33, 44]);
}

#[test]
fn an_estimate_holds_what_the_search_then_takes() {
    let arguments = ["billiard", "estimate", "--order", "8", "--max", "44", "--sample", "0.3", "--backend", "cpu"];
    let (code, answer) = json(&arguments);
    assert_eq!(code, 0);
    let mean = answer["estimated_steps"]["mean"].as_f64().unwrap();
    assert!((mean / 1_138_460.0 - 1.0).abs() < 0.3, "{answer}");
    assert!(
        answer["estimated_steps"]["low"].as_f64() < Some(mean)
            && answer["estimated_seconds"]["high"].as_f64() > Some(0.0)
    );
}

#[test]
fn the_keyspace_is_the_unit_of_ranges_and_shards() {
    let (code, answer) = json(&["billiard", "keyspace", "--order", "8", "--max", "44"]);
    assert_eq!((code, &answer["keyspace"]), (0, &Value::from("4492")));
    let mut reached = 0;
    for number in 1..=7 {
        let part = shard(number, 7, 4492);
        assert_eq!(part.start, reached);
        reached = part.end;
    }
    assert_eq!(reached, 4492);
    assert_eq!(shard(5, 5, u128::MAX).end, u128::MAX);
}

fn whole(order: &str, max: &str) -> (Value, Value, Value, Value) {
    let (_, answer) =
        json(&["billiard", "--order", order, "--max", max, "--solver", "rows", "--backend", "cpu", "--count"]);
    (answer["nodes"].clone(), answer["steps"].clone(), answer["count"].clone(), answer["digest"].clone())
}

#[test]
fn a_run_killed_twenty_times_at_random_moments_ends_with_the_same_counts() {
    let folder = folder("killed");
    let checkpoint = folder.join("run.json");
    let command = || {
        let mut command = Command::new(BINARY);
        command
            .args(["billiard", "--order", "9", "--max", "58", "--count", "--backend", "cpu", "--threads", "1"])
            .args(["--format", "json", "--checkpoint-every", "0", "--resume", "--checkpoint"])
            .arg(&checkpoint)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    let mut state = 0x2545_f491_u32;
    for round in 0..20_u32 {
        let mut child = command().spawn().unwrap();
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Later rounds have longer, so that some come far enough on a busy machine.
        std::thread::sleep(Duration::from_millis(u64::from(5 + (state >> 24) / 4 + 15 * round)));
        // Killed outright, or asked to stop by SIGTERM: both must leave a file that a run can go on from.
        if round % 2 == 0 {
            child.kill().unwrap();
        } else {
            Command::new("kill").arg(child.id().to_string()).status().unwrap();
        }
        child.wait().unwrap();
    }
    let covered = load(&checkpoint).map(|records| records[0].covered.end);
    let output = command().output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{answer}");
    assert!(covered.is_ok_and(|covered| covered > 0), "no round came far enough to save anything");
    let got = (answer["nodes"].clone(), answer["steps"].clone(), answer["count"].clone(), answer["digest"].clone());
    assert_eq!(got, whole("9", "58"));
    assert!(load(&checkpoint).unwrap()[0].is_complete());
    assert_eq!(
        fs::read_dir(&folder).unwrap().filter(|entry| entry.as_ref().is_ok_and(|e| e.path() == checkpoint)).count(),
        1
    );
}

#[test]
fn a_second_run_on_a_checkpoint_or_a_result_is_refused_at_once() {
    let folder = folder("in use");
    for option in ["--checkpoint", "--out"] {
        let kept = folder.join(format!("run{option}.json"));
        let arguments = ["billiard", "--order", "6", "--max", "22", "--backend", "cpu", option, text(&kept)];
        let held = Lock::beside(&kept).unwrap();
        let (code, _, stderr) = run(&arguments);
        assert!(code == 2 && stderr.contains("is in use by another run"), "{code}: {stderr}");
        drop(held);
        assert_eq!(run(&arguments).0, 0);
        assert!(kept.exists() && (!cfg!(unix) || fs::read_dir(&folder).unwrap().count() == 1), "a lock's file is left");
        fs::remove_file(&kept).unwrap();
    }
}

#[test]
fn a_time_limit_stops_cleanly_and_another_backend_goes_on() {
    let folder = folder("limit");
    let checkpoint = folder.join("run.json");
    let base = ["billiard", "--order", "9", "--max", "58", "--count", "--checkpoint", text(&checkpoint)];
    let (code, answer) = json(&[&base[..], &["--time-limit", "0.02", "--backend", "cpu", "--threads", "1"]].concat());
    assert_eq!((code, &answer["complete"]), (2, &Value::from(false)));
    // Without --resume the file is left alone.
    let before = fs::read(&checkpoint).unwrap();
    let (code, _, stderr) = run(&[&base[..], &["--backend", "cpu"]].concat());
    assert!(code == 2 && stderr.contains("--resume"), "{stderr}");
    // Nor is another run's overwritten.
    let (code, _, stderr) =
        run(&["billiard", "--order", "8", "--max", "43", "--checkpoint", text(&checkpoint), "--resume"]);
    assert!(code == 2 && stderr.contains("another run's") && stderr.contains("58, not 43"), "{stderr}");
    assert_eq!(fs::read(&checkpoint).unwrap(), before);
    let backend = if devices().is_empty() { "cpu" } else { "vulkan" };
    let (code, answer) = json(&[&base[..], &["--resume", "--backend", backend]].concat());
    assert_eq!(code, 1);
    let got = (answer["nodes"].clone(), answer["steps"].clone(), answer["count"].clone(), answer["digest"].clone());
    assert_eq!(got, whole("9", "58"));
}

#[test]
fn a_shard_that_has_its_result_is_not_searched_again() {
    let folder = folder("again");
    let out = folder.join("part.json");
    let arguments =
        ["billiard", "--order", "8", "--max", "44", "--shard", "2/3", "--out", text(&out), "--backend", "cpu"];
    let (_, first) = json(&arguments);
    let before = fs::metadata(&out).unwrap().modified().unwrap();
    let (code, stdout, stderr) = run(&arguments);
    assert!(stderr.contains("whole already"), "{stderr}");
    assert!(code <= 1 && !stdout.is_empty());
    assert_eq!(fs::metadata(&out).unwrap().modified().unwrap(), before);
    let (_, second) = json(&arguments);
    for field in ["nodes", "steps", "count", "digest", "range"] {
        assert_eq!(first[field], second[field]);
    }
    let mut other = arguments;
    other[6] = "3/3";
    let (code, _, stderr) = run(&other);
    assert!(code == 2 && stderr.contains("range"), "{stderr}");
}

#[test]
fn eight_shards_under_gnu_parallel_two_of_them_killed_merge_to_the_single_run() {
    let version = Command::new("parallel").arg("--version").output();
    assert!(version.is_ok(), "GNU parallel is not there: run tests/run, which installs it on Debian and Ubuntu");
    let folder = folder("parallel");
    // Shards 3 and 6 are killed on their first run, before they can write a result.
    let script = format!(
        "if [ {{}} = 3 -o {{}} = 6 ] && [ ! -e tried-{{}} ]; then touch tried-{{}}; \
         timeout -s KILL 0.01 {BINARY} billiard --order 9 --max 59 --count --threads 1 --backend cpu --shard {{}}/8 --out part-{{}}.json -q; \
         else {BINARY} billiard --order 9 --max 59 --count --threads 1 --backend cpu --shard {{}}/8 --out part-{{}}.json -q; fi; [ -e part-{{}}.json ]"
    );
    let parallel = |more: &[&str]| {
        let mut command = Command::new("parallel");
        command
            .current_dir(&folder)
            .env("HOME", &folder)
            .args(["--will-cite", "--joblog", "log", "-j", "2"])
            .args(more);
        command.arg(&script).arg(":::").args((1..=8).map(|number| number.to_string()));
        command.output().unwrap()
    };
    assert!(!parallel(&[]).status.success(), "the killed shards were not noticed");
    let parts: Vec<_> = (1..=8).map(|number| folder.join(format!("part-{number}.json"))).collect();
    let present: Vec<_> = parts.iter().filter(|part| part.exists()).map(|part| text(part)).collect();
    assert_eq!(present.len(), 6);
    let (code, merged) = json(&[&["billiard", "merge"], &present[..]].concat());
    assert_eq!((code, merged["missing"].as_array().unwrap().len()), (2, 2));
    let again = parallel(&["--resume-failed"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let all: Vec<_> = parts.iter().map(|part| text(part)).collect();
    let sum = folder.join("whole.json");
    let (code, merged) = json(&[&["billiard", "merge", "--out", text(&sum)], &all[..]].concat());
    assert_eq!((code, &merged["complete"]), (0, &Value::from(true)));
    let got = (merged["nodes"].clone(), merged["steps"].clone(), merged["count"].clone(), merged["digest"].clone());
    assert_eq!(got, whole("9", "59"));
    assert!(load(&sum).unwrap()[0].is_complete());
}

fn part(start: u128, end: u128) -> (String, Record) {
    let job = Job { command: "toy".to_owned(), parameters: [("size".to_owned(), "100".to_owned())].into(), size: 100 };
    let mut record = Record::new(job, start..end);
    record.covered = start..end;
    (record.nodes, record.steps, record.found) = (1, 10, 2);
    (format!("{start}..{end}"), record)
}

#[test]
fn parts_with_a_hole_an_overlap_or_other_parameters_are_told_apart() {
    let whole = merge(vec![part(50, 100), part(0, 20), part(20, 50)]).unwrap();
    assert!(whole.missing.is_empty());
    assert_eq!((whole.tally.nodes, whole.tally.work, whole.tally.found), (3, 30, 6));
    assert_eq!(merge(vec![part(10, 20), part(30, 90)]).unwrap().missing, [0..10, 20..30, 90..100]);
    assert!(matches!(merge(vec![part(0, 50), part(49, 100)]), Err(MergeError::Overlap { .. })));
    assert!(matches!(merge(vec![part(0, 100), part(30, 40), part(50, 60)]), Err(MergeError::Overlap { .. })));
    assert_eq!(merge(Vec::new()), Err(MergeError::Nothing));
    let mut other = part(50, 100);
    other.1.job.parameters.insert("size".to_owned(), "101".to_owned());
    let Err(MergeError::Different { why, .. }) = merge(vec![part(0, 50), other]) else { panic!("merged") };
    assert!(why.contains("size is 101, not 100"), "{why}");
}

#[test]
fn a_file_that_is_cut_changed_or_of_another_kind_is_refused_with_a_reason() {
    let folder = folder("damaged");
    let path = folder.join("record.json");
    save(&path, &[part(0, 50).1]).unwrap();
    assert_eq!(load(&path).unwrap(), [part(0, 50).1]);
    let good = fs::read_to_string(&path).unwrap();
    for (damaged, told) in [
        (good[..good.len() / 2].to_owned(), "not whole JSON"),
        (good.replace("\"steps\": 10", "\"steps\": 11"), "it was changed"),
        (good.replace("records/1", "records/9"), "its format is"),
        ("{}".to_owned(), "no file of records"),
        (String::new(), "not whole JSON"),
    ] {
        fs::write(&path, damaged).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let error = load(&folder.join("none.json")).unwrap_err().to_string();
    assert!(error.contains("none.json"), "{error}");
    assert!(save(&folder.join("no/such/folder.json"), &[]).is_err());
}

#[test]
fn every_certificate_kept_is_sound_and_says_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_str().unwrap().starts_with("billiard-") {
            continue;
        }
        let records = load(&path).unwrap();
        for record in &records {
            let number = |name: &str| record.job.parameters[name].parse::<usize>().unwrap();
            let space = Rows::new(number("order"), number("max")).unwrap();
            assert_eq!(record.job.size, space.size());
            // Ruled out whole, or a solution that the rules accept, wherever it was looked for.
            assert_eq!(record.found == 0, record.is_complete() && record.hits.is_empty());
            assert!(record.found > 0 || record.range == (0..space.size()));
            for hit in &record.hits {
                assert!(!space.expand(hit.parse().unwrap()).unwrap().is_empty());
            }
            seen += 1;
        }
        let maxes: Vec<_> = records.iter().map(|record| record.job.parameters["max"].clone()).collect();
        assert!(maxes.is_sorted(), "{maxes:?}");
        // All but the last max are ruled out; the last one has a solution, or is what the file is called after.
        let (last, below) = records.split_last().unwrap();
        assert!(below.iter().all(Record::is_complete));
        let ruled_out = format!("max-{}.json", last.job.parameters["max"]);
        assert!(last.found > 0 || text(&path).ends_with(&ruled_out), "{}", path.display());
    }
    assert!(seen > 1);
    // The least M of order 11: 100 is ruled out, and 101 has a triangle.
    let eleven = |max: &str| {
        let name = format!("tests/certificates/billiard-order-11-max-{max}.json");
        load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap().remove(0)
    };
    assert!(eleven("100").is_complete() && eleven("100").found == 0);
    assert!(eleven("101").found > 0);
    // The same in sixteen shards, each a process of its own.
    let shards = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates/shards-of-billiard-order-11-max-100");
    let paths: Vec<_> = fs::read_dir(shards).unwrap().map(|entry| entry.unwrap().path()).collect();
    let parts: Vec<_> = paths.iter().map(|path| (text(path).to_owned(), load(path).unwrap().remove(0))).collect();
    assert_eq!(parts.len(), 16);
    let merged = merge(parts).unwrap();
    assert!(merged.missing.is_empty());
    let (whole, sum) = (eleven("100"), merged.record());
    assert_eq!((sum.nodes, sum.steps, sum.found, &sum.digest), (whole.nodes, whole.steps, whole.found, &whole.digest));
}
