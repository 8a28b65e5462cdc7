//! Billiard: exact difference triangles.
//!
//! `n` rows, the top one of `n` entries; each entry below is the difference of the two above it; all entries are distinct
//! and in `1..=max`. Four solvers search for them, each over an index space with a kernel and its twin:
//!
//! | solver | an index is | work is counted in |
//! | --- | --- | --- |
//! | [`brute_force`] | an order of all balls, bottom-up | groups that hold |
//! | [`strategy`] | a top row | entries tried |
//! | [`diagonal`] | the start of a top row, up to three entries short | entries tried |
//! | [`rows`] | a bottom triangle of three or four rows | signs tried |

pub mod arrangement;
mod block;
pub mod brute_force;
pub mod diagonal;
mod lanes;
mod row;
pub mod rows;
pub mod rules;
pub mod strategy;
#[cfg(test)]
mod tests;

use self::rules::{Triangle, Violation, balls};
use super::index_space::{self, IndexSpace};
use crate::kernel::Launch;

/// The least order that [`Solver::auto`] gives to [`rows`].
const ROWS_FROM: usize = 6;

/// Why a search can't be set up, or why what it reported is no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BilliardError {
    /// A triangle of no rows.
    #[error("a triangle has at least one row: the order must be 1 or more, such as 5")]
    NoRows,
    /// More rows than a solver holds.
    #[error("{solver} holds triangles of up to {most} rows, not of {order}: take an order in 1..={most}, such as 5")]
    Order {
        /// The solver.
        solver: Solver,
        /// The order wanted.
        order: usize,
        /// The largest order it holds.
        most: usize,
    },
    /// Fewer values than entries.
    #[error(
        "a triangle of {order} rows has {balls} entries, all distinct, so its largest value is at least {balls}, not {max}: \
         take order {order} with max {balls} or more"
    )]
    TooFewValues {
        /// The order wanted.
        order: usize,
        /// Its number of entries.
        balls: usize,
        /// The largest value wanted.
        max: usize,
    },
    /// More values than a set has bits.
    #[error("{solver} holds values of up to {most}, not of {max}: take a max in 1..={most}, such as 22")]
    TooManyValues {
        /// The solver.
        solver: Solver,
        /// The largest value wanted.
        max: usize,
        /// The largest value it holds.
        most: usize,
    },
    /// Brute force over more values than balls.
    #[error(
        "brute-force permutes the {balls} balls 1..={balls} of a triangle of {order} rows, so its max is {balls}, not {max}: \
         take max {balls}, or the solver strategy or diagonal"
    )]
    NotAPermutation {
        /// The order wanted.
        order: usize,
        /// Its number of balls.
        balls: usize,
        /// The largest value wanted.
        max: usize,
    },
    /// An index that was reported as a solution and breaks a rule.
    #[error("index {index} was reported as a solution, but it is none: {violation}")]
    Refuted {
        /// The index.
        index: u128,
        /// The rule it breaks.
        violation: Violation,
    },
    /// A prefix that was reported to hold solutions and holds none.
    #[error("index {index} was reported to hold solutions, and holds none")]
    Barren {
        /// The index.
        index: u128,
    },
}

/// The four ways to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Solver {
    /// [`strategy`]
    Strategy,
    /// [`brute_force`]
    BruteForce,
    /// [`diagonal`]
    Diagonal,
    /// [`rows`]
    Rows,
}

impl std::fmt::Display for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Strategy => "strategy",
            Self::BruteForce => "brute-force",
            Self::Diagonal => "diagonal",
            Self::Rows => "rows",
        })
    }
}

/// How many triangles a solution stands for with its mirror image: a single entry is its own.
#[must_use]
pub fn mirror_images(order: usize) -> u64 {
    if order == 1 { 1 } else { 2 }
}

