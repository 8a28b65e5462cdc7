//! The searches. None of them knows a puzzle: a puzzle offers itself through a trait of [`crate::puzzles`].

pub mod appending;
pub mod graph;
pub mod index;
pub mod layers;
pub mod linear;
pub mod lock;
pub mod onebit;
pub mod pacing;
pub mod trials;
