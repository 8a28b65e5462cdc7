//! What a search of triangles says, for people and as JSON.

use std::fmt::Write;
use std::ops::Range;

use serde::Serialize;
use serde::ser::SerializeStruct;
use serde_json::Value;

use super::Chosen;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json, rate};
use crate::puzzles::billiard::Solver;
use crate::puzzles::billiard::rules::Triangle;
use crate::search::index::range::Report;

/// What is known after a search.
pub struct Answer<'a> {
    /// What was searched.
    pub space: &'a Chosen,
    /// The part of it.
    pub range: &'a Range<u128>,
    /// What came of it.
    pub report: &'a Report,
    /// `cpu`, the adapter's backend, `all`, or `file`.
    pub backend: &'static str,
    /// The adapter.
    pub adapter: Option<String>,
    /// The triangles to list.
    pub listed: &'a [Triangle],
    /// Solutions of which each stands for its mirror image too.
    pub up_to_mirror: u64,
    /// Time taken.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    order: usize,
    max: usize,
    solver: String,
    backend: &'static str,
    adapter: Option<String>,
    lockstep: bool,
    complete: bool,
    range: String,
    covered: String,
    count: Value,
    count_up_to_mirror: Value,
    solutions: Vec<Solution>,
    tried: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<Below>,
    digest: String,
    seconds: f64,
    faults: Vec<String>,
}

/// What it took to list the prefixes.
#[derive(Serialize)]
struct Below {
    nodes: u64,
    steps: u64,
}

/// A triangle as JSON: its rows, bottom first.
pub struct Solution(Triangle);

impl Serialize for Solution {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The rows are laid out as they are written: a long listing would else take several times its memory.
        let mut fields = serializer.serialize_struct("Solution", 1)?;
        fields.serialize_field("rows", &self.0.rows().collect::<Vec<_>>())?;
        fields.end()
    }
}

impl Answer<'_> {
    fn count(&self) -> u64 {
        self.space.space.weight() * self.report.tally.found
    }

    /// Prints it.
    pub fn print(&self, globals: &Globals) -> anyhow::Result<()> {
        match globals.format {
            Format::Json => print_json(&self.object()),
            Format::Text => Ok(print(&self.text())?),
        }
    }

    fn object(&self) -> Object {
        let Self { space, range, report, .. } = self;
        let tree = |value: u64| (space.solver == Solver::Rows).then(|| json_number(value.into()));
        Object {
            format: JSON_FORMAT,
            command: "billiard",
            order: space.order,
            max: space.max,
            solver: space.solver.to_string(),
            backend: self.backend,
            adapter: self.adapter.clone(),
            lockstep: report.lockstep_held(),
            complete: report.complete,
            range: format!("{}..{}", range.start, range.end),
            covered: format!("{}..{}", report.covered.start, report.covered.end),
            count: json_number(self.count().into()),
            count_up_to_mirror: json_number(self.up_to_mirror.into()),
            solutions: self.listed.iter().map(Solution::of).collect(),
            tried: json_number(report.covered.end - report.covered.start),
            nodes: tree(report.tally.nodes),
            steps: tree(report.tally.work),
            below: space.space.below().map(|(nodes, steps)| Below { nodes, steps }),
            digest: format!("{:016x}", report.tally.digest),
            seconds: self.seconds,
            faults: report.survived.iter().map(ToString::to_string).collect(),
        }
    }

    /// The answer for people: every triangle with its top row first, then the counts.
    fn text(&self) -> String {
        let Self { space, range, report, listed, seconds, .. } = self;
        let (count, up_to_mirror, seconds) = (u128::from(self.count()), u128::from(self.up_to_mirror), *seconds);
        let mut text = String::new();
        for triangle in *listed {
            text += &drawing(triangle);
            text.push('\n');
        }
        let solutions = if count == 1 { "solution" } else { "solutions" };
        let tried = report.covered.end - report.covered.start;
        let lockstep = match (report.lockstep_held(), report.compared) {
            (true, batches) => format!("held, {} compared", plural(batches, "batch", "batches")),
            (false, 0) => "not run".to_owned(),
            (false, batches) => {
                format!("held for the first {} of {} batches", grouped(batches.into()), grouped(report.batches.into()))
            }
        };
        // Writing to a string does not fail.
        let _ = match count {
            0 => writeln!(text, "no solution"),
            _ => writeln!(text, "{} {solutions}, {} up to mirror", grouped(count), grouped(up_to_mirror)),
        };
        if u128::try_from(listed.len()).unwrap_or(0) < count && !listed.is_empty() {
            let _ = writeln!(text, "the first {} listed; --list K lists more", listed.len());
        }
        let _ = writeln!(
            text,
            "order {}, max {}, solver {}, range {}..{}",
            space.order, space.max, space.solver, range.start, range.end
        );
        if !report.complete {
            let _ = writeln!(
                text,
                "stopped: {}..{} is covered; go on with --range {}..",
                report.covered.start, report.covered.end, report.covered.end
            );
        }
        let _ = writeln!(
            text,
            "{} indices tried in {}, {}",
            grouped(tried),
            duration(seconds),
            rate(tried as f64 / seconds.max(1e-9))
        );
        if let Some((nodes, steps)) = space.space.below() {
            let _ = writeln!(
                text,
                "{} nodes, {} steps, and {} below the prefixes in {} steps",
                grouped(report.tally.nodes.into()),
                grouped(report.tally.work.into()),
                grouped(nodes.into()),
                grouped(steps.into())
            );
        }
        let adapter = self.adapter.as_deref().unwrap_or("none");
        let _ = writeln!(text, "backend {}, adapter {adapter}, lockstep {lockstep}", self.backend);
        text
    }
}

impl Solution {
    /// A triangle.
    pub fn of(triangle: &Triangle) -> Self {
        Self(triangle.clone())
    }
}

/// A number and its noun.
pub fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number.into()), if number == 1 { one } else { many })
}

/// A triangle as the rules draw it: the top row first, aligned by tabs, each ball between the two above it.
pub fn drawing(triangle: &Triangle) -> String {
    let mut text = String::new();
    for (depth, row) in triangle.rows().rev().enumerate() {
        let balls: Vec<_> = row.iter().map(ToString::to_string).collect();
        text += &"\t".repeat(depth);
        text += &balls.join("\t\t");
        text.push('\n');
    }
    text
}
