//! `gpu-solve billiard`: exact difference triangles, and the runs that settle how large their largest value must be.

mod answer;
mod estimate;
mod keyspace;
mod merge;
mod minimum;
mod run;
mod sequence;

use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};

use super::Outcome;
use super::globals::Globals;
use super::kept::{KeepArgs, PartArgs};
use crate::puzzles::billiard::rules::balls;
use crate::puzzles::billiard::{BilliardSpace, Solver};

/// Find exact difference triangles: ORDER rows of distinct numbers from 1 to MAX,
/// each below two of the row above it and their difference
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve billiard\n  gpu-solve billiard --order 6 --max 22 --lockstep --backend vulkan\n  \
    gpu-solve billiard --solver brute-force --range 370450000000..370451000000\n  \
    gpu-solve billiard --order 4 --max 20 --count --format json\n  \
    gpu-solve billiard --order 10 --max 75 --shard 3/8 --out part-3.json\n  \
    gpu-solve billiard minimum --order 9\n\nExit codes: 0 found, 1 none exists (in the range), 2 not answered, 130 interrupted."
)]
pub struct Billiard {
    #[command(flatten)]
    search: SearchArgs,
    #[command(subcommand)]
    command: Option<Sub>,
}

#[derive(Clone, Debug, Subcommand)]
enum Sub {
    Minimum(minimum::Minimum),
    Sequence(sequence::Sequence),
    Estimate(estimate::Estimate),
    Keyspace(keyspace::Keyspace),
    Merge(merge::Merge),
}

/// What is searched.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
struct SpaceArgs {
    /// Rows of the triangle [default: 5]
    #[arg(long, value_name = "N")]
    order: Option<usize>,
    /// The greatest number allowed [default: ORDER(ORDER+1)/2, the least possible]
    #[arg(long, value_name = "M")]
    max: Option<usize>,
    /// How to search
    #[arg(long, value_enum, default_value_t, value_name = "SOLVER")]
    solver: SolverChoice,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
struct SearchArgs {
    #[command(flatten)]
    space: SpaceArgs,
    #[command(flatten)]
    part: PartArgs,
    /// Count only, list no solution
    #[arg(long, conflicts_with = "list")]
    count: bool,
    /// List at most K solutions (the counts stay exact) [default: 100]
    #[arg(long, value_name = "K")]
    list: Option<usize>,
    /// Progress as dots: one per 200,000 indices, 50 a line
    #[arg(long)]
    dots: bool,
    #[command(flatten)]
    keep: KeepArgs,
}

/// `--solver`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SolverChoice {
    /// rows from order 6 on; below that strategy, or diagonal where strategy's index space passes a thousand million
    #[default]
    Auto,
    /// Every top row; the rest follows. An index is a top row
    Strategy,
    /// Every permutation of all the balls, each one checked. An index is a permutation
    BruteForce,
    /// The top row from left to right, pruned. An index is the beginning of a top row
    Diagonal,
    /// Bottom triangles grown upwards row by row. An index is one of three rows, of four from order 11 on
    Rows,
}

impl Billiard {
    /// Searches and prints the answer.
    ///
    /// # Errors
    /// Bad input, faults that cannot be survived, a divergence in lockstep.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let Some(command) = &self.command else { return self.search.run(globals) };
        ensure!(
            self.search == SearchArgs::default(),
            "the options of a command follow its name, as in: gpu-solve billiard minimum --order 9"
        );
        match command {
            Sub::Minimum(command) => command.run(globals),
            Sub::Sequence(command) => command.run(globals),
            Sub::Estimate(command) => command.run(globals),
            Sub::Keyspace(command) => command.run(globals),
            Sub::Merge(command) => command.run(globals),
        }
    }
}

/// A space, and what it was made from.
struct Chosen {
    order: usize,
    max: usize,
    solver: Solver,
    space: Box<dyn BilliardSpace>,
}

impl SpaceArgs {
    fn order(&self) -> usize {
        self.order.unwrap_or(5)
    }

    fn space(&self) -> anyhow::Result<Chosen> {
        let order = self.order();
        Chosen::new(order, self.max.unwrap_or_else(|| balls(order)), self.solver)
    }
}

impl Chosen {
    fn new(order: usize, max: usize, choice: SolverChoice) -> anyhow::Result<Self> {
        let solver = match choice {
            SolverChoice::Auto => Solver::auto(order, max)?,
            SolverChoice::Strategy => Solver::Strategy,
            SolverChoice::BruteForce => Solver::BruteForce,
            SolverChoice::Diagonal => Solver::Diagonal,
            SolverChoice::Rows => Solver::Rows,
        };
        Ok(Self { order, max, solver, space: solver.space(order, max)? })
    }
}
