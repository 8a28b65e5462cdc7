//! Breadth-first search by layers on a device, and in lockstep with the CPU. The tables stay on the device from layer to
//! layer; per batch only the tally comes back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use thiserror::Error;

use super::closed::{Layer, lines_for};
use super::frontier::{self, FrontierError, LayerReport};
use crate::gpu::{Buffer, Fault, Gpu};
use crate::puzzles::compact::{LINE, Mixed, Mixer};
use crate::puzzles::expansion::{Added, Expanding, PARAMS_WORDS, Piece, SEGMENTS, TALLY_WORDS};
use crate::search::pacing::Pacer;

/// Slots in the first batch of a layer.
const FIRST_BATCH: u64 = 1 << 15;
/// Slots in the largest.
const LARGEST_BATCH: u64 = 1 << 24;

/// Why layers could not be had.
#[derive(Debug, Error)]
pub enum ExpansionError {
    /// Memory, or an interrupt.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// A fault of the device that a new one would not mend.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The two sides disagree.
    #[error("{0}")]
    Divergence(Box<LayerDivergence>),
    /// Lockstep was asked for and nothing was compared.
    #[error("lockstep compared nothing: {0}")]
    NothingCompared(&'static str),
}

/// A layer that device and CPU built differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerDivergence {
    /// The kernel.
    pub kernel: &'static str,
    /// The layer.
    pub depth: u32,
    /// The least key that one side alone holds, and whether that is the device.
    pub first: Option<(u64, bool)>,
    /// Classes, states and digest on the device and on the CPU.
    pub whole: [(u64, u64, u64); 2],
}

impl fmt::Display for LayerDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} and its CPU twin diverge in layer {}", self.kernel, self.depth)?;
        match self.first {
            Some((key, true)) => writeln!(f, "first differing key {key:#x}: GPU holds it, CPU does not")?,
            Some((key, false)) => writeln!(f, "first differing key {key:#x}: CPU holds it, GPU does not")?,
            None => writeln!(f, "both hold the same keys and count them differently")?,
        }
        let [gpu, cpu] = self
            .whole
            .map(|(classes, states, digest)| format!("{classes} classes, {states} states, digest {digest:016x}"));
        write!(f, "  GPU: {gpu}\n  CPU: {cpu}")
    }
}

/// What is to be built, and how.
pub struct Plan<'a, S> {
    /// The space.
    pub space: &'a S,
    /// The greatest depth.
    pub depth: u32,
    /// Opens the device; `None`: the CPU path.
    pub device: Option<&'a dyn Fn() -> Result<Arc<Gpu>, Fault>>,
    /// Build each layer on the CPU too, and compare.
    pub lockstep: bool,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// What happens on the way.
pub enum Event<'e> {
    /// A layer stands.
    Layer(&'e LayerReport),
    /// A fault was survived: the CPU goes on.
    Survived(&'e Fault),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The layers, from 0 on.
    pub reports: Vec<LayerReport>,
    /// Whether the space has no more.
    pub complete: bool,
    /// Whether the last layer was built on the device.
    pub on_device: bool,
    /// Layers compared in lockstep, all equal.
    pub compared: u32,
    /// Faults survived.
    pub faults: Vec<Fault>,
}

/// Builds layers, on a device where the plan names one. A device that is lost leaves the work to the CPU.
///
/// # Errors
/// An [`ExpansionError`].
pub fn build<S: Expanding>(plan: &Plan<'_, S>, notify: &mut dyn FnMut(Event<'_>)) -> Result<Outcome, ExpansionError> {
    if plan.lockstep && plan.device.is_none() {
        return Err(ExpansionError::NothingCompared("there is no device beside the CPU"));
    }
    let mut outcome = Outcome::default();
    if let Some(open) = plan.device {
        match on_device(plan, open, &mut outcome, notify) {
            Ok(()) => {
                if plan.lockstep && outcome.compared == 0 {
                    return Err(ExpansionError::NothingCompared("layer 0 alone is no work for a device"));
                }
                return Ok(outcome);
            }
            Err(ExpansionError::Fault(fault)) if fault.is_survivable() => {
                notify(Event::Survived(&fault));
                outcome.faults.push(fault);
            }
            Err(error) => return Err(error),
        }
    }
    // The CPU's tables are its own: layers that a lost device held are built again, but not told again.
    let told = outcome.reports.len();
    let layers = frontier::build(plan.space, plan.depth, plan.stop, |report| {
        if report.depth as usize >= told {
            notify(Event::Layer(report));
            outcome.reports.push(*report);
        }
    })?;
    outcome.complete = layers.depth() < plan.depth;
    outcome.on_device = false;
    if plan.lockstep && outcome.compared == 0 {
        return Err(ExpansionError::NothingCompared("the device was lost before its first layer stood"));
    }
    Ok(outcome)
}

