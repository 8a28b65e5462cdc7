//! Optimal solving from both ends: layers grown backwards from the goal once, and a depth-first search forwards from each
//! position until it meets the outermost layer.
//!
//! Were a position at distance `D + k` (`D` the layers' depth), some sequence of `k` turns meets layer `D`. Tried with
//! `k` rising, the first that meets it is of optimal length: had a lesser distance been possible, a lesser `k` would have
//! met the layer. The space is bipartite, so that `k` rises by two, and only the outermost layer is ever asked.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use thiserror::Error;

use super::closed::Layer;
use super::frontier::Layers;
use crate::puzzles::compact::Mixed;
use crate::puzzles::layered::Turning;

/// Why a position has no answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum SolveError {
    #[error("interrupted")]
    Interrupted,
    #[error("the layers hold the whole space, and the position is not in it")]
    Unreachable,
}

/// An optimal way from a position to the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The turns, first to last; as many as the position's distance.
    pub turns: Vec<usize>,
    /// Positions looked at.
    pub nodes: u64,
}

/// All optimal ways, in lexicographic order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Each way's turns.
    pub turns: Vec<Vec<usize>>,
    /// Positions looked at.
    pub nodes: u64,
}

/// A space with its layers.
pub struct Ends<'a, S> {
    space: &'a S,
    layers: &'a Layers,
}

/// The turns that start at the position being solved, and the position they lead to.
#[derive(Clone)]
struct Path<T> {
    turns: Vec<usize>,
    state: T,
}

/// Room for a search's turns and for the last positions, looked up together.
#[derive(Default)]
struct Scratch {
    keys: Vec<u64>,
    mixed: Vec<Mixed>,
}

impl<'a, S: Turning> Ends<'a, S> {
    /// Joins a space and its layers.
    ///
    /// # Panics
    /// When the layers are of another space.
    #[must_use]
    pub fn new(space: &'a S, layers: &'a Layers) -> Self {
        assert_eq!(space.name(), layers.name, "layers of the same space");
        Self { space, layers }
    }

    /// An optimal way: the first in lexicographic order of those whose head meets the layers, on any number of threads.
    ///
    /// # Errors
    /// A [`SolveError`].
    pub fn solve(&self, state: &S::State, stop: &AtomicBool) -> Result<Way, SolveError> {
        let mut found = self.search(state, true, stop)?;
        let turns = found.turns.pop().ok_or(SolveError::Unreachable)?;
        Ok(Way { turns, nodes: found.nodes })
    }

    /// Every optimal way.
    ///
    /// # Errors
    /// A [`SolveError`].
    pub fn all(&self, state: &S::State, stop: &AtomicBool) -> Result<Ways, SolveError> {
        let mut found = self.search(state, false, stop)?;
        found.turns.sort_unstable();
        Ok(found)
    }

    /// The least number of turns that may lead to the outermost layer, by parity; 0 for a position within the layers.
    pub(super) fn first_ahead(&self, state: &S::State) -> u32 {
        if self.layers.distance(self.space.key(state)).is_some() {
            return 0;
        }
        // An even number of turns is at least two.
        2 - ((self.space.parity(state) ^ self.layers.depth()) & 1)
    }

