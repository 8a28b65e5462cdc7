//! What a kernel is, told once and without naming a GPU library: its WGSL, its bindings, its override constants and its
//! CPU twin. `gpu` runs the WGSL, `puzzles` holds the twins, [`crate::kernels`] lists them.

/// How a kernel touches a binding. The WGSL declares the same in `var<…>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// How the two sides' contents of a binding are compared after a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Word for word.
    Exact,
    /// As a multiset of records this many words wide: append order on a GPU differs from run to run.
    Records(usize),
    /// As numbers in single precision, apart by at most 2^−bits of the largest in the binding: sides may round differently.
    Floats(u32),
    /// Not at all: scratch space.
    Scratch,
    /// Not at all: what is left to do. While its first word is not 0 after a dispatch, it is cleared and the kernel dispatched
    /// again, its other bindings as they are.
    Unfinished,
}

/// One binding of a kernel: group 0, binding number = its place in [`Kernel::bindings`]. Every binding is words (`u32`).
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The variable's name in the WGSL.
    pub name: &'static str,
    /// Read or read-write.
    pub access: Access,
    /// How lockstep compares it.
    pub compare: Compare,
}

impl Binding {
    /// A binding that the kernel only reads.
    #[must_use]
    pub const fn read(name: &'static str) -> Self {
        Self { name, access: Access::Read, compare: Compare::Exact }
    }
    /// A binding that the kernel writes and lockstep compares as said.
    #[must_use]
    pub const fn write(name: &'static str, compare: Compare) -> Self {
        Self { name, access: Access::ReadWrite, compare }
    }
}

/// A kernel: declared once, in [`crate::kernels::ALL`].
#[derive(Clone, Copy)]
pub struct Kernel {
    /// `puzzle/kernel`, as the file is called under `shaders/`.
    pub name: &'static str,
    /// The WGSL sources, concatenated: the shared pieces first, the kernel last. Its entry point is `main`.
    pub wgsl: &'static [&'static str],
    /// In the order of their binding numbers.
    pub bindings: &'static [Binding],
    /// The names of the override constants, in the order of [`Launch::constants`].
    pub constants: &'static [&'static str],
    /// The CPU twin: reads and writes the same bindings in the same order.
    pub twin: fn(&mut Launch),
    /// Small launches that exercise the kernel; the test over every kernel and adapter runs them on both sides.
    pub trials: fn() -> Vec<Launch>,
}

impl Kernel {
    /// Invocations a workgroup, the same in every kernel: WGSL writes `@workgroup_size(64)`.
    pub const WORKGROUP: u32 = 64;
}

/// One launch of a kernel: what both sides get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Values of the override constants.
    pub constants: Vec<u32>,
    /// Invocations wanted; the last workgroup may have more, which the kernel turns away by itself.
    pub invocations: u32,
    /// The contents of the bindings before, and after, the launch.
    pub buffers: Vec<Vec<u32>>,
}
