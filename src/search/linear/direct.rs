//! Sparse Cholesky factorisation, by the library faer: supernodal, with a fill-reducing order.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{ColMut, Side};

use super::SolveError;
use super::sparse::Csr;

/// From more unknowns than this, [`SolverChoice::Auto`](super::SolverChoice::Auto) iterates instead of factoring.
pub const DIRECT_LIMIT: usize = 500_000;

/// A factored matrix.
#[derive(Debug)]
pub struct Factor(Llt<usize, f64>);

impl Factor {
    /// Factors a symmetric positive definite matrix given with ascending columns.
    ///
    /// # Errors
    /// When memory runs out or the matrix is not positive definite.
    pub fn of(matrix: &Csr<f64>) -> Result<Self, SolveError> {
        let rows: Vec<usize> = matrix.columns.iter().map(|&column| column as usize).collect();
        // Rows of a symmetric matrix are its columns.
        let pattern =
            SymbolicSparseColMatRef::new_checked(matrix.rows(), matrix.cols, &matrix.offsets, None, rows.as_slice());
        SparseColMatRef::new(pattern, &matrix.values)
            .sp_cholesky(Side::Lower)
            .map(Self)
            .map_err(|error| SolveError::Factorisation { unknowns: matrix.rows(), reason: format!("{error:?}") })
    }

    /// Solves in place.
    pub fn solve(&self, rhs: &mut [f64]) {
        self.0.solve_in_place(ColMut::from_slice_mut(rhs));
    }
}
