//! What a search of all boards says, for people and as JSON.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Map, Value, json};

use super::extremes::{Extreme, Extremes, board};
use crate::cli::braincube::picture::picture;
use crate::cli::kept::words;
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, rate};
use crate::puzzles::braincube::State;
use crate::puzzles::braincube::boards::Boards;
use crate::puzzles::index_space::Tally;
use crate::search::index::range::Report;

/// What is known after a search, or of several put together.
pub struct Answer<'a> {
    /// What was searched.
    pub space: &'a Boards,
    /// What came of it.
    pub tally: &'a Tally,
    /// The hardest boards.
    pub extremes: Extremes,
    /// Time taken.
    pub seconds: f64,
}

/// Enters what belongs to a single run.
pub fn of_report(
    object: &mut Map<String, Value>,
    range: &Range<u128>,
    report: &Report,
    backend: &str,
    adapter: Option<&str>,
) {
    let faults: Vec<_> = report.survived.iter().map(ToString::to_string).collect();
    let fields = [
        ("range", words(range).into()),
        ("covered", words(&report.covered).into()),
        ("complete", report.complete.into()),
        ("backend", backend.into()),
        ("adapter", adapter.into()),
        ("lockstep", report.lockstep_held().into()),
        ("faults", faults.into()),
    ];
    object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
}

impl Answer<'_> {
    fn label(&self, square: u32) -> String {
        let (rows, cols) = (self.space.rows(), self.space.cols());
        State::upright(square / cols, square % cols).label(rows, cols).to_string()
    }

    fn instances(&self, extreme: Option<&Extreme>) -> Value {
        let shown = extreme.map_or(&[][..], |extreme| &extreme.shown);
        if !self.space.pairs() {
            return shown.iter().map(|instance| json_number(instance.mask.into())).collect();
        }
        shown
            .iter()
            .map(|instance| {
                json!({
                    "mask": json_number(instance.mask.into()),
                    "start": self.label(instance.start), "goal": self.label(instance.goal),
                })
            })
            .collect()
    }

    /// As an object, to which `more` adds what is special.
    pub fn json(&self, command: &str, covered: &[Range<u128>], more: impl FnOnce(&mut Map<String, Value>)) -> Value {
        let Self { space, tally, extremes, seconds } = self;
        let number = |count: u64| json_number(count.into());
        let (longest, unique) = (extremes.longest.as_ref(), extremes.unique.as_ref());
        let mut object = json!({
            "format": JSON_FORMAT, "command": command,
            "rows": space.rows(), "cols": space.cols(), "pairs": space.pairs(),
            "masks": json_number(covered.iter().map(|range| space.questions(range)).sum()),
            "solvable": number(tally.found), "unique": number(tally.work),
            "max_shortest": longest.map(|extreme| extreme.length),
            "max_shortest_count": longest.map_or(0.into(), |extreme| number(extreme.count)),
            "max_shortest_masks": self.instances(longest),
            "max_shortest_unique": unique.map(|extreme| extreme.length),
            "max_shortest_unique_count": unique.map_or(0.into(), |extreme| number(extreme.count)),
            "max_shortest_unique_masks": self.instances(unique),
            "histogram": space.histogram(tally).iter().map(|bar| json!({
                "length": bar.length, "masks": number(bar.boards), "unique": number(bar.unique),
            })).collect::<Vec<_>>(),
            "digest": format!("{:016x}", tally.digest),
            "files": extremes.files, "seconds": seconds,
        });
        if let Value::Object(object) = &mut object {
            more(object);
        }
        object
    }

    /// The counts and the hardest boards, for people.
    pub fn counts(&self, covered: &[Range<u128>]) -> anyhow::Result<String> {
        let Self { space, tally, extremes, .. } = self;
        let what = if space.pairs() { "ordered pairs of squares" } else { "boards with both corners" };
        let bars = space.histogram(tally);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}×{}: {} {what}, {} with a solution, {} of them with only one shortest",
            space.rows(),
            space.cols(),
            grouped(covered.iter().map(|range| space.questions(range)).sum()),
            grouped(tally.found.into()),
            grouped(tally.work.into())
        );
        let wide = bars.iter().map(|bar| grouped(bar.boards.into()).len()).max().unwrap_or(0).max(6);
        if !bars.is_empty() {
            let _ = writeln!(text, "{:>6}  {:>wide$}  {:>wide$}", "moves", "in all", "unique");
        }
        for bar in &bars {
            let (boards, unique) = (grouped(bar.boards.into()), grouped(bar.unique.into()));
            let _ = writeln!(text, "{:>6}  {boards:>wide$}  {unique:>wide$}", bar.length);
        }
        for (name, extreme) in [("longest", &extremes.longest), ("longest of the unique", &extremes.unique)] {
            let Some(extreme) = extreme else { continue };
            let _ = writeln!(text, "{name}: {} moves, {} so", extreme.length, grouped(extreme.count.into()));
            for instance in &extreme.shown {
                let (start, goal) = (self.label(instance.start), self.label(instance.goal));
                let _ = writeln!(text, "mask {}, {start} to {goal}", instance.mask);
                text += &picture(&board(space, instance.mask)?, None);
            }
        }
        for file in &extremes.files {
            let _ = writeln!(text, "written: {file}");
        }
        Ok(text)
    }

    /// The answer of a single run, for people.
    pub fn text(&self, report: &Report, backend: &str, adapter: Option<&str>) -> anyhow::Result<String> {
        let covered = &report.covered;
        let mut text = self.counts(std::slice::from_ref(covered))?;
        // Writing to a string does not fail.
        if !report.complete {
            let _ = writeln!(text, "stopped: {} is covered; go on with --range {}..", words(covered), covered.end);
        }
        let indices = covered.end - covered.start;
        let _ = writeln!(
            text,
            "{} masks in {}, {}",
            grouped(indices),
            duration(self.seconds),
            rate(indices as f64 / self.seconds.max(1e-9))
        );
        let lockstep = match (report.lockstep_held(), report.compared) {
            (true, batches) => format!("held, {batches} batches compared"),
            (false, 0) => "not run".to_owned(),
            (false, batches) => format!("held for the first {batches} of {} batches", report.batches),
        };
        let _ = writeln!(text, "backend {backend}, adapter {}, lockstep {lockstep}", adapter.unwrap_or("none"));
        Ok(text)
    }
}
