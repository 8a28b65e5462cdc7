//! The walls that keep wgpu's panics inside this module.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

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
