//! `gpu-solve bench`: how much of each kernel's work the CPU and each adapter do in a second.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::globals::{BackendChoice, Format, Globals};
use super::kernels::{KernelArgs, SOFTWARE, adapters, at_most_a_day, heading};
use super::output::{JSON_FORMAT, json_number, print, print_json, rate};
use super::{Outcome, interrupt};
use crate::gpu::Gpu;
use crate::gpu::adapters::{Adapter, Kind};
use crate::kernel::Kernel;
use crate::search::index::throughput::{Job, Throughput};

/// Time each kernel on every adapter, or on the one named, with its CPU twin beside it
#[derive(Args, Clone, Debug)]
#[command(after_help = "Kernels over an index space walk one, as a search does: the CPU by all\n\
    threads. The others are launched over and over with all words going up and\n\
    coming back, and their twins run on one thread: that says what a launch costs,\n\
    not what a search gains. A software adapter is the CPU in another dress; how it\n\
    compares with the CPU says nothing of a GPU and is not printed.\n\n\
    Examples:\n  gpu-solve bench\n  gpu-solve bench --kernel billiard/rows --seconds 5\n  \
    gpu-solve bench --backend cpu --format json")]
pub struct Bench {
    #[command(flatten)]
    kernels: KernelArgs,
    /// How long for each kernel on each side
    #[arg(long, value_name = "SECONDS", value_parser = at_most_a_day, default_value = "1")]
    seconds: Duration,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    complete: bool,
    kernels: Vec<OfKernel>,
}

#[derive(Serialize)]
struct OfKernel {
    kernel: &'static str,
    what: &'static str,
    unit: &'static str,
    sides: Vec<Side>,
}

/// The CPU, or an adapter.
#[derive(Serialize)]
struct Side {
    backend: &'static str,
    /// The adapter's line; null for the CPU.
    adapter: Option<String>,
    /// Whether it is a software adapter, which is no GPU.
    software: bool,
    /// Threads of the CPU's side; null for an adapter.
    threads: Option<usize>,
    items: Option<Value>,
    seconds: Option<f64>,
    per_second: Option<f64>,
    /// How many times the CPU's rate; null for the CPU and for a software adapter.
    beside_cpu: Option<f64>,
    fault: Option<String>,
    #[serde(skip)]
    name: String,
}

impl Bench {
    /// Times and prints.
    ///
    /// # Errors
    /// When no device opens, or stdout fails.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let kernels = self.kernels.chosen()?;
        let cpu_alone = globals.backend == Some(BackendChoice::Cpu);
        let adapters = if cpu_alone { Vec::new() } else { adapters(globals, "bench")? };
        let named = globals.adapter.is_some() || globals.backend.is_some();
        if adapters.is_empty() && !cpu_alone {
            anyhow::ensure!(!named, "no such adapter is present; see gpu-solve adapters");
            globals.say("no adapter is present: the CPU alone");
        }
        let stop = interrupt::flag()?;
        let devices = adapters.iter().map(Gpu::open).collect::<Result<Vec<_>, _>>().context("opening the devices")?;
        let mut timed = Vec::new();
        for kernel in &kernels {
            globals.say(format!("timing {}", kernel.name));
            let of = self.time(kernel, &adapters, &devices, stop)?;
            if stop.load(Ordering::Relaxed) {
                break;
            }
            timed.push(of);
        }
        let complete = timed.len() == kernels.len();
        let answer = Answer { format: JSON_FORMAT, command: "bench", complete, kernels: timed };
        match globals.format {
            Format::Json => print_json(&answer)?,
            Format::Text => print(&answer.text(&adapters))?,
        }
        let failed = answer.kernels.iter().flat_map(|kernel| &kernel.sides).any(|side| side.fault.is_some());
        Ok(match (complete, failed) {
            (false, _) => Outcome::Interrupted,
            (true, true) => Outcome::Unanswered,
            (true, false) => Outcome::Found,
        })
    }

    fn time(
        &self,
        kernel: &'static Kernel,
        adapters: &[Adapter],
        devices: &[Arc<Gpu>],
        stop: &AtomicBool,
    ) -> anyhow::Result<OfKernel> {
        let job = Job::of(kernel);
        let cpu = job.time(None, self.seconds, stop)?;
        let threads = job.threads();
        let mut sides = vec![Side::new(cpu, format!("cpu, {threads} thread{}", if threads == 1 { "" } else { "s" }))];
        sides[0].threads = Some(threads);
        for (adapter, gpu) in adapters.iter().zip(devices) {
            let description = &adapter.description;
            let name = format!("adapter {}", description.index);
            let mut side = match job.time(Some(gpu), self.seconds, stop) {
                Ok(done) => Side::new(done, name),
                Err(fault) => Side { fault: Some(fault.to_string()), ..Side::new(None, name) },
            };
            side.backend = description.backend.name();
            side.adapter = Some(description.line());
            side.software = description.kind == Kind::Software;
            if !side.software {
                side.beside_cpu = side.per_second.zip(sides[0].per_second).map(|(device, cpu)| device / cpu);
            }
            sides.push(side);
        }
        Ok(OfKernel { kernel: kernel.name, what: job.what(), unit: job.unit(), sides })
    }
}

impl Side {
    fn new(done: Option<Throughput>, name: String) -> Self {
        Self {
            backend: "cpu",
            adapter: None,
            software: false,
            threads: None,
            items: done.map(|done| json_number(done.items)),
            seconds: done.map(|done| done.seconds),
            per_second: done.map(Throughput::rate),
            beside_cpu: None,
            fault: None,
            name,
        }
    }

    fn note(&self) -> String {
        match (&self.fault, self.software, self.beside_cpu) {
            (Some(fault), ..) => format!("FAILED: {fault}"),
            (None, true, _) => SOFTWARE.to_owned(),
            (None, false, Some(times)) => format!("{times:.1} times the CPU"),
            (None, false, None) => String::new(),
        }
    }
}

impl Answer {
    fn text(&self, adapters: &[Adapter]) -> String {
        let mut text: String = adapters.iter().map(heading).collect();
        if !adapters.is_empty() {
            text.push('\n');
        }
        for kernel in &self.kernels {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}: {}, {}", kernel.kernel, kernel.what, kernel.unit);
            for side in &kernel.sides {
                let rate = side.per_second.map_or_else(|| "-".to_owned(), rate);
                let line = format!("   {:<18}{rate:>16}  {}", side.name, side.note());
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        text
    }
}
