//! `gpu-solve brainball distribution --estimate`: what a whole run would take, from what a few rows take here.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::Serialize;

use super::distribution::Answer;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, duration, grouped, print, print_json};
use crate::puzzles::brainball::ring::Positions;
use crate::puzzles::index_space::mix;
use crate::puzzles::rows::{RowSpace, Way};
use crate::search::bundles::Bundles;
use crate::search::marks::{Marks, Words, is_few};
use crate::search::onebit::host;
use crate::search::row::{Entry, History, Place, load, store};

/// Each way of each thread is measured for so long.
const MEASURED: Duration = Duration::from_secs(2);
/// Rows written to the checkpoint's disk and read back.
const ROWS_ON_DISK: usize = 8;

/// What the run over the ring, which is kept, had to do.
struct Work {
    /// Neighbours looked at from marked columns, and from unmarked ones.
    pushed: f64,
    pulled: f64,
    /// Depths of the passes that read whole rows, not lists.
    dense: Vec<u32>,
}

impl Work {
    fn of(kept: &Answer, ring: &impl RowSpace) -> Self {
        let mut work = Self { pushed: 0.0, pulled: 0.0, dense: vec![] };
        let mut marked = [0; 2];
        for layer in &kept.layers {
            let before = marked[(layer.depth as usize + 1) % 2];
            // All marks of the neighbouring rows, by every turn; less where rows filled up on the way, as they do by pulling.
            if layer.looked_at * 10 >= before * ring.turns() as u64 * 9 {
                work.pushed += layer.looked_at as f64;
            } else {
                work.pulled += layer.looked_at as f64;
            }
            if !is_few(before * 2 / ring.rows() as u64, ring.words()) {
                work.dense.push(layer.depth);
            }
            marked[layer.depth as usize % 2] += layer.columns;
        }
        work
    }
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
    /// A thread's time for a column, in nanoseconds, all threads being at work on rows half marked.
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
    let work = Work::of(kept, ring);
    let scale = (space.rows() / ring.rows()) as f64;
    let (push_ns, pull_ns) = (rate(space, Way::Push)?, rate(space, Way::Pull)?);
    let (pushed, pulled) = (work.pushed * scale, work.pulled * scale);
    let row_bytes = space.words() as u64 * 8;
    let bundles = Bundles::new(space, None);
    let rows_in = usize::try_from(room.unwrap_or(u64::MAX) / row_bytes).unwrap_or(usize::MAX);
    let rows_read: u64 = if room.is_some() {
        let by_parity = [0, 1].map(|parity| bundles.rows_read(parity, rows_in));
        work.dense.iter().map(|depth| by_parity[*depth as usize % 2]).sum()
    } else {
        0
    };
    let rows_written = work.dense.len() as u64 * space.rows() as u64 / 2;
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
        dense_passes: work.dense.len(),
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

/// Nanoseconds of a thread's time a column that is looked at, all threads being at work.
fn rate(space: &impl RowSpace, way: Way) -> anyhow::Result<f64> {
    let sums = Mutex::new((0.0, 0.0));
    let measured = rayon::broadcast(|context| -> anyhow::Result<()> {
        let (mut from, mut into) = (Words::new(space.words())?, Words::new(space.words())?);
        let mask = space.mask(0);
        let half = |words: &mut Words, seed: u32| {
            for (number, word) in (0u32..).zip(words.iter_mut()) {
                *word = mix(number, seed) & mask;
            }
        };
        half(&mut from, 1);
        let (mut spent, mut columns) = (Duration::ZERO, 0.0);
        let mut round = u32::try_from(context.index()).unwrap_or(0);
        while spent < MEASURED {
            half(&mut into, round + 2);
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
            "measured: {} threads, rows half marked; a thread takes {:.1} ns for a\ncolumn pushed and {:.1} ns for one \
            pulled\n",
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
