//! `gpu-solve brainball`: thirteen two-coloured tiles in a ring.

mod apply;
mod demo;
mod distribution;
mod input;
mod layers;
mod order;
mod play;
mod projection;
mod scramble;
mod show;
mod solve;
mod solver;
mod view;

use clap::{Args, Subcommand, ValueEnum};

use super::Outcome;
use super::globals::Globals;
use crate::puzzles::brainball;
use crate::search::layers::ends::SolveError;
use crate::search::layers::frontier::FrontierError;

/// BrainBall: thirteen two-coloured tiles in a ring, solved in the fewest turns
#[derive(Args, Clone, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "A position lists the tiles from ring index 0 on: 1,-5,2,3,4,6,7,8,-12,9,10,11,13 (minus: yellow), by commas or \
    spaces, or 1w 5y 2w ...\n\nExamples:\n  gpu-solve brainball solve -12,-13,3,4,7,8,9,-5,-6,10,11,1,2\n  \
    gpu-solve brainball solve --goal ring --file positions.txt --format json\n  gpu-solve brainball order +1/-1/\n  \
    gpu-solve brainball play"
)]
pub struct BrainBall {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    Solve(solve::Solve),
    Show(show::Show),
    Apply(apply::Apply),
    Scramble(scramble::Scramble),
    Demo(demo::Demo),
    Play(play::Play),
    Order(order::Order),
    Layers(layers::Layers),
    Distribution(Box<distribution::Distribution>),
}

/// `--goal`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Goal {
    /// White, and tile k + 1 at ring index k
    #[default]
    Fixed,
    /// White, and the tiles in order round the ring from any index: the real toy
    Ring,
}

impl From<Goal> for brainball::Goal {
    fn from(goal: Goal) -> Self {
        match goal {
            Goal::Fixed => Self::Fixed,
            Goal::Ring => Self::Ring,
        }
    }
}

/// `--notation`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// The ring index of each turn's axis, in the position as it then stands: 3 3 11
    #[default]
    Index,
    /// Shifts of the ring with a half turn about index 0 between them, the ball never turned over: +3/-1/+4
    Slash,
}

/// Whether an error is but the user's interrupt.
fn interrupted(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(SolveError::Interrupted))
        || matches!(error.downcast_ref(), Some(FrontierError::Interrupted))
}

impl BrainBall {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Bad input, and faults of the search, of files and of devices.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let outcome = match &self.command {
            Command::Solve(command) => command.run(globals),
            Command::Show(command) => command.run(globals),
            Command::Apply(command) => command.run(globals),
            Command::Scramble(command) => command.run(globals),
            Command::Demo(command) => command.run(globals),
            Command::Play(command) => command.run(globals),
            Command::Order(command) => command.run(globals),
            Command::Layers(command) => command.run(globals),
            Command::Distribution(command) => command.run(globals),
        };
        outcome.or_else(|error| if interrupted(&error) { Ok(Outcome::Interrupted) } else { Err(error) })
    }
}
