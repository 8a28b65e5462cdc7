//! Engines walk batches of an index space: the CPU by rayon, a GPU by the space's kernel.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::gpu::adapters::{Adapter, Kind};
use crate::gpu::{Buffer, Fault, Gpu, Pipeline, Submission};
use crate::puzzles::index_space::{self, IndexSpace, TALLY_WORDS, Tally, tally_words};
use crate::search::pacing::{Pacer, TARGET};

/// Hits that one batch can append on a device; a batch with more is walked again in halves.
const HIT_CAPACITY: u32 = 1 << 16;
/// The longest batch of a device: its indices, and the runs it clips, are counted in one word.
const LONGEST: u64 = 1 << 31;
/// Words of `params` that the engine adds for lanes.
const LANE_PARAMS: u64 = 2;
/// Lanes on a software adapter: the fewer there are, the more runs each has in a batch, and the fewer idle at its end.
const LANES_IN_SOFTWARE: u32 = 128;
/// Lanes on hardware, as far as their state fits one binding.
const LANES_IN_HARDWARE: u32 = 1 << 15;
/// What a batch with lanes should take; its dispatches stay short.
const LANES_TARGET: Duration = Duration::from_millis(1500);
/// Batches under way on a device at once: one runs while the other is read back and the next is prepared.
const DEPTH: usize = 2;

/// A batch that came back.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The indices walked.
    pub batch: Range<u128>,
    /// What they yielded, hits ascending; `None`: the batch was given up, for the search is to stop.
    pub tally: Option<Tally>,
    /// How long the engine was busy with it.
    pub busy: Duration,
}

/// Something that walks batches in the order handed over.
pub trait Engine {
    /// How many batches may be under way at once.
    fn depth(&self) -> usize;
    /// Hands a batch over.
    ///
    /// # Errors
    /// Any [`Fault`]; batches under way are then lost.
    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault>;
    /// Waits for the batch handed over first.
    ///
    /// # Errors
    /// Any [`Fault`]; batches under way are then lost.
    fn collect(&mut self) -> Result<Finished, Fault>;

    /// What a batch should take.
    fn target(&self) -> Duration {
        TARGET
    }

    /// Walks one batch while none is under way.
    ///
    /// # Errors
    /// As [`Engine::collect`].
    fn walk(&mut self, batch: Range<u128>) -> Result<Tally, Fault> {
        self.submit(batch)?;
        Ok(self.collect()?.tally.unwrap_or_default())
    }
}

/// Opens an engine on a space, again after a device was lost.
pub trait Opener: Sync {
    /// What it opens, in words for a user.
    fn name(&self) -> String;
    /// Opens an engine.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault>;
}

/// Walks a batch on all threads of the current rayon pool.
#[must_use]
pub fn walk_parallel(space: &dyn IndexSpace, batch: &Range<u128>) -> Tally {
    walk_parallel_unless(space, batch, &AtomicBool::new(false)).unwrap_or_default()
}

/// The same, given up (`None`) soon after `stop` is set.
#[must_use]
pub fn walk_parallel_unless(space: &dyn IndexSpace, batch: &Range<u128>, stop: &AtomicBool) -> Option<Tally> {
    if let Some(tally) = space.walk_together(batch, stop) {
        return (!stop.load(Ordering::Relaxed)).then_some(tally);
    }
    let run = u128::from(space.run_length());
    // Some pieces a thread even out what differs between them; whole runs keep both sides' runs the same.
    let pieces = 32 * rayon::current_num_threads() as u128;
    let length = ((batch.end - batch.start).div_ceil(pieces)).next_multiple_of(run);
    let first = batch.start / length;
    let last = batch.end.div_ceil(length);
    let mut tally = (0..u64::try_from(last - first).unwrap_or(u64::MAX))
        .into_par_iter()
        .map(|piece| {
            let start = (first + u128::from(piece)) * length;
            space.walk_unless(start.max(batch.start)..(start + length).min(batch.end), stop)
        })
        .try_reduce(Tally::default, |mut sum, piece| {
            sum.absorb(piece);
            Some(sum)
        })?;
    tally.sort();
    Some(tally)
}

