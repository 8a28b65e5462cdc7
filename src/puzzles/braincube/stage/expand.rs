//! The kernel that expands a frontier of a stage's states, and its twin. WGSL: `shaders/braincube/stage.wgsl`.
//!
//! `table` has eight words for each square: what it is (1 solid, 2 fragile, 4 heavy switch, 8 splitter), then two words each for
//! the bridge that it needs, the bridges that its switch keeps and those that it flips (all as bits of a state), and the two
//! places of a splitter as a state has them; then for each square, pose and move the first and the last square of the block
//! after it, in half a word each; then for each square and move where a cube comes to.

use super::builtin;
use super::rules::{BRIDGES, Ground, Merged, OTHER, Rules};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::mix;
use crate::puzzles::packed_graph::{BINDINGS, PackedGraph, PackedKernel, halves};

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "braincube/stage",
    wgsl: &[
        include_str!("../../../../shaders/common/digest.wgsl"),
        include_str!("../../../../shaders/braincube/stage.wgsl"),
    ],
    bindings: BINDINGS,
    constants: &[],
    twin,
    trials,
};

/// Words of a square.
const GROUND: usize = 8;

fn joined(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

fn table(rules: &Rules) -> Vec<u32> {
    let mut words = Vec::new();
    for ground in &rules.ground {
        let flags = [ground.solid, ground.fragile, ground.heavy, ground.splits.is_some()];
        words.push(flags.iter().rev().fold(0, |word, &flag| word << 1 | u32::from(flag)));
        for bridges in [ground.needs, ground.keep, ground.flip] {
            words.extend(halves(bridges << BRIDGES));
        }
        let [active, other] = ground.splits.unwrap_or_default();
        words.push(halves(active | other << OTHER)[0]);
    }
    words.extend(rules.rolls.iter().map(|&[first, last]| u32::from(first) | u32::from(last) << 16));
    words.extend(rules.steps.iter().map(|&to| u32::from(to)));
    words
}

fn words(rules: &Rules, merged: bool) -> Vec<u32> {
    let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    vec![u32::from(merged), small(rules.ground.len() as u64), small(rules.places())]
}

/// Rules that move as those whose `table` this is.
#[expect(clippy::cast_possible_truncation, reason = "split into half words")]
fn rules_of(table: &[u32], squares: usize, places: usize) -> Rules {
    let (ground, rest) = table.split_at(squares * GROUND);
    let (rolls, steps) = rest.split_at(squares * 12);
    let ground = ground.chunks_exact(GROUND).map(|words| {
        let flag = |bit: u32| words[0] >> bit & 1 == 1;
        let splits = u64::from(words[7]);
        Ground {
            solid: flag(0),
            needs: joined(&words[1..3]) >> BRIDGES,
            fragile: flag(1),
            heavy: flag(2),
            goal: false,
            keep: joined(&words[3..5]) >> BRIDGES,
            flip: joined(&words[5..7]) >> BRIDGES,
            splits: flag(3).then_some([splits & ((1 << OTHER) - 1), splits >> OTHER]),
        }
    });
    Rules {
        rows: 1,
        cols: squares,
        ground: ground.collect(),
        start: 0,
        bridges: Vec::new(),
        splits: places > 3 * squares,
        rolls: rolls.iter().map(|&word| [word as u16, (word >> 16) as u16]).collect(),
        steps: steps.iter().map(|&word| word as u16).collect(),
    }
}

impl PackedKernel for Rules {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn words(&self) -> Vec<u32> {
        words(self, false)
    }

    fn table(&self) -> Vec<u32> {
        table(self)
    }
}

impl PackedKernel for Merged<'_> {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn words(&self) -> Vec<u32> {
        words(self.0, true)
    }

    fn table(&self) -> Vec<u32> {
        table(self.0)
    }
}

fn twin(launch: &mut Launch) {
    let [params, table, met, frontier, tally, next] = launch.buffers.as_mut_slice() else { return };
    let (count, capacity) = (params[0] as usize, params[1] as usize);
    let rules = rules_of(table, params[3] as usize, params[4] as usize);
    let mut digest = joined(&tally[1..3]);
    let mut visit = |graph_number: u64, state: u64| {
        let Ok(number) = usize::try_from(graph_number) else { return };
        let Some(word) = met.get_mut(number / 32) else { return };
        if *word >> (number % 32) & 1 == 1 {
            return;
        }
        *word |= 1 << (number % 32);
        let slot = tally[0] as usize;
        let [low, high] = halves(state);
        if slot < capacity {
            next[2 * slot..2 * slot + 2].copy_from_slice(&[low, high]);
        }
        tally[0] += 1;
        digest = digest.wrapping_add(mix(low, high));
    };
    for state in frontier.chunks_exact(2).take(count).map(joined) {
        if params[2] == 1 {
            let merged = Merged(&rules);
            merged.successors(state, |_, to| visit(merged.number(to), to));
        } else {
            rules.successors(state, |_, to| visit(rules.number(to), to));
        }
    }
    tally[1..3].copy_from_slice(&halves(digest));
}

/// The built-in stages: a frontier of many of their states, half of which count as not met yet.
fn trials() -> Vec<Launch> {
    let mut trials = Vec::new();
    for stage in (0..).map_while(builtin::stage).flatten() {
        let Ok(rules) = Rules::new(&stage) else { continue };
        trials.extend(trial(&rules, rules.start()));
        if !stage.splitters.is_empty() {
            trials.extend(trial(&Merged(&rules), rules.start()));
        }
    }
    trials
}

fn trial<G: PackedKernel>(graph: &G, start: u64) -> Option<Launch> {
    const MOST: usize = 3000;
    let mut states = vec![start];
    let mut seen = std::collections::HashSet::from([start]);
    let mut at = 0;
    while let Some(&state) = states.get(at)
        && states.len() < MOST
    {
        graph.successors(state, |_, to| {
            if seen.insert(to) {
                states.push(to);
            }
        });
        at += 1;
    }
    let words = usize::try_from(graph.bound()?.div_ceil(32)).ok()?;
    let mut met = vec![0u32; words];
    for number in states.iter().step_by(2).map(|&state| graph.number(state)) {
        met[usize::try_from(number / 32).ok()?] |= 1 << (number % 32);
    }
    let count = u32::try_from(states.len()).ok()?;
    let capacity = 8 * count;
    let mut params = vec![count, capacity];
    params.extend(graph.words());
    let frontier = states.iter().flat_map(|&state| halves(state)).collect();
    let buffers = vec![params, graph.table(), met, frontier, vec![0; 4], vec![0; 2 * capacity as usize]];
    Some(Launch { constants: Vec::new(), invocations: count, buffers })
}
