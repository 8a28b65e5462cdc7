//! `gpu-solve verify`: every kernel beside its twin, on every adapter.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;
use serde::Serialize;

use super::globals::{Format, Globals};
use super::kernels::{KernelArgs, adapters, at_most_a_day, heading};
use super::output::{JSON_FORMAT, duration, grouped, print, print_json};
use super::{Outcome, interrupt};
use crate::gpu::Gpu;
use crate::gpu::adapters::{Adapter, Description};
use crate::gpu::fault::SOFTWARE_ADAPTER_HINT;
use crate::kernel::Kernel;
use crate::search::trials::{Difference, Terms, Unequal, Verdict, verify};

/// Compare every kernel with its CPU twin on every adapter, or on the one named:
/// what to run on a machine whose driver is in doubt
#[derive(Args, Clone, Debug)]
#[command(after_help = "Every kernel first runs its own trials, whatever the time; then launches\n\
    drawn from its spaces, until the time is over. Equal digests on two machines:\n\
    both computed the same in the trials.\n\n\
    Examples:\n  gpu-solve verify\n  gpu-solve verify --adapter 0 --seconds 600\n  \
    gpu-solve verify --kernel billiard --format json\n\n\
    Exit codes: 0 all compared and equal, 2 a difference, a fault, or nothing\ncompared, 130 interrupted.")]
pub struct Verify {
    #[command(flatten)]
    kernels: KernelArgs,
    /// How long, over all adapters; the trials are run in any case
    #[arg(long, value_name = "SECONDS", value_parser = at_most_a_day, default_value = "10")]
    seconds: Duration,
    /// Start of the random numbers that draw launches
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u32,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    equal: bool,
    complete: bool,
    adapters: Vec<OfAdapter>,
    seconds: f64,
}

/// What came of an adapter.
#[derive(Serialize)]
struct OfAdapter {
    #[serde(flatten)]
    description: Description,
    /// Why no device was opened.
    fault: Option<String>,
    kernels: Vec<OfKernel>,
    #[serde(skip)]
    heading: String,
}

#[derive(Serialize)]
struct OfKernel {
    kernel: &'static str,
    equal: bool,
    rounds: u64,
    launches: u64,
    words: u64,
    /// Of the trials; null where they were not found equal.
    digest: Option<String>,
    difference: Option<OfDifference>,
    fault: Option<String>,
    #[serde(skip)]
    unequal: Option<Unequal>,
}

#[derive(Serialize)]
struct OfDifference {
    launch: usize,
    binding: &'static str,
    word: usize,
    device: u32,
    twin: u32,
}

impl Verify {
    /// Compares, prints the table, and says by the exit code whether all was equal.
    ///
    /// # Errors
    /// When there is nothing to compare, or stdout fails.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let began = Instant::now();
        let kernels = self.kernels.chosen()?;
        let adapters = adapters(globals, "verify")?;
        ensure!(!adapters.is_empty(), "nothing to compare: no such adapter is present; {SOFTWARE_ADAPTER_HINT}");
        let stop = interrupt::flag()?;
        let share = self.seconds / u32::try_from(adapters.len()).unwrap_or(u32::MAX);
        let mut compared = Vec::new();
        for adapter in &adapters {
            if !stop.load(Ordering::Relaxed) {
                globals.say(format!("verifying on {}", adapter.description.line()));
                compared.push(self.on(adapter, &kernels, share, stop));
            }
        }
        let all = || compared.iter().flat_map(|adapter| &adapter.kernels);
        let complete =
            compared.len() == adapters.len() && all().all(|kernel| kernel.rounds > 0 || kernel.unequal.is_some());
        let equal =
            complete && compared.iter().all(|adapter| adapter.fault.is_none()) && all().all(|kernel| kernel.equal);
        let seconds = began.elapsed().as_secs_f64();
        let differs = !equal && (complete || all().any(|kernel| kernel.unequal.is_some()));
        let answer = Answer { format: JSON_FORMAT, command: "verify", equal, complete, adapters: compared, seconds };
        match globals.format {
            Format::Json => print_json(&answer)?,
            Format::Text => print(&answer.text())?,
        }
        Ok(match (equal, differs) {
            (true, _) => Outcome::Found,
            (false, true) => Outcome::Unanswered,
            (false, false) => Outcome::Interrupted,
        })
    }

    fn on(&self, adapter: &Adapter, kernels: &[&'static Kernel], time: Duration, stop: &AtomicBool) -> OfAdapter {
        let (description, heading) = (adapter.description.clone(), heading(adapter));
        let gpu = match Gpu::open(adapter) {
            Ok(gpu) => gpu,
            Err(fault) => {
                return OfAdapter { description, fault: Some(fault.to_string()), kernels: Vec::new(), heading };
            }
        };
        let terms = Terms { until: Instant::now() + time, seed: self.seed, stop };
        let verdicts = verify(kernels, &|kernel, launch| gpu.launch(kernel, launch), &terms);
        OfAdapter { description, fault: None, kernels: verdicts.into_iter().map(OfKernel::of).collect(), heading }
    }
}

impl OfKernel {
    fn of(verdict: Verdict) -> Self {
        let equal = verdict.is_equal();
        let Verdict { kernel, rounds, compared, unequal } = verdict;
        let (mut difference, mut fault) = (None, None);
        match &unequal {
            None => {}
            Some(Unequal::Difference { launch, difference: Difference { binding, word, device, twin } }) => {
                difference = Some(OfDifference { launch: *launch, binding, word: *word, device: *device, twin: *twin });
            }
            Some(other) => fault = Some(other.to_string()),
        }
        let digest = (rounds > 0).then(|| format!("{:016x}", compared.digest));
        Self {
            kernel,
            equal,
            rounds,
            launches: compared.launches,
            words: compared.words,
            digest,
            difference,
            fault,
            unequal,
        }
    }

    fn outcome(&self) -> &'static str {
        match (&self.unequal, self.equal) {
            (None, true) => "equal",
            (None, false) => "not run",
            (Some(Unequal::Difference { .. }), _) => "DIFFERS",
            (Some(_), _) => "FAILED",
        }
    }
}

impl Answer {
    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        for adapter in &self.adapters {
            let _ = writeln!(text, "{}", adapter.heading);
            if let Some(fault) = &adapter.fault {
                let _ = writeln!(text, "   {fault}\n");
                continue;
            }
            let _ = writeln!(text, "   {:<22}{:>8}{:>14}  digest", "kernel", "launches", "words");
            for kernel in &adapter.kernels {
                let digest = kernel.digest.as_deref().unwrap_or("-");
                let (launches, words) = (grouped(kernel.launches.into()), grouped(kernel.words.into()));
                let _ = writeln!(
                    text,
                    "   {:<22}{launches:>8}{words:>14}  {digest:<16}  {}",
                    kernel.kernel,
                    kernel.outcome()
                );
                if let Some(unequal) = &kernel.unequal {
                    let _ = writeln!(text, "      {unequal}");
                }
            }
            text.push('\n');
        }
        let lines = || self.adapters.iter().flat_map(|adapter| &adapter.kernels);
        let compared: u64 = lines().map(|kernel| kernel.words).sum();
        let verdict = match (self.equal, self.complete) {
            (true, _) => "all equal",
            (false, true) => "NOT ALL EQUAL",
            (false, false) => "interrupted: not all was compared",
        };
        let _ = writeln!(text, "{verdict}; {} words compared in {}", grouped(compared.into()), duration(self.seconds));
        text
    }
}
