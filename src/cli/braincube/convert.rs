//! `braincube convert`: a stage in another format.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::stage_input::{FormatName, StageArgs};
use crate::cli::Outcome;
use crate::cli::globals::{FormatChoice, Globals};
use crate::cli::output::print;
use crate::puzzles::braincube::stage::text;

/// Write a stage in another format
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve braincube convert level.txt --to json --out level.json")]
pub struct Convert {
    #[command(flatten)]
    stage: StageArgs,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: FormatName,
    /// The file to write [default: stdout]; it must not be there yet
    #[arg(short = 'o', long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Convert {
    /// Writes the stage.
    ///
    /// # Errors
    /// Bad input, a format that can't hold the stage, a file that can't be written.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        globals.offer_formats(&[FormatChoice::Text])?;
        let (stage, _) = self.stage.load()?;
        let written = text::write(&stage, self.to.into())?;
        match &self.output {
            None => print(&written)?,
            Some(path) if path.exists() => bail!("{} is there already: name another file", path.display()),
            Some(path) => fs::write(path, written).with_context(|| format!("writing {}", path.display()))?,
        }
        Ok(Outcome::Found)
    }
}
