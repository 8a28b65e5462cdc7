//! Frontiers expanded on a device: the host drives, the device claims or lists what leads into a frontier.
//!
//! What comes back is checked against the rules on the host (every record is a state, and claimed once only), and in lockstep
//! with the CPU's own expansion, frontier by frontier. When the device fails, the search goes on on the CPU from the last
//! frontier that came back whole.

use std::sync::Arc;

use super::shortest::{CpuExpander, Expander};
use crate::gpu::{Buffer, Fault, Gpu};
use crate::puzzles::index_space::mix;
use crate::puzzles::state_graph::FrontierGraph;
use crate::search::appending::{Appender, Shape};

/// Frontier states a dispatch takes: some milliseconds even on a software adapter.
const CHUNK: usize = 1 << 17;
/// The bits of a record that hold the state.
const STATE_MASK: u32 = (1 << 30) - 1;

/// Device and CPU disagree on a frontier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel {kernel} and its CPU twin diverge in frontier {frontier} ({states} states): device {device} records (digest {device_digest:016x}), \
     CPU {cpu} (digest {cpu_digest:016x}); first differing state {first}: {on_device} times on the device, {on_cpu} on the CPU"
)]
pub struct Divergence {
    /// The kernel.
    pub kernel: String,
    /// The frontier, counted from 0.
    pub frontier: u64,
    /// Its states.
    pub states: usize,
    /// Records of the device.
    pub device: usize,
    /// Records of the CPU.
    pub cpu: usize,
    /// Digest of the device.
    pub device_digest: u64,
    /// Digest of the CPU.
    pub cpu_digest: u64,
    /// The smallest record that the sides have differently often.
    pub first: u32,
    /// How often the device has it.
    pub on_device: usize,
    /// How often the CPU has it.
    pub on_cpu: usize,
}

/// What can keep frontiers from being expanded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExpandError {
    /// The sides disagree.
    #[error(transparent)]
    Divergence(#[from] Box<Divergence>),
    /// Lockstep was asked for and the device failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The kernel on the device, and its own buffer.
struct Device {
    appender: Appender,
    open: Buffer,
}

/// Expansion on a device.
pub struct DeviceExpander<'g, G> {
    graph: &'g G,
    device: Option<Device>,
    /// The states not met so far, as of the last frontier that came back.
    open: Vec<u64>,
    /// The CPU's side, in lockstep or after a fault.
    cpu: Option<CpuExpander<'g, G>>,
    lockstep: bool,
    compared: u64,
    expanded: u64,
    /// A fault after which the CPU went on.
    fault: Option<String>,
}

/// A bit set of 64-bit words as 32-bit words.
fn narrow(words: &[u64]) -> Vec<u32> {
    #[expect(clippy::cast_possible_truncation, reason = "split into words")]
    words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect()
}

impl<'g, G: FrontierGraph> DeviceExpander<'g, G> {
    /// Expansion on an open device; in lockstep with the CPU when asked for.
    ///
    /// # Errors
    /// When the kernel does not compile or the device has no room.
    pub fn new(gpu: &Arc<Gpu>, graph: &'g G, lockstep: bool) -> Result<Self, Fault> {
        let open = graph.states().to_vec();
        let own_words = 1 + graph.frontier_words().len();
        let shape = Shape { width: 1, branching: G::MOVES, chunk: CHUNK, own_words };
        let device = Device {
            appender: Appender::new(gpu, graph.frontier_kernel(), shape)?,
            open: gpu.buffer_with("open", &narrow(&open))?,
        };
        let cpu = lockstep.then(|| CpuExpander::new(graph));
        Ok(Self { graph, device: Some(device), open, cpu, lockstep, compared: 0, expanded: 0, fault: None })
    }

    /// Frontiers compared with the CPU's.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// The fault after which the CPU went on, if any.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// All records of a frontier, from the device.
    fn launch(&self, device: &Device, frontier: &[u32], claim: bool) -> Result<(Vec<u32>, u64), Fault> {
        let own = [&[u32::from(claim)], &*self.graph.frontier_words()].concat();
        let (records, digest) = device.appender.run((&own, &[&device.open]), frontier)?;
        let sum = records.iter().fold(0u64, |sum, &record| sum.wrapping_add(mix(record & STATE_MASK, record >> 30)));
        if sum != digest {
            return Err(device.appender.broken("the records do not add up to the digest"));
        }
        if records.iter().any(|record| !self.graph.is_state(record & STATE_MASK)) {
            return Err(device.appender.broken("a record is no state"));
        }
        Ok((records, digest))
    }

