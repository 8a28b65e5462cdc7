//! `gpu-solve brainball scramble`: a seeded random position.

use clap::Args;
use serde::Serialize;

use super::view;
use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};
use crate::puzzles::brainball::ball::TILES;
use crate::puzzles::brainball::{Ball, scramble};

/// Turn the solved ball at random
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The same seed gives the same positions everywhere.\n\nExamples:\n  gpu-solve brainball scramble --seed 7\n  \
    gpu-solve brainball scramble --turns 20 --seed 1 --count 1000 > positions.txt"
)]
pub struct Scramble {
    #[command(flatten)]
    how: ScrambleArgs,
    /// Positions, of the seeds SEED, SEED + 1 and so on
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,
    /// Draw the position
    #[arg(long)]
    show: bool,
}

/// How a scramble is made.
#[derive(Args, Clone, Copy, Debug)]
pub struct ScrambleArgs {
    /// Turns, none of which undoes the one before it
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    turns: u32,
    /// The seed [default: from the clock]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

#[derive(Serialize)]
struct Answer {
    format: &'static str,
    command: &'static str,
    scrambles: Vec<One>,
}

#[derive(Serialize)]
struct One {
    seed: u64,
    position: Vec<i8>,
    turns: Vec<usize>,
}

impl ScrambleArgs {
    /// The seed given, or one from the clock (below 2³², so that it can be typed again).
    pub fn seed(&self) -> u64 {
        let clock =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        self.seed.unwrap_or(u64::from(clock))
    }

    /// The position of a seed, and the ring indices that led to it.
    pub fn make(&self, seed: u64) -> (Ball, Vec<usize>) {
        scramble::scramble(TILES, self.turns as usize, seed)
    }
}

impl Scramble {
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let first = self.how.seed();
        let seeds = (0..self.count).map(|k| first.wrapping_add(k));
        let made: Vec<_> = seeds.map(|seed| (seed, self.how.make(seed))).collect();
        if self.how.seed.is_none() {
            globals.say(format!("seed {first}"));
        }
        match globals.format {
            Format::Json => {
                let one = |(seed, (ball, turns)): &(u64, (Ball, Vec<usize>))| One {
                    seed: *seed,
                    position: ball.tiles().to_vec(),
                    turns: turns.clone(),
                };
                let scrambles = made.iter().map(one).collect();
                print_json(&Answer { format: JSON_FORMAT, command: "brainball scramble", scrambles })?;
            }
            Format::Text => {
                let text = |(_, (ball, _)): &(u64, (Ball, Vec<usize>))| {
                    let picture = if self.show { view::circle(ball, &[], None) } else { String::new() };
                    format!("{ball}\n{picture}")
                };
                print(&made.iter().map(text).collect::<String>())?;
            }
        }
        Ok(Outcome::Found)
    }
}
