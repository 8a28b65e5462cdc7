//! Running a search of triangles, kept and stopped as asked; and `gpu-solve billiard` itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

use super::answer::{self, Answer};
use super::{Chosen, KeepArgs, SearchArgs};
use crate::cli::files::ensure_writable;
use crate::cli::globals::{Globals, Place, say};
use crate::cli::output::{duration, grouped};
use crate::cli::progress::Meter;
use crate::cli::{Outcome, interrupt};
use crate::gpu::adapters::{Adapter, list};
use crate::puzzles::billiard::rules::Triangle;
use crate::puzzles::billiard::{BilliardSpace, Solver};
use crate::search::engine::{GpuOpener, Opener, is_small};
use crate::search::merge::shard;
use crate::search::range::{Event, Plan, Report};
use crate::search::record::{Job, Record, load, save};
use crate::search::session::{How, Session};

/// Where a search runs.
pub enum Devices {
    /// On the CPU or one adapter.
    One(Place),
    /// On every adapter and the CPU, all at once.
    All(Vec<Adapter>),
}

impl Devices {
    /// Decides it, and says so.
    pub fn choose(globals: &Globals, small: bool) -> anyhow::Result<Self> {
        if globals.adapter.as_deref() != Some("all") {
            return Ok(Self::One(globals.place(small)?));
        }
        if globals.lockstep {
            bail!(
                "--adapter all shares the range out, and --lockstep walks it on one device and the CPU alike: name one adapter"
            );
        }
        let adapters = list(globals.named_backend()?);
        if adapters.is_empty() {
            bail!("--adapter all: there is no adapter here; {}", crate::gpu::fault::SOFTWARE_ADAPTER_HINT);
        }
        for adapter in &adapters {
            globals.say(format!("backend: {}", adapter.description.line()));
        }
        globals.say("backend: and the CPU beside");
        Ok(Self::All(adapters))
    }

    fn openers(&self) -> Vec<GpuOpener> {
        match self {
            Self::One(Place::Cpu(_)) => Vec::new(),
            Self::One(Place::Device(adapter)) => vec![GpuOpener::new((**adapter).clone())],
            Self::All(adapters) => adapters.iter().cloned().map(GpuOpener::new).collect(),
        }
    }

