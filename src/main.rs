//! The program: parses, runs, and turns the outcome into an exit code.

use std::process::ExitCode;

use clap::Parser;
use gpu_solve::cli::{Cli, tell_error};

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            tell_error(&error);
            ExitCode::from(2)
        }
    }
}
