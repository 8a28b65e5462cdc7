//! A graph of states that are numbered: what a puzzle offers to the searches over explicit graphs (shortest paths and
//! their number, components, random walks).

use crate::kernel::{Binding, Compare, Kernel};

/// One edge out of, or into, a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state at the other end.
    pub state: u32,
    /// The number of the move, below [`StateGraph::MOVES`].
    pub label: u8,
    /// The kind of the move, below [`StateGraph::KINDS`]; moves of a kind cost the same.
    pub kind: u8,
}

/// States numbered below [`StateGraph::index_bound`], joined by moves.
///
/// Not every number is a state: a puzzle may leave gaps, so that a move is an addition.
pub trait StateGraph: Sync {
    /// How many moves there are, legal or not, in any state.
    const MOVES: usize;
    /// How many kinds of move there are.
    const KINDS: usize;

    /// One past the largest number of a state.
    fn index_bound(&self) -> u32;
    /// The states as a bit set: bit `i % 64` of word `i / 64` says whether `i` is a state.
    fn states(&self) -> &[u64];
    /// Visits the legal moves out of a state, in ascending order of their labels.
    fn successors(&self, state: u32, visit: impl FnMut(Step));
    /// Visits the legal moves into a state, [`Step::state`] being where each comes from.
    fn predecessors(&self, state: u32, visit: impl FnMut(Step));

    /// Whether a number is a state.
    fn is_state(&self, index: u32) -> bool {
        self.states().get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The number of states.
    fn state_count(&self) -> u64 {
        self.states().iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The states in ascending order.
    fn each_state(&self) -> impl Iterator<Item = u32> {
        self.states().iter().zip((0u32..).step_by(64)).flat_map(|(&word, base)| Ones(word).map(move |bit| base + bit))
    }

    /// The number of legal moves out of a state.
    fn out_degree(&self, state: u32) -> u32 {
        let mut degree = 0;
        self.successors(state, |_| degree += 1);
        degree
    }
}

/// The bindings of every frontier kernel:
///
/// | binding | content |
/// | --- | --- |
/// | `params` | frontier states; room in `next`; 1 to claim, 0 to list every move; then the graph's own words |
/// | `open` | the bit set of states that may be appended; claiming takes them out |
/// | `frontier` | state numbers, each once |
/// | `tally` | 4 words: records appended, digest (low, high), unused |
/// | `next` | the records appended, in any order: state numbers, and in the two top bits the kind of move (0 when claiming) |
///
/// The digest is the wrapping sum of `mix(state, kind)` over the records.
pub const FRONTIER_BINDINGS: &[Binding] = &[
    Binding::read("params"),
    Binding::write("open", Compare::Exact),
    Binding::read("frontier"),
    Binding::write("tally", Compare::Exact),
    Binding::write("next", Compare::Records(1)),
];

/// A graph with a kernel that expands frontiers backwards. Its state numbers are below 2^30.
pub trait FrontierGraph: StateGraph {
    /// The kernel.
    fn frontier_kernel(&self) -> &'static Kernel;
    /// The graph's own words of `params`.
    fn frontier_words(&self) -> Vec<u32>;
}

/// The places of the ones of a word, lowest first.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        (self.0 != 0).then(|| {
            let bit = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            bit
        })
    }
}
