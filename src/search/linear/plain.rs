//! Sparse Cholesky factorisation without a library: rows put in reverse Cuthill–McKee order (1969), so that the entries lie
//! near the diagonal, and each row's factor kept from its first entry on (an envelope, after Jennings 1966). It stands in for
//! the library faer in a build without that feature, and takes more time and memory.

use std::collections::VecDeque;

use super::SolveError;
use super::sparse::Csr;

/// From more unknowns than this, [`SolverChoice::Auto`](super::SolverChoice::Auto) iterates instead of factoring.
pub const DIRECT_LIMIT: usize = 30_000;
/// Numbers that a factor may hold: 2 GiB of them.
const MOST_NUMBERS: usize = 1 << 28;

/// A factored matrix.
#[derive(Debug)]
pub struct Factor {
    /// The row of the matrix at each place of the order.
    order: Vec<usize>,
    /// The first column of each row of the factor, and its entries from there to the diagonal.
    rows: Vec<(usize, Vec<f64>)>,
}

impl Factor {
    /// Factors a symmetric positive definite matrix given with ascending columns.
    ///
    /// # Errors
    /// When memory runs out or the matrix is not positive definite.
    pub fn of(matrix: &Csr<f64>) -> Result<Self, SolveError> {
        let failed = |reason: &str| SolveError::Factorisation { unknowns: matrix.rows(), reason: reason.to_owned() };
        let order = ordered(matrix);
        let mut place = vec![0; order.len()];
        for (at, &row) in order.iter().enumerate() {
            place[row] = at;
        }
        let mut rows: Vec<(usize, Vec<f64>)> = Vec::with_capacity(order.len());
        let mut numbers = 0;
        for (at, &row) in order.iter().enumerate() {
            let below =
                || matrix.row(row).map(|(column, value)| (place[column as usize], value)).filter(|(to, _)| *to <= at);
            let first = below().map(|(to, _)| to).min().unwrap_or(at);
            numbers += at - first + 1;
            if numbers > MOST_NUMBERS {
                return Err(failed("no memory"));
            }
            let mut own = vec![0.0; at - first + 1];
            for (to, value) in below() {
                own[to - first] += value;
            }
            for to in first..at {
                let (start, other) = &rows[to];
                let from = first.max(*start);
                let sum = dot(&own[from - first..to - first], &other[from - start..to - start]);
                own[to - first] = (own[to - first] - sum) / other[to - start];
            }
            let (before, diagonal) = own.split_at_mut(at - first);
            let left = diagonal[0] - dot(before, before);
            // Not a number is no more than zero either.
            if left.is_nan() || left <= 0.0 {
                return Err(failed("the matrix is not positive definite"));
            }
            diagonal[0] = left.sqrt();
            rows.push((first, own));
        }
        Ok(Self { order, rows })
    }

    /// Solves in place.
    pub fn solve(&self, rhs: &mut [f64]) {
        let mut x: Vec<f64> = self.order.iter().map(|&row| rhs[row]).collect();
        for (at, (first, row)) in self.rows.iter().enumerate() {
            let length = at - first;
            x[at] = (x[at] - dot(&row[..length], &x[*first..at])) / row[length];
        }
        for (at, (first, row)) in self.rows.iter().enumerate().rev() {
            let length = at - first;
            x[at] /= row[length];
            let value = x[at];
            for (x, entry) in x[*first..at].iter_mut().zip(row) {
                *x -= entry * value;
            }
        }
        for (&row, value) in self.order.iter().zip(x) {
            rhs[row] = value;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums, which a processor adds up side by side.
    let mut sums = [0.0; 4];
    let (fours, others) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = fours.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in fours.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The reverse Cuthill–McKee order: breadth first from a row with few neighbours, those with fewer first, and turned round.
fn ordered(matrix: &Csr<f64>) -> Vec<usize> {
    let degree = |row: usize| matrix.offsets[row + 1] - matrix.offsets[row];
    let mut starts: Vec<usize> = (0..matrix.rows()).collect();
    starts.sort_by_key(|&row| degree(row));
    let mut met = vec![false; matrix.rows()];
    let mut order = Vec::with_capacity(matrix.rows());
    let mut queue = VecDeque::new();
    for start in starts {
        if met[start] {
            continue;
        }
        met[start] = true;
        queue.push_back(start);
        while let Some(row) = queue.pop_front() {
            order.push(row);
            let mut next: Vec<usize> =
                matrix.row(row).map(|(column, _)| column as usize).filter(|&to| !met[to]).collect();
            next.sort_by_key(|&to| degree(to));
            for to in next {
                met[to] = true;
                queue.push_back(to);
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The grounded network of a grid, its rows numbered by a stride so that they don't lie near each other.
    fn grid(side: usize) -> Csr<f64> {
        let n = side * side;
        let name = |row: usize, col: usize| (row * side + col) * 7 % n;
        let mut entries = vec![Vec::new(); n];
        for row in 0..side {
            for col in 0..side {
                let near = [(row + 1, col), (row, col + 1), (row.wrapping_sub(1), col), (row, col.wrapping_sub(1))];
                let near: Vec<_> = near.into_iter().filter(|&(row, col)| row < side && col < side).collect();
                let own = &mut entries[name(row, col)];
                own.push((name(row, col), near.len() as f64 + if row + col == 0 { 1.0 } else { 0.0 }));
                own.extend(near.iter().map(|&(row, col)| (name(row, col), -1.0)));
            }
        }
        let mut matrix = Csr::with_capacity(n, 5 * n);
        for mut row in entries {
            row.sort_by_key(|(column, _)| *column);
            matrix.push_row(row.into_iter().map(|(column, value)| (u32::try_from(column).unwrap(), value)));
        }
        matrix
    }

    #[test]
    fn a_system_is_solved_and_its_factor_stays_near_the_diagonal() {
        let matrix = grid(20);
        let factor = Factor::of(&matrix).unwrap();
        assert!(factor.rows.iter().all(|(_, row)| row.len() < 60));
        let wanted: Vec<f64> = (0..400).map(|k| f64::from(k % 17) - 8.0).collect();
        let mut x: Vec<f64> =
            (0..400).map(|row| matrix.row(row).map(|(column, value)| value * wanted[column as usize]).sum()).collect();
        factor.solve(&mut x);
        assert!(x.iter().zip(&wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-9));
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut matrix = grid(3);
        matrix.values.iter_mut().for_each(|value| *value = -*value);
        assert!(matches!(Factor::of(&matrix), Err(SolveError::Factorisation { unknowns: 9, .. })));
    }
}
