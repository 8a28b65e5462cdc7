//! Records: what a search over a part of an index space has covered and found, as a file. A record that covers its whole
//! range is a result; one that does not is a checkpoint, from which the search goes on. Nothing here knows a puzzle.
//!
//! A file holds one JSON object: a format version, the records, and a CRC-32 of their text. It is written under another
//! name, synced and renamed, so that there is the old one or the new one and never half of one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;
use crate::puzzles::index_space::{Mark, Tally};
use crate::search::lock::LockError;

/// The version of the file's format.
pub const FORMAT: &str = "gpu-solve-records/1";
/// More counters than any space has: a number past this is no counter's.
const MOST_COUNTERS: u32 = 1 << 16;

/// What was searched: two records belong together when their jobs are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The command.
    pub command: String,
    /// What decides the index space, by name.
    pub parameters: BTreeMap<String, String>,
    /// The size of the index space, in decimal.
    #[serde(with = "decimal")]
    pub size: u128,
}

/// What is known of a part of an index space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What is searched.
    #[serde(flatten)]
    pub job: Job,
    /// The part of the index space that the run is to cover.
    #[serde(with = "span")]
    pub range: Range<u128>,
    /// The indices covered: from the range's start on.
    #[serde(with = "span")]
    pub covered: Range<u128>,
    /// Nodes of the search trees.
    pub nodes: u64,
    /// Work done, in the space's unit.
    pub steps: u64,
    /// Solutions, as the space counts them.
    pub found: u64,
    /// The order-free digest, in hexadecimal.
    #[serde(with = "hexadecimal")]
    pub digest: u64,
    /// The lowest indices that hold solutions, as many as were kept.
    pub hits: Vec<String>,
    /// The space's own counters by their numbers, those that are 0 left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<u32, u64>,
    /// Batches that the space wants looked into again, by the counter on whose account.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<u32, Vec<Span>>,
    /// Time spent, in all runs together.
    pub milliseconds: u64,
    /// Whether every batch was compared in lockstep.
    pub lockstep: bool,
    /// What it ran on.
    pub devices: Vec<String>,
    /// The version of the program that ended it.
    pub version: String,
}

/// A range of indices, written as `"A..B"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(#[serde(with = "span")] pub Range<u128>);

/// What is wrong with a file of records.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
    /// It is none, or damaged.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// It is there, and is not to be gone on from.
    #[error("{}: it is there already: --resume goes on from it; else name another file, or remove it if it is no longer wanted", path.display())]
    Present {
        /// The file.
        path: PathBuf,
    },
    /// It is of something else.
    #[error("{}: it is another run's: {why}; name another file, or remove it if it is no longer wanted", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What differs.
        why: String,
    },
    /// Another run is at it.
    #[error(transparent)]
    Locked(#[from] LockError),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    format: String,
    records: Vec<Record>,
    checksum: String,
}

impl Job {
    /// What differs from another job, in words; `None`: nothing.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.command != other.command {
            return Some(format!("its command is {}, not {}", other.command, self.command));
        }
        let names = self.parameters.keys().chain(other.parameters.keys());
        for name in names {
            let value = |job: &Self| job.parameters.get(name).map_or("not set", String::as_str).to_owned();
            let (mine, theirs) = (value(self), value(other));
            if mine != theirs {
                return Some(format!("its {name} is {theirs}, not {mine}"));
            }
        }
        (self.size != other.size).then(|| format!("its index space has {} indices, not {}", other.size, self.size))
    }
}

impl Record {
    /// An empty record.
    #[must_use]
    pub fn new(job: Job, range: Range<u128>) -> Self {
        let covered = range.start..range.start;
        Self {
            job,
            range,
            covered,
            nodes: 0,
            steps: 0,
            found: 0,
            digest: 0,
            hits: Vec::new(),
            counters: BTreeMap::new(),
            marks: BTreeMap::new(),
            milliseconds: 0,
            lockstep: false,
            devices: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether the whole range is covered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.covered == self.range
    }

    /// What the covered indices yielded.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut counters = Vec::new();
        for (&number, &count) in &self.counters {
            counters.resize(number as usize, 0);
            counters.push(count);
        }
        let mark = |counter: u32, Span(batch): &Span| Mark { counter, batch: batch.clone() };
        Tally {
            found: self.found,
            digest: self.digest,
            work: self.steps,
            nodes: self.nodes,
            hits: self.hits.iter().filter_map(|hit| hit.parse().ok()).collect(),
            counters,
            marks: self
                .marks
                .iter()
                .flat_map(|(&counter, spans)| spans.iter().map(move |span| mark(counter, span)))
                .collect(),
        }
    }

