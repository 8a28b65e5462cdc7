//! BrainBall: thirteen two-coloured tiles in a ring, turned seven at a time by a half turn of one side of the ball.
//!
//! * [`ball`] — the rules, plainly: positions, both moves, both goals;
//! * [`parse`], [`notation`] — positions and moves as people write them;
//! * [`scramble`] — seeded random positions;
//! * [`expand`] — the kernel that expands layers;
//! * [`seek`] — the kernel that seeks sequences of turns;
//! * [`packed`] — the same rules on machine words, with canonical keys under the ring's symmetries: what searches use.
//!
//! # Groups
//!
//! A side turn flips seven tiles and is an odd permutation, so side turns alone keep the parity of the permutation equal
//! to that of the number of yellow tiles. On 13 tiles they generate every such position (a group of order 13!·2¹²), and
//! `turn180` (an even permutation that flips 13 tiles) leads out of it. Since `turn180` carries the turn about `i` into
//! the turn about `12 − i`, it never shortens anything: searches run on side turns alone, after at most one `turn180`.

pub mod ball;
pub mod estimate;
pub mod expand;
pub mod notation;
pub mod packed;
pub mod parse;
pub mod ring;
pub mod scramble;
pub mod seek;
pub mod solution;

pub use ball::{Ball, Goal};
