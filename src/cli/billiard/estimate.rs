//! `gpu-solve billiard estimate`: what a search will cost, before one starts.

use std::fmt::Write;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::SolverChoice;
use super::SpaceArgs;
use crate::cli::globals::{Format, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, grouped_digits, print, print_json, rate};
use crate::cli::parsers::seconds;
use crate::cli::{Outcome, interrupt};
use crate::puzzles::billiard::rows::Rows;
use crate::puzzles::billiard::rules::balls;
use crate::puzzles::index_space::IndexSpace;
use crate::search::index::engine::GpuOpener;
use crate::search::index::estimate::{Estimate as Range95, Probe, estimate, speed};

/// Sample what a search by rows will cost: nodes, steps and time on this device
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve billiard estimate --order 11 --max 100\n\nThe ranges hold 95 in 100 times by the sample's own spread; few very large prefixes may widen them."
)]
pub struct Estimate {
    #[command(flatten)]
    space: SpaceArgs,
    /// How long to sample
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3")]
    sample: Duration,
    /// Start of the random numbers: the same one draws the same prefixes
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u32,
}

#[derive(Serialize)]
struct Figure {
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    order: usize,
    max: usize,
    keyspace: String,
    sampled: u64,
    backend: &'static str,
    steps_per_second: f64,
    estimated_nodes: Figure,
    estimated_steps: Figure,
    estimated_seconds: Figure,
}

impl Figure {
    fn of(range: &Range95, factor: f64) -> Self {
        Self { mean: range.mean * factor, low: range.low * factor, high: range.high * factor }
    }
}

impl Estimate {
    /// Samples and prints.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        anyhow::ensure!(
            matches!(self.space.solver, SolverChoice::Auto | SolverChoice::Rows),
            "estimate samples the solver rows; the others take a time that their index space tells"
        );
        let begun = Instant::now();
        let order = self.space.order();
        let max = self.space.max.unwrap_or_else(|| balls(order));
        let space = Rows::new(order, max)?;
        let place = globals.place(false)?;
        let stop = interrupt::flag()?;
        let sample = estimate(space.size(), self.sample, self.seed, stop, &|index, seed| {
            let probe = space.sample(index, seed);
            Probe { nodes: probe.nodes, work: probe.work, done: probe.done }
        });
        let per_second = match &place {
            Place::Cpu(_) => sample.work_per_second,
            Place::Device(adapter) => speed(&space, &GpuOpener::new((**adapter).clone()), self.sample)?,
        };
        let below = space.below();
        let mut nodes = sample.nodes.clone();
        let mut steps = sample.work.clone();
        nodes.shift(below.nodes as f64);
        steps.shift(below.steps as f64);
        let factor = if per_second > 0.0 { 1.0 / per_second } else { f64::INFINITY };
        let object = Object {
            format: JSON_FORMAT,
            command: "billiard estimate",
            order,
            max,
            keyspace: space.size().to_string(),
            sampled: sample.drawn,
            backend: place.backend(),
            steps_per_second: per_second,
            estimated_nodes: Figure::of(&nodes, 1.0),
            estimated_steps: Figure::of(&steps, 1.0),
            estimated_seconds: Figure::of(&steps, factor),
        };
        match globals.format {
            Format::Json => print_json(&object)?,
            Format::Text => print(&text(&object, begun.elapsed()))?,
        }
        Ok(if stop.load(std::sync::atomic::Ordering::Relaxed) { Outcome::Interrupted } else { Outcome::Found })
    }
}

fn text(object: &Object, took: Duration) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "order {}, max {}: {} prefixes, {} draws in {}",
        object.order,
        object.max,
        grouped_digits(&object.keyspace),
        grouped(object.sampled.into()),
        duration(took.as_secs_f64())
    );
    for (name, figure) in [("nodes", &object.estimated_nodes), ("steps", &object.estimated_steps)] {
        let _ = writeln!(text, "{name}: {:.2e} ({:.2e} to {:.2e})", figure.mean, figure.low, figure.high);
    }
    let _ = writeln!(
        text,
        "time: {} ({} to {}) on {} at {}",
        duration(object.estimated_seconds.mean),
        duration(object.estimated_seconds.low),
        duration(object.estimated_seconds.high),
        object.backend,
        rate(object.steps_per_second).replace("/s", " steps/s")
    );
    text
}
