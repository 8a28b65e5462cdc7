//! Sparse matrices in compressed rows.

use rayon::prelude::*;

/// A sparse matrix: for each row, its columns and values.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<T> {
    /// Columns of the matrix.
    pub cols: usize,
    /// Where each row starts in `columns` and `values`, and the end.
    pub offsets: Vec<usize>,
    /// The columns of the entries, row by row.
    pub columns: Vec<u32>,
    /// The values of the entries, row by row.
    pub values: Vec<T>,
}

impl<T: Copy> Csr<T> {
    /// No rows yet.
    #[must_use]
    pub fn with_capacity(cols: usize, entries: usize) -> Self {
        Self { cols, offsets: vec![0], columns: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    /// Appends a row.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (u32, T)>) {
        for (column, value) in entries {
            self.columns.push(column);
            self.values.push(value);
        }
        self.offsets.push(self.columns.len());
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, T)> {
        let range = self.offsets[row]..self.offsets[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The matrix with rows and columns exchanged; columns ascend within a row.
    ///
    /// # Panics
    /// When there are 2^32 rows or more.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut offsets = vec![0usize; self.cols + 1];
        for &column in &self.columns {
            offsets[column as usize + 1] += 1;
        }
        for k in 0..self.cols {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0u32; self.columns.len()];
        let mut values = self.values.clone();
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let place = &mut next[column as usize];
                columns[*place] = u32::try_from(row).expect("fewer than 2^32 rows");
                values[*place] = value;
                *place += 1;
            }
        }
        Self { cols: self.rows(), offsets, columns, values }
    }

    /// Joins blocks of rows.
    #[must_use]
    pub fn stack(cols: usize, blocks: Vec<Self>) -> Self {
        let mut all = Self::with_capacity(cols, blocks.iter().map(|block| block.columns.len()).sum());
        for block in blocks {
            let base = all.columns.len();
            all.columns.extend(block.columns);
            all.values.extend(block.values);
            all.offsets.extend(block.offsets[1..].iter().map(|offset| offset + base));
        }
        all
    }
}

impl Csr<f32> {
    /// `M·x`.
    pub fn apply(&self, x: &[f32], out: &mut [f32]) {
        each_row(out, |row, value| *value = self.dot(row, x));
    }

    /// `out += M·x`.
    pub fn apply_add(&self, x: &[f32], out: &mut [f32]) {
        each_row(out, |row, value| *value += self.dot(row, x));
    }

    /// The product of a row with a vector.
    #[must_use]
    pub fn dot(&self, row: usize, x: &[f32]) -> f32 {
        self.row(row).map(|(column, value)| value * x[column as usize]).sum()
    }
}

/// Visits the entries of a vector with their places, in parallel.
fn each_row(out: &mut [f32], visit: impl Fn(usize, &mut f32) + Sync) {
    const CHUNK: usize = super::network::CHUNK;
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| {
        for (row, value) in (chunk * CHUNK..).zip(part) {
            visit(row, value);
        }
    });
}
