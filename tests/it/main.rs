//! The tests of what a user does and of what the engine promises, in one binary so that they share devices.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod brainball;
mod brainball_cli;
mod braincube;
mod cli;
#[cfg(not(feature = "gpu"))]
mod cpu_only;
mod distribution;
mod documented;
mod faults;
mod fuzz;
mod hard;
mod help;
mod kernels;
mod lockstep;
mod progress;
mod ring_kernel;
mod rows;
mod shards;
mod support;
mod verify;
mod width;
