//! `braincube boards`: every board of a size; `braincube merge` and `braincube keyspace` for runs of it in parts.

mod answer;
mod extremes;
mod merge;

use std::time::Instant;

use clap::Args;

pub use self::merge::{Keyspace, Merge};

use self::answer::Answer;
use self::extremes::{Extremes, ListArgs};
use crate::cli::Outcome;
use crate::cli::globals::{Format, FormatChoice, Globals};
use crate::cli::kept::{KeepArgs, PartArgs, Searched, settle};
use crate::cli::output::{print, print_json};
use crate::puzzles::braincube::boards::Boards;
use crate::puzzles::index_space::IndexSpace;
use crate::search::index::record::{Job, Record};

/// What the command is called in records and answers.
const COMMAND: &str = "braincube boards";

/// Settle every board of a size: which have a solution, how long the shortest is, whether
/// it is the only one, and which boards are the hardest
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "A board's index is its mask: bit ROW·N+COL (bit 0 the top left) is 1 where the square is there. Asked is the way \
    from the top left to the bottom right, upright to upright, on the boards that have both; with --pairs the way between \
    every two squares, both ways round, and all counts are of such pairs.\n\n\
    Examples:\n  gpu-solve braincube boards --rows 4 --cols 4\n  gpu-solve braincube boards --rows 5 --cols 6 --list\n  \
    gpu-solve braincube path --board boards-5x6/5x6-longest-1.txt\n  \
    gpu-solve braincube boards --rows 5 --cols 6 --pairs --checkpoint pairs.json\n  \
    gpu-solve braincube boards --rows 6 --cols 6 --shard 3/8 --out part-3.json\n\n\
    Exit codes: 0 some board has a solution, 1 none has (in the range), 2 not answered, 130 interrupted."
)]
pub struct BoardsCommand {
    #[command(flatten)]
    size: SizeArgs,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    keep: KeepArgs,
}

/// The boards.
#[derive(Args, Clone, Copy, Debug)]
struct SizeArgs {
    /// Rows of the boards
    #[arg(long, value_name = "M")]
    rows: u32,
    /// Columns of the boards; M·N is 64 at most, 54 with --pairs
    #[arg(long, value_name = "N")]
    cols: u32,
    /// Between every two squares instead of corner to corner
    #[arg(long)]
    pairs: bool,
}

impl SizeArgs {
    fn space(self) -> anyhow::Result<Boards> {
        Ok(Boards::new(self.rows, self.cols, self.pairs)?)
    }
}

/// What decides the index space.
fn job(space: &Boards) -> Job {
    let parameters =
        [("rows", space.rows().to_string()), ("cols", space.cols().to_string()), ("pairs", space.pairs().to_string())];
    let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Job { command: COMMAND.to_owned(), parameters, size: space.size() }
}

impl BoardsCommand {
    /// Searches and prints the answer.
    ///
    /// # Errors
    /// Bad input, faults that cannot be survived, a divergence in lockstep, a file that can't be written.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text, FormatChoice::Json])?;
        let begun = Instant::now();
        let space = self.size.space()?;
        let range = self.part.within(space.size())?;
        self.list.prepare(&space)?;
        let wanted = Record::new(job(&space), range.clone());
        let Searched { report, backend, adapter, seconds, unsaved } =
            settle(globals, begun, &wanted, (&space, "boards"), (&self.keep, 0, false))?;
        let extremes = Extremes::find(&space, &report.tally, &self.list)?;
        let answer = Answer { space: &space, tally: &report.tally, extremes, seconds };
        match globals.format {
            Format::Json => print_json(&answer.json(COMMAND, std::slice::from_ref(&report.covered), |object| {
                answer::of_report(object, &range, &report, backend, adapter.as_deref());
            }))?,
            Format::Text => print(&answer.text(&report, backend, adapter.as_deref())?)?,
        }
        if let Some(error) = answer.extremes.unwritten {
            return Err(error);
        }
        self.keep.ended(globals, (report.complete, report.tally.found > 0), unsaved)
    }
}
