//! What every command says of itself.

use clap::{Command, CommandFactory, Parser};
use gpu_solve::cli::Cli;

use super::cli::run;

/// Every command with its whole name, the first being `gpu-solve` itself.
fn commands() -> Vec<(String, Command)> {
    fn below(name: &str, command: &Command, list: &mut Vec<(String, Command)>) {
        list.push((name.to_owned(), command.clone()));
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            below(&format!("{name} {}", command.get_name()), command, list);
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut list = Vec::new();
    below("gpu-solve", &root, &mut list);
    list
}

fn long_help(command: &Command) -> String {
    command.clone().term_width(80).render_long_help().to_string()
}

/// The examples in a command's help: the lines that begin with the program's name.
fn examples(command: &Command) -> Vec<String> {
    // A line is no wider than the screen, so some go on in the next.
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default().replace("\\\n", "");
    let lines = after.lines().map(str::trim).filter(|line| line.starts_with("gpu-solve "));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_command_has_an_example_of_itself_in_80_columns() {
    let commands = commands();
    assert!(commands.len() > 30, "{}", commands.len());
    for (name, command) in commands {
        let own = |line: &String| line == &name || line.starts_with(&format!("{name} "));
        assert!(examples(&command).iter().any(own), "{name} --help has no example of itself");
        // A line that is wrapped is found short, but an example that is wrapped is none.
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let unwrapped = after.lines().filter(|line| line.starts_with("  "));
        for line in long_help(&command).lines().chain(unwrapped) {
            assert!(line.chars().count() <= 80, "{name} --help: {} columns: {line}", line.chars().count());
        }
    }
}

#[test]
fn every_example_is_a_command_line_that_is_understood() {
    for (name, command) in commands() {
        for example in examples(&command) {
            // What follows a pipe or a redirection is the shell's, and so is a remark.
            let words = example.split_whitespace().take_while(|word| !["|", ">", "#"].contains(word));
            let parsed = Cli::try_parse_from(words);
            assert!(parsed.is_ok(), "{name} --help: {example}: {}", parsed.unwrap_err());
        }
    }
}

#[test]
fn an_option_of_many_commands_takes_the_same_value_everywhere() {
    // Others, as --list and --goal, are said of what each command lists and seeks.
    let one_meaning = ["seed", "range", "seconds", "kernel", "threads"];
    let mut seen = std::collections::HashMap::new();
    for (name, command) in commands() {
        for option in command.get_arguments().filter(|option| !option.is_positional()) {
            let Some(long) = option.get_long().filter(|long| one_meaning.contains(long)) else { continue };
            let value = option.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<String>());
            let (first, expected) = seen.entry(long.to_owned()).or_insert_with(|| (name.clone(), value.clone()));
            assert_eq!(value, *expected, "--{long}: in {name}, and in {first}");
        }
    }
}

#[test]
fn the_program_alone_says_what_one_can_do() {
    let (code, stdout, stderr) = run(&[]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines = stdout.lines().map(str::trim).filter(|line| line.starts_with("gpu-solve ") && line.contains("  "));
    let shown: Vec<_> = lines.filter_map(|line| line.split("  ").next()).collect();
    assert!(shown.len() >= 6, "{stdout}");
    for line in shown {
        assert!(Cli::try_parse_from(line.split_whitespace()).is_ok(), "{line}");
    }
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
}

#[test]
fn what_is_mistyped_gets_a_suggestion() {
    for (typed, meant) in [
        (&["bilard"][..], "billiard"),
        (&["brainball", "sovle"], "solve"),
        (&["billiard", "--ordr", "5"], "--order"),
        (&["braincube", "path", "--rows", "3", "--cools", "3"], "--cols"),
        (&["billiard", "--backend", "vulcan"], "vulkan"),
    ] {
        let (code, _, stderr) = run(typed);
        assert_eq!(code, 2);
        assert!(stderr.contains("similar") && stderr.contains(&format!("'{meant}'")), "{typed:?}: {stderr}");
    }
}

#[test]
fn completions_know_the_commands_and_the_options_of_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, _) = run(&["completions", shell]);
        assert_eq!(code, 0);
        for word in ["billiard", "distribution", "lockstep", "checkpoint"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    assert_eq!(run(&["completions", "cmd"]).0, 2);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let (code, page, _) = run(&["man"]);
    assert_eq!(code, 0);
    assert!(page.contains(".TH gpu-solve 1"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("man1");
    assert_eq!(run(&["man", "--out", into.to_str().unwrap()]).0, 0);
    for (name, _) in commands() {
        let page = std::fs::read_to_string(into.join(format!("{}.1", name.replace(' ', "-")))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains("Example"), "{name}");
    }
    assert_eq!(run(&["man", "--out", "/dev/null/man1"]).0, 2);
}
