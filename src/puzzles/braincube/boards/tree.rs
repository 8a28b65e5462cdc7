//! The search that settles many boards at once.
//!
//! A breadth-first search from the start looks at a square only when the block could come to stand on it. So the squares
//! begin undecided; whenever a layer of the search could reach over undecided ones, the search forks: once with all of
//! them present, and once for each of them as the highest that is absent. A path through these forks is a *pattern*: squares
//! known present, squares known absent, and the rest, which no board's answer depends on. What is found for a pattern
//! with `k` squares left open holds for `2^k` boards, and every board belongs to one pattern.
//!
//! Forks share nothing: a search can be left after some moves, and each of its forks be gone on with on another thread.
//!
//! With one goal, a fork is given up as soon as the goal is out of reach with all undecided squares present.

use std::sync::atomic::{AtomicBool, Ordering};

use super::planes::{Planes, Shape};

/// What a layer of the search found for a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// Moves from the start.
    pub length: u32,
    /// The squares that are present.
    pub present: u64,
    /// The squares that may be present or not.
    pub open: u64,
    /// The squares on which the block stands upright for the first time; with one goal, that one.
    pub upright: u64,
    /// Those of them to which there is one shortest way.
    pub single: u64,
}

/// Searches patterns of boards from one start.
pub struct Search<'s, V> {
    shape: &'s Shape,
    /// The square to reach, or 0 to look at all.
    goal: u64,
    visit: V,
    /// Once it is set, all forks are given up.
    stop: Option<&'s AtomicBool>,
    /// Moves after which forks are left.
    until: u32,
    left: Vec<Left>,
}

/// A fork that was left, before its layer was taken in.
pub struct Left {
    layer: Planes,
    twice: Planes,
    fork: Fork,
}

/// Where a search stands in a pattern.
#[derive(Clone, Copy)]
struct Fork {
    present: u64,
    /// Squares not known to be absent.
    possible: u64,
    visited: Planes,
    length: u32,
}

impl<'s, V: FnMut(Reached)> Search<'s, V> {
    /// A search to the square of bit `goal`, or to all squares; `visit` is told what is reached.
    pub fn new(shape: &'s Shape, goal: Option<u32>, visit: V) -> Self {
        Self { shape, goal: goal.map_or(0, |square| 1 << square), visit, stop: None, until: u32::MAX, left: Vec::new() }
    }

    /// The same, given up soon after `stop` is set: what it was told is then worth nothing.
    pub fn unless(self, stop: &'s AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Searches as [`Search::run`] does, but leaves each fork after so many moves.
    pub fn begin(&mut self, start: u32, present: u64, open: u64, moves: u32) -> Vec<Left> {
        self.until = moves;
        self.run(start, present, open);
        self.until = u32::MAX;
        std::mem::take(&mut self.left)
    }

    /// Goes on with a fork that was left.
    pub fn go_on(&mut self, left: &Left) {
        self.advance(left.layer, left.twice, left.fork);
    }

    /// Searches all boards with the squares `present` and any of `open`, from upright on the square of bit `start`. Boards
    /// without the start, or without the goal, are passed over.
    pub fn run(&mut self, start: u32, present: u64, open: u64) {
        let ends = self.goal | 1 << start;
        let possible = present | open;
        if possible & ends != ends {
            return;
        }
        let from = Planes { upright: 1 << start, ..Planes::default() };
        let fork = Fork { present: present | ends, possible, visited: Planes::default(), length: 0 };
        self.advance(from, Planes::default(), fork);
    }

    /// Takes in a layer all of whose squares are present, and goes on to the next.
    fn advance(&mut self, layer: Planes, twice: Planes, mut fork: Fork) {
        if fork.length == self.until {
            self.left.push(Left { layer, twice, fork });
            return;
        }
        let upright = if self.goal == 0 { layer.upright } else { layer.upright & self.goal };
        if upright != 0 && (self.goal != 0 || fork.length > 0) {
            (self.visit)(Reached {
                length: fork.length,
                present: fork.present,
                open: fork.possible & !fork.present,
                upright,
                single: upright & !twice.upright,
            });
            if self.goal != 0 {
                return;
            }
        }
        fork.visited = fork.visited.or(layer);
        fork.length += 1;
        let (next, twice) = self.shape.step_twice(layer, twice);
        let next = self.shape.on(fork.possible, next.without(fork.visited));
        if !next.is_empty() {
            self.decide(next, twice.and(next), fork);
        }
    }

    /// Forks over the undecided squares of a layer.
    fn decide(&mut self, layer: Planes, twice: Planes, fork: Fork) {
        let mut undecided = self.shape.under(layer) & !fork.present;
        self.advance(layer, twice, Fork { present: fork.present | undecided, ..fork });
        while undecided != 0 {
            if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return;
            }
            let absent = 1 << undecided.ilog2();
            undecided ^= absent;
            let possible = fork.possible & !absent;
            let layer = self.shape.on(possible, layer);
            if self.is_hopeful(layer, fork.visited, possible) {
                let fork = Fork { present: fork.present | undecided, possible, ..fork };
                self.decide(layer, twice.and(layer), fork);
            }
        }
    }

    /// Whether the goal could be reached if every undecided square were present.
    fn is_hopeful(&self, mut layer: Planes, visited: Planes, possible: u64) -> bool {
        if self.goal == 0 {
            return !layer.is_empty();
        }
        let everywhere = Planes { upright: !0, along_row: !0, down_column: !0 };
        let mut left = self.shape.on(possible, everywhere).without(visited);
        while !layer.is_empty() {
            if layer.upright & self.goal != 0 {
                return true;
            }
            left = left.without(layer);
            layer = self.shape.step(layer).and(left);
        }
        false
    }
}
