//! The kernel `brainball/carry` and its twin: what [`super::walk`] does, a piece of a row at a time.
//!
//! Bindings, all of `u32`:
//!
//! | binding | content |
//! | --- | --- |
//! | `params` | words to take, the first of them, the parity of the home row, 0 to push or 1 to pull, `Pin` |
//! | `turn` | `TurnTable`: how addresses of images add up |
//! | `marked` | the row that is read, each word of 60 columns as (low, high) |
//! | `into` | the row that is changed |
//!
//! An invocation takes a word of the home row, which is `marked` to push and `into` to pull. Pushing, the images of its
//! marked columns become marked in `into`; pulling, those of its columns become marked whose image is in `marked`. A `Pin`
//! is a place and a name, and leaves alone the columns that have another name there; place 0 pins nothing.

use super::bracelets::Bracelets;
use super::columns::{COLUMNS_MASK, Names, VARYING, WORD_COLUMNS, unrank, words};
use super::lanes::PATTERNS;
use super::transfer::{PairSums, Transfer};
use crate::kernel::{Binding, Compare, Kernel, Launch};
use crate::puzzles::rows::Way;

/// Words of `params`.
pub const PARAMS_WORDS: usize = 6;
/// Places in a row of the pairs' square, whatever the ring's size.
const STRIDE: usize = 13;
const PAIRS_AT: usize = 1;
const PATTERNS_AT: usize = PAIRS_AT + STRIDE * STRIDE;
const SUMS_AT: usize = PATTERNS_AT + 2 * WORD_COLUMNS as usize;
/// Words of `turn`.
pub const TURN_WORDS: usize = SUMS_AT + 2 * WORD_COLUMNS as usize;

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "brainball/carry",
    wgsl: &[include_str!("../../../../shaders/brainball/carry.wgsl")],
    bindings: &[
        Binding::read("params"),
        Binding::read("turn"),
        Binding::read("marked"),
        Binding::write("into", Compare::Exact),
    ],
    constants: &["TILES"],
    twin,
    trials,
};

/// `turn`: the constant; the pairs, 13 to a row; by parity of the five varying tiles and by column, which of the five
/// names each varying place has (4 bits each); by the same, what the pairs of varying places add.
#[must_use]
pub fn turn_table<const N: usize>(transfer: &Transfer<N>) -> Vec<u32> {
    let PairSums { constant, pairs } = transfer.pair_sums();
    let mut table = vec![0; TURN_WORDS];
    table[0] = constant;
    for (a, pairs) in pairs.iter().enumerate() {
        table[PAIRS_AT + STRIDE * a..][..N].copy_from_slice(pairs);
    }
    let places = |parity: usize, column: usize| PATTERNS[parity].map(|names| names[column]);
    for (parity, column) in (0..2).flat_map(|parity| (0..WORD_COLUMNS as usize).map(move |column| (parity, column))) {
        let at = WORD_COLUMNS as usize * parity + column;
        let names: [u32; VARYING] = places(parity, column);
        for v in 0..VARYING {
            table[PATTERNS_AT + at] |= names[v] << (4 * v);
            for w in (v + 1..VARYING).filter(|w| names[v] < names[*w]) {
                table[SUMS_AT + at] = table[SUMS_AT + at].wrapping_add(pairs[N - VARYING + v][N - VARYING + w]);
            }
        }
    }
    table
}

/// A place and the name that is wanted there; place 0: any.
pub type Pin = (u32, u32);

/// Every arrangement.
pub const NO_PIN: Pin = (0, 0);

/// `params`.
#[must_use]
pub fn params(words: u32, first: u32, odd: bool, way: Way, pin: Pin) -> [u32; PARAMS_WORDS] {
    [words, first, u32::from(odd), u32::from(way == Way::Pull), pin.0, pin.1]
}

fn twin(launch: &mut Launch) {
    match launch.constants[..] {
        [7] => carry::<7>(launch),
        [9] => carry::<9>(launch),
        [11] => carry::<11>(launch),
        [13] => carry::<13>(launch),
        _ => {}
    }
}

/// Column by column, by the plain sums over pairs.
fn carry<const N: usize>(launch: &mut Launch) {
    let invocations = launch.invocations;
    let [params, turn, marked, into] = &mut launch.buffers[..] else { return };
    let [words, first, odd, pull, place, name] = params[..] else { return };
    let mut pairs = [[0; N]; N];
    for (a, row) in pairs.iter_mut().enumerate() {
        row.copy_from_slice(&turn[PAIRS_AT + STRIDE * a..][..N]);
    }
    let sums = PairSums { constant: turn[0], pairs };
    for word in first..first + words.min(invocations) {
        let at = 2 * word as usize;
        let home: &[u32] = if pull == 1 { into } else { marked };
        let home = u64::from(home[at]) | u64::from(home[at + 1]) << 32;
        let mut left = if pull == 1 { !home & COLUMNS_MASK } else { home };
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let names: Names<N> = unrank(64 * word + bit, odd == 1);
            if place != 0 && u32::from(names[place as usize]) != name {
                continue;
            }
            let image = sums.image(&names);
            if pull == 0 {
                into[image as usize / 32] |= 1 << (image % 32);
            } else if marked[image as usize / 32] >> (image % 32) & 1 == 1 {
                into[at + bit as usize / 32] |= 1 << (bit % 32);
            }
        }
    }
}

/// Both ways, on every ring; whole rows where they are short, and the ends of a long one. (A row of 13 tiles is 32 MB;
/// its chosen rows have a test of their own.)
fn trials() -> Vec<Launch> {
    let mut trials = Vec::new();
    for way in [Way::Push, Way::Pull] {
        trials.extend([(0, 3), (5, 0), (17, 6)].map(|(row, axis)| trial::<7>(row, axis, (way, NO_PIN), 0, 6)));
        trials.extend([(9, 4), (45, 8)].map(|(row, axis)| trial::<9>(row, axis, (way, NO_PIN), 0, 336)));
        // A place of the fixed ones, and one of those that vary within a word.
        trials.extend([(2, 5), (6, 1)].map(|pin| trial::<9>(31, 2, (way, pin), 0, 336)));
        trials.push(trial::<9>(20, 1, (way, NO_PIN), 100, 77));
        trials.push(trial::<11>(63, 5, (way, (8, 10)), 100, 240));
    }
    trials
}

/// A launch over some words of a row, with columns of both rows marked at random.
#[must_use]
pub fn trial<const N: usize>(row: usize, axis: usize, (way, pin): (Way, Pin), first: u32, count: u32) -> Launch {
    let bracelets = Bracelets::<N>::new();
    let (_, transfer) = Transfer::of_turn(&bracelets, row, axis);
    let odd = bracelets.colours(row).count_ones() % 2 == 1;
    let mut buffers = vec![params(count, first, odd, way, pin).to_vec(), turn_table(&transfer)];
    let size = u32::try_from(2 * words::<N>()).unwrap_or(0);
    for (seed, rare) in [(1, 3), (2, 5)] {
        let keep = |word: u32| {
            let mixed = crate::puzzles::index_space::mix(word, seed);
            #[expect(clippy::cast_possible_truncation, reason = "the low half")]
            let bits = if mixed.is_multiple_of(rare) { mixed as u32 } else { 1 << (word % 28) };
            if word % 2 == 1 { bits & 0x0fff_ffff } else { bits }
        };
        buffers.push((0..size).map(keep).collect());
    }
    Launch { constants: vec![u32::try_from(N).unwrap_or(0)], invocations: count, buffers }
}
