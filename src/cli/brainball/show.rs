//! `gpu-solve brainball show`: a position as a picture.

use clap::Args;
use serde::Serialize;

use super::input::Positions;
use super::view;
use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};
use crate::puzzles::brainball::{Ball, Goal};

/// Draw positions
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve brainball show 1,-5,2,3,4,6,7,8,-12,9,10,11,13")]
pub struct Show {
    #[command(flatten)]
    positions: Positions,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    positions: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    position: Vec<i8>,
    yellow: usize,
    solved_fixed: bool,
    solved_ring: bool,
}

impl Shown {
    fn of(ball: &Ball) -> Self {
        let mut upright = ball.clone();
        upright.normalise();
        Self {
            position: ball.tiles().to_vec(),
            yellow: ball.yellow(),
            solved_fixed: upright.is_solved(Goal::Fixed),
            solved_ring: upright.is_solved(Goal::Ring),
        }
    }
}

impl Show {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let (balls, _) = self.positions.read()?;
        match globals.format {
            Format::Json => print_json(&Answer {
                format: JSON_FORMAT,
                command: "brainball show",
                positions: balls.iter().map(Shown::of).collect(),
            })?,
            Format::Text => {
                let texts: Vec<_> =
                    balls.iter().map(|ball| format!("{ball}\n{}", view::circle(ball, &[], None))).collect();
                print(&texts.join("\n"))?;
            }
        }
        Ok(Outcome::Found)
    }
}