fn on_device<S: Expanding>(
    plan: &Plan<'_, S>,
    open: &dyn Fn() -> Result<Arc<Gpu>, Fault>,
    outcome: &mut Outcome,
    notify: &mut dyn FnMut(Event<'_>),
) -> Result<(), ExpansionError> {
    let gpu = open()?;
    let mut device = DeviceLayers::new(&gpu, plan.space)?;
    let mut twin = vec![frontier::start_layer(plan.space)?];
    let mut tell = |report: LayerReport, outcome: &mut Outcome| {
        notify(Event::Layer(&report));
        outcome.reports.push(report);
        outcome.on_device = true;
    };
    tell(frontier::report(0, &twin[0], std::time::Duration::ZERO), outcome);
    for depth in 1..=plan.depth {
        let began = Instant::now();
        let layer = device.next(plan.stop)?;
        let time = began.elapsed();
        let added = layer.added;
        if plan.lockstep {
            let expected = frontier::next_layer(plan.space, &twin, plan.stop)?;
            device.compare(depth, &expected)?;
            outcome.compared += 1;
            twin.push(expected);
        }
        if added.classes == 0 {
            outcome.complete = true;
            break;
        }
        let (classes, states, digest) = (added.classes, added.states, added.digest);
        let bytes = device.last().bytes();
        tell(LayerReport { depth, classes, states, digest, bytes, time }, outcome);
    }
    Ok(())
}

/// A layer whose table lies on a device.
struct DeviceLayer {
    segments: Vec<Buffer>,
    lines: u32,
    added: Added,
}

impl DeviceLayer {
    fn bytes(&self) -> u64 {
        self.segments.iter().map(Buffer::words).sum::<u64>() * 4
    }
}

/// Layers on a device, all but the last two given back.
struct DeviceLayers<'s, S> {
    gpu: Arc<Gpu>,
    space: &'s S,
    mixer: Mixer,
    /// Classes of every layer.
    classes: Vec<u64>,
    before: Option<DeviceLayer>,
    last: DeviceLayer,
    params: Buffer,
    tally: Buffer,
    nothing: Buffer,
}

impl<'s, S: Expanding> DeviceLayers<'s, S> {
    /// Layer 0.
    fn new(gpu: &Arc<Gpu>, space: &'s S) -> Result<Self, Fault> {
        let mixer = Mixer::new(space.key_bits());
        let segments = segments(gpu, mixer, 1)?;
        let Mixed { bucket, word } = mixer.mix(space.start().key);
        let a_segment = buckets_a_segment(mixer);
        gpu.write(&segments[(bucket / a_segment) as usize], u64::from(bucket % a_segment) * LINE as u64, &[word])?;
        let added = Added { classes: 1, states: u64::from(space.start().orbit), ..Added::default() };
        Ok(Self {
            gpu: Arc::clone(gpu),
            space,
            mixer,
            classes: vec![1],
            before: None,
            last: DeviceLayer { segments, lines: 1, added },
            params: gpu.buffer("params", PARAMS_WORDS as u64)?,
            tally: gpu.buffer("tally", TALLY_WORDS as u64)?,
            nothing: gpu.buffer("before", 1)?,
        })
    }

    fn last(&self) -> &DeviceLayer {
        &self.last
    }

    /// Builds the next layer; one that overflows is built anew with larger buckets.
    fn next(&mut self, stop: &AtomicBool) -> Result<&DeviceLayer, ExpansionError> {
        let depth = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        let mut classes = frontier::expected(&self.classes, self.space.branching());
        let before = self.joined_before()?;
        let layer = loop {
            let memory = FrontierError::Memory { depth, classes };
            let lines = lines_for(self.mixer, classes).ok_or(memory)?;
            let segments = segments(&self.gpu, self.mixer, lines)?;
            if let Some(added) = self.fill(&segments, lines, &before, stop)? {
                break DeviceLayer { segments, lines, added };
            }
            classes = classes.saturating_mul(3) / 2 + 64;
        };
        self.classes.push(layer.added.classes);
        self.before = Some(std::mem::replace(&mut self.last, layer));
        Ok(&self.last)
    }

    /// The layer before the last in one buffer, which is how a kernel asks it.
    fn joined_before(&self) -> Result<Buffer, Fault> {
        let Some(before) = &self.before else { return Ok(self.nothing.clone()) };
        let words = before.segments[0].words();
        let joined = self.gpu.buffer("before", words * SEGMENTS as u64)?;
        let mut recording = self.gpu.record()?;
        for (segment, at) in before.segments.iter().zip((0..).map(|k| k * words)) {
            recording.copy(segment, 0, &joined, at, words);
        }
        recording.submit()?.wait()?;
        Ok(joined)
    }

