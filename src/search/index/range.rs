//! Searching a range of an index space: on the CPU, on a GPU, or on both in lockstep.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::engine::{CpuEngine, Engine, Finished, Opener, pacer, walk_parallel};
use super::lockstep::{Divergence, locate};
use crate::gpu::Fault;
use crate::puzzles::index_space::{IndexSpace, Tally};
use crate::search::pacing::Pacer;

/// How often a device is opened that has no memory, each time with smaller batches, without finishing one.
const ATTEMPTS: u32 = 5;

/// What is to be searched, and how.
pub struct Plan<'a> {
    /// The space.
    pub space: &'a dyn IndexSpace,
    /// The indices of it to walk; inside 0..size.
    pub range: Range<u128>,
    /// Opens the device; `None`: the CPU path.
    pub device: Option<&'a dyn Opener>,
    /// Walk each batch on the CPU too, and compare.
    pub lockstep: bool,
    /// Hits to keep, the lowest; all are counted.
    pub keep: usize,
    /// Set from outside to stop: a device ends its batches, the CPU gives up the one it has in hand.
    pub stop: &'a AtomicBool,
}

/// Where a search goes on from, and when it must stop.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What an earlier run covered and found, from the range's start on; `None`: nothing.
    pub earlier: Option<Earlier>,
    /// Stop at the first batch boundary after this moment.
    pub deadline: Option<Instant>,
    /// Stop at the first batch boundary with a solution found.
    pub first: bool,
}

/// What an earlier run has done.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// The index that it came to: those before it are covered.
    pub covered: u128,
    /// What they yielded.
    pub tally: Tally,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Indices walked.
    pub done: u128,
    /// Indices to walk in all.
    pub total: u128,
    /// Solutions found so far.
    pub found: u64,
    /// Since the search began.
    pub elapsed: Duration,
    /// The batch that has just ended, counted from 0, its indices, and how long the engine was busy with it.
    pub batch: (u64, u128, Duration),
}

/// What happens on the way.
pub enum Event<'e> {
    /// A batch has ended.
    Batch(Progress),
    /// What is covered after that batch: a good moment to save it.
    Covered(&'e Report),
    /// A fault that the search survived, and how it goes on.
    Survived {
        /// The fault.
        fault: &'e Fault,
        /// How it goes on.
        then: &'e str,
    },
}

/// What a search yields.
#[derive(Clone, Debug)]
pub struct Report {
    /// Counts over the covered indices; hits ascending, the lowest [`Plan::keep`] of them.
    pub tally: Tally,
    /// The indices covered: from the range's start as far as it came.
    pub covered: Range<u128>,
    /// Whether that is the whole range.
    pub complete: bool,
    /// Batches walked.
    pub batches: u64,
    /// Batches of them compared in lockstep, all equal.
    pub compared: u64,
    /// Whether the last batch ran on the device.
    pub on_device: bool,
    /// Faults survived.
    pub survived: Vec<Fault>,
}

impl Report {
    /// Whether every batch was compared and held.
    #[must_use]
    pub fn lockstep_held(&self) -> bool {
        self.compared == self.batches && self.compared > 0
    }
}

/// Why a search has no answer.
#[derive(Debug, thiserror::Error)]
pub enum RangeError {
    /// A fault that a new device would not mend.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The two sides disagree.
    #[error("{0}")]
    Divergence(Box<Divergence>),
    /// Lockstep was asked for and nothing was compared.
    #[error("lockstep compared nothing: {0}")]
    NothingCompared(&'static str),
}

/// Searches a range.
///
/// # Errors
/// [`RangeError`]: a fault that cannot be survived, a divergence, or a lockstep without a device.
pub fn search(plan: &Plan<'_>, notify: &mut dyn FnMut(Event<'_>)) -> Result<Report, RangeError> {
    search_from(plan, &Terms::default(), notify)
}

/// Searches a range, or the rest of it, on these terms. The report counts an earlier run's part too; its batches are this
/// run's alone.
///
/// # Errors
/// As [`search`].
pub fn search_from(plan: &Plan<'_>, terms: &Terms, notify: &mut dyn FnMut(Event<'_>)) -> Result<Report, RangeError> {
    if plan.lockstep && plan.device.is_none() {
        return Err(RangeError::NothingCompared("there is no device beside the CPU"));
    }
    let (covered, tally) = match &terms.earlier {
        Some(earlier) => (earlier.covered.clamp(plan.range.start, plan.range.end), earlier.tally.clone()),
        None => (plan.range.start, Tally::default()),
    };
    let mut run = Run {
        plan,
        terms,
        notify,
        begun: Instant::now(),
        report: Report {
            tally,
            covered: plan.range.start..covered,
            complete: covered == plan.range.end,
            batches: 0,
            compared: 0,
            on_device: false,
            survived: Vec::new(),
        },
        handed_over: u64::MAX,
    };
    run.go()?;
    let report = run.report;
    if plan.lockstep && report.compared == 0 && report.batches > 0 {
        return Err(RangeError::NothingCompared("the device was lost before its first batch came back"));
    }
    Ok(report)
}

