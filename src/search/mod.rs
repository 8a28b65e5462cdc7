//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod engine;
pub mod lockstep;
pub mod pacing;
pub mod range;
