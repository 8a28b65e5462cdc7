//! Conjugate gradients in single precision on a device, preconditioned by multigrid there too; the outer residual stays on the
//! host, in twice double precision (see [`super::refine`]), so nothing that a device computes is trusted.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::SolveError;
use super::kernels::{COMBINE, Combine, DOT, PIECE, SWEEP, Sweep};
use super::multigrid::Multigrid;
use super::network::Network;
use super::refine::Inner;
use super::sparse::Csr;
use crate::gpu::{Buffer, Fault, Gpu, Pipeline, Recording};

/// What one inner solve reduces its residual to: single precision is good for it, and the outer iteration does the rest.
const REDUCTION: f64 = 1e-4;
/// Steps of one inner solve.
const STEPS: usize = 400;
/// How far a cycle on the device may be from the CPU's, relative to the largest entry.
const LOCKSTEP_MARGIN: f64 = 1e-3;

impl From<Fault> for SolveError {
    fn from(fault: Fault) -> Self {
        Self::Elsewhere(fault.to_string())
    }
}

/// A sparse matrix on the device.
struct Matrix {
    rows: u32,
    params: Buffer,
    offsets: Buffer,
    columns: Buffer,
    values: Buffer,
}

struct Level {
    matrix: Matrix,
    prolong: Matrix,
    restrict: Matrix,
    relax: Buffer,
    rhs: Buffer,
    x: Buffer,
    other: Buffer,
    work: Buffer,
}

struct Pipelines {
    sweeps: [Arc<Pipeline>; 5],
    dot: Arc<Pipeline>,
    combines: [Arc<Pipeline>; 2],
}

/// The vectors of the iteration: the residual is the finest level's right-hand side.
struct Vectors {
    x: Buffer,
    direction: Buffer,
    image: Buffer,
    length: Buffer,
    factor: [Buffer; 2],
    parts: [Buffer; 2],
}

/// The inner solver on a device.
pub struct DeviceCg {
    gpu: Arc<Gpu>,
    multigrid: Multigrid,
    pipelines: Pipelines,
    levels: Vec<Level>,
    coarse_rhs: Buffer,
    coarse_x: Buffer,
    vectors: Vectors,
    unknowns: u32,
    /// Cycles compared with the CPU's; none when not in lockstep.
    lockstep: Option<Rc<Cell<u64>>>,
}

