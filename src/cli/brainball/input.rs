//! Where positions come from: arguments, a file, or stdin.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::cli::files::{name, read_text};
use crate::puzzles::brainball::{Ball, parse};

/// Bytes of the longest list of positions: some two million.
const MOST_BYTES: u64 = 64 << 20;

/// A position in one argument, or in one a tile: `1,-5,2,…` or `1 -5 2 …`.
#[derive(Args, Clone, Debug)]
pub struct Words {
    /// The tiles from ring index 0 on
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    first: Option<String>,
    // Apart from the first, so that options are known among them.
    #[arg(value_name = "TILE", allow_negative_numbers = true, hide = true)]
    others: Vec<String>,
}

impl Words {
    /// The position, if one was given.
    pub fn position(&self) -> anyhow::Result<Option<Ball>> {
        let Some(first) = &self.first else { return Ok(None) };
        let words: Vec<_> = [first].into_iter().chain(&self.others).map(String::as_str).collect();
        Ok(Some(parse::position(&words.join(" "))?))
    }
}

/// A position, or many; from stdin, one a line, when none is given.
#[derive(Args, Clone, Debug)]
pub struct Positions {
    #[command(flatten)]
    words: Words,
    /// Read positions from a file, one a line ("-": stdin; empty lines and those that begin with # are passed over)
    #[arg(long, value_name = "FILE", conflicts_with = "first")]
    file: Option<PathBuf>,
}

impl Positions {
    /// The positions, and whether they came as a list.
    pub fn read(&self) -> anyhow::Result<(Vec<Ball>, bool)> {
        if let Some(ball) = self.words.position()? {
            return Ok((vec![ball], false));
        }
        if self.file.is_none() && io::stdin().is_terminal() {
            bail!("no position given; example: 1,-5,2,3,4,6,7,8,-12,9,10,11,13");
        }
        let path = self.file.as_deref().unwrap_or(Path::new("-"));
        let balls = lines(&read_text(path, MOST_BYTES, "positions")?, &name(path))?;
        let list = self.file.is_some() || balls.len() > 1;
        Ok((balls, list))
    }
}

fn lines(text: &str, source: &str) -> anyhow::Result<Vec<Ball>> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
    let balls = lines
        .map(|(number, line)| parse::position(line).with_context(|| format!("{source}, line {number}")))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if balls.is_empty() {
        bail!("{source} holds no position; example of a line: 1,-5,2,3,4,6,7,8,-12,9,10,11,13");
    }
    Ok(balls)
}
