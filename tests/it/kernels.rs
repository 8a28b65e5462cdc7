//! Every kernel in the list, on every adapter present, against its twin.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gpu_solve::gpu::Fault;
use gpu_solve::kernel::{Access, Kernel, Launch};
use gpu_solve::kernels;
use gpu_solve::search::trials::{Terms, Unequal, compare, difference, verify};

use super::support::{TOY, Toy, devices};

#[test]
fn every_kernel_agrees_with_its_twin_on_every_adapter() {
    for gpu in devices() {
        let on = gpu.description().line();
        let (until, stop) = (Instant::now(), AtomicBool::new(false));
        let terms = Terms { until, seed: 1, stop: &stop };
        let verdicts = verify(kernels::ALL, &|kernel, launch| gpu.launch(kernel, launch), &terms);
        assert_eq!(verdicts.len(), kernels::ALL.len());
        for verdict in verdicts {
            assert_eq!(verdict.unequal, None, "{} on {on}", verdict.kernel);
            assert!(verdict.is_equal() && verdict.compared.words > 0, "{} on {on}", verdict.kernel);
        }
    }
}

#[test]
fn drawn_launches_agree_too() {
    for gpu in devices() {
        for kernel in kernels::ALL {
            let drawn = kernels::draw(kernel, 1);
            let outcome = compare(kernel, &drawn, &|kernel, launch| gpu.launch(kernel, launch));
            // Where nothing is drawn, or nothing is found there, nothing is compared.
            let nothing = matches!(outcome, Err(Unequal::Nothing { .. }));
            assert!(outcome.is_ok() || nothing, "{}: {outcome:?}", kernel.name);
        }
    }
}

#[test]
fn a_kernel_that_errs_is_named_with_its_first_word_and_its_rounds_end() {
    let wrong_one = "linear/dot";
    let stop = AtomicBool::new(false);
    let terms = Terms { until: Instant::now() + Duration::from_millis(50), seed: 1, stop: &stop };
    // A device whose every launch of one kernel is wrong in one bit of one word of the last binding.
    let broken = |kernel: &'static Kernel, launch: &mut Launch| {
        (kernel.twin)(launch);
        if kernel.name == wrong_one && launch.buffers[3].len() > 1 {
            launch.buffers[3][1] ^= 1 << 30;
        }
        Ok(())
    };
    let verdicts = verify(kernels::ALL, &broken, &terms);
    for verdict in &verdicts {
        assert_eq!(verdict.is_equal(), verdict.kernel != wrong_one, "{verdict:?}");
    }
    let wrong = verdicts.iter().find(|verdict| verdict.kernel == wrong_one).unwrap();
    let Some(Unequal::Difference { launch, difference }) = &wrong.unequal else { panic!("{wrong:?}") };
    assert_eq!((*launch, difference.binding, difference.word), (3, "parts", 1));
    assert_eq!(difference.device ^ difference.twin, 1 << 30);
    assert_eq!(wrong.rounds, 0);
}

#[test]
fn a_device_that_does_nothing_or_fails_is_no_agreement() {
    let stop = AtomicBool::new(false);
    let terms = Terms { until: Instant::now(), seed: 1, stop: &stop };
    for verdict in verify(kernels::ALL, &|_, _| Ok(()), &terms) {
        assert!(matches!(verdict.unequal, Some(Unequal::Difference { .. })), "{verdict:?}");
    }
    let fault = Fault::Stalled { adapter: "none".to_owned(), seconds: 1 };
    for verdict in verify(kernels::ALL, &|_, _| Err(fault.clone()), &terms) {
        assert_eq!(verdict.unequal, Some(Unequal::Fault(fault.clone())));
    }
    stop.store(true, Ordering::Relaxed);
    assert!(verify(kernels::ALL, &|_, _| Ok(()), &terms).iter().all(|verdict| !verdict.is_equal()));
}

#[test]
fn every_kernel_is_named_once_and_its_wgsl_declares_its_bindings() {
    for (place, kernel) in kernels::ALL.iter().enumerate() {
        assert!(kernels::ALL[..place].iter().all(|other| other.name != kernel.name), "{} is there twice", kernel.name);
        let wgsl = kernel.wgsl.concat();
        for (number, binding) in kernel.bindings.iter().enumerate() {
            let access = if binding.access == Access::Read { "read" } else { "read_write" };
            let declared = format!("@group(0) @binding({number}) var<storage, {access}> {}:", binding.name);
            assert!(wgsl.contains(&declared), "{}: {declared} is missing", kernel.name);
        }
        for constant in kernel.constants {
            assert!(wgsl.contains(&format!("override {constant}: u32")), "{}: no override {constant}", kernel.name);
        }
    }
}

#[test]
fn a_difference_in_any_compared_binding_is_seen() {
    let toy = Toy { size: 4_096, bound: 1 << 24 };
    let mut launch = gpu_solve::puzzles::index_space::launch(&toy, &(5..4_000), 64);
    (TOY.twin)(&mut launch);
    assert_eq!(difference(&TOY, &launch, &launch), None);
    for (binding, word) in [(1, 0), (1, 2), (2, 3)] {
        let mut other = launch.clone();
        other.buffers[binding][word] ^= 1;
        let found = difference(&TOY, &launch, &other).unwrap();
        assert_eq!(found.binding, TOY.bindings[binding].name);
    }
    // the order of appended records is no difference
    let mut other = launch.clone();
    other.buffers[2].reverse();
    assert_eq!(difference(&TOY, &launch, &other), None);
}
