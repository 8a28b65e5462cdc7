//! Full disks, folders that can't be written, files cut short and files of nothing.

use std::fs;
use std::path::Path;

use gpu_solve::puzzles::brainball::packed::RingSpace;
use gpu_solve::search::{index::record, layers::table};
use serde_json::Value;

use super::*;
use crate::cli::json;

const POSITION: &str = "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9";

/// Cuts a file to this length.
fn cut(path: &Path, length: u64) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// A path below a regular file: nobody, root neither, can write there.
fn below_a_file(folder: &Path) -> String {
    let file = folder.join("file");
    fs::write(&file, "a letter").unwrap();
    text(&file.join("below")).to_owned()
}

#[test]
fn a_place_that_cannot_be_written_is_said_before_a_search_begins() {
    let folder = folder("unwritable");
    let below = below_a_file(&folder);
    // Searches of hours, each of them: they must not begin.
    for arguments in [
        &["billiard", "--solver", "brute-force", "--checkpoint", &below][..],
        &["billiard", "--solver", "brute-force", "--out", &below],
        &["billiard", "--solver", "brute-force", "--out", text(&folder)],
        &["billiard", "--solver", "brute-force", "--checkpoint", &format!("{}/no/such/folder/cp", text(&folder))],
        &["billiard", "minimum", "--order", "12", "--checkpoint", &below],
        &["billiard", "minimum", "--order", "12", "--out", &below],
        &["brainball", "distribution", "--goal", "ring", "--checkpoint", &below],
        &["braincube", "convert", "--builtin", "1", "--to", "json", "--output", &below],
    ] {
        let ended = run(&[arguments, &["--backend", "cpu", "--threads", "1"][..]].concat());
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(text(&folder)), "{arguments:?}: {}", ended.stderr);
        ended.assert_calm();
    }
    assert_eq!(names(&folder), ["file"], "something was left behind");
    assert_eq!(fs::read(folder.join("file")).unwrap(), b"a letter");
}

