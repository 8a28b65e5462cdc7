//! The only code that names wgpu: adapters, devices, pipelines, buffers, dispatch, and every fault as a value. Without the
//! feature `gpu` there is no wgpu, and no adapter either: the same names then stand for what can't be had.

pub mod adapters;
#[cfg(feature = "gpu")]
mod buffers;
#[cfg(feature = "gpu")]
mod contain;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod discovery;
pub mod fault;
#[cfg(feature = "gpu")]
mod submission;

/// What a build with devices has.
#[cfg(feature = "gpu")]
mod present {
    pub use super::buffers::Buffer;
    pub use super::device::{Gpu, Pipeline};
    pub use super::discovery::{Adapter, BUILT, SOFTWARE_ADAPTER_HINT, list};
    pub use super::submission::{Recording, Submission};
}

#[cfg(not(feature = "gpu"))]
#[path = "absent.rs"]
mod present;

pub use fault::Fault;
pub use present::{Buffer, Gpu, Pipeline, Recording, Submission};
