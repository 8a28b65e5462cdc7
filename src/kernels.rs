//! The one list of kernels. A kernel is declared beside its twin and entered here; the test over this list runs each on
//! every adapter present and compares it with its twin.

use crate::kernel::Kernel;
use crate::puzzles::{billiard, brainball, braincube};
use crate::search::linear::kernels;

/// Every kernel of the crate.
pub const ALL: &[&Kernel] = &[
    &billiard::brute_force::KERNEL,
    &billiard::strategy::KERNEL,
    &billiard::diagonal::KERNEL,
    &billiard::rows::KERNEL,
    &brainball::expand::KERNEL,
    &brainball::seek::KERNEL,
    &brainball::ring::carry::KERNEL,
    &braincube::frontier::KERNEL,
    &braincube::boards::KERNEL_32,
    &braincube::boards::KERNEL_64,
    &braincube::stage::expand::KERNEL,
    &kernels::SWEEP,
    &kernels::DOT,
    &kernels::COMBINE,
];
