//! Breadth-first search by layers, whole or from both ends, on the CPU and on devices, and IDA* with its tables.

pub mod closed;
pub mod ends;
pub mod ends_gpu;
pub mod frontier;
pub mod frontier_gpu;
pub mod ida;
pub mod packed;
pub mod packed_gpu;
pub mod table;
