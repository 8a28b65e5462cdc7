//! `gpu-solve brainball distribution --estimate`: what a whole run would take, from what a few rows take here.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::Serialize;

use super::distribution::{Answer, Row};
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, duration, grouped, print, print_json};
use crate::puzzles::brainball::ring::Positions;
use crate::puzzles::index_space::mix;
use crate::puzzles::rows::{RowSpace, Way};
use crate::search::onebit::bundles::Bundles;
use crate::search::onebit::host;
use crate::search::onebit::marks::{Marks, Words, is_few};
use crate::search::onebit::row::{Entry, History, Place, load, store};

/// Each pass is measured for so long by each thread.
const MEASURED: Duration = Duration::from_secs(2);
/// Rows written to the checkpoint's disk and read back.
const ROWS_ON_DISK: usize = 8;

/// A pass of the run over the ring, which is kept.
struct Pass {
    depth: u32,
    way: Way,
    looked_at: f64,
    /// The shares of columns that are marked before it, in the rows that it reads and in those that it adds to.
    marked: [f64; 2],
    /// Whether it reads whole rows, not lists.
    dense: bool,
}

fn passes(kept: &Answer, ring: &impl RowSpace) -> Vec<Pass> {
    let of_parity = ring.columns() as f64 * ring.rows() as f64 / 2.0;
    let mut marked = [0; 2];
    let pass = |layer: &Row| {
        let own = layer.depth as usize % 2;
        let before = marked[1 - own];
        // All marks of the neighbouring rows, by every turn; less where rows filled up on the way, as they do by pulling.
        let way = if layer.looked_at * 10 >= before * ring.turns() as u64 * 9 { Way::Push } else { Way::Pull };
        let pass = Pass {
            depth: layer.depth,
            way,
            looked_at: layer.looked_at as f64,
            marked: [before, marked[own]].map(|columns| columns as f64 / of_parity),
            dense: !is_few(before * 2 / ring.rows() as u64, ring.words()),
        };
        marked[own] += layer.columns;
        pass
    };
    kept.layers.iter().map(pass).collect()
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Estimate {
    format: &'static str,
    command: &'static str,
    goal: &'static str,
    tiles: usize,
    states: u64,
    rows: usize,
    row_bytes: u64,
    threads: usize,
    /// A thread's time for a column, in nanoseconds, all threads being at work on rows as full as the passes find them.
    push_ns: f64,
    pull_ns: f64,
    pushed: f64,
    pulled: f64,
    thread_hours: f64,
    disk_bytes: u64,
    dense_passes: usize,
    bytes_read: u64,
    bytes_written: u64,
    /// Of the checkpoint's disk, in bytes a second, where one was given.
    disk_reads: Option<f64>,
    disk_writes: Option<f64>,
    disk_hours: Option<f64>,
}

/// Measures and tells. `scale`: how many times the ring's work it is; `room`: bytes of rows in memory, none for all.
pub fn estimate<S: Positions>(
    space: &S,
    (ring, kept): (&impl RowSpace, &Answer),
    room: Option<u64>,
    folder: Option<&Path>,
    globals: &Globals,
) -> anyhow::Result<()> {
    ensure!(kept.complete, "--estimate takes the work from the kept result of the ring, which is not complete");
    let passes = passes(kept, ring);
    let scale = (space.rows() / ring.rows()) as f64;
    let [(pushed, push_ns), (pulled, pull_ns)] = [Way::Push, Way::Pull].map(|way| by_way(space, &passes, way));
    let (push_ns, pull_ns) = (push_ns?, pull_ns?);
    let (pushed, pulled) = (pushed * scale, pulled * scale);
    let dense: Vec<u32> = passes.iter().filter(|pass| pass.dense).map(|pass| pass.depth).collect();
    let row_bytes = space.words() as u64 * 8;
    let bundles = Bundles::new(space, None);
    let rows_in = usize::try_from(room.unwrap_or(u64::MAX) / row_bytes).unwrap_or(usize::MAX);
    let rows_read: u64 = if room.is_some() {
        let by_parity = [0, 1].map(|parity| bundles.rows_read(parity, rows_in));
        dense.iter().map(|depth| by_parity[*depth as usize % 2]).sum()
    } else {
        0
    };
    let rows_written = dense.len() as u64 * space.rows() as u64 / 2;
    let disk = folder.map(|folder| disk_rates(space, folder)).transpose()?;
    let (bytes_read, bytes_written) = (rows_read * row_bytes, rows_written * row_bytes);
    let answer = Estimate {
        format: JSON_FORMAT,
        command: "brainball distribution --estimate",
        goal: S::GOAL.name(),
        tiles: kept.tiles,
        states: kept.states * (space.rows() / ring.rows()) as u64,
        rows: space.rows(),
        row_bytes,
        threads: rayon::current_num_threads(),
        push_ns,
        pull_ns,
        pushed,
        pulled,
        thread_hours: (pushed * push_ns + pulled * pull_ns) / 1e9 / 3600.0,
        disk_bytes: space.rows() as u64 * row_bytes,
        dense_passes: dense.len(),
        bytes_read,
        bytes_written,
        disk_reads: disk.map(|(reads, _)| reads),
        disk_writes: disk.map(|(_, writes)| writes),
        disk_hours: disk.map(|(reads, writes)| (bytes_read as f64 / reads + bytes_written as f64 / writes) / 3600.0),
    };
    match globals.format {
        Format::Json => print_json(&answer)?,
        Format::Text => print(&answer.text())?,
    }
    Ok(())
}

/// The columns that all passes of a way look at, and the nanoseconds of a thread's time for one. Passes over lists, which are
/// few columns, count as the sparsest of the others.
fn by_way(space: &impl RowSpace, passes: &[Pass], way: Way) -> (f64, anyhow::Result<f64>) {
    let of_way = || passes.iter().filter(|pass| pass.way == way);
    let (mut columns, mut spent) = (0.0, 0.0);
    for pass in of_way().filter(|pass| pass.dense) {
        match rate(space, way, pass.marked) {
            Ok(rate) => (columns, spent) = (columns + pass.looked_at, spent + pass.looked_at * rate),
            Err(error) => return (0.0, Err(error)),
        }
    }
    (of_way().map(|pass| pass.looked_at).sum(), Ok(spent / f64::max(columns, 1.0)))
}

/// Marks this share of a row's columns, at random.
fn fill(words: &mut Words, mask: u64, share: f64, seed: u32) {
    /// Binary places of the share that are heeded.
    const PLACES: u32 = 10;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^10")]
    let share = (share * f64::from(1 << PLACES)).round().clamp(1.0, f64::from((1 << PLACES) - 1)) as u32;
    for (number, word) in (0u32..).zip(words.iter_mut()) {
        // From the lowest place up: a one halves the distance to all marked, a zero that to none.
        *word = (0..PLACES).fold(0, |word, place| {
            let drawn = mix(number, seed ^ place << 24);
            if share >> place & 1 == 1 { word | drawn } else { word & drawn }
        }) & mask;
    }
}

/// Nanoseconds of a thread's time a column that is looked at, all threads being at work.
fn rate(space: &impl RowSpace, way: Way, marked: [f64; 2]) -> anyhow::Result<f64> {
    let sums = Mutex::new((0.0, 0.0));
    let measured = rayon::broadcast(|context| -> anyhow::Result<()> {
        let (mut from, mut into) = (Words::new(space.words())?, Words::new(space.words())?);
        let mask = space.mask(0);
        fill(&mut from, mask, marked[0], 1);
        let (mut spent, mut columns) = (Duration::ZERO, 0.0);
        let mut round = u32::try_from(context.index()).unwrap_or(0);
        while spent < MEASURED {
            fill(&mut into, mask, marked[1], round + 2);
            #[expect(clippy::cast_possible_truncation, reason = "a remainder")]
            let some = |of: usize, seed: u32| (mix(round, seed) % of as u64) as usize;
            let row = some(space.rows(), 1);
            let turns: Vec<usize> = (0..space.turns()).filter(|turn| space.neighbour(row, *turn).is_some()).collect();
            let turn = turns[some(turns.len(), 2)];
            let looked_at = match way {
                Way::Push => from.marked(),
                Way::Pull => space.columns() - into.marked(),
            };
            let begun = Instant::now();
            host(space, (row, turn, way), &from, &mut into, &AtomicBool::new(false));
            spent += begun.elapsed();
            columns += looked_at as f64 / space.share(turn) as f64;
            round += u32::try_from(context.num_threads()).unwrap_or(1);
        }
        let mut sums = sums.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *sums = (sums.0 + spent.as_nanos() as f64, sums.1 + columns);
        Ok(())
    });
    measured.into_iter().collect::<anyhow::Result<()>>()?;
    let (spent, columns) = sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(spent / columns)
}

/// Bytes read and written a second, rows being stored and loaded as a run does it.
fn disk_rates(space: &impl RowSpace, folder: &Path) -> anyhow::Result<(f64, f64)> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let scratch = tempfile::tempdir_in(folder).with_context(|| folder.display().to_string())?;
    let mut words = Words::new(space.words())?;
    let mask = space.mask(0);
    (0u32..).zip(words.iter_mut()).for_each(|(number, word)| *word = mix(number, 3) & mask);
    let (columns, crc) = (words.marked(), words.checksum());
    let history = History { entries: vec![Entry { columns, crc, ..Entry::default() }], latest: None };
    let marks = Marks::Many(words);
    let name = space.name();
    let paths: Vec<_> = (0..ROWS_ON_DISK).map(|row| scratch.path().join(row.to_string())).collect();
    let place = |row: usize| Place { path: &paths[row], space: &name, row, words: space.words() };
    let begun = Instant::now();
    let mut bytes = 0;
    for row in 0..ROWS_ON_DISK {
        bytes += store(place(row), &marks, &history)?;
    }
    let written = begun.elapsed();
    for path in &paths {
        forget(path);
    }
    let begun = Instant::now();
    for row in 0..ROWS_ON_DISK {
        load(place(row), true)?;
    }
    let read = begun.elapsed();
    Ok((bytes as f64 / read.as_secs_f64(), bytes as f64 / written.as_secs_f64()))
}

