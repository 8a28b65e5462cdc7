//! A graph whose states are packed into 64 bits, with moves that all cost the same: what a puzzle with more states than can be
//! listed offers to [`crate::search::packed`].

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
