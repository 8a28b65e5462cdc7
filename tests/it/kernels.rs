//! Every kernel in the list, on every adapter present, against its twin.

use gpu_solve::kernel::{Access, Compare, Kernel, Launch};
use gpu_solve::kernels;

use super::support::{TOY, Toy, devices};

/// Says where two launches of a kernel differ, binding by binding.
fn difference(kernel: &Kernel, gpu: &Launch, cpu: &Launch) -> Option<String> {
    kernel.bindings.iter().zip(gpu.buffers.iter().zip(&cpu.buffers)).find_map(|(binding, (gpu, cpu))| {
        let (gpu, cpu) = match binding.compare {
            Compare::Scratch => return None,
            Compare::Floats(bits) => (rounded(gpu, cpu, bits), cpu.clone()),
            Compare::Exact => (gpu.clone(), cpu.clone()),
            Compare::Records(width) => (sorted(gpu, width), sorted(cpu, width)),
        };
        let at = gpu.iter().zip(&cpu).position(|(gpu, cpu)| gpu != cpu)?;
        Some(format!(
            "{}: binding {} differs at word {at}: GPU {:#x}, twin {:#x}",
            kernel.name, binding.name, gpu[at], cpu[at]
        ))
    })
}

/// The first side with every number that lies within the margin of the other side's replaced by that.
fn rounded(gpu: &[u32], cpu: &[u32], bits: u32) -> Vec<u32> {
    let largest = cpu.iter().map(|&word| f32::from_bits(word).abs()).fold(0.0, f32::max);
    let margin = f64::from(largest) / f64::from(bits).exp2();
    let near = |a: u32, b: u32| (f64::from(f32::from_bits(a)) - f64::from(f32::from_bits(b))).abs() <= margin;
    gpu.iter().zip(cpu).map(|(&a, &b)| if near(a, b) { b } else { a }).collect()
}

fn sorted(words: &[u32], width: usize) -> Vec<u32> {
    let mut records: Vec<_> = words.chunks(width).collect();
    records.sort_unstable();
    records.concat()
}

#[test]
fn every_kernel_agrees_with_its_twin_on_every_adapter() {
    for gpu in devices() {
        for kernel in kernels::ALL {
            let trials = (kernel.trials)();
            assert!(!trials.is_empty(), "{} has no trials", kernel.name);
            for (number, trial) in trials.iter().enumerate() {
                let (mut launched, mut twinned) = (trial.clone(), trial.clone());
                gpu.launch(kernel, &mut launched).unwrap();
                (kernel.twin)(&mut twinned);
                let what = format!("trial {number} on {}", gpu.description().line());
                assert_eq!(difference(kernel, &launched, &twinned), None, "{what}");
                let compared = *trial != twinned || trial.invocations == 0;
                assert!(compared, "{}: {what} changes nothing, so it compares nothing", kernel.name);
            }
        }
    }
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
        assert!(difference(&TOY, &launch, &other).unwrap().contains(TOY.bindings[binding].name));
    }
    // the order of appended records is no difference
    let mut other = launch.clone();
    other.buffers[2].reverse();
    assert_eq!(difference(&TOY, &launch, &other), None);
}