    /// Enters how far a search has come.
    pub fn enter(&mut self, covered: Range<u128>, tally: &Tally) {
        self.covered = covered;
        (self.found, self.digest, self.steps, self.nodes) = (tally.found, tally.digest, tally.work, tally.nodes);
        self.hits = tally.hits.iter().map(ToString::to_string).collect();
        self.counters = (0..).zip(tally.counters.iter().copied()).filter(|&(_, count)| count > 0).collect();
        self.marks = BTreeMap::new();
        for Mark { counter, batch } in &tally.marks {
            self.marks.entry(*counter).or_default().push(Span(batch.clone()));
        }
    }

    fn check(&self) -> Result<(), String> {
        let Range { start, end } = self.range;
        if start > end || end > self.job.size {
            return Err(format!("its range {start}..{end} is not one of 0..{}", self.job.size));
        }
        if self.covered.start != start || self.covered.end > end || self.covered.end < start {
            return Err(format!(
                "what it covers, {}..{}, is not the start of {start}..{end}",
                self.covered.start, self.covered.end
            ));
        }
        for hit in &self.hits {
            if !hit.parse().is_ok_and(|hit| self.covered.contains(&hit)) {
                return Err(format!(
                    "it names a solution at index {:?}, outside {}..{}",
                    excerpt(hit),
                    start,
                    self.covered.end
                ));
            }
        }
        if self.counters.keys().any(|&number| number >= MOST_COUNTERS) {
            return Err(format!("it has a counter past number {MOST_COUNTERS}"));
        }
        for Span(batch) in self.marks.values().flatten() {
            if batch.start < start || batch.end > self.covered.end || batch.is_empty() {
                return Err(format!(
                    "it marks {}..{}, outside {}..{}",
                    batch.start, batch.end, start, self.covered.end
                ));
            }
        }
        Ok(())
    }
}

fn checksum(records: &[Record]) -> serde_json::Result<String> {
    Ok(format!("{:08x}", crc32fast::hash(&serde_json::to_vec(records)?)))
}

/// Reads the text of a file of records.
///
/// # Errors
/// What does not fit: another format or version, a cut or changed text, ranges that make no sense.
pub fn read(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it is not whole JSON ({error})"))?;
    match value.get("format").and_then(serde_json::Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => return Err(format!("its format is {:?}, and this version reads {FORMAT:?}", excerpt(other))),
        None => return Err(format!("it is no file of records: \"format\": {FORMAT:?} is missing")),
    }
    let stored: Stored = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let sum = checksum(&stored.records).map_err(|error| error.to_string())?;
    if sum != stored.checksum {
        return Err(format!("it was changed: its checksum is {sum}, not {:?} as it says", excerpt(&stored.checksum)));
    }
    stored.records.iter().try_for_each(Record::check)?;
    Ok(stored.records)
}

/// The text of a file of records.
///
/// # Errors
/// None that is known: records are plain.
pub fn write(records: &[Record]) -> serde_json::Result<String> {
    let checksum = checksum(records)?;
    let stored = Stored { format: FORMAT.to_owned(), records: records.to_vec(), checksum };
    Ok(serde_json::to_string_pretty(&stored)? + "\n")
}

/// Reads a file of records.
///
/// # Errors
/// [`RecordError::Io`]; [`RecordError::Damaged`] where [`read`] refuses it.
pub fn load(path: &Path) -> Result<Vec<Record>, RecordError> {
    let bytes = read_head(path).map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
    read(&bytes).map_err(|why| RecordError::Damaged { path: path.to_owned(), why })
}

/// The file; of one that is no JSON object, however long, the beginning alone.
fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&file).take(1024).read_to_end(&mut bytes)?;
    if bytes.trim_ascii_start().starts_with(b"{") {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Writes a file of records in one step.
///
/// # Errors
/// [`RecordError::Io`]; the old file, if any, is then still there.
pub fn save(path: &Path, records: &[Record]) -> Result<(), RecordError> {
    let failed = |source: io::Error| RecordError::Io { path: path.to_owned(), source };
    let text = write(records).map_err(|error| failed(error.into()))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        // What is left of the attempt is of no use; that it can't be removed changes nothing.
        let _ = fs::remove_file(&temporary);
        failed(error)
    })?;
    // The new name is on disk only when the folder is; a system that can't sync folders has renamed all the same.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// `"A..B"`.
mod span {
    use std::ops::Range;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(range: &Range<u128>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}..{}", range.start, range.end))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Range<u128>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
        ends.ok_or_else(|| {
            D::Error::custom(format!(
                "{:?} is no range: expected one such as \"0..1000\"",
                crate::excerpt::excerpt(&text)
            ))
        })
    }
}

/// A number past 64 bits as a string.
mod decimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom(format!("{:?} is no whole number", crate::excerpt::excerpt(&text))))
    }
}

/// Sixteen hexadecimal digits.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over so")]
    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{number:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map_err(|_| D::Error::custom(format!("{:?} is no hexadecimal number", crate::excerpt::excerpt(&text))))
    }
}
