//! The parts of a distributed run put together: whether they belong together, cover the space without a hole or an overlap,
//! and what they yield in all.

use std::ops::Range;

use super::record::{Job, Record};
use crate::puzzles::index_space::Tally;

/// Parts put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// What was searched.
    pub job: Job,
    /// The parts, ascending: where each came from and what it is.
    pub parts: Vec<(String, Record)>,
    /// What they yield in all.
    pub tally: Tally,
    /// Time spent by all together.
    pub milliseconds: u64,
    /// Parts of the index space that no record covers, ascending.
    pub missing: Vec<Range<u128>>,
}

/// Why parts do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("there is nothing to merge: name the result files of the shards")]
    Nothing,
    /// Records of different searches.
    #[error("{other} does not belong to {first}: {why}")]
    Different {
        /// Where the first record came from.
        first: String,
        /// Where the other one did.
        other: String,
        /// What differs.
        why: String,
    },
    /// Two parts share indices, which would count twice.
    #[error("{first} ({}..{}) and {second} ({}..{}) overlap: leave one of them out", .ranges[0].start, .ranges[0].end, .ranges[1].start, .ranges[1].end)]
    Overlap {
        /// Where the one came from.
        first: String,
        /// Where the other did.
        second: String,
        /// Their ranges.
        ranges: Box<[Range<u128>; 2]>,
    },
}

impl Merged {
    /// The record of a single run with the same result.
    #[must_use]
    pub fn record(&self) -> Record {
        let mut record = Record::new(self.job.clone(), 0..self.job.size);
        record.enter(0..self.job.size, &self.tally);
        record.milliseconds = self.milliseconds;
        record.lockstep = self.parts.iter().all(|(_, part)| part.lockstep);
        record.devices = self.parts.iter().flat_map(|(_, part)| part.devices.clone()).collect();
        record.devices.sort();
        record.devices.dedup();
        record
    }
}

/// Puts records together. One that is not complete counts as far as it covers; what is left of its range is missing.
///
/// # Errors
/// [`MergeError`].
pub fn merge(mut parts: Vec<(String, Record)>) -> Result<Merged, MergeError> {
    let Some((first, record)) = parts.first() else { return Err(MergeError::Nothing) };
    let (first, job) = (first.clone(), record.job.clone());
    for (other, record) in &parts[1..] {
        if let Some(why) = job.difference(&record.job) {
            return Err(MergeError::Different { first, other: other.clone(), why });
        }
    }
    parts.sort_by_key(|(_, record)| (record.covered.start, record.covered.end));
    let mut tally = Tally::default();
    let mut milliseconds = 0;
    let mut missing = Vec::new();
    let mut reached = 0;
    let mut before: Option<&(String, Record)> = None;
    for part in &parts {
        let (name, record) = part;
        if !record.covered.is_empty() {
            if record.covered.start > reached {
                missing.push(reached..record.covered.start);
            }
            if let Some((earlier, other)) = before
                && record.covered.start < reached
            {
                return Err(MergeError::Overlap {
                    first: earlier.clone(),
                    second: name.clone(),
                    ranges: Box::new([other.covered.clone(), record.covered.clone()]),
                });
            }
            reached = record.covered.end;
            before = Some(part);
        }
        tally.absorb(record.tally());
        milliseconds += record.milliseconds;
    }
    if reached < job.size {
        missing.push(reached..job.size);
    }
    tally.sort();
    Ok(Merged { job, parts, tally, milliseconds, missing })
}

/// The part of an index space that shard `number` (1..=`shards`) covers: they differ by one index at most.
#[must_use]
pub fn shard(number: u64, shards: u64, size: u128) -> Range<u128> {
    let (number, shards) = (u128::from(number), u128::from(shards));
    // size·k/shards without leaving 128 bits
    let cut = |k: u128| size / shards * k + size % shards * k / shards;
    cut(number - 1)..cut(number)
}
