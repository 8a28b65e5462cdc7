//! What a puzzle offers to a breadth-first search by layers: states stand for their classes under the puzzle's
//! symmetries, and a class is a key of fixed width.

use std::sync::Arc;

use super::index_space::IndexSpace;

/// A class reached from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The class.
    pub key: u64,
    /// States in the class.
    pub orbit: u32,
}

/// A state space seen from one start class, whose edges go both ways and never stay within a layer (it is bipartite):
/// a neighbour of a class at distance `d` is at distance `d − 1` or `d + 1`.
pub trait Layered: Send + Sync {
    /// Names the space and all parameters that its keys depend on; a stored table carries it.
    fn name(&self) -> String;
    /// Bits of a key: 33 to 56.
    fn key_bits(&self) -> u32;
    /// The class at distance 0, with its size.
    fn start(&self) -> Successor;
    /// The most neighbours a class can have.
    fn branching(&self) -> usize;
    /// Appends the neighbours of a class to `out`, one a turn (the same class may come more than once).
    fn expand(&self, key: u64, out: &mut Vec<Successor>);
}

/// Positions and turns over a [`Layered`] space: what a solver walks.
pub trait Turning: Layered {
    /// A single position, not its class.
    type State: Copy + Send + Sync;
    /// The number of turns, numbered from 0; each is its own inverse and none two of them are the same.
    fn turns(&self) -> usize;
    /// The position after a turn.
    fn turn(&self, state: &Self::State, turn: usize) -> Self::State;
    /// The parity of the position's distance: 0 or 1.
    fn parity(&self, state: &Self::State) -> u32;
    /// The class of a position.
    fn key(&self, state: &Self::State) -> u64;
    /// Appends the classes of the positions after turns `0..turns`, in that order.
    fn turned_keys(&self, state: &Self::State, out: &mut Vec<u64>);
}

/// An estimate of the turns to come, in fractions. It need not be a bound.
pub trait Estimated: Turning {
    /// The estimate's numerator.
    fn estimate(&self, state: &Self::State) -> u32;
    /// Its denominator.
    fn denominator(&self) -> u32;
    /// The greatest numerator there is.
    fn greatest_estimate(&self) -> u32;
}

/// A layer's table as words, laid out as [`compact`](super::compact) says.
#[derive(Clone, Debug)]
pub struct Table {
    /// All buckets.
    pub words: Arc<[u32]>,
    /// Lines a bucket.
    pub lines: u32,
}

/// A space whose sequences of turns can be sought by a kernel.
pub trait Seeking: Turning {
    /// All sequences of so many turns from a position, those that end in the table being the hits; `None` for more turns
    /// than can be numbered.
    fn seek(&self, start: &Self::State, turns: u32, table: Table) -> Option<Box<dyn IndexSpace>>;
    /// The turns of a sequence's index.
    fn sequence(&self, index: u128, turns: u32) -> Vec<usize>;
}
