//! What can go wrong with a device, as values; and the walls that keep wgpu's panics inside this module.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// How a user gets a Vulkan driver that needs no GPU.
pub const SOFTWARE_ADAPTER_HINT: &str = "to get a software adapter install Mesa's Vulkan driver (Debian/Ubuntu: apt install mesa-vulkan-drivers; \
     Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S vulkan-swrast), or use --backend cpu";

/// A fault of an adapter, a device, a kernel or a run on it: what happened, to what, and what to do.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Fault {
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

thread_local! {
    static CONTAINING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call that may panic inside wgpu and gives the panic's message as the error. The panic is not printed.
pub(crate) fn contain<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CONTAINING.get() {
                before(info);
            }
        }));
    });
    let outer = CONTAINING.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    CONTAINING.set(outer);
    outcome.map_err(|payload| {
        payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_its_message() {
        assert_eq!(contain(|| 3), Ok(3));
        assert_eq!(contain(|| -> u32 { panic!("poll failed: {}", 7) }), Err("poll failed: 7".to_owned()));
        assert_eq!(contain(|| -> u32 { panic!("plain") }), Err("plain".to_owned()));
    }
}
