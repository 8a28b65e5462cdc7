//! The command line: a file a subcommand, and what they share. Nothing here computes.

pub mod adapters;
pub mod bench;
pub mod billiard;
pub mod brainball;
pub mod braincube;
pub mod devices;
pub mod files;
pub mod globals;
pub mod interrupt;
pub mod kept;
pub mod kernels;
pub mod manual;
pub mod output;
pub mod parsers;
pub mod progress;
pub mod verify;
pub mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use globals::{Globals, ProgressChoice};

/// What is shown where no command is named.
const OVERVIEW: &str = "\
gpu-solve searches puzzles, on any GPU or on the CPU alone. To begin:

  gpu-solve billiard                              the pool-ball triangle, solved
  gpu-solve brainball demo                        scramble a ball and solve it
  gpu-solve braincube path --rows 4 --cols 7      a shortest way on a board
  gpu-solve braincube play --builtin 1            play it yourself
  gpu-solve adapters                              the GPUs that are here
  gpu-solve verify                                are their results right?
  gpu-solve bench                                 how fast are they?

Every command explains itself with examples: gpu-solve --help lists them all,
gpu-solve billiard --help says what one can do. Nothing needs a GPU.
";

/// Exhaustive and optimal search over puzzles, on any GPU, with a CPU twin of every kernel.
#[derive(Debug, Parser)]
#[command(name = "gpu-solve", version, max_term_width = 80)]
#[command(after_help = "Examples:\n  gpu-solve billiard\n  \
    gpu-solve billiard --order 6 --max 22 --backend vulkan --lockstep\n  \
    gpu-solve adapters --format json\n\n\
    Exit codes: 0 answered and found, 1 answered: none exists, 2 not answered,\n130 interrupted.")]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Billiard(Box<billiard::Billiard>),
    Braincube(braincube::Braincube),
    #[command(name = "brainball")]
    BrainBall(brainball::BrainBall),
    Adapters(adapters::Adapters),
    Verify(verify::Verify),
    Bench(bench::Bench),
    Completions(manual::Completions),
    Man(manual::Man),
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
        Self::from(outcome.exit())
    }
}

impl Outcome {
    fn exit(self) -> u8 {
        match self {
            Self::Found => 0,
            Self::None => 1,
            Self::Unanswered => 2,
            Self::Interrupted => interrupt::EXIT,
        }
    }
}

impl Cli {
    /// Runs the command.
    ///
    /// # Errors
    /// Everything that kept it from an answer: usage, input, faults. The exit code is then 2.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        interrupt::prepare()?;
        if self.globals.progress == ProgressChoice::Json {
            watch::begin(command_line());
        }
        let outcome = self.answer();
        match &outcome {
            Ok(outcome) => watch::end(outcome.exit(), None),
            Err(error) => watch::end(2, Some(&output::told(error))),
        }
        outcome
    }

    fn answer(&self) -> anyhow::Result<Outcome> {
        let Some(command) = &self.command else {
            output::print(OVERVIEW)?;
            return Ok(Outcome::Found);
        };
        self.globals.prepare()?;
        let globals = self.globals.resolved(matches!(command, Command::Braincube(_)))?;
        match command {
            Command::Braincube(command) => command.run(&globals),
            Command::Billiard(command) => command.run(&globals),
            Command::BrainBall(command) => command.run(&globals),
            Command::Adapters(command) => command.run(&globals),
            Command::Verify(command) => command.run(&globals),
            Command::Bench(command) => command.run(&globals),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}

/// The command that was given, as in `billiard minimum`.
fn command_line() -> String {
    let mut names = Vec::new();
    let matches = Cli::command().try_get_matches_from(std::env::args_os());
    let mut at = matches.as_ref().ok().and_then(clap::ArgMatches::subcommand);
    while let Some((name, below)) = at {
        names.push(name);
        at = below.subcommand();
    }
    names.join(" ")
}

/// What is said of an error that keeps the program from an answer, on stderr.
pub fn tell_error(error: &anyhow::Error) {
    // With `--progress json` the line of the end has said it.
    if !watch::is_on() {
        globals::say(&format!("error: {}", output::told(error)));
    }
}
