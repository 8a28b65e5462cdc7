//! `braincube graph`: states and edges.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Map, Value, json};

use super::input::BoardArgs;
use crate::cli::Outcome;
use crate::cli::globals::{FormatChoice, Globals};
use crate::cli::output::{JSON_FORMAT, stream};
use crate::puzzles::braincube::{Board, Move, MoveKind};
use crate::puzzles::state_graph::{StateGraph, Step};

/// The graph of the states: their number, the edges, and which state leads where
/// (as a list, --format dot or json)
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube graph --rows 3 --cols 3 --format dot | dot -Tsvg > g.svg")]
pub struct Graph {
    #[command(flatten)]
    board: BoardArgs,
    /// The numbers of states and edges only
    #[arg(long)]
    summary: bool,
}

impl Graph {
    /// Prints the graph.
    ///
    /// # Errors
    /// Bad input, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json, FormatChoice::Dot])?;
        globals.cpu_only("braincube graph")?;
        let board = self.board.load()?.board;
        let moves: u64 = board.each_state().map(|state| u64::from(board.out_degree(state))).sum();
        let (states, edges) = (board.state_count(), moves / 2);
        let order = if self.summary { Vec::new() } else { board.states_by_label() };
        match globals.format_choice {
            FormatChoice::Dot => stream(|out| dot(out, &board, &board.states_by_label()))?,
            FormatChoice::Json => stream(|out| json(out, &board, states, edges, &order))?,
            _ => stream(|out| {
                writeln!(out, "{}×{} board: {states} states, {edges} edges", board.rows(), board.cols())?;
                text(out, &board, &order)
            })?,
        }
        Ok(Outcome::Found)
    }
}

fn steps(board: &Board, state: u32) -> Vec<Step> {
    let mut steps = Vec::with_capacity(4);
    board.successors(state, |step| steps.push(step));
    steps
}

fn letter(step: Step) -> char {
    Move::from_number(step.label).letter()
}

fn text(out: &mut dyn Write, board: &Board, order: &[u32]) -> io::Result<()> {
    for &state in order {
        write!(out, "{}:", board.label(state))?;
        for step in steps(board, state) {
            write!(out, " {} {}", letter(step), board.label(step.state))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn dot(out: &mut dyn Write, board: &Board, order: &[u32]) -> io::Result<()> {
    writeln!(out, "graph braincube {{\n  // {}×{} board\n  node [shape=circle];", board.rows(), board.cols())?;
    for &state in order {
        writeln!(out, "  {};", board.label(state))?;
    }
    for &state in order {
        for step in steps(board, state) {
            // Each edge once: a move to the right or down is undone by one to the left or up.
            if matches!(Move::from_number(step.label), Move::Right | Move::Down) {
                let kind = MoveKind::ALL[usize::from(step.kind)];
                let rolled = if kind == MoveKind::Roll { " [style=dashed]" } else { "" };
                writeln!(out, "  {} -- {}{rolled};", board.label(state), board.label(step.state))?;
            }
        }
    }
    writeln!(out, "}}")
}

fn json(out: &mut dyn Write, board: &Board, states: u64, edges: u64, order: &[u32]) -> io::Result<()> {
    let head = json!({
        "format": JSON_FORMAT, "command": "braincube graph",
        "rows": board.rows(), "cols": board.cols(), "states": states, "edges": edges,
    });
    let head = head.to_string();
    write!(out, "{}", head.trim_end_matches('}'))?;
    if !order.is_empty() {
        write!(out, ",\"adjacency\":[")?;
        for (place, &state) in order.iter().enumerate() {
            let moves: Map<String, Value> = steps(board, state)
                .into_iter()
                .map(|step| (letter(step).to_string(), board.label(step.state).to_string().into()))
                .collect();
            let comma = if place > 0 { "," } else { "" };
            write!(out, "{comma}{}", json!({ "state": board.label(state).to_string(), "moves": moves }))?;
        }
        write!(out, "]")?;
    }
    writeln!(out, "}}")
}
