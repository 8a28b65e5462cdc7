//! `gpu-solve brainball demo`: scramble, solve, show.

use std::time::Instant;

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use super::scramble::ScrambleArgs;
use super::solve::{Solved, StepOut};
use super::solver::{SearchArgs, TableArgs};
use super::{Goal, view};
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, duration, grouped, print, print_json};
use crate::cli::{Outcome, interrupt};
use crate::puzzles::brainball::Ball;
use crate::puzzles::brainball::ball::TILES;
use crate::puzzles::brainball::solution::{Task, turns};

/// Scramble the ball, solve it and show every step
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve brainball demo --turns 9 --seed 1")]
pub struct Demo {
    #[command(flatten)]
    how: ScrambleArgs,
    /// When a ball counts as solved
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    #[command(flatten)]
    table: TableArgs,
}

#[derive(Serialize)]
struct Answer<'a> {
    format: &'static str,
    command: &'static str,
    seed: u64,
    scramble: Vec<usize>,
    goal: &'static str,
    position: &'a [i8],
    length: usize,
    turns: Vec<usize>,
    steps: Vec<StepOut>,
    nodes: u64,
    seconds: f64,
}

impl Demo {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let seed = self.how.seed();
        let (ball, scramble) = self.how.make(seed);
        let stop = interrupt::flag()?;
        let place = globals.place(true)?;
        let solver = self.table.solver(globals, self.goal, SearchArgs::default(), place, stop)?;
        let begun = Instant::now();
        let task = Task::new(&ball, &Ball::solved(TILES), self.goal.into())?;
        let found = solver.find(&task, stop)?;
        if globals.lockstep && !found.lockstep {
            bail!("lockstep compared nothing: the position lies within the table; more --turns leave work");
        }
        let way = found.way.turns.clone();
        let (length, nodes, seconds) = (way.len(), found.way.nodes, begun.elapsed().as_secs_f64());
        let goal = task.goal.name();
        let steps = Solved::new(task, vec![way], found, seconds)?.steps;
        match globals.format {
            Format::Json => print_json(&Answer {
                format: JSON_FORMAT,
                command: "brainball demo",
                seed,
                scramble,
                goal,
                position: ball.tiles(),
                length,
                turns: turns(&steps),
                steps: steps.iter().map(StepOut::from).collect(),
                nodes,
                seconds,
            })?,
            Format::Text => {
                let made: Vec<_> = scramble.iter().map(ToString::to_string).collect();
                print(&format!(
                    "seed {seed}, scrambled by {} turns: {}\n\n{}\nsolved (goal {goal}) in {length}, the fewest possible: {}\n{} nodes, {}\n",
                    made.len(),
                    made.join(" "),
                    view::steps(&ball, &steps),
                    view::line(&steps),
                    grouped(nodes.into()),
                    duration(seconds),
                ))?;
            }
        }
        Ok(Outcome::Found)
    }
}
