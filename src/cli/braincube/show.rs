//! `braincube show`: pictures of the board, of a state, of a way step by step.

use std::fmt::Write;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;

use super::input::{BoardArgs, Ends};
use super::picture::{MAX_DRAWN, picture};
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};
use crate::puzzles::braincube::{Board, Move};
use crate::search::graph::costs::Costs;
use crate::search::graph::shortest::{CpuExpander, Paths, field_to};

/// Draw the board, the block on it, or a way step by step
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "□ a square, · a hole, ■ a square under the block.\n\nExamples:\n  gpu-solve braincube show --rows 3 --cols 3 --state h2\n  \
    gpu-solve braincube show --rows 3 --cols 3 --moves RDDLURRD\n  gpu-solve braincube show --board level.txt --solution"
)]
pub struct Show {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    ends: Ends,
    /// Draw the block here
    #[arg(long, value_name = "STATE", conflicts_with_all = ["moves", "solution", "start", "goal"])]
    state: Option<String>,
    /// Draw every step of these moves from the start, e.g. RDDL
    #[arg(long, value_name = "LETTERS", conflicts_with_all = ["solution", "goal"])]
    moves: Option<String>,
    /// Draw every step of a shortest way from start to goal
    #[arg(long)]
    solution: bool,
}

impl Show {
    /// Draws.
    ///
    /// # Errors
    /// Bad input, an illegal move among `--moves`, or a failure of stdout.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        globals.cpu_only("braincube show")?;
        let loaded = self.board.load()?;
        let board = &loaded.board;
        if board.rows().max(board.cols()) > MAX_DRAWN {
            bail!(
                "a board of {}×{} squares is too large to draw: {MAX_DRAWN}×{MAX_DRAWN} at most",
                board.rows(),
                board.cols()
            );
        }
        let (states, letters) = if let Some(text) = &self.state {
            (vec![loaded.place(text).with_context(|| format!("--state {text}"))?], String::new())
        } else if let Some(moves) = &self.moves {
            (follow(board, loaded.start(&self.ends)?, moves)?, moves.to_ascii_uppercase())
        } else if self.solution {
            let (start, goal) = loaded.ends(&self.ends)?;
            let Some((states, letters)) = solution(board, start, goal) else {
                globals.say("there is no way from the start to the goal");
                return Ok(Outcome::None);
            };
            (states, letters)
        } else if self.ends.start.is_some() {
            (vec![loaded.start(&self.ends)?], String::new())
        } else {
            (Vec::new(), String::new())
        };
        let pictures: Vec<String> = if states.is_empty() {
            vec![picture(board, None)]
        } else {
            states.iter().map(|&state| picture(board, Some(board.state(state)))).collect()
        };
        if globals.format == Format::Json {
            let labels: Vec<_> = states.iter().map(|&state| board.label(state).to_string()).collect();
            let plain: Vec<_> = pictures.iter().map(|p| anstream::adapter::strip_str(p).to_string()).collect();
            print_json(&json!({
                "format": JSON_FORMAT, "command": "braincube show", "rows": board.rows(), "cols": board.cols(),
                "path": letters, "labels": labels, "pictures": plain,
            }))?;
            return Ok(Outcome::Found);
        }
        let mut text = String::new();
        let mut letters = letters.chars();
        for (place, drawn) in pictures.iter().enumerate() {
            if let Some(&state) = states.get(place) {
                let label = board.label(state);
                // Writing to a string does not fail.
                let _ = match (place > 0).then(|| letters.next()).flatten() {
                    Some(letter) => writeln!(text, "\n{place}. {letter} to {label}"),
                    None => writeln!(text, "{label}"),
                };
            }
            text += drawn;
        }
        print(&text)?;
        Ok(Outcome::Found)
    }
}

/// The states along some moves, the first included.
fn follow(board: &Board, start: u32, moves: &str) -> anyhow::Result<Vec<u32>> {
    let mut states = vec![start];
    let mut state = start;
    for (place, letter) in moves.chars().enumerate() {
        let upper = letter.to_ascii_uppercase();
        let Some(direction) = Move::ALL.into_iter().find(|m| m.letter() == upper) else {
            bail!("--moves: letter {} is {letter:?}: expected L, R, U or D, e.g. --moves RDDL", place + 1);
        };
        let Some(next) = board.after(state, direction) else {
            bail!(
                "--moves: move {} ({upper}) is illegal: from {} the block would leave the board or reach over a hole",
                place + 1,
                board.label(state)
            );
        };
        states.push(next);
        state = next;
    }
    Ok(states)
}

/// The states and letters of a shortest way.
fn solution(board: &Board, start: u32, goal: u32) -> Option<(Vec<u32>, String)> {
    let costs = Costs::unit(3);
    let Ok((field, _)) = field_to(board, goal, Some(start), &costs, &mut CpuExpander::new(board));
    let path = Paths::new(board, &field, &costs, start).next()?;
    let letters = path.iter().map(|step| Move::from_number(step.label).letter()).collect();
    Some((std::iter::once(start).chain(path.iter().map(|step| step.state)).collect(), letters))
}
