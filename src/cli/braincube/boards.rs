//! `braincube boards`: every board of a size.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::picture::picture;
use crate::cli::globals::{Format, FormatChoice, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json, rate};
use crate::cli::parsers::{IndexRange, index_range};
use crate::cli::progress::Meter;
use crate::cli::{Outcome, interrupt};
use crate::puzzles::braincube::boards::{Bar, Boards, Instance};
use crate::puzzles::braincube::{Board, State};
use crate::puzzles::index_space::IndexSpace;
use crate::search::engine::{GpuOpener, Opener, is_small};
use crate::search::range::{Event, Plan, Report, search};

/// Settle every board of a size: which have a solution, how long the shortest is, whether
/// it is the only one, and which boards are the hardest
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "A board's index is its mask: bit ROW·N+COL (bit 0 the top left) is 1 where the square is there. Asked is the way \
    from the top left to the bottom right, upright to upright, on the boards that have both; with --pairs the way between \
    every two squares, both ways round, and all counts are of such pairs.\n\n\
    Examples:\n  gpu-solve braincube boards --rows 4 --cols 4\n  gpu-solve braincube boards --rows 5 --cols 6 --list 3 --save hardest\n  \
    gpu-solve braincube path --board hardest/5x6-longest-1.txt\n\n\
    Exit codes: 0 some board has a solution, 1 none has (in the range), 2 not answered, 130 interrupted."
)]
pub struct BoardsCommand {
    /// Rows of the boards
    #[arg(long, value_name = "M")]
    rows: u32,
    /// Columns of the boards; M·N is 64 at most, 54 with --pairs
    #[arg(long, value_name = "N")]
    cols: u32,
    /// Between every two squares instead of corner to corner
    #[arg(long)]
    pairs: bool,
    /// Only the boards with masks A to B-1
    #[arg(long, value_parser = index_range, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<IndexRange>,
    /// Show at most K of the boards with the longest shortest solution, and K of those where it is the only one
    #[arg(long, value_name = "K", default_value_t = 1)]
    list: usize,
    /// Write the boards that are shown into this folder, as files that `path --board` reads
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

/// The boards with the longest shortest solution.
struct Extreme {
    length: u32,
    count: u64,
    shown: Vec<Instance>,
}

/// What the histogram looks like after a batch, and where that batch lies.
type Step = (Range<u128>, Vec<u64>);

impl BoardsCommand {
    /// Searches and prints the answer.
    ///
    /// # Errors
    /// Bad input, faults that cannot be survived, a divergence in lockstep, a file that can't be written.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        let begun = Instant::now();
        let space = Boards::new(self.rows, self.cols, self.pairs)?;
        let range = match self.range {
            Some(range) => range.within(space.size()).map_err(|message| anyhow!(message))?,
            None => 0..space.size(),
        };
        let place = globals.place(is_small(&space, &range))?;
        let (report, steps) = Self::search(globals, &space, &range, &place)?;
        let bars = space.histogram(&report.tally);
        let longest = self.extreme(&space, &steps, &bars, false)?;
        let longest_unique = self.extreme(&space, &steps, &bars, true)?;
        let mut files = Vec::new();
        if let Some(folder) = &self.save {
            fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
            for (name, extreme) in [("longest", &longest), ("longest-unique", &longest_unique)] {
                for (number, instance) in (1..).zip(extreme.iter().flat_map(|extreme| &extreme.shown)) {
                    let path = folder.join(format!("{}x{}-{name}-{number}.txt", self.rows, self.cols));
                    let text = board_file(&space, *instance, extreme.as_ref().map_or(0, |extreme| extreme.length));
                    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
                    files.push(path.display().to_string());
                }
            }
        }
        let answer = Answer {
            space: &space,
            range: &range,
            report: &report,
            place: &place,
            bars: &bars,
            longest,
            longest_unique,
            files,
            seconds: begun.elapsed().as_secs_f64(),
        };
        match globals.format {
            Format::Json => print_json(&answer.json())?,
            Format::Text => print(&answer.text()?)?,
        }
        Ok(match report.tally.found {
            _ if !report.complete => Outcome::Interrupted,
            0 => Outcome::None,
            _ => Outcome::Found,
        })
    }

