//! `docs/json.md` says every field of every object that is printed, and what type it has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::cli::run;
use super::support::{self, adapters};

const POSITION: &str = "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9";

/// What runs for each command, on small inputs; FOLDER and POSITION stand for a folder with files and a position.
const RUNS: &[&str] = &[
    "adapters",
    "billiard --list 1",
    "billiard --order 6 --max 22",
    "billiard --order 6",
    "billiard minimum --order 5",
    "billiard sequence --to 4",
    "billiard estimate --order 7 --max 33 --sample 0.05",
    "billiard keyspace --order 7 --max 33",
    "billiard merge FOLDER/part-1.json FOLDER/part-2.json",
    "billiard merge FOLDER/part-1.json",
    "brainball solve POSITION --no-cache --table-depth 3",
    "brainball solve POSITION --no-cache --table-depth 3 --all --to 1,2,3,4,5,6,7,8,9,10,11,12,13",
    "brainball solve --no-cache --table-depth 3 --file FOLDER/positions.txt",
    "brainball show POSITION",
    "brainball apply POSITION 3 4 11",
    "brainball apply 1,-2,-3,-4,-5,-6,-7,-8,9,10,11,12,13 3 3",
    "brainball scramble --seed 1",
    "brainball demo --seed 1 --turns 4 --no-cache --table-depth 3",
    "brainball order +1/-1/",
    "brainball layers --depth 2",
    "brainball distribution --goal ring --tiles 7",
    "brainball distribution --goal ring --result",
    "brainball distribution --estimate --goal ring",
    "braincube graph --rows 2 --cols 3",
    "braincube graph --rows 2 --cols 3 --summary",
    "braincube components --rows 2 --cols 3",
    "braincube adjacency --rows 2 --cols 3",
    "braincube transition --rows 2 --cols 3 --fall",
    "braincube show --rows 3 --cols 3 --solution",
    "braincube path --rows 3 --cols 3 --all",
    "braincube path --rows 3 --cols 4 --cost tip=0.1,stand=1,roll=2.50",
    "braincube path --rows 2 --cols 2",
    "braincube formula --rows 3 --cols 5 --check",
    "braincube formula --rows 2 --cols 2",
    "braincube walk --rows 3 --cols 4",
    "braincube walk --rows 3 --cols 4 --exact",
    "braincube walk --rows 2 --cols 2",
    "braincube walk --rows 3 --cols 4 --fall",
    "braincube walk --rows 3 --cols 4 --fall --exact",
    "braincube walk --rows 3 --cols 4 --steps 5",
    "braincube walk --rows 3 --cols 4 --steps 5 --fall",
    "braincube boards --rows 3 --cols 4 --list 2 --save FOLDER/boards",
    "braincube boards --rows 3 --cols 3 --pairs",
    "braincube boards --rows 2 --cols 2",
    "braincube merge FOLDER/boards-1.json FOLDER/boards-2.json",
    "braincube merge FOLDER/boards-1.json",
    "braincube keyspace --rows 3 --cols 3",
    "braincube stage --builtin 1",
    "braincube stage FOLDER/hopeless.txt",
    "verify --kernel braincube/boards-32 --seconds 0.1",
    "bench --kernel braincube/boards-32 --seconds 0.05",
];

/// Commands that print for people or print a stage, and have no object.
const WITHOUT: &[&str] = &["brainball play", "braincube play", "braincube generate", "braincube convert"];

/// A section of the page: field by path, its type, and whether it may be left out.
type Fields = BTreeMap<String, (String, bool)>;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md")).unwrap()
}

/// The tables of the page by command.
fn documented() -> BTreeMap<String, Fields> {
    let page = page();
    let mut all: BTreeMap<String, Fields> = BTreeMap::new();
    let mut command = None;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            command = Some(title.trim_matches('`').to_owned());
        } else if line.starts_with("## ") {
            command = None;
        } else if let (Some(command), Some(row)) = (&command, line.strip_prefix("| `")) {
            let mut cells = row.split('|').map(str::trim);
            let path = cells.next().unwrap().trim_matches('`').to_owned();
            let (kind, meaning) = (cells.next().unwrap().to_owned(), cells.next().unwrap());
            let known = all.entry(command.clone()).or_default();
            let before = known.insert(path.clone(), (kind, meaning.starts_with("*maybe*")));
            assert!(before.is_none(), "{command}: {path} is documented twice");
        }
    }
    all
}

/// The names that are said to differ between commands.
fn differing() -> BTreeSet<String> {
    let page = page();
    let line = page.lines().find_map(|line| line.strip_prefix("Differing: ")).unwrap().to_owned();
    line.trim_end_matches('.').split(", ").map(|name| name.trim_matches('`').to_owned()).collect()
}

/// Every leaf of an object with its path; the fields of objects that are documented as `path.*` by that.
fn leaves<'v>(value: &'v Value, path: &str, known: &Fields, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(fields) => {
            let any = format!("{path}.*");
            for (name, value) in fields {
                let below = match path {
                    "" => name.clone(),
                    _ if known.contains_key(&any) => any.clone(),
                    _ => format!("{path}.{name}"),
                };
                leaves(value, &below, known, found);
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| leaves(entry, &format!("{path}[]"), known, found)),
        leaf => found.push((path.to_owned(), leaf)),
    }
}

