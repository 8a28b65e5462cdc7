//! The stage, as every subcommand about stages takes it, and its picture.

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};

use crate::cli::files::{self, read_text};
use crate::puzzles::braincube::stage::builtin::{self, BUILTIN};
use crate::puzzles::braincube::stage::text::{self, StageFormat};
use crate::puzzles::braincube::stage::{Piece, Rules, Stage, State, Tile, json};

/// More bytes than a stage needs.
const MOST_BYTES: u64 = 4 << 20;

/// `--stage-format`, `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// gpu-solve-level/1, a JSON object
    Json,
    /// # floor, . nothing, o fragile, S start, T or G goal
    Grid,
    /// The EPFL terrain: o floor, - nothing, . fragile, S, T
    Epfl,
    /// The map of bneils' solver, its info in FILE.info or after the map
    Bneils,
}

impl From<FormatName> for StageFormat {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Json => Self::Json,
            FormatName::Grid => Self::Grid,
            FormatName::Epfl => Self::Epfl,
            FormatName::Bneils => Self::Bneils,
        }
    }
}

/// The stage.
#[derive(Args, Clone, Debug)]
pub struct StageArgs {
    /// A stage file (- for stdin)
    #[arg(value_name = "FILE", required_unless_present = "builtin")]
    file: Option<PathBuf>,
    /// A built-in stage instead of a file, from 1 (easy) to 10
    #[arg(long, value_name = "K", conflicts_with = "file")]
    builtin: Option<usize>,
    /// How the file is written [default: told by its content]
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "builtin")]
    stage_format: Option<FormatName>,
}

impl StageArgs {
    /// Reads the stage and makes it ready.
    ///
    /// # Errors
    /// A message with the place of what is wrong.
    pub fn load(&self) -> anyhow::Result<(Stage, Rules)> {
        let (name, stage) = match (&self.file, self.builtin) {
            (_, Some(number)) => {
                let Some(stage) = number.checked_sub(1).and_then(builtin::stage) else {
                    bail!("--builtin {number}: the built-in stages are 1 to {}, e.g. --builtin 3", BUILTIN.len());
                };
                (format!("built-in stage {number}"), stage.map_err(|error| anyhow!(error))?)
            }
            (Some(path), None) => {
                let name = files::name(path);
                let content = read_text(path, MOST_BYTES, "a stage")?;
                let beside = path.with_extension("info");
                let info = if !files::is_stdin(path) && beside != *path && beside.is_file() {
                    Some(read_text(&beside, MOST_BYTES, "what a map's letters mean")?)
                } else {
                    None
                };
                let format = self.stage_format.map(StageFormat::from);
                let mut stage = text::read(&content, info.as_deref(), format).with_context(|| name.clone())?;
                if stage.name.is_empty() {
                    stage.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                }
                (name, stage)
            }
            (None, None) => bail!("no stage: name a file, or a built-in one, e.g. --builtin 1"),
        };
        let rules = Rules::new(&stage).with_context(|| name)?;
        Ok((stage, rules))
    }
}

/// `L`, `R`, `U`, `D`, and `x` for an exchange.
pub fn letters(labels: &[u8]) -> String {
    labels.iter().map(|&label| letter(label)).collect()
}

/// The letter of a label.
pub fn letter(label: u8) -> char {
    ['L', 'R', 'U', 'D', 'x'].get(usize::from(label)).copied().unwrap_or('?')
}

/// Draws a stage in a state: the file's characters, bridges as they are, `█` under the block or the active cube, `▒` under
/// the other cube.
pub fn picture(stage: &Stage, rules: &Rules, now: State) -> String {
    let (active, other): (Vec<(usize, usize)>, _) = match rules.piece(now) {
        Piece::Block(place) => (place.squares().map(|(row, col)| (row as usize, col as usize)).collect(), None),
        Piece::Cubes { active, other } => (vec![active], Some(other)),
    };
    let dark = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    let faint = Style::new().dimmed();
    let bridges: Vec<_> = rules.bridges(now).collect();
    let mut text = String::new();
    for (row, line) in stage.tiles.iter().enumerate() {
        for (col, &tile) in line.iter().enumerate() {
            let at = (row, col);
            if col > 0 {
                text.push(' ');
            }
            let bridge = bridges.iter().find(|(square, _)| *square == at);
            let tile = bridge.map_or(tile, |&(_, on)| Tile::Bridge { on });
            // Writing to a string does not fail.
            let _ = if active.contains(&at) {
                write!(text, "{dark}█{dark:#}")
            } else if other == Some(at) {
                write!(text, "{dark}▒{dark:#}")
            } else {
                match tile {
                    Tile::Void => write!(text, "{faint}·{faint:#}"),
                    Tile::Floor => write!(text, "□"),
                    tile => write!(text, "{}", json::character(tile)),
                }
            };
        }
        text.push('\n');
    }
    text
}