    fn search(
        globals: &Globals,
        space: &Boards,
        range: &Range<u128>,
        place: &Place,
    ) -> anyhow::Result<(Report, Vec<Step>)> {
        let opener = match place {
            Place::Cpu(_) => None,
            Place::Device(adapter) => Some(GpuOpener::new((**adapter).clone())),
        };
        let plan = Plan {
            space,
            range: range.clone(),
            device: opener.as_ref().map(|opener| opener as &dyn Opener),
            lockstep: globals.lockstep,
            keep: 0,
            stop: interrupt::flag()?,
        };
        let mut meter = Meter::new(globals, false, "boards");
        let mut steps: Vec<Step> = Vec::new();
        let mut covered = range.start;
        let outcome = search(&plan, &mut |event| match event {
            Event::Batch(progress) => {
                if globals.verbose {
                    let (number, indices, busy) = progress.batch;
                    let took = duration(busy.as_secs_f64());
                    meter.note(globals, &format!("batch {number}: {} boards in {took}", grouped(indices)));
                }
                meter.show(&progress);
            }
            Event::Covered(report) => {
                keep_step(&mut steps, covered..report.covered.end, &report.tally.counters);
                covered = report.covered.end;
            }
            Event::Survived { fault, then } => meter.note(globals, &format!("{fault}; {then}")),
        });
        meter.finish();
        Ok((outcome?, steps))
    }

    /// The longest shortest solution and boards that have it. The batches in which that length was counted are searched
    /// again on the CPU, which must find as many.
    fn extreme(&self, space: &Boards, steps: &[Step], bars: &[Bar], unique: bool) -> anyhow::Result<Option<Extreme>> {
        let count = |bar: &Bar| if unique { bar.unique } else { bar.boards };
        let Some(bar) = bars.iter().rev().find(|bar| count(bar) > 0) else { return Ok(None) };
        let counter = 2 * bar.length as usize + usize::from(unique);
        let mut before = 0;
        let mut batches = Vec::new();
        for (batch, counters) in steps {
            if counters[counter] > before {
                batches.push(batch.clone());
            }
            before = counters[counter];
        }
        let most = self.list.max(1);
        let mut shown = Vec::new();
        for batch in batches {
            if shown.len() < most {
                let pieces: Vec<Range<u128>> = split(&batch).collect();
                let found: Vec<Vec<Instance>> =
                    pieces.par_iter().map(|piece| space.of_length(piece, bar.length, unique, most)).collect();
                shown.extend(found.into_iter().flatten());
            }
        }
        if shown.len() < most && shown.len() as u64 != count(bar) {
            bail!(
                "{} boards with a shortest solution of {} moves were counted, but the CPU finds {}: the device or its driver is at \
                 fault; check it with --lockstep",
                grouped(count(bar).into()),
                bar.length,
                shown.len()
            );
        }
        shown.truncate(self.list);
        Ok(Some(Extreme { length: bar.length, count: count(bar), shown }))
    }
}

/// Enters a batch; batches that change no count are not kept.
fn keep_step(steps: &mut Vec<Step>, batch: Range<u128>, counters: &[u64]) {
    if counters.iter().any(|&count| count > 0) && steps.last().is_none_or(|(_, before)| before != counters) {
        steps.push((batch, counters.to_vec()));
    }
}

/// Cuts a range into some pieces, for the threads.
fn split(range: &Range<u128>) -> impl Iterator<Item = Range<u128>> + use<> {
    let Range { start, end } = *range;
    let length = ((end - start) / 64).max(1).next_power_of_two();
    (start / length..end.div_ceil(length))
        .map(move |piece| (piece * length).max(start)..((piece + 1) * length).min(end))
}

fn board(space: &Boards, mask: u64) -> anyhow::Result<Board> {
    Ok(Board::from_squares(space.rows(), space.cols(), |row, col| mask >> (row * space.cols() + col) & 1 == 1)?)
}

/// An instance as a board file, with its start and goal.
fn board_file(space: &Boards, instance: Instance, length: u32) -> String {
    let mut text =
        format!("; {}×{} board {}, shortest solution {length} moves\n", space.rows(), space.cols(), instance.mask);
    for row in 0..space.rows() {
        for col in 0..space.cols() {
            let square = row * space.cols() + col;
            text.push(match square {
                _ if square == instance.start && instance.start != instance.goal => 'S',
                _ if square == instance.goal && instance.start != instance.goal => 'T',
                _ if instance.mask >> square & 1 == 1 => '#',
                _ => '.',
            });
        }
        text.push('\n');
    }
    text
}

struct Answer<'a> {
    space: &'a Boards,
    range: &'a Range<u128>,
    report: &'a Report,
    place: &'a Place,
    bars: &'a [Bar],
    longest: Option<Extreme>,
    longest_unique: Option<Extreme>,
    files: Vec<String>,
    seconds: f64,
}