/// Asks the system to drop what it keeps of a file in memory, so that reading it is reading the disk.
#[cfg(target_os = "linux")]
fn forget(path: &Path) {
    // Advice: where it is not taken, reading is faster than the disk.
    if let Ok(file) = File::open(path) {
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    }
}

#[cfg(not(target_os = "linux"))]
fn forget(_: &Path) {}

impl Estimate {
    fn text(&self) -> String {
        let tera = |bytes: u64| format!("{:.2} TB", bytes as f64 / 1e12);
        let mut text = format!(
            "measured: {} threads, rows as full as the passes find them; a thread\ntakes {:.1} ns for a column pushed \
            and {:.1} ns for one pulled\n",
            self.threads, self.push_ns, self.pull_ns
        );
        if let (Some(reads), Some(writes)) = (self.disk_reads, self.disk_writes) {
            let _ = writeln!(
                text,
                "the disk reads {:.0} MB/s and writes {:.0} MB/s, rows checked",
                reads / 1e6,
                writes / 1e6
            );
        }
        let _ = writeln!(text, "projected for --goal {}, {} positions:", self.goal, grouped(self.states.into()));
        let _ = writeln!(text, "  looked at    {:.2e} columns pushed, {:.2e} pulled", self.pushed, self.pulled);
        let each = self.thread_hours * 3600.0 / self.threads as f64;
        let _ = writeln!(
            text,
            "  computing    {:.1} hours of a thread; with these {} all at work {}",
            self.thread_hours,
            self.threads,
            duration(each)
        );
        let _ = writeln!(
            text,
            "  rows         {} of {:.1} MB, {} in all",
            grouped(self.rows as u128),
            self.row_bytes as f64 / 1e6,
            tera(self.disk_bytes)
        );
        let _ = writeln!(
            text,
            "  streaming    {} read and {} written, in {} passes over full rows",
            tera(self.bytes_read),
            tera(self.bytes_written),
            self.dense_passes
        );
        if let Some(hours) = self.disk_hours {
            let _ = writeln!(text, "  the disk     {hours:.1} hours, if one row after the other");
        }
        text
    }
}
