//! Frontiers of packed states expanded on a device: the device keeps the set of states met beside the host's, and appends the
//! states that a frontier leads to for the first time.
//!
//! Small frontiers are expanded on the CPU; the device's set is then brought up to date before its next one. What comes back is
//! entered into the host's set, where each state must be new, and in lockstep compared with what the CPU finds. When the device
//! fails, the CPU goes on from the same frontier.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::packed::{MOST_BITS, Met, PARALLEL_FROM, claim};
use crate::gpu::{Buffer, Fault, Gpu};
use crate::puzzles::index_space::mix;
use crate::puzzles::packed_graph::{PackedKernel, halves};
use crate::search::appending::{Appender, Shape};

/// Frontier states a dispatch takes: some tens of milliseconds on a software adapter.
const CHUNK: usize = 1 << 16;
/// States that one leads to, at most.
const BRANCHING: usize = 8;

/// What can keep frontiers from being expanded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PackedError {
    /// The sides disagree.
    #[error(
        "kernel {kernel} and its CPU twin diverge in frontier {frontier} ({states} states): the device leads to {device} new states, \
         the CPU to {cpu}; first that one side alone has: {first:#x}"
    )]
    Divergence {
        /// The kernel.
        kernel: &'static str,
        /// The frontier, counted from 0.
        frontier: u64,
        /// Its states.
        states: usize,
        /// New states by the device.
        device: usize,
        /// New states by the CPU.
        cpu: usize,
        /// The least state that one side alone has.
        first: u64,
    },
    /// Lockstep was asked for and the device failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The kernel on the device, and its own buffers.
struct Device {
    appender: Appender,
    table: Buffer,
    met: Buffer,
    /// Whether its set of states met is the host's.
    is_current: bool,
}

/// Expansion on a device.
pub struct PackedExpander<'g, G> {
    graph: &'g G,
    device: Option<Device>,
    lockstep: bool,
    expanded: u64,
    on_device: u64,
    compared: u64,
    fault: Option<String>,
}

/// Whether a device with bindings of this many words has room for the set of states met.
#[must_use]
pub fn fits<G: PackedKernel>(graph: &G, binding_words: u64) -> bool {
    graph.bound().is_some_and(|bound| bound <= MOST_BITS && bound.div_ceil(64) * 2 <= binding_words)
}

impl<'g, G: PackedKernel> PackedExpander<'g, G> {
    /// Expansion on an open device, for which the graph [`fits`]; in lockstep with the CPU when asked for.
    ///
    /// # Errors
    /// When the kernel does not compile or the device has no room.
    pub fn new(gpu: &Arc<Gpu>, graph: &'g G, lockstep: bool) -> Result<Self, Fault> {
        let bound = graph.bound().unwrap_or(0);
        let shape = Shape { width: 2, branching: BRANCHING, chunk: CHUNK, own_words: graph.words().len() };
        let device = Device {
            appender: Appender::new(gpu, graph.kernel(), shape)?,
            table: gpu.buffer_with("table", &graph.table())?,
            met: gpu.buffer("met", bound.div_ceil(64) * 2)?,
            is_current: false,
        };
        Ok(Self { graph, device: Some(device), lockstep, expanded: 0, on_device: 0, compared: 0, fault: None })
    }

    /// Frontiers compared with the CPU's.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Frontiers that the device expanded.
    #[must_use]
    pub fn on_device(&self) -> u64 {
        self.on_device
    }

    /// The fault after which the CPU went on, if any.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The states that a frontier leads to for the first time, which are entered: as [`Met::expand`].
    ///
    /// # Errors
    /// [`PackedError`].
    pub fn expand(&mut self, met: &mut Met, frontier: &[u64]) -> Result<Vec<u64>, PackedError> {
        let number = self.expanded;
        self.expanded += 1;
        // In lockstep every frontier is compared, however small.
        if !self.lockstep && frontier.len() < PARALLEL_FROM {
            if let Some(device) = &mut self.device {
                device.is_current = false;
            }
            return Ok(met.expand(self.graph, frontier));
        }
        let (Some(mut device), Met::Bits(bits)) = (self.device.take(), &*met) else {
            return Ok(met.expand(self.graph, frontier));
        };
        let found = self.launch(&mut device, bits, frontier);
        let found = found.and_then(|found| {
            // In lockstep the CPU enters what it finds itself.
            if self.lockstep || self.enter(bits, &found) {
                Ok(found)
            } else {
                Err(device.appender.broken("a state came back that is none, or is not new"))
            }
        });
        let found = match found {
            Ok(found) => found,
            Err(fault) if self.lockstep => return Err(fault.into()),
            Err(fault) => {
                self.fault = Some(format!("{fault}; the search went on on the CPU from frontier {number}"));
                return Ok(met.expand(self.graph, frontier));
            }
        };
        self.device = Some(device);
        self.on_device += 1;
        if self.lockstep {
            self.compare((number, frontier.len()), &found, &met.expand(self.graph, frontier))?;
        }
        Ok(found)
    }

    fn launch(&self, device: &mut Device, bits: &[AtomicU64], frontier: &[u64]) -> Result<Vec<u64>, Fault> {
        let appender = &device.appender;
        if !device.is_current {
            let words: Vec<u32> = bits.iter().flat_map(|word| halves(word.load(Ordering::Relaxed))).collect();
            appender.gpu().write(&device.met, 0, &words)?;
            device.is_current = true;
        }
        let words: Vec<u32> = frontier.iter().copied().flat_map(halves).collect();
        let (records, digest) = appender.run((&self.graph.words(), &[&device.table, &device.met]), &words)?;
        let states = records.as_chunks::<2>().0;
        let sum = states.iter().fold(0u64, |sum, &[low, high]| sum.wrapping_add(mix(low, high)));
        if sum != digest {
            return Err(appender.broken("the states do not add up to the digest"));
        }
        Ok(states.iter().map(|&[low, high]| u64::from(low) | u64::from(high) << 32).collect())
    }

    /// Enters states into the host's set; each must be new, else none is entered.
    fn enter(&self, bits: &[AtomicU64], found: &[u64]) -> bool {
        let new = |state: u64| {
            let number = self.graph.number(state);
            number / 64 < bits.len() as u64 && claim(bits, number)
        };
        let Some(bad) = found.iter().position(|&state| !new(state)) else { return true };
        for number in found[..bad].iter().map(|&state| self.graph.number(state)) {
            bits[(number / 64) as usize].fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
        }
        false
    }

    fn compare(&mut self, frontier: (u64, usize), device: &[u64], cpu: &[u64]) -> Result<(), PackedError> {
        self.compared += 1;
        let (mut a, mut b) = (device.to_vec(), cpu.to_vec());
        a.sort_unstable();
        b.sort_unstable();
        let parted = a.iter().zip(&b).find(|(one, other)| one != other).map(|(&one, &other)| one.min(other));
        let Some(first) = parted.or_else(|| a.get(b.len()).or(b.get(a.len())).copied()) else { return Ok(()) };
        Err(PackedError::Divergence {
            kernel: self.graph.kernel().name,
            frontier: frontier.0,
            states: frontier.1,
            device: a.len(),
            cpu: b.len(),
            first,
        })
    }
}
