//! A build without the feature `gpu`: what it answers, and what it says where a device is asked for.

use serde_json::Value;

use super::cli::{json, run};

#[test]
fn the_cpu_answers_and_is_said_to_be_all_there_is() {
    let (code, stdout, stderr) = run(&["billiard", "--order", "6", "--max", "22", "--solver", "strategy"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("2 solutions, 1 up to mirror"), "{stdout}");
    let (code, answer) = json(&["adapters"]);
    assert_eq!((code, &answer["adapters"]), (1, &Value::Array(Vec::new())));
}

#[test]
fn a_device_that_is_asked_for_gets_one_line_that_there_is_no_support() {
    for arguments in [
        &["billiard", "--backend", "vulkan"][..],
        &["billiard", "--adapter", "0"],
        &["billiard", "--adapter", "all"],
        &["brainball", "layers", "--backend", "gl"],
        &["braincube", "path", "--rows", "9", "--cols", "9", "--lockstep"],
        &["verify"],
    ] {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains("this build has no GPU support") && stderr.lines().count() == 1, "{stderr}");
    }
}
