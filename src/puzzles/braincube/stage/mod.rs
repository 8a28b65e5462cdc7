//! Stages: boards with what the video game adds to the block and the squares.
//!
//! A square is nothing, floor, fragile, a soft or heavy switch, a bridge that is on or off, a splitter, or the goal. The
//! rules:
//!
//! - A move is a roll over an edge; every square it arrives on must be there, and a bridge is there while it is on.
//! - The whole block standing upright on a fragile square falls; lying on it, or a lone cube, does not.
//! - After the landing the switches on the squares arrived on act: soft ones under anything, heavy ones under the whole
//!   block standing upright. A piece whose square is gone then falls. A move that ends in a fall is illegal.
//! - The whole block standing upright on a splitter becomes two cubes, the first of the two places holding the active
//!   one. The places' switches do not act then.
//! - A cube rolls one square. Cubes side by side join to a lying block; only the one that moved acts on switches then.
//! - An exchange makes the other cube the active one.
//! - The whole block standing upright on the goal has won.

pub mod builtin;
pub mod expand;
pub mod generate;
pub mod json;
mod rules;
pub mod text;

pub use rules::{EXCHANGE, Merged, Piece, Rules, StageError, State};

/// Rows and columns of the largest stages: a state has twelve bits for a square.
pub const MAX_SIDE: usize = 64;
/// Bridge squares of the largest stages.
pub const MAX_BRIDGES: usize = 38;

/// What a square is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// Nothing to stand on.
    Void,
    /// A plain square.
    Floor,
    /// Gives way under the upright block.
    Fragile,
    /// A switch that anything sets off; see [`Stage::switches`].
    Soft,
    /// A switch that only the upright block sets off.
    Heavy,
    /// A square that switches make and unmake, and whether it is there at first.
    Bridge {
        /// Whether it is there at first.
        on: bool,
    },
    /// Splits the block; see [`Stage::splitters`].
    Splitter,
    /// Where to stand upright in the end.
    Goal,
}

/// What a switch does to bridges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes them be there.
    On,
    /// Makes them not be there.
    Off,
    /// The one or the other, by turns.
    Toggle,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::On, Self::Off, Self::Toggle];

    /// As files write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Toggle => "toggle",
        }
    }
}

/// A square by row and column from 0.
pub type Square = (usize, usize);

/// What a switch does, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Where it is.
    pub at: Square,
    /// What it does to which bridges.
    pub effects: Vec<(Operation, Vec<Square>)>,
}

/// Where a splitter puts the two cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splitter {
    /// Where it is.
    pub at: Square,
    /// Where the active cube and the other come to be.
    pub to: [Square; 2],
}

/// A stage as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its name; may be empty.
    pub name: String,
    /// Rows of equal length.
    pub tiles: Vec<Vec<Tile>>,
    /// The start.
    pub start: super::State,
    /// The switches that do something.
    pub switches: Vec<Switch>,
    /// The splitters.
    pub splitters: Vec<Splitter>,
}

impl Stage {
    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.tiles.len()
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.tiles.first().map_or(0, Vec::len)
    }

    /// What a square is; nothing off the stage.
    #[must_use]
    pub fn tile(&self, (row, col): Square) -> Tile {
        self.tiles.get(row).and_then(|line| line.get(col)).copied().unwrap_or(Tile::Void)
    }

    /// The squares, row by row.
    pub fn squares(&self) -> impl Iterator<Item = (Square, Tile)> + '_ {
        self.tiles
            .iter()
            .enumerate()
            .flat_map(|(row, line)| line.iter().enumerate().map(move |(col, &tile)| ((row, col), tile)))
    }
}
