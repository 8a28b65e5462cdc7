//! `gpu-solve brainball distribution`: how many positions there are at every distance, all of them visited.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::{Goal, projection};
use crate::cli::devices::every_adapter;
use crate::cli::globals::{Format, Globals, Place};
use crate::cli::output::{JSON_FORMAT, duration, grouped, json_number, print, print_json, rate};
use crate::cli::parsers::{Shard, byte_size, shard, time_span};
use crate::cli::watch::{self, Told};
use crate::cli::{Outcome, interrupt};
use crate::gpu::Gpu;
use crate::puzzles::brainball::ball::TILES;
use crate::puzzles::brainball::ring::Positions;
use crate::puzzles::brainball::ring::fixed::Fixed;
use crate::puzzles::brainball::ring::space::Ring;
use crate::puzzles::rows::RowSpace;
use crate::search::lock::Lock;
use crate::search::onebit::bundles::Bundles;
use crate::search::onebit::gpu::Devices;
use crate::search::onebit::marks::bytes_of;
use crate::search::onebit::shelf::Shelf;
use crate::search::onebit::{Carrier, Ended, Layer, Limits, OneBit, Step};

/// The result of the whole run on 13 tiles, kept.
const CERTIFICATE: &str = include_str!("../../../tests/certificates/brainball-ring-13.json");
/// Classes of farthest positions that are shown as text.
const SHOWN: usize = 20;
/// Time between savings within a pass.
const SAVE_EVERY: Duration = Duration::from_secs(150);

/// Visit every position and count those at each distance from the goal
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The whole ring of 13 tiles takes 12 GiB of memory (or --memory and as much disk) and minutes to hours; fixed takes 13 times \
    as much of each, from disk, and may be shared among processes and machines by --shard.\n\n\
    Examples:\n  gpu-solve brainball distribution --goal ring --tiles 9\n  \
    gpu-solve brainball distribution --goal ring --checkpoint rows --time-limit 2h\n  \
    gpu-solve brainball distribution --goal ring --result --format json\n  \
    gpu-solve brainball distribution --goal fixed --memory 4GiB --depth 7\n  \
    gpu-solve brainball distribution --goal fixed --checkpoint rows --shard 1/4"
)]
pub struct Distribution {
    /// When a ball counts as solved
    #[arg(long, value_enum, value_name = "GOAL")]
    goal: Goal,
    /// The size of the ring: 7, 9, 11 or 13. On smaller rings side turns alone count, without turn180
    #[arg(long, value_name = "N", default_value_t = 13)]
    tiles: usize,
    /// Print the kept result of 13 tiles instead of running
    #[arg(long, conflicts_with_all = ["checkpoint", "memory", "time_limit", "depth", "shard"])]
    result: bool,
    /// Keep the rows in this folder, and go on from what is there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Memory for rows; those that find no room are read from the checkpoint when needed, as in 4GiB
    #[arg(long, value_name = "LIMIT", value_parser = byte_size)]
    memory: Option<u64>,
    /// Stop after this time, as in 90s, 20min or 2h
    #[arg(long, value_name = "T", value_parser = time_span)]
    time_limit: Option<Duration>,
    /// Stop after the layer of this depth
    #[arg(long, value_name = "D")]
    depth: Option<u32>,
    /// Of N processes on one checkpoint be number I, which visits its share of the rows and waits for the others
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "checkpoint")]
    shard: Option<Shard>,
    /// Measure a few rows, and the checkpoint's disk, and print what the whole run on 13 tiles would take
    #[arg(long, conflicts_with_all = ["result", "time_limit", "depth", "shard"])]
    estimate: bool,
}

/// What is printed, and kept as a certificate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    format: String,
    command: String,
    goal: String,
    pub tiles: usize,
    pub layers: Vec<Row>,
    /// States visited.
    pub states: u64,
    /// Whether those are all that can be reached.
    pub complete: bool,
    /// None before the run is complete.
    greatest: Option<u32>,
    /// One of each class under the ring's symmetries, with the states of the class.
    antipodes: Vec<Antipode>,
    looked_at: u64,
    thread_seconds: f64,
    /// Of this run alone; a run that went on from a checkpoint has spent more.
    seconds: f64,
    backend: String,
    /// Whether every row that a device carried was carried by the CPU too, and found equal.
    lockstep: bool,
    /// Faults of devices that the CPU took over from.
    faults: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub depth: u32,
    states: u64,
    pub columns: u64,
    /// 16 hexadecimal digits.
    digest: String,
    pub looked_at: u64,
    thread_seconds: f64,
    /// Of rows from and to files, in this run alone.
    #[serde(default)]
    bytes_read: u64,
    #[serde(default)]
    bytes_written: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Antipode {
    position: String,
    states: u64,
}

