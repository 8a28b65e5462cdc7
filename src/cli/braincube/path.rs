//! `braincube path`: shortest and cheapest ways, and how many there are.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use num_bigint::BigUint;
use serde_json::{Map, Value, json};

use super::components::plural;
use super::input::{BoardArgs, Ends, Loaded};
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals, Place};

use crate::cli::output::{JSON_FORMAT, duration, grouped, grouped_digits, print, print_json};
use crate::gpu::Gpu;
use crate::puzzles::braincube::{Board, Move, MoveKind};
use crate::puzzles::state_graph::{StateGraph, Step};
use crate::search::graph::components::Components;
use crate::search::graph::costs::Costs;
use crate::search::graph::counting::count_paths;
use crate::search::graph::expansion::DeviceExpander;
use crate::search::graph::shortest::{CpuExpander, Effort, Field, Paths, field_to};

/// A shortest or cheapest way from start to goal, and the exact number of them
#[derive(Args, Clone, Debug)]
#[command(after_help = "Kinds of move: tip (standing to lying), stand (lying to standing), roll (lying to lying).\n\n\
    Examples:\n  gpu-solve braincube path --rows 3 --cols 3 --all\n  gpu-solve braincube path --rows 9 --cols 7 --cost tip=1,stand=1,roll=2.5\n  \
    gpu-solve braincube path --rows 7 --cols 10 --start h1 --goal v60\n\nExit code 1: there is no way.")]
pub struct PathCommand {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    ends: Ends,
    /// What the kinds of move cost, whole or decimal; a kind left out costs 1
    #[arg(long, value_name = "tip=A,stand=B,roll=C")]
    cost: Option<String>,
    /// List the shortest ways, not only the first
    #[arg(long)]
    all: bool,
    /// List at most K ways (the number stays exact)
    #[arg(long, value_name = "K", default_value_t = 100, requires = "all")]
    list: usize,
}

/// Reads `tip=1,roll=2.5`.
fn read_costs(text: &str) -> anyhow::Result<Costs> {
    let mut given: [Option<&str>; 3] = [None; 3];
    for part in text.split(',') {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| anyhow!("--cost {text}: {part:?} is not KIND=COST, e.g. --cost tip=1,stand=1,roll=2.5"))?;
        let kind = MoveKind::ALL.into_iter().find(|kind| kind.name() == name.trim()).ok_or_else(|| {
            anyhow!("--cost {text}: {name:?} is no kind of move: expected tip, stand or roll, e.g. --cost roll=2")
        })?;
        if given[kind as usize].replace(value.trim()).is_some() {
            bail!("--cost {text}: {} is given twice", kind.name());
        }
    }
    Costs::read(&given.map(|value| value.unwrap_or("1"))).with_context(|| format!("--cost {text}"))
}

/// A board of fewer states is searched on the CPU before a device is open.
const SMALL: u64 = 4_000_000;

/// The search, and where it ran.
struct Searched {
    field: Field,
    effort: Effort,
    backend: &'static str,
    adapter: Option<String>,
    /// Every frontier was compared with the CPU's.
    lockstep: bool,
    faults: Vec<String>,
}

/// Searches on the CPU or a device, as the options say.
fn search(globals: &Globals, board: &Board, ends: (u32, u32), costs: &Costs) -> anyhow::Result<Searched> {
    let (start, goal) = ends;
    let place = globals.place(board.state_count() < SMALL)?;
    let Place::Device(adapter) = &place else {
        let Ok((field, effort)) = field_to(board, goal, Some(start), costs, &mut CpuExpander::new(board));
        return Ok(Searched { field, effort, backend: "cpu", adapter: None, lockstep: false, faults: Vec::new() });
    };
    let gpu = Gpu::open(adapter)?;
    let mut expander = DeviceExpander::new(&gpu, board, globals.lockstep)?;
    let (field, effort) = field_to(board, goal, Some(start), costs, &mut expander)?;
    if globals.lockstep && expander.compared() == 0 && start != goal {
        bail!("the lockstep run compared nothing");
    }
    let faults: Vec<String> = expander.fault().map(str::to_owned).into_iter().collect();
    for fault in &faults {
        globals.say(format!("warning: {fault}"));
    }
    Ok(Searched {
        field,
        effort,
        backend: place.backend(),
        adapter: Some(adapter.description.line()),
        lockstep: globals.lockstep && expander.compared() > 0,
        faults,
    })
}

