//! `gpu-solve brainball apply`: a position after moves.

use clap::Args;
use serde::Serialize;

use super::solve::StepOut;
use super::view;
use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};
use crate::puzzles::brainball::notation::Moves;
use crate::puzzles::brainball::solution::Step;
use crate::puzzles::brainball::{Ball, Goal, parse};

/// Make moves on a position
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Ring indices are those of the position as it then stands: the white majority is brought up at the start and \
    after every turn. In slash notation the ball is held as it is, and turned over at the end if need be.\n\nExamples:\n  \
    gpu-solve brainball apply 1,2,3,4,5,6,7,8,9,10,11,12,13 3 3 11\n  \
    gpu-solve brainball apply 1,2,3,4,5,6,7,8,9,10,11,12,13 -1/+1/"
)]
pub struct Apply {
    /// The tiles from ring index 0 on
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: String,
    /// Ring indices (3 3 11), or shifts in slash notation (+1/-1/)
    #[arg(value_name = "MOVES", allow_hyphen_values = true)]
    moves: String,
    #[arg(value_name = "MOVE", allow_negative_numbers = true, hide = true)]
    others: Vec<String>,
    /// Draw the ball before and after each step (before and after all of them in slash notation)
    #[arg(long)]
    show: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    format: &'static str,
    command: &'static str,
    position: &'a [i8],
    length: usize,
    steps: Vec<StepOut>,
    result: &'a [i8],
    solved_fixed: bool,
    solved_ring: bool,
}

impl Apply {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let start = parse::position(&self.position)?;
        let moves = Moves::parse(&format!("{} {}", self.moves, self.others.join(" ")), start.size())?;
        let (ball, steps) = make(&start, &moves);
        match globals.format {
            Format::Json => print_json(&Answer {
                format: JSON_FORMAT,
                command: "brainball apply",
                position: start.tiles(),
                length: moves.turns(),
                steps: steps.iter().map(StepOut::from).collect(),
                result: ball.tiles(),
                solved_fixed: ball.is_solved(Goal::Fixed),
                solved_ring: ball.is_solved(Goal::Ring),
            })?,
            Format::Text if self.show => {
                let mut text = match moves {
                    Moves::Indices(_) => view::steps(&start, &steps),
                    Moves::Slash(_) => format!(
                        "start: {start}\n{}\n{}",
                        view::circle(&start, &[], None),
                        view::circle(&ball, &[], None)
                    ),
                };
                text += "\n";
                text += &ball.to_string();
                text += "\n";
                print(&text)?;
            }
            Format::Text => print(&format!("{ball}\n"))?,
        }
        Ok(Outcome::Found)
    }
}

/// The position after the moves, and the steps where they are ring indices.
fn make(start: &Ball, moves: &Moves) -> (Ball, Vec<Step>) {
    let mut ball = start.clone();
    let mut steps = Vec::new();
    let upright = |ball: &mut Ball, steps: &mut Vec<Step>| {
        if ball.normalise() {
            steps.push(Step::Turn180);
        }
    };
    match moves {
        Moves::Indices(axes) => {
            upright(&mut ball, &mut steps);
            for axis in axes {
                ball.turn_sides(*axis);
                steps.push(Step::Turn(*axis));
                upright(&mut ball, &mut steps);
            }
        }
        Moves::Slash(_) => {
            moves.apply_held(&mut ball);
            ball.normalise();
        }
    }
    (ball, steps)
}
