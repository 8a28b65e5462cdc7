//! The kernels of the iterative solver, and their twins. They work on numbers in single precision, passed as their bits; two
//! sides may round differently (a device may fuse a product and a sum), so they are compared within a margin.

use crate::kernel::{Binding, Compare, Kernel, Launch};

/// How far both sides may be apart: 2^-18 of the largest entry, where single precision has 24 bits.
const MARGIN: Compare = Compare::Floats(18);

/// Products that one invocation of [`DOT`] sums.
pub const PIECE: u32 = 32;

/// What [`SWEEP`] makes of a product; the value of its override constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// `result = M·x`
    Apply,
    /// `result += M·x`
    Add,
    /// `result = base − M·x`
    Residual,
    /// `result = x + scale·(base − M·x)`
    Jacobi,
    /// `result = scale·base`
    Scale,
}

/// What [`COMBINE`] makes of two vectors; the value of its override constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `y = y + s·x`
    AddMultiple,
    /// `y = x + s·y`
    MultiplyAdd,
}

/// One pass over the rows of a sparse matrix.
pub static SWEEP: Kernel = Kernel {
    name: "linear/sweep",
    wgsl: &[include_str!("../../../shaders/linear/sweep.wgsl")],
    bindings: &[
        Binding::read("params"),
        Binding::read("offsets"),
        Binding::read("columns"),
        Binding::read("values"),
        Binding::read("x"),
        Binding::read("base"),
        Binding::read("scale"),
        Binding::write("result", MARGIN),
    ],
    constants: &["MODE"],
    twin: sweep,
    trials: sweep_trials,
};

/// A scalar product in parts.
pub static DOT: Kernel = Kernel {
    name: "linear/dot",
    wgsl: &[include_str!("../../../shaders/linear/dot.wgsl")],
    bindings: &[Binding::read("params"), Binding::read("a"), Binding::read("b"), Binding::write("parts", MARGIN)],
    constants: &[],
    twin: dot,
    trials: dot_trials,
};

/// A vector and a multiple of another.
pub static COMBINE: Kernel = Kernel {
    name: "linear/combine",
    wgsl: &[include_str!("../../../shaders/linear/combine.wgsl")],
    bindings: &[Binding::read("params"), Binding::read("x"), Binding::write("y", MARGIN)],
    constants: &["MODE"],
    twin: combine,
    trials: combine_trials,
};

fn sweep(launch: &mut Launch) {
    let mode = launch.constants[0];
    let [params, offsets, columns, values, x, base, scale, result] = launch.buffers.as_mut_slice() else { return };
    let f = f32::from_bits;
    for row in 0..params[0] as usize {
        if mode == Sweep::Scale as u32 {
            result[row] = (f(scale[row]) * f(base[row])).to_bits();
            continue;
        }
        let entries = offsets[row] as usize..offsets[row + 1] as usize;
        let sum: f32 = entries.map(|at| f(values[at]) * f(x[columns[at] as usize])).sum();
        result[row] = match mode {
            0 => sum,
            1 => f(result[row]) + sum,
            2 => f(base[row]) - sum,
            _ => f(x[row]) + f(scale[row]) * (f(base[row]) - sum),
        }
        .to_bits();
    }
}

fn dot(launch: &mut Launch) {
    let [params, a, b, parts] = launch.buffers.as_mut_slice() else { return };
    let length = params[0] as usize;
    let pieces = a[..length].chunks(PIECE as usize).zip(b[..length].chunks(PIECE as usize));
    for (part, (a, b)) in parts.iter_mut().zip(pieces) {
        *part = a.iter().zip(b).map(|(a, b)| f32::from_bits(*a) * f32::from_bits(*b)).sum::<f32>().to_bits();
    }
}

fn combine(launch: &mut Launch) {
    let mode = launch.constants[0];
    let [params, x, y] = launch.buffers.as_mut_slice() else { return };
    let s = f32::from_bits(params[1]);
    for (y, x) in y.iter_mut().zip(x).take(params[0] as usize) {
        let (here, other) = (f32::from_bits(*y), f32::from_bits(*x));
        let value = if mode == Combine::AddMultiple as u32 { here + s * other } else { other + s * here };
        *y = value.to_bits();
    }
}

/// Numbers between −1 and 1 that look random.
fn numbers(length: usize, seed: u32) -> Vec<u32> {
    (0..length)
        .map(|at| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let mixed = crate::puzzles::index_space::mix(at, seed) >> 40;
            let value = mixed as f32 / (1u32 << 23) as f32 - 1.0;
            value.to_bits()
        })
        .collect()
}

fn length_word(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn sweep_trials() -> Vec<Launch> {
    let mut trials = Vec::new();
    for (rows, mode) in [1usize, 63, 1000, 5000].into_iter().flat_map(|rows| (0..5).map(move |mode| (rows, mode))) {
        let degree = |row: usize| row % 7;
        let (mut offsets, mut columns) = (vec![0u32], Vec::new());
        for row in 0..rows {
            columns.extend((0..degree(row)).map(|k| length_word((row * 31 + k * 17) % rows)));
            offsets.push(length_word(columns.len()));
        }
        // A binding is never empty.
        let values = numbers(columns.len().max(1), 1);
        columns.resize(values.len(), 0);
        let vector = |seed| numbers(rows, seed);
        trials.push(Launch {
            constants: vec![mode],
            invocations: length_word(rows),
            buffers: vec![
                vec![length_word(rows)],
                offsets,
                columns,
                values,
                vector(2),
                vector(3),
                vector(4),
                vector(if mode == 1 { 5 } else { 6 }),
            ],
        });
    }
    // A single row without an entry adds nothing to what is there: a trial that changes nothing compares nothing.
    trials.retain(|trial| trial.invocations > 1 || trial.constants[0] != 1);
    trials
}

fn dot_trials() -> Vec<Launch> {
    [1usize, 31, 32, 33, 5000]
        .into_iter()
        .map(|length| {
            let parts = length.div_ceil(PIECE as usize);
            Launch {
                constants: Vec::new(),
                invocations: length_word(parts),
                buffers: vec![vec![length_word(length)], numbers(length, 7), numbers(length, 8), vec![0; parts]],
            }
        })
        .collect()
}

fn combine_trials() -> Vec<Launch> {
    [(1usize, 0), (64, 1), (5000, 0), (5000, 1)]
        .into_iter()
        .map(|(length, mode)| Launch {
            constants: vec![mode],
            invocations: length_word(length),
            buffers: vec![vec![length_word(length), 0.37f32.to_bits()], numbers(length, 9), numbers(length, 10)],
        })
        .collect()
}
