//! Ctrl-C and SIGTERM: the first asks the search to stop at the next batch boundary, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that an interrupt sets, with the handler in place.
///
/// # Errors
/// When the system takes no handler.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(&STOP)
}
