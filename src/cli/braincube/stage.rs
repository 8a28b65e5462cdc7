//! `braincube stage`: a stage solved.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use clap::Args;
use serde_json::json;

use super::stage_input::{StageArgs, letter, letters, picture};
use crate::cli::globals::{Format, FormatChoice, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json};
use crate::cli::{Outcome, interrupt};
use crate::gpu::Gpu;
use crate::puzzles::braincube::stage::{Merged, Rules, Stage};
use crate::puzzles::packed_graph::{PackedGraph, PackedKernel};
use crate::search::layers::packed::{Found, search, search_by};
use crate::search::layers::packed_gpu::{PackedExpander, fits};

/// Solve a stage: a board with fragile squares, switches, bridges and splitters
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Least rolls: exchanging the cubes is free. Least moves: an exchange is a move. Solutions: the number of ways with \
    the least moves.\n\nExamples:\n  gpu-solve braincube stage --builtin 3\n  gpu-solve braincube stage level.txt --steps\n\n\
    Exit codes: 0 solved, 1 it has no solution, 2 not answered, 130 interrupted."
)]
pub struct StageCommand {
    #[command(flatten)]
    stage: StageArgs,
    /// Draw every step of the solution with the least moves
    #[arg(long)]
    steps: bool,
}

/// Stages with fewer states than this to number are done on the CPU before a device is open.
const SMALL: u64 = 1 << 24;

/// Runs the searches where they are to run.
struct Runner {
    place: Place,
    gpu: Option<Arc<Gpu>>,
    on_device: u64,
    compared: u64,
    faults: Vec<String>,
}

impl Runner {
    fn choose(globals: &Globals, rules: &Rules) -> anyhow::Result<Self> {
        let place = globals.place(rules.bound().is_none_or(|bound| bound < SMALL))?;
        let gpu = match &place {
            Place::Device(adapter) => Some(Gpu::open(adapter)?),
            Place::Cpu(_) => None,
        };
        Ok(Self { place, gpu, on_device: 0, compared: 0, faults: Vec::new() })
    }

    fn search<G: PackedKernel>(&mut self, globals: &Globals, graph: &G, start: u64) -> anyhow::Result<Found> {
        let stop = interrupt::flag()?;
        let Some(gpu) = &self.gpu else { return Ok(search(graph, start, stop)) };
        if !fits(graph, gpu.max_binding_words()) {
            if !globals.lockstep {
                globals.say("the states of this stage have no room on the device: the CPU searches");
            }
            return Ok(search(graph, start, stop));
        }
        let mut expander = PackedExpander::new(gpu, graph, globals.lockstep)?;
        let found = search_by(graph, start, stop, |met, frontier| expander.expand(met, frontier))?;
        self.on_device += expander.on_device();
        self.compared += expander.compared();
        if let Some(fault) = expander.fault() {
            globals.say(format!("warning: {fault}"));
            self.faults.push(fault.to_owned());
        }
        Ok(found)
    }

    /// Refuses a lockstep that compared nothing.
    fn check(&self, globals: &Globals) -> anyhow::Result<()> {
        ensure!(
            !globals.lockstep || self.compared > 0,
            "the lockstep run compared nothing: the states of this stage have no room on the device"
        );
        Ok(())
    }

    fn backend(&self) -> &'static str {
        if self.on_device > 0 { self.place.backend() } else { "cpu" }
    }

    fn adapter(&self) -> Option<String> {
        match &self.place {
            Place::Device(adapter) if self.on_device > 0 => Some(adapter.description.line()),
            _ => None,
        }
    }
}

impl StageCommand {
    /// Solves and prints.
    ///
    /// # Errors
    /// Bad input, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        let (stage, rules) = self.stage.load()?;
        let begun = Instant::now();
        let mut runner = Runner::choose(globals, &rules)?;
        let moves = runner.search(globals, &rules, rules.start())?;
        let splits = !stage.splitters.is_empty();
        // Without splitters there is nothing to exchange.
        let merged = Merged(&rules);
        let rolls = splits.then(|| runner.search(globals, &merged, rules.start())).transpose()?;
        runner.check(globals)?;
        let seconds = begun.elapsed().as_secs_f64();
        if !moves.complete || rolls.as_ref().is_some_and(|rolls| !rolls.complete) {
            globals.say("interrupted before the answer was whole");
            return Ok(Outcome::Interrupted);
        }
        let least_rolls = rolls.as_ref().map_or_else(|| moves.way.clone(), |rolls| rolls.way.clone());
        let rolling = match &rolls {
            Some(rolls) => rolls.way.as_ref().map(|way| merged.unmerge(way)),
            None => moves.way.clone(),
        };
        let solved = moves.way.is_some();
        if globals.format == Format::Json {
            print_json(&json!({
                "format": JSON_FORMAT, "command": "braincube stage", "name": stage.name,
                "rows": stage.rows(), "cols": stage.cols(), "solvable": solved,
                "rolls": least_rolls.as_ref().map(Vec::len), "moves": moves.way.as_ref().map(Vec::len),
                "solution": moves.way.as_ref().map(|way| letters(way)),
                "roll_solution": rolling.as_ref().map(|way| letters(way)),
                "solutions": moves.ways.to_string(), "reachable": json_number(moves.reachable.into()),
                "expanded_layers": moves.layers, "seconds": seconds, "backend": runner.backend(), "adapter": runner.adapter(),
                "lockstep": runner.compared > 0, "faults": runner.faults,
            }))?;
        } else {
            let rolls = least_rolls.as_ref().map(Vec::len);
            let mut text = self.text(&stage, &rules, &moves, rolls, rolling.as_deref(), seconds);
            // Writing to a string does not fail.
            let lockstep = if runner.compared > 0 { ", in lockstep with the CPU" } else { "" };
            let _ = writeln!(text, "backend {}{lockstep}", runner.backend());
            print(&text)?;
        }
        Ok(if solved { Outcome::Found } else { Outcome::None })
    }

    fn text(
        &self,
        stage: &Stage,
        rules: &Rules,
        moves: &Found,
        rolls: Option<usize>,
        rolling: Option<&[u8]>,
        seconds: f64,
    ) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        if !stage.name.is_empty() {
            let _ = writeln!(text, "{}", stage.name);
        }
        text += &picture(stage, rules, rules.start());
        match (&moves.way, rolls) {
            (Some(way), Some(rolls)) => {
                if self.steps {
                    let mut here = rules.start();
                    for (number, &label) in (1..).zip(way) {
                        here = rules.after(here, label).unwrap_or(here);
                        let _ = writeln!(text, "\n{number}. {}", letter(label));
                        text += &picture(stage, rules, here);
                    }
                    text.push('\n');
                }
                let ways = &moves.ways;
                let (count, way) = (way.len(), letters(way));
                let one = *ways == 1u32.into();
                let many = if one { "the only way".to_owned() } else { format!("{ways} ways") };
                let _ = writeln!(text, "least moves: {count}, {many}\n{way}");
                if !stage.splitters.is_empty() {
                    let way = letters(rolling.unwrap_or_default());
                    let _ = writeln!(text, "least rolls, exchanges free: {rolls}\n{way}");
                }
            }
            _ => text += "no solution\n",
        }
        let reachable = grouped(moves.reachable.into());
        let _ = writeln!(text, "{reachable} states can be reached, all seen in {}", duration(seconds));
        text
    }
}
