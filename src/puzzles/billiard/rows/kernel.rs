//! The kernel's declaration, and the bounds as its table has them.
//!
//! | words of `tables` | content |
//! | --- | --- |
//! | 0 | 1: the path bound is in use |
//! | 1 + k | where the bounds of a node of k rows start |
//! | there | fresh values summed at most (a byte), number of lists (a byte), words from here to the gaps |
//! | behind | the lists, those of pairs first: number of ways (a byte) and `t·M`; then each way, three counts and the loss (a byte each) |
//! | the gaps | for each distance from the left entry to the right one, and for each from the left one to the middle one (0: a pair) below it: the list's number, or [`NO_LIST`] |

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and columns are below 256")]

use super::Rows;
use super::bounds::{Bounds, List, MOST_ROWS, RowBounds};
use crate::kernel::{Binding, Kernel, Launch};
use crate::puzzles::billiard::{END, trials};
use crate::puzzles::index_space::{self, HEADER_WORDS, LANE_BINDINGS, Lanes, MOST_TURNS};

const BINDINGS: &[Binding] = &[
    LANE_BINDINGS[0],
    LANE_BINDINGS[1],
    LANE_BINDINGS[2],
    LANE_BINDINGS[3],
    LANE_BINDINGS[4],
    LANE_BINDINGS[5],
    LANE_BINDINGS[6],
    Binding::read("tables"),
];

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "billiard/rows",
    wgsl: &[
        include_str!("../../../../shaders/common/digest.wgsl"),
        include_str!("../../../../shaders/common/index_space.wgsl"),
        include_str!("../../../../shaders/billiard/packed.wgsl"),
        include_str!("../../../../shaders/billiard/rows.wgsl"),
    ],
    bindings: BINDINGS,
    constants: &["TURNS", "TRIES"],
    twin,
    trials: trial_launches,
};

/// Where pairs or triples with these gaps are not looked at.
const NO_LIST: u32 = 255;
/// Turns of a round's own loops in the kernel: so many tries, each so many turns.
pub const TRIES: u32 = 2;
pub const TURNS: u32 = 8;

fn lists(row: &RowBounds) -> impl Iterator<Item = &List> {
    row.pairs.iter().chain(&row.triples)
}

/// What a lane saves, and how many rounds all loops of a dispatch can surely turn.
pub fn lanes(order: usize, bounds: &Bounds) -> Lanes {
    let in_limits = |rows: usize| {
        let row = bounds.row(rows);
        lists(row).map(|list| 1 + list.ways.len()).sum::<usize>()
    };
    let in_check = |rows: usize| rows * (rows + 1) / 2 + rows;
    let in_sums = 8 + (0..=order).map(|rows| bounds.row(rows).summed).fold(order, usize::max);
    let a_try = |rows: usize| TURNS as usize + rows + in_sums + 8;
    let a_meeting = |rows: usize| in_sums + in_limits(rows) + in_check(rows) + 3 * order + 8;
    // A round may fetch a prefix, whose rows take some turns too.
    let round = (0..=order).map(|rows| TRIES as usize * a_try(rows) + a_meeting(rows) + 32).max().unwrap_or(1);
    let record = 8 + order;
    Lanes { state_words: 4 * (3 + (order + 1) * record), rounds: MOST_TURNS / round as u32 }
}

/// The bounds as words.
pub fn tables(order: usize, bounds: &Bounds) -> Vec<u32> {
    let mut words = vec![u32::from(bounds.which().path)];
    words.resize(order + 2, 0);
    for rows in 0..=order {
        let row = bounds.row(rows);
        let start = words.len();
        words[1 + rows] = start as u32;
        words.push(0);
        let mut gaps = vec![[NO_LIST; MOST_ROWS]; rows];
        for (number, list) in lists(row).enumerate() {
            let paths = if number < row.pairs.len() { 2 } else { 3 };
            push(&mut words, list, paths * bounds.max());
            for [first, whole] in &list.gaps {
                gaps[usize::from(*whole)][usize::from(*first)] = number as u32;
            }
        }
        words[start] = row.summed as u32 | (lists(row).count() as u32) << 8 | ((words.len() - start) as u32) << 16;
        words.extend(gaps.iter().enumerate().flat_map(|(whole, firsts)| &firsts[..whole]));
    }
    words
}

fn push(words: &mut Vec<u32>, list: &List, top: i32) {
    words.push(list.ways.len() as u32 | (top as u32) << 8);
    words.extend(list.ways.iter().map(|way| {
        let [a, b, c] = way.cells.map(u32::from);
        a | b << 8 | c << 16 | ((top - way.limit) as u32) << 24
    }));
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
            (4, 40, &[(17, 300), (5_000, 5_200)]),
            (4, 150, &[(500, 600)]),
            (4, 256, &[(40_000, 40_060)]),
            (5, 15, &[ALL]),
            (5, 30, &[(3, 60)]),
            (6, 22, &[ALL]),
            (7, 33, &[(0, 60), (920, 980)]),
            (8, 44, &[(1_000, 1_020), (4_480, END)]),
            (9, 58, &[(12_140, END)]),
            (11, 100, &[(5_126_590, END)]),
        ],
    )
}
