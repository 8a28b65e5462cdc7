//! Recording work for a device, handing it over, and waiting for what it reads back.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use super::buffers::Buffer;
use super::contain::contain;
use super::device::{Gpu, Pipeline};
use super::fault::Fault;
use crate::kernel::{Access, Compare, Kernel, Launch};

/// How long one wait lasts before the device is looked at again: an unbounded wait has hung on software drivers.
const ONE_WAIT: Duration = Duration::from_secs(2);
/// How long handed-over work may take in all. Dispatches are sized for a tenth of a second, so this is generous even on
/// a machine under heavy load.
const PATIENCE: Duration = Duration::from_secs(120);

/// Work being recorded: clears, dispatches, copies and read-backs, in order.
pub struct Recording {
    gpu: Arc<Gpu>,
    encoder: wgpu::CommandEncoder,
    downloads: Vec<(wgpu::Buffer, u64)>,
}

impl Gpu {
    /// Starts a recording.
    ///
    /// # Errors
    /// [`Fault::Lost`] on a device that is gone.
    pub fn record(self: &Arc<Self>) -> Result<Recording, Fault> {
        let encoder = self
            .guarded("recording", || self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))?;
        Ok(Recording { gpu: Arc::clone(self), encoder, downloads: Vec::new() })
    }

    /// Runs one launch of a kernel from and to words: all bindings go up, the written ones come back. A kernel that says what
    /// it has not finished is dispatched until it has.
    ///
    /// # Errors
    /// Any [`Fault`].
    pub fn launch(self: &Arc<Self>, kernel: &'static Kernel, launch: &mut Launch) -> Result<(), Fault> {
        let pipeline = self.pipeline(kernel, &launch.constants)?;
        let buffers = kernel
            .bindings
            .iter()
            .zip(&launch.buffers)
            .map(|(binding, content)| self.buffer_with(binding.name, content))
            .collect::<Result<Vec<_>, _>>()?;
        let unfinished = kernel.bindings.iter().position(|binding| binding.compare == Compare::Unfinished);
        loop {
            let mut recording = self.record()?;
            if let Some(place) = unfinished {
                recording.clear(&buffers[place]);
            }
            recording.dispatch(&pipeline, &buffers.iter().collect::<Vec<_>>(), launch.invocations)?;
            for ((binding, buffer), content) in kernel.bindings.iter().zip(&buffers).zip(&launch.buffers) {
                if binding.access == Access::ReadWrite && !content.is_empty() {
                    recording.download(buffer, 0, content.len() as u64)?;
                }
            }
            let mut read = recording.submit()?.wait()?.into_iter();
            for (binding, content) in kernel.bindings.iter().zip(&mut launch.buffers) {
                if binding.access == Access::ReadWrite && !content.is_empty() {
                    *content = read.next().unwrap_or_default();
                }
            }
            if unfinished.is_none_or(|place| launch.buffers[place].first().is_none_or(|&left| left == 0)) {
                return Ok(());
            }
        }
    }
}

impl Recording {
    /// Sets a whole buffer to zero.
    pub fn clear(&mut self, buffer: &Buffer) {
        self.encoder.clear_buffer(&buffer.raw, 0, None);
    }

    /// Copies words from one buffer to another.
    pub fn copy(&mut self, from: &Buffer, from_at: u64, to: &Buffer, to_at: u64, words: u64) {
        self.encoder.copy_buffer_to_buffer(&from.raw, from_at * 4, &to.raw, to_at * 4, words * 4);
    }

