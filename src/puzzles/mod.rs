//! The rules of the puzzles and the CPU twins of their kernels. Nothing here knows of a GPU or a terminal.
//!
//! A puzzle offers itself to a search through one of the traits here, so that no search needs to know a puzzle.

pub mod billiard;
pub mod brainball;
pub mod braincube;
pub mod compact;
pub mod expansion;
pub mod index_space;
pub mod layered;
pub mod packed_graph;
pub mod rows;
pub mod state_graph;
