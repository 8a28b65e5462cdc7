//! A network of unit resistors between unknowns, some of them also tied to the ground.

use rayon::prelude::*;

use super::refine::Precise;
use super::sparse::Csr;

/// Rows that one task takes.
pub const CHUNK: usize = 4096;

/// The matrix `A` with `(A·x)_i = Σ_j (x_i − x_j) + ground_i·x_i`, `j` running over the neighbours of `i`.
///
/// Neighbourhood is symmetric. When every connected part has an unknown with a positive ground, the matrix is positive
/// definite and no entry of its inverse is negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    ground: Vec<u32>,
}

impl Network {
    /// An empty network that will take this many unknowns and links (each link counts at both ends).
    #[must_use]
    pub fn with_capacity(unknowns: usize, links: usize) -> Self {
        let mut offsets = Vec::with_capacity(unknowns + 1);
        offsets.push(0);
        Self { offsets, neighbours: Vec::with_capacity(links), ground: Vec::with_capacity(unknowns) }
    }

    /// Appends the next unknown.
    ///
    /// # Panics
    /// When there are 2^32 links or more.
    pub fn push(&mut self, neighbours: impl IntoIterator<Item = u32>, ground: u32) {
        self.neighbours.extend(neighbours);
        self.offsets.push(u32::try_from(self.neighbours.len()).expect("fewer than 2^32 links"));
        self.ground.push(ground);
    }

    /// The number of unknowns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ground.len()
    }

    /// Whether there is no unknown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ground.is_empty()
    }

    /// The neighbours of an unknown.
    #[must_use]
    pub fn neighbours(&self, unknown: usize) -> &[u32] {
        &self.neighbours[self.offsets[unknown] as usize..self.offsets[unknown + 1] as usize]
    }

    /// Where each unknown's neighbours start in [`Network::links`], and the end.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All neighbour lists, one after the other.
    #[must_use]
    pub fn links(&self) -> &[u32] {
        &self.neighbours
    }

    /// What ties each unknown to the ground.
    #[must_use]
    pub fn ground(&self) -> &[u32] {
        &self.ground
    }

    /// The diagonal entry of an unknown.
    #[must_use]
    pub fn diagonal(&self, unknown: usize) -> u32 {
        self.offsets[unknown + 1] - self.offsets[unknown] + self.ground[unknown]
    }

    /// `A·x` in doubles.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| {
            for (i, value) in (chunk * CHUNK..).zip(part) {
                let here = x[i];
                let flow: f64 = self.neighbours(i).iter().map(|&j| here - x[j as usize]).sum();
                *value = flow + f64::from(self.ground[i]) * here;
            }
        });
    }

    /// `b − A·x`, summed in twice the precision of a double and rounded at the end.
    pub fn residual(&self, b: &[f64], x: &Precise, out: &mut [f64]) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| {
            for (i, value) in (chunk * CHUNK..).zip(part) {
                let (mut high, mut low) = (b[i], 0.0);
                let mut add = |term: f64| {
                    let (sum, error) = two_sum(high, term);
                    high = sum;
                    low += error;
                };
                let (x_high, x_low) = (x.high[i], x.low[i]);
                for &j in self.neighbours(i) {
                    add(x.high[j as usize]);
                    add(-x_high);
                    add(x.low[j as usize]);
                    add(-x_low);
                }
                for _ in 0..self.ground[i] {
                    add(-x_high);
                    add(-x_low);
                }
                *value = high + low;
            }
        });
    }

    /// The matrix in compressed rows, ascending columns.
    ///
    /// # Panics
    /// When there are 2^32 unknowns or more.
    #[must_use]
    pub fn to_sparse<T: From<f32> + Copy + std::ops::Neg<Output = T>>(&self) -> Csr<T> {
        let mut csr = Csr::with_capacity(self.len(), self.neighbours.len() + self.len());
        let mut row: Vec<u32> = Vec::new();
        for i in 0..self.len() {
            row.clear();
            row.extend_from_slice(self.neighbours(i));
            let own = u32::try_from(i).expect("fewer than 2^32 unknowns");
            row.push(own);
            row.sort_unstable();
            #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
            csr.push_row(
                row.iter().map(|&j| (j, if j == own { T::from(self.diagonal(i) as f32) } else { -T::from(1.0) })),
            );
        }
        csr
    }
}

/// The rounded sum of two doubles and its exact error (Knuth, *The Art of Computer Programming* 2, section 4.2.2).
#[must_use]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    (sum, (a - (sum - virtual_b)) + (b - virtual_b))
}
