//! `gpu-solve billiard keyspace`: the size of an index space.

use clap::Args;
use serde::Serialize;

use super::SpaceArgs;
use crate::cli::Outcome;
use crate::cli::globals::{Format, Globals};
use crate::cli::output::{JSON_FORMAT, print, print_json};

/// Print the size of the index space that --range and --shard divide
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  gpu-solve billiard keyspace --order 11 --max 100")]
pub struct Keyspace {
    #[command(flatten)]
    space: SpaceArgs,
}

#[derive(Serialize)]
struct Object {
    format: &'static str,
    command: &'static str,
    order: usize,
    max: usize,
    solver: String,
    unit: &'static str,
    keyspace: String,
}

impl Keyspace {
    /// Prints it.
    pub fn run(&self, globals: &Globals) -> anyhow::Result<Outcome> {
        let space = self.space.space()?;
        let keyspace = space.space.size().to_string();
        match globals.format {
            Format::Text => print(&format!("{keyspace}\n"))?,
            Format::Json => print_json(&Object {
                format: JSON_FORMAT,
                command: "billiard keyspace",
                order: space.order,
                max: space.max,
                solver: space.solver.to_string(),
                unit: space.space.unit(),
                keyspace,
            })?,
        }
        Ok(Outcome::Found)
    }
}
