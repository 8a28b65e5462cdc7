//! Where a search over an index space runs: on the CPU, on one adapter, or on all of them at once.

use anyhow::bail;

use super::globals::{Globals, Place};
use crate::gpu::adapters::{Adapter, list};
use crate::search::index::engine::GpuOpener;
use crate::search::index::range::Report;

/// The adapters of `--adapter all`, which are told.
///
/// # Errors
/// When there is none.
pub fn every_adapter(globals: &Globals) -> anyhow::Result<Vec<Adapter>> {
    let adapters = list(globals.named_backend()?);
    if adapters.is_empty() {
        bail!("--adapter all: there is no adapter here; {}", crate::gpu::fault::SOFTWARE_ADAPTER_HINT);
    }
    for adapter in &adapters {
        globals.say(format!("backend: {}", adapter.description.line()));
    }
    Ok(adapters)
}

/// Where a search runs.
pub enum Devices {
    /// On the CPU or one adapter.
    One(Place),
    /// On every adapter and the CPU, all at once.
    All(Vec<Adapter>),
}

impl Devices {
    /// Decides it, and says so. `small`: the CPU is done before a device would be open.
    ///
    /// # Errors
    /// When what was asked for is not there, or contradicts itself.
    pub fn choose(globals: &Globals, small: bool) -> anyhow::Result<Self> {
        if globals.adapter.as_deref() != Some("all") {
            return Ok(Self::One(globals.place(small)?));
        }
        if globals.lockstep {
            bail!(
                "--adapter all shares the range out, and --lockstep walks it on one device and the CPU alike: name one adapter"
            );
        }
        let adapters = every_adapter(globals)?;
        globals.say("backend: and the CPU beside");
        Ok(Self::All(adapters))
    }

    /// What opens engines on the adapters; none for the CPU.
    #[must_use]
    pub fn openers(&self) -> Vec<GpuOpener> {
        match self {
            Self::One(Place::Cpu(_)) => Vec::new(),
            Self::One(Place::Device(adapter)) => vec![GpuOpener::new((**adapter).clone())],
            Self::All(adapters) => adapters.iter().cloned().map(GpuOpener::new).collect(),
        }
    }

    /// The backend of a report, for the answer.
    #[must_use]
    pub fn backend(&self, report: &Report) -> &'static str {
        match self {
            Self::One(place) if report.on_device => place.backend(),
            Self::All(_) if report.on_device => "all",
            _ => "cpu",
        }
    }

    /// The adapter of a report, for the answer.
    #[must_use]
    pub fn adapter(&self, report: &Report) -> Option<String> {
        match self {
            Self::One(Place::Device(adapter)) if report.on_device => Some(adapter.description.line()),
            Self::All(adapters) if report.on_device => {
                Some(adapters.iter().map(|adapter| adapter.description.line()).collect::<Vec<_>>().join("; "))
            }
            _ => None,
        }
    }

    /// All of it in words, for a record.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::One(Place::Cpu(_)) => format!("CPU, {} threads", rayon::current_num_threads()),
            Self::One(Place::Device(adapter)) => adapter.description.line(),
            Self::All(adapters) => {
                let lines: Vec<_> = adapters.iter().map(|adapter| adapter.description.line()).collect();
                format!("{}; CPU, {} threads", lines.join("; "), rayon::current_num_threads())
            }
        }
    }
}
