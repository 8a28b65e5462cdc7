//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod closed;
pub mod ends;
pub mod ends_gpu;
pub mod engine;
pub mod frontier;
pub mod frontier_gpu;
pub mod ida;
pub mod lockstep;
pub mod pacing;
pub mod range;
pub mod table;
