//! `gpu-solve brainball solve`: the fewest turns.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use super::input::Positions;
use super::solver::{Found, SearchArgs, Solver, TableArgs};
use super::{Goal, Notation, view};
use crate::cli::globals::{Format, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, print, print_json};
use crate::cli::watch::{self, Told};
use crate::cli::{Outcome, interrupt};
use crate::puzzles::brainball::solution::{Step, Task, turns};
use crate::puzzles::brainball::{self, Ball, parse};
use crate::search::layers::ends::{Way, Ways};

/// Solve positions in the fewest turns
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve brainball solve 1,-5,2,3,4,6,7,8,-12,9,10,11,13\n  \
    gpu-solve brainball solve --all 1w 5y 2w 3w 4w 6w 7w 8w 12y 9w 10w 11w 13w\n  \
    gpu-solve brainball solve --goal ring --file positions.txt\n  \
    gpu-solve brainball solve 2,3,4,5,6,7,8,9,10,11,12,13,1 \\\n    --to 1,2,3,4,5,6,7,8,9,10,11,12,13\n\n\
    Exit codes: 0 solved, 2 not answered, 130 interrupted. Every position can be solved.")]
pub struct Solve {
    #[command(flatten)]
    positions: Positions,
    /// When a ball counts as solved
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    /// Go to this position instead of the solved ball (under --goal ring: to it or a rotation of it)
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    to: Option<String>,
    /// List and count every optimal solution
    #[arg(long, conflicts_with_all = ["search", "heuristic"])]
    all: bool,
    /// Draw the ball before and after each step
    #[arg(long)]
    show: bool,
    /// How to write turns
    #[arg(long, value_enum, default_value_t, value_name = "NOTATION")]
    notation: Notation,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    search: SearchArgs,
}

/// One solved position.
pub struct Solved {
    task: Task,
    /// Of the first way.
    pub steps: Vec<Step>,
    /// Side turns of each way that was asked for.
    ways: Vec<Vec<usize>>,
    found: Found,
    seconds: f64,
}

#[derive(Serialize)]
struct Answer<'a> {
    format: &'static str,
    command: &'static str,
    #[serde(flatten)]
    one: One<'a>,
}

#[derive(Serialize)]
struct Answers<'a> {
    format: &'static str,
    command: &'static str,
    results: Vec<One<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct One<'a> {
    goal: &'static str,
    position: &'a [i8],
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a [i8]>,
    length: usize,
    optimal: bool,
    turns: Vec<usize>,
    steps: Vec<StepOut>,
    slash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<Vec<Vec<usize>>>,
    nodes: u64,
    seconds: f64,
    backend: &'static str,
    lockstep: bool,
    faults: Vec<String>,
    table_depth: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum StepOut {
    Turn { turn: usize },
    Turn180 { turn180: bool },
}

impl From<&Step> for StepOut {
    fn from(step: &Step) -> Self {
        match step {
            Step::Turn(axis) => Self::Turn { turn: *axis },
            Step::Turn180 => Self::Turn180 { turn180: true },
        }
    }
}