    /// Expands the last layer batch by batch; `None` when the next one's table was too small.
    fn fill(
        &self,
        next: &[Buffer],
        next_lines: u32,
        before: &Buffer,
        stop: &AtomicBool,
    ) -> Result<Option<Added>, ExpansionError> {
        let pipeline = self.gpu.pipeline(self.space.kernel(), &self.space.constants())?;
        let before_lines = self.before.as_ref().map_or(0, |before| before.lines);
        let mut pacer = Pacer::new(FIRST_BATCH, 64, LARGEST_BATCH);
        let mut added = Added::default();
        for (first_bucket, segment) in (0..).step_by(buckets_a_segment(self.mixer) as usize).zip(&self.last.segments) {
            let mut first_slot = 0;
            while first_slot < segment.words() {
                if stop.load(Ordering::Relaxed) {
                    return Err(FrontierError::Interrupted.into());
                }
                let began = Instant::now();
                let slots = pacer.size().min(segment.words() - first_slot);
                let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
                let (first, layer_lines) = (word(first_slot), self.last.lines);
                let piece = Piece {
                    slots: word(slots),
                    first_slot: first,
                    first_bucket,
                    layer_lines,
                    before_lines,
                    next_lines,
                };
                self.gpu.write(&self.params, 0, &piece.words())?;
                let mut recording = self.gpu.record()?;
                recording.clear(&self.tally);
                let buffers: Vec<&Buffer> =
                    [&self.params, &self.tally, segment, before].into_iter().chain(next).collect();
                recording.dispatch(&pipeline, &buffers, piece.slots)?;
                recording.download(&self.tally, 0, TALLY_WORDS as u64)?;
                let read = recording.submit()?.wait()?;
                added.absorb(Added::from_words(read.first().map_or(&[], Vec::as_slice)));
                if added.full > 0 {
                    return Ok(None);
                }
                pacer.enter(slots, began.elapsed());
                first_slot += slots;
            }
        }
        // Each class of the layer is expanded once; a device that missed some has not done its work.
        let [.., last] = self.classes.as_slice() else { return Ok(Some(added)) };
        if added.expanded != *last {
            return Err(ExpansionError::Fault(Fault::Validation {
                during: "expanding a layer".to_owned(),
                adapter: self.gpu.name().to_owned(),
                message: format!("{} of {last} classes were expanded", added.expanded),
            }));
        }
        Ok(Some(added))
    }

    /// Compares the last layer with the CPU's, and finds the first key at fault where they differ.
    fn compare(&self, depth: u32, cpu: &Layer) -> Result<(), ExpansionError> {
        let added = self.last.added;
        let whole = [(added.classes, added.states, added.digest), (cpu.classes(), cpu.states(), cpu.digest())];
        if whole[0] == whole[1] {
            return Ok(());
        }
        let (mut here, mut there) = (self.keys()?, cpu.keys(0..cpu.table().len()).collect::<Vec<_>>());
        here.sort_unstable();
        there.sort_unstable();
        let parted = here.iter().zip(&there).find(|(gpu, cpu)| gpu != cpu);
        let first = match parted {
            Some((gpu, cpu)) => Some((*gpu.min(cpu), gpu < cpu)),
            None if here.len() > there.len() => Some((here[there.len()], true)),
            None => there.get(here.len()).map(|key| (*key, false)),
        };
        let kernel = self.space.kernel().name;
        Err(ExpansionError::Divergence(Box::new(LayerDivergence { kernel, depth, first, whole })))
    }

    /// The keys of the last layer.
    fn keys(&self) -> Result<Vec<u64>, Fault> {
        let mut keys = Vec::new();
        let a_bucket = LINE * self.last.lines as usize;
        for (first, segment) in (0..).step_by(buckets_a_segment(self.mixer) as usize).zip(&self.last.segments) {
            let mut recording = self.gpu.record()?;
            recording.download(segment, 0, segment.words())?;
            for words in recording.submit()?.wait()? {
                for (bucket, words) in (first..).zip(words.chunks(a_bucket)) {
                    let taken = words.iter().filter(|word| **word != 0);
                    keys.extend(taken.map(|word| self.mixer.unmix(Mixed { bucket, word: *word })));
                }
            }
        }
        Ok(keys)
    }
}

fn buckets_a_segment(mixer: Mixer) -> u32 {
    mixer.buckets() / u32::try_from(SEGMENTS).unwrap_or(1)
}

/// The empty bindings of a layer.
fn segments(gpu: &Gpu, mixer: Mixer, lines: u32) -> Result<Vec<Buffer>, Fault> {
    let words = u64::from(buckets_a_segment(mixer)) * u64::from(lines) * LINE as u64;
    (0..SEGMENTS).map(|_| gpu.buffer("layer", words)).collect()
}