/// An index space of triangles.
pub trait BilliardSpace: IndexSpace {
    /// The number of rows.
    fn order(&self) -> usize;
    /// The largest value.
    fn max(&self) -> usize;
    /// Solutions that each one found stands for: 2 where only one of two mirror images is counted, else 1.
    fn weight(&self) -> u64;
    /// What an index is called, in the plural.
    fn unit(&self) -> &'static str;
    /// The nodes below the prefixes and the steps that listed them, where the space is a list of prefixes.
    fn below(&self) -> Option<(u64, u64)> {
        None
    }
    /// The solutions that a reported index stands for, each checked by the rules.
    ///
    /// # Errors
    /// When it stands for none: then whoever reported it is at fault.
    fn expand(&self, index: u128) -> Result<Vec<Triangle>, BilliardError>;
}

impl Solver {
    /// The solver for a search whose user named none: [`rows`] from order 6 on and where no other holds so many values;
    /// else [`strategy`], whose index space is walked in a few seconds at the most.
    ///
    /// # Errors
    /// As [`Solver::space`].
    pub fn auto(order: usize, max: usize) -> Result<Self, BilliardError> {
        let solver = if order >= ROWS_FROM || max > row::MOST_VALUES { Self::Rows } else { Self::Strategy };
        solver.space(order, max)?;
        Ok(solver)
    }

    /// The index space of the triangles of `order` rows with values in `1..=max`.
    ///
    /// # Errors
    /// When there can be no such triangle, or it is more than the solver holds.
    pub fn space(self, order: usize, max: usize) -> Result<Box<dyn BilliardSpace>, BilliardError> {
        Ok(match self {
            Self::Strategy => Box::new(strategy::Strategy::new(order, max)?),
            Self::BruteForce => Box::new(brute_force::BruteForce::new(order, max)?),
            Self::Diagonal => Box::new(diagonal::Diagonal::new(order, max)?),
            Self::Rows => Box::new(rows::Rows::new(order, max)?),
        })
    }

    /// Checks what every solver asks of the order and the largest value.
    fn check(self, order: usize, max: usize, most_rows: usize, most_values: usize) -> Result<(), BilliardError> {
        if order == 0 {
            return Err(BilliardError::NoRows);
        }
        if order > most_rows {
            return Err(BilliardError::Order { solver: self, order, most: most_rows });
        }
        if max < balls(order) {
            return Err(BilliardError::TooFewValues { order, balls: balls(order), max });
        }
        if max > most_values {
            return Err(BilliardError::TooManyValues { solver: self, max, most: most_values });
        }
        Ok(())
    }
}

/// The checked triangle under the top row that a searcher found behind `index`.
fn replay(index: u128, top: &[u8], max: usize) -> Result<Triangle, BilliardError> {
    let top = top.iter().copied().map(u16::from).collect::<Vec<_>>();
    let max = u16::try_from(max).unwrap_or(u16::MAX);
    Triangle::from_top_row(&top, max).map_err(|violation| BilliardError::Refuted { index, violation })
}

/// Runs a twin on the space that a launch's constants describe. A launch whose constants describe none is left as it is:
/// no space makes one.
fn run_twin<S: IndexSpace>(launch: &mut Launch, space: impl Fn(usize, usize) -> Result<S, BilliardError>) {
    let constant = |k: usize| launch.constants.get(k).map_or(0, |&value| value as usize);
    if let Ok(space) = space(constant(0), constant(1)) {
        index_space::twin(&space, launch);
    }
}

/// The end of a trial piece that goes to the end of its space.
const END: u128 = u128::MAX;

/// A space by its order and largest value, and pieces of it by their first index and the one after their last.
type Trial<'a> = (usize, usize, &'a [(u128, u128)]);

/// Trial launches: pieces, clipped to the space, of the spaces of these orders and largest values. No trial has more hits
/// than it has room for: which of them are kept then is left open.
fn trials<S: IndexSpace>(
    space: impl Fn(usize, usize) -> Result<S, BilliardError>,
    trials: &[Trial<'_>],
) -> Vec<Launch> {
    let mut launches = Vec::new();
    for &(order, max, pieces) in trials {
        let Ok(space) = space(order, max) else { continue };
        for &(start, end) in pieces {
            let piece = start.min(space.size())..end.min(space.size());
            launches.push(index_space::launch(&space, &piece, 32_768));
        }
    }
    launches
}
