//! The kernel's declaration, and the bounds as its table has them.
//!
//! | words of `tables` | content |
//! | --- | --- |
//! | 0 | 1 where the path bound is in use, else 0 |
//! | 1 + k | where the bounds of a node of k rows start |
//! | there | fresh values summed at most, number of lists of pairs, of triples (a byte each, lowest first) |
//! | behind | the lists, pairs first: number of ways (a byte) and of gaps; the ways, each three counts and the loss (a byte each); the gaps, each from the left entry to the middle one (0 in a pair) and to the right one (a byte each) |

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and columns are below 256")]

use super::Rows;
use super::bounds::{Bounds, List};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::billiard::{END, trials};
use crate::puzzles::index_space::{self, HEADER_WORDS, LANE_BINDINGS, Lanes};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "billiard/rows",
    wgsl: &[
        include_str!("../../../../shaders/common/digest.wgsl"),
        include_str!("../../../../shaders/common/index_space.wgsl"),
        include_str!("../../../../shaders/billiard/rows.wgsl"),
    ],
    bindings: LANE_BINDINGS,
    constants: &[],
    twin,
    trials: trial_launches,
};

/// Turns of a round's own loop in the kernel.
const TURNS: u32 = 10;
/// Mesa's llvmpipe cuts an invocation short once all its loops together have turned 65,535 times.
const MOST_TURNS: u32 = 65_000;

/// What a lane saves, and how many rounds all loops of a dispatch can surely turn.
pub fn lanes(order: usize, bounds: &Bounds) -> Lanes {
    let rows = (0..=order).map(|rows| bounds.row(rows));
    let in_check = rows.map(|row| {
        let lists = || row.pairs.iter().chain(&row.triples);
        lists().map(|list| 1 + list.ways.len() + list.gaps.len()).sum::<usize>() + row.summed.max(order) + 8
    });
    // A round may fetch a prefix, whose rows take some turns too, and opens a row after its check.
    let round = TURNS as usize + in_check.max().unwrap_or(0) + 4 * order + 32;
    Lanes { state_words: 4 * (3 + (order + 1) * (8 + order)), rounds: MOST_TURNS / round as u32 }
}

/// The bounds as words.
pub fn tables(order: usize, bounds: &Bounds) -> Vec<u32> {
    let mut words = vec![u32::from(bounds.which().path)];
    words.resize(order + 2, 0);
    for rows in 0..=order {
        let row = bounds.row(rows);
        words[1 + rows] = words.len() as u32;
        words.push(row.summed as u32 | (row.pairs.len() as u32) << 8 | (row.triples.len() as u32) << 16);
        for (lists, paths) in [(&row.pairs, 2), (&row.triples, 3)] {
            for list in lists {
                push(&mut words, list, paths * bounds.max());
            }
        }
    }
    words
}

fn push(words: &mut Vec<u32>, list: &List, top: i32) {
    words.push(list.ways.len() as u32 | (list.gaps.len() as u32) << 8);
    words.extend(list.ways.iter().map(|way| {
        let [a, b, c] = way.cells.map(u32::from);
        a | b << 8 | c << 16 | ((top - way.limit) as u32) << 24
    }));
    words.extend(list.gaps.iter().map(|[first, whole]| u32::from(*first) | u32::from(*whole) << 8));
}

fn twin(launch: &mut Launch) {
    let word = |at: usize| launch.buffers[0].get(HEADER_WORDS + at).map_or(0, |&word| word as usize);
    // A launch that describes no space is left as it is: no space makes one.
    if let Ok(space) = Rows::new(word(0), word(1)) {
        index_space::twin(&space, launch);
    }
}

fn trial_launches() -> Vec<Launch> {
    const ALL: (u128, u128) = (0, END);
    // Each small enough to be through in one dispatch even if the lanes of one workgroup take all of it, as they do where
    // workgroups run one after the other.
    trials(
        Rows::new,
        &[
            (1, 1, &[ALL]),
            (1, 256, &[ALL, (3, 250)]),
            (2, 3, &[ALL]),
            (2, 100, &[(5, 300)]),
            (3, 6, &[ALL]),
            (3, 70, &[(1000, 3000)]),
            (4, 10, &[ALL]),
            (4, 40, &[(17, 1_000), (5_000, 5_300)]),
            (4, 150, &[(500, 700)]),
            (4, 256, &[(40_000, 40_100)]),
            (5, 15, &[ALL]),
            (5, 30, &[(3, 60)]),
            (6, 22, &[ALL]),
            (7, 33, &[(0, 100), (900, 1_000)]),
            (8, 44, &[(1_000, 1_020), (4_480, END)]),
            (9, 58, &[(12_140, END)]),
            (11, 100, &[(5_126_590, END)]),
        ],
    )
}
