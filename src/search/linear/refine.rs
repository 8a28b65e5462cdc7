//! Iterative refinement: an inexact inner solver inside an outer residual in twice the precision.
//!
//! The solution is a sum of two doubles an unknown, so that its residual can fall far below the rounding of a double; the caller
//! turns the residual into a bound on the error and says when it is small enough. Wilkinson, *Rounding Errors in Algebraic
//! Processes*, 1963.

use rayon::prelude::*;

pub use super::direct::DIRECT_LIMIT;
use super::direct::Factor;
use super::multigrid::Multigrid;
use super::network::{CHUNK, Network, two_sum};
use super::{SolveError, conjugate};

/// Outer steps before giving up.
const MAX_REFINEMENTS: usize = 60;
/// The most that one inner solve is asked to reduce the residual by: more than this, doubles lose on the way.
const DEEPEST: f64 = 1e-10;
/// Steps that one inner solve may take.
const INNER_STEPS: usize = 2000;

/// A vector of numbers held as unevaluated sums of two doubles.
#[derive(Clone, Debug, PartialEq)]
pub struct Precise {
    /// The leading parts.
    pub high: Vec<f64>,
    /// The rest, below half a unit in the last place of the leading part.
    pub low: Vec<f64>,
}

impl Precise {
    /// Zero.
    #[must_use]
    pub fn zero(len: usize) -> Self {
        Self { high: vec![0.0; len], low: vec![0.0; len] }
    }

    /// Adds a vector.
    pub fn add(&mut self, other: &[f64]) {
        self.high.par_iter_mut().zip(&mut self.low).zip(other).with_min_len(CHUNK).for_each(|((high, low), &added)| {
            let (sum, error) = two_sum(*high, added);
            (*high, *low) = two_sum(sum, error + *low);
        });
    }

    /// The product with another vector, summed in twice the precision.
    #[must_use]
    pub fn dot(&self, other: &[f64]) -> f64 {
        let (mut sum, mut rest) = (0.0, 0.0);
        for ((&high, &low), &factor) in self.high.iter().zip(&self.low).zip(other) {
            if factor != 0.0 {
                let (next, error) = two_sum(sum, high * factor);
                sum = next;
                rest += error + low * factor;
            }
        }
        sum + rest
    }
}

/// Which inner solver to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverChoice {
    /// Direct up to [`DIRECT_LIMIT`] unknowns, conjugate gradients past that.
    #[default]
    Auto,
    /// Sparse Cholesky.
    Direct,
    /// Conjugate gradients, preconditioned by multigrid.
    Cg,
}

/// An inexact solver of a network's system.
pub trait Inner {
    /// What it is called in the output.
    fn name(&self) -> String;
    /// Puts an approximate solution for the right-hand side `b` into `x`, its residual about `reduction` times `b` or as near
    /// as it gets to that; returns the iterations it took (0: direct).
    ///
    /// # Errors
    /// When a part that runs elsewhere fails.
    fn solve(&mut self, network: &Network, b: &[f64], x: &mut [f64], reduction: f64) -> Result<usize, SolveError>;
}

impl Inner for Factor {
    fn name(&self) -> String {
        "direct (sparse Cholesky)".into()
    }

    fn solve(&mut self, _: &Network, b: &[f64], x: &mut [f64], _: f64) -> Result<usize, SolveError> {
        x.copy_from_slice(b);
        Self::solve(self, x);
        Ok(0)
    }
}

impl Inner for Multigrid {
    fn name(&self) -> String {
        "cg (conjugate gradients, multigrid)".into()
    }

    fn solve(&mut self, network: &Network, b: &[f64], x: &mut [f64], reduction: f64) -> Result<usize, SolveError> {
        Ok(conjugate::solve(network, self, b, x, reduction, INNER_STEPS).steps)
    }
}

/// A network with the inner solver made ready for it.
pub struct Solver<'n> {
    network: &'n Network,
    inner: Box<dyn Inner + 'n>,
}

/// A refined solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The solution.
    pub x: Precise,
    /// `b − A·x`.
    pub residual: Vec<f64>,
    /// What the caller's bound came to.
    pub bound: f64,
    /// Inner solves.
    pub refinements: usize,
    /// Iterations of all inner solves (0: direct).
    pub iterations: usize,
}

impl<'n> Solver<'n> {
    /// Makes a solver ready: factors, or builds the multigrid hierarchy.
    ///
    /// # Errors
    /// When the factorisation fails.
    pub fn new(network: &'n Network, choice: SolverChoice) -> Result<Self, SolveError> {
        let direct = match choice {
            SolverChoice::Auto => network.len() <= DIRECT_LIMIT,
            SolverChoice::Direct => true,
            SolverChoice::Cg => false,
        };
        let inner: Box<dyn Inner> =
            if direct { Box::new(Factor::of(&network.to_sparse())?) } else { Box::new(Multigrid::of(network)?) };
        Ok(Self { network, inner })
    }

    /// Uses an inner solver made elsewhere.
    #[must_use]
    pub fn with(network: &'n Network, inner: Box<dyn Inner + 'n>) -> Self {
        Self { network, inner }
    }

    /// The inner solver's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.inner.name()
    }

    /// Solves `A·x = b`, refining until `bound(x, residual)` is at most `wanted`.
    ///
    /// # Errors
    /// When the bound stops falling before that.
    pub fn solve(
        &mut self,
        b: &[f64],
        wanted: f64,
        bound: impl Fn(&Precise, &[f64]) -> f64,
    ) -> Result<Solution, SolveError> {
        let n = self.network.len();
        let mut solution =
            Solution { x: Precise::zero(n), residual: b.to_vec(), bound: f64::INFINITY, refinements: 0, iterations: 0 };
        let mut correction = vec![0.0; n];
        loop {
            // The bound is no norm of the residual, so some more is asked for than it lacks.
            let lacking = if solution.bound.is_finite() { wanted / solution.bound / 5.0 } else { wanted / 5.0 };
            let reduction = lacking.clamp(DEEPEST, 0.1);
            solution.iterations += self.inner.solve(self.network, &solution.residual, &mut correction, reduction)?;
            solution.refinements += 1;
            solution.x.add(&correction);
            self.network.residual(b, &solution.x, &mut solution.residual);
            let before = solution.bound;
            solution.bound = bound(&solution.x, &solution.residual);
            if solution.bound <= wanted {
                return Ok(solution);
            }
            // Written so that a bound that is not a number stops here too.
            let falling = solution.refinements < 3 || solution.bound < before / 2.0;
            if !falling || solution.refinements >= MAX_REFINEMENTS {
                return Err(SolveError::Stalled {
                    iterations: solution.iterations.max(solution.refinements),
                    bound: format!("{:.1e}", solution.bound),
                    wanted: format!("{wanted:.1e}"),
                });
            }
        }
    }
}
