//! The command line: a file a subcommand, and what they share. Nothing here computes.

pub mod adapters;
pub mod billiard;
pub mod brainball;
pub mod braincube;
pub mod devices;
pub mod globals;
pub mod interrupt;
pub mod kept;
pub mod output;
pub mod parsers;
pub mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use globals::Globals;

/// Exhaustive and optimal search over puzzles, on any GPU, with a CPU twin of every kernel.
#[derive(Debug, Parser)]
#[command(name = "gpu-solve", version, max_term_width = 80, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  gpu-solve billiard\n  gpu-solve billiard --order 6 --max 22 --backend vulkan --lockstep\n  \
    gpu-solve adapters --format json\n\nExit codes: 0 answered and found, 1 answered: none exists, 2 not answered, 130 interrupted."
)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Billiard(Box<billiard::Billiard>),
    Braincube(braincube::Braincube),
    #[command(name = "brainball")]
    BrainBall(brainball::BrainBall),
    Adapters(adapters::Adapters),
}

/// How an answered command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Answered and found.
    Found,
    /// Answered: none exists.
    None,
    /// Stopped by the user before the answer was whole.
    Interrupted,
    /// Not answered, for a reason that was said: a time limit, or parts that are missing.
    Unanswered,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Found => Self::SUCCESS,
            Outcome::None => Self::from(1),
            Outcome::Interrupted => Self::from(130),
            Outcome::Unanswered => Self::from(2),
        }
    }
}

impl Cli {
    /// Runs the command.
    ///
    /// # Errors
    /// Everything that kept it from an answer: usage, input, faults. The exit code is then 2.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        self.globals.prepare()?;
        let globals = self.globals.resolved(matches!(self.command, Command::Braincube(_)))?;
        match &self.command {
            Command::Braincube(command) => command.run(&globals),
            Command::Billiard(command) => command.run(&globals),
            Command::BrainBall(command) => command.run(&globals),
            Command::Adapters(command) => command.run(&globals),
        }
    }
}
