//! `gpu-solve billiard`: exact difference triangles.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::time::Instant;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::globals::{Format, Globals, Place};
use super::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json, rate};
use super::parsers::{IndexRange, index_range};
use super::progress::Meter;
use super::{Outcome, interrupt};
use crate::puzzles::billiard::rules::{Triangle, balls};
use crate::puzzles::billiard::{BilliardSpace, Solver};
use crate::search::engine::{GpuOpener, Opener, is_small};
use crate::search::range::{Event, Plan, Report, search};

/// Find exact difference triangles: ORDER rows of distinct numbers from 1 to MAX,
/// each below two of the row above it and their difference
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve billiard\n  gpu-solve billiard --order 6 --max 22 --lockstep --backend vulkan\n  \
    gpu-solve billiard --solver brute-force --range 370_450_000_000..370_451_000_000\n  \
    gpu-solve billiard --order 4 --max 20 --count --format json\n\nExit codes: 0 found, 1 none exists (in the range), 2 not answered, 130 interrupted."
)]
pub struct Billiard {
    /// Rows of the triangle
    #[arg(long, default_value_t = 5, value_name = "N")]
    order: usize,
    /// The greatest number allowed [default: ORDER(ORDER+1)/2, the least possible]
    #[arg(long, value_name = "M")]
    max: Option<usize>,
    /// How to search
    #[arg(long, value_enum, default_value_t, value_name = "SOLVER")]
    solver: SolverChoice,
    /// Search only the indices A to B-1 of the solver's index space
    #[arg(long, value_parser = index_range, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<IndexRange>,
    /// Count only, list no solution
    #[arg(long, conflicts_with = "list")]
    count: bool,
    /// List at most K solutions (the counts stay exact)
    #[arg(long, value_name = "K", default_value_t = 100)]
    list: usize,
    /// Progress as dots: one per 200,000 indices, 50 a line
    #[arg(long)]
    dots: bool,
}

/// `--solver`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SolverChoice {
    /// strategy, or diagonal where strategy's index space passes a thousand million
    #[default]
    Auto,
    /// Every top row; the rest follows. An index is a top row
    Strategy,
    /// Every permutation of all the balls, each one checked. An index is a permutation
    BruteForce,
    /// The top row from left to right, pruned. An index is the beginning of a top row
    Diagonal,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    order: usize,
    max: usize,
    solver: String,
    backend: &'static str,
    adapter: Option<String>,
    lockstep: bool,
    complete: bool,
    range: String,
    covered: String,
    count: Value,
    count_up_to_mirror: Value,
    solutions: Vec<Solution>,
    tried: Value,
    seconds: f64,
    faults: Vec<String>,
}

#[derive(Serialize)]
struct Solution {
    rows: Vec<Vec<u16>>,
}

impl Billiard {
    /// Searches and prints the answer.
    ///
    /// # Errors
    /// Bad input, faults that cannot be survived, a divergence in lockstep.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        let max = self.max.unwrap_or_else(|| balls(self.order));
        let solver = match self.solver {
            SolverChoice::Auto => Solver::auto(self.order, max)?,
            SolverChoice::Strategy => Solver::Strategy,
            SolverChoice::BruteForce => Solver::BruteForce,
            SolverChoice::Diagonal => Solver::Diagonal,
        };
        let space = solver.space(self.order, max)?;
        let range = match self.range {
            Some(range) => range.within(space.size()).map_err(|message| anyhow!(message))?,
            None => 0..space.size(),
        };
        let place = globals.place(is_small(&*space, &range))?;
        let report = self.search(globals, solver, &*space, &range, &place)?;
        let triangles = expand(&*space, &report)?;
        let count = space.weight() * report.tally.found;
        let up_to_mirror = if solver == Solver::BruteForce {
            // Both mirror images are hits here, or only one of them in a part of the space; all hits were kept.
            triangles.iter().map(|triangle| triangle.clone().min(triangle.mirror())).collect::<BTreeSet<_>>().len()
                as u64
        } else {
            report.tally.found
        };
        let answer = Answer {
            format: JSON_FORMAT,
            command: "billiard",
            order: self.order,
            max,
            solver: solver.to_string(),
            backend: if report.on_device { place.backend() } else { "cpu" },
            adapter: match &place {
                Place::Device(adapter) if report.on_device => Some(adapter.description.line()),
                _ => None,
            },
            lockstep: report.lockstep_held(),
            complete: report.complete,
            range: format!("{}..{}", range.start, range.end),
            covered: format!("{}..{}", report.covered.start, report.covered.end),
            count: json_number(count.into()),
            count_up_to_mirror: json_number(up_to_mirror.into()),
            solutions: triangles.iter().take(self.kept()).map(Solution::of).collect(),
            tried: json_number(report.covered.end - report.covered.start),
            seconds: begun.elapsed().as_secs_f64(),
            faults: report.survived.iter().map(ToString::to_string).collect(),
        };
        match globals.format {
            Format::Json => print_json(&answer)?,
            Format::Text => print(&text(
                &answer,
                &triangles[..triangles.len().min(self.kept())],
                count.into(),
                up_to_mirror.into(),
                &report,
            ))?,
        }
        Ok(match count {
            _ if !report.complete => Outcome::Interrupted,
            0 => Outcome::None,
            _ => Outcome::Found,
        })
    }

    /// Solutions to list.
    fn kept(&self) -> usize {
        if self.count { 0 } else { self.list }
    }

    fn search(
        &self,
        globals: &Globals,
        solver: Solver,
        space: &dyn BilliardSpace,
        range: &Range<u128>,
        place: &Place,
    ) -> anyhow::Result<Report> {
        let opener = match place {
            Place::Cpu(_) => None,
            Place::Device(adapter) => Some(GpuOpener::new((**adapter).clone())),
        };
        let plan = Plan {
            space,
            range: range.clone(),
            device: opener.as_ref().map(|opener| opener as &dyn Opener),
            lockstep: globals.lockstep,
            // Brute force counts mirror images by looking at every solution; there are eight at the most.
            keep: self.kept().max(if solver == Solver::BruteForce { usize::MAX } else { 0 }),
            stop: interrupt::flag()?,
        };
        let mut meter = Meter::new(globals, self.dots, space.unit());
        let outcome = search(&plan, &mut |event| match event {
            Event::Batch(progress) => {
                if globals.verbose {
                    let (number, indices, busy) = progress.batch;
                    let took = duration(busy.as_secs_f64());
                    meter.note(globals, &format!("batch {number}: {} {} in {took}", grouped(indices), space.unit()));
                }
                meter.show(&progress);
            }
            Event::Survived { fault, then } => meter.note(globals, &format!("{fault}; {then}")),
        });
        meter.finish();
        Ok(outcome?)
    }
}