impl Distribution {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        if self.result {
            ensure!(
                (self.tiles, self.goal) == (TILES, Goal::Ring),
                "--result: the kept result is that of --goal ring and 13 tiles; leave --tiles or --result out"
            );
            let answer = kept()?;
            answer.print(globals)?;
            return Ok(Outcome::Found);
        }
        match (self.goal, self.tiles) {
            (Goal::Ring, 7) => self.search::<Ring<7>>(globals),
            (Goal::Ring, 9) => self.search::<Ring<9>>(globals),
            (Goal::Ring, 11) => self.search::<Ring<11>>(globals),
            (Goal::Ring, 13) => self.search::<Ring<13>>(globals),
            (Goal::Fixed, 7) => self.search::<Fixed<7>>(globals),
            (Goal::Fixed, 9) => self.search::<Fixed<9>>(globals),
            (Goal::Fixed, 11) => self.search::<Fixed<11>>(globals),
            (Goal::Fixed, 13) => {
                ensure!(
                    self.memory.is_some(),
                    "--goal fixed on 13 tiles has 158 GB of rows; expected --memory LIMIT, for the rest to be kept on \
                    disk, as in --memory 4GiB"
                );
                self.search::<Fixed<13>>(globals)
            }
            (_, other) => bail!("--tiles {other}: expected 7, 9, 11 or 13, as in --tiles 9"),
        }
    }

    /// Bytes of rows that may stay in memory besides those that are worked on; none: all.
    fn room(&self, space: &impl RowSpace) -> anyhow::Result<Option<u64>> {
        let Some(limit) = self.memory else { return Ok(None) };
        // A thread has the rows of the bundle it works on and the neighbour it reads.
        let threads = rayon::current_num_threads();
        let working = (threads * (space.bundle() + 1) * bytes_of(space.words())) as u64;
        ensure!(
            limit >= working,
            "--memory {limit}: {threads} threads need {working} bytes for {} rows each; expected more, as in --memory \
            4GiB, or fewer --threads",
            space.bundle() + 1
        );
        Ok(Some(limit - working))
    }

    /// The backend's name and the devices to use; none: the CPU path.
    fn devices(&self, globals: &Globals) -> anyhow::Result<(&'static str, Vec<Arc<Gpu>>)> {
        if globals.adapter.as_deref() == Some("all") {
            let gpus = every_adapter(globals)?.iter().map(Gpu::open).collect::<Result<_, _>>()?;
            return Ok(("all", gpus));
        }
        // The rings below 13 are done sooner than a device is open, or nearly.
        let place = globals.place(self.tiles < TILES)?;
        let gpus = match &place {
            Place::Cpu(_) => Vec::new(),
            Place::Device(adapter) => vec![Gpu::open(adapter)?],
        };
        Ok((place.backend(), gpus))
    }

    fn search<S: Positions + Default>(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        if self.estimate {
            ensure!(self.tiles == TILES, "--estimate is for 13 tiles; smaller rings take seconds");
            let space = S::default();
            let room = self.room(&space)?;
            let ring = (&Ring::<TILES>::default(), &kept()?);
            projection::estimate(&space, ring, room, self.checkpoint.as_deref(), globals)?;
            return Ok(Outcome::Found);
        }
        let stop = interrupt::flag()?;
        let gpus = self.devices(globals)?;
        let space = S::default();
        let room = self.room(&space)?;
        let scratch;
        let folder = match &self.checkpoint {
            Some(folder) => Some(folder.as_path()),
            None if room.is_some() => {
                scratch = tempfile::tempdir().context("a folder for the rows that find no room")?;
                Some(scratch.path())
            }
            None => None,
        };
        let mut held = Vec::new();
        if let Some(folder) = &self.checkpoint {
            held.push(Lock::folder(folder, self.shard.is_some())?);
            if let Some(Shard { number, shards }) = self.shard {
                held.push(Lock::part(folder, &format!("shard-{number}-of-{shards}"))?);
            }
        }
        let bundles = Bundles::new(&space, self.shard.map(|shard| (shard.number, shard.shards)));
        let begun = Instant::now();
        let devices = match gpus.1.as_slice() {
            [] => None,
            gpus => Some(Devices::new(&space, gpus, globals.lockstep)?),
        };
        let carrier = devices.as_ref().map(|devices| devices as &dyn Carrier);
        let shelf = Shelf::new(&space, &bundles, folder, room)?;
        let search = OneBit::new(&space, bundles, shelf, carrier, SAVE_EVERY)?;
        let told = |step: Step| tell_step(globals, step);
        let layer_told = |layer: &Layer| tell_layer(globals, layer);
        if !watch::is_on() {
            globals.say(heading());
        }
        let ended = search.run(stop, Limits { time: self.time_limit, depth: self.depth }, &told, &layer_told)?;
        if let Some(devices) = &devices {
            devices.faults().iter().for_each(|fault| globals.fault(&format!("{fault}; went on on the CPU")));
            ensure!(
                !globals.lockstep || devices.compared() > 0 || ended != Ended::Whole,
                "lockstep compared nothing: no row was full enough to be carried by a device"
            );
        }
        let layers = search.layers();
        let complete = ended == Ended::Whole;
        let mut antipodes = Vec::new();
        if let Some(last) = search.last_layer().filter(|_| complete) {
            let classes = space.classes(&last).into_iter();
            antipodes.extend(classes.map(|(ball, states)| Antipode { position: ball.to_string(), states }));
        }
        let answer = Answer {
            format: JSON_FORMAT.to_owned(),
            command: "brainball distribution".to_owned(),
            goal: S::GOAL.name().to_owned(),
            tiles: self.tiles,
            states: layers.iter().map(|layer| layer.states).sum(),
            complete,
            greatest: layers.last().filter(|_| complete).map(|layer| layer.depth),
            antipodes,
            looked_at: layers.iter().map(|layer| layer.looked_at).sum(),
            thread_seconds: layers.iter().map(|layer| layer.thread_seconds).sum(),
            seconds: begun.elapsed().as_secs_f64(),
            backend: gpus.0.to_owned(),
            lockstep: devices.as_ref().is_some_and(|devices| devices.compared() > 0),
            faults: devices.as_ref().map(Devices::faults).unwrap_or_default(),
            layers: layers.iter().map(Row::of).collect(),
        };
        match ended {
            Ended::Whole | Ended::Deep => {
                answer.print(globals)?;
                Ok(Outcome::Found)
            }
            Ended::Stopped => Ok(Outcome::Interrupted),
            Ended::OutOfTime => {
                answer.print(globals)?;
                let again = match &self.checkpoint {
                    Some(folder) => format!("the same command goes on from {}", folder.display()),
                    None => "nothing was kept, for want of --checkpoint DIR".to_owned(),
                };
                bail!("--time-limit reached before every position was visited; {again}")
            }
        }
    }
}

