//! Several devices and the CPU on one range: each takes the next batch when it is done with its own.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::engine::{CpuEngine, Engine, Finished, Opener, pacer};
use super::range::{Event, Plan, Progress, RangeError, Report, Terms};
use crate::gpu::Fault;
use crate::puzzles::index_space::{IndexSpace, Tally};
use crate::search::pacing::Pacer;

/// What is left to hand out.
struct Queue {
    next: u128,
    end: u128,
    /// Batches of a device that failed.
    again: Vec<Range<u128>>,
}

/// What a worker tells.
enum Word {
    Done(Finished),
    Failed(String, Fault),
}

/// Searches the rest of a range on all of these devices and the CPU. The plan's own device and lockstep are left aside.
/// A device that fails leaves its batches to the others; the CPU is always there to take them.
///
/// # Errors
/// [`RangeError::Fault`] for a fault that is a defect of ours.
pub fn search(
    plan: &Plan<'_>,
    openers: &[&dyn Opener],
    terms: &Terms,
    notify: &mut dyn FnMut(Event<'_>),
) -> Result<Report, RangeError> {
    let begun = Instant::now();
    let (covered, tally) = match &terms.earlier {
        Some(earlier) => (earlier.covered.clamp(plan.range.start, plan.range.end), earlier.tally.clone()),
        None => (plan.range.start, Tally::default()),
    };
    let mut report = Report {
        tally,
        covered: plan.range.start..covered,
        complete: covered == plan.range.end,
        batches: 0,
        compared: 0,
        on_device: false,
        survived: Vec::new(),
    };
    let queue = Mutex::new(Queue { next: covered, end: plan.range.end, again: Vec::new() });
    let halt = AtomicBool::new(false);
    let stopped = || halt.load(Ordering::Relaxed) || plan.stop.load(Ordering::Relaxed);
    let mut defect = None;
    std::thread::scope(|scope| {
        let (tell, told) = channel();
        for opener in openers {
            let (tell, queue, stopped) = (tell.clone(), &queue, &stopped);
            scope.spawn(move || {
                if let Err((fault, lost)) = work(plan.space, *opener, queue, stopped, &tell) {
                    lock(queue).again.extend(lost);
                    // Whoever listens is gone only when the search is over.
                    let _ = tell.send(Word::Failed(opener.name(), fault));
                }
            });
        }
        let (queue, stopped) = (&queue, &stopped);
        scope.spawn(move || {
            let mut engine = CpuEngine::new(plan.space, plan.stop);
            // Batches that a device leaves behind after this are walked when all are through.
            let pacer = pacer(plan.space, false);
            drain(plan.space, (&mut engine, pacer), queue, stopped, &tell).map_err(|(fault, _)| fault)
        });
        let mut early: BTreeMap<u128, Finished> = BTreeMap::new();
        for word in told {
            match word {
                Word::Done(finished) => {
                    early.insert(finished.batch.start, finished);
                }
                Word::Failed(name, fault) => {
                    let then = format!("{name} is left out, the others go on");
                    notify(Event::Survived { fault: &fault, then: &then });
                    if !fault.is_survivable() {
                        halt.store(true, Ordering::Relaxed);
                        defect = Some(fault.clone());
                    }
                    report.survived.push(fault);
                }
            }
            while let Some(finished) = early.remove(&report.covered.end) {
                plan.space.enter(&mut report.tally, finished.tally.unwrap_or_default(), &finished.batch);
                report.tally.sort();
                report.tally.hits.truncate(plan.keep);
                report.covered.end = finished.batch.end;
                report.batches += 1;
                let indices = finished.batch.end - finished.batch.start;
                let progress = Progress {
                    done: report.covered.end - plan.range.start,
                    total: plan.range.end - plan.range.start,
                    found: report.tally.found,
                    elapsed: begun.elapsed(),
                    batch: (report.batches - 1, indices, finished.busy),
                };
                notify(Event::Batch(progress));
                notify(Event::Covered(&report));
            }
            if terms.deadline.is_some_and(|deadline| Instant::now() >= deadline)
                || terms.first && report.tally.found > 0
            {
                halt.store(true, Ordering::Relaxed);
            }
        }
    });
    if let Some(fault) = defect {
        return Err(fault.into());
    }
    // What a device that failed last left behind.
    let left = std::mem::take(&mut lock(&queue).again);
    report.complete = report.covered.end == plan.range.end;
    if !report.complete && !stopped() && !left.is_empty() {
        let earlier = super::range::Earlier { covered: report.covered.end, tally: report.tally.clone() };
        let terms = Terms { earlier: Some(earlier), deadline: terms.deadline, first: terms.first };
        let rest = Plan { space: plan.space, range: plan.range.clone(), device: None, lockstep: false, ..*plan };
        let rest = super::range::search_from(&rest, &terms, notify)?;
        report = Report { batches: report.batches + rest.batches, survived: report.survived, ..rest };
    }
    report.on_device = report.survived.len() < openers.len();
    Ok(report)
}

/// A worker's fault, and the batches that it had in hand.
type Lost = (Fault, Vec<Range<u128>>);

fn work(
    space: &dyn IndexSpace,
    opener: &dyn Opener,
    queue: &Mutex<Queue>,
    stopped: &(dyn Fn() -> bool + Sync),
    tell: &Sender<Word>,
) -> Result<(), Lost> {
    let mut engine = opener.open(space).map_err(|fault| (fault, Vec::new()))?;
    let pacer = pacer(space, true).aiming_at(engine.target());
    drain(space, (&mut *engine, pacer), queue, stopped, tell)
}

fn drain(
    space: &dyn IndexSpace,
    (engine, mut pacer): (&mut (dyn Engine + '_), Pacer),
    queue: &Mutex<Queue>,
    stopped: &(dyn Fn() -> bool + Sync),
    tell: &Sender<Word>,
) -> Result<(), Lost> {
    let mut hand: VecDeque<Range<u128>> = VecDeque::new();
    loop {
        while hand.len() < engine.depth() && !stopped() {
            let Some(batch) = lock(queue).take(pacer.size(), space.run_length()) else { break };
            hand.push_back(batch.clone());
            engine.submit(batch).map_err(|fault| (fault, hand.iter().cloned().collect()))?;
        }
        if hand.is_empty() {
            return Ok(());
        }
        let finished = engine.collect().map_err(|fault| (fault, hand.iter().cloned().collect::<Vec<_>>()))?;
        hand.pop_front();
        if finished.tally.is_none() {
            return Ok(());
        }
        let length = u64::try_from(finished.batch.end - finished.batch.start).unwrap_or(u64::MAX);
        pacer.enter(length, finished.busy);
        // Whoever listens is gone only when the search is over.
        let _ = tell.send(Word::Done(finished));
    }
}

impl Queue {
    fn take(&mut self, length: u64, run_length: u32) -> Option<Range<u128>> {
        if let Some(batch) = self.again.pop() {
            return Some(batch);
        }
        if self.next >= self.end {
            return None;
        }
        let run = u128::from(run_length);
        let end = ((self.next + u128::from(length)) / run * run).max((self.next / run + 1) * run).min(self.end);
        let batch = self.next..end;
        self.next = end;
        Some(batch)
    }
}

fn lock(queue: &Mutex<Queue>) -> std::sync::MutexGuard<'_, Queue> {
    // A queue is changed in whole steps, so one that a panic left behind is sound.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
