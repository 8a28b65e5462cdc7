//! Hard days: full disks, folders that can't be written, files cut short, signals, readers that go away, input that is none.

mod disk;
mod input;
mod memory;
#[cfg(unix)]
mod signals;
mod surroundings;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;

use super::cli::gpu_solve;
use super::support::{self, text};

/// No answer in the tests here takes as long, on a machine however busy.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a command ended: exit code (none: a signal's), stdout, stderr.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn of(output: &std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Refused with a clear word: exit code 2, one short message with this in it, nothing on stdout.
    fn assert_refused(&self, told: &str) {
        assert_eq!((self.code, &*self.stdout), (Some(2), ""), "{}", self.stderr);
        assert!(self.stderr.contains(told), "{told:?} in {}", self.stderr);
        assert!(self.stderr.len() < 5_000, "a message of {} bytes", self.stderr.len());
        self.assert_calm();
    }

    /// No panic, no backtrace.
    fn assert_calm(&self) {
        for word in ["panicked", "RUST_BACKTRACE", "stack backtrace"] {
            assert!(!self.stderr.contains(word), "{}", self.stderr);
        }
    }
}

fn ended(command: &mut Command) -> Ended {
    Ended::of(&command.timeout(PATIENCE).output().unwrap())
}

fn run(arguments: &[&str]) -> Ended {
    ended(&mut gpu_solve(arguments))
}

/// Runs the program by a shell: `$GS` is the program, `$F` the folder.
#[cfg(unix)]
fn shell(folder: &Path, script: &str) -> Ended {
    let mut command = Command::new("sh");
    command.env_remove("WGPU_BACKEND").env_remove("WGPU_ADAPTER_NAME");
    ended(command.env("GS", env!("CARGO_BIN_EXE_gpu-solve")).env("F", folder).args(["-c", script]))
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    support::folder(&format!("hard/{name}"))
}

/// The names of a folder's files, without those that only keep other runs away.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with("lock"));
    names.sort();
    names
}