/// What was found.
struct Found {
    cost: u64,
    count: BigUint,
    ways: Vec<Vec<Step>>,
}

impl PathCommand {
    /// Searches and prints the answer.
    ///
    /// # Errors
    /// Bad input, or faults that cannot be survived.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        let begun = Instant::now();
        let loaded = self.board.load()?;
        let (start, goal) = loaded.ends(&self.ends)?;
        let board = &loaded.board;
        let costs = self.cost.as_deref().map_or_else(|| Ok(Costs::unit(MoveKind::ALL.len())), read_costs)?;
        let searched = search(globals, board, (start, goal), &costs)?;
        let field = &searched.field;
        let found = field.get(start).map(|cost| {
            let listed = if self.all { self.list.max(1) } else { 1 };
            Found {
                cost,
                count: count_paths(board, field, &costs, start),
                ways: Paths::new(board, field, &costs, start).take(listed).collect(),
            }
        });
        if let Some(found) = &found {
            replay(board, field, &costs, (start, goal), found)?;
        }
        let report = Report { loaded: &loaded, start, goal, costs: &costs, searched: &searched };
        let seconds = begun.elapsed().as_secs_f64();
        let parts = if found.is_none() { Some(Components::of(board)) } else { None };
        if globals.format == Format::Json {
            print_json(&report.json(found.as_ref(), parts.as_ref(), self.all, seconds))?;
        } else {
            print(&report.text(found.as_ref(), parts.as_ref(), self.all, seconds))?;
        }
        Ok(if found.is_some() { Outcome::Found } else { Outcome::None })
    }
}

/// Walks every way to be shown by the rules, and adds up its cost.
fn replay(board: &Board, field: &Field, costs: &Costs, ends: (u32, u32), found: &Found) -> anyhow::Result<()> {
    for way in &found.ways {
        let (mut state, mut cost) = (ends.0, 0);
        for step in way {
            let before = board.state(state);
            state = board
                .after(state, Move::from_number(step.label))
                .with_context(|| format!("the search found an illegal move from {}", board.label(state)))?;
            cost += costs.of(MoveKind::between(before.pose, board.state(state).pose) as u8);
        }
        if state != ends.1 || Some(cost) != field.get(ends.0) {
            bail!("the search found a way that does not end at the goal at its cost");
        }
    }
    Ok(())
}

struct Report<'a> {
    loaded: &'a Loaded,
    start: u32,
    goal: u32,
    costs: &'a Costs,
    searched: &'a Searched,
}

fn letters(way: &[Step]) -> String {
    way.iter().map(|step| Move::from_number(step.label).letter()).collect()
}