struct Run<'a, 'n> {
    plan: &'a Plan<'a>,
    terms: &'a Terms,
    notify: &'n mut dyn FnMut(Event<'_>),
    begun: Instant,
    report: Report,
    /// Indices of the batch handed over last.
    handed_over: u64,
}

impl Run<'_, '_> {
    fn go(&mut self) -> Result<(), RangeError> {
        // A device that is lost again before it finished one batch is not opened a third time; one without memory is given
        // smaller batches some more times.
        let mut barren = 0;
        let (mut patience, mut most) = (2, u64::MAX);
        while let Some(opener) = self.plan.device
            && !self.finished()
            && barren < patience
        {
            let before = self.report.batches;
            let outcome = opener.open(self.plan.space).map_err(RangeError::from).and_then(|mut engine| {
                let mut pacer = pacer(self.plan.space, true).aiming_at(engine.target()).at_most(most);
                self.drain(&mut *engine, &mut pacer, self.plan.lockstep, true)
            });
            let Err(error) = outcome else { break };
            let RangeError::Fault(fault) = error else { return Err(error) };
            if !fault.is_survivable() {
                return Err(fault.into());
            }
            barren = if self.report.batches > before { 1 } else { barren + 1 };
            let memory = matches!(fault, Fault::OutOfMemory { .. });
            if memory {
                (patience, most) = (ATTEMPTS, self.handed_over / 4);
            }
            let then = match (barren < patience, memory) {
                (true, true) => "going on from the last finished batch on a new device, with smaller batches",
                (true, false) => "going on from the last finished batch on a new device",
                (false, _) => "going on from the last finished batch on the CPU",
            };
            (self.notify)(Event::Survived { fault: &fault, then });
            self.report.survived.push(fault);
        }
        if !self.finished() {
            let mut pacer = pacer(self.plan.space, false);
            self.drain(&mut CpuEngine::new(self.plan.space, self.plan.stop), &mut pacer, false, false)?;
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        self.report.complete
            || self.plan.stop.load(Ordering::Relaxed)
            || self.terms.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.terms.first && self.report.tally.found > 0
    }

    /// Walks what is left of the range on one engine, batch by batch, keeping as many under way as it can hold.
    fn drain(
        &mut self,
        engine: &mut (dyn Engine + '_),
        pacer: &mut Pacer,
        lockstep: bool,
        on_device: bool,
    ) -> Result<(), RangeError> {
        let mut next = self.report.covered.end;
        let mut twins: VecDeque<Range<u128>> = VecDeque::new();
        loop {
            while twins.len() < engine.depth() && next < self.plan.range.end && !self.finished() {
                let batch = self.batch_at(next, pacer);
                next = batch.end;
                self.handed_over = u64::try_from(batch.end - batch.start).unwrap_or(u64::MAX);
                engine.submit(batch.clone())?;
                twins.push_back(batch);
            }
            let Some(batch) = twins.pop_front() else { return Ok(()) };
            // While the device works on the batch, the CPU walks the same one.
            let twin = lockstep.then(|| walk_parallel(self.plan.space, &batch));
            let Finished { batch, tally, busy } = engine.collect()?;
            let Some(tally) = tally else { return Ok(()) };
            if let Some(twin) = twin {
                if tally != twin {
                    while twins.pop_front().is_some() {
                        engine.collect()?;
                    }
                    let batch = (self.report.batches, batch);
                    let divergence = locate(self.plan.space, engine, batch, &tally, &twin)?;
                    return Err(RangeError::Divergence(Box::new(divergence)));
                }
                self.report.compared += 1;
            }
            pacer.enter(u64::try_from(batch.end - batch.start).unwrap_or(u64::MAX), busy);
            self.enter(&batch, tally, busy, on_device);
        }
    }

    /// The next batch: it ends at a run's end, so that only the range's own ends cut runs.
    fn batch_at(&self, start: u128, pacer: &Pacer) -> Range<u128> {
        let run = u128::from(self.plan.space.run_length());
        let end = (start + u128::from(pacer.size())) / run * run;
        let end = if end <= start { (start / run + 1) * run } else { end };
        start..end.min(self.plan.range.end)
    }

    fn enter(&mut self, batch: &Range<u128>, tally: Tally, busy: Duration, on_device: bool) {
        let report = &mut self.report;
        self.plan.space.enter(&mut report.tally, tally, batch);
        report.tally.hits.truncate(self.plan.keep);
        report.covered.end = batch.end;
        report.complete = batch.end == self.plan.range.end;
        report.batches += 1;
        report.on_device = on_device;
        let progress = Progress {
            done: batch.end - self.plan.range.start,
            total: self.plan.range.end - self.plan.range.start,
            found: report.tally.found,
            elapsed: self.begun.elapsed(),
            batch: (report.batches - 1, batch.end - batch.start, busy),
        };
        (self.notify)(Event::Batch(progress));
        (self.notify)(Event::Covered(&self.report));
    }
}
