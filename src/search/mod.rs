//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod closed;
pub mod components;
pub mod costs;
pub mod counting;
pub mod ends;
pub mod ends_gpu;
pub mod engine;
pub mod expansion;
pub mod frontier;
pub mod frontier_gpu;
pub mod ida;
pub mod linear;
pub mod lockstep;
pub mod onebit;
pub mod onebit_gpu;
pub mod pacing;
pub mod range;
pub mod row;
pub mod shelf;
pub mod shortest;
pub mod table;
pub mod walk;
