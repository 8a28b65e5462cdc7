//! `gpu-solve verify` and `gpu-solve bench` as a user runs them.

use serde_json::Value;

use super::cli::{json, run};
use super::support::adapters;

#[test]
fn verify_finds_every_adapter_equal_and_says_what_it_compared() {
    if adapters().is_empty() {
        return;
    }
    let (code, answer) = json(&["verify", "--kernel", "linear", "--seconds", "0"]);
    assert_eq!((code, &answer["equal"], &answer["complete"]), (0, &Value::from(true), &Value::from(true)));
    assert_eq!((&answer["format"], &answer["command"]), (&Value::from("gpu-solve/1"), &Value::from("verify")));
    assert_eq!(answer["adapters"].as_array().unwrap().len(), adapters().len());
    for (told, adapter) in answer["adapters"].as_array().unwrap().iter().zip(adapters()) {
        assert_eq!(told["name"], adapter.description.name);
        let kernels = told["kernels"].as_array().unwrap();
        assert_eq!(kernels.len(), 3);
        for kernel in kernels {
            assert_eq!((&kernel["equal"], &kernel["rounds"]), (&Value::from(true), &Value::from(1)));
            assert!(kernel["words"].as_u64().unwrap() > 0 && kernel["launches"].as_u64().unwrap() > 0);
            assert_eq!(kernel["digest"].as_str().unwrap().len(), 16);
            assert_eq!((&kernel["difference"], &kernel["fault"]), (&Value::Null, &Value::Null));
            // The digest is of what was computed, not of who computed it.
            assert_eq!(
                kernel["digest"],
                answer["adapters"][0]["kernels"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|first| first["kernel"] == kernel["kernel"])
                    .unwrap()["digest"]
            );
        }
    }
    let (code, text, _) = run(&["verify", "--kernel", "linear/dot", "--seconds", "0", "--adapter", "0"]);
    assert_eq!(code, 0);
    assert!(text.contains("linear/dot") && text.contains("  equal\n") && text.contains("all equal; "), "{text}");
}

#[test]
fn verify_goes_round_again_while_there_is_time() {
    if adapters().is_empty() {
        return;
    }
    let (code, answer) = json(&["verify", "--kernel", "linear/dot", "--seconds", "1", "--adapter", "0"]);
    assert_eq!(code, 0);
    assert!(answer["adapters"][0]["kernels"][0]["rounds"].as_u64().unwrap() > 1);
}

#[test]
fn verify_with_nothing_to_compare_is_no_success() {
    for arguments in [
        &["verify", "--adapter", "no such adapter"][..],
        &["verify", "--backend", "cpu"],
        &["verify", "--kernel", "no such kernel"],
        &["verify", "--lockstep"],
        &["verify", "--seconds", "soon"],
    ] {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains("error: "), "{stderr}");
    }
}

#[test]
fn bench_times_the_cpu_beside_every_adapter_and_promises_nothing_of_software() {
    let (code, answer) = json(&["bench", "--kernel", "linear/dot", "--seconds", "0"]);
    assert_eq!(code, 0);
    assert_eq!((&answer["command"], &answer["complete"]), (&Value::from("bench"), &Value::from(true)));
    let sides = answer["kernels"][0]["sides"].as_array().unwrap();
    assert_eq!((&sides[0]["backend"], &sides[0]["adapter"]), (&Value::from("cpu"), &Value::Null));
    for side in sides {
        assert!(side["per_second"].as_f64().unwrap() > 0.0, "{side}");
        assert!(side["software"] == false || side["beside_cpu"].is_null(), "{side}");
    }
    for adapter in adapters() {
        let line = Value::from(adapter.description.line());
        let side = sides.iter().find(|side| side["adapter"] == line).unwrap();
        assert_eq!(side["software"], adapter.description.kind.name() == "software");
    }
    let (code, text, _) = run(&["bench", "--kernel", "brainball/seek", "--seconds", "0", "--backend", "cpu"]);
    assert_eq!(code, 0);
    assert!(text.contains("brainball/seek: six turns, indices\n   cpu, ") && text.contains("/s\n"), "{text}");
}
