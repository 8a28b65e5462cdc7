//! `gpu-solve billiard minimum`: the least M with a solution, and the searches that rule out every M below it.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{bail, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Solution, drawing};
use super::run::{expand, job};
use super::{Chosen, SolverChoice};
use crate::cli::Outcome;
use crate::cli::devices::Devices;
use crate::cli::globals::{Format, Globals};
use crate::cli::kept::{Ends, KeepArgs, search};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json};
use crate::puzzles::billiard::rows::MOST_VALUES;
use crate::puzzles::billiard::rules::{Triangle, balls};
use crate::puzzles::billiard::{Solver, mirror_images};
use crate::search::index::engine::is_small;
use crate::search::index::record::{Record, save};
use crate::search::index::session::Session;
use crate::search::lock::Lock;

/// Find the least M for which a triangle exists, ruling out every smaller one from --from on
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve billiard minimum --order 9\n  \
    gpu-solve billiard minimum --order 11 --from 100 --checkpoint 11.json --resume\n\nThe solver is rows. A triangle with values up to M is one with values up to M+1 too, so ruling out M rules out all below it, and --from may start as high as the answer is sure to reach.")]
pub struct Minimum {
    /// Rows of the triangle
    #[arg(long, value_name = "N")]
    order: usize,
    /// The first M to search [default: ORDER(ORDER+1)/2]
    #[arg(long, value_name = "M")]
    from: Option<usize>,
    #[command(flatten)]
    keep: KeepArgs,
}

/// One M.
#[derive(Serialize)]
pub struct Tried {
    max: usize,
    complete: bool,
    count: Value,
    count_up_to_mirror: Value,
    nodes: Value,
    steps: Value,
    digest: String,
    seconds: f64,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    order: usize,
    minimum: Option<usize>,
    complete: bool,
    solver: &'static str,
    backend: &'static str,
    adapter: Option<String>,
    lockstep: bool,
    maxima: Vec<Tried>,
    solutions: Vec<Solution>,
    nodes: Value,
    steps: Value,
    seconds: f64,
}

/// What a run of searches for the least M has found.
pub struct Found {
    /// The least M and a triangle; `None`: stopped before.
    pub answer: Option<(usize, Triangle)>,
    /// Every M tried.
    pub tried: Vec<Record>,
    backend: &'static str,
    adapter: Option<String>,
}

impl Tried {
    /// What a record says.
    fn of(record: &Record) -> Self {
        let parameter =
            |name: &str| record.job.parameters.get(name).and_then(|text| text.parse().ok()).unwrap_or_default();
        Self {
            max: parameter("max"),
            complete: record.is_complete(),
            count: json_number(u128::from(mirror_images(parameter("order"))) * u128::from(record.found)),
            count_up_to_mirror: json_number(record.found.into()),
            nodes: json_number(record.nodes.into()),
            steps: json_number(record.steps.into()),
            digest: format!("{:016x}", record.digest),
            seconds: record.milliseconds as f64 / 1e3,
        }
    }
}

/// Searches M by M from `from` on until one has a solution.
pub fn find(
    globals: &Globals,
    session: &mut Session,
    order: usize,
    from: usize,
    deadline: Option<Instant>,
) -> anyhow::Result<Found> {
    let mut found = Found { answer: None, tried: Vec::new(), backend: "cpu", adapter: None };
    for max in from.. {
        if max > MOST_VALUES {
            bail!("no triangle of order {order} with values up to {MOST_VALUES}, the most that the solver rows holds");
        }
        let space = Chosen::new(order, max, SolverChoice::Rows)?;
        let range = 0..space.space.size();
        let at = session.record(&Record::new(job("billiard", &space), range.clone()), &["max"])?;
        let covered = session.records()[at].covered.end;
        let devices = Devices::choose(globals, is_small(&*space.space, &(covered..range.end)))?;
        let ends = Ends { deadline, first: true, keep: 1, dots: false };
        let report = search(globals, session, at, (&*space.space, space.space.unit()), &devices, ends)?;
        found.backend = devices.backend(&report);
        found.adapter = devices.adapter(&report);
        let record = session.records()[at].clone();
        globals.say(format!(
            "order {order}, max {max}: {} in {}, {} nodes, {} steps",
            match (report.tally.found, report.complete) {
                (0, true) => "none",
                (0, false) => "none so far",
                _ => "found",
            },
            duration(record.milliseconds as f64 / 1e3),
            grouped(record.nodes.into()),
            grouped(record.steps.into()),
        ));
        found.tried.push(record);
        if report.tally.found > 0 {
            let triangle = expand(&*space.space, &report.tally.hits, 1)?.into_iter().next();
            found.answer = triangle.map(|triangle| (max, triangle));
            return Ok(found);
        }
        if !report.complete {
            return Ok(found);
        }
    }
    Ok(found)
}

