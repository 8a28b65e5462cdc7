//! `braincube adjacency` and `braincube transition`: the matrices, for other tools.

use std::io::{self, Write};

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::input::BoardArgs;
use crate::cli::Outcome;
use crate::cli::globals::{FormatChoice, Globals};
use crate::cli::output::{JSON_FORMAT, stream};
use crate::puzzles::braincube::Board;
use crate::puzzles::state_graph::StateGraph;

/// A CSV matrix is written out in full, so only up to this many states.
const MAX_CSV: usize = 5000;

/// The adjacency matrix of the graph (--format matrix-market, csv or json; text means
/// matrix-market). Rows and columns are the states in the order of their labels
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube adjacency --rows 3 --cols 3 --format csv")]
pub struct Adjacency {
    #[command(flatten)]
    board: BoardArgs,
}

/// The transition matrix of the random walk: entry (i, j) is the probability to go from
/// state i to state j in one move (formats as for adjacency)
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube transition --rows 3 --cols 3 --format matrix-market")]
pub struct Transition {
    #[command(flatten)]
    board: BoardArgs,
    /// Uniform over all four directions: rows sum to 1 less the probability to fall
    #[arg(long)]
    fall: bool,
}

impl Adjacency {
    /// Prints the matrix.
    ///
    /// # Errors
    /// Bad input, a board too large for CSV, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let board = self.board.load()?.board;
        write_matrix(globals, &board, "braincube adjacency", &|_| 1.0)
    }
}

impl Transition {
    /// Prints the matrix.
    ///
    /// # Errors
    /// Bad input, a board too large for CSV, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let board = self.board.load()?.board;
        let share = |state: u32| if self.fall { 0.25 } else { 1.0 / f64::from(board.out_degree(state)) };
        write_matrix(globals, &board, "braincube transition", &share)
    }
}

/// The states in order, and the place of each.
struct Order<'b> {
    board: &'b Board,
    states: Vec<u32>,
    places: Vec<u32>,
}

impl Order<'_> {
    /// The places that a state leads to, ascending.
    fn row(&self, state: u32) -> Vec<u32> {
        let mut row = Vec::with_capacity(4);
        self.board.successors(state, |step| row.push(self.places[step.state as usize]));
        row.sort_unstable();
        row
    }
}

fn write_matrix(
    globals: &Globals,
    board: &Board,
    command: &str,
    value: &dyn Fn(u32) -> f64,
) -> anyhow::Result<Outcome> {
    globals.offer_formats(&[FormatChoice::Text, FormatChoice::MatrixMarket, FormatChoice::Csv, FormatChoice::Json])?;
    globals.cpu_only(command)?;
    let states = board.states_by_label();
    let mut places = vec![0u32; board.index_bound() as usize];
    for (place, &state) in (0u32..).zip(&states) {
        places[state as usize] = place;
    }
    let order = Order { board, states, places };
    let n = order.states.len();
    match globals.format_choice {
        FormatChoice::Csv if n > MAX_CSV => {
            bail!(
                "a CSV matrix of {n} states would have {} entries; up to {MAX_CSV} states are written, --format matrix-market has no such limit",
                n * n
            )
        }
        FormatChoice::Csv => stream(|out| csv(out, &order, value))?,
        FormatChoice::Json => stream(|out| json(out, &order, command, value))?,
        _ => stream(|out| market(out, &order, command, value))?,
    }
    Ok(Outcome::Found)
}

fn market(out: &mut dyn Write, order: &Order, command: &str, value: &dyn Fn(u32) -> f64) -> io::Result<()> {
    let pattern = command.ends_with("adjacency");
    let (field, symmetry) = if pattern { ("pattern", "symmetric") } else { ("real", "general") };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    writeln!(out, "% {command}, {}×{} board; the states in order:", order.board.rows(), order.board.cols())?;
    for names in order.states.chunks(16) {
        let names: Vec<_> = names.iter().map(|&state| order.board.label(state).to_string()).collect();
        writeln!(out, "% {}", names.join(" "))?;
    }
    let entries: u64 = order.states.iter().map(|&state| u64::from(order.board.out_degree(state))).sum();
    let n = order.states.len();
    writeln!(out, "{n} {n} {}", if pattern { entries / 2 } else { entries })?;
    for (row, &state) in (0u32..).zip(&order.states) {
        for column in order.row(state) {
            if !pattern {
                writeln!(out, "{} {} {}", row + 1, column + 1, value(state))?;
            } else if column < row {
                writeln!(out, "{} {}", row + 1, column + 1)?;
            }
        }
    }
    Ok(())
}

fn csv(out: &mut dyn Write, order: &Order, value: &dyn Fn(u32) -> f64) -> io::Result<()> {
    write!(out, "state")?;
    for &state in &order.states {
        write!(out, ",{}", order.board.label(state))?;
    }
    writeln!(out)?;
    for &state in &order.states {
        write!(out, "{}", order.board.label(state))?;
        let row = order.row(state);
        for column in 0u32.. {
            if column as usize == order.states.len() {
                break;
            }
            if row.binary_search(&column).is_ok() {
                write!(out, ",{}", value(state))?;
            } else {
                write!(out, ",0")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, order: &Order, command: &str, value: &dyn Fn(u32) -> f64) -> io::Result<()> {
    let labels: Vec<_> = order.states.iter().map(|&state| order.board.label(state).to_string()).collect();
    let entries: Vec<_> = (0u32..)
        .zip(&order.states)
        .flat_map(|(row, &state)| {
            let columns = order.row(state);
            columns.into_iter().map(move |column| json!([row, column, value(state)]))
        })
        .collect();
    let object = json!({
        "format": JSON_FORMAT, "command": command, "rows": order.board.rows(), "cols": order.board.cols(),
        "labels": labels, "entries": entries,
    });
    writeln!(out, "{object}")
}