    /// Dispatches a kernel with these buffers as its bindings, in their order. The workgroups are folded over x and y;
    /// the kernel unfolds them.
    ///
    /// # Errors
    /// [`Fault::Validation`] when the buffers do not fit the kernel.
    pub fn dispatch(&mut self, pipeline: &Pipeline, buffers: &[&Buffer], invocations: u32) -> Result<(), Fault> {
        if invocations == 0 {
            return Ok(());
        }
        let gpu = Arc::clone(&self.gpu);
        if buffers.len() != pipeline.bindings {
            return Err(Fault::Validation {
                during: format!("dispatching {}", pipeline.name),
                adapter: gpu.name().to_owned(),
                message: format!("{} buffers for {} bindings", buffers.len(), pipeline.bindings),
            });
        }
        let (x, y) = gpu.fold_groups(invocations.div_ceil(Kernel::WORKGROUP));
        gpu.guarded(&format!("dispatching {}", pipeline.name), || {
            let entries: Vec<_> = (0u32..)
                .zip(buffers)
                .map(|(number, buffer)| wgpu::BindGroupEntry {
                    binding: number,
                    resource: buffer.raw.as_entire_binding(),
                })
                .collect();
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(pipeline.name),
                layout: &pipeline.layout,
                entries: &entries,
            });
            let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(pipeline.name),
                timestamp_writes: None,
            });
            pass.set_pipeline(&pipeline.raw);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(x, y, 1);
        })
    }

    /// Reads words back once everything recorded before is done; [`Submission::wait`] gives them in this order.
    ///
    /// # Errors
    /// [`Fault::OutOfMemory`] where there is no room for the read-back.
    pub fn download(&mut self, buffer: &Buffer, at: u64, words: u64) -> Result<(), Fault> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.gpu.raw_buffer("read-back", words.max(1), usage)?;
        self.encoder.copy_buffer_to_buffer(&buffer.raw, at * 4, &staging, 0, words * 4);
        self.downloads.push((staging, words));
        Ok(())
    }

    /// Hands the work over. It runs while the caller does something else.
    ///
    /// # Errors
    /// [`Fault::Validation`] for a defect in what was recorded, [`Fault::Lost`] on a device that is gone.
    pub fn submit(self) -> Result<Submission, Fault> {
        let Self { gpu, encoder, downloads } = self;
        let (index, mapped) = gpu.guarded("submitting", || {
            let index = gpu.queue.submit([encoder.finish()]);
            let mapped = downloads
                .into_iter()
                .map(|(staging, words)| {
                    let (tell, told) = channel();
                    staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
                        // The receiver is gone when the submission was dropped: nobody wants the words.
                        let _ = tell.send(outcome);
                    });
                    Mapping { staging, words, told }
                })
                .collect();
            (index, mapped)
        })?;
        Ok(Submission { gpu, index, mapped, since: Instant::now() })
    }
}

struct Mapping {
    staging: wgpu::Buffer,
    words: u64,
    told: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

/// Work on its way.
pub struct Submission {
    gpu: Arc<Gpu>,
    index: wgpu::SubmissionIndex,
    mapped: Vec<Mapping>,
    since: Instant,
}

impl Submission {
    /// Waits for the work and gives the words read back, one list for each download.
    ///
    /// # Errors
    /// [`Fault::Lost`], or [`Fault::Stalled`] when the device stays silent for two minutes.
    pub fn wait(self) -> Result<Vec<Vec<u32>>, Fault> {
        let Self { gpu, index, mapped, since } = self;
        let lost = |reason: String| Fault::Lost { adapter: gpu.name().to_owned(), reason };
        loop {
            let wait = wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: Some(ONE_WAIT) };
            match contain(|| gpu.device.poll(wait)) {
                Ok(Ok(_)) => break,
                Ok(Err(wgpu::PollError::Timeout)) => {}
                Ok(Err(other)) => return Err(lost(other.to_string())),
                Err(panic) => {
                    gpu.check_alive()?;
                    return Err(lost(panic));
                }
            }
            gpu.check_alive()?;
            if since.elapsed() > PATIENCE {
                return Err(Fault::Stalled { adapter: gpu.name().to_owned(), seconds: PATIENCE.as_secs() });
            }
        }
        gpu.check_alive()?;
        mapped.into_iter().map(|mapping| mapping.read(&gpu, since)).collect()
    }
}

impl Mapping {
    fn read(self, gpu: &Gpu, since: Instant) -> Result<Vec<u32>, Fault> {
        let lost = |reason: &str| Fault::Lost { adapter: gpu.name().to_owned(), reason: reason.to_owned() };
        loop {
            match self.told.try_recv() {
                Ok(Ok(())) => break,
                Ok(Err(_)) => {
                    gpu.check_alive()?;
                    return Err(lost("a read-back could not be mapped"));
                }
                // The work is done but its callback has yet to run: another poll runs it.
                Err(TryRecvError::Empty) if since.elapsed() < PATIENCE => {
                    let polled = contain(|| gpu.device.poll(wgpu::PollType::Poll));
                    gpu.check_alive()?;
                    polled.map_err(|panic| lost(&panic))?.map_err(|error| lost(&error.to_string()))?;
                    std::thread::yield_now();
                }
                Err(_) => {
                    return Err(Fault::Stalled { adapter: gpu.name().to_owned(), seconds: PATIENCE.as_secs() });
                }
            }
        }
        let words = usize::try_from(self.words).unwrap_or(usize::MAX);
        let view = contain(|| self.staging.get_mapped_range(..));
        let view = view.map_err(|panic| lost(&panic))?.map_err(|error| lost(&error.to_string()))?;
        let read = view.chunks_exact(4).take(words).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        drop(view);
        self.staging.unmap();
        Ok(read)
    }
}