impl Minimum {
    /// Searches and prints the answer.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        self.keep.check()?;
        let from = self.from.unwrap_or_else(|| balls(self.order));
        ensure!(
            from >= balls(self.order),
            "--from {from}: a triangle of order {} has {} entries, so M is at least that",
            self.order,
            balls(self.order)
        );
        let _held = self.keep.out.as_deref().map(Lock::beside).transpose()?;
        if let Some(out) = self.keep.out.as_deref().filter(|out| out.exists()) {
            bail!("{}: it is there already; name another file, or remove it if it is no longer wanted", out.display());
        }
        let mut session = self.keep.session(globals)?;
        let deadline = self.keep.deadline(begun);
        let found = find(globals, &mut session, self.order, from, deadline)?;
        let unsaved = match (&found.answer, &self.keep.out) {
            (Some(_), Some(out)) => save(out, &found.tried).err(),
            _ => None,
        };
        match globals.format {
            Format::Json => print_json(&self.object(&found))?,
            Format::Text => print(&self.text(&found))?,
        }
        let whole = found.answer.is_some();
        self.keep.ended(globals, (whole, whole), unsaved)
    }

    fn object(&self, found: &Found) -> Object {
        let sum = |of: fn(&Record) -> u64| json_number(found.tried.iter().map(|record| u128::from(of(record))).sum());
        Object {
            format: JSON_FORMAT,
            command: "billiard minimum",
            order: self.order,
            minimum: found.answer.as_ref().map(|(max, _)| *max),
            complete: found.answer.is_some(),
            solver: "rows",
            backend: found.backend,
            adapter: found.adapter.clone(),
            lockstep: found.tried.iter().all(|record| record.lockstep),
            maxima: found.tried.iter().map(Tried::of).collect(),
            solutions: found.answer.iter().map(|(_, triangle)| Solution::of(triangle)).collect(),
            nodes: sum(|record| record.nodes),
            steps: sum(|record| record.steps),
            seconds: found.tried.iter().map(|record| record.milliseconds as f64 / 1e3).sum(),
        }
    }

    fn text(&self, found: &Found) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = match &found.answer {
            Some((max, triangle)) => {
                text += &drawing(triangle);
                writeln!(text, "\nthe least max of order {} is {max}", self.order)
            }
            None => writeln!(text, "stopped before the least max of order {} was found", self.order),
        };
        let _ = writeln!(text, "{:>5}  {:>9}  {:>16}  {:>20}  {:>12}", "max", "solutions", "nodes", "steps", "time");
        for record in &found.tried {
            let tried = Tried::of(record);
            let solutions = match (record.found, record.is_complete()) {
                (0, true) => "none",
                (0, false) => "none yet",
                _ => "found",
            };
            let _ = writeln!(
                text,
                "{:>5}  {:>9}  {:>16}  {:>20}  {:>12}",
                tried.max,
                solutions,
                grouped(record.nodes.into()),
                grouped(record.steps.into()),
                duration(tried.seconds)
            );
        }
        let lockstep = if found.tried.iter().all(|record| record.lockstep) { "held" } else { "not run" };
        let adapter = found.adapter.as_deref().unwrap_or("none");
        let _ = writeln!(
            text,
            "solver {}, backend {}, adapter {adapter}, lockstep {lockstep}",
            Solver::Rows,
            found.backend
        );
        text
    }
}