fn kept() -> anyhow::Result<Answer> {
    serde_json::from_str(CERTIFICATE).context("the kept result")
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

fn tell_step(globals: &Globals, step: Step) {
    let counts = Told::counts("rows", step.rows as u128, step.of as u128);
    watch::progress(Told { depth: Some(step.depth), ..counts });
    if globals.verbose && !watch::is_on() {
        let (read, written) = (gigabytes(step.traffic.read), gigabytes(step.traffic.written));
        globals.say(format!("depth {}: row {} of {}, {read} read, {written} written", step.depth, step.rows, step.of));
    }
}

fn tell_layer(globals: &Globals, layer: &Layer) {
    if watch::is_on() {
        let (depth, done) = (Some(layer.depth), Some(json_number(layer.states.into())));
        watch::tell(watch::Kind::Layer, &Told { unit: Some("states"), depth, done, ..Told::default() });
    } else {
        globals.say(line(layer));
    }
}

fn heading() -> String {
    format!("{:>5}  {:>19}  {:>16}  {:>14}  {:>14}", "depth", "states", "digest", "thread time", "looked at")
}

fn line(layer: &Layer) -> String {
    Row::of(layer).line()
}

impl Row {
    fn of(layer: &Layer) -> Self {
        Self {
            depth: layer.depth,
            states: layer.states,
            columns: layer.columns,
            digest: format!("{:016x}", layer.digest),
            looked_at: layer.looked_at,
            thread_seconds: layer.thread_seconds,
            bytes_read: layer.traffic.read,
            bytes_written: layer.traffic.written,
        }
    }

    fn line(&self) -> String {
        format!(
            "{:>5}  {:>19}  {:>16}  {:>14}  {:>14}",
            self.depth,
            grouped(self.states.into()),
            self.digest,
            duration(self.thread_seconds),
            grouped(self.looked_at.into()),
        )
    }
}

impl Answer {
    fn print(&self, globals: &Globals) -> anyhow::Result<()> {
        if globals.format == Format::Json {
            return print_json(self);
        }
        let mut text = heading() + "\n";
        for row in &self.layers {
            text.push_str(&row.line());
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "{} states, {} of one thread's time, {} neighbours looked at, {}",
            grouped(self.states.into()),
            duration(self.thread_seconds),
            grouped(self.looked_at.into()),
            rate(self.states as f64 / self.seconds.max(1e-9)),
        );
        if !self.complete {
            text.push_str("deeper positions have not been counted yet\n");
        }
        if let Some(greatest) = self.greatest {
            let _ = write!(text, "there are no more; the greatest distance is {greatest}");
            let _ = match self.antipodes.len() {
                0 => writeln!(text),
                classes => writeln!(text, ", attained by {classes} classes of positions:"),
            };
            for antipode in self.antipodes.iter().take(SHOWN) {
                let _ = writeln!(text, "  {}  ({} states)", antipode.position, antipode.states);
            }
            if self.antipodes.len() > SHOWN {
                let more = grouped((self.antipodes.len() - SHOWN) as u128);
                let _ = writeln!(text, "  and {more} classes more, which --format json has");
            }
        }
        print(&text)?;
        Ok(())
    }
}
