//! The table and the search over it, for either goal.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use directories::ProjectDirs;

use super::Goal;
use crate::cli::globals::{Globals, Place};
use crate::cli::output::{duration, grouped};
use crate::puzzles::brainball::packed::{FixedSpace, Packed, RingSpace};
use crate::puzzles::brainball::solution::Task;
use crate::puzzles::layered::{Estimated, Seeking, Table};
use crate::search::layers::ends::{Ends, SolveError, Way, Ways};
use crate::search::layers::ends_gpu::{KeptDevice, SeekError};
use crate::search::layers::frontier::Layers;
use crate::search::layers::ida::{Ida, Unseen};
use crate::search::layers::table::{Origin, TableError, obtain};

/// The deepest table that builds in about three seconds on two cores: ring 1, fixed 2 seconds; one more takes ten times
/// that.
const DEFAULT_DEPTH: u32 = 8;

/// Options of the table of layers.
#[derive(Args, Clone, Debug)]
pub struct TableArgs {
    /// Layers in the table: all positions up to this many turns from the goal [default: 8, or the table file's]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=12))]
    table_depth: Option<u32>,
    /// Keep the table in this file [default: in the user's cache folder]
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache")]
    table: Option<PathBuf>,
    /// Neither read nor write a table file
    #[arg(long)]
    no_cache: bool,
}

/// How to search.
#[derive(Args, Clone, Copy, Debug)]
pub struct SearchArgs {
    /// The search
    #[arg(long, value_enum, default_value_t, value_name = "SEARCH")]
    search: SearchChoice,
    /// What IDA* believes of positions beyond the table
    #[arg(long, value_enum, value_name = "HEURISTIC")]
    heuristic: Option<Heuristic>,
}

/// `--search`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SearchChoice {
    /// From the position forwards until the table's outermost layer is met; IDA* where a heuristic is named
    #[default]
    Auto,
    /// As said for auto, always
    Ends,
    /// IDA* with the table as pattern database
    Ida,
}

/// `--heuristic`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Heuristic {
    /// That they are beyond it, by the parity they have: a true bound
    Table,
    /// The original program's (misplaced colours + misplaced numbers) / 7: no bound, for comparison
    Seed,
}

/// A goal's space with its table.
pub struct Solver {
    goal: Goal,
    layers: Layers,
    search: SearchArgs,
    device: Option<Device>,
}

/// Where the search forwards runs, when not on the CPU.
struct Device {
    kept: KeptDevice,
    backend: &'static str,
    lockstep: bool,
    /// The outermost layer.
    table: Table,
}

/// A way and how it was found.
pub struct Found {
    /// The way.
    pub way: Way,
    /// `cpu`, or a device's backend.
    pub backend: &'static str,
    /// Whether every batch on the device was compared and held.
    pub lockstep: bool,
    /// Faults survived.
    pub faults: Vec<String>,
}

impl Default for SearchArgs {
    fn default() -> Self {
        Self { search: SearchChoice::Auto, heuristic: None }
    }
}

impl TableArgs {
    fn path(&self, goal: Goal) -> Option<PathBuf> {
        if self.no_cache {
            return None;
        }
        let depth = self.table_depth.unwrap_or(DEFAULT_DEPTH);
        let name = format!("brainball-{}-{depth}.layers", crate::puzzles::brainball::Goal::from(goal));
        self.table.clone().or_else(|| Some(ProjectDirs::from("", "", "gpu-solve")?.cache_dir().join(name)))
    }

    /// Reads the table or builds it, saying on stderr what came of it.
    pub fn solver(
        &self,
        globals: &Globals,
        goal: Goal,
        search: SearchArgs,
        place: Place,
        stop: &AtomicBool,
    ) -> anyhow::Result<Solver> {
        let seed = search.heuristic == Some(Heuristic::Seed);
        if seed && matches!(place, Place::Device(_)) {
            bail!(
                "the original's estimate is searched with on the CPU alone; leave --backend, --adapter and --lockstep out"
            );
        }
        let layers = match goal {
            Goal::Fixed => self.layers(globals, goal, &FixedSpace::default(), stop)?,
            Goal::Ring => self.layers(globals, goal, &RingSpace::default(), stop)?,
        };
        if seed {
            globals.say("the original's estimate is no bound: only what the table holds keeps its answers optimal");
        }
        let backend = place.backend();
        let device = match (place, layers.layers.last()) {
            (Place::Device(adapter), Some(outermost)) => Some(Device {
                kept: KeptDevice::new(*adapter),
                backend,
                lockstep: globals.lockstep,
                table: outermost.words(),
            }),
            _ => None,
        };
        Ok(Solver { goal, layers, search, device })
    }

