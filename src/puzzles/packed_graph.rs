//! A graph whose states are packed into 64 bits, with moves that all cost the same: what a puzzle with more states than can be
//! listed offers to [`crate::search::layers::packed`].

use crate::kernel::{Binding, Compare, Kernel};

/// The bindings of every kernel that expands packed states:
///
/// | binding | content |
/// | --- | --- |
/// | `params` | frontier states; states that `next` has room for; then the graph's own words |
/// | `table` | the graph's own table |
/// | `met` | the bit set of the numbers of the states met; those appended are entered |
/// | `frontier` | states, two words each, lowest first |
/// | `tally` | 4 words: states appended, digest (low, high), unused |
/// | `next` | the states appended, in any order, two words each |
///
/// The digest is the wrapping sum of `mix(low, high)` over the states appended.
pub const BINDINGS: &[Binding] = &[
    Binding::read("params"),
    Binding::read("table"),
    Binding::write("met", Compare::Exact),
    Binding::read("frontier"),
    Binding::write("tally", Compare::Exact),
    Binding::write("next", Compare::Records(2)),
];

/// A graph with a kernel that expands frontiers of it: where its numbers fit 31 bits.
pub trait PackedKernel: PackedGraph {
    /// The kernel; its bindings are [`BINDINGS`].
    fn kernel(&self) -> &'static Kernel;
    /// The graph's own words of `params`.
    fn words(&self) -> Vec<u32>;
    /// The graph's table.
    fn table(&self) -> Vec<u32>;
}

/// States packed into 64 bits, joined by moves that may be one-way.
pub trait PackedGraph: Sync {
    /// One past the largest [`PackedGraph::number`]; `None` where numbers do not fit 64 bits.
    fn bound(&self) -> Option<u64>;
    /// The number of a state: different states have different ones.
    fn number(&self, state: u64) -> u64;
    /// Visits the moves out of a state: a label, and where it leads.
    fn successors(&self, state: u64, visit: impl FnMut(u8, u64));
    /// Whether a state is a goal. Moves may lead on from one.
    fn is_goal(&self, state: u64) -> bool;
}

/// A state, or another word of 64 bits, as a kernel has it: lowest first.
#[expect(clippy::cast_possible_truncation, reason = "split into words")]
#[must_use]
pub fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
