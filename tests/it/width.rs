//! Text for people: 80 columns, numbers grouped, durations and rates in the same words.

use super::cli::run;

/// Commands, and what makes a line of theirs longer than 80 columns, if anything may.
const COMMANDS: &[(&str, &[&str])] = &[
    ("billiard", &[]),
    // The drawing of a triangle is as wide as the triangle.
    ("billiard --order 6 --max 22", &["\t"]),
    ("billiard --order 8 --max 44 --list 2", &["\t"]),
    ("billiard --solver brute-force --range 370_450_000_000..370_451_000_000", &[]),
    ("billiard minimum --order 6", &["\t"]),
    ("billiard sequence --to 5", &[]),
    ("billiard estimate --order 8 --max 44 --sample 0.1", &[]),
    ("billiard keyspace --order 11 --max 100", &[]),
    ("brainball solve 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 --no-cache --table-depth 3", &[]),
    // A step in words names eight places.
    ("brainball solve 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 --no-cache --table-depth 3 --show", &["step "]),
    ("brainball show 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9", &[]),
    ("brainball apply 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 3", &[]),
    ("brainball scramble --seed 1", &[]),
    ("brainball order +1/-1/", &[]),
    ("brainball layers --depth 4", &[]),
    // One line of sums.
    ("brainball distribution --goal ring --tiles 7", &[" states, ", " attained by "]),
    ("braincube graph --rows 3 --cols 3", &[]),
    ("braincube graph --rows 3 --cols 3 --summary", &[]),
    ("braincube components --rows 3 --cols 3", &[]),
    ("braincube show --rows 3 --cols 3", &[]),
    ("braincube path --rows 3 --cols 3 --all", &[]),
    // A formula, and two numbers of sixteen digits with what they are.
    ("braincube formula --rows 3 --cols 5", &["formula: "]),
    ("braincube walk --rows 4 --cols 4", &["check, "]),
    ("braincube walk --rows 4 --cols 4 --fall", &["check, "]),
    ("braincube boards --rows 4 --cols 4", &[" boards with both corners"]),
    ("braincube boards --rows 3 --cols 3 --pairs", &[" ordered pairs"]),
    ("braincube stage --builtin 3", &[]),
    // Moves on one line, to be pasted.
    ("braincube stage --builtin 10", &["least ", "L", "R", "U", "D"]),
];

#[test]
fn text_fits_80_columns_but_for_lines_that_are_listed() {
    for (arguments, long) in COMMANDS {
        let words: Vec<&str> = arguments.split(' ').chain(["--backend", "cpu"]).collect();
        let backend = words.len() - 2;
        let (code, stdout, stderr) = run(&words);
        // Commands that use no device say so on stderr, or take the option in silence.
        assert!(code < 2, "{arguments}: {stderr} {backend}");
        for line in stdout.lines().chain(stderr.lines()) {
            // A tab is eight columns.
            let columns: usize = line.chars().fold(0, |at, c| if c == '\t' { (at / 8 + 1) * 8 } else { at + 1 });
            let listed = long.iter().any(|part| line.contains(part));
            assert!(columns <= 80 || listed, "{arguments}: {columns} columns: {line}");
        }
    }
}

/// A number of five digits or more stands grouped in text for people, unless it is to be typed again.
#[test]
fn numbers_are_grouped_and_times_have_units() {
    for (arguments, _) in COMMANDS {
        let words: Vec<&str> = arguments.split(' ').chain(["--backend", "cpu"]).collect();
        let (_, stdout, _) = run(&words);
        for line in stdout.lines() {
            // Ranges and masks are typed again as they are, and keyspaces are counted in scripts.
            if line.contains("..") || line.contains("mask ") || arguments.contains("keyspace") || line.contains("seed ")
            {
                continue;
            }
            for word in line.split([' ', '(', ')', ';', ':', '\t']) {
                let digits = word.trim_matches([',', '.']);
                let plain = digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
                // Digests are hexadecimal, and now and then have no letter.
                assert!(!plain || digits.len() == 16, "{arguments}: {digits} in {line}");
            }
            for word in ["seconds", " secs", " msec", " ms ", "sec/", "/sec", "per second"] {
                assert!(!line.contains(word), "{arguments}: {word:?} in {line}");
            }
        }
    }
}