    /// The space.
    pub(super) fn space(&self) -> &'a S {
        self.space
    }

    /// Walks the head of a way and completes it through the layers; `None` when it does not meet them.
    pub(super) fn complete(&self, state: &S::State, turns: Vec<usize>) -> Option<(Vec<usize>, u64)> {
        let state = turns.iter().fold(*state, |state, turn| self.space.turn(&state, *turn));
        let (mut ways, nodes) = (Vec::new(), AtomicU64::new(0));
        self.descend(Path { turns, state }, true, &mut ways, &nodes);
        Some((ways.pop()?, nodes.into_inner()))
    }

    fn search(&self, state: &S::State, one: bool, stop: &AtomicBool) -> Result<Ways, SolveError> {
        let nodes = AtomicU64::new(1);
        let start = Path { turns: Vec::new(), state: *state };
        let mut heads = Vec::new();
        if self.first_ahead(state) == 0 {
            heads.push(start);
        } else {
            let mut ahead = self.first_ahead(state);
            let outermost = self.layers.layers.last().ok_or(SolveError::Unreachable)?;
            while heads.is_empty() {
                heads = self.heads(&start, ahead, outermost, one, &nodes, stop);
                if stop.load(Ordering::Relaxed) {
                    return Err(SolveError::Interrupted);
                }
                ahead += 2;
            }
        }
        let mut ways = Vec::new();
        for head in heads {
            self.descend(head, one, &mut ways, &nodes);
        }
        Ok(Ways { turns: ways, nodes: nodes.into_inner() })
    }

    /// The paths of `ahead` turns that end in the outermost layer, or the first of them.
    fn heads(
        &self,
        start: &Path<S::State>,
        ahead: u32,
        outermost: &Layer,
        one: bool,
        nodes: &AtomicU64,
        stop: &AtomicBool,
    ) -> Vec<Path<S::State>> {
        // Two turns are chosen here, so that threads have enough to share; the rest in depth.
        let mut starts = vec![start.clone()];
        for _ in 0..ahead.saturating_sub(2).min(2) {
            starts = starts.iter().flat_map(|path| self.onward(path)).collect();
        }
        let rest = ahead - ahead.saturating_sub(2).min(2);
        let walk = |mut path: Path<S::State>| {
            let mut walk =
                Walk { ends: self, outermost, one, nodes: 0, scratch: Scratch::default(), met: Vec::new(), stop };
            walk.forward(&mut path, rest);
            nodes.fetch_add(walk.nodes, Ordering::Relaxed);
            (!walk.met.is_empty()).then_some(walk.met)
        };
        if one {
            starts.into_par_iter().find_map_first(walk).unwrap_or_default()
        } else {
            starts.into_par_iter().filter_map(walk).flatten_iter().collect()
        }
    }

    fn onward(&self, path: &Path<S::State>) -> impl Iterator<Item = Path<S::State>> {
        let last = path.turns.last().copied();
        let turns = (0..self.space.turns()).filter(move |turn| Some(*turn) != last);
        turns.map(move |turn| {
            let mut turns = path.turns.clone();
            turns.push(turn);
            Path { turns, state: self.space.turn(&path.state, turn) }
        })
    }

    /// Completes a path whose end lies in the layers: down by one layer a turn.
    fn descend(&self, head: Path<S::State>, one: bool, ways: &mut Vec<Vec<usize>>, nodes: &AtomicU64) {
        let Some(distance) = self.layers.distance(self.space.key(&head.state)) else { return };
        let mut ends = vec![head];
        let mut keys = Vec::with_capacity(self.space.turns());
        for below in (0..distance as usize).rev() {
            let layer = &self.layers.layers[below];
            let mut next = Vec::new();
            for path in &ends {
                keys.clear();
                self.space.turned_keys(&path.state, &mut keys);
                nodes.fetch_add(keys.len() as u64, Ordering::Relaxed);
                let down = keys.iter().enumerate().filter(|(_, key)| layer.holds(layer.mixer().mix(**key)));
                for (turn, _) in down.take(if one { 1 } else { usize::MAX }) {
                    let mut turns = path.turns.clone();
                    turns.push(turn);
                    next.push(Path { turns, state: self.space.turn(&path.state, turn) });
                }
            }
            ends = next;
        }
        ways.extend(ends.into_iter().map(|path| path.turns));
    }
}

/// One thread's part of the search forwards.
struct Walk<'a, S: Turning> {
    ends: &'a Ends<'a, S>,
    outermost: &'a Layer,
    one: bool,
    nodes: u64,
    scratch: Scratch,
    met: Vec<Path<S::State>>,
    stop: &'a AtomicBool,
}

impl<S: Turning> Walk<'_, S> {
    /// Walks all paths of `rest` more turns; true when it may stop.
    fn forward(&mut self, path: &mut Path<S::State>, rest: u32) -> bool {
        if rest <= 2 {
            return self.last(path, rest);
        }
        let last = path.turns.last().copied();
        let state = path.state;
        for turn in (0..self.ends.space.turns()).filter(|turn| Some(*turn) != last) {
            path.turns.push(turn);
            path.state = self.ends.space.turn(&state, turn);
            self.nodes += 1;
            let done = self.forward(path, rest - 1);
            path.turns.pop();
            if done || self.stop.load(Ordering::Relaxed) {
                return true;
            }
        }
        path.state = state;
        false
    }

    /// The last one or two turns: all classes they lead to are made first and looked up then.
    fn last(&mut self, path: &mut Path<S::State>, rest: u32) -> bool {
        let space = self.ends.space;
        let last = path.turns.last().copied();
        let (keys, mixed) = (&mut self.scratch.keys, &mut self.scratch.mixed);
        keys.clear();
        let middles: Vec<usize> = match rest {
            1 => Vec::new(),
            _ => (0..space.turns()).filter(|turn| Some(*turn) != last).collect(),
        };
        if rest == 1 {
            space.turned_keys(&path.state, keys);
        }
        for turn in &middles {
            space.turned_keys(&space.turn(&path.state, *turn), keys);
        }
        self.nodes += (keys.len() + middles.len()) as u64;
        mixed.clear();
        mixed.extend(keys.iter().map(|key| self.outermost.mixer().mix(*key)));
        let touched = mixed.iter().fold(0, |sum: u32, mixed| sum.wrapping_add(self.outermost.touch(*mixed)));
        std::hint::black_box(touched);
        for (k, mixed) in mixed.iter().enumerate() {
            if !self.outermost.holds(*mixed) {
                continue;
            }
            let middle = middles.get(k / space.turns()).copied();
            let mut turns = path.turns.clone();
            turns.extend(middle);
            turns.push(k % space.turns());
            let state = turns[path.turns.len()..].iter().fold(path.state, |state, turn| space.turn(&state, *turn));
            self.met.push(Path { turns, state });
            if self.one {
                return true;
            }
        }
        false
    }
}
