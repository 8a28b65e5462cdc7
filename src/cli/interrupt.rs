//! Ctrl-C and SIGTERM: the first asks the search to stop at the next batch boundary, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether the handler is in place.
static SET: Mutex<bool> = Mutex::new(false);

/// The flag that an interrupt sets, with the handler in place.
///
/// # Errors
/// When the system takes no handler.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    let mut set = SET.lock().unwrap_or_else(PoisonError::into_inner);
    if !*set {
        ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })?;
        *set = true;
    }
    Ok(&STOP)
}