fn bits(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

fn word(value: usize) -> Result<u32, SolveError> {
    u32::try_from(value).map_err(|_| SolveError::Elsewhere("a system of 2^32 unknowns or more".to_owned()))
}

impl Matrix {
    fn upload(gpu: &Gpu, matrix: &Csr<f32>) -> Result<Self, SolveError> {
        let offsets = matrix.offsets.iter().map(|&offset| word(offset)).collect::<Result<Vec<_>, _>>()?;
        let rows = word(matrix.rows())?;
        Ok(Self {
            rows,
            params: gpu.buffer_with("params", &[rows])?,
            offsets: gpu.buffer_with("offsets", &offsets)?,
            columns: gpu.buffer_with("columns", &matrix.columns)?,
            values: gpu.buffer_with("values", &bits(matrix.values.iter().copied()))?,
        })
    }
}

impl DeviceCg {
    /// Builds the hierarchy on the CPU and uploads it. In lockstep every cycle is compared with the CPU's; `compared` counts them.
    ///
    /// # Errors
    /// When the coarsest matrix can't be factored, or the device has no room or fails.
    pub fn new(gpu: &Arc<Gpu>, network: &Network, compared: Option<Rc<Cell<u64>>>) -> Result<Self, SolveError> {
        let multigrid = Multigrid::of(network)?;
        let vector = |name: &str, length: usize| gpu.buffer(name, length as u64);
        let levels = multigrid
            .levels
            .iter()
            .map(|level| {
                let n = level.matrix.rows();
                Ok(Level {
                    matrix: Matrix::upload(gpu, &level.matrix)?,
                    prolong: Matrix::upload(gpu, &level.prolong)?,
                    restrict: Matrix::upload(gpu, &level.restrict)?,
                    relax: gpu.buffer_with("relax", &bits(level.relax.iter().copied()))?,
                    rhs: vector("rhs", n)?,
                    x: vector("x", n)?,
                    other: vector("x", n)?,
                    work: vector("work", n)?,
                })
            })
            .collect::<Result<Vec<_>, SolveError>>()?;
        let sweep = |mode: Sweep| gpu.pipeline(&SWEEP, &[mode as u32]);
        let combine = |mode: Combine| gpu.pipeline(&COMBINE, &[mode as u32]);
        let n = network.len();
        let coarse = multigrid.coarse_rhs.len();
        Ok(Self {
            pipelines: Pipelines {
                sweeps: [
                    sweep(Sweep::Apply)?,
                    sweep(Sweep::Add)?,
                    sweep(Sweep::Residual)?,
                    sweep(Sweep::Jacobi)?,
                    sweep(Sweep::Scale)?,
                ],
                dot: gpu.pipeline(&DOT, &[])?,
                combines: [combine(Combine::AddMultiple)?, combine(Combine::MultiplyAdd)?],
            },
            coarse_rhs: vector("coarse rhs", coarse)?,
            coarse_x: vector("coarse x", coarse)?,
            vectors: Vectors {
                x: vector("x", n)?,
                direction: vector("direction", n)?,
                image: vector("image", n)?,
                length: gpu.buffer_with("params", &[word(n)?])?,
                factor: [gpu.buffer("params", 2)?, gpu.buffer("params", 2)?],
                parts: [vector("parts", n.div_ceil(PIECE as usize))?, vector("parts", n.div_ceil(PIECE as usize))?],
            },
            unknowns: word(n)?,
            levels,
            multigrid,
            gpu: Arc::clone(gpu),
            lockstep: compared,
        })
    }

    fn sweep(
        &self,
        recording: &mut Recording,
        mode: Sweep,
        matrix: &Matrix,
        (x, base, scale): (&Buffer, &Buffer, &Buffer),
        result: &Buffer,
    ) -> Result<(), Fault> {
        let buffers = [&matrix.params, &matrix.offsets, &matrix.columns, &matrix.values, x, base, scale, result];
        recording.dispatch(&self.pipelines.sweeps[mode as usize], &buffers, matrix.rows)
    }

    fn dot(&self, recording: &mut Recording, which: usize, a: &Buffer, b: &Buffer) -> Result<(), Fault> {
        let (vectors, parts) = (&self.vectors, &self.vectors.parts[which]);
        let pieces = self.unknowns.div_ceil(PIECE);
        recording.dispatch(&self.pipelines.dot, &[&vectors.length, a, b, parts], pieces)?;
        recording.download(parts, 0, u64::from(pieces))
    }

    fn combine(
        &self,
        recording: &mut Recording,
        (mode, factor): (Combine, usize),
        x: &Buffer,
        y: &Buffer,
    ) -> Result<(), Fault> {
        let buffers = [&self.vectors.factor[factor], x, y];
        recording.dispatch(&self.pipelines.combines[mode as usize], &buffers, self.unknowns)
    }

    fn set_factor(&self, which: usize, factor: f64) -> Result<(), Fault> {
        #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
        let narrow = factor as f32;
        self.gpu.write(&self.vectors.factor[which], 0, &[self.unknowns, narrow.to_bits()])
    }

    /// The way down of a cycle, from the finest level's right-hand side to the coarsest one's.
    fn record_down(&self, recording: &mut Recording) -> Result<(), Fault> {
        for (at, level) in self.levels.iter().enumerate() {
            let Level { matrix, restrict, relax, rhs, x, other, work, .. } = level;
            // What a mode does not read is bound to something it does not write.
            let unread = &matrix.params;
            self.sweep(recording, Sweep::Scale, matrix, (unread, rhs, relax), x)?;
            self.sweep(recording, Sweep::Jacobi, matrix, (x, rhs, relax), other)?;
            self.sweep(recording, Sweep::Residual, matrix, (other, rhs, unread), work)?;
            let below = self.levels.get(at + 1).map_or(&self.coarse_rhs, |next| &next.rhs);
            self.sweep(recording, Sweep::Apply, restrict, (work, unread, unread), below)?;
        }
        recording.download(&self.coarse_rhs, 0, self.multigrid.coarse_rhs.len() as u64)
    }

    /// The way up, to the finest level's `other`.
    fn record_up(&self, recording: &mut Recording) -> Result<(), Fault> {
        for (at, level) in self.levels.iter().enumerate().rev() {
            let Level { matrix, prolong, relax, rhs, x, other, .. } = level;
            let unread = &matrix.params;
            let below = self.levels.get(at + 1).map_or(&self.coarse_x, |next| &next.other);
            self.sweep(recording, Sweep::Add, prolong, (below, unread, unread), other)?;
            self.sweep(recording, Sweep::Jacobi, matrix, (other, rhs, relax), x)?;
            self.sweep(recording, Sweep::Jacobi, matrix, (x, rhs, relax), other)?;
        }
        Ok(())
    }

    /// Solves the coarsest system on the host.
    fn coarsest(&mut self, rhs: &[u32]) -> Result<(), Fault> {
        let mut values: Vec<f64> = rhs.iter().map(|&word| f64::from(f32::from_bits(word))).collect();
        self.multigrid.coarsest.solve(&mut values);
        #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
        self.gpu.write(&self.coarse_x, 0, &bits(values.iter().map(|&value| value as f32)))
    }

    /// Compares the cycle that just ran with the CPU's.
    fn compare(&mut self, compared: &Cell<u64>) -> Result<(), SolveError> {
        let finest = &self.levels[0];
        let mut recording = self.gpu.record()?;
        recording.download(&finest.rhs, 0, u64::from(self.unknowns))?;
        recording.download(&finest.other, 0, u64::from(self.unknowns))?;
        let read = recording.submit()?.wait()?;
        let numbers = |words: &[u32]| words.iter().map(|&w| f64::from(f32::from_bits(w))).collect::<Vec<_>>();
        let (residual, device) = (numbers(&read[0]), numbers(&read[1]));
        let mut cpu = vec![0.0; device.len()];
        self.multigrid.apply(&residual, &mut cpu);
        let largest = cpu.iter().fold(0.0f64, |max, value| max.max(value.abs()));
        // A value that is not a number is apart from every other.
        let apart = |(a, b): (&f64, &f64)| a.is_nan() || (a - b).abs() > LOCKSTEP_MARGIN * largest;
        if let Some(at) = device.iter().zip(&cpu).position(apart) {
            return Err(SolveError::Elsewhere(format!(
                "kernel {} and its CPU twin diverge in cycle {}: first differing unknown {at}\n  device: {}\n  CPU: {}",
                SWEEP.name,
                compared.get(),
                device[at],
                cpu[at]
            )));
        }
        compared.set(compared.get() + 1);
        Ok(())
    }
}

/// The sum of a download of parts, in double precision.
fn sum(parts: Option<&Vec<u32>>) -> f64 {
    parts.into_iter().flatten().map(|&word| f64::from(f32::from_bits(word))).sum()
}

impl Inner for DeviceCg {
    fn name(&self) -> String {
        format!("cg (conjugate gradients and multigrid in single precision on {})", self.gpu.name())
    }

    fn solve(&mut self, _: &Network, b: &[f64], x: &mut [f64], reduction: f64) -> Result<usize, SolveError> {
        let scale = b.iter().fold(0.0f64, |max, value| max.max(value.abs()));
        if scale == 0.0 {
            x.fill(0.0);
            return Ok(0);
        }
        if self.levels.is_empty() {
            x.copy_from_slice(b);
            self.multigrid.coarsest.solve(x);
            return Ok(1);
        }
        let target = reduction.max(REDUCTION);
        #[expect(clippy::cast_possible_truncation, reason = "single precision is meant")]
        let start = bits(b.iter().map(|&value| (value / scale) as f32));
        self.gpu.write(&self.levels[0].rhs, 0, &start)?;
        let norm = b.iter().map(|value| (value / scale).powi(2)).sum::<f64>();
        let mut recording = self.gpu.record()?;
        recording.clear(&self.vectors.x);
        recording.clear(&self.vectors.direction);
        recording.clear(&self.vectors.image);
        let (mut steps, mut curvature) = (0, 0.0f64);
        loop {
            self.record_down(&mut recording)?;
            let read = recording.submit()?.wait()?;
            // The read-backs come in the order of recording: the residual's norm, once there was a step, then the coarse side.
            let [before @ .., coarse] = read.as_slice() else {
                return Err(SolveError::Elsewhere("a read-back is missing".to_owned()));
            };
            let left = before.first().map_or(norm, |parts| sum(Some(parts)));
            if left.is_nan() || left <= target * target * norm || steps >= STEPS {
                break;
            }
            self.coarsest(coarse)?;
            recording = self.gpu.record()?;
            self.record_up(&mut recording)?;
            let (finest, vectors) = (&self.levels[0], &self.vectors);
            self.dot(&mut recording, 0, &finest.other, &vectors.image)?;
            let read = recording.submit()?.wait()?;
            if let Some(compared) = self.lockstep.clone() {
                self.compare(&compared)?;
            }
            let beta = if steps == 0 { 0.0 } else { -sum(read.first()) / curvature };
            self.set_factor(0, beta)?;
            recording = self.gpu.record()?;
            let (finest, vectors) = (&self.levels[0], &self.vectors);
            self.combine(&mut recording, (Combine::MultiplyAdd, 0), &finest.other, &vectors.direction)?;
            let unread = &finest.matrix.params;
            let sides = (&vectors.direction, unread, unread);
            self.sweep(&mut recording, Sweep::Apply, &finest.matrix, sides, &vectors.image)?;
            self.dot(&mut recording, 0, &vectors.direction, &vectors.image)?;
            self.dot(&mut recording, 1, &finest.rhs, &vectors.direction)?;
            let read = recording.submit()?.wait()?;
            curvature = sum(read.first());
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let alpha = sum(read.get(1)) / curvature;
            self.set_factor(0, alpha)?;
            self.set_factor(1, -alpha)?;
            recording = self.gpu.record()?;
            self.combine(&mut recording, (Combine::AddMultiple, 0), &vectors.direction, &vectors.x)?;
            self.combine(&mut recording, (Combine::AddMultiple, 1), &vectors.image, &finest.rhs)?;
            self.dot(&mut recording, 0, &finest.rhs, &finest.rhs)?;
            steps += 1;
        }
        let mut recording = self.gpu.record()?;
        recording.download(&self.vectors.x, 0, u64::from(self.unknowns))?;
        let read = recording.submit()?.wait()?;
        for (value, &word) in x.iter_mut().zip(read.first().into_iter().flatten()) {
            *value = f64::from(f32::from_bits(word)) * scale;
        }
        Ok(steps)
    }
}
