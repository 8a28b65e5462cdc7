//! Conjugate gradients with a preconditioner that may change a little from step to step.

use rayon::prelude::*;

use super::multigrid::Multigrid;
use super::network::{CHUNK, Network};

/// How far one solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Steps taken.
    pub steps: usize,
    /// Norm of the residual over norm of the right-hand side, as the recurrence has it.
    pub reduction: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Summed chunk by chunk, then over the chunks: the result does not depend on the number of threads.
    let parts: Vec<f64> =
        a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
    parts.iter().sum()
}

/// Solves `A·x = b` from zero until the residual is `target` times `b`, or `limit` steps.
/// Each direction is made conjugate to the one before explicitly, as the preconditioner works in single precision.
pub fn solve(network: &Network, multigrid: &mut Multigrid, b: &[f64], x: &mut [f64], target: f64, limit: usize) -> Run {
    let n = network.len();
    x.fill(0.0);
    let mut residual = b.to_vec();
    let (mut preconditioned, mut direction, mut image) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let norm = dot(b, b).sqrt();
    let mut run = Run { steps: 0, reduction: if norm == 0.0 { 0.0 } else { 1.0 } };
    let mut curvature = 0.0;
    while run.reduction > target && run.steps < limit {
        multigrid.apply(&residual, &mut preconditioned);
        if run.steps == 0 {
            direction.copy_from_slice(&preconditioned);
        } else {
            let beta = -dot(&preconditioned, &image) / curvature;
            axpby(&preconditioned, beta, &mut direction);
        }
        network.apply(&direction, &mut image);
        curvature = dot(&direction, &image);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        let alpha = dot(&residual, &direction) / curvature;
        x.par_iter_mut().zip(&direction).with_min_len(CHUNK).for_each(|(x, p)| *x += alpha * p);
        residual.par_iter_mut().zip(&image).with_min_len(CHUNK).for_each(|(r, q)| *r -= alpha * q);
        run.steps += 1;
        run.reduction = dot(&residual, &residual).sqrt() / norm;
    }
    run
}

/// `y = x + beta·y`.
fn axpby(x: &[f64], beta: f64, y: &mut [f64]) {
    y.par_iter_mut().zip(x).with_min_len(CHUNK).for_each(|(y, x)| *y = x + beta * *y);
}
