//! Searches over an index space that are parts of a larger one, are kept in files, stopped, taken up again and put together:
//! the options and what they do, for every command that has them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::devices::Devices;
use super::files::ensure_writable;
use super::globals::{Globals, say};
use super::output::{duration, grouped};
use super::parsers::{IndexRange, Shard, index_range, shard, time_span};
use super::progress::Meter;
use super::{Outcome, interrupt};
use crate::puzzles::index_space::IndexSpace;
use crate::search::index::engine::{Opener, is_small};
use crate::search::index::merge::{self, Merged, merge};
use crate::search::index::range::{Event, Plan, Report};
use crate::search::index::record::{Record, RecordError, load, save};
use crate::search::index::session::{How, Session};
use crate::search::lock::Lock;

/// Which part of an index space is searched.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartArgs {
    /// Search only the indices A to B-1 of the index space
    #[arg(long, value_parser = index_range, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<IndexRange>,
    /// Search only the I-th of N parts of the index space, I from 1 to N
    #[arg(long, value_parser = shard, value_name = "I/N", conflicts_with = "range")]
    shard: Option<Shard>,
}

/// How a search is kept and stopped.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct KeepArgs {
    /// Save what is covered to FILE, on a timer, on Ctrl-C, SIGTERM and at the end
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Time between two saves, e.g. 5min; seconds without a unit [default: 60]
    #[arg(long, value_name = "T", value_parser = time_span, requires = "checkpoint")]
    checkpoint_every: Option<Duration>,
    /// Go on from the checkpoint, where it is there; on any backend
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Stop cleanly after this time, e.g. 90s, 20min, 2h; seconds without a unit
    #[arg(long, value_name = "T", value_parser = time_span)]
    time_limit: Option<Duration>,
    /// Write the result to FILE once it is whole; a FILE that has it already ends the run at once
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Which files are put together.
#[derive(Args, Clone, Debug)]
pub struct MergeArgs {
    /// Result files (checkpoints count as far as they cover)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Write the sum to FILE, as the result of a single run
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl PartArgs {
    /// The part of a space of this size.
    ///
    /// # Errors
    /// For a range that is turned round or leaves the space.
    pub fn within(self, size: u128) -> anyhow::Result<Range<u128>> {
        match (self.range, self.shard) {
            (Some(range), _) => range.within(size).map_err(|message| anyhow!(message)),
            (None, Some(part)) => Ok(merge::shard(part.number, part.shards, size)),
            (None, None) => Ok(0..size),
        }
    }
}

impl KeepArgs {
    /// The records to go on from, kept as asked; its files can be written.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn session(&self, globals: &Globals) -> anyhow::Result<Session> {
        let every = self.checkpoint_every.unwrap_or(Duration::from_secs(60));
        let mut session = Session::open(self.checkpoint.as_deref(), every, self.resume)?;
        let quiet = globals.quiet;
        session.on_trouble(move |error| {
            if !quiet {
                say(&format!("the checkpoint is not saved: {error}; going on without it"));
            }
        });
        self.out.as_deref().map_or(Ok(()), ensure_writable)?;
        Ok(session)
    }

    /// When to stop.
    #[must_use]
    pub fn deadline(&self, begun: Instant) -> Option<Instant> {
        self.time_limit.map(|limit| begun + limit)
    }

    /// Refuses one file for two purposes.
    ///
    /// # Errors
    /// When there is one.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.out.is_some() && self.out == self.checkpoint {
            bail!(
                "--out and --checkpoint name the same file: the checkpoint changes as the run goes on, the result does not"
            );
        }
        Ok(())
    }

    /// How a search ends whose answer has been given: with an error where its result could not be kept.
    ///
    /// # Errors
    /// That one; else that of a result or a checkpoint that was not written.
    pub fn ended(
        &self,
        globals: &Globals,
        (complete, found): (bool, bool),
        unsaved: Option<RecordError>,
    ) -> anyhow::Result<Outcome> {
        if let Some(error) = unsaved {
            return Err(error).context("the answer is whole, but could not be kept");
        }
        match (complete, found) {
            (false, _) => self.stopped(globals),
            (true, false) => Ok(Outcome::None),
            (true, true) => Ok(Outcome::Found),
        }
    }

    /// How a search ends that was stopped before it was whole.
    ///
    /// # Errors
    /// When the system takes no handler of interrupts.
    fn stopped(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let how = if self.checkpoint.is_some() {
            "the same command with --resume goes on"
        } else {
            "--checkpoint FILE would keep it"
        };
        globals.say(format!("stopped before the end; {how}"));
        Ok(if interrupt::flag()?.load(Ordering::Relaxed) { Outcome::Interrupted } else { Outcome::Unanswered })
    }
}

/// How a search ends early and what it keeps.
#[derive(Clone, Copy)]
pub struct Ends {
    /// Stop then.
    pub deadline: Option<Instant>,
    /// Stop once a solution is found.
    pub first: bool,
    /// Indices with solutions to keep.
    pub keep: usize,
    /// Progress as dots.
    pub dots: bool,
}

/// What came of a search, and where it ran.
pub struct Searched {
    /// What came of it.
    pub report: Report,
    /// `cpu`, the adapter's backend, `all`, or `file` where the result was there already.
    pub backend: &'static str,
    /// The adapter; for a result that was there, what it was made on.
    pub adapter: Option<String>,
    /// Time taken, by earlier runs too.
    pub seconds: f64,
    /// Why the result could not be kept, where it was to be: the answer is to be given all the same.
    pub unsaved: Option<RecordError>,
}