impl Report<'_> {
    fn labels(&self, way: &[Step]) -> Vec<String> {
        let board = &self.loaded.board;
        std::iter::once(self.start)
            .chain(way.iter().map(|step| step.state))
            .map(|state| board.label(state).to_string())
            .collect()
    }

    /// The component of a state, for an answer that there is no way.
    fn part(&self, parts: &Components, state: u32) -> Value {
        let board = &self.loaded.board;
        let component = parts.of_state(state).unwrap_or_default();
        let members: Vec<_> = board
            .each_state()
            .filter(|&other| parts.of_state(other) == Some(component))
            .take(10)
            .map(|other| board.label(other).to_string())
            .collect();
        json!({ "component": component + 1, "size": parts.sizes()[component], "members": members })
    }

    fn json(&self, found: Option<&Found>, parts: Option<&Components>, all: bool, seconds: f64) -> Value {
        let board = &self.loaded.board;
        let mut object = json!({
            "format": JSON_FORMAT, "command": "braincube path", "rows": board.rows(), "cols": board.cols(),
            "start": board.label(self.start).to_string(), "goal": board.label(self.goal).to_string(),
            "states": board.state_count(),
            "solvable": found.is_some(),
            "length": found.map(|f| f.ways[0].len()),
            "cost": found.map(|f| cost_number(&self.costs.show(f.cost))),
            "costs": MoveKind::ALL.into_iter().map(|kind| {
                (kind.name().to_owned(), cost_number(&self.costs.show(self.costs.of(kind as u8))))
            }).collect::<Map<_, _>>(),
            "shortest_paths": found.map_or_else(|| "0".to_owned(), |f| f.count.to_string()),
            "unique": found.is_some_and(|f| f.count == BigUint::from(1u32)),
            "path": found.map(|f| letters(&f.ways[0])),
            "labels": found.map(|f| self.labels(&f.ways[0])),
            "settled": self.searched.effort.settled, "frontiers": self.searched.effort.frontiers,
            "widest_frontier": self.searched.effort.widest,
            "backend": self.searched.backend, "adapter": self.searched.adapter, "lockstep": self.searched.lockstep,
            "faults": self.searched.faults, "seconds": seconds,
        });
        if let (true, Some(found)) = (all, found) {
            object["paths"] = found.ways.iter().map(|way| letters(way)).collect();
        }
        if let Some(parts) = parts {
            object["start_component"] = self.part(parts, self.start);
            object["goal_component"] = self.part(parts, self.goal);
        }
        object
    }

    fn text(&self, found: Option<&Found>, parts: Option<&Components>, all: bool, seconds: f64) -> String {
        let board = &self.loaded.board;
        let (start, goal) = (board.label(self.start), board.label(self.goal));
        let mut text = String::new();
        // Writing to a string does not fail.
        if let Some(found) = found {
            let length = found.ways[0].len() as u64;
            let (moves, cost) = (plural(length, "move"), self.costs.show(found.cost));
            let (least, price) =
                if self.costs.is_unit() { ("shortest", String::new()) } else { ("cheapest", format!(", cost {cost}")) };
            let _ = writeln!(text, "{start} to {goal}: {moves}{price}");
            let _ = if found.count == BigUint::from(1u32) {
                writeln!(text, "the only {least} way")
            } else {
                writeln!(text, "{} {least} ways", grouped_digits(&found.count.to_string()))
            };
            if all {
                for way in &found.ways {
                    let _ = writeln!(text, "{}", letters(way));
                }
                if found.count > BigUint::from(found.ways.len()) {
                    let rest = &found.count - found.ways.len();
                    let _ = writeln!(text, "… and {} more", grouped_digits(&rest.to_string()));
                }
            } else {
                let _ = writeln!(text, "{}", letters(&found.ways[0]));
                let _ = writeln!(text, "{}", self.labels(&found.ways[0]).join(" "));
            }
        } else {
            let _ = writeln!(text, "{start} to {goal}: no way");
            for (label, state) in [(start, self.start), (goal, self.goal)] {
                let Some(parts) = parts else { continue };
                let part = self.part(parts, state);
                let size = part["size"].as_u64().unwrap_or_default();
                let names: Vec<_> =
                    part["members"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let more = if size > names.len() as u64 { " …" } else { "" };
                let _ = writeln!(
                    text,
                    "{label} lies in component {} ({}: {}{more})",
                    part["component"],
                    plural(size, "state"),
                    names.join(" ")
                );
            }
        }
        let _ = writeln!(
            text,
            "{} states settled in {}, {}, backend {}{}",
            grouped(self.searched.effort.settled.into()),
            plural(self.searched.effort.frontiers, "frontier"),
            duration(seconds),
            self.searched.backend,
            if self.searched.lockstep { ", in lockstep with the CPU" } else { "" }
        );
        text
    }
}

/// A cost for JSON: a number where a double shows the same digits, else a string.
fn cost_number(text: &str) -> Value {
    if let Ok(whole) = text.parse::<u64>() {
        return crate::cli::output::json_number(whole.into());
    }
    match text.parse::<f64>() {
        Ok(value) if value.to_string() == text => value.into(),
        _ => text.into(),
    }
}
