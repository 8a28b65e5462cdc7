//! The kernel `brainball/seek`: all sequences of so many turns from one position, each end looked up in a layer.
//!
//! A sequence that undoes no turn at once is an index: 13 · 12^(turns − 1) of them, the first turn's digit on top, every
//! other digit passing over the turn before it. A run is all sequences with the same prefix, all but the last two turns:
//! bounded work, so that a dispatch of many of them is paced by their number. The space's own words of `params`: the
//! position (nibbles 0..8, nibbles 8..13, colours), turns, lines a bucket of the layer. A fourth binding, `table`, is
//! the layer. The unit of work is a word of the layer looked at.

use std::ops::Range;
use std::sync::Arc;

use super::packed::{FixedSpace, Packed, RingSpace, Space};
use crate::kernel::{Binding, Compare, Kernel, Launch};
use crate::puzzles::compact::{LINE, MAX_PROBES, Mixed, Mixer};
use crate::puzzles::index_space::{self, HEADER_WORDS, IndexSpace, Tally};
use crate::puzzles::layered::{Layered, Seeking, Table, Turning};

/// Most turns that can be numbered: the kernel keeps all digits but the first and the last two in one word.
pub const MOST_TURNS: u32 = 10;

/// `brainball/seek`
pub static KERNEL: Kernel = Kernel {
    name: "brainball/seek",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/common/index_space.wgsl"),
        include_str!("../../../shaders/brainball/ball.wgsl"),
        include_str!("../../../shaders/common/compact.wgsl"),
        include_str!("../../../shaders/brainball/seek.wgsl"),
    ],
    bindings: &[
        Binding::read("params"),
        Binding::write("tally", Compare::Exact),
        Binding::write("hits", Compare::Records(1)),
        Binding::read("table"),
    ],
    constants: &["RING"],
    twin,
    trials,
};

/// The sequences from one position.
struct Sequences<const RING: bool> {
    start: Packed<13>,
    turns: u32,
    table: Table,
}

impl<const RING: bool> Sequences<RING> {
    fn holds(&self, key: u64) -> (bool, u64) {
        let Mixed { bucket, word } = Mixer::new(Space::<13, RING>.key_bits()).mix(key);
        let mut line = Mixed { bucket, word }.home(self.table.lines);
        let mut looked = 0;
        for _ in 0..MAX_PROBES.min(self.table.lines) {
            let first = (bucket as usize * self.table.lines as usize + line as usize) * LINE;
            for held in &self.table.words[first..first + LINE] {
                looked += 1;
                if *held == word || *held == 0 {
                    return (*held == word, looked);
                }
            }
            line = if line + 1 == self.table.lines { 0 } else { line + 1 };
        }
        (false, looked)
    }
}

/// The turns of a sequence's index.
fn sequence(index: u128, turns: u32) -> Vec<usize> {
    let mut digits = Vec::new();
    let mut rest = index;
    for _ in 1..turns {
        digits.push(usize::try_from(rest % 12).unwrap_or(0));
        rest /= 12;
    }
    let mut last = usize::try_from(rest).unwrap_or(0);
    let mut sequence = vec![last];
    for digit in digits.into_iter().rev() {
        last = digit + usize::from(digit >= last);
        sequence.push(last);
    }
    sequence
}

impl<const RING: bool> IndexSpace for Sequences<RING> {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn size(&self) -> u128 {
        13 * 12u128.pow(self.turns - 1)
    }

    fn run_length(&self) -> u32 {
        12u32.pow((self.turns - 1).min(2))
    }

    fn indices_per_second(&self) -> f64 {
        1e7
    }

    fn constants(&self) -> Vec<u32> {
        vec![u32::from(RING)]
    }

    fn run_words(&self, _: u128) -> Vec<u32> {
        let [low, high, colours] = self.start.words();
        vec![low, high, colours, self.turns, self.table.lines]
    }

    fn tables(&self) -> Vec<Arc<[u32]>> {
        vec![Arc::clone(&self.table.words)]
    }