/// The engine of the CPU.
pub struct CpuEngine<'s> {
    space: &'s dyn IndexSpace,
    stop: &'s AtomicBool,
    queue: VecDeque<Range<u128>>,
}

impl<'s> CpuEngine<'s> {
    /// An engine on the current rayon pool; once `stop` is set, it gives up the batch that it has in hand.
    #[must_use]
    pub fn new(space: &'s dyn IndexSpace, stop: &'s AtomicBool) -> Self {
        Self { space, stop, queue: VecDeque::new() }
    }
}

impl Engine for CpuEngine<'_> {
    fn depth(&self) -> usize {
        1
    }

    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault> {
        self.queue.push_back(batch);
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, Fault> {
        let batch = self.queue.pop_front().unwrap_or(0..0);
        let start = Instant::now();
        let tally = walk_parallel_unless(self.space, &batch, self.stop);
        Ok(Finished { batch, tally, busy: start.elapsed() })
    }
}

/// Opens engines on one adapter.
pub struct GpuOpener {
    adapter: Adapter,
}

impl GpuOpener {
    /// Engines on this adapter, each with a device of its own.
    #[must_use]
    pub fn new(adapter: Adapter) -> Self {
        Self { adapter }
    }
}

impl Opener for GpuOpener {
    fn name(&self) -> String {
        self.adapter.description.line()
    }

    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        Ok(Box::new(GpuEngine::new(Gpu::open(&self.adapter)?, space)?))
    }
}

/// Opens engines on one device, which they share.
pub struct Shared(pub Arc<Gpu>);

impl Opener for Shared {
    fn name(&self) -> String {
        self.0.description().line()
    }

    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        Ok(Box::new(GpuEngine::new(Arc::clone(&self.0), space)?))
    }
}

/// The engine of a GPU.
pub struct GpuEngine<'s> {
    gpu: Arc<Gpu>,
    space: &'s dyn IndexSpace,
    pipeline: Arc<Pipeline>,
    lanes: Option<LanePlan>,
    tables: Vec<Buffer>,
    idle: Vec<Slot>,
    under_way: VecDeque<UnderWay>,
    last_finish: Instant,
}

/// The buffers of one batch under way.
struct Slot {
    params: Buffer,
    tally: Buffer,
    hits: Buffer,
    /// Of a kernel with lanes.
    lanes: Option<LaneBuffers>,
}

struct LaneBuffers {
    items: Buffer,
    counter: Buffer,
    unfinished: Buffer,
    state: Buffer,
}

/// How a kernel with lanes is dispatched.
struct LanePlan {
    lanes: u32,
    /// Rounds of the next dispatch, sized by the time that the ones before took.
    rounds: Pacer,
}

struct UnderWay {
    batch: Range<u128>,
    slot: Slot,
    submission: Submission,
    /// Rounds of the dispatch, where there are lanes.
    rounds: u64,
    since: Instant,
}

impl<'s> GpuEngine<'s> {
    /// An engine on an open device.
    ///
    /// # Errors
    /// [`Fault::Shader`], [`Fault::OutOfMemory`], [`Fault::Lost`].
    pub fn new(gpu: Arc<Gpu>, space: &'s dyn IndexSpace) -> Result<Self, Fault> {
        let pipeline = gpu.pipeline(space.kernel(), &space.constants())?;
        let mut words = index_space::params(space, &(0..1), HIT_CAPACITY).len() as u64;
        let lanes = match space.lanes() {
            None => None,
            Some(wanted) => {
                words += LANE_PARAMS;
                let most = gpu.max_binding_words() / wanted.state_words.max(1) as u64;
                let software = gpu.description().kind == Kind::Software;
                let lanes = if software { LANES_IN_SOFTWARE } else { LANES_IN_HARDWARE };
                Some(LanePlan {
                    lanes: lanes.min(u32::try_from(most).unwrap_or(u32::MAX)) / 64 * 64,
                    rounds: Pacer::new(16, 1, wanted.rounds.into()),
                })
            }
        };
        let slot = || {
            let lanes = match (&lanes, space.lanes()) {
                (Some(plan), Some(wanted)) => Some(LaneBuffers {
                    items: gpu.buffer("items", 1)?,
                    counter: gpu.buffer("counter", 1)?,
                    unfinished: gpu.buffer("unfinished", 1)?,
                    state: gpu.buffer("state", u64::from(plan.lanes) * wanted.state_words as u64)?,
                }),
                _ => None,
            };
            Ok(Slot {
                params: gpu.buffer("params", words)?,
                tally: gpu.buffer("tally", tally_words(space) as u64)?,
                hits: gpu.buffer("hits", u64::from(HIT_CAPACITY))?,
                lanes,
            })
        };
        let tables =
            space.tables().iter().map(|table| gpu.buffer_with("table", table)).collect::<Result<_, Fault>>()?;
        let idle = (0..DEPTH).map(|_| slot()).collect::<Result<_, Fault>>()?;
        Ok(Self { gpu, space, pipeline, lanes, tables, idle, under_way: VecDeque::new(), last_finish: Instant::now() })
    }

