//! Brain Cube. The expected values in `tests/data/braincube` come from an independent program (plain breadth-first search,
//! dense solves in doubles and exact rationals); the table of the poster is among them.

mod boards;
mod commands;
mod expected;
mod hardest;
mod losses;
mod naive;
mod parts;
mod properties;
mod stages;
mod walks;

use std::path::PathBuf;

/// A file of expected values.
fn data(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/braincube").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a CSV file without its header.
fn rows(name: &str) -> Vec<Vec<String>> {
    data(name).lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}
