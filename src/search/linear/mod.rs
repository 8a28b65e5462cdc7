//! Linear systems of grounded networks: symmetric, positive definite, with non-positive entries off the diagonal.
//!
//! [`network`] holds the system and computes residuals in twice the usual precision, [`direct`] factors it (sparse
//! Cholesky; without the feature `faer`, [`plain`]), [`multigrid`] and [`conjugate`] solve it iteratively in memory linear in its size, [`refine`] wraps either in
//! iterative refinement until a bound on the error is met, [`device`] iterates on a GPU by the [`kernels`], and [`exact`] solves small ones in fractions.

pub mod conjugate;
pub mod device;
#[cfg(feature = "faer")]
pub mod direct;
pub mod exact;
pub mod kernels;
pub mod modular;
pub mod multigrid;
pub mod network;
pub mod plain;
pub mod refine;
pub mod sparse;

pub use network::Network;
#[cfg(not(feature = "faer"))]
pub use plain as direct;
pub use refine::{Precise, Solver, SolverChoice};

/// Why a system could not be solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The factorisation ran out of memory or found the matrix not positive definite.
    #[error("the sparse factorisation of {unknowns} unknowns failed: {reason}; the solver cg needs less memory")]
    Factorisation {
        /// Unknowns of the system.
        unknowns: usize,
        /// What the library said.
        reason: String,
    },
    /// The iteration stopped improving before the bound was met.
    #[error(
        "the iteration stalled after {iterations} steps with the error bound at {bound}, above the {wanted} asked for"
    )]
    Stalled {
        /// Steps taken.
        iterations: usize,
        /// The bound reached, as text.
        bound: String,
        /// The bound asked for, as text.
        wanted: String,
    },
    /// A part that runs elsewhere failed.
    #[error("{0}")]
    Elsewhere(String),
}
