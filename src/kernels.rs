//! The one list of kernels. A kernel is declared beside its twin and entered here; the test over this list runs each on
//! every adapter present and compares it with its twin, as `gpu-solve verify` does on a user's machine.

use std::ops::Range;

use crate::kernel::{Kernel, Launch};
use crate::puzzles::billiard::Solver;
use crate::puzzles::braincube::boards::Boards;
use crate::puzzles::index_space::{self, IndexSpace, mix};
use crate::puzzles::{billiard, brainball, braincube};
use crate::search::linear::kernels;

/// Every kernel of the crate.
pub const ALL: &[&Kernel] = &[
    &billiard::brute_force::KERNEL,
    &billiard::strategy::KERNEL,
    &billiard::diagonal::KERNEL,
    &billiard::rows::KERNEL,
    &brainball::expand::KERNEL,
    &brainball::seek::KERNEL,
    &brainball::ring::carry::KERNEL,
    &braincube::frontier::KERNEL,
    &braincube::boards::KERNEL_32,
    &braincube::boards::KERNEL_64,
    &braincube::stage::expand::KERNEL,
    &kernels::SWEEP,
    &kernels::DOT,
    &kernels::COMBINE,
];

/// A space that a kernel walks: `gpu-solve bench` times it, and further trials are drawn from it.
#[derive(Clone)]
pub struct Sample {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Names the space.
    pub what: &'static str,
    /// Makes it; `None` would be a defect of this list.
    pub space: fn() -> Option<Box<dyn IndexSpace>>,
    /// The indices to time.
    pub range: Range<u128>,
    /// Indices of a drawn trial, each of which may be a hit; 0: none is drawn, since any may hold more than one dispatch can
    /// finish.
    pub drawn: u32,
}

/// Of each kernel over an index space, one. The last indices of a board size are those with most squares.
pub const SAMPLES: &[Sample] = &[
    Sample {
        kernel: &billiard::brute_force::KERNEL,
        what: "order 5, max 15",
        space: || Some(Solver::BruteForce.space(5, 15).ok()?),
        range: 370_000_000_000..1_307_674_368_000,
        drawn: 1 << 20,
    },
    Sample {
        kernel: &billiard::strategy::KERNEL,
        what: "order 7, max 33",
        space: || Some(Solver::Strategy.space(7, 33).ok()?),
        range: 0..21_531_121_920,
        drawn: 1 << 20,
    },
    Sample {
        kernel: &billiard::diagonal::KERNEL,
        what: "order 7, max 33",
        space: || Some(Solver::Diagonal.space(7, 33).ok()?),
        range: 0..982_080,
        drawn: 1 << 11,
    },
    Sample {
        kernel: &billiard::rows::KERNEL,
        what: "order 9, max 58",
        space: || Some(Solver::Rows.space(9, 58).ok()?),
        range: 0..12_000,
        drawn: 0,
    },
    Sample {
        kernel: &brainball::seek::KERNEL,
        what: "six turns",
        space: || Some(brainball::seek::sample()),
        range: 0..13 * 12u128.pow(5),
        drawn: 1 << 14,
    },
    Sample {
        kernel: &braincube::boards::KERNEL_32,
        what: "5x6, corner to corner",
        space: || Some(Box::new(Boards::new(5, 6, false).ok()?)),
        range: 0..1 << 30,
        drawn: 1 << 20,
    },
    Sample {
        kernel: &braincube::boards::KERNEL_64,
        what: "6x6, corner to corner",
        space: || Some(Box::new(Boards::new(6, 6, false).ok()?)),
        range: (1 << 36) - (1 << 34)..1 << 36,
        drawn: 1 << 18,
    },
];

/// Trials of a kernel at places drawn by a seed; none for a kernel that walks no index space.
#[must_use]
pub fn draw(kernel: &Kernel, seed: u32) -> Vec<Launch> {
    let of_kernel = SAMPLES.iter().filter(|sample| sample.drawn > 0 && sample.kernel.name == kernel.name);
    let drawn = of_kernel.filter_map(|sample| {
        let space = (sample.space)()?;
        let length = u128::from(sample.drawn).min(space.size());
        let start = u128::from(mix(seed, sample.drawn)) % (space.size() - length + 1);
        Some(index_space::launch(&*space, &(start..start + length), sample.drawn))
    });
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_within_its_space_and_of_a_kernel_of_the_list() {
        for sample in SAMPLES {
            let space = (sample.space)().unwrap();
            assert_eq!(sample.kernel.name, space.kernel().name);
            assert!(ALL.iter().any(|kernel| kernel.name == space.kernel().name));
            assert!(
                !sample.range.is_empty() && sample.range.end <= space.size(),
                "{}: 0..{}",
                sample.what,
                space.size()
            );
        }
    }

    #[test]
    fn draws_differ_by_seed_and_are_of_the_kernel_asked_for() {
        let kernel = &billiard::brute_force::KERNEL;
        let (one, other) = (draw(kernel, 1), draw(kernel, 2));
        assert_eq!((one.len(), other.len()), (1, 1));
        assert_ne!(one[0].buffers[0], other[0].buffers[0]);
        assert_eq!(one, draw(kernel, 1));
        assert!(draw(&kernels::DOT, 1).is_empty());
    }
}
