//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod components;
pub mod costs;
pub mod counting;
pub mod engine;
pub mod linear;
pub mod lockstep;
pub mod packed;
pub mod pacing;
pub mod range;
pub mod shortest;
pub mod walk;
