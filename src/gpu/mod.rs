//! The only code that names wgpu: adapters, devices, pipelines, buffers, dispatch, and every fault as a value.

pub mod adapters;
mod buffers;
mod device;
pub mod fault;
mod submission;

pub use buffers::Buffer;
pub use device::{Gpu, Pipeline};
pub use fault::Fault;
pub use submission::{Recording, Submission};
