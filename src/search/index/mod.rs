//! Searching an index space: engines that walk it in batches, on the CPU, devices or all of them, and what a search keeps.

pub mod engine;
pub mod estimate;
pub mod fleet;
pub mod lockstep;
pub mod merge;
pub mod range;
pub mod record;
pub mod session;
pub mod throughput;
