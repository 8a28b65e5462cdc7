//! `brainball distribution`: the whole ring, and what is kept of it.

use std::collections::BTreeSet;

use assert_cmd::Command;
use gpu_solve::puzzles::brainball::packed::RingSpace;
use gpu_solve::puzzles::brainball::ring::carry::{KERNEL, params, turn_table};
use gpu_solve::puzzles::brainball::ring::columns::words;
use gpu_solve::puzzles::brainball::ring::space::Ring;
use gpu_solve::puzzles::brainball::ring::transfer::Transfer;
use gpu_solve::puzzles::brainball::{Ball, parse};
use gpu_solve::puzzles::rows::{RowSpace, Way};
use gpu_solve::search::lock::Lock;
use serde_json::Value;

use super::support::devices;

fn distribution(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpu-solve").unwrap();
    command.args(["brainball", "distribution"]).args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let output = distribution(arguments).args(["--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn states(answer: &Value) -> Vec<u64> {
    answer["layers"].as_array().unwrap().iter().map(|layer| layer["states"].as_u64().unwrap()).collect()
}

fn refused(arguments: &[&str]) -> String {
    let output = distribution(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_small_ring_is_told_whole_with_its_antipodes() {
    let answer = json(&["--goal", "ring", "--tiles", "9"]);
    assert_eq!(answer["format"], "gpu-solve/1");
    assert_eq!(answer["command"], "brainball distribution");
    let layers = states(&answer);
    assert_eq!(layers.iter().sum::<u64>(), 40_320 << 8);
    assert_eq!(answer["greatest"].as_u64(), Some(layers.len() as u64 - 1));
    let antipodes = answer["antipodes"].as_array().unwrap();
    assert_eq!(
        antipodes.iter().map(|antipode| antipode["states"].as_u64().unwrap()).sum::<u64>(),
        *layers.last().unwrap()
    );
}

#[test]
fn a_run_out_of_time_goes_on_from_its_checkpoint_and_memory_may_be_small() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let options = ["--goal", "ring", "--tiles", "9", "--checkpoint", folder, "--threads", "2", "--memory", "9MB"];
    let out_of_time = distribution(&options).args(["--time-limit", "0s"]).output().unwrap();
    assert_eq!(out_of_time.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out_of_time.stderr).contains("goes on from"));
    assert_eq!(states(&json(&options)), states(&json(&["--goal", "ring", "--tiles", "9"])));
    let told = refused(&["--goal", "ring", "--tiles", "7", "--checkpoint", folder]);
    assert!(told.contains("brainball 9 ring"), "{told}");
}

#[test]
fn a_second_run_on_a_checkpoint_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--goal", "ring", "--tiles", "7", "--checkpoint", folder.path().to_str().unwrap()];
    let held = Lock::folder(folder.path(), false).unwrap();
    let told = refused(&options);
    assert!(told.contains("is in use by another run"), "{told}");
    drop(held);
    assert_eq!(json(&options)["complete"], true);
}

#[test]
fn what_cannot_be_done_is_refused_with_an_example() {
    assert!(refused(&["--goal", "ring", "--tiles", "8"]).contains("--tiles 9"));
    assert!(refused(&["--goal", "fixed"]).contains("--goal ring"));
    assert!(refused(&["--goal", "ring", "--memory", "lots"]).contains("4GiB"));
    assert!(refused(&["--goal", "ring", "--tiles", "13", "--memory", "1kB"]).contains("--memory 4GiB"));
    assert!(refused(&["--goal", "ring", "--tiles", "9", "--result"]).contains("13 tiles"));
}

/// Layers 0 to 7 were found by two independent programs; layer 8 is counted here by the search over classes.
#[test]
fn the_kept_result_adds_up_and_its_antipodes_are_positions_of_one_class_each() {
    let kept = json(&["--goal", "ring", "--result"]);
    let layers = states(&kept);
    let all = 479_001_600 << 12;
    assert_eq!(kept["states"].as_u64().unwrap(), layers.iter().sum::<u64>());
    assert_eq!(layers.iter().sum::<u64>(), all);
    assert_eq!(kept["complete"], true);
    assert_eq!(layers[..8], [1, 13, 143, 1_547, 16_640, 176_787, 1_850_381, 19_057_454]);
    assert_eq!(kept["greatest"].as_u64(), Some(layers.len() as u64 - 1));
    let mut classes = BTreeSet::new();
    let mut attained = 0;
    for antipode in kept["antipodes"].as_array().unwrap() {
        let ball = parse::position(antipode["position"].as_str().unwrap()).unwrap();
        assert!(ball.in_side_group());
        assert_eq!(u64::from(ball.is_odd()), kept["greatest"].as_u64().unwrap() % 2);
        let class = class_of(&ball);
        assert_eq!(class.1, antipode["states"].as_u64().unwrap());
        assert!(classes.insert(class.0), "{ball} is of a class told before");
        attained += class.1;
    }
    assert_eq!(Some(&attained), layers.last());
}

/// The search from a single position knows nothing of the visit of all.
#[test]
fn the_farthest_positions_take_the_solver_as_many_turns() {
    let kept = json(&["--goal", "ring", "--result"]);
    let antipodes = kept["antipodes"].as_array().unwrap();
    let mut command = Command::cargo_bin("gpu-solve").unwrap();
    command.args(["brainball", "solve", "--goal", "ring", "--backend", "cpu", "--no-cache", "--format", "json"]);
    let chosen: Vec<&str> =
        antipodes.iter().step_by(antipodes.len() / 40).map(|antipode| antipode["position"].as_str().unwrap()).collect();
    let output = command.args(["--file", "-"]).write_stdin(chosen.join("\n")).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), chosen.len());
    for result in results {
        assert_eq!((&result["length"], &result["optimal"]), (&kept["greatest"], &Value::from(true)), "{result}");
    }
}

