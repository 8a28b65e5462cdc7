//! Launches of a kernel that appends records for the states of a frontier: piece by piece, each as large as a dispatch takes.
//!
//! Such a kernel's bindings are `params` (frontier states; records that `next` has room for; then words of its own), bindings
//! of its own, `frontier`, `tally` (4 words: records appended, digest (low, high), unused) and `next`.

use std::sync::Arc;

use crate::gpu::{Buffer, Fault, Gpu, Pipeline};
use crate::kernel::Kernel;

/// The sizes of a kernel's frontiers and records.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Words of a state, and of a record.
    pub width: usize,
    /// Records that one state leads to, at most.
    pub branching: usize,
    /// Frontier states that a dispatch takes.
    pub chunk: usize,
    /// The kernel's own words of `params`.
    pub own_words: usize,
}

/// A kernel on a device, with the buffers that all such kernels have.
pub struct Appender {
    gpu: Arc<Gpu>,
    kernel: &'static Kernel,
    pipeline: Arc<Pipeline>,
    shape: Shape,
    params: Buffer,
    frontier: Buffer,
    tally: Buffer,
    next: Buffer,
}

impl Appender {
    /// The kernel made ready.
    ///
    /// # Errors
    /// When it does not compile or the device has no room.
    pub fn new(gpu: &Arc<Gpu>, kernel: &'static Kernel, shape: Shape) -> Result<Self, Fault> {
        let states = (shape.width * shape.chunk) as u64;
        Ok(Self {
            pipeline: gpu.pipeline(kernel, &[])?,
            params: gpu.buffer("params", 2 + shape.own_words as u64)?,
            frontier: gpu.buffer("frontier", states)?,
            tally: gpu.buffer("tally", 4)?,
            next: gpu.buffer("next", states * shape.branching as u64)?,
            gpu: Arc::clone(gpu),
            kernel,
            shape,
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The records that a frontier leads to, as words, and the digest that the device has of them. `own`: the kernel's own
    /// words of `params`, and its own bindings.
    ///
    /// # Errors
    /// The device's.
    pub fn run(&self, own: (&[u32], &[&Buffer]), frontier: &[u32]) -> Result<(Vec<u32>, u64), Fault> {
        let Shape { width, branching, chunk, .. } = self.shape;
        let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let mut buffers = vec![&self.params];
        buffers.extend(own.1);
        buffers.extend([&self.frontier, &self.tally, &self.next]);
        let mut records = Vec::with_capacity(frontier.len());
        let mut digest = 0u64;
        for states in frontier.chunks(width * chunk) {
            let count = states.len() / width;
            let capacity = count * branching;
            self.gpu.write(&self.params, 0, &[&[small(count), small(capacity)], own.0].concat())?;
            self.gpu.write(&self.frontier, 0, states)?;
            let mut recording = self.gpu.record()?;
            recording.clear(&self.tally);
            recording.dispatch(&self.pipeline, &buffers, small(count))?;
            recording.download(&self.tally, 0, 4)?;
            recording.download(&self.next, 0, (width * capacity) as u64)?;
            let read = recording.submit()?.wait()?;
            let [tally, next] = read.as_slice() else { return Err(self.broken("a read-back is missing")) };
            let appended = tally[0] as usize;
            if appended > capacity {
                return Err(self.broken("a frontier led to more records than there are moves"));
            }
            digest = digest.wrapping_add(u64::from(tally[1]) | u64::from(tally[2]) << 32);
            records.extend_from_slice(&next[..width * appended]);
        }
        Ok((records, digest))
    }

    /// What came back can't be so.
    #[must_use]
    pub fn broken(&self, message: &str) -> Fault {
        Fault::Validation {
            during: format!("expanding a frontier by {}", self.kernel.name),
            adapter: self.gpu.name().to_owned(),
            message: message.to_owned(),
        }
    }
}
