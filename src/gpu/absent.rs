//! A build without the feature `gpu`: no adapter is ever found, so there is none of these and nothing is called on them.
#![expect(missing_docs, clippy::missing_errors_doc, reason = "as with devices; see there")]

use std::convert::Infallible;
use std::sync::Arc;

use super::adapters::{Backend, Description};
use super::fault::Fault;
use crate::kernel::{Kernel, Launch};

pub const BUILT: bool = false;
/// What to do about it.
pub const SOFTWARE_ADAPTER_HINT: &str =
    "this build has no GPU support: build gpu-solve with the feature gpu, or use --backend cpu";

#[derive(Clone, Debug)]
pub struct Adapter {
    pub description: Description,
    none: Infallible,
}

#[derive(Debug)]
pub struct Gpu(Infallible);

#[derive(Debug)]
pub struct Pipeline(Infallible);

#[derive(Clone, Debug)]
pub struct Buffer(Infallible);

pub struct Recording(Infallible);

pub struct Submission(Infallible);

/// None.
#[must_use]
pub fn list(_only: Option<Backend>) -> Vec<Adapter> {
    Vec::new()
}

impl Gpu {
    pub fn open(adapter: &Adapter) -> Result<Arc<Self>, Fault> {
        match adapter.none {}
    }

    #[must_use]
    pub fn description(&self) -> &Description {
        match self.0 {}
    }

    #[must_use]
    pub fn name(&self) -> &str {
        match self.0 {}
    }

    #[must_use]
    pub fn max_binding_words(&self) -> u64 {
        match self.0 {}
    }

    #[must_use]
    pub fn max_bindings(&self) -> usize {
        match self.0 {}
    }

    pub fn destroy(&self) {
        match self.0 {}
    }

    pub fn pipeline(&self, _kernel: &'static Kernel, _constants: &[u32]) -> Result<Arc<Pipeline>, Fault> {
        match self.0 {}
    }

    pub fn buffer(&self, _label: &str, _words: u64) -> Result<Buffer, Fault> {
        match self.0 {}
    }

    pub fn buffer_with(&self, _label: &str, _content: &[u32]) -> Result<Buffer, Fault> {
        match self.0 {}
    }

    pub fn write(&self, _buffer: &Buffer, _at: u64, _content: &[u32]) -> Result<(), Fault> {
        match self.0 {}
    }

    pub fn record(self: &Arc<Self>) -> Result<Recording, Fault> {
        match self.0 {}
    }

    pub fn launch(self: &Arc<Self>, _kernel: &'static Kernel, _launch: &mut Launch) -> Result<(), Fault> {
        match self.0 {}
    }
}

impl Buffer {
    #[must_use]
    pub fn words(&self) -> u64 {
        match self.0 {}
    }
}

impl Recording {
    pub fn clear(&mut self, _buffer: &Buffer) {
        match self.0 {}
    }

    pub fn copy(&mut self, _from: &Buffer, _from_at: u64, _to: &Buffer, _to_at: u64, _words: u64) {
        match self.0 {}
    }

    pub fn dispatch(&mut self, _pipeline: &Pipeline, _buffers: &[&Buffer], _invocations: u32) -> Result<(), Fault> {
        match self.0 {}
    }

    pub fn download(&mut self, _buffer: &Buffer, _at: u64, _words: u64) -> Result<(), Fault> {
        match self.0 {}
    }

    pub fn submit(self) -> Result<Submission, Fault> {
        match self.0 {}
    }
}

impl Submission {
    pub fn wait(self) -> Result<Vec<Vec<u32>>, Fault> {
        match self.0 {}
    }
}