    fn layers(
        &self,
        globals: &Globals,
        goal: Goal,
        space: &impl Estimated,
        stop: &AtomicBool,
    ) -> anyhow::Result<Layers> {
        let begun = Instant::now();
        let path = self.path(goal);
        let told = |report: &_| {
            super::layers::tell(globals, report);
        };
        let (layers, origin, unwritten) = obtain(space, self.table_depth, DEFAULT_DEPTH, path.as_deref(), stop, told)
            .context("building the table of layers")?;
        let seconds = duration(begun.elapsed().as_secs_f64());
        let (depth, classes) = (layers.depth(), grouped(layers.classes().into()));
        let kept = match (&unwritten, &origin) {
            (None, _) => String::new(),
            (Some(_), Origin::Rebuilt(TableError::NotATable { .. })) => "; the file is left as it is".to_owned(),
            (Some(fault), _) => format!("; not kept: {fault}"),
        };
        match origin {
            Origin::File if globals.verbose => {
                globals.say(format!("table: depth {depth}, {classes} classes, read in {seconds}"));
            }
            Origin::File => {}
            Origin::Built => globals.say(format!("table: depth {depth}, {classes} classes, built in {seconds}{kept}")),
            Origin::Rebuilt(fault) => {
                globals
                    .say(format!("table: {fault}; built anew: depth {depth}, {classes} classes, in {seconds}{kept}"));
            }
        }
        Ok(layers)
    }
}

impl Solver {
    /// Layers in the table, less one.
    pub fn table_depth(&self) -> u32 {
        self.layers.depth()
    }

    /// Whether a device does the search.
    pub fn on_device(&self) -> bool {
        self.device.is_some()
    }

    /// A way for a task.
    pub fn find(&self, task: &Task, stop: &AtomicBool) -> anyhow::Result<Found> {
        match self.goal {
            Goal::Fixed => self.find_in(&FixedSpace::default(), task, stop),
            Goal::Ring => self.find_in(&RingSpace::default(), task, stop),
        }
    }

    fn find_in<S>(&self, space: &S, task: &Task, stop: &AtomicBool) -> anyhow::Result<Found>
    where
        S: Estimated<State = Packed<13>> + Seeking,
    {
        let state = Packed::new(&task.relative).ok_or(SolveError::Unreachable)?;
        let ends = Ends::new(space, &self.layers);
        if let Some(device) = &self.device {
            let sought = match ends.solve_on(&state, &device.table, &device.kept, device.lockstep, stop) {
                Err(SeekError::Solve(error)) => return Err(error.into()),
                other => other?,
            };
            return Ok(Found {
                way: sought.way,
                // A position within the table is looked up here.
                backend: if sought.on_device { device.backend } else { "cpu" },
                lockstep: sought.batches > 0 && sought.compared == sought.batches,
                faults: sought.faults.iter().map(ToString::to_string).collect(),
            });
        }
        let way = if self.ida() {
            Ida::new(space, &self.layers, self.unseen()).solve(&state, stop)?
        } else {
            ends.solve(&state, stop)?
        };
        Ok(Found { way, backend: "cpu", lockstep: false, faults: Vec::new() })
    }

    /// All optimal ways for a task.
    pub fn ways(&self, task: &Task, stop: &AtomicBool) -> Result<Ways, SolveError> {
        let state = Packed::new(&task.relative).ok_or(SolveError::Unreachable)?;
        match self.goal {
            Goal::Fixed => Ends::new(&FixedSpace::default(), &self.layers).all(&state, stop),
            Goal::Ring => Ends::new(&RingSpace::default(), &self.layers).all(&state, stop),
        }
    }

    /// Whether ways are proven optimal.
    pub fn is_optimal(&self) -> bool {
        let optimal = match self.goal {
            Goal::Fixed => Ida::new(&FixedSpace::default(), &self.layers, self.unseen()).is_optimal(),
            Goal::Ring => Ida::new(&RingSpace::default(), &self.layers, self.unseen()).is_optimal(),
        };
        !self.ida() || optimal
    }

    fn ida(&self) -> bool {
        match self.search.search {
            SearchChoice::Auto => self.search.heuristic.is_some(),
            SearchChoice::Ends => false,
            SearchChoice::Ida => true,
        }
    }

    fn unseen(&self) -> Unseen {
        if self.search.heuristic == Some(Heuristic::Seed) { Unseen::Estimate } else { Unseen::Beyond }
    }
}
