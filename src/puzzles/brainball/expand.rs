//! The kernel `brainball/expand`: all neighbours of the classes of a layer of 13 tiles. Its contract is
//! [`crate::puzzles::expansion`]'s.

use super::packed::{FixedSpace, RingSpace, Space};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::expansion::{self, Expanding};

/// `brainball/expand`
pub static KERNEL: Kernel = Kernel {
    name: "brainball/expand",
    wgsl: &[
        expansion::WGSL,
        include_str!("../../../shaders/brainball/ball.wgsl"),
        include_str!("../../../shaders/brainball/expand.wgsl"),
    ],
    bindings: expansion::BINDINGS,
    constants: &["RING"],
    twin,
    trials,
};

impl<const RING: bool> Expanding for Space<13, RING> {
    fn kernel(&self) -> &'static Kernel {
        &KERNEL
    }

    fn constants(&self) -> Vec<u32> {
        vec![u32::from(RING)]
    }
}

fn twin(launch: &mut Launch) {
    match launch.constants.as_slice() {
        [0] => expansion::twin(&FixedSpace::default(), launch),
        _ => expansion::twin(&RingSpace::default(), launch),
    }
}

fn trials() -> Vec<Launch> {
    let mut trials = expansion::trials(&FixedSpace::default());
    trials.extend(expansion::trials(&RingSpace::default()));
    trials
}
