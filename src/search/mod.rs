//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod engine;
pub mod estimate;
pub mod fleet;
pub mod lockstep;
pub mod merge;
pub mod pacing;
pub mod range;
pub mod record;
pub mod session;