    /// The backend of a report, for the answer.
    pub fn backend(&self, report: &Report) -> &'static str {
        match self {
            Self::One(place) if report.on_device => place.backend(),
            Self::All(_) if report.on_device => "all",
            _ => "cpu",
        }
    }

    /// The adapter of a report, for the answer.
    pub fn adapter(&self, report: &Report) -> Option<String> {
        match self {
            Self::One(Place::Device(adapter)) if report.on_device => Some(adapter.description.line()),
            Self::All(adapters) if report.on_device => {
                Some(adapters.iter().map(|adapter| adapter.description.line()).collect::<Vec<_>>().join("; "))
            }
            _ => None,
        }
    }

    fn words(&self) -> String {
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

/// What decides the index space.
pub fn job(command: &str, space: &Chosen) -> Job {
    let parameters =
        [("order", space.order.to_string()), ("max", space.max.to_string()), ("solver", space.solver.to_string())];
    let parameters: BTreeMap<_, _> = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Job { command: command.to_owned(), parameters, size: space.space.size() }
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

/// Searches what a record's range has left.
pub fn search(
    globals: &Globals,
    session: &mut Session,
    at: usize,
    space: &dyn BilliardSpace,
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
    let mut meter = Meter::new(globals, ends.dots, space.unit());
    let outcome = session.run(at, &plan, &how, &mut |event| match event {
        Event::Batch(progress) => {
            if globals.verbose {
                let (number, indices, busy) = progress.batch;
                let took = duration(busy.as_secs_f64());
                meter.note(globals, &format!("batch {number}: {} {} in {took}", grouped(indices), space.unit()));
            }
            meter.show(&progress);
        }
        Event::Survived { fault, then } => meter.fault(globals, &format!("{fault}; {then}")),
        Event::Covered(_) => {}
    });
    meter.finish();
    Ok(outcome?)
}

/// The triangles behind the lowest hits, mirror images included, each checked by the rules, in the rules' order; no more
/// than `most`, and no more of the hits are looked into than that takes.
pub fn expand(space: &dyn BilliardSpace, hits: &[u128], most: usize) -> anyhow::Result<Vec<Triangle>> {
    let mut triangles = Vec::new();
    for &hit in hits {
        if triangles.len() >= most {
            break;
        }
        for triangle in space.expand(hit).context("the device or its driver is at fault; check it with --lockstep")? {
            if space.weight() == 2 {
                triangles.push(triangle.mirror());
            }
            triangles.push(triangle);
        }
    }
    triangles.sort();
    Ok(triangles)
}

/// Whether a result file holds these records already; a file of another run is refused.
pub fn finished(out: Option<&Path>, wanted: &Record) -> anyhow::Result<Option<Record>> {
    let Some(out) = out.filter(|out| out.exists()) else { return Ok(None) };
    let mut session = Session::open(Some(out), Duration::MAX, true)?;
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

impl SearchArgs {
    /// Indices to keep.
    fn kept(&self) -> usize {
        if self.count { 0 } else { self.list.unwrap_or(100) }
    }

    fn range(&self, size: u128) -> anyhow::Result<Range<u128>> {
        match (self.range, self.shard) {
            (Some(range), _) => range.within(size).map_err(|message| anyhow!(message)),
            (None, Some(part)) => Ok(shard(part.number, part.shards, size)),
            (None, None) => Ok(0..size),
        }
    }

    /// Searches and prints the answer.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        self.keep.check()?;
        let space = self.space.space()?;
        let range = self.range(space.space.size())?;
        let wanted = Record::new(job("billiard", &space), range.clone());
        // Brute force counts mirror images by looking at every solution; there are eight at the most.
        let keep = if space.solver == Solver::BruteForce { usize::MAX } else { self.kept() };
        let mut unsaved = None;
        let (report, backend, adapter, seconds) = if let Some(record) = finished(self.keep.out.as_deref(), &wanted)? {
            globals.say("the result file is whole already: nothing is searched");
            let report = Report {
                tally: record.tally(),
                covered: range.clone(),
                complete: true,
                batches: u64::from(record.lockstep),
                compared: u64::from(record.lockstep),
                on_device: false,
                survived: Vec::new(),
            };
            (report, "file", Some(record.devices.join("; ")), record.milliseconds as f64 / 1e3)
        } else {
            let mut session = self.keep.session(globals)?;
            let at = session.record(&wanted, &[])?;
            let from = session.records()[at].covered.end;
            let earlier = session.records()[at].milliseconds as f64 / 1e3;
            if from > range.start {
                globals.say(format!("going on from index {from}"));
            }
            let devices = Devices::choose(globals, is_small(&*space.space, &(from..range.end)))?;
            let ends =
                Ends { deadline: self.keep.time_limit.map(|limit| begun + limit), first: false, keep, dots: self.dots };
            let report = search(globals, &mut session, at, &*space.space, &devices, ends)?;
            if let (true, Some(out)) = (report.complete, &self.keep.out) {
                unsaved = save(out, session.records()).err();
            }
            let (backend, adapter) = (devices.backend(&report), devices.adapter(&report));
            (report, backend, adapter, earlier + begun.elapsed().as_secs_f64())
        };
        let triangles = expand(&*space.space, &report.tally.hits, keep)?;
        let up_to_mirror = if space.solver == Solver::BruteForce {
            // Both mirror images are hits here, or only one of them in a part of the space; all hits were kept.
            triangles.iter().map(|triangle| triangle.clone().min(triangle.mirror())).collect::<BTreeSet<_>>().len()
                as u64
        } else {
            report.tally.found
        };
        let listed = &triangles[..triangles.len().min(self.kept())];
        Answer { space: &space, range: &range, report: &report, backend, adapter, listed, up_to_mirror, seconds }
            .print(globals)?;
        if let Some(error) = unsaved {
            return Err(error).context("the answer is whole, but could not be kept");
        }
        Ok(match space.space.weight() * report.tally.found {
            _ if !report.complete => answer::stopped(globals, &self.keep)?,
            0 => Outcome::None,
            _ => Outcome::Found,
        })
    }
}

impl KeepArgs {
    /// The session that was asked for; its files can be written.
    pub fn session(&self, globals: &Globals) -> anyhow::Result<Session> {
        let mut session = Session::open(self.checkpoint.as_deref(), self.every(), self.resume)?;
        let quiet = globals.quiet;
        session.on_trouble(move |error| {
            if !quiet {
                say(&format!("the checkpoint is not saved: {error}; going on without it"));
            }
        });
        self.out.as_deref().map_or(Ok(()), ensure_writable)?;
        Ok(session)
    }

    /// Where a run goes on that was stopped, in words.
    pub fn how_to_go_on(&self) -> &'static str {
        if self.checkpoint.is_some() {
            "the same command with --resume goes on"
        } else {
            "--checkpoint FILE would keep it"
        }
    }
}

/// The records of a file by their places in it, for messages.
pub fn named(path: &Path) -> anyhow::Result<Vec<(String, Record)>> {
    let records = load(path)?;
    let several = records.len() > 1;
    let name = |number: usize| {
        if several { format!("{} (record {})", path.display(), number + 1) } else { path.display().to_string() }
    };
    Ok(records.into_iter().enumerate().map(|(number, record)| (name(number), record)).collect())
}
