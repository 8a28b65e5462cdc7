//! The board and the two ends, as every subcommand takes them.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use crate::cli::files;
use crate::excerpt::excerpt;
use crate::puzzles::braincube::board::PlaceError;
use crate::puzzles::braincube::parse::{self, BoardFormat};
use crate::puzzles::braincube::{Board, State};

/// The board.
#[derive(Args, Clone, Debug)]
pub struct BoardArgs {
    /// Rows of a board without holes (1 to 4096)
    #[arg(long, value_name = "M", requires = "cols", conflicts_with = "board")]
    rows: Option<u64>,
    /// Columns of a board without holes (1 to 4096)
    #[arg(long, value_name = "N", requires = "rows", conflicts_with = "board")]
    cols: Option<u64>,
    /// A board file (- for stdin): # and . or the EPFL terrain's o and -, with S and T
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,
    /// How the file is written [default: told by its content]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "board")]
    board_format: Option<FormatChoice>,
}

/// `--board-format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatChoice {
    /// # a square, . a hole
    Grid,
    /// o a square, - a hole
    Epfl,
}

/// The two ends of a way or a walk.
#[derive(Args, Clone, Debug)]
pub struct Ends {
    /// Where the block starts: u1, h4, v2 or u:ROW,COL from 0 [default: the file's S, else u1]
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Where it is to go [default: the file's T, else upright at the bottom right]
    #[arg(long, value_name = "STATE")]
    pub goal: Option<String>,
}

/// A board with the ends that its file marks.
pub struct Loaded {
    /// The board.
    pub board: Board,
    /// The square marked `S`.
    pub start: Option<State>,
    /// The square marked `T`.
    pub goal: Option<State>,
}

impl BoardArgs {
    /// Makes or reads the board.
    ///
    /// # Errors
    /// A message with the place of what is wrong.
    pub fn load(&self) -> anyhow::Result<Loaded> {
        let Some(path) = &self.board else {
            let (Some(rows), Some(cols)) = (self.rows, self.cols) else {
                bail!("no board is given: say --rows M --cols N, or --board FILE, e.g. --rows 3 --cols 3");
            };
            let side = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            return Ok(Loaded { board: Board::full(side(rows), side(cols))?, start: None, goal: None });
        };
        let name = files::name(path);
        let bytes =
            files::read_bytes(path, parse::MAX_BYTES as u64).with_context(|| format!("reading the board {name}"))?;
        let format = self.board_format.map(|choice| match choice {
            FormatChoice::Grid => BoardFormat::Grid,
            FormatChoice::Epfl => BoardFormat::Epfl,
        });
        let file = parse::read(&bytes, format).with_context(|| name)?;
        Ok(Loaded { board: file.board, start: file.start, goal: file.goal })
    }
}

impl Loaded {
    /// The numbers of start and goal.
    ///
    /// # Errors
    /// When a label is none, or the block would reach off the board or over a hole there.
    pub fn ends(&self, ends: &Ends) -> anyhow::Result<(u32, u32)> {
        Ok((self.start(ends)?, self.goal(ends)?))
    }

    /// The number of the start.
    ///
    /// # Errors
    /// As [`Loaded::ends`].
    pub fn start(&self, ends: &Ends) -> anyhow::Result<u32> {
        self.end("start", ends.start.as_deref(), self.start, State::upright(0, 0))
    }

    fn goal(&self, ends: &Ends) -> anyhow::Result<u32> {
        let last = State::upright(self.board.rows() - 1, self.board.cols() - 1);
        self.end("goal", ends.goal.as_deref(), self.goal, last)
    }

    fn end(&self, what: &str, given: Option<&str>, marked: Option<State>, default: State) -> anyhow::Result<u32> {
        let state = match given {
            Some(text) => self.read_state(text).with_context(|| format!("--{what} {}", excerpt(text)))?,
            None => marked.unwrap_or(default),
        };
        let label = state.label(self.board.rows(), self.board.cols());
        match self.board.index(state) {
            Ok(index) => Ok(index),
            Err(fault) if given.is_none() && marked.is_none() => {
                bail!("the {what}: {label} (the default) {fault}; name another by --{what}, e.g. --{what} u2")
            }
            Err(fault) => bail!("the {what}: {label} {fault}"),
        }
    }

    /// Reads a state, which may still lie over a hole.
    ///
    /// # Errors
    /// When the text names none.
    pub fn read_state(&self, text: &str) -> anyhow::Result<State> {
        Ok(State::read(text, self.board.rows(), self.board.cols())?)
    }

    /// The number of a state on the board.
    ///
    /// # Errors
    /// When the text names none, or the block would reach over a hole there.
    pub fn place(&self, text: &str) -> anyhow::Result<u32> {
        let state = self.read_state(text)?;
        self.board.index(state).map_err(|fault: PlaceError| anyhow::anyhow!("{text} {fault}"))
    }
}
