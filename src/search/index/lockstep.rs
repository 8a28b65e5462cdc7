//! Lockstep: both sides walk the same batch, and what they found is compared.

use std::fmt;
use std::ops::Range;

use super::engine::{Engine, walk_parallel};
use crate::gpu::Fault;
use crate::puzzles::index_space::{IndexSpace, Tally};

/// A GPU kernel and its CPU twin disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The kernel.
    pub kernel: String,
    /// The batch in which they part, counted from 0, and its indices.
    pub batch: (u64, Range<u128>),
    /// The first index that yields different values when walked alone, with both sides' values (GPU, CPU); `None` when
    /// walking the batch again gave equal values: then the device is not repeatable.
    pub first: Option<(u128, Value, Value)>,
    /// What the whole batch yielded (GPU, CPU).
    pub whole: (Value, Value),
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Solutions found.
    pub found: u64,
    /// Work done.
    pub work: u64,
    /// Nodes of search trees.
    pub nodes: u64,
    /// Order-free digest.
    pub digest: u64,
    /// The space's own counters.
    pub counters: Vec<u64>,
    /// Hits, as a number and their wrapping sum.
    pub hits: (u64, u128),
}

impl Value {
    /// What lockstep compares of a tally.
    #[must_use]
    pub fn of(tally: &Tally) -> Self {
        let sum = tally.hits.iter().fold(0u128, |sum, hit| sum.wrapping_add(*hit));
        Self {
            found: tally.found,
            work: tally.work,
            nodes: tally.nodes,
            digest: tally.digest,
            counters: tally.counters.clone(),
            hits: (tally.hits.len() as u64, sum),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found {}, work {}, nodes {}, digest {:016x}, {} hits (sum of indices {})",
            self.found, self.work, self.nodes, self.digest, self.hits.0, self.hits.1
        )?;
        let counters: Vec<_> = (0..).zip(&self.counters).filter(|(_, count)| **count != 0).collect();
        if counters.is_empty() { Ok(()) } else { write!(f, ", counters {counters:?}") }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, range) = &self.batch;
        writeln!(
            f,
            "kernel {} and its CPU twin diverge in batch {number} ({}..{})",
            self.kernel, range.start, range.end
        )?;
        if let Some((index, gpu, cpu)) = &self.first {
            write!(f, "first differing index {index}\n  GPU: {gpu}\n  CPU: {cpu}")
        } else {
            let (gpu, cpu) = &self.whole;
            write!(
                f,
                "walked again, both sides agree: the device does not repeat its results\n  GPU: {gpu}\n  CPU: {cpu}"
            )
        }
    }
}

/// Compares what a batch yielded on both sides; where they differ, walks ever smaller pieces of it on both to find the
/// first index at fault. No batch may be under way on the engine then.
///
/// # Errors
/// Any [`Fault`] of the engine while it looks.
pub fn locate(
    space: &dyn IndexSpace,
    engine: &mut dyn Engine,
    batch: (u64, Range<u128>),
    gpu: &Tally,
    cpu: &Tally,
) -> Result<Divergence, Fault> {
    let whole = (Value::of(gpu), Value::of(cpu));
    let mut differs = |piece: &Range<u128>| -> Result<Option<(Value, Value)>, Fault> {
        let sides = (Value::of(&engine.walk(piece.clone())?), Value::of(&walk_parallel(space, piece)));
        Ok((sides.0 != sides.1).then_some(sides))
    };
    let mut piece = batch.1.clone();
    let mut values = differs(&piece)?;
    while values.is_some() && piece.end - piece.start > 1 {
        let middle = piece.start + (piece.end - piece.start) / 2;
        let left = piece.start..middle;
        let right = middle..piece.end;
        values = differs(&left)?;
        if values.is_some() {
            piece = left;
        } else {
            piece = right;
            values = differs(&piece)?;
        }
    }
    let first = values.map(|(gpu, cpu)| (piece.start, gpu, cpu));
    Ok(Divergence { kernel: space.kernel().name.to_owned(), batch, first, whole })
}
