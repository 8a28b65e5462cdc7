//! The algorithms, knowing no puzzle.

pub mod closed;
pub mod ends;
pub mod frontier;
pub mod ida;
pub mod table;
