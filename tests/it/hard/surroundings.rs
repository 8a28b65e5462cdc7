//! A home that can't be written, no locale, readers that go away, and clocks.

use super::*;
use crate::cli::run as plain_run;

const SOLVE: &[&str] =
    &["brainball", "solve", "10,-1,12,4,13,-6,3,-8,5,-2,11,7,9", "--table-depth", "3", "--backend", "cpu"];

#[test]
fn a_home_that_cannot_be_written_costs_one_line_and_no_answer() {
    let folder = folder("home");
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    let home = file.join("home");
    for cache in [None, Some(file.join("cache"))] {
        let mut command = gpu_solve(SOLVE);
        command.env("HOME", &home).env_remove("XDG_CACHE_HOME");
        if let Some(cache) = cache {
            command.env("XDG_CACHE_HOME", cache);
        }
        let ended = ended(&mut command);
        assert!(ended.code == Some(0) && ended.stdout.contains("proven optimal"), "{ended:?}");
        let about: Vec<_> = ended.stderr.lines().filter(|line| line.contains("not kept")).collect();
        assert_eq!(about.len(), 1, "{}", ended.stderr);
        assert!(ended.stderr.lines().count() <= 2, "{}", ended.stderr);
    }
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn without_a_locale_and_without_any_environment_all_is_as_ever() {
    let folder = folder("locale");
    for arguments in [
        &["billiard"][..],
        &["braincube", "boards", "--rows", "3", "--cols", "3"],
        &["braincube", "stage", "--builtin", "2"],
        &["brainball", "show", "1,2,3,4,5,6,7,8,9,10,11,12,13"],
    ] {
        let arguments = [arguments, &["--backend", "cpu"]].concat();
        let (code, stdout, _) = plain_run(&arguments);
        let without_times = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains("/s") && !line.contains(" s")).map(str::to_owned);
            lines.collect::<Vec<_>>()
        };
        for locale in [None, Some(""), Some("C"), Some("POSIX"), Some("tlh_QX.UTF-16")] {
            let mut command = gpu_solve(&arguments);
            command.env_clear();
            if let Some(locale) = locale {
                command.env("LANG", locale).env("LC_ALL", locale);
            }
            let ended = ended(command.current_dir(&folder));
            assert_eq!(ended.code, Some(code), "{arguments:?}, {locale:?}: {}", ended.stderr);
            assert_eq!(without_times(&ended.stdout), without_times(&stdout), "{arguments:?}, {locale:?}");
        }
    }
    // No home at all: the table finds no place, and none is made up.
    let ended = ended(gpu_solve(SOLVE).env_clear().env("HOME", "").current_dir(&folder));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(names(&folder).is_empty(), "{:?}", names(&folder));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_after_a_line_is_no_error_anywhere() {
    let folder = folder("readers");
    for (arguments, code) in [
        ("billiard --order 4 --max 26 --list 100000", 0),
        ("billiard --order 4 --max 26 --list 100000 --format json", 0),
        ("billiard sequence --to 5", 0),
        ("brainball layers --depth 3", 0),
        ("brainball solve 10,-1,12,4,13,-6,3,-8,5,-2,11,7,9 --table-depth 3 --no-cache --show", 0),
        ("brainball distribution --goal ring --tiles 7", 0),
        ("braincube path --rows 60 --cols 60 --all --list 20000", 0),
        ("braincube graph --rows 60 --cols 60 --format dot", 0),
        ("braincube adjacency --rows 40 --cols 40 --format csv", 0),
        ("braincube adjacency --rows 40 --cols 40 --format matrix-market", 0),
        ("braincube boards --rows 3 --cols 3", 0),
        ("braincube walk --rows 10 --cols 10", 0),
        ("--help", 0),
    ] {
        for reader in ["head -n 1", "true"] {
            // The reader ends first; the program's own code is what counts.
            let ended = shell(&folder, &format!("{{ $GS {arguments} --backend cpu; echo $? > $F/code; }} | {reader}"));
            ended.assert_calm();
            assert!(!ended.stderr.contains("error"), "{arguments}: {}", ended.stderr);
            let told = fs::read_to_string(folder.join("code")).unwrap();
            assert_eq!(told.trim(), code.to_string(), "{arguments} | {reader}: {}", ended.stderr);
        }
    }
    // One that reads errors and goes away.
    let ended = shell(&folder, "{ $GS billiard sequence --to 5 --verbose 2>&1 >$F/answer; echo $? > $F/code; } | true");
    ended.assert_calm();
    assert_eq!(fs::read_to_string(folder.join("code")).unwrap().trim(), "0");
    assert!(fs::read_to_string(folder.join("answer")).unwrap().contains("all terms agree"));
    let ended = shell(&folder, "$GS billiard --backend cpu 2>&-");
    assert!(ended.code == Some(0) && ended.stdout.contains("2 solutions"), "{ended:?}");
}

/// Times are taken from the clock that only goes forward, so that one set back or ahead changes nothing. The other clock is
/// read in one place, for a seed where none was given.
#[test]
fn no_search_looks_at_the_clock_that_can_be_set() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            } else if fs::read_to_string(&path).unwrap().contains("SystemTime") {
                found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert_eq!(found, ["scramble.rs"]);
}
