//! What can go wrong with a device, as values.

pub use super::present::SOFTWARE_ADAPTER_HINT;

/// A fault of an adapter, a device, a kernel or a run on it: what happened, to what, and what to do.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Fault {
    /// This build knows no devices.
    #[error(
        "this build has no GPU support, so {wanted} names nothing; leave it out, or build gpu-solve with the feature gpu"
    )]
    NotBuilt {
        /// What was asked for.
        wanted: String,
    },
    /// No adapter answers the request.
    #[error("no adapter for {wanted}; present: {present}; {SOFTWARE_ADAPTER_HINT}")]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters that are there, or "none".
        present: String,
    },
    /// The adapter is there but gave no device.
    #[error("adapter {adapter} gave no device: {message}; try another with --adapter, or --backend cpu")]
    Open {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        message: String,
    },
    /// The WGSL of a kernel, or its pipeline, does not compile on this adapter.
    #[error("kernel {kernel} does not compile on {adapter}: {message}")]
    Shader {
        /// The kernel's name.
        kernel: String,
        /// The adapter's name.
        adapter: String,
        /// The compiler's message.
        message: String,
    },
    /// wgpu refused a call: a defect of this program.
    #[error("{during} was refused on {adapter}: {message}")]
    Validation {
        /// What was being done.
        during: String,
        /// The adapter's name.
        adapter: String,
        /// wgpu's message.
        message: String,
    },
    /// The device has no memory for what was asked.
    #[error("out of memory on {adapter} during {during}; ask for less, or use --backend cpu")]
    OutOfMemory {
        /// What was being done.
        during: String,
        /// The adapter's name.
        adapter: String,
    },
    /// The device is gone.
    #[error("device {adapter} was lost: {reason}")]
    Lost {
        /// The adapter's name.
        adapter: String,
        /// The driver's reason.
        reason: String,
    },
    /// Work that was handed over did not come back in time.
    #[error("device {adapter} did not answer within {seconds} s")]
    Stalled {
        /// The adapter's name.
        adapter: String,
        /// How long was waited.
        seconds: u64,
    },
}

impl Fault {
    /// Whether the same work may succeed on a new device or on the CPU. A kernel that does not compile or a refused
    /// call would only fail again, and hides a defect if passed over.
    #[must_use]
    pub fn is_survivable(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Stalled { .. } | Self::OutOfMemory { .. } | Self::Open { .. })
    }
}
