//! Buffers of words.

use super::device::Gpu;
use super::fault::Fault;

/// A buffer of `u32` words on a device, bound as a storage buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub(super) raw: wgpu::Buffer,
    words: u64,
}

impl Buffer {
    /// Its length in words.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words
    }
}

impl Gpu {
    /// A buffer of zeros, this many words long (at least one).
    ///
    /// # Errors
    /// [`Fault::OutOfMemory`] where the device has no room or the length passes what one binding may span (see
    /// [`Gpu::max_binding_words`]).
    pub fn buffer(&self, label: &str, words: u64) -> Result<Buffer, Fault> {
        let words = words.max(1);
        if words > self.max_binding_words() {
            return Err(Fault::OutOfMemory {
                during: format!(
                    "allocating {} bytes for {label} (a binding may span {})",
                    words * 4,
                    self.max_binding_words() * 4
                ),
                adapter: self.name().to_owned(),
            });
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let raw = self.raw_buffer(label, words, usage)?;
        Ok(Buffer { raw, words })
    }

    /// A buffer with this content.
    ///
    /// # Errors
    /// As [`Gpu::buffer`].
    pub fn buffer_with(&self, label: &str, content: &[u32]) -> Result<Buffer, Fault> {
        let buffer = self.buffer(label, content.len() as u64)?;
        self.write(&buffer, 0, content)?;
        Ok(buffer)
    }

    /// Writes words into a buffer from a place on; ordered before any later submission.
    ///
    /// # Errors
    /// [`Fault::Validation`] when the words do not fit.
    pub fn write(&self, buffer: &Buffer, at: u64, content: &[u32]) -> Result<(), Fault> {
        if content.is_empty() {
            return Ok(());
        }
        self.guarded("writing a buffer", || self.queue.write_buffer(&buffer.raw, at * 4, bytemuck::cast_slice(content)))
    }

    pub(super) fn raw_buffer(&self, label: &str, words: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Fault> {
        self.guarded(&format!("allocating {} bytes for {label}", words * 4), || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: words * 4,
                usage,
                mapped_at_creation: false,
            })
        })
    }
}
