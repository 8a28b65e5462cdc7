//! `braincube formula`: the closed formulas.

use std::fmt::Write;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals};
use crate::cli::output::{JSON_FORMAT, grouped, grouped_digits, print, print_json};
use crate::puzzles::braincube::formula::{self, Case, CornerSolutions, Verdict};
use crate::puzzles::braincube::{Board, State};
use crate::search::graph::costs::Costs;
use crate::search::graph::counting::count_paths;
use crate::search::graph::shortest::{CpuExpander, field_to};

/// Length and number of the shortest ways from corner to corner of a board without holes,
/// by the closed formulas
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube formula --rows 100 --cols 100 --check")]
pub struct Formula {
    /// Rows (1 to 4096)
    #[arg(long, value_name = "M")]
    rows: u64,
    /// Columns (1 to 4096)
    #[arg(long, value_name = "N")]
    cols: u64,
    /// Search as well, and compare
    #[arg(long)]
    check: bool,
}

fn searched(board: &Board) -> anyhow::Result<Verdict> {
    let start = board.index(State::upright(0, 0))?;
    let goal = board.index(State::upright(board.rows() - 1, board.cols() - 1))?;
    let costs = Costs::unit(3);
    let Ok((field, _)) = field_to(board, goal, Some(start), &costs, &mut CpuExpander::new(board));
    Ok(match field.get(start) {
        None => Verdict::Unsolvable,
        Some(length) => Verdict::Solvable(CornerSolutions { length, count: count_paths(board, &field, &costs, start) }),
    })
}

impl Formula {
    /// Prints what the formulas say.
    ///
    /// # Errors
    /// Bad input, a failure of stdout, or a formula that the search contradicts.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        globals.cpu_only("braincube formula")?;
        let side = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let (rows, cols) = (side(self.rows), side(self.cols));
        let board = Board::full(rows, cols)?;
        let verdict = formula::corner_to_corner(rows, cols);
        let checked = if self.check { Some(searched(&board)?) } else { None };
        if let Some(found) = checked.as_ref().filter(|found| **found != verdict) {
            bail!("the search contradicts the formula on {rows}×{cols}: formula {verdict:?}, search {found:?}");
        }
        let (states, edges) = (formula::states(rows, cols), formula::edges(rows, cols));
        let (length, count) = match &verdict {
            Verdict::Solvable(found) => (Some(found.length), found.count.to_string()),
            Verdict::Unsolvable => (None, "0".to_owned()),
        };
        let rule = Case::of(rows, cols).describe();
        if globals.format == Format::Json {
            print_json(&json!({
                "format": JSON_FORMAT, "command": "braincube formula", "rows": rows, "cols": cols,
                "states": states, "edges": edges, "solvable": length.is_some(), "length": length,
                "shortest_paths": count, "unique": count == "1", "formula": rule,
                "checked": checked.is_some(),
            }))?;
        } else {
            let mut text =
                format!("{rows}×{cols} board: {} states, {} edges\n", grouped(states.into()), grouped(edges.into()));
            // Writing to a string does not fail.
            let _ = match length {
                Some(length) => {
                    writeln!(text, "shortest way corner to corner: {length} moves, in {} ways", grouped_digits(&count))
                }
                None => writeln!(text, "no way from corner to corner"),
            };
            let _ = writeln!(text, "formula: {rule}");
            if checked.is_some() {
                text += "checked against the search: equal\n";
            }
            print(&text)?;
        }
        Ok(if length.is_some() { Outcome::Found } else { Outcome::None })
    }
}
