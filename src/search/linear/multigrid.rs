//! An algebraic multigrid preconditioner: smoothed aggregation, in single precision.
//!
//! Unknowns are gathered into aggregates of neighbours, the piecewise constant interpolation is smoothed by one damped Jacobi
//! step, and the coarse matrix is the Galerkin product; this repeats until a direct factorisation is cheap. One V-cycle is a
//! symmetric positive definite operator close to the inverse, so that conjugate gradients need a few dozen steps whatever the
//! size. Single precision halves the memory traffic and costs nothing: the outer iteration sees only a slightly different
//! preconditioner. Vaněk, Mandel, Brezina, *Algebraic multigrid by smoothed aggregation*, Computing 56 (1996).

use rayon::prelude::*;

use super::SolveError;
use super::direct::Factor;
use super::network::{CHUNK, Network};
use super::sparse::Csr;

/// Below this many unknowns the matrix is factored.
const DIRECT_BELOW: usize = 1500;
/// On coarse levels, entries weaker than this share of the strongest of their row do not bind (on the finest all are alike).
const STRENGTH: f32 = 0.4;
/// Not aggregated yet.
const NONE: u32 = u32::MAX;
/// Damping of a Jacobi step is this over the largest eigenvalue of the scaled matrix: best on the upper half of the spectrum.
const DAMPING: f32 = 4.0 / 3.0;

#[derive(Debug)]
pub(super) struct Level {
    pub(super) matrix: Csr<f32>,
    /// Damping over diagonal.
    pub(super) relax: Vec<f32>,
    pub(super) prolong: Csr<f32>,
    pub(super) restrict: Csr<f32>,
    rhs: Vec<f32>,
    x: Vec<f32>,
    work: Vec<f32>,
}

/// The hierarchy, with its scratch vectors.
#[derive(Debug)]
pub struct Multigrid {
    pub(super) levels: Vec<Level>,
    pub(super) coarsest: Factor,
    pub(super) coarse_rhs: Vec<f64>,
}

impl Multigrid {
    /// Builds the hierarchy of a network.
    ///
    /// # Errors
    /// When the coarsest matrix can't be factored.
    pub fn of(network: &Network) -> Result<Self, SolveError> {
        let mut matrix: Csr<f32> = network.to_sparse();
        let mut levels = Vec::new();
        let mut strength = 0.0;
        while matrix.rows() > DIRECT_BELOW {
            let aggregates = aggregate(&matrix, strength);
            if aggregates.count * 10 > matrix.rows() * 9 {
                break;
            }
            let relax = relaxation(&matrix);
            let prolong = smoothed(&matrix, &relax, &aggregates);
            let restrict = prolong.transposed();
            let coarse = galerkin(&matrix, &prolong, &restrict);
            let n = matrix.rows();
            levels.push(Level {
                matrix,
                relax,
                prolong,
                restrict,
                rhs: vec![0.0; n],
                x: vec![0.0; n],
                work: vec![0.0; n],
            });
            matrix = coarse;
            strength = STRENGTH;
        }
        let dense = Csr {
            cols: matrix.cols,
            values: matrix.values.iter().copied().map(f64::from).collect(),
            offsets: matrix.offsets,
            columns: matrix.columns,
        };
        Ok(Self { levels, coarse_rhs: vec![0.0; dense.rows()], coarsest: Factor::of(&dense)? })
    }

    /// Unknowns of each level, finest first.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.levels.iter().map(|level| level.matrix.rows()).chain([self.coarse_rhs.len()]).collect()
    }

    /// One V-cycle on `r`, from zero: `z ≈ A⁻¹·r`.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        // Scaled so that single precision neither underflows nor overflows; the operator is linear.
        let scale = r.par_iter().fold(|| 0.0f64, |max, v| max.max(v.abs())).reduce(|| 0.0, f64::max);
        if scale == 0.0 {
            z.fill(0.0);
            return;
        }
        let inverse = 1.0 / scale;
        if self.levels.is_empty() {
            z.copy_from_slice(r);
            self.coarsest.solve(z);
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
        self.levels[0].rhs.par_iter_mut().zip(r).for_each(|(out, v)| *out = (v * inverse) as f32);
        self.cycle();
        z.par_iter_mut().zip(&self.levels[0].x).for_each(|(out, v)| *out = f64::from(*v) * scale);
    }

    fn cycle(&mut self) {
        let depth = self.levels.len();
        for at in 0..depth {
            let (above, below) = self.levels.split_at_mut(at + 1);
            let Level { matrix, relax, restrict, rhs, x, work, .. } = &mut above[at];
            // The first step from zero is only a scaling, a second one makes the cycle strong enough to pay.
            x.par_iter_mut().zip(&*rhs).zip(&*relax).for_each(|((x, b), w)| *x = w * b);
            jacobi(matrix, relax, rhs, x, work);
            residual(matrix, rhs, x, work);
            if let Some(next) = below.first_mut() {
                restrict.apply(work, &mut next.rhs);
            } else {
                for (row, value) in self.coarse_rhs.iter_mut().enumerate() {
                    *value = f64::from(restrict.dot(row, work));
                }
            }
        }
        self.coarsest.solve(&mut self.coarse_rhs);
        #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
        let mut correction: Vec<f32> = self.coarse_rhs.iter().map(|&v| v as f32).collect();
        for level in self.levels.iter_mut().rev() {
            let Level { matrix, relax, prolong, rhs, x, work, .. } = level;
            prolong.apply_add(&correction, x);
            jacobi(matrix, relax, rhs, x, work);
            jacobi(matrix, relax, rhs, x, work);
            correction.clone_from(x);
        }
    }
}

