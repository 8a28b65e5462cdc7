//! Ctrl-C and SIGTERM: the first asks the search to stop at the next batch boundary, the second ends the process. Where
//! nothing looks at the flag, the first one does. Two in a moment are one: `timeout` and some terminals send them so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::watch;

/// The exit code of a run that was interrupted.
pub const EXIT: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);
/// Signals closer together than this are one.
const MOMENT: Duration = Duration::from_secs(1);
/// Whether something looks at the flag.
static LOOKED_AT: AtomicBool = AtomicBool::new(false);
/// Whether the handler is in place.
static SET: Mutex<bool> = Mutex::new(false);

/// Puts the handler in place.
///
/// # Errors
/// When the system takes no handler.
pub fn prepare() -> anyhow::Result<()> {
    let mut set = SET.lock().unwrap_or_else(PoisonError::into_inner);
    if !*set {
        let mut first: Option<Instant> = None;
        ctrlc::set_handler(move || {
            let again = first.get_or_insert_with(Instant::now).elapsed() > MOMENT;
            STOP.store(true, Ordering::Relaxed);
            if again || !LOOKED_AT.load(Ordering::Relaxed) {
                watch::end(EXIT, Some("interrupted"));
                std::process::exit(EXIT.into());
            }
        })?;
        *set = true;
    }
    Ok(())
}

/// The flag that an interrupt sets, with the handler in place. Who asks for it looks at it, often, from then on.
///
/// # Errors
/// When the system takes no handler.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    LOOKED_AT.store(true, Ordering::Relaxed);
    prepare()?;
    Ok(&STOP)
}
