//! The program: parses, runs, and turns the outcome into an exit code.

use std::process::ExitCode;

use clap::Parser;
use gpu_solve::cli::Cli;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