#[test]
fn a_table_that_cannot_be_kept_is_said_in_one_line_beside_the_answer() {
    let folder = folder("no-table");
    let below = below_a_file(&folder);
    let ended = run(&["brainball", "solve", POSITION, "--table-depth", "3", "--backend", "cpu", "--table", &below]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("proven optimal"), "{}", ended.stdout);
    let about: Vec<_> = ended.stderr.lines().filter(|line| line.contains("table")).collect();
    assert!(matches!(about[..], [line] if line.contains("not kept") && line.contains(&below)), "{}", ended.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_an_error_and_one_behind_stderr_is_none() {
    let folder = folder("full");
    for arguments in [
        "billiard",
        "billiard --format json",
        "billiard --order 4 --max 24 --list 100000 --format json",
        "brainball layers --depth 2",
        "brainball solve 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 --table-depth 3 --no-cache",
        "braincube path --rows 3 --cols 3 --all",
        "braincube graph --rows 20 --cols 20 --format dot",
        "braincube adjacency --rows 20 --cols 20 --format csv",
        "braincube boards --rows 3 --cols 3",
        "braincube stage --builtin 1",
    ] {
        let ended = shell(&folder, &format!("exec $GS {arguments} -q --backend cpu > /dev/full"));
        ended.assert_refused("writing to stdout: No space left on device");
        let ended = shell(&folder, &format!("exec $GS {arguments} --backend cpu 2> /dev/full"));
        assert!(ended.code == Some(0) && !ended.stdout.is_empty(), "{arguments}: {ended:?}");
    }
}

/// A limit on the size of files is a disk that is full; the signal that comes with it is ignored, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_checkpoint_and_costs_no_answer() {
    let folder = folder("limit");
    let checkpoint = folder.join("cp.json");
    let search = "billiard --order 9 --max 58 --count --backend cpu --threads 1 --format json --checkpoint $F/cp.json";
    let first = shell(&folder, &format!("exec $GS {search} --time-limit 0.05"));
    assert_eq!(first.code, Some(2), "{}", first.stderr);
    let kept = fs::read(&checkpoint).unwrap();
    // Nothing can be saved: said at once, and the file stays.
    let full = format!("trap '' XFSZ; ulimit -f 0; exec $GS {search} --resume");
    shell(&folder, &full).assert_refused("cp.json");
    assert_eq!(fs::read(&checkpoint).unwrap(), kept);
    assert_eq!(names(&folder), ["cp.json"]);
    // The result finds no room: the answer is printed all the same, and said not to be kept.
    let full = "trap '' XFSZ; ulimit -f 0; exec $GS billiard --backend cpu --format json --out $F/o.json";
    let ended = shell(&folder, full);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &answer["count"]), (Some(2), &Value::from(2)), "{}", ended.stderr);
    assert!(ended.stderr.contains("could not be kept") && ended.stderr.contains("o.json"), "{}", ended.stderr);
    assert!(!folder.join("o.json").exists());
    // With room again it goes on to the right answer.
    let ended = shell(&folder, &format!("exec $GS {search} --resume"));
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &answer["complete"]), (Some(1), &Value::from(true)), "{}", ended.stderr);
    let whole = run(&["billiard", "--order", "9", "--max", "58", "--count", "--backend", "cpu", "--format", "json"]);
    let whole: Value = serde_json::from_str(&whole.stdout).unwrap();
    for field in ["nodes", "steps", "digest"] {
        assert_eq!(answer[field], whole[field], "{field}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_under_rows_ends_the_run_and_the_rows_kept_are_whole() {
    let folder = folder("rows");
    let search = "brainball distribution --goal ring --tiles 9 --checkpoint $F/rows --backend cpu --format json";
    let ended = shell(&folder, &format!("trap '' XFSZ; ulimit -f 0; exec $GS {search}"));
    ended.assert_refused("rows");
    let left = names(&folder.join("rows"));
    assert!(left.is_empty(), "{left:?}");
    let ended = shell(&folder, &format!("exec $GS {search}"));
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let (_, plain) = json(&["brainball", "distribution", "--goal", "ring", "--tiles", "9", "--backend", "cpu"]);
    assert_eq!((ended.code, &answer["states"]), (Some(0), &plain["states"]), "{}", ended.stderr);
    assert_eq!(answer["complete"], true);
    let table = shell(
        &folder,
        "trap '' XFSZ; ulimit -f 1; exec $GS brainball solve 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 --table-depth 4 --table $F/t --backend cpu",
    );
    assert!(table.code == Some(0) && table.stderr.contains("not kept"), "{table:?}");
    assert_eq!(names(&folder), ["rows"]);
}

#[test]
fn rows_that_are_cut_short_or_empty_are_refused_by_name_and_left_as_they_are() {
    let folder = folder("cut-rows");
    let rows = folder.join("rows");
    let search = [
        "brainball",
        "distribution",
        "--goal",
        "ring",
        "--tiles",
        "7",
        "--backend",
        "cpu",
        "--checkpoint",
        text(&rows),
    ];
    assert_eq!(run(&search).code, Some(0));
    let first = rows.join("row-000");
    let whole = fs::read(&first).unwrap();
    for (length, told) in [(0, "is not a row"), (10, "is not a row"), (18, "cut short"), (60, "cut short")] {
        cut(&first, length);
        let ended = run(&search);
        ended.assert_refused(told);
        assert!(ended.stderr.contains(text(&first)), "{}", ended.stderr);
        assert_eq!(fs::metadata(&first).unwrap().len(), length);
        fs::write(&first, &whole).unwrap();
    }
    assert_eq!(run(&search).code, Some(0));
}

#[test]
fn tables_cut_short_or_empty_are_built_anew_and_what_is_no_table_is_left_alone() {
    let folder = folder("cut-table");
    let path = folder.join("table");
    let solve = [
        "brainball",
        "solve",
        POSITION,
        "--goal",
        "ring",
        "--table-depth",
        "3",
        "--backend",
        "cpu",
        "--table",
        text(&path),
    ];
    let first = run(&solve);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let answer = |ended: &Ended| ended.stdout.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    for length in [0, 3, 40, 1000, fs::metadata(&path).unwrap().len() - 1] {
        cut(&path, length);
        let again = run(&solve);
        assert_eq!((again.code, answer(&again)), (Some(0), answer(&first)), "{}", again.stderr);
        assert!(again.stderr.contains("built anew"), "{length}: {}", again.stderr);
        if length == 3 {
            // Three bytes are nobody's table: they may be somebody's.
            assert_eq!(fs::metadata(&path).unwrap().len(), 3);
            fs::write(&path, "").unwrap();
            run(&solve);
        } else {
            assert!(table::load(&RingSpace::default(), Some(3), &path).is_ok(), "{length}");
        }
    }
    fs::write(&path, "a letter to a friend").unwrap();
    let ended = run(&solve);
    assert!(ended.code == Some(0) && ended.stderr.contains("left as it is"), "{}", ended.stderr);
    assert_eq!(fs::read(&path).unwrap(), b"a letter to a friend");
}

#[test]
fn checkpoints_and_shards_cut_short_or_empty_are_refused_by_name() {
    let folder = folder("cut-records");
    let parts: Vec<_> = (1..=2).map(|number| folder.join(format!("part-{number}.json"))).collect();
    let shard = |number: usize| {
        let (shard, part) = (format!("{number}/2"), text(&parts[number - 1]).to_owned());
        run(&["billiard", "--order", "7", "--max", "33", "--backend", "cpu", "--shard", &shard, "--out", &part])
    };
    assert!(shard(1).code.is_some_and(|code| code < 2) && shard(2).code.is_some_and(|code| code < 2));
    let whole = fs::read(&parts[1]).unwrap();
    for length in [0, 1, 100, whole.len() as u64 - 3] {
        cut(&parts[1], length);
        run(&["billiard", "merge", text(&parts[0]), text(&parts[1])]).assert_refused("part-2.json: it is ");
        shard(2).assert_refused("part-2.json: it is not whole JSON");
        run(&[
            "billiard",
            "--order",
            "7",
            "--max",
            "33",
            "--checkpoint",
            text(&parts[1]),
            "--resume",
            "--backend",
            "cpu",
        ])
        .assert_refused("part-2.json: it is not whole JSON");
        assert_eq!(fs::metadata(&parts[1]).unwrap().len(), length);
    }
    fs::write(&parts[1], &whole).unwrap();
    let (code, merged) = json(&["billiard", "merge", text(&parts[0]), text(&parts[1])]);
    let (_, whole) = json(&["billiard", "--order", "7", "--max", "33", "--backend", "cpu"]);
    assert_eq!((code, &merged["count"], &merged["digest"]), (0, &whole["count"], &whole["digest"]), "{merged}");
    assert!(record::load(&parts[1]).is_ok());
}
