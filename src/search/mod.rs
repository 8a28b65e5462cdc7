//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod closed;
pub mod ends;
pub mod engine;
pub mod frontier;
pub mod ida;
pub mod lockstep;
pub mod onebit;
pub mod pacing;
pub mod range;
pub mod row;
pub mod shelf;
pub mod table;
