//! IDA* (Korf, Artificial Intelligence 27, 1985): depth-first searches under a rising bound on turns made plus an
//! estimate of those to come. The layers are its pattern database: a class they hold is at a known distance, any other
//! one beyond them. The space is bipartite, so the bound rises by two.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::ends::{SolveError, Way};
use super::frontier::Layers;
use crate::puzzles::layered::Estimated;

/// What a search believes of a position that the layers do not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unseen {
    /// That it is at least one turn beyond the layers, or two, by its parity: a true bound.
    #[default]
    Beyond,
    /// What [`Estimated::estimate`] says, which need not be a bound.
    Estimate,
}

/// A space with its layers as pattern database.
pub struct Ida<'a, S> {
    space: &'a S,
    layers: &'a Layers,
    unseen: Unseen,
}

/// Turns chosen before threads share the work.
const PREFIX: u32 = 3;

impl<'a, S: Estimated> Ida<'a, S> {
    /// Joins a space and its layers.
    ///
    /// # Panics
    /// When the layers are of another space.
    #[must_use]
    pub fn new(space: &'a S, layers: &'a Layers, unseen: Unseen) -> Self {
        assert_eq!(space.name(), layers.name, "layers of the same space");
        Self { space, layers, unseen }
    }

    /// Whether the ways found are optimal: when no position outside the layers is estimated beyond its least distance.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        let beyond = (self.layers.depth() + 1) * self.space.denominator();
        self.unseen == Unseen::Beyond || self.space.greatest_estimate() <= beyond
    }

    /// A way to the goal; an optimal one when [`Self::is_optimal`]. Of several under the last bound, the first in
    /// lexicographic order, on any number of threads.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`].
    pub fn solve(&self, state: &S::State, stop: &AtomicBool) -> Result<Way, SolveError> {
        let nodes = AtomicU64::new(0);
        let scale = self.space.denominator();
        let mut bound = self.estimate(state).div_ceil(scale);
        bound += (bound ^ self.space.parity(state)) & 1;
        loop {
            let found = self.prefixes(state, PREFIX.min(bound)).into_par_iter().find_map_first(|(mut turns, state)| {
                let mut walk = Walk { ida: self, bound, nodes: 0, stop };
                let met = walk.walk(&mut turns, &state);
                nodes.fetch_add(walk.nodes, Ordering::Relaxed);
                met.then_some(turns)
            });
            if stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            if let Some(turns) = found {
                return Ok(Way { turns, nodes: nodes.into_inner() });
            }
            bound += 2;
        }
    }

    /// An estimate of the turns to come, times the denominator.
    fn estimate(&self, state: &S::State) -> u32 {
        let scale = self.space.denominator();
        match (self.layers.distance(self.space.key(state)), self.unseen) {
            (Some(distance), _) => distance * scale,
            (None, Unseen::Estimate) => self.space.estimate(state),
            (None, Unseen::Beyond) => {
                let beyond = self.layers.depth() + 1;
                (beyond + ((beyond ^ self.space.parity(state)) & 1)) * scale
            }
        }
    }

    /// All sequences of so many turns that undo none at once, in lexicographic order, with where they lead; those that
    /// meet the goal before stay short.
    fn prefixes(&self, state: &S::State, length: u32) -> Vec<(Vec<usize>, S::State)> {
        let mut prefixes = vec![(Vec::new(), *state)];
        for _ in 0..length {
            let mut longer = Vec::new();
            for (turns, state) in prefixes {
                if self.layers.distance(self.space.key(&state)) == Some(0) {
                    longer.push((turns, state));
                    continue;
                }
                for turn in (0..self.space.turns()).filter(|turn| Some(turn) != turns.last()) {
                    let turns = turns.iter().copied().chain([turn]).collect();
                    longer.push((turns, self.space.turn(&state, turn)));
                }
            }
            prefixes = longer;
        }
        prefixes
    }
}

struct Walk<'a, S> {
    ida: &'a Ida<'a, S>,
    bound: u32,
    nodes: u64,
    stop: &'a AtomicBool,
}

impl<S: Estimated> Walk<'_, S> {
    /// Walks on from a position under the bound; true, with the turns of the way, when it met the goal.
    fn walk(&mut self, turns: &mut Vec<usize>, state: &S::State) -> bool {
        let space = self.ida.space;
        self.nodes += 1;
        let made = u32::try_from(turns.len()).unwrap_or(u32::MAX);
        let estimate = self.ida.estimate(state);
        if estimate + made * space.denominator() > self.bound * space.denominator() {
            return false;
        }
        if estimate == 0 && self.ida.layers.distance(space.key(state)) == Some(0) {
            return true;
        }
        let last = turns.last().copied();
        for turn in (0..space.turns()).filter(|turn| Some(*turn) != last) {
            turns.push(turn);
            if self.walk(turns, &space.turn(state, turn)) {
                return true;
            }
            turns.pop();
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
        }
        false
    }
}
