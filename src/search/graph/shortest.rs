//! Shortest paths: Dijkstra driven from the host, its buckets expanded as frontiers.
//!
//! The search runs backwards from the goal, so that every state it reaches knows what is left to pay; the cheapest paths from
//! a start then are exactly the ways downhill, and need no second search (see [`crate::search::graph::counting`]).
//! When all kinds of move cost the same, a bucket is a layer of a breadth-first search.
//! Dijkstra, *A note on two problems in connexion with graphs*, 1959; buckets: Dial, *Algorithm 360*, 1969.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::costs::Costs;
use crate::puzzles::state_graph::{StateGraph, Step};

/// Frontiers shorter than this are expanded on the calling thread: handing them out costs more than it gains.
const PARALLEL_FROM: usize = 8192;
/// States that one task takes from a frontier.
const CHUNK: usize = 2048;

/// What is left to pay from every state to the goal, in the costs' scaled unit.
#[derive(Debug)]
pub enum Field {
    /// Moves left plus 1 (0: not reached), each move costing `each`.
    Layers {
        /// By state number.
        depths: Vec<u32>,
        /// The cost of any move.
        each: u64,
    },
    /// Cost left plus 1 (0: not reached), by state number.
    Costs(Vec<u64>),
}

impl Field {
    /// What is left to pay, where the search got.
    #[must_use]
    pub fn get(&self, state: u32) -> Option<u64> {
        match self {
            Self::Layers { depths, each } => depths[state as usize].checked_sub(1).map(|depth| u64::from(depth) * each),
            Self::Costs(costs) => costs[state as usize].checked_sub(1),
        }
    }
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose distance was settled.
    pub settled: u64,
    /// Frontiers expanded.
    pub frontiers: u64,
    /// States of the largest frontier.
    pub widest: u64,
}

/// Expands frontiers backwards; on the CPU or elsewhere.
pub trait Expander {
    /// What can go wrong; nothing on the CPU.
    type Error;

    /// The states that lead into the frontier and were not met before, each once, in any order. The frontier's own
    /// states must have been met (returned before, or given to [`Expander::meet`]).
    ///
    /// # Errors
    /// What keeps the expander from an answer.
    fn claim(&mut self, frontier: &[u32]) -> Result<Vec<u32>, Self::Error>;
    /// Marks a state as met.
    ///
    /// # Errors
    /// What keeps the expander from an answer.
    fn meet(&mut self, state: u32) -> Result<(), Self::Error>;
    /// Every move into the frontier: where it comes from and its kind; a state once per move, in any order.
    ///
    /// # Errors
    /// What keeps the expander from an answer.
    fn moves_into(&mut self, frontier: &[u32]) -> Result<Vec<(u32, u8)>, Self::Error>;
}

/// Expansion by rayon.
#[derive(Debug)]
pub struct CpuExpander<'g, G> {
    graph: &'g G,
    open: Vec<AtomicU64>,
}

impl<'g, G: StateGraph> CpuExpander<'g, G> {
    /// Nothing met yet.
    #[must_use]
    pub fn new(graph: &'g G) -> Self {
        Self::with_open(graph, graph.states())
    }

    /// Everything met but the states of this bit set.
    #[must_use]
    pub fn with_open(graph: &'g G, open: &[u64]) -> Self {
        Self { graph, open: open.iter().map(|&word| AtomicU64::new(word)).collect() }
    }
}

/// Applies `work` to chunks of a frontier, in parallel when it is long, and joins what they yield in order.
fn by_chunks<T: Send>(frontier: &[u32], work: impl Fn(&[u32], bool) -> Vec<T> + Sync) -> Vec<T> {
    if frontier.len() < PARALLEL_FROM || rayon::current_num_threads() == 1 {
        return work(frontier, false);
    }
    let parts: Vec<Vec<T>> = frontier.par_chunks(CHUNK).map(|chunk| work(chunk, true)).collect();
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend(part);
    }
    all
}

impl<G: StateGraph> Expander for CpuExpander<'_, G> {
    type Error = std::convert::Infallible;

    fn claim(&mut self, frontier: &[u32]) -> Result<Vec<u32>, Self::Error> {
        let (graph, open) = (self.graph, &self.open);
        Ok(by_chunks(frontier, |chunk, shared| {
            let mut next = Vec::with_capacity(chunk.len() + chunk.len() / 2);
            for &state in chunk {
                graph.predecessors(state, |Step { state: from, .. }| {
                    let (word, bit) = (&open[from as usize / 64], 1 << (from % 64));
                    let before = word.load(Ordering::Relaxed);
                    if before & bit == 0 {
                        return;
                    }
                    let claimed = if shared {
                        word.fetch_and(!bit, Ordering::Relaxed) & bit != 0
                    } else {
                        word.store(before & !bit, Ordering::Relaxed);
                        true
                    };
                    if claimed {
                        next.push(from);
                    }
                });
            }
            next
        }))
    }

    fn meet(&mut self, state: u32) -> Result<(), Self::Error> {
        *self.open[state as usize / 64].get_mut() &= !(1 << (state % 64));
        Ok(())
    }

    fn moves_into(&mut self, frontier: &[u32]) -> Result<Vec<(u32, u8)>, Self::Error> {
        let graph = self.graph;
        Ok(by_chunks(frontier, |chunk, _| {
            let mut moves = Vec::with_capacity(chunk.len() * G::MOVES);
            for &state in chunk {
                graph.predecessors(state, |step| moves.push((step.state, step.kind)));
            }
            moves
        }))
    }
}