    /// Hands a batch over, from its start or (lanes only) from where its lanes were at the end of the last dispatch.
    fn dispatch(&mut self, batch: &Range<u128>, slot: &Slot, again: bool) -> Result<(Submission, u64), Fault> {
        let mut params = index_space::params(self.space, batch, HIT_CAPACITY);
        let mut recording = self.gpu.record()?;
        if !again {
            recording.clear(&slot.tally);
        }
        let mut buffers = vec![&slot.params, &slot.tally, &slot.hits];
        let mut rounds = 0;
        if let (Some(plan), Some(lanes)) = (&self.lanes, &slot.lanes) {
            rounds = plan.rounds.size();
            params.extend([plan.lanes, u32::try_from(rounds).unwrap_or(u32::MAX)]);
            recording.clear(&lanes.unfinished);
            if !again {
                recording.clear(&lanes.counter);
                recording.clear(&lanes.state);
            }
            buffers.extend([&lanes.items, &lanes.counter, &lanes.unfinished, &lanes.state]);
        }
        buffers.extend(&self.tables);
        let invocations = match &self.lanes {
            Some(plan) => plan.lanes,
            None => index_space::runs(batch, self.space.run_length()).1,
        };
        recording.dispatch(&self.pipeline, &buffers, invocations)?;
        self.gpu.write(&slot.params, 0, &params)?;
        recording.download(&slot.tally, 0, tally_words(self.space) as u64)?;
        recording.download(&slot.hits, 0, u64::from(HIT_CAPACITY))?;
        if let Some(lanes) = &slot.lanes {
            recording.download(&lanes.unfinished, 0, 1)?;
        }
        Ok((recording.submit()?, rounds))
    }
}

impl Engine for GpuEngine<'_> {
    fn depth(&self) -> usize {
        DEPTH
    }

    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault> {
        let Some(slot) = self.idle.pop() else {
            return Err(Fault::Validation {
                during: "handing over a batch".to_owned(),
                adapter: self.gpu.name().to_owned(),
                message: format!("{DEPTH} batches are under way already"),
            });
        };
        let mut slot = slot;
        if let Some(lanes) = &mut slot.lanes {
            let items = self.space.items(&batch);
            if lanes.items.words() < items.len() as u64 {
                lanes.items = self.gpu.buffer("items", items.len() as u64)?;
            }
            self.gpu.write(&lanes.items, 0, &items)?;
        }
        let (submission, rounds) = self.dispatch(&batch, &slot, false)?;
        self.under_way.push_back(UnderWay { batch, slot, submission, rounds, since: Instant::now() });
        Ok(())
    }

    fn target(&self) -> Duration {
        // The lanes of a batch that is nearly through are nearly all idle, so batches with lanes are long.
        if self.lanes.is_some() { LANES_TARGET } else { TARGET }
    }

    fn collect(&mut self) -> Result<Finished, Fault> {
        let Some(UnderWay { batch, slot, submission, mut rounds, mut since }) = self.under_way.pop_front() else {
            return Ok(Finished { batch: 0..0, tally: Some(Tally::default()), busy: Duration::ZERO });
        };
        let mut busy = Duration::ZERO;
        let mut read = submission.wait()?;
        loop {
            let now = Instant::now();
            // With two under way, this one began when it was handed over or when the one before it ended.
            let took = now - since.max(self.last_finish);
            self.last_finish = now;
            busy += took;
            let unfinished = read.get(2).and_then(|words| words.first()).copied().unwrap_or(0);
            if let Some(plan) = &mut self.lanes
                && (unfinished > 0 || took > TARGET)
            {
                // A dispatch whose lanes ran out of work says nothing of what a round takes, unless it took long.
                plan.rounds.enter(rounds, took);
            }
            if unfinished == 0 {
                break;
            }
            let (submission, next) = self.dispatch(&batch, &slot, true)?;
            (rounds, since) = (next, Instant::now());
            read = submission.wait()?;
        }
        self.idle.push(slot);
        let [words, hits, ..] = read.as_slice() else { return Err(self.broken("a read-back is missing".to_owned())) };
        let tally = match self.decode(&batch, words, hits)? {
            Some(tally) => tally,
            None => self.walk_in_halves(&batch)?,
        };
        Ok(Finished { batch, tally: Some(tally), busy })
    }
}

