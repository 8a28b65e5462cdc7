//! What `gpu-solve verify` and `gpu-solve bench` have in common: which kernels, which adapters, for how long.

use std::time::Duration;

use anyhow::{bail, ensure};
use clap::Args;

use super::globals::Globals;
use super::parsers::seconds;
use crate::gpu::adapters::{Adapter, Kind, Request, list};
use crate::kernel::Kernel;
use crate::kernels::ALL;

/// Said of a software adapter wherever its figures stand.
pub const SOFTWARE: &str = "software adapter, not a GPU";

/// Options of both.
#[derive(Args, Clone, Debug)]
pub struct KernelArgs {
    /// Only the kernels whose names hold TEXT, as in billiard or billiard/rows
    #[arg(long, value_name = "TEXT")]
    kernel: Option<String>,
}

impl KernelArgs {
    /// The kernels named.
    ///
    /// # Errors
    /// When there are none.
    pub fn chosen(&self) -> anyhow::Result<Vec<&'static Kernel>> {
        let text = self.kernel.as_deref().unwrap_or_default();
        let chosen: Vec<_> = ALL.iter().copied().filter(|kernel| kernel.name.contains(text)).collect();
        if chosen.is_empty() {
            let names: Vec<_> = ALL.iter().map(|kernel| kernel.name).collect();
            bail!("--kernel {text}: no kernel's name holds that; there are {}", names.join(", "));
        }
        Ok(chosen)
    }
}

/// Every adapter that the options leave: all of them where none is named.
///
/// # Errors
/// When the options contradict each other.
pub fn adapters(globals: &Globals, command: &str) -> anyhow::Result<Vec<Adapter>> {
    ensure!(!globals.lockstep, "{command} runs both sides as it is, so --lockstep adds nothing; leave it out");
    let backend = globals.named_backend()?;
    let adapter = globals.adapter.clone().filter(|text| text != "all");
    let request = Request { backend, adapter, hardware_only: false };
    Ok(list(backend).into_iter().filter(|adapter| request.fits(&adapter.description)).collect())
}

/// A time of some seconds at most a day.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn at_most_a_day(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    if time <= Duration::from_secs(86_400) { Ok(time) } else { Err("expected a day at most, as in 60".to_owned()) }
}

/// The adapter's line, and what it is if it is none.
#[must_use]
pub fn heading(adapter: &Adapter) -> String {
    let description = &adapter.description;
    let note = if description.kind == Kind::Software { format!("\n   {SOFTWARE}") } else { String::new() };
    format!("{}  {}{note}\n", description.index, description.line())
}