impl Solve {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        let (balls, list) = self.positions.read()?;
        let target = match &self.to {
            Some(text) => parse::position(text).context("--to")?,
            None => Ball::solved(brainball::ball::TILES),
        };
        let tasks = balls
            .iter()
            .map(|ball| Ok(Task::new(ball, &target, self.goal.into())?))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let stop = interrupt::flag()?;
        let place = globals.place(true)?;
        if self.all && matches!(place, Place::Device(_)) {
            bail!("--all searches on the CPU; leave --backend, --adapter and --lockstep out");
        }
        let table = self.table.solver(globals, self.goal, self.search, place, stop)?;
        let (total, done) = (tasks.len() as u128, AtomicU64::new(0));
        let one = |task| {
            let solved = self.solve(&table, task, stop)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            watch::progress(Told::counts("positions", done.into(), total));
            anyhow::Ok(solved)
        };
        let solved = if table.on_device() {
            // The device takes one search at a time.
            tasks.into_iter().map(one).collect::<anyhow::Result<Vec<_>>>()?
        } else {
            tasks.into_par_iter().map(one).collect::<anyhow::Result<Vec<_>>>()?
        };
        if globals.lockstep && !solved.iter().any(|one| one.found.lockstep) {
            bail!(
                "lockstep compared nothing: what lies within the table is looked up; a lesser --table-depth leaves work"
            );
        }
        match globals.format {
            Format::Json if list => print_json(&Answers {
                format: JSON_FORMAT,
                command: "brainball solve",
                results: solved.iter().map(|one| self.json(one, &table)).collect::<anyhow::Result<_>>()?,
                seconds: begun.elapsed().as_secs_f64(),
            })?,
            Format::Json => {
                for answer in &solved {
                    let one = self.json(answer, &table)?;
                    print_json(&Answer { format: JSON_FORMAT, command: "brainball solve", one })?;
                }
            }
            Format::Text if list && !self.all && !self.show => {
                let lines: Vec<_> = solved.iter().map(|one| self.line(one)).collect();
                print(&lines.concat())?;
            }
            Format::Text => {
                let texts = solved.iter().map(|one| self.text(one, &table)).collect::<anyhow::Result<Vec<_>>>()?;
                print(&texts.join("\n"))?;
            }
        }
        Ok(Outcome::Found)
    }

    fn solve(&self, table: &Solver, task: Task, stop: &std::sync::atomic::AtomicBool) -> anyhow::Result<Solved> {
        let begun = Instant::now();
        if self.all {
            let Ways { turns, nodes } = table.ways(&task, stop)?;
            let found =
                Found { way: Way { turns: Vec::new(), nodes }, backend: "cpu", lockstep: false, faults: Vec::new() };
            return Solved::new(task, turns, found, begun.elapsed().as_secs_f64());
        }
        let found = table.find(&task, stop)?;
        Solved::new(task, vec![found.way.turns.clone()], found, begun.elapsed().as_secs_f64())
    }

    fn json<'a>(&self, solved: &'a Solved, table: &Solver) -> anyhow::Result<One<'a>> {
        let all = self.all.then(|| solved.all_turns()).transpose()?;
        Ok(One {
            goal: solved.task.goal.name(),
            position: solved.task.start.tiles(),
            to: self.to.is_some().then(|| solved.task.target.tiles()),
            length: solved.length(),
            optimal: table.is_optimal(),
            turns: turns(&solved.steps),
            steps: solved.steps.iter().map(StepOut::from).collect(),
            slash: solved.task.slash(&solved.ways[0]),
            count: self.all.then_some(solved.ways.len()),
            solutions: all,
            nodes: solved.found.way.nodes,
            seconds: solved.seconds,
            backend: solved.found.backend,
            lockstep: solved.found.lockstep,
            faults: solved.found.faults.clone(),
            table_depth: table.table_depth(),
        })
    }

    fn turns(&self, solved: &Solved, way: &[usize]) -> String {
        match self.notation {
            Notation::Slash => solved.task.slash(way),
            Notation::Index => {
                let steps = solved.task.steps(way).unwrap_or_default();
                turns(&steps).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// One result on a line: position, length, turns.
    fn line(&self, solved: &Solved) -> String {
        let turns = self.turns(solved, &solved.ways[0]);
        format!("{}  {}  {turns}\n", solved.task.start, solved.length())
    }

    fn text(&self, solved: &Solved, table: &Solver) -> anyhow::Result<String> {
        let mut text = String::new();
        if self.show {
            text = view::steps(&solved.task.start, &solved.steps);
            text.push('\n');
        }
        let goal = solved.task.goal;
        // Writing to a string does not fail.
        let _ = match &self.to {
            Some(_) => writeln!(text, "from {}\nto   {} (goal {goal})", solved.task.start, solved.task.target),
            None => writeln!(text, "{} (goal {goal})", solved.task.start),
        };
        let length = solved.length();
        let _ = writeln!(
            text,
            "{length} {}: {}",
            if length == 1 { "turn" } else { "turns" },
            self.turns(solved, &solved.ways[0])
        );
        if !solved.steps.is_empty() {
            let _ = writeln!(text, "steps: {}", view::line(&solved.steps));
        }
        if self.all {
            solved.all_turns()?;
            let _ = writeln!(text, "{} optimal solutions:", grouped(solved.ways.len() as u128));
            for way in &solved.ways {
                let _ = writeln!(text, "  {}", self.turns(solved, way));
            }
        }
        let _ = writeln!(
            text,
            "{}, replayed by the rules\n{} nodes, {}, backend {}{}, table depth {}",
            if table.is_optimal() { "proven optimal" } else { "not proven optimal" },
            grouped(solved.found.way.nodes.into()),
            duration(solved.seconds),
            solved.found.backend,
            if solved.found.lockstep { ", lockstep held" } else { "" },
            table.table_depth()
        );
        Ok(text)
    }
}

impl Solved {
    /// Replays the first way, which becomes the steps.
    pub fn new(task: Task, ways: Vec<Vec<usize>>, found: Found, seconds: f64) -> anyhow::Result<Self> {
        let first = ways.first().context("the search found no way")?;
        let steps = task.steps(first)?;
        Ok(Self { task, steps, ways, found, seconds })
    }

    fn length(&self) -> usize {
        self.ways[0].len()
    }

    /// The ring indices of every way, each replayed.
    fn all_turns(&self) -> anyhow::Result<Vec<Vec<usize>>> {
        self.ways.iter().map(|way| Ok(turns(&self.task.steps(way)?))).collect()
    }
}
