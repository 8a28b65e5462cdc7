//! What a puzzle offers to a breadth-first search with one bit a state: a perfect index in rows, over which a turn leads
//! from one row to exactly one row.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::kernel::Kernel;

/// How marks are made in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From every marked column of the neighbouring row.
    Push,
    /// From every unmarked column of the row itself.
    Pull,
}

/// A state space of `rows × words × 64` bits, of which some stand for columns. It is bipartite: distances in a row are
/// all even or all odd. Every turn is its own inverse, up to its number: if a state has a neighbour by some turn, that
/// neighbour has it by some turn.
pub trait RowSpace: Send + Sync {
    /// Names the space and everything that its index depends on; stored rows carry it.
    fn name(&self) -> String;
    /// The number of rows.
    fn rows(&self) -> usize;
    /// Words of a row.
    fn words(&self) -> usize;
    /// Columns of a row: bits of its words that stand for states.
    fn columns(&self) -> u64;
    /// The bits of a word that stand for columns, the same in every word of a row.
    fn mask(&self, row: usize) -> u64;
    /// The parity of the distances of a row's states: 0 or 1.
    fn parity(&self, row: usize) -> u32;
    /// States that a column of this row stands for.
    fn weight(&self, row: usize) -> u64;
    /// Row and address (`64 · word + bit`) of the columns at distance 0.
    fn start(&self) -> Vec<(usize, u32)>;
    /// So many rows, from every multiple of this number on, are a bundle: of one parity, and with the same neighbours or
    /// nearly so. They are best passed together.
    fn bundle(&self) -> usize {
        1
    }
    /// The number of turns.
    fn turns(&self) -> usize;
    /// The row that a turn leads to; none where it takes no column of the row.
    fn neighbour(&self, row: usize, turn: usize) -> Option<usize>;
    /// A turn takes one in so many of a row's columns, and leaves alone the others.
    fn share(&self, _turn: usize) -> u64 {
        1
    }
    /// Marks in `into`, a row's words, every column whose image under a turn is marked in `from`, the words of the row
    /// that the turn leads to (it leads to one). Looks at every marked column of `from`. False when `stop` ended it early.
    fn push(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool;
    /// The same from and to addresses.
    fn push_few(&self, row: usize, turn: usize, from: &[u32], into: &mut Vec<u32>);
    /// The same as [`Self::push`], looking at every column of `into` that is not marked.
    fn pull(&self, row: usize, turn: usize, from: &[u64], into: &mut [u64], stop: &AtomicBool) -> bool;
}

/// A [`RowSpace`] with a kernel that carries marks.
pub trait Carrying: RowSpace {
    /// The kernel. Its bindings: `params`; `turn`, a table; `marked`, the row that is read; `into`, the row that is
    /// changed. A row is its words as (low, high).
    fn kernel(&self) -> &'static Kernel;
    /// Values of its override constants.
    fn constants(&self) -> Vec<u32>;
    /// `turn`, of one length for all turns.
    fn turn_table(&self, row: usize, turn: usize, way: Way) -> Vec<u32>;
    /// `params` for these words of the row that is walked: `marked` to push, `into` to pull.
    fn params(&self, row: usize, turn: usize, way: Way, words: Range<u32>) -> Vec<u32>;
}
