//! gpu-solve: a search engine for puzzles whose heavy work runs on any GPU through WGSL, with a CPU twin of every kernel.

pub mod cli;
pub mod excerpt;
pub mod gpu;
pub mod kernel;
pub mod kernels;
pub mod puzzles;
pub mod search;
