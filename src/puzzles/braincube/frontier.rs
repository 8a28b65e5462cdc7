//! The kernel that expands a frontier of states backwards, and its twin. WGSL: `shaders/braincube/frontier.wgsl`.
//!
//! An invocation takes one frontier state and looks at the four moves into it.

use super::board::Board;
use super::state::{Move, MoveKind, Pose};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::index_space::mix;
use crate::puzzles::state_graph::{FRONTIER_BINDINGS, FrontierGraph, StateGraph};

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "braincube/frontier",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/braincube/frontier.wgsl"),
    ],
    bindings: FRONTIER_BINDINGS,
    constants: &[],
    twin,
    trials,
};

/// The words of `params` after the three that every frontier kernel has.
fn words(board: &Board) -> Vec<u32> {
    let mut words = vec![board.plane()];
    for pose in Pose::ALL {
        words.extend(Move::ALL.map(|direction| board.shift(pose, direction.opposite()).1));
    }
    words
}

impl FrontierGraph for Board {
    fn frontier_kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn frontier_words(&self) -> Vec<u32> {
        words(self)
    }
}

fn twin(launch: &mut Launch) {
    let [params, open, frontier, tally, next] = launch.buffers.as_mut_slice() else { return };
    let (count, capacity, claim, plane) = (params[0] as usize, params[1] as usize, params[2] == 1, params[3]);
    let mut digest = u64::from(tally[1]) | u64::from(tally[2]) << 32;
    let mut append = |state: u32, kind: u32| {
        if (tally[0] as usize) < capacity {
            next[tally[0] as usize] = state | kind << 30;
        }
        tally[0] += 1;
        digest = digest.wrapping_add(mix(state, kind));
    };
    for &state in &frontier[..count] {
        let pose = usize::from(state >= plane) + usize::from(state >= 2 * plane);
        for direction in 0..4 {
            let before = state.wrapping_add(params[4 + pose * 4 + direction]);
            let Some(word) = open.get_mut(before as usize / 32) else { continue };
            if *word >> (before % 32) & 1 == 0 {
                continue;
            }
            if claim {
                *word &= !(1 << (before % 32));
                append(before, 0);
            } else {
                let from = Pose::ALL[usize::from(before >= plane) + usize::from(before >= 2 * plane)];
                append(before, MoveKind::between(from, Pose::ALL[pose]) as u32);
            }
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "split into words")]
    let halves = [digest as u32, (digest >> 32) as u32];
    tally[1..3].copy_from_slice(&halves);
}

fn trials() -> Vec<Launch> {
    let mut trials = Vec::new();
    for (rows, cols, hole) in [(3, 3, 7), (9, 70, 5), (33, 40, 11)] {
        let Ok(board) = Board::from_squares(rows, cols, |r, c| (r * 3 + c * 7 + r * c) % hole != 1) else { continue };
        let states: Vec<u32> = board.each_state().collect();
        for (claim, every) in [(1, 1), (1, 7), (0, 1), (0, 5)] {
            let frontier: Vec<u32> = states.iter().copied().step_by(every).collect();
            let mut open: Vec<u32> = board.states().iter().flat_map(|&word| halves(word)).collect();
            if claim == 1 {
                for &state in &frontier {
                    // With a dense frontier some stay open, so that several moves race for one state.
                    if every > 1 || state % 3 == 0 {
                        open[state as usize / 32] &= !(1 << (state % 32));
                    }
                }
            }
            let length = u32::try_from(frontier.len()).unwrap_or(u32::MAX);
            let capacity = 4 * length;
            let mut params = vec![length, capacity, claim];
            params.extend(words(&board));
            trials.push(Launch {
                constants: Vec::new(),
                invocations: length,
                buffers: vec![params, open, frontier, vec![0; 4], vec![0; capacity as usize]],
            });
        }
    }
    trials
}

/// A word of 64 bits as two, lowest first.
#[expect(clippy::cast_possible_truncation, reason = "split into words")]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