    fn walk(&self, range: Range<u128>) -> Tally {
        let space = Space::<13, RING>;
        let mut tally = Tally::default();
        let (first, count) = index_space::runs(&range, self.run_length());
        let length = u128::from(self.run_length());
        for run in first..first + u128::from(count) {
            let (mut work, mut found) = (0, 0);
            for index in (run * length).max(range.start)..((run + 1) * length).min(range.end) {
                let turns = sequence(index, self.turns);
                let end = turns.iter().fold(self.start, |state, turn| state.turned(*turn));
                let (held, looked) = self.holds(space.key(&end));
                work += looked;
                if held {
                    found += 1;
                    tally.hits.push(index);
                }
            }
            tally.enter_run(run, work, found);
        }
        tally
    }
}

impl<const RING: bool> Seeking for Space<13, RING> {
    fn seek(&self, start: &Packed<13>, turns: u32, table: Table) -> Option<Box<dyn IndexSpace>> {
        let sequences = Sequences::<RING> { start: *start, turns, table };
        (1..=MOST_TURNS).contains(&turns).then(|| Box::new(sequences) as Box<dyn IndexSpace>)
    }

    fn sequence(&self, index: u128, turns: u32) -> Vec<usize> {
        sequence(index, turns)
    }
}

/// All sequences of six turns from a scrambled position, against layer 1 under the fixed goal.
#[must_use]
pub fn sample() -> Box<dyn IndexSpace> {
    Box::new(sequences_of(FixedSpace::default(), 6))
}

fn twin(launch: &mut Launch) {
    let (Some(params), Some(table)) = (launch.buffers.first(), launch.buffers.get(3)) else { return };
    let &[low, high, colours, turns, lines, ..] = &params[HEADER_WORDS..] else { return };
    let table = Table { words: Arc::from(table.as_slice()), lines };
    let start = Packed::from_words([low, high, colours]);
    match launch.constants.as_slice() {
        [0] => index_space::twin(&Sequences::<false> { start, turns, table }, launch),
        _ => index_space::twin(&Sequences::<true> { start, turns, table }, launch),
    }
}

/// From a scrambled position, one to four turns against layer 1, whole and clipped.
fn trials() -> Vec<Launch> {
    let mut trials = trials_of(FixedSpace::default());
    trials.extend(trials_of(RingSpace::default()));
    trials
}

fn trials_of<const RING: bool>(space: Space<13, RING>) -> Vec<Launch> {
    let piece = |turns: u32, range: Option<Range<u128>>| {
        let sequences = sequences_of(space, turns);
        index_space::launch(&sequences, &range.unwrap_or(0..sequences.size()), 64)
    };
    vec![piece(1, None), piece(2, None), piece(3, None), piece(4, Some(1000..9_999))]
}

/// So many turns from a position that is one turn more from solved, against layer 1.
fn sequences_of<const RING: bool>(space: Space<13, RING>, turns: u32) -> Sequences<RING> {
    const AXES: [usize; 7] = [3, 8, 0, 5, 2, 9, 4];
    let mixer = Mixer::new(space.key_bits());
    let mut words = vec![0; mixer.buckets() as usize * LINE];
    let mut next = Vec::new();
    space.expand(space.start().key, &mut next);
    for successor in next {
        let Mixed { bucket, word } = mixer.mix(successor.key);
        words[bucket as usize * LINE] = word;
    }
    let solved = Space::<13, RING>::unkey(space.start().key);
    let start = AXES.iter().take(turns as usize + 1).fold(solved, |state, &axis| state.turned(axis));
    Sequences { start, turns, table: Table { words: Arc::from(words), lines: 1 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_name_each_sequence_without_an_immediate_repetition_once_in_order() {
        let all: Vec<_> = (0..13 * 144).map(|index| sequence(index, 3)).collect();
        assert!(all.is_sorted());
        assert!(all.iter().all(|turns| turns[0] != turns[1] && turns[1] != turns[2] && turns[2] < 13));
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