impl GpuEngine<'_> {
    /// The tally of a batch, or `None` when its hits did not fit.
    fn decode(&self, batch: &Range<u128>, words: &[u32], hits: &[u32]) -> Result<Option<Tally>, Fault> {
        let wide = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        if words[7] != 0 {
            return Err(self.broken(format!("kernel {} reports fault {}", self.space.kernel().name, words[7])));
        }
        if words[6] > HIT_CAPACITY {
            return Ok(None);
        }
        let hits = hits[..words[6] as usize].iter().map(|offset| batch.start + u128::from(*offset)).collect();
        let counters = (TALLY_WORDS..words.len()).step_by(2).map(wide).collect();
        let mut tally =
            Tally { found: wide(0), digest: wide(2), work: wide(4), nodes: wide(8), counters, hits, marks: Vec::new() };
        tally.sort();
        Ok(Some(tally))
    }

    /// Walks a batch whose hits overflowed again in two halves. They start at a run, so that no run is cut and the
    /// digest stays what it was.
    fn walk_in_halves(&mut self, batch: &Range<u128>) -> Result<Tally, Fault> {
        let run = u128::from(self.space.run_length());
        let middle = (batch.start + (batch.end - batch.start) / 2).next_multiple_of(run);
        if middle <= batch.start || middle >= batch.end {
            return Err(self.broken(format!("one run holds more than {HIT_CAPACITY} hits")));
        }
        // The batches behind this one are under way: the spare slot is the one that this batch gave back.
        let mut sum = Tally::default();
        for half in [batch.start..middle, middle..batch.end] {
            let behind = std::mem::take(&mut self.under_way);
            let walked = self.walk(half);
            self.under_way = behind;
            sum.absorb(walked?);
        }
        Ok(sum)
    }

    fn broken(&self, message: String) -> Fault {
        Fault::Validation { during: "walking a batch".to_owned(), adapter: self.gpu.name().to_owned(), message }
    }
}

/// The sizes of batches that an engine, on a device or on the CPU, starts with and grows to: at first no more than what
/// should take the target time where indices are dear.
#[must_use]
pub fn pacer(space: &dyn IndexSpace, on_device: bool) -> Pacer {
    let run = u64::from(space.run_length());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate; saturating")]
    let first = (space.indices_per_second() * TARGET.as_secs_f64()) as u64;
    let first = first.clamp(run, run * 1024);
    if on_device {
        return Pacer::new(first, run, LONGEST.max(run));
    }
    // Where a run takes longer than a batch should, there is still something for each thread.
    let unit = space.indices_together().max(run * 4 * rayon::current_num_threads() as u64);
    Pacer::new(unit.max(first), unit, space.most_indices_together().max(unit))
}

/// Whether the CPU walks the range sooner than a device is opened (about 0.5 s on a software adapter).
#[must_use]
pub fn is_small(space: &(impl IndexSpace + ?Sized), range: &Range<u128>) -> bool {
    let indices = (range.end - range.start) as f64;
    indices / space.indices_per_second() < 0.3
}