/// `x += relax·(b − A·x)`.
fn jacobi(matrix: &Csr<f32>, relax: &[f32], b: &[f32], x: &mut [f32], work: &mut [f32]) {
    residual(matrix, b, x, work);
    x.par_iter_mut().zip(work).zip(relax).with_min_len(CHUNK).for_each(|((x, r), w)| *x += w * *r);
}

fn residual(matrix: &Csr<f32>, b: &[f32], x: &[f32], out: &mut [f32]) {
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| {
        for (row, value) in (chunk * CHUNK..).zip(part) {
            *value = b[row] - matrix.dot(row, x);
        }
    });
}

/// The damping over the diagonal, with the largest eigenvalue bounded by Gershgorin's circles.
fn relaxation(matrix: &Csr<f32>) -> Vec<f32> {
    let diagonal: Vec<f32> = (0..matrix.rows()).map(|i| entry(matrix, i)).collect();
    let largest = (0..matrix.rows())
        .map(|i| matrix.row(i).map(|(_, v)| v.abs()).sum::<f32>() / diagonal[i])
        .fold(1.0f32, f32::max);
    diagonal.into_iter().map(|d| DAMPING / largest / d).collect()
}

fn entry(matrix: &Csr<f32>, i: usize) -> f32 {
    matrix.row(i).find(|&(j, _)| j as usize == i).map_or(1.0, |(_, v)| v)
}

#[derive(Debug)]
struct Aggregates {
    of: Vec<u32>,
    count: usize,
}

/// Gathers unknowns into aggregates of strongly bound neighbours: first whole neighbourhoods that are still free, then what is
/// left joins a neighbouring aggregate.
fn aggregate(matrix: &Csr<f32>, strength: f32) -> Aggregates {
    let n = matrix.rows();
    let strongest: Vec<f32> = (0..n)
        .map(|i| matrix.row(i).filter(|&(j, _)| j as usize != i).fold(0.0, |max, (_, v)| f32::max(max, -v)))
        .collect();
    let binds = |i: usize, j: u32, v: f32| {
        j as usize != i && v < 0.0 && -v >= strength * strongest[i].max(strongest[j as usize])
    };
    let mut of = vec![NONE; n];
    let mut count = 0u32;
    for i in 0..n {
        if of[i] == NONE && matrix.row(i).all(|(j, v)| !binds(i, j, v) || of[j as usize] == NONE) {
            of[i] = count;
            for (j, v) in matrix.row(i) {
                if binds(i, j, v) {
                    of[j as usize] = count;
                }
            }
            count += 1;
        }
    }
    let first_pass = of.clone();
    for (i, own) in of.iter_mut().enumerate() {
        if *own == NONE {
            let strongest = matrix
                .row(i)
                .filter(|&(j, v)| binds(i, j, v) && first_pass[j as usize] != NONE)
                .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            if let Some((j, _)) = strongest {
                *own = first_pass[j as usize];
            }
        }
    }
    for i in 0..n {
        if of[i] == NONE {
            of[i] = count;
            for (j, v) in matrix.row(i) {
                if binds(i, j, v) && of[j as usize] == NONE {
                    of[j as usize] = count;
                }
            }
            count += 1;
        }
    }
    Aggregates { of, count: count as usize }
}

