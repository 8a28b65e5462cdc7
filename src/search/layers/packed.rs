//! Breadth-first search over states packed into 64 bits: the least moves, one way, the number of ways, all states.
//!
//! The states met are a bit set where their numbers leave room for one, else a hash set. Layers before the first goal are kept;
//! from the goals back through them goes a second pass, which counts the shortest ways.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::puzzles::packed_graph::PackedGraph;

/// Numbers that a bit set may hold: 256 MiB of them.
pub(super) const MOST_BITS: u64 = 1 << 31;
/// Frontiers shorter than this are expanded on the calling thread.
pub(super) const PARALLEL_FROM: usize = 4096;
/// States that one task takes from a frontier.
const CHUNK: usize = 2048;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A shortest way, by labels; `None`: no goal can be reached.
    pub way: Option<Vec<u8>>,
    /// Shortest ways: ways are different when any label is.
    pub ways: BigUint,
    /// States that can be reached, start and goals among them, and those reached by going on from a goal.
    pub reachable: u64,
    /// Layers that were expanded.
    pub layers: u64,
    /// Whether the search ran to its end.
    pub complete: bool,
}

/// The states met.
pub enum Met {
    /// By their numbers.
    Bits(Vec<AtomicU64>),
    /// By themselves, where the numbers are too many.
    Hashed(HashSet<u64>),
}

impl Met {
    fn new(bound: Option<u64>) -> Self {
        match bound {
            Some(bound) if bound <= MOST_BITS => {
                Self::Bits((0..bound.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
            }
            _ => Self::Hashed(HashSet::new()),
        }
    }

    /// The states that a frontier leads to for the first time, which are entered.
    pub fn expand<G: PackedGraph>(&mut self, graph: &G, frontier: &[u64]) -> Vec<u64> {
        match self {
            Self::Bits(words) => {
                let words = &*words;
                let chunk = |states: &[u64]| {
                    let mut next = Vec::new();
                    for &state in states {
                        graph.successors(state, |_, to| {
                            if claim(words, graph.number(to)) {
                                next.push(to);
                            }
                        });
                    }
                    next
                };
                if frontier.len() < PARALLEL_FROM {
                    chunk(frontier)
                } else {
                    frontier.par_chunks(CHUNK).map(chunk).collect::<Vec<_>>().concat()
                }
            }
            Self::Hashed(met) => {
                let mut next = Vec::new();
                for &state in frontier {
                    graph.successors(state, |_, to| {
                        if met.insert(to) {
                            next.push(to);
                        }
                    });
                }
                next
            }
        }
    }

    fn insert<G: PackedGraph>(&mut self, graph: &G, state: u64) {
        match self {
            Self::Bits(words) => {
                claim(words, graph.number(state));
            }
            Self::Hashed(met) => {
                met.insert(state);
            }
        }
    }
}

/// Sets a bit; true where it was not set.
pub(super) fn claim(words: &[AtomicU64], number: u64) -> bool {
    let (word, bit) = (&words[(number / 64) as usize], 1 << (number % 64));
    word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
}

/// Searches from a state until no new one is met, or `stop` is set.
pub fn search<G: PackedGraph>(graph: &G, start: u64, stop: &AtomicBool) -> Found {
    let Ok(found) =
        search_by(graph, start, stop, |met, frontier| Ok::<_, std::convert::Infallible>(met.expand(graph, frontier)));
    found
}

/// The same with frontiers expanded by `expand`, which does what [`Met::expand`] does.
///
/// # Errors
/// What `expand` fails with.
pub fn search_by<G: PackedGraph, E>(
    graph: &G,
    start: u64,
    stop: &AtomicBool,
    mut expand: impl FnMut(&mut Met, &[u64]) -> Result<Vec<u64>, E>,
) -> Result<Found, E> {
    let mut met = Met::new(graph.bound());
    met.insert(graph, start);
    // Those before the first goal.
    let mut layers = Vec::new();
    let mut goals: Option<Vec<u64>> = graph.is_goal(start).then(|| vec![start]);
    let (mut reachable, mut expanded) = (1, 0);
    let mut complete = true;
    let mut frontier = vec![start];
    while !frontier.is_empty() {
        if stop.load(Ordering::Relaxed) {
            complete = false;
            break;
        }
        let next = expand(&mut met, &frontier)?;
        expanded += 1;
        reachable += next.len() as u64;
        let before = std::mem::replace(&mut frontier, next);
        if goals.is_none() {
            layers.push(before);
            let here: Vec<u64> = frontier.iter().copied().filter(|&state| graph.is_goal(state)).collect();
            goals = (!here.is_empty()).then_some(here);
        }
    }
    let (way, ways) = match goals {
        Some(goals) if goals == [start] => (Some(Vec::new()), 1u32.into()),
        Some(goals) => count(graph, &layers, &goals),
        None => (None, 0u32.into()),
    };
    Ok(Found { way, ways, reachable, layers: expanded, complete })
}

/// From the goals back through the layers: a first way, and how many there are.
fn count<G: PackedGraph>(graph: &G, layers: &[Vec<u64>], goals: &[u64]) -> (Option<Vec<u8>>, BigUint) {
    let mut ways: HashMap<u64, BigUint> = goals.iter().map(|&goal| (goal, 1u32.into())).collect();
    // For each layer, from the last on: what to do in a state of it, and where that leads.
    let mut choices: Vec<HashMap<u64, (u8, u64)>> = Vec::new();
    for layer in layers.iter().rev() {
        let look = |&state: &u64| {
            let mut sum = BigUint::ZERO;
            let mut first = None;
            graph.successors(state, |label, to| {
                if let Some(from_there) = ways.get(&to) {
                    sum += from_there;
                    first = first.or(Some((label, to)));
                }
            });
            first.map(|choice| (state, choice, sum))
        };
        let found: Vec<_> = if layer.len() < PARALLEL_FROM {
            layer.iter().filter_map(look).collect()
        } else {
            layer.par_iter().with_min_len(CHUNK).filter_map(look).collect()
        };
        choices.push(found.iter().map(|&(state, choice, _)| (state, choice)).collect());
        ways = found.into_iter().map(|(state, _, sum)| (state, sum)).collect();
    }
    let mut labels = Vec::new();
    let mut state = layers[0][0];
    for choices in choices.iter().rev() {
        let Some(&(label, to)) = choices.get(&state) else { return (None, BigUint::ZERO) };
        labels.push(label);
        state = to;
    }
    let ways = ways.remove(&layers[0][0]).unwrap_or_default();
    (Some(labels), ways)
}