impl Answer<'_> {
    fn backend(&self) -> &'static str {
        if self.report.on_device { self.place.backend() } else { "cpu" }
    }

    fn adapter(&self) -> Option<String> {
        match self.place {
            Place::Device(adapter) if self.report.on_device => Some(adapter.description.line()),
            _ => None,
        }
    }

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

    fn json(&self) -> Value {
        let Report { tally, covered, complete, survived, .. } = self.report;
        let number = |count: u64| json_number(count.into());
        let (longest, unique) = (self.longest.as_ref(), self.longest_unique.as_ref());
        json!({
            "format": JSON_FORMAT, "command": "braincube boards",
            "rows": self.space.rows(), "cols": self.space.cols(), "pairs": self.space.pairs(),
            "range": format!("{}..{}", self.range.start, self.range.end),
            "covered": format!("{}..{}", covered.start, covered.end), "complete": complete,
            "masks": json_number(self.space.questions(covered)),
            "solvable": number(tally.found), "unique": number(tally.work),
            "max_shortest": longest.map(|extreme| extreme.length),
            "max_shortest_count": longest.map_or(0.into(), |extreme| number(extreme.count)),
            "max_shortest_masks": self.instances(longest),
            "max_shortest_unique": unique.map(|extreme| extreme.length),
            "max_shortest_unique_count": unique.map_or(0.into(), |extreme| number(extreme.count)),
            "max_shortest_unique_masks": self.instances(unique),
            "histogram": self.bars.iter().map(|bar| json!({
                "length": bar.length, "masks": number(bar.boards), "unique": number(bar.unique),
            })).collect::<Vec<_>>(),
            "digest": format!("{:016x}", tally.digest),
            "files": self.files, "seconds": self.seconds, "backend": self.backend(), "adapter": self.adapter(),
            "lockstep": self.report.lockstep_held(),
            "faults": survived.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> anyhow::Result<String> {
        let Report { tally, covered, .. } = self.report;
        let (what, questions) = if self.space.pairs() {
            ("ordered pairs of squares", self.space.questions(covered))
        } else {
            ("boards with both corners", self.space.questions(covered))
        };
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}×{}: {} {what}, {} with a solution, {} of them with only one shortest",
            self.space.rows(),
            self.space.cols(),
            grouped(questions),
            grouped(tally.found.into()),
            grouped(tally.work.into())
        );
        let wide = self.bars.iter().map(|bar| grouped(bar.boards.into()).len()).max().unwrap_or(0).max(6);
        if !self.bars.is_empty() {
            let _ = writeln!(text, "{:>6}  {:>wide$}  {:>wide$}", "moves", "in all", "unique");
        }
        for bar in self.bars {
            let (boards, unique) = (grouped(bar.boards.into()), grouped(bar.unique.into()));
            let _ = writeln!(text, "{:>6}  {boards:>wide$}  {unique:>wide$}", bar.length);
        }
        for (name, extreme) in [("longest", &self.longest), ("longest of the unique", &self.longest_unique)] {
            let Some(extreme) = extreme else { continue };
            let _ = writeln!(text, "{name}: {} moves, {} so", extreme.length, grouped(extreme.count.into()));
            for instance in &extreme.shown {
                let (start, goal) = (self.label(instance.start), self.label(instance.goal));
                let _ = writeln!(text, "mask {}, {start} to {goal}", instance.mask);
                text += &picture(&board(self.space, instance.mask)?, None);
            }
        }
        for file in &self.files {
            let _ = writeln!(text, "written: {file}");
        }
        if !self.report.complete {
            let _ = writeln!(
                text,
                "interrupted: {}..{} is covered; go on with --range {}..",
                covered.start, covered.end, covered.end
            );
        }
        let indices = covered.end - covered.start;
        let _ = writeln!(
            text,
            "{} masks in {}, {}",
            grouped(indices),
            duration(self.seconds),
            rate(indices as f64 / self.seconds.max(1e-9))
        );
        let lockstep = match (self.report.lockstep_held(), self.report.compared) {
            (true, batches) => format!("held, {batches} batches compared"),
            (false, 0) => "not run".to_owned(),
            (false, batches) => format!("held for the first {batches} of {} batches", self.report.batches),
        };
        let adapter = self.adapter().unwrap_or_else(|| "none".to_owned());
        let _ = writeln!(text, "backend {}, adapter {adapter}, lockstep {lockstep}", self.backend());
        Ok(text)
    }
}
