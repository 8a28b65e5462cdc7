//! `braincube generate`: stages at random that have a solution.

use std::sync::atomic::Ordering;

use anyhow::bail;
use clap::Args;

use super::stage_input::FormatName;
use crate::cli::globals::{FormatChoice, Globals};
use crate::cli::output::print;
use crate::cli::{Outcome, interrupt};
use crate::puzzles::braincube::stage::generate::{Maker, Wishes};
use crate::puzzles::braincube::stage::{MAX_BRIDGES, Rules, Stage, text};
use crate::search::layers::packed::{Found, search};

/// Make a stage at random that has a solution
#[derive(Args, Clone, Debug)]
#[command(after_help = "The same options make the same stage everywhere.\n\n\
    Examples:\n  gpu-solve braincube generate --rows 6 --cols 9 --seed 7 \\\n    --switches 2 --bridges 3 --length 25")]
pub struct Generate {
    /// Rows, up to 64
    #[arg(long, value_name = "M")]
    rows: usize,
    /// Columns, up to 64
    #[arg(long, value_name = "N")]
    cols: usize,
    /// Where randomness begins
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Switches; every other one heavy
    #[arg(long, value_name = "K", default_value_t = 0)]
    switches: usize,
    /// Bridge squares
    #[arg(long, value_name = "K", default_value_t = 0)]
    bridges: usize,
    /// Fragile squares
    #[arg(long, value_name = "K", default_value_t = 0)]
    fragile: usize,
    /// With a splitter
    #[arg(long)]
    split: bool,
    /// The least moves of its solution
    #[arg(long, value_name = "L", default_value_t = 1)]
    length: usize,
    /// Only one way with the least moves
    #[arg(long)]
    unique: bool,
    /// Give up after so many trials
    #[arg(long, value_name = "K", default_value_t = 20_000)]
    trials: usize,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    to: FormatName,
}

/// Trials without a longer solution after which the search begins anew.
const PATIENCE: usize = 1_500;

impl Generate {
    /// Makes and prints a stage.
    ///
    /// # Errors
    /// Wishes that no stage fulfils, or that the trials did not.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text])?;
        let Self { rows, cols, switches, bridges, fragile, split, .. } = *self;
        let wishes = Wishes { rows, cols, switches, bridges, fragile, split };
        if !(1..=64).contains(&rows) || !(1..=64).contains(&cols) {
            bail!("a stage of {rows}×{cols} squares is out of range: rows and columns go from 1 to 64");
        }
        if bridges > MAX_BRIDGES {
            bail!("--bridges {bridges}: a stage has {MAX_BRIDGES} bridge squares at most");
        }
        if switches > 0 && bridges == 0 {
            bail!("--switches {switches} have nothing to act on: ask for bridges too, e.g. --bridges 3");
        }
        let splitter_places = if split { 2 } else { 0 };
        if wishes.special().saturating_add(splitter_places) > rows * cols {
            bail!("{rows}×{cols} squares are too few for all that was asked for: take a larger stage");
        }
        let Some(mut stage) = self.seek(wishes)? else {
            if interrupt::flag()?.load(Ordering::Relaxed) {
                globals.say("interrupted before such a stage was found");
                return Ok(Outcome::Interrupted);
            }
            globals.say(format!(
                "no stage with a solution of {} moves or more{} in {} trials: ask for less, or more --trials",
                self.length,
                if self.unique { ", and only one," } else { "" },
                self.trials
            ));
            return Ok(Outcome::None);
        };
        stage.name = format!("seed {}", self.seed);
        print(&text::write(&stage, self.to.into())?)?;
        Ok(Outcome::Found)
    }

    /// Changes a stage again and again, keeping every change that does not shorten its solution.
    fn seek(&self, wishes: Wishes) -> anyhow::Result<Option<Stage>> {
        let stop = interrupt::flag()?;
        let mut maker = Maker::new(wishes, self.seed);
        let mut best: Option<(usize, Stage)> = None;
        let mut stale = 0;
        for _ in 0..self.trials {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let trial = match &best {
                Some((_, known)) => maker.changed(known),
                None => maker.stage(),
            };
            let Ok(rules) = Rules::new(&trial) else { continue };
            let Found { way: Some(way), ways, .. } = search(&rules, rules.start(), stop) else { continue };
            if way.len() >= self.length && (!self.unique || ways == 1u32.into()) {
                return Ok(Some(trial));
            }
            let longest = best.as_ref().map_or(0, |(length, _)| *length);
            stale = if way.len() > longest { 0 } else { stale + 1 };
            if stale > PATIENCE {
                (best, stale) = (None, 0);
            } else if way.len() >= longest {
                best = Some((way.len(), trial));
            }
        }
        Ok(None)
    }
}
