//! A search with a memory: records of what it covered, saved on a timer and at its end, and taken up again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::engine::Opener;
use super::fleet;
use super::range::{Event, Plan, RangeError, Report, Terms, search_from};
use super::record::{Job, Record, RecordError, load, save};
use crate::search::lock::Lock;

/// The records of a run, and where they are kept.
pub struct Session {
    path: Option<PathBuf>,
    every: Duration,
    records: Vec<Record>,
    /// Keeps other runs from the file.
    _lock: Option<Lock>,
    trouble: Box<dyn FnMut(&RecordError)>,
}

/// Why a run with a memory has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The search failed.
    #[error(transparent)]
    Search(#[from] RangeError),
    /// Its records could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// How a session's searches run.
pub struct How<'a> {
    /// Several devices at once, beside the CPU; empty: as the plan says.
    pub fleet: &'a [&'a dyn Opener],
    /// What the search runs on, in words.
    pub device: &'a str,
    /// Stop then.
    pub deadline: Option<Instant>,
    /// Stop once a solution is found.
    pub first: bool,
}

impl Session {
    /// A session whose records are kept in this file, if any, and saved this often. No other run gets at it meanwhile.
    ///
    /// # Errors
    /// [`RecordError::Locked`] where another run has the file; [`RecordError::Present`] where it is there and is not to be
    /// resumed; else as [`load`].
    pub fn open(path: Option<&Path>, every: Duration, resume: bool) -> Result<Self, RecordError> {
        let lock = path.map(Lock::beside).transpose()?;
        let records = match path {
            Some(path) if path.exists() => {
                let records = load(path)?;
                if !resume {
                    return Err(RecordError::Present { path: path.to_owned() });
                }
                records
            }
            _ => Vec::new(),
        };
        Ok(Self { path: path.map(Path::to_owned), every, records, trouble: Box::new(|_| {}), _lock: lock })
    }

    /// The records of a file, to be looked at and not changed.
    ///
    /// # Errors
    /// As [`load`].
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let records = load(path)?;
        Ok(Self { path: Some(path.to_owned()), every: Duration::MAX, records, trouble: Box::new(|_| {}), _lock: None })
    }

    /// Tells this of each attempt to save that fails while the search goes on, and of the last one where the search is
    /// whole without it.
    pub fn on_trouble(&mut self, told: impl FnMut(&RecordError) + 'static) {
        self.trouble = Box::new(told);
    }

    /// The place of the record of this job and range: the one kept, or a new one. Kept records must be of the same job but
    /// for these parameters.
    ///
    /// # Errors
    /// [`RecordError::Foreign`] where one is not.
    pub fn record(&mut self, wanted: &Record, varying: &[&str]) -> Result<usize, RecordError> {
        let plain = |job: &Job| {
            let mut job = job.clone();
            job.parameters.retain(|name, _| !varying.contains(&name.as_str()));
            if !varying.is_empty() {
                job.size = 0;
            }
            job
        };
        for record in &self.records {
            let mut why = plain(&wanted.job).difference(&plain(&record.job));
            if varying.is_empty() && record.range != wanted.range {
                let (theirs, mine) = (&record.range, &wanted.range);
                why = why.or(Some(format!(
                    "its range is {}..{}, not {}..{}",
                    theirs.start, theirs.end, mine.start, mine.end
                )));
            }
            if let (Some(why), Some(path)) = (why, &self.path) {
                return Err(RecordError::Foreign { path: path.clone(), why });
            }
        }
        let known = self.records.iter().position(|record| record.job == wanted.job && record.range == wanted.range);
        Ok(known.unwrap_or_else(|| {
            self.records.push(wanted.clone());
            self.records.len() - 1
        }))
    }

    /// The records.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Searches what a record's range has left, and keeps the record. The plan's range is the record's.
    ///
    /// # Errors
    /// [`SessionError`]; what was covered before is then saved where there is a file. A file that can't be written is known
    /// before the search begins.
    pub fn run(
        &mut self,
        at: usize,
        plan: &Plan<'_>,
        how: &How<'_>,
        notify: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, SessionError> {
        let (begun, before) = (Instant::now(), self.records[at].milliseconds);
        let untouched = self.records[at].covered.is_empty();
        let held_before = untouched || self.records[at].lockstep;
        let earlier = (!untouched)
            .then(|| super::range::Earlier { covered: self.records[at].covered.end, tally: self.records[at].tally() });
        let terms = Terms { earlier, deadline: how.deadline, first: how.first };
        if !self.records[at].devices.iter().any(|device| device == how.device) {
            self.records[at].devices.push(how.device.to_owned());
        }
        if let Some(path) = &self.path {
            save(path, &self.records)?;
        }
        let mut saved = Instant::now();
        let outcome = {
            let mut watch = |event: Event<'_>| {
                if let Event::Covered(report) = event {
                    let record = &mut self.records[at];
                    record.enter(report.covered.clone(), &report.tally);
                    record.milliseconds = before + millis(begun.elapsed());
                    record.lockstep = held_before && report.lockstep_held();
                    if let Some(path) = &self.path
                        && saved.elapsed() >= self.every
                    {
                        if let Err(error) = save(path, &self.records) {
                            (self.trouble)(&error);
                        }
                        saved = Instant::now();
                    }
                }
                notify(event);
            };
            if how.fleet.is_empty() {
                search_from(plan, &terms, &mut watch)
            } else {
                fleet::search(plan, how.fleet, &terms, &mut watch)
            }
        };
        if let Ok(report) = &outcome {
            self.records[at].enter(report.covered.clone(), &report.tally);
        }
        env!("CARGO_PKG_VERSION").clone_into(&mut self.records[at].version);
        if let Some(path) = &self.path
            && let Err(error) = save(path, &self.records)
        {
            // An answer that is whole is worth more than the way to it.
            match &outcome {
                Ok(report) if report.complete => (self.trouble)(&error),
                _ => return Err(error.into()),
            }
        }
        Ok(outcome?)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