/// What is left to pay to `goal`, settled at least for every state from which it costs no more than from `start`
/// (for every state that can reach the goal when `start` is not given).
///
/// # Errors
/// What the expander fails with.
pub fn field_to<G: StateGraph, E: Expander>(
    graph: &G,
    goal: u32,
    start: Option<u32>,
    costs: &Costs,
    expander: &mut E,
) -> Result<(Field, Effort), E::Error> {
    match costs.uniform() {
        Some(each) => layers(graph, goal, start, each, expander),
        None => buckets(graph, goal, start, costs, expander),
    }
}

fn layers<G: StateGraph, E: Expander>(
    graph: &G,
    goal: u32,
    start: Option<u32>,
    each: u64,
    expander: &mut E,
) -> Result<(Field, Effort), E::Error> {
    let mut depths = vec![0u32; graph.index_bound() as usize];
    let mut effort = Effort::default();
    expander.meet(goal)?;
    let mut frontier = vec![goal];
    let mut mark = 1;
    while !frontier.is_empty() {
        effort.settled += frontier.len() as u64;
        effort.widest = effort.widest.max(frontier.len() as u64);
        for &state in &frontier {
            depths[state as usize] = mark;
        }
        if start.is_some_and(|state| depths[state as usize] != 0) {
            break;
        }
        frontier = expander.claim(&frontier)?;
        effort.frontiers += 1;
        mark += 1;
    }
    Ok((Field::Layers { depths, each }, effort))
}

fn buckets<G: StateGraph, E: Expander>(
    graph: &G,
    goal: u32,
    start: Option<u32>,
    costs: &Costs,
    expander: &mut E,
) -> Result<(Field, Effort), E::Error> {
    let mut left = vec![0u64; graph.index_bound() as usize];
    let mut settled = vec![0u64; graph.states().len()];
    let mut effort = Effort::default();
    left[goal as usize] = 1;
    let mut pending = BTreeMap::from([(0u64, vec![goal])]);
    while let Some((cost, mut frontier)) = pending.pop_first() {
        // A state may wait in several buckets, and more than once in one: only the first in its cheapest bucket counts.
        frontier.retain(|&state| {
            let (word, bit) = (&mut settled[state as usize / 64], 1 << (state % 64));
            let fresh = *word & bit == 0;
            *word |= bit;
            fresh
        });
        if frontier.is_empty() {
            continue;
        }
        effort.settled += frontier.len() as u64;
        effort.widest = effort.widest.max(frontier.len() as u64);
        if start.is_some_and(|state| settled[state as usize / 64] >> (state % 64) & 1 == 1) {
            break;
        }
        let mut entering: Vec<Vec<u32>> = vec![Vec::new(); costs.scaled().len()];
        for (from, kind) in expander.moves_into(&frontier)? {
            let total = cost + costs.of(kind) + 1;
            let known = &mut left[from as usize];
            if *known == 0 || *known > total {
                *known = total;
                entering[usize::from(kind)].push(from);
            }
        }
        effort.frontiers += 1;
        for (states, step) in entering.into_iter().zip(costs.scaled()) {
            if !states.is_empty() {
                pending.entry(cost + step).or_default().extend(states);
            }
        }
    }
    // What was only queued when the start was settled has no final cost yet.
    for states in pending.into_values() {
        for state in states {
            if settled[state as usize / 64] >> (state % 64) & 1 == 0 {
                left[state as usize] = 0;
            }
        }
    }
    Ok((Field::Costs(left), effort))
}

/// The moves out of a state that lie on a cheapest path, in the order of their labels.
pub fn downhill<G: StateGraph>(graph: &G, field: &Field, costs: &Costs, state: u32, mut visit: impl FnMut(Step)) {
    let Some(here) = field.get(state) else { return };
    graph.successors(state, |step| {
        if field.get(step.state).is_some_and(|there| there + costs.of(step.kind) == here) {
            visit(step);
        }
    });
}

/// The cheapest paths from a start, one after the other, in the lexicographic order of their moves' labels.
/// Each is the list of its steps; the first is the greedy one.
#[derive(Debug)]
pub struct Paths<'a, G> {
    graph: &'a G,
    field: &'a Field,
    costs: &'a Costs,
    /// For each state of the current path: the steps not yet tried, last first.
    untried: Vec<Vec<Step>>,
    path: Vec<Step>,
    /// Nothing was yielded yet.
    fresh: bool,
}

impl<'a, G: StateGraph> Paths<'a, G> {
    /// Paths from `start`; none when the field does not reach it.
    #[must_use]
    pub fn new(graph: &'a G, field: &'a Field, costs: &'a Costs, start: u32) -> Self {
        let mut paths = Self { graph, field, costs, untried: Vec::new(), path: Vec::new(), fresh: true };
        if field.get(start).is_some() {
            paths.enter(start);
        }
        paths
    }

    fn enter(&mut self, state: u32) {
        let mut steps = Vec::new();
        downhill(self.graph, self.field, self.costs, state, |step| steps.push(step));
        steps.reverse();
        self.untried.push(steps);
    }
}

impl<G: StateGraph> Iterator for Paths<'_, G> {
    type Item = Vec<Step>;

    fn next(&mut self) -> Option<Vec<Step>> {
        // Only the goal has no step downhill; the start is the goal when that holds before any step was taken.
        let mut at_goal = std::mem::take(&mut self.fresh) && self.untried.last().is_some_and(Vec::is_empty);
        loop {
            if at_goal {
                let found = self.path.clone();
                self.untried.pop();
                self.path.pop();
                return Some(found);
            }
            let Some(step) = self.untried.last_mut()?.pop() else {
                self.untried.pop();
                self.path.pop();
                continue;
            };
            self.path.push(step);
            self.enter(step.state);
            at_goal = self.untried.last().is_some_and(Vec::is_empty);
        }
    }
}
