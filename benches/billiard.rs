//! Each billiard kernel over the same indices, its CPU twin on all threads beside every adapter present.

mod beside;

use std::ops::Range;

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_solve::puzzles::billiard::Solver;

/// A solver, an order, a greatest number, and the indices to walk.
type Job = (Solver, usize, usize, Range<u128>);

fn kernels(criterion: &mut Criterion) {
    let jobs: [Job; 4] = [
        (Solver::BruteForce, 5, 15, 370_450_000_000..370_490_000_000),
        (Solver::Strategy, 6, 22, 0..53_721_360),
        (Solver::Diagonal, 6, 22, 0..9_240),
        (Solver::Diagonal, 7, 33, 500_000..530_000),
    ];
    for (solver, order, max, range) in jobs {
        let space = solver.space(order, max).expect("the space is sound");
        let indices = u64::try_from(range.end - range.start).expect("a short range");
        beside::walk(criterion, format!("billiard/{solver} order {order} max {max}"), &*space, &range, indices);
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