fn fits(value: &Value, kind: &str) -> bool {
    kind.split(" or ").any(|kind| match (kind, value) {
        ("whole", Value::Number(number)) => number.as_u64().is_some_and(|n| n <= 1 << 53) || number.as_i64().is_some(),
        ("whole", Value::String(text)) => text.parse::<u128>().is_ok_and(|n| n > 1 << 53),
        ("text", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("null", Value::Null)
        | ("number" | "decimal", Value::Number(_)) => true,
        ("decimal", Value::String(text)) => text.parse::<f64>().is_ok(),
        ("text" | "boolean" | "null" | "whole" | "number" | "decimal", _) => false,
        (other, _) => panic!("{other} is no type of docs/json.md"),
    })
}

fn folder() -> PathBuf {
    let folder = support::folder("documented");
    fs::write(folder.join("positions.txt"), format!("{POSITION}\n1,2,3,4,5,6,7,8,9,10,11,12,13\n")).unwrap();
    fs::write(folder.join("hopeless.txt"), "S#.T\n").unwrap();
    for number in ["1", "2"] {
        let (shard, out) = (format!("{number}/2"), folder.join(format!("part-{number}.json")));
        let out = out.to_str().unwrap();
        let arguments =
            ["billiard", "--order", "7", "--max", "33", "--shard", &shard, "--out", out, "--backend", "cpu"];
        assert!(run(&arguments).0 < 2);
        let out = folder.join(format!("boards-{number}.json"));
        let boards = ["braincube", "boards", "--rows", "3", "--cols", "4", "--shard", &shard, "--out"];
        assert!(run(&[&boards[..], &[out.to_str().unwrap(), "--backend", "cpu"]].concat()).0 < 2);
    }
    folder
}

#[test]
fn every_field_of_every_object_is_documented_with_its_type() {
    let (folder, documented) = (folder(), documented());
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for arguments in RUNS {
        let arguments = arguments.replace("FOLDER", folder.to_str().unwrap()).replace("POSITION", POSITION);
        let words: Vec<&str> = arguments.split(' ').chain(["--format", "json", "-q"]).collect();
        let (code, stdout, stderr) = run(&words);
        assert!((0..=2).contains(&code) && stdout.lines().count() == 1, "{arguments}: {code}, {stderr}{stdout}");
        let object: Value = serde_json::from_str(&stdout).unwrap();
        let command = object["command"].as_str().unwrap();
        assert!(arguments.starts_with(command), "{arguments} says that it is {command}");
        let fields = documented.get(command).unwrap_or_else(|| panic!("docs/json.md has no table for {command}"));
        let mut found = Vec::new();
        leaves(&object, "", fields, &mut found);
        for (path, value) in found {
            // A list that is not there.
            if value.is_null() && !fields.contains_key(&path) && has_below(fields, &path) {
                continue;
            }
            let (kind, _) =
                fields.get(&path).unwrap_or_else(|| panic!("{command}: {path} is not in docs/json.md: {arguments}"));
            assert!(fits(value, kind), "{command}: {path} is {value}, documented as {kind}: {arguments}");
            seen.entry(command.to_owned()).or_default().insert(path);
        }
    }
    for (command, fields) in &documented {
        let seen = seen.get(command).unwrap_or_else(|| panic!("nothing here runs {command}"));
        for (path, (_, maybe)) in fields {
            let absent = ["adapters", "verify", "bench"].contains(&&**command) && adapters().is_empty();
            assert!(*maybe || absent || seen.contains(path), "{command}: {path} is documented, and never printed");
        }
    }
}

fn has_below(fields: &Fields, path: &str) -> bool {
    let below = |known: &String| known.strip_prefix(path).is_some_and(|rest| rest.starts_with(['[', '.']));
    fields.iter().any(|(known, (_, maybe))| below(known) && *maybe)
}

#[test]
fn a_name_has_one_type_in_all_commands_but_for_those_that_are_listed() {
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for fields in documented().values() {
        for (path, (kind, _)) in fields {
            let name = path.split(['[', '.']).next().unwrap();
            let kind = kind.split(" or null").next().unwrap();
            let shape = match path[name.len()..].chars().next() {
                None => kind.to_owned(),
                Some('[') => "a list".to_owned(),
                Some(_) => "an object".to_owned(),
            };
            kinds.entry(name.to_owned()).or_default().insert(shape);
        }
    }
    let several: BTreeSet<String> =
        kinds.into_iter().filter(|(_, kinds)| kinds.len() > 1).map(|(name, _)| name).collect();
    assert_eq!(several, differing());
}

/// The help names the commands: each is run here, or is known to have no object.
#[test]
fn every_command_that_answers_has_an_object() {
    let documented = documented();
    let below = |name: &str| -> Vec<String> {
        let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).chain(["--help"]).collect();
        let (_, help, _) = run(&words);
        let list =
            help.split("\nCommands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default().to_owned();
        // A command begins at the second column; what goes on from the line before does not.
        let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names
            .filter_map(|line| line.split_whitespace().next())
            .map(str::to_owned)
            .filter(|name| name != "help")
            .collect()
    };
    let mut commands = 0;
    for name in below("") {
        let subs = below(&name);
        if subs.is_empty() || documented.contains_key(&name) {
            // Those that only set up a shell or are about the program itself have nothing to say in JSON.
            assert!(documented.contains_key(&name) || ["completions", "man"].contains(&&*name), "{name}");
        }
        for sub in subs {
            let full = format!("{name} {sub}");
            assert!(documented.contains_key(&full) || WITHOUT.contains(&&*full), "{full} has no table in docs/json.md");
            commands += 1;
        }
    }
    assert!(commands > 20, "{commands}");
}
