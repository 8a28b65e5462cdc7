//! Brain Cube: a 1×1×2 block that rolls over its edges on a board with holes.
//!
//! A state is the block standing on one square (`u`) or lying on two (`h` along a row, `v` down a column). The rules are
//! in [`state`] and [`board`], the poster's closed formulas in [`formula`], board files in [`parse`].
//! [`boards`] settles every board of a size, [`stage`] has what the video game adds.

pub mod board;
pub mod boards;
pub mod formula;
pub mod frontier;
pub mod parse;
pub mod stage;
pub mod state;

pub use board::Board;
pub use state::{Move, MoveKind, Pose, State};