/// Searches what a record's range has left; `unit` names the indices.
///
/// # Errors
/// Faults that cannot be survived, a divergence in lockstep, records that can't be written.
pub fn search(
    globals: &Globals,
    session: &mut Session,
    at: usize,
    (space, unit): (&dyn IndexSpace, &'static str),
    devices: &Devices,
    ends: Ends,
) -> anyhow::Result<Report> {
    let openers = devices.openers();
    let openers: Vec<&dyn Opener> = openers.iter().map(|opener| opener as &dyn Opener).collect();
    let (device, fleet) = match devices {
        Devices::One(_) => (openers.first().copied(), &[] as &[&dyn Opener]),
        Devices::All(_) => (None, openers.as_slice()),
    };
    let plan = Plan {
        space,
        range: session.records()[at].range.clone(),
        device,
        lockstep: globals.lockstep,
        keep: ends.keep,
        stop: interrupt::flag()?,
    };
    let words = devices.words();
    let how = How { fleet, device: &words, deadline: ends.deadline, first: ends.first };
    let mut meter = Meter::new(globals, ends.dots, unit);
    let outcome = session.run(at, &plan, &how, &mut |event| match event {
        Event::Batch(progress) => {
            if globals.verbose {
                let (number, indices, busy) = progress.batch;
                let took = duration(busy.as_secs_f64());
                meter.note(globals, &format!("batch {number}: {} {unit} in {took}", grouped(indices)));
            }
            meter.show(&progress);
        }
        Event::Survived { fault, then } => meter.fault(globals, &format!("{fault}; {then}")),
        Event::Covered(_) => {}
    });
    meter.finish();
    Ok(outcome?)
}

/// Searches the range of a record as the options say: from its checkpoint on, or not at all where its result is there.
///
/// # Errors
/// As [`search`]; files that belong to another run.
pub fn settle(
    globals: &Globals,
    begun: Instant,
    wanted: &Record,
    (space, unit): (&dyn IndexSpace, &'static str),
    (keep, hits, dots): (&KeepArgs, usize, bool),
) -> anyhow::Result<Searched> {
    keep.check()?;
    let range = wanted.range.clone();
    let _held = keep.out.as_deref().map(Lock::beside).transpose()?;
    if let Some(record) = finished(keep.out.as_deref(), wanted)? {
        globals.say("the result file is whole already: nothing is searched");
        let report = Report {
            tally: record.tally(),
            covered: range,
            complete: true,
            batches: u64::from(record.lockstep),
            compared: u64::from(record.lockstep),
            on_device: false,
            survived: Vec::new(),
        };
        let seconds = record.milliseconds as f64 / 1e3;
        return Ok(Searched {
            report,
            backend: "file",
            adapter: Some(record.devices.join("; ")),
            seconds,
            unsaved: None,
        });
    }
    let mut session = keep.session(globals)?;
    let at = session.record(wanted, &[])?;
    let from = session.records()[at].covered.end;
    let earlier = session.records()[at].milliseconds as f64 / 1e3;
    if from > range.start {
        globals.say(format!("going on from index {from}"));
    }
    let devices = Devices::choose(globals, is_small(space, &(from..range.end)))?;
    let ends = Ends { deadline: keep.deadline(begun), first: false, keep: hits, dots };
    let report = search(globals, &mut session, at, (space, unit), &devices, ends)?;
    let unsaved = match &keep.out {
        Some(out) if report.complete => save(out, session.records()).err(),
        _ => None,
    };
    let (backend, adapter) = (devices.backend(&report), devices.adapter(&report));
    Ok(Searched { report, backend, adapter, seconds: earlier + begun.elapsed().as_secs_f64(), unsaved })
}

/// The record of a result file that is there; a file of another run is refused.
fn finished(out: Option<&Path>, wanted: &Record) -> anyhow::Result<Option<Record>> {
    let Some(out) = out.filter(|out| out.exists()) else { return Ok(None) };
    let mut session = Session::read(out)?;
    let at = session.record(wanted, &[])?;
    let record = session.records()[at].clone();
    if !record.is_complete() {
        bail!(
            "{}: it covers only {}..{}; remove it to search again",
            out.display(),
            record.covered.start,
            record.covered.end
        );
    }
    Ok(Some(record))
}

impl MergeArgs {
    /// Reads the files and puts them together.
    ///
    /// # Errors
    /// Files that can't be read, or do not belong together.
    pub fn merged(&self) -> anyhow::Result<Merged> {
        let mut parts = Vec::new();
        for path in &self.files {
            let records = load(path)?;
            let several = records.len() > 1;
            let name = |number: usize| {
                if several { format!("{} (record {})", path.display(), number + 1) } else { path.display().to_string() }
            };
            parts.extend(records.into_iter().enumerate().map(|(number, record)| (name(number), record)));
        }
        Ok(merge(parts)?)
    }

    /// Keeps a whole sum as asked, and says what one that is not whole lacks.
    ///
    /// # Errors
    /// A file that can't be written.
    pub fn conclude(&self, globals: &Globals, merged: &Merged) -> anyhow::Result<Outcome> {
        if !merged.missing.is_empty() {
            let missing: Vec<_> = merged.missing.iter().map(words).collect();
            globals.say(format!("not whole: search --range {} too", missing.join(", ")));
            return Ok(Outcome::Unanswered);
        }
        if let Some(out) = &self.out {
            save(out, &[merged.record()])?;
        }
        Ok(if merged.tally.found == 0 { Outcome::None } else { Outcome::Found })
    }
}

/// `A..B`.
#[must_use]
pub fn words(range: &Range<u128>) -> String {
    format!("{}..{}", range.start, range.end)
}
