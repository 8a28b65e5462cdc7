//! `gpu-solve brainball layers`: positions at each distance from the goal.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use super::Goal;
use crate::cli::globals::{Format, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json, rate};
use crate::cli::watch::{self, Told};
use crate::cli::{Outcome, interrupt};
use crate::gpu::Gpu;
use crate::puzzles::brainball;
use crate::puzzles::brainball::packed::{FixedSpace, RingSpace, Space};
use crate::puzzles::expansion::Expanding;
use crate::search::layers::frontier::{self, FrontierError, LayerReport};
use crate::search::layers::frontier_gpu::{self, Event, ExpansionError, Plan};

/// Count the positions at each distance from the goal
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve brainball layers --goal ring --depth 8\n  \
    gpu-solve brainball layers --tiles 9 --goal ring --depth 99")]
pub struct Layers {
    /// When a ball counts as solved
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    /// The greatest distance
    #[arg(long, value_name = "D", default_value_t = 7)]
    depth: u32,
    /// The size of the ring: 7, 9, 11 or 13. On smaller rings side turns alone count, without turn180
    #[arg(long, value_name = "N", default_value_t = 13)]
    tiles: usize,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    goal: &'static str,
    tiles: usize,
    layers: Vec<Row>,
    states: u64,
    classes: u64,
    bytes: u64,
    bytes_per_class: f64,
    seconds: f64,
    complete: bool,
    backend: &'static str,
    lockstep: bool,
    faults: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    depth: u32,
    states: u64,
    classes: u64,
    /// 16 hexadecimal digits.
    digest: String,
    bytes: u64,
    seconds: f64,
}

/// A layer on a line.
pub fn line(report: &LayerReport) -> String {
    let seconds = report.time.as_secs_f64();
    format!(
        "{:>5}  {:>16}  {:>14}  {:>10}  {:>16}",
        report.depth,
        grouped(report.states.into()),
        grouped(report.classes.into()),
        duration(seconds),
        rate(report.states as f64 / seconds.max(1e-9)),
    )
}

/// Tells of a layer that is whole.
pub fn tell(globals: &Globals, report: &LayerReport) {
    watch::tell(watch::Kind::Layer, &told(report));
    if globals.verbose && !watch::is_on() {
        globals.say(line(report));
    }
}

/// A layer as a line of progress: its states.
fn told(report: &LayerReport) -> Told {
    Told {
        unit: Some("states"),
        depth: Some(report.depth),
        done: Some(json_number(report.states.into())),
        ..Told::default()
    }
}

