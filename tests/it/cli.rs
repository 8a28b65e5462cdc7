//! What a user types, and what comes back.

use assert_cmd::Command;
use serde_json::Value;

use super::support::adapters;

/// The program, free of what the surroundings may say about backends.
pub fn gpu_solve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-solve"));
    command.env_remove("WGPU_BACKEND").env_remove("WGPU_ADAPTER_NAME").args(arguments);
    command
}

/// Runs and gives exit code, stdout, stderr.
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = gpu_solve(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Runs with `--format json` and gives exit code and object.
pub fn json(arguments: &[&str]) -> (i32, Value) {
    let (code, stdout, stderr) = run(&[arguments, &["--format", "json"]].concat());
    let object =
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error} in {stdout:?}; stderr: {stderr}"));
    (code, object)
}

/// The known answer: facts of the puzzle, as drawn by its rules.
const DRAWN: &str = "6\t\t14\t\t15\t\t3\t\t13\n\t8\t\t1\t\t12\t\t10\n\t\t7\t\t11\t\t2\n\t\t\t4\t\t9\n\t\t\t\t5\n";

#[test]
fn the_puzzle_itself_is_answered_with_both_mirror_images() {
    let (code, stdout, stderr) = run(&["billiard"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with(DRAWN), "{stdout}");
    assert!(stdout.contains("13\t\t3\t\t15\t\t14\t\t6\n"));
    assert!(stdout.contains("2 solutions, 1 up to mirror"));
    assert!(stdout.contains("360,360 indices tried"));
    assert_eq!(stderr.lines().count(), 1, "the backend is said in one line: {stderr}");
    assert!(stderr.starts_with("backend: cpu"), "{stderr}");
}

#[test]
fn every_solver_gives_the_same_object_but_for_its_own_index_space() {
    for (solver, tried) in [("strategy", 360_360), ("diagonal", 210)] {
        let (code, answer) = json(&["billiard", "--solver", solver, "--backend", "cpu"]);
        assert_eq!(code, 0);
        assert_eq!(answer["format"], "gpu-solve/1");
        assert_eq!(answer["command"], "billiard");
        assert_eq!((&answer["order"], &answer["max"]), (&Value::from(5), &Value::from(15)));
        assert_eq!(answer["solver"], solver);
        assert_eq!(answer["backend"], "cpu");
        assert_eq!(answer["adapter"], Value::Null);
        assert_eq!(answer["lockstep"], false);
        assert_eq!(answer["complete"], true);
        assert_eq!(answer["range"], format!("0..{tried}"));
        assert_eq!(answer["tried"], tried);
        assert_eq!((&answer["count"], &answer["count_up_to_mirror"]), (&Value::from(2), &Value::from(1)));
        assert_eq!(
            answer["solutions"][0]["rows"],
            serde_json::json!([[5], [4, 9], [7, 11, 2], [8, 1, 12, 10], [6, 14, 15, 3, 13]])
        );
        assert_eq!(answer["solutions"].as_array().unwrap().len(), 2);
        assert!(answer["seconds"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn brute_force_finds_the_two_answers_at_their_places_in_15_factorial() {
    for index in [370_450_163_080u64, 393_802_275_173] {
        let range = format!("{}..{}", index - 1_000_000, index + 1_000_000);
        let (code, answer) = json(&["billiard", "--solver", "brute-force", "--range", &range, "--backend", "cpu"]);
        assert_eq!((code, &answer["count"]), (0, &Value::from(1)));
        let alone = format!("{index}..{}", index + 1);
        assert_eq!(json(&["billiard", "--solver", "brute-force", "--range", &alone, "--backend", "cpu"]).1["count"], 1);
        let beside = format!("{}..{index}", index - 1);
        assert_eq!(json(&["billiard", "--solver", "brute-force", "--range", &beside, "--backend", "cpu"]).0, 1);
    }
}

#[test]
fn every_adapter_answers_in_lockstep_as_the_cpu_does() {
    for adapter in adapters() {
        let adapter = adapter.description.index.to_string();
        for arguments in [
            &["billiard"][..],
            &["billiard", "--solver", "diagonal", "--order", "6", "--max", "23"],
            &["billiard", "--solver", "brute-force", "--order", "4"],
            &["billiard", "--solver", "brute-force", "--range", "370_450_000_000..370_451_000_001"],
            &["billiard", "--order", "6"],
            &["billiard", "--order", "3", "--max", "64"],
            &["billiard", "--order", "1", "--max", "64"],
            &["billiard", "--order", "2", "--solver", "brute-force"],
        ] {
            let (code, answer) = json(&[arguments, &["--adapter", &adapter, "--lockstep"]].concat());
            let (cpu_code, cpu_answer) = json(&[arguments, &["--backend", "cpu"]].concat());
            assert_eq!(code, cpu_code, "{arguments:?}");
            assert_eq!(answer["lockstep"], true);
            assert_ne!(answer["adapter"], Value::Null);
            for field in ["count", "count_up_to_mirror", "solutions", "tried", "complete"] {
                assert_eq!(answer[field], cpu_answer[field], "{field} of {arguments:?}");
            }
        }
    }
}

#[test]
fn none_exists_is_an_answer_with_exit_code_1() {
    let (code, stdout, _) = run(&["billiard", "--order", "6", "--max", "21"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("no solution\n"), "{stdout}");
}

#[test]
fn a_listing_is_capped_and_the_counts_stay_exact() {
    // counts: an independent enumeration, tests/data/billiard_counts.csv
    let (_, answer) = json(&["billiard", "--order", "4", "--max", "20", "--list", "7"]);
    assert_eq!((&answer["count"], &answer["count_up_to_mirror"]), (&Value::from(18_134), &Value::from(9_067)));
    assert_eq!(answer["solutions"].as_array().unwrap().len(), 7);
    let (_, answer) = json(&["billiard", "--order", "4", "--max", "20", "--count"]);
    assert_eq!((&answer["count"], answer["solutions"].as_array().unwrap().len()), (&Value::from(18_134), 0));
    let (_, answer) = json(&["billiard", "--order", "4", "--max", "20"]);
    assert_eq!(answer["solutions"].as_array().unwrap().len(), 100);
}

#[test]
fn bad_input_is_told_with_its_place_what_was_expected_and_exit_code_2() {
    for (arguments, told) in [
        (&["--order", "0"][..], "1 or more"),
        (&["--order", "9", "--max", "60", "--solver", "strategy"], "up to 8 rows, not of 9"),
        (&["--order", "8", "--solver", "brute-force"], "up to 7 rows"),
        (&["--order", "5", "--max", "14"], "at least 15, not 14"),
        (&["--order", "5", "--max", "65", "--solver", "diagonal"], "up to 64, not of 65"),
        (&["--max", "16", "--solver", "brute-force"], "its max is 15, not 16"),
        (&["--range", "0..400000"], "leaves the index space, which is 0..360360"),
        (&["--range", "9..3"], "turned round"),
        (&["--range", "9"], "expected A..B"),
        (&["--range", "a..3"], "\"a\" is not a whole number"),
        (&["--range=-1..3"], "\"-1\" is not a whole number"),
        (&["--order", "five"], "invalid value 'five' for '--order <N>'"),
        (&["--list", "many"], "'many'"),
        (&["--solver", "guess"], "diagonal"),
        (&["--backend", "cuda"], "vulkan"),
        (&["--backend", "cpu", "--lockstep"], "--backend vulkan"),
        (&["--backend", "vulkan", "--adapter", "voodoo 2"], "voodoo 2"),
        (&["--threads", "0"], "--threads"),
    ] {
        let (code, stdout, stderr) = run(&[&["billiard"], arguments].concat());
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
        assert_eq!(stdout, "", "{arguments:?}");
    }
}

#[test]
fn the_environment_names_a_backend_and_a_flag_outranks_it() {
    let output = gpu_solve(&["billiard"]).env("WGPU_BACKEND", "cuda").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("WGPU_BACKEND=cuda"));
    let output = gpu_solve(&["billiard", "--backend", "cpu"]).env("WGPU_BACKEND", "cuda").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let output = gpu_solve(&["billiard"]).env("WGPU_ADAPTER_NAME", "voodoo").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    for adapter in adapters() {
        let output = gpu_solve(&["billiard", "-q", "--format", "json"])
            .env("WGPU_BACKEND", adapter.description.backend.name())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["backend"], adapter.description.backend.name());
    }
}

#[test]
fn without_any_driver_the_cpu_answers_and_a_named_backend_says_what_to_install() {
    let bare = |arguments: &[&str]| {
        let mut command = gpu_solve(arguments);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        command.output().unwrap()
    };
    let output = bare(&["billiard"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with(DRAWN));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
    let output = bare(&["billiard", "--backend", "vulkan"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("no adapter for --backend vulkan") && told.contains("mesa-vulkan-drivers"), "{told}");
}

#[test]
fn dots_are_printed_one_for_200_000_permutations_and_50_a_line() {
    let (code, _, stderr) =
        run(&["billiard", "--solver", "brute-force", "--range", "0..20_500_000", "--dots", "-q", "--backend", "cpu"]);
    assert_eq!(code, 1);
    let dots: Vec<_> = stderr.lines().map(str::len).collect();
    assert_eq!(dots, [50, 50, 2], "{stderr}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_gpu-solve"))
        .args(["billiard", "--order", "4", "--max", "30", "--list", "100000", "--backend", "cpu"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error"), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_was_covered_and_ends_with_130() {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_gpu-solve"))
        .args(["billiard", "--solver", "brute-force", "--backend", "cpu", "--format", "json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["complete"], &answer["range"]), (&Value::from(false), &Value::from("0..1307674368000")));
    let tried = answer["tried"].as_u64().unwrap();
    assert!(tried > 0 && tried < 1_307_674_368_000);
    assert_eq!(answer["covered"], format!("0..{tried}"));
}

#[test]
fn adapters_are_listed_as_text_and_as_json() {
    let (code, answer) = json(&["adapters"]);
    let listed = answer["adapters"].as_array().unwrap();
    assert_eq!(code, i32::from(listed.is_empty()));
    for adapter in adapters() {
        let found = &listed[adapter.description.index];
        assert_eq!(found["index"], adapter.description.index);
        assert_eq!(found["name"], adapter.description.name);
        assert!(
            ["discrete", "integrated", "virtual", "software", "unknown"].contains(&found["kind"].as_str().unwrap())
        );
        assert!(["vulkan", "metal", "dx12", "gl"].contains(&found["backend"].as_str().unwrap()));
        assert!(found["max_storage_binding_bytes"].as_u64().unwrap() >= 128 << 20);
        let text = run(&["adapters"]).1;
        assert!(text.contains(&adapter.description.name) && text.contains(adapter.description.kind.name()));
    }
}

#[test]
fn options_may_stand_before_or_after_the_command() {
    for arguments in
        [["--backend", "cpu", "--format", "json", "billiard"], ["billiard", "--format", "json", "--backend", "cpu"]]
    {
        assert_eq!(run(&arguments).0, 0);
    }
}
