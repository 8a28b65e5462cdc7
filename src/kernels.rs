//! The one list of kernels. A kernel is declared beside its twin and entered here; the test over this list runs each on
//! every adapter present and compares it with its twin.

use crate::kernel::Kernel;

/// Every kernel of the crate.
pub const ALL: &[&Kernel] = &[];
