//! The kernel `brainball/expand`: all neighbours of the classes of a layer of 13 tiles. Its contract is
//! [`crate::puzzles::expansion`]'s.

use super::packed::{FixedSpace, RingSpace, Space};
use crate::kernel::{Kernel, Launch};
use crate::puzzles::compact::{LINE, Mixed, Mixer};
use crate::puzzles::expansion::{self, Expanding, Piece, SEGMENTS, TALLY_WORDS};

/// `brainball/expand`
pub static KERNEL: Kernel = Kernel {
    name: "brainball/expand",
    wgsl: &[
        include_str!("../../../shaders/common/digest.wgsl"),
        include_str!("../../../shaders/brainball/ball.wgsl"),
        include_str!("../../../shaders/common/compact.wgsl"),
        include_str!("../../../shaders/common/expansion.wgsl"),
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

/// Layers 2 to 4 of either goal, and one into a next layer whose buckets have room for nothing more.
fn trials() -> Vec<Launch> {
    let mut trials = trials_of(&FixedSpace::default());
    trials.extend(trials_of(&RingSpace::default()));
    trials
}

fn trials_of<S: Expanding>(space: &S) -> Vec<Launch> {
    let mixer = Mixer::new(space.key_bits());
    let words = mixer.buckets() as usize * LINE;
    // One line a bucket, so that a bucket is a line.
    let table = |keys: &[u64]| {
        let mut table = vec![0; words];
        for key in keys {
            let Mixed { bucket, word } = mixer.mix(*key);
            let first = bucket as usize * LINE;
            if let Some(slot) = (first..first + LINE).find(|slot| table[*slot] == 0) {
                table[slot] = word;
            }
        }
        table
    };
    let mut layers = vec![vec![space.start().key]];
    for depth in 1..5 {
        let mut next = Vec::new();
        for key in &layers[depth - 1] {
            space.expand(*key, &mut next);
        }
        let mut keys: Vec<u64> = next.iter().map(|successor| successor.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| depth < 2 || !layers[depth - 2].contains(key));
        layers.push(keys);
    }
    let launch = |depth: usize, filled: u32| {
        let slots = u32::try_from(words).unwrap_or(0);
        let piece = Piece { slots, first_slot: 0, first_bucket: 0, layer_lines: 1, before_lines: 1, next_lines: 1 };
        let mut buffers =
            vec![piece.words().to_vec(), vec![0; TALLY_WORDS], table(&layers[depth]), table(&layers[depth - 1])];
        buffers.extend((0..SEGMENTS).map(|_| vec![filled; words / SEGMENTS]));
        Launch { constants: space.constants(), invocations: slots, buffers }
    };
    // Words without the marker bit stand for no class: a table full of them has room for none.
    vec![launch(1, 0), launch(3, 0), launch(4, 0), launch(2, 1)]
}
