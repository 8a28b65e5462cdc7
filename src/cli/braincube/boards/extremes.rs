//! The boards with the longest shortest solution: found again in the batches that the search marked, and written as files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::cli::files::ensure_writable;
use crate::cli::output::grouped;
use crate::puzzles::braincube::Board;
use crate::puzzles::braincube::boards::{Bar, Boards, Instance, MOST_MARKS};
use crate::puzzles::index_space::Tally;

/// Which of the hardest boards are shown and written.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Write the boards with the longest shortest solution, and those with the longest that is the only one, as files that
    /// `path --board` reads: at most K of each [default: 10]
    #[arg(
        long,
        value_name = "K",
        num_args = 0..=1,
        default_missing_value = "10",
        value_parser = clap::value_parser!(u64).range(..=MOST_MARKS as u64)
    )]
    list: Option<u64>,
    /// The folder that --list writes into [default: boards-MxN, or boards-MxN-pairs]
    #[arg(long, value_name = "FOLDER", requires = "list")]
    save: Option<PathBuf>,
}

impl ListArgs {
    fn folder(&self, space: &Boards) -> PathBuf {
        self.save.clone().unwrap_or_else(|| PathBuf::from(format!("boards-{}", name(space))))
    }

    /// Makes the folder, where boards are to be written: before a long search finds out that it can't be.
    ///
    /// # Errors
    /// A message that names it.
    pub fn prepare(&self, space: &Boards) -> anyhow::Result<()> {
        if self.list.is_none() {
            return Ok(());
        }
        let folder = self.folder(space);
        fs::create_dir_all(&folder).with_context(|| format!("making the folder {}", folder.display()))?;
        ensure_writable(&folder.join("board.txt"))
    }
}

/// The size of boards, as files and folders are called.
fn name(space: &Boards) -> String {
    format!("{}x{}{}", space.rows(), space.cols(), if space.pairs() { "-pairs" } else { "" })
}

/// The boards with the longest shortest solution.
pub struct Extreme {
    /// Moves.
    pub length: u32,
    /// Boards.
    pub count: u64,
    /// The first of them.
    pub shown: Vec<Instance>,
}

/// Those of all boards, and those with only one shortest solution.
pub struct Extremes {
    /// Of all.
    pub longest: Option<Extreme>,
    /// Of the unique.
    pub unique: Option<Extreme>,
    /// The files written.
    pub files: Vec<String>,
    /// What kept the others from being written.
    pub unwritten: Option<anyhow::Error>,
}

impl Extremes {
    /// Finds them, and writes them where that is asked.
    pub fn find(space: &Boards, tally: &Tally, list: &ListArgs) -> anyhow::Result<Self> {
        let most = usize::try_from(list.list.unwrap_or(1)).unwrap_or(usize::MAX);
        let [longest, unique] = [false, true].map(|unique| extreme(space, tally, unique, most));
        let mut extremes = Self { longest: longest?, unique: unique?, files: Vec::new(), unwritten: None };
        if list.list.is_some() {
            extremes.unwritten = extremes.write(space, &list.folder(space)).err();
        }
        Ok(extremes)
    }

    fn write(&mut self, space: &Boards, folder: &Path) -> anyhow::Result<()> {
        let size = name(space);
        for (name, extreme) in [("longest", &self.longest), ("longest-unique", &self.unique)] {
            let Some(extreme) = extreme else { continue };
            for (number, instance) in (1..).zip(&extreme.shown) {
                let path = folder.join(format!("{size}-{name}-{number}.txt"));
                let text = board_file(space, *instance, extreme.length);
                fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
                self.files.push(path.display().to_string());
            }
        }
        Ok(())
    }
}

/// The longest shortest solution and the first boards that have it. The batches marked for it are searched again on the CPU,
/// which must find some in each.
fn extreme(space: &Boards, tally: &Tally, unique: bool, most: usize) -> anyhow::Result<Option<Extreme>> {
    let bars = space.histogram(tally);
    let count = |bar: &Bar| if unique { bar.unique } else { bar.boards };
    let Some(bar) = bars.iter().rev().find(|bar| count(bar) > 0) else { return Ok(None) };
    // One is looked for even when none is to be shown: a check of what the device counted.
    let wanted = most.max(1);
    let mut shown = Vec::new();
    for batch in Boards::marked(tally, bar.length, unique) {
        if shown.len() >= wanted {
            break;
        }
        shown.extend(space.of_length(batch, bar.length, unique, wanted));
    }
    if shown.len() < wanted && shown.len() as u64 != count(bar) {
        bail!(
            "{} boards with a shortest solution of {} moves were counted, but the CPU finds {}: the device or its driver is at \
             fault; check it with --lockstep",
            grouped(count(bar).into()),
            bar.length,
            shown.len()
        );
    }
    shown.truncate(most);
    Ok(Some(Extreme { length: bar.length, count: count(bar), shown }))
}

/// A board by its mask.
pub fn board(space: &Boards, mask: u64) -> anyhow::Result<Board> {
    Ok(Board::from_squares(space.rows(), space.cols(), |row, col| mask >> (row * space.cols() + col) & 1 == 1)?)
}

/// An instance as a board file, with its start and goal.
fn board_file(space: &Boards, instance: Instance, length: u32) -> String {
    let mut text =
        format!("; {}×{} board {}, shortest solution {length} moves\n", space.rows(), space.cols(), instance.mask);
    for row in 0..space.rows() {
        for col in 0..space.cols() {
            let square = row * space.cols() + col;
            text.push(match square {
                _ if square == instance.start && instance.start != instance.goal => 'S',
                _ if square == instance.goal && instance.start != instance.goal => 'T',
                _ if instance.mask >> square & 1 == 1 => '#',
                _ => '.',
            });
        }
        text.push('\n');
    }
    text
}