impl Layers {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        match (self.tiles, self.goal) {
            (7, Goal::Fixed) => self.on_cpu::<7, false>(globals),
            (7, Goal::Ring) => self.on_cpu::<7, true>(globals),
            (9, Goal::Fixed) => self.on_cpu::<9, false>(globals),
            (9, Goal::Ring) => self.on_cpu::<9, true>(globals),
            (11, Goal::Fixed) => self.on_cpu::<11, false>(globals),
            (11, Goal::Ring) => self.on_cpu::<11, true>(globals),
            (13, Goal::Fixed) => self.anywhere(globals, &FixedSpace::default()),
            (13, Goal::Ring) => self.anywhere(globals, &RingSpace::default()),
            (other, _) => bail!("--tiles {other}: expected 7, 9, 11 or 13, as in --tiles 9"),
        }
    }

    /// On the CPU: the kernel is for the real toy's ring.
    fn on_cpu<const N: usize, const RING: bool>(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        if globals.lockstep {
            bail!("--lockstep needs the kernel, which is for rings of 13; leave --tiles or --lockstep out");
        }
        globals.say(format!("rings of {N} are enumerated on the CPU"));
        let stop = interrupt::flag()?;
        let begun = Instant::now();
        let mut outcome = frontier_gpu::Outcome::default();
        let built = frontier::build(&Space::<N, RING>, self.depth, stop, |report| {
            tell(globals, report);
            outcome.reports.push(*report);
        });
        outcome.complete = match built {
            Ok(layers) => layers.depth() < self.depth,
            Err(FrontierError::Interrupted) => return Ok(Outcome::Interrupted),
            Err(error) => return Err(error.into()),
        };
        self.print(globals, &outcome, "cpu", begun.elapsed())?;
        Ok(Outcome::Found)
    }

    fn anywhere<S: Expanding>(&self, globals: &Globals, space: &S) -> anyhow::Result<Outcome> {
        let stop = interrupt::flag()?;
        // Opening a device takes about half a second; the CPU has built depth 7 by then.
        let place = globals.place(self.depth <= 7)?;
        let open = match &place {
            Place::Cpu(_) => None,
            Place::Device(adapter) => Some(|| Gpu::open(adapter)),
        };
        let device = open.as_ref().map(|open| open as &dyn Fn() -> Result<_, _>);
        let plan = Plan { space, depth: self.depth, device, lockstep: globals.lockstep, stop };
        let begun = Instant::now();
        let outcome = frontier_gpu::build(&plan, &mut |event| match event {
            Event::Layer(report) => tell(globals, report),
            Event::Survived(fault) => globals.fault(&format!("{fault}; going on on the CPU")),
        });
        let outcome = match outcome {
            Err(ExpansionError::Frontier(FrontierError::Interrupted)) => return Ok(Outcome::Interrupted),
            other => other?,
        };
        let backend = if outcome.on_device { place.backend() } else { "cpu" };
        self.print(globals, &outcome, backend, begun.elapsed())?;
        Ok(Outcome::Found)
    }

    fn print(
        &self,
        globals: &Globals,
        outcome: &frontier_gpu::Outcome,
        backend: &'static str,
        time: Duration,
    ) -> anyhow::Result<()> {
        let (reports, complete) = (&outcome.reports, outcome.complete);
        let (states, classes, bytes) = reports
            .iter()
            .fold((0, 0, 0), |sum, report| (sum.0 + report.states, sum.1 + report.classes, sum.2 + report.bytes));
        let seconds = time.as_secs_f64();
        let answer = Answer {
            format: JSON_FORMAT,
            command: "brainball layers",
            goal: brainball::Goal::from(self.goal).name(),
            tiles: self.tiles,
            layers: reports.iter().map(Row::of).collect(),
            states,
            classes,
            bytes,
            bytes_per_class: bytes as f64 / classes.max(1) as f64,
            seconds,
            complete,
            backend,
            lockstep: outcome.compared > 0 && outcome.compared as usize + 1 >= reports.len(),
            faults: outcome.faults.iter().map(ToString::to_string).collect(),
        };
        if globals.format == Format::Json {
            return print_json(&answer);
        }
        let mut text =
            format!("{:>5}  {:>16}  {:>14}  {:>10}  {:>16}\n", "depth", "states", "classes", "time", "states/s");
        for report in reports {
            text.push_str(&line(report));
            text.push('\n');
        }
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{} states in {} classes, {}\n{:.2} bytes a class ({:.3} a state), backend {}, lockstep {}",
            grouped(states.into()),
            grouped(classes.into()),
            duration(seconds),
            answer.bytes_per_class,
            bytes as f64 / states.max(1) as f64,
            answer.backend,
            if answer.lockstep { format!("held, {} layers compared", outcome.compared) } else { "not run".to_owned() },
        );
        if complete {
            text.push_str("there are no more: this is the whole space\n");
        }
        print(&text)?;
        Ok(())
    }
}

impl Row {
    fn of(report: &LayerReport) -> Self {
        Self {
            depth: report.depth,
            states: report.states,
            classes: report.classes,
            digest: format!("{:016x}", report.digest),
            bytes: report.bytes,
            seconds: report.time.as_secs_f64(),
        }
    }
}
