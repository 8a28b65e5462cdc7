//! Optimal solving from both ends with the search forwards on a device: its sequences of turns are the indices of a range
//! search, so that batches are paced, faults survived and both sides walked in lockstep as there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::ends::{Ends, SolveError, Way};
use crate::gpu::adapters::Adapter;
use crate::gpu::{Fault, Gpu};
use crate::puzzles::index_space::IndexSpace;
use crate::puzzles::layered::{Seeking, Table};
use crate::search::index::engine::{Engine, GpuEngine, Opener};
use crate::search::index::range::{Event, Plan, RangeError, search};

/// Why a position has no answer.
#[derive(Debug, Error)]
pub enum SeekError {
    /// As on the CPU.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// From the search on the device.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// More turns than sequences are numbered for.
    #[error("the position is more than {0} turns from the table; ask for a deeper one with --table-depth")]
    TooFar(u32),
}

/// A way, and what the device had to do with it.
#[derive(Debug)]
pub struct Sought {
    /// The way: of those whose head meets the layers, the first in lexicographic order.
    pub way: Way,
    /// Batches walked.
    pub batches: u64,
    /// Batches compared in lockstep, all equal.
    pub compared: u64,
    /// Whether the device did the last of them.
    pub on_device: bool,
    /// Faults survived.
    pub faults: Vec<Fault>,
}

/// Opens engines on one device as long as it lives: opening one costs more than most searches here.
pub struct KeptDevice {
    adapter: Adapter,
    gpu: Mutex<Option<std::sync::Arc<Gpu>>>,
}

impl KeptDevice {
    /// On this adapter; nothing is opened yet.
    #[must_use]
    pub fn new(adapter: Adapter) -> Self {
        Self { adapter, gpu: Mutex::new(None) }
    }
}

impl Opener for KeptDevice {
    fn name(&self) -> String {
        self.adapter.description.line()
    }

    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        let mut kept = self.gpu.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gpu) = kept.as_ref()
            && let Ok(engine) = GpuEngine::new(std::sync::Arc::clone(gpu), space)
        {
            return Ok(Box::new(engine));
        }
        let gpu = Gpu::open(&self.adapter)?;
        let engine = GpuEngine::new(std::sync::Arc::clone(&gpu), space)?;
        *kept = Some(gpu);
        Ok(Box::new(engine))
    }
}

impl<S: Seeking> Ends<'_, S> {
    /// An optimal way, with the search forwards on a device; `table` is the outermost layer's.
    ///
    /// # Errors
    /// A [`SeekError`].
    pub fn solve_on(
        &self,
        state: &S::State,
        table: &Table,
        device: &dyn Opener,
        lockstep: bool,
        stop: &AtomicBool,
    ) -> Result<Sought, SeekError> {
        let mut sought = Sought {
            way: Way { turns: Vec::new(), nodes: 1 },
            batches: 0,
            compared: 0,
            on_device: false,
            faults: Vec::new(),
        };
        let mut head = Vec::new();
        let mut turns = self.first_ahead(state);
        while turns > 0 {
            let space = self.space().seek(state, turns, table.clone()).ok_or(SeekError::TooFar(turns - 1))?;
            let range = 0..space.size();
            let plan = Plan { space: &*space, range, device: Some(device), lockstep, keep: 1, stop };
            let report = search(&plan, &mut |_: Event<'_>| {})?;
            if stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted.into());
            }
            sought.way.nodes += u64::try_from(space.size()).unwrap_or(u64::MAX);
            sought.batches += report.batches;
            sought.compared += report.compared;
            sought.on_device = report.on_device;
            sought.faults.extend(report.survived);
            if let Some(hit) = report.tally.hits.first() {
                head = self.space().sequence(*hit, turns);
                break;
            }
            turns += 2;
        }
        // What the device found is walked here, and must meet the layers.
        let (way, nodes) = self.complete(state, head).ok_or(SolveError::Unreachable)?;
        sought.way.turns = way;
        sought.way.nodes += nodes;
        Ok(sought)
    }
}
