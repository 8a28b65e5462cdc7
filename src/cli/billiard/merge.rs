//! `gpu-solve billiard merge`: the certificate of a distributed run.

use std::fmt::Write;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Solution, drawing};
use super::run::expand;
use super::{Chosen, SolverChoice};
use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::kept::{MergeArgs, words};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json};
use crate::puzzles::billiard::rules::Triangle;
use crate::search::index::merge::Merged;
use crate::search::index::record::{Job, Record};

/// Add up the result files of shards: they must agree in what was searched, and cover all of it,
/// with no hole and no overlap
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve billiard merge part-*.json --out whole.json\n\nExit codes: 0 whole, with solutions; 1 whole, none exists; 2 parts are missing (and named), overlap, or do not agree."
)]
pub struct Merge {
    #[command(flatten)]
    files: MergeArgs,
}

#[derive(Serialize)]
struct Part {
    file: String,
    range: String,
    count_up_to_mirror: Value,
    nodes: Value,
    steps: Value,
    digest: String,
    seconds: f64,
    lockstep: bool,
    devices: Vec<String>,
    version: String,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    order: usize,
    max: usize,
    solver: String,
    complete: bool,
    keyspace: String,
    missing: Vec<String>,
    count: Value,
    count_up_to_mirror: Value,
    nodes: Value,
    steps: Value,
    digest: String,
    seconds: f64,
    lockstep: bool,
    solutions: Vec<Solution>,
    ranges: Vec<Part>,
}

/// The space that a job names.
fn space(job: &Job) -> anyhow::Result<Chosen> {
    let parameter = |name: &str| {
        job.parameters
            .get(name)
            .with_context(|| format!("the records name no {name}: they are not of a search of triangles"))
    };
    let number = |name: &str| -> anyhow::Result<usize> {
        let text = parameter(name)?;
        text.parse().with_context(|| format!("the records' {name} is {text:?}, not a number"))
    };
    let solver = match parameter("solver")?.as_str() {
        "rows" => SolverChoice::Rows,
        "strategy" => SolverChoice::Strategy,
        "diagonal" => SolverChoice::Diagonal,
        "brute-force" => SolverChoice::BruteForce,
        other => bail!("the records' solver is {other:?}: expected rows, strategy, diagonal or brute-force"),
    };
    let space = Chosen::new(number("order")?, number("max")?, solver)?;
    if space.space.size() != job.size {
        bail!("the records' index space has {} indices, and this version's has {}", job.size, space.space.size());
    }
    Ok(space)
}

impl Merge {
    /// Adds up and prints.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let merged = self.files.merged()?;
        let space = space(&merged.job)?;
        let listed = expand(&*space.space, &merged.tally.hits, 100)?;
        match globals.format {
            Format::Json => print_json(&object(&space, &merged, &listed))?,
            Format::Text => print(&text(&space, &merged, &listed))?,
        }
        self.files.conclude(globals, &merged)
    }
}

fn object(space: &Chosen, merged: &Merged, listed: &[Triangle]) -> Object {
    let part = |(file, record): &(String, Record)| Part {
        file: file.clone(),
        range: words(&record.covered),
        count_up_to_mirror: json_number(record.found.into()),
        nodes: json_number(record.nodes.into()),
        steps: json_number(record.steps.into()),
        digest: format!("{:016x}", record.digest),
        seconds: record.milliseconds as f64 / 1e3,
        lockstep: record.lockstep,
        devices: record.devices.clone(),
        version: record.version.clone(),
    };
    Object {
        format: JSON_FORMAT,
        command: "billiard merge",
        order: space.order,
        max: space.max,
        solver: space.solver.to_string(),
        complete: merged.missing.is_empty(),
        keyspace: merged.job.size.to_string(),
        missing: merged.missing.iter().map(words).collect(),
        count: json_number(u128::from(space.space.weight()) * u128::from(merged.tally.found)),
        count_up_to_mirror: json_number(merged.tally.found.into()),
        nodes: json_number(merged.tally.nodes.into()),
        steps: json_number(merged.tally.work.into()),
        digest: format!("{:016x}", merged.tally.digest),
        seconds: merged.milliseconds as f64 / 1e3,
        lockstep: merged.parts.iter().all(|(_, record)| record.lockstep),
        solutions: listed.iter().map(Solution::of).collect(),
        ranges: merged.parts.iter().map(part).collect(),
    }
}

fn text(space: &Chosen, merged: &Merged, listed: &[Triangle]) -> String {
    let mut text = String::new();
    for triangle in listed {
        text += &drawing(triangle);
        text.push('\n');
    }
    // Writing to a string does not fail.
    for (file, record) in &merged.parts {
        let _ = writeln!(
            text,
            "{:>24}  {:>10} found  {:>18} nodes  {:>20} steps  {file}",
            words(&record.covered),
            grouped(record.found.into()),
            grouped(record.nodes.into()),
            grouped(record.steps.into())
        );
    }
    for missing in &merged.missing {
        let _ = writeln!(text, "{:>24}  missing", words(missing));
    }
    let _ = writeln!(
        text,
        "order {}, max {}, solver {}: {} of 0..{}; {} solutions up to mirror, {} nodes, {} steps, digest {:016x}, {} in all",
        space.order,
        space.max,
        space.solver,
        if merged.missing.is_empty() { "all" } else { "a part" },
        merged.job.size,
        grouped(merged.tally.found.into()),
        grouped(merged.tally.nodes.into()),
        grouped(merged.tally.work.into()),
        merged.tally.digest,
        duration(merged.milliseconds as f64 / 1e3)
    );
    text
}