/// The interpolation `(I − relax·A)·T`, where `T` spreads an aggregate's value over its members.
fn smoothed(matrix: &Csr<f32>, relax: &[f32], aggregates: &Aggregates) -> Csr<f32> {
    let n = matrix.rows();
    let blocks = (0..n.div_ceil(CHUNK)).into_par_iter().map(|block| {
        let rows = block * CHUNK..n.min((block + 1) * CHUNK);
        let mut part = Csr::with_capacity(aggregates.count, 3 * rows.len());
        let mut row: Vec<(u32, f32)> = Vec::new();
        for i in rows {
            row.clear();
            row.push((aggregates.of[i], 1.0));
            for (j, v) in matrix.row(i) {
                let (to, value) = (aggregates.of[j as usize], -relax[i] * v);
                match row.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, sum)) => *sum += value,
                    None => row.push((to, value)),
                }
            }
            part.push_row(row.iter().copied().filter(|&(_, v)| v != 0.0));
        }
        part
    });
    Csr::stack(aggregates.count, blocks.collect())
}

/// The Galerkin product `R·A·P`, row by row, columns ascending. The product `A·P` is not stored: it would be the largest matrix.
fn galerkin(matrix: &Csr<f32>, prolong: &Csr<f32>, restrict: &Csr<f32>) -> Csr<f32> {
    let n = restrict.rows();
    let rows_a_task = CHUNK / 4;
    let blocks = (0..n.div_ceil(rows_a_task)).into_par_iter().map_init(
        || (vec![0.0f64; n], Vec::<u32>::new()),
        |(sums, touched), block| {
            let rows = block * rows_a_task..n.min((block + 1) * rows_a_task);
            let mut part = Csr::with_capacity(n, 10 * rows.len());
            for row in rows {
                for (i, r) in restrict.row(row) {
                    for (k, a) in matrix.row(i as usize) {
                        let ra = f64::from(r) * f64::from(a);
                        for (column, p) in prolong.row(k as usize) {
                            let sum = &mut sums[column as usize];
                            if *sum == 0.0 {
                                touched.push(column);
                            }
                            *sum += ra * f64::from(p);
                        }
                    }
                }
                touched.sort_unstable();
                touched.dedup();
                #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
                part.push_row(touched.iter().map(|&column| (column, sums[column as usize] as f32)));
                for column in touched.drain(..) {
                    sums[column as usize] = 0.0;
                }
            }
            part
        },
    );
    Csr::stack(n, blocks.collect())
}
#[cfg(test)]
mod tests {
    use super::*;

    /// A square grid of unit resistors, grounded at one corner.
    fn grid(side: u32) -> Network {
        let mut network = Network::with_capacity((side * side) as usize, 4 * (side * side) as usize);
        for (row, col) in (0..side).flat_map(|r| (0..side).map(move |c| (r, c))) {
            let beside = [(row.wrapping_sub(1), col), (row, col.wrapping_sub(1)), (row, col + 1), (row + 1, col)];
            let inside = beside.into_iter().filter(|&(r, c)| r < side && c < side);
            network.push(inside.map(|(r, c)| r * side + c), u32::from(row + col == 0));
        }
        network
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_hierarchy_shrinks_to_a_size_that_is_factored() {
        let sizes = Multigrid::of(&grid(150)).unwrap().sizes();
        assert_eq!(sizes[0], 22_500);
        assert!(sizes.windows(2).all(|pair| pair[1] * 3 < pair[0]), "{sizes:?}");
        assert!(*sizes.last().unwrap() <= DIRECT_BELOW);
    }

    #[test]
    fn a_cycle_is_symmetric_and_positive() {
        let mut multigrid = Multigrid::of(&grid(60)).unwrap();
        let wave = |k: f64| (0..3600).map(|i| (f64::from(i) * k).sin()).collect::<Vec<_>>();
        let (a, b) = (wave(0.37), wave(0.011));
        let (mut ma, mut mb) = (vec![0.0; 3600], vec![0.0; 3600]);
        multigrid.apply(&a, &mut ma);
        multigrid.apply(&b, &mut mb);
        let (ab, ba) = (dot(&ma, &b), dot(&a, &mb));
        assert!((ab - ba).abs() < 1e-4 * (dot(&ma, &a) * dot(&mb, &b)).sqrt(), "{ab} {ba}");
        assert!(dot(&ma, &a) > 0.0 && dot(&mb, &b) > 0.0);
    }

    #[test]
    fn conjugate_gradients_need_few_steps_whatever_the_size() {
        for side in [50, 200] {
            let network = grid(side);
            let mut multigrid = Multigrid::of(&network).unwrap();
            let b = vec![1.0; network.len()];
            let mut x = vec![0.0; network.len()];
            let run = super::super::conjugate::solve(&network, &mut multigrid, &b, &mut x, 1e-9, 200);
            assert!(run.reduction <= 1e-9 && run.steps <= 40, "{side}: {run:?}");
        }
    }
}
