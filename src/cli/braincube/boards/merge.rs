//! `braincube merge`: the parts of a search of all boards put together; `braincube keyspace`: what they are parts of.

use std::fmt::Write;
use std::ops::Range;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::answer::Answer;
use super::extremes::{Extremes, ListArgs};
use super::{COMMAND, SizeArgs};
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals};
use crate::cli::kept::{MergeArgs, words};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json};
use crate::puzzles::braincube::boards::Boards;
use crate::puzzles::index_space::IndexSpace;
use crate::search::index::merge::Merged;
use crate::search::index::record::{Job, Record};

/// Add up the result files of parts of `boards`: they must agree in what was searched, and cover all
/// of it, with no hole and no overlap
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  gpu-solve braincube merge part-*.json --out whole.json\n\nExit codes: 0 whole, some board has a solution; 1 whole, none has; 2 parts are missing (and named), overlap, or do not agree."
)]
pub struct Merge {
    #[command(flatten)]
    files: MergeArgs,
    #[command(flatten)]
    list: ListArgs,
}

/// Print the number of masks, which --range and --shard of `boards` divide
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube keyspace --rows 6 --cols 6")]
pub struct Keyspace {
    #[command(flatten)]
    size: SizeArgs,
}

/// The boards that a job names.
fn space(job: &Job) -> anyhow::Result<Boards> {
    ensure!(job.command == COMMAND, "the records are of {}, not of {COMMAND}", job.command);
    let parameter = |name: &str| {
        let text = job.parameters.get(name).with_context(|| format!("the records name no {name}"))?;
        Ok::<_, anyhow::Error>(text.as_str())
    };
    let number = |name: &str| -> anyhow::Result<u32> {
        let text = parameter(name)?;
        text.parse().with_context(|| format!("the records' {name} is {text:?}, not a number"))
    };
    let pairs = match parameter("pairs")? {
        "true" => true,
        "false" => false,
        other => bail!("the records' pairs is {other:?}: expected true or false"),
    };
    let space = Boards::new(number("rows")?, number("cols")?, pairs)?;
    ensure!(space.size() == job.size, "the records' boards have {} masks, not {}", job.size, space.size());
    Ok(space)
}

impl Merge {
    /// Adds up and prints.
    ///
    /// # Errors
    /// Files that can't be read or written, or do not belong together.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        globals.cpu_only("braincube merge")?;
        let mut merged = self.files.merged()?;
        let space = space(&merged.job)?;
        self.list.prepare(&space)?;
        space.prune(&mut merged.tally);
        let extremes = Extremes::find(&space, &merged.tally, &self.list)?;
        let covered: Vec<_> = merged.parts.iter().map(|(_, record)| record.covered.clone()).collect();
        let seconds = merged.milliseconds as f64 / 1e3;
        let answer = Answer { space: &space, tally: &merged.tally, extremes, seconds };
        match globals.format {
            Format::Json => print_json(&json(&answer, &covered, &merged))?,
            Format::Text => print(&text(&answer, &covered, &merged)?)?,
        }
        if let Some(error) = answer.extremes.unwritten {
            return Err(error);
        }
        self.files.conclude(globals, &merged)
    }
}

fn json(answer: &Answer<'_>, covered: &[Range<u128>], merged: &Merged) -> Value {
    let part = |(file, record): &(String, Record)| {
        json!({
            "file": file, "range": words(&record.covered),
            "solvable": json_number(record.found.into()), "unique": json_number(record.steps.into()),
            "digest": format!("{:016x}", record.digest), "seconds": record.milliseconds as f64 / 1e3,
            "lockstep": record.lockstep, "devices": record.devices, "version": record.version,
        })
    };
    answer.json("braincube merge", covered, |object| {
        let fields = [
            ("complete", merged.missing.is_empty().into()),
            ("keyspace", merged.job.size.to_string().into()),
            ("missing", merged.missing.iter().map(words).collect()),
            ("lockstep", merged.parts.iter().all(|(_, record)| record.lockstep).into()),
            ("ranges", merged.parts.iter().map(part).collect()),
        ];
        object.extend(fields.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
    })
}

fn text(answer: &Answer<'_>, covered: &[Range<u128>], merged: &Merged) -> anyhow::Result<String> {
    let mut text = answer.counts(covered)?;
    // Writing to a string does not fail.
    for (file, record) in &merged.parts {
        let (solvable, unique) = (grouped(record.found.into()), grouped(record.steps.into()));
        let _ = writeln!(text, "{:>24}  {solvable:>16} solvable  {unique:>16} unique  {file}", words(&record.covered));
    }
    for missing in &merged.missing {
        let _ = writeln!(text, "{:>24}  missing", words(missing));
    }
    let _ = writeln!(
        text,
        "{} of 0..{}, digest {:016x}, {} in all",
        if merged.missing.is_empty() { "all" } else { "a part" },
        merged.job.size,
        merged.tally.digest,
        duration(answer.seconds)
    );
    Ok(text)
}

impl Keyspace {
    /// Prints it.
    ///
    /// # Errors
    /// A size out of range.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        let space = self.size.space()?;
        let keyspace = space.size().to_string();
        match globals.format {
            Format::Text => print(&format!("{keyspace}\n"))?,
            Format::Json => print_json(&json!({
                "format": JSON_FORMAT, "command": "braincube keyspace",
                "rows": space.rows(), "cols": space.cols(), "pairs": space.pairs(),
                "unit": "boards", "keyspace": keyspace,
            }))?,
        }
        Ok(Outcome::Found)
    }
}