    /// Takes claimed states out of the host's set; each must be in it, else none is taken out.
    fn enter(&mut self, claimed: &[u32]) -> bool {
        let open = &mut self.open;
        let mut flip = |state: u32| {
            open[state as usize / 64] ^= 1 << (state % 64);
            open[state as usize / 64] >> (state % 64) & 1
        };
        match claimed.iter().position(|&state| flip(state) == 1) {
            None => true,
            Some(bad) => {
                // The bad one was flipped as well.
                claimed[..=bad].iter().rev().for_each(|&state| {
                    flip(state);
                });
                false
            }
        }
    }

    /// The device's records, or none when the CPU is to go on alone.
    fn expand(&mut self, frontier: &[u32], claim: bool) -> Result<Option<(Vec<u32>, u64)>, ExpandError> {
        let Some(device) = self.device.take() else { return Ok(None) };
        let outcome = self.launch(&device, frontier, claim).and_then(|(records, digest)| {
            if claim && !self.enter(&records) {
                return Err(device.appender.broken("a state was claimed twice"));
            }
            Ok((records, digest))
        });
        match outcome {
            Ok(found) => {
                self.device = Some(device);
                Ok(Some(found))
            }
            Err(fault) if self.lockstep => Err(fault.into()),
            Err(fault) => {
                self.cpu = Some(CpuExpander::with_open(self.graph, &self.open));
                self.fault = Some(format!("{fault}; the search went on on the CPU from frontier {}", self.expanded));
                Ok(None)
            }
        }
    }

    fn compare(&mut self, frontier: &[u32], device: &[u32], digest: u64, cpu: &[u32]) -> Result<(), ExpandError> {
        let sum = cpu.iter().fold(0u64, |sum, &record| sum.wrapping_add(mix(record & STATE_MASK, record >> 30)));
        self.compared += 1;
        if device.len() == cpu.len() && digest == sum {
            return Ok(());
        }
        let (mut a, mut b) = (device.to_vec(), cpu.to_vec());
        a.sort_unstable();
        b.sort_unstable();
        let first = a
            .iter()
            .zip(&b)
            .find(|(x, y)| x != y)
            .map_or_else(|| a.get(b.len()).or(b.get(a.len())).copied().unwrap_or_default(), |(&x, &y)| x.min(y));
        let times = |side: &[u32]| side.iter().filter(|&&record| record == first).count();
        Err(Box::new(Divergence {
            kernel: self.graph.frontier_kernel().name.to_owned(),
            frontier: self.expanded,
            states: frontier.len(),
            device: a.len(),
            cpu: b.len(),
            device_digest: digest,
            cpu_digest: sum,
            first,
            on_device: times(&a),
            on_cpu: times(&b),
        })
        .into())
    }
}

fn infallible<T>(result: Result<T, std::convert::Infallible>) -> T {
    let Ok(value) = result;
    value
}

impl<G: FrontierGraph> Expander for DeviceExpander<'_, G> {
    type Error = ExpandError;

    fn claim(&mut self, frontier: &[u32]) -> Result<Vec<u32>, ExpandError> {
        let found = self.expand(frontier, true)?;
        let own = self.cpu.as_mut().map(|cpu| infallible(cpu.claim(frontier)));
        let claimed = match (found, own) {
            (Some((device, digest)), Some(cpu)) => {
                self.compare(frontier, &device, digest, &cpu)?;
                device
            }
            (Some((device, _)), None) => device,
            (None, own) => own.unwrap_or_default(),
        };
        self.expanded += 1;
        Ok(claimed)
    }

    fn meet(&mut self, state: u32) -> Result<(), ExpandError> {
        self.open[state as usize / 64] &= !(1 << (state % 64));
        if let Some(cpu) = &mut self.cpu {
            infallible(cpu.meet(state));
        }
        if let Some(device) = &self.device {
            let word = state / 32;
            let content = narrow(&self.open[state as usize / 64..=state as usize / 64])[word as usize % 2];
            device.appender.gpu().write(&device.open, u64::from(word), &[content])?;
        }
        Ok(())
    }

    fn moves_into(&mut self, frontier: &[u32]) -> Result<Vec<(u32, u8)>, ExpandError> {
        let found = self.expand(frontier, false)?;
        let own = self.cpu.as_mut().map(|cpu| infallible(cpu.moves_into(frontier)));
        let split = |records: Vec<u32>| records.into_iter().map(|r| (r & STATE_MASK, (r >> 30) as u8)).collect();
        let moves = match (found, own) {
            (Some((device, digest)), Some(cpu)) => {
                let records: Vec<u32> = cpu.iter().map(|&(state, kind)| state | u32::from(kind) << 30).collect();
                self.compare(frontier, &device, digest, &records)?;
                split(device)
            }
            (Some((device, _)), None) => split(device),
            (None, own) => own.unwrap_or_default(),
        };
        self.expanded += 1;
        Ok(moves)
    }
}
