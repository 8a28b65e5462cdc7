//! The kernels' declarations, one for boards whose sets of squares are one word and one for larger ones, and their trials.

use std::ops::Range;

use super::Boards;
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::{self, IndexSpace, LANE_BINDINGS, Lanes, MOST_TURNS};

/// Squares of the largest boards whose sets are one word of the kernel.
const ONE_WORD: u32 = 32;
/// Words that a lane saves.
const STATE_WORDS: usize = 28;
/// Layers of a search that the kernels for either size tell apart: more than any search has.
const DEPTH_32: u32 = 64;
const DEPTH_64: u32 = 128;

const CONSTANTS: &[&str] = &["ROWS", "COLS", "PAIRS", "RUN_BITS", "DEPTH"];

/// The kernel for boards of up to 32 squares.
pub const KERNEL_32: Kernel = Kernel {
    name: "braincube/boards-32",
    wgsl: &[
        include_str!("../../../../shaders/common/digest.wgsl"),
        include_str!("../../../../shaders/common/index_space.wgsl"),
        include_str!("../../../../shaders/braincube/squares_32.wgsl"),
        include_str!("../../../../shaders/braincube/boards.wgsl"),
    ],
    bindings: LANE_BINDINGS,
    constants: CONSTANTS,
    twin,
    trials: trials_32,
};

/// The kernel for boards of up to 64 squares.
pub const KERNEL_64: Kernel = Kernel {
    name: "braincube/boards-64",
    wgsl: &[
        include_str!("../../../../shaders/common/digest.wgsl"),
        include_str!("../../../../shaders/common/index_space.wgsl"),
        include_str!("../../../../shaders/braincube/squares_64.wgsl"),
        include_str!("../../../../shaders/braincube/boards.wgsl"),
    ],
    bindings: LANE_BINDINGS,
    constants: CONSTANTS,
    twin,
    trials: trials_64,
};

/// The kernel for boards of so many squares.
pub(super) fn of(squares: u32) -> &'static Kernel {
    if squares <= ONE_WORD { &KERNEL_32 } else { &KERNEL_64 }
}

/// Layers that it tells apart.
pub(super) fn depth(squares: u32) -> u32 {
    if squares <= ONE_WORD { DEPTH_32 } else { DEPTH_64 }
}

/// What its lanes need.
pub(super) fn lanes(squares: u32) -> Lanes {
    // A round is a search, which turns once a layer.
    Lanes { state_words: STATE_WORDS, rounds: MOST_TURNS / (depth(squares) + 2) }
}

fn twin(launch: &mut Launch) {
    if let [rows, cols, pairs, ..] = launch.constants[..]
        && let Ok(space) = Boards::new(rows, cols, pairs != 0)
    {
        index_space::twin(&space, launch);
    }
}

fn trials_of(boards: &[(u32, u32, bool, &[Range<u128>])]) -> Vec<Launch> {
    let mut launches = Vec::new();
    for &(rows, cols, pairs, ranges) in boards {
        let Ok(space) = Boards::new(rows, cols, pairs) else { continue };
        launches.extend(ranges.iter().map(|range| {
            index_space::launch(&space, &(range.start.min(space.size())..range.end.min(space.size())), 16)
        }));
    }
    launches
}

#[expect(clippy::single_range_in_vec_init, reason = "one range of indices to walk")]
fn trials_32() -> Vec<Launch> {
    const ALL: Range<u128> = 0..u128::MAX;
    trials_of(&[
        (1, 1, false, &[ALL]),
        (1, 4, false, &[ALL]),
        (1, 7, false, &[ALL, 65..128]),
        (4, 2, false, &[ALL]),
        (3, 3, false, &[ALL, 300..512, 511..512]),
        (4, 4, false, &[ALL, 52_470..52_473, 33_000..60_001]),
        (2, 10, false, &[ALL, 700_001..981_496]),
        (5, 5, false, &[(1 << 24) + 12_345..(1 << 24) + 3_000_000]),
        (4, 8, false, &[0xf7ff_0123..0xf800_0000]),
        (1, 5, true, &[ALL]),
        (3, 3, true, &[ALL, 100..412]),
        (3, 5, true, &[ALL, 1_000..20_001]),
        (4, 8, true, &[0xff00_0001..0xff00_0080]),
    ])
}

fn trials_64() -> Vec<Launch> {
    let top = |squares: u32, count: u128| (1u128 << squares) - count..1u128 << squares;
    trials_of(&[
        // Round one of the four hardest boards of its size.
        (6, 6, false, &[top(36, 300_000), 59_993_400_003..59_994_500_001]),
        (3, 11, false, &[top(33, 200_001)]),
        (7, 7, false, &[top(49, 30_000)]),
        (8, 8, false, &[top(64, 3_000)]),
        (6, 6, true, &[top(36, 100)]),
        (1, 40, true, &[top(40, 200)]),
    ])
}
