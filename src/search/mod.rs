//! The algorithms. They know no puzzle: what they search is told by a trait in [`crate::puzzles`].

pub mod components;
pub mod costs;
pub mod counting;
pub mod linear;
pub mod shortest;
pub mod walk;
