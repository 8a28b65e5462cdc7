//! The tests of what a user does and of what the engine promises, in one binary so that they share devices.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod brainball;
mod brainball_cli;
mod braincube;
mod cli;
mod distribution;
mod documented;
mod faults;
mod fuzz;
mod hard;
mod kernels;
mod lockstep;
mod progress;
mod rows;
mod support;
mod width;
