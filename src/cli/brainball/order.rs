//! `gpu-solve brainball order`: what a sequence of moves does, and when its repetition does nothing.

use std::fmt::Write;

use clap::Args;
use serde::Serialize;

use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};
use crate::puzzles::brainball::ball::TILES;
use crate::puzzles::brainball::notation::Moves;

/// Tell after how many repetitions a sequence of moves is the identity, and its cycles
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The ball is held as it is and never turned over, in either notation.\n\nExamples:\n  gpu-solve brainball order +1/-1/\n  \
    gpu-solve brainball order 3 4 3"
)]
pub struct Order {
    /// Shifts in slash notation (+1/-1/), or ring indices (3 3 11)
    #[arg(value_name = "MOVES", allow_hyphen_values = true)]
    moves: String,
    #[arg(value_name = "MOVE", allow_negative_numbers = true, hide = true)]
    others: Vec<String>,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    sequence: String,
    length: usize,
    order: usize,
    cycles: Vec<CycleOut>,
}

#[derive(Serialize)]
struct CycleOut {
    indices: Vec<usize>,
    flips: bool,
    order: usize,
}

impl Order {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let text = format!("{} {}", self.moves, self.others.join(" ")).trim().to_owned();
        let moves = Moves::parse(&text, TILES)?;
        let (order, cycles) = (moves.order(TILES), moves.cycles(TILES));
        match globals.format {
            Format::Json => {
                let cycles = cycles
                    .into_iter()
                    .map(|c| CycleOut { order: c.order(), flips: c.flips, indices: c.places })
                    .collect();
                let (command, length) = ("brainball order", moves.turns());
                print_json(&Answer { format: JSON_FORMAT, command, sequence: text, length, order, cycles })?;
            }
            Format::Text => {
                let mut out =
                    format!("{text}: the identity after {order} {}\n", if order == 1 { "time" } else { "repetitions" });
                for cycle in cycles {
                    let places: Vec<_> = cycle.places.iter().map(ToString::to_string).collect();
                    // Writing to a string does not fail.
                    let _ = writeln!(
                        out,
                        "  indices ({}) {}, order {}",
                        places.join(" "),
                        if cycle.flips { "come back flipped" } else { "come back as they were" },
                        cycle.order()
                    );
                }
                print(&out)?;
            }
        }
        Ok(Outcome::Found)
    }
}