/// The triangles behind the hits that were kept, mirror images included, each checked by the rules, in the rules' order.
fn expand(space: &dyn BilliardSpace, report: &Report) -> anyhow::Result<Vec<Triangle>> {
    let mut triangles = Vec::new();
    for &hit in &report.tally.hits {
        for triangle in space.expand(hit).context("the device or its driver is at fault; check it with --lockstep")? {
            if space.weight() == 2 {
                triangles.push(triangle.mirror());
            }
            triangles.push(triangle);
        }
    }
    triangles.sort();
    Ok(triangles)
}

impl Solution {
    fn of(triangle: &Triangle) -> Self {
        Self { rows: triangle.rows().map(<[u16]>::to_vec).collect() }
    }
}

/// The answer for people: every triangle with its top row first, then the counts.
fn text(answer: &Answer, listed: &[Triangle], count: u128, up_to_mirror: u128, report: &Report) -> String {
    let mut text = String::new();
    for triangle in listed {
        text += &drawing(triangle);
        text.push('\n');
    }
    let solutions = if count == 1 { "solution" } else { "solutions" };
    let tried = report.covered.end - report.covered.start;
    let seconds = answer.seconds;
    let lockstep = match (answer.lockstep, report.compared) {
        (true, batches) => format!("held, {} compared", plural(batches, "batch", "batches")),
        (false, 0) => "not run".to_owned(),
        (false, batches) => {
            format!("held for the first {} of {} batches", grouped(batches.into()), grouped(report.batches.into()))
        }
    };
    // Writing to a string does not fail.
    let _ = match count {
        0 => writeln!(text, "no solution"),
        _ => writeln!(text, "{} {solutions}, {} up to mirror", grouped(count), grouped(up_to_mirror)),
    };
    if u128::try_from(listed.len()).unwrap_or(0) < count && !listed.is_empty() {
        let _ = writeln!(text, "the first {} listed; --list K lists more", listed.len());
    }
    let _ =
        writeln!(text, "order {}, max {}, solver {}, range {}", answer.order, answer.max, answer.solver, answer.range);
    if !answer.complete {
        let _ =
            writeln!(text, "interrupted: {} is covered; go on with --range {}..", answer.covered, report.covered.end);
    }
    let _ = writeln!(
        text,
        "{} indices tried in {}, {}",
        grouped(tried),
        duration(seconds),
        rate(tried as f64 / seconds.max(1e-9))
    );
    let adapter = answer.adapter.as_deref().unwrap_or("none");
    let _ = writeln!(text, "backend {}, adapter {adapter}, lockstep {lockstep}", answer.backend);
    text
}

fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number.into()), if number == 1 { one } else { many })
}

/// A triangle as the rules draw it: the top row first, aligned by tabs, each ball between the two above it.
fn drawing(triangle: &Triangle) -> String {
    let mut text = String::new();
    for (depth, row) in triangle.rows().rev().enumerate() {
        let balls: Vec<_> = row.iter().map(ToString::to_string).collect();
        text += &"\t".repeat(depth);
        text += &balls.join("\t\t");
        text.push('\n');
    }
    text
}
