//! Devices: the one place that makes them, their pipelines, and the watch over their faults.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::adapters::{Adapter, Description};
use super::contain::contain;
use super::fault::Fault;
use crate::kernel::{Access, Kernel};

/// An open device on an adapter. Clone the `Arc` it comes in to share it: devices are dear (0.5 s on a software adapter).
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    description: Description,
    limits: wgpu::Limits,
    lost: Arc<Mutex<Option<String>>>,
    uncaptured: Arc<Mutex<Option<Fault>>>,
    pipelines: Mutex<HashMap<PipelineKey, Arc<Pipeline>>>,
    groups_per_dimension: u32,
}

/// How long an error waits for work under way, to learn whether the device was lost.
const LOSS_IS_TOLD_WITHIN: Duration = Duration::from_secs(2);

/// A kernel's name and the values of its constants.
type PipelineKey = (&'static str, Vec<u32>);

/// A kernel compiled for a device with its override constants set.
#[derive(Debug)]
pub struct Pipeline {
    pub(super) raw: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) name: &'static str,
    pub(super) bindings: usize,
}

/// A lock whose holder panicked still guards sound data here: each is written in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Opens a device with the limits that the adapter offers and these kernels use.
    ///
    /// # Errors
    /// [`Fault::Open`] with the driver's words.
    pub fn open(adapter: &Adapter) -> Result<Arc<Self>, Fault> {
        let description = adapter.description.clone();
        let offered = adapter.handle.limits();
        let limits = wgpu::Limits {
            max_buffer_size: offered.max_buffer_size,
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            max_storage_buffers_per_shader_stage: offered.max_storage_buffers_per_shader_stage,
            max_compute_workgroup_storage_size: offered.max_compute_workgroup_storage_size,
            max_compute_invocations_per_workgroup: offered.max_compute_invocations_per_workgroup,
            max_compute_workgroup_size_x: offered.max_compute_workgroup_size_x,
            max_compute_workgroups_per_dimension: offered.max_compute_workgroups_per_dimension,
            ..wgpu::Limits::downlevel_defaults().or_worse_values_from(&offered)
        };
        let failed = |message: String| Fault::Open { adapter: description.name.clone(), message };
        let (device, queue) = contain(|| {
            pollster::block_on(adapter.handle.request_device(&wgpu::DeviceDescriptor {
                label: Some("gpu-solve"),
                required_features: wgpu::Features::empty(),
                required_limits: limits.clone(),
                ..Default::default()
            }))
        })
        .map_err(failed)?
        .map_err(|error| failed(error.to_string()))?;

        let lost = Arc::new(Mutex::new(None));
        let note_loss = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            *lock(&note_loss) = Some(format!("{reason:?}: {message}").trim_end_matches([':', ' ']).to_owned());
        });
        let uncaptured = Arc::new(Mutex::new(None));
        let note_error = Arc::clone(&uncaptured);
        let name = description.name.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            lock(&note_error).get_or_insert(fault_of("running a kernel", &name, &error));
        }));
        Ok(Arc::new(Self {
            groups_per_dimension: limits.max_compute_workgroups_per_dimension,
            device,
            queue,
            description,
            limits,
            lost,
            uncaptured,
            pipelines: Mutex::default(),
        }))
    }

    /// What the adapter says of itself.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The adapter's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// The most words that one binding may span: tables past this are split over several bindings.
    #[must_use]
    pub fn max_binding_words(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size) / 4
    }

    /// The most storage buffers that one kernel may bind.
    #[must_use]
    pub fn max_bindings(&self) -> usize {
        self.limits.max_storage_buffers_per_shader_stage as usize
    }

    /// Destroys the device as a driver would that lost it: for the tests of what comes after.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// The kernel compiled with these constants; compiled once a device.
    ///
    /// # Errors
    /// [`Fault::Shader`] where WGSL or pipeline do not compile.
    pub fn pipeline(&self, kernel: &'static Kernel, constants: &[u32]) -> Result<Arc<Pipeline>, Fault> {
        let key = (kernel.name, constants.to_vec());
        if let Some(known) = lock(&self.pipelines).get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(self.compile(kernel, constants)?);
        lock(&self.pipelines).insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn compile(&self, kernel: &'static Kernel, constants: &[u32]) -> Result<Pipeline, Fault> {
        let built = self.guarded("compiling", || {
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name),
                source: wgpu::ShaderSource::Wgsl(kernel.wgsl.concat().into()),
            });
            let entries: Vec<_> = (0u32..)
                .zip(kernel.bindings)
                .map(|(number, binding)| wgpu::BindGroupLayoutEntry {
                    binding: number,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Storage { read_only: binding.access == Access::Read },
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                })
                .collect();
            let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(kernel.name),
                entries: &entries,
            });
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(kernel.name),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let values: Vec<_> =
                kernel.constants.iter().copied().zip(constants.iter().map(|value| f64::from(*value))).collect();
            let raw = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions { constants: &values, ..Default::default() },
                cache: None,
            });
            Pipeline { raw, layout, name: kernel.name, bindings: kernel.bindings.len() }
        });
        built.map_err(|fault| match fault {
            Fault::Validation { message, adapter, .. } => {
                Fault::Shader { kernel: kernel.name.to_owned(), adapter, message }
            }
            other => other,
        })
    }

    /// Folds a number of workgroups over x and y: at most the device's limit along each.
    pub(super) fn fold_groups(&self, groups: u32) -> (u32, u32) {
        let x = groups.clamp(1, self.groups_per_dimension);
        (x, groups.div_ceil(x))
    }

    /// Runs wgpu calls with every error they raise caught: validation, memory, internal, panic, and a lost device.
    pub(super) fn guarded<T>(&self, during: &str, calls: impl FnOnce() -> T) -> Result<T, Fault> {
        self.check_alive()?;
        let outcome = contain(|| {
            let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
            let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
            let value = calls();
            let errors =
                [validation, internal, memory].map(|scope| pollster::block_on(scope.pop())).into_iter().flatten();
            let errors = errors.collect::<Vec<_>>();
            // Calls on a lost device raise no error, or complain of what it made since. The loss itself is told by the
            // first poll that finds nothing under way, so an error waits for that before it is believed.
            let polled = self.device.poll(if errors.is_empty() {
                wgpu::PollType::Poll
            } else {
                wgpu::PollType::Wait { submission_index: None, timeout: Some(LOSS_IS_TOLD_WITHIN) }
            });
            (value, errors, polled)
        });
        self.check_alive()?;
        match outcome {
            Ok((_, _, Err(error))) if !matches!(error, wgpu::PollError::Timeout) => {
                Err(Fault::Lost { adapter: self.name().to_owned(), reason: error.to_string() })
            }
            Ok((value, errors, _)) => match errors.first() {
                None => Ok(value),
                Some(error) => Err(fault_of(during, self.name(), error)),
            },
            Err(panic) => Err(Fault::Lost { adapter: self.name().to_owned(), reason: panic }),
        }
    }

    /// Reports a lost device or an error that no scope caught.
    pub(super) fn check_alive(&self) -> Result<(), Fault> {
        if let Some(reason) = lock(&self.lost).clone() {
            return Err(Fault::Lost { adapter: self.name().to_owned(), reason });
        }
        match lock(&self.uncaptured).take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

fn fault_of(during: &str, adapter: &str, error: &wgpu::Error) -> Fault {
    let (during, adapter) = (during.to_owned(), adapter.to_owned());
    match error {
        wgpu::Error::OutOfMemory { .. } => Fault::OutOfMemory { during, adapter },
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Fault::Validation { during, adapter, message: description.trim().to_owned() }
        }
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("adapter", &self.description.line()).finish_non_exhaustive()
    }
}