/// The least of the positions that differ from a ball by rotation, mirroring or a shift of names (each turned so that tile
/// 1 comes first), and how many there are.
fn class_of(ball: &Ball) -> (Vec<i8>, u64) {
    let size = i8::try_from(ball.size()).unwrap();
    let mut alike = BTreeSet::new();
    for mirrored in [false, true] {
        for shift in 0..size {
            let mut tiles: Vec<i8> = ball.tiles().to_vec();
            if mirrored {
                tiles.reverse();
            }
            for tile in &mut tiles {
                let name = (tile.abs() - 1) * if mirrored { -1 } else { 1 };
                *tile = ((name + shift).rem_euclid(size) + 1) * tile.signum();
            }
            let first = tiles.iter().position(|tile| tile.abs() == 1).unwrap();
            tiles.rotate_left(first);
            alike.insert(tiles);
        }
    }
    (alike.first().unwrap().clone(), alike.len() as u64)
}

/// The kernel against the vectorised walk, on a chosen row of the real toy: some thousands of words, the far row whole.
#[test]
fn the_kernel_carries_a_row_of_13_tiles_as_the_walk_does() {
    const WORDS: u32 = 6_000;
    let ring = Ring::<13>::default();
    let stop = std::sync::atomic::AtomicBool::new(false);
    for gpu in devices() {
        for (row, turn, first) in [(37, 8, 0), (200, 2, 3_000_000)] {
            let neighbour = ring.neighbour(row, turn);
            let mut from = vec![0u64; words::<13>()];
            for word in &mut from[first as usize..][..WORDS as usize] {
                *word = gpu_solve::puzzles::index_space::mix(7, 9) & 0x0248_1248_1248_1248;
            }
            let mut into = vec![0u64; words::<13>()];
            ring.push(row, turn, &from, &mut into, &stop);

            let halves = |row: &[u64]| -> Vec<u32> {
                #[expect(clippy::cast_possible_truncation, reason = "splits the word")]
                row.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect()
            };
            let (_, transfer) = Transfer::of_turn(ring.bracelets(), row, turn);
            let odd = ring.parity(neighbour) == 1;
            let mut launch = gpu_solve::kernel::Launch {
                constants: vec![13],
                invocations: WORDS,
                buffers: vec![
                    params(WORDS, first, odd, Way::Push).to_vec(),
                    turn_table(&transfer.inverse()),
                    halves(&from),
                    vec![0; 2 * words::<13>()],
                ],
            };
            gpu.launch(&KERNEL, &mut launch).unwrap();
            assert!(launch.buffers[3] == halves(&into), "push into row {row} by turn {turn}");

            // Back again: pulled from what was pushed, exactly the columns are found that it came from.
            let (_, transfer) = Transfer::of_turn(ring.bracelets(), row, turn);
            launch.buffers[0] = params(WORDS, first, odd, Way::Pull).to_vec();
            launch.buffers[1] = turn_table(&transfer.inverse());
            launch.buffers[2] = halves(&into);
            launch.buffers[3] = vec![0; 2 * words::<13>()];
            gpu.launch(&KERNEL, &mut launch).unwrap();
            assert!(launch.buffers[3] == halves(&from), "pull from row {row} by turn {turn}");
        }
    }
}

/// Layer 8, by the search that keeps classes in tables.
#[test]
fn the_kept_result_has_the_layers_of_the_search_by_classes() {
    let kept = states(&json(&["--goal", "ring", "--result"]));
    let mut counted = vec![];
    let stop = std::sync::atomic::AtomicBool::new(false);
    gpu_solve::search::frontier::build(&RingSpace::default(), 8, &stop, |report| counted.push(report.states)).unwrap();
    assert_eq!(kept[..9], counted);
}
