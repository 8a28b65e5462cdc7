//! Faults of devices come back as values, and a search survives those that a new device or the CPU can mend.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use gpu_solve::gpu::adapters::{Backend, Request, select};
use gpu_solve::gpu::{Fault, Gpu};
use gpu_solve::kernel::{Binding, Compare, Kernel, Launch};
use gpu_solve::puzzles::index_space::IndexSpace;
use gpu_solve::search::index::engine::{CpuEngine, Engine, Finished, GpuEngine, Opener};
use gpu_solve::search::index::range::{Event, Plan, RangeError, Report, search};

use super::support::{Shared, Toy, adapters, devices, toy_hits};

const TOY: Toy = Toy { size: 4_000_000, bound: 1 << 18 };

/// Never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Engines that fail as told: each entry is the batch (counted over all engines) at which a fault comes.
struct Failing {
    at: Vec<(u32, Fault)>,
    collected: Arc<AtomicU32>,
    opened: AtomicU32,
    most_opened: u32,
}

struct FailingEngine<'s> {
    inner: CpuEngine<'s>,
    at: Vec<(u32, Fault)>,
    collected: Arc<AtomicU32>,
}

fn lost() -> Fault {
    Fault::Lost { adapter: "paper".to_owned(), reason: "told to".to_owned() }
}

impl Failing {
    fn new(at: Vec<(u32, Fault)>, most_opened: u32) -> Self {
        Self { at, collected: Arc::default(), opened: AtomicU32::new(0), most_opened }
    }
}

impl Opener for Failing {
    fn name(&self) -> String {
        "paper".to_owned()
    }
    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        if self.opened.fetch_add(1, Ordering::Relaxed) >= self.most_opened {
            return Err(Fault::Open { adapter: "paper".to_owned(), message: "no more".to_owned() });
        }
        let (at, collected) = (self.at.clone(), Arc::clone(&self.collected));
        Ok(Box::new(FailingEngine { inner: CpuEngine::new(space, &NEVER), at, collected }))
    }
}

impl Engine for FailingEngine<'_> {
    fn depth(&self) -> usize {
        2
    }
    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault> {
        self.inner.submit(batch)
    }
    fn collect(&mut self) -> Result<Finished, Fault> {
        let number = self.collected.fetch_add(1, Ordering::Relaxed);
        match self.at.iter().find(|(at, _)| *at == number) {
            Some((_, fault)) => Err(fault.clone()),
            None => self.inner.collect(),
        }
    }
}

fn run(device: &dyn Opener) -> (Result<Report, RangeError>, Vec<String>) {
    let stop = AtomicBool::new(false);
    let plan =
        Plan { space: &TOY, range: 5..3_999_999, device: Some(device), lockstep: false, keep: usize::MAX, stop: &stop };
    let mut said = Vec::new();
    let outcome = search(&plan, &mut |event| {
        if let Event::Survived { fault, then } = event {
            said.push(format!("{fault}; {then}"));
        }
    });
    (outcome, said)
}

fn assert_right(report: &Report) {
    assert!(report.complete);
    assert_eq!(report.tally.hits, toy_hits(5..3_999_999, TOY.bound));
    assert_eq!(report.tally.found, report.tally.hits.len() as u64);
}

#[test]
fn a_device_lost_at_a_batch_is_opened_again_and_nothing_is_counted_twice() {
    for at in [0, 1, 2, 3] {
        let failing = Failing::new(vec![(at, lost())], 9);
        let (report, said) = run(&failing);
        let report = report.unwrap();
        assert_right(&report);
        assert!(report.on_device);
        assert_eq!(report.survived, vec![lost()]);
        assert!(said[0].contains("told to") && said[0].contains("new device"), "{said:?}");
    }
}

#[test]
fn a_device_that_cannot_be_opened_again_leaves_the_rest_to_the_cpu() {
    let failing = Failing::new(vec![(2, lost())], 1);
    let (report, said) = run(&failing);
    let report = report.unwrap();
    assert_right(&report);
    assert!(!report.on_device);
    assert!(said.last().unwrap().contains("CPU"), "{said:?}");
}

#[test]
fn a_device_that_is_lost_again_and_again_without_finishing_a_batch_is_given_up() {
    let failing = Failing::new((0..100).map(|at| (at, lost())).collect(), 99);
    let (report, said) = run(&failing);
    assert_right(&report.unwrap());
    assert_eq!(said.len(), 2);
}

#[test]
fn out_of_memory_and_silence_are_survived_too() {
    let memory = Fault::OutOfMemory { during: "a batch".to_owned(), adapter: "paper".to_owned() };
    let silence = Fault::Stalled { adapter: "paper".to_owned(), seconds: 120 };
    let (report, _) = run(&Failing::new(vec![(1, memory.clone()), (2, silence.clone())], 9));
    let report = report.unwrap();
    assert_right(&report);
    assert_eq!(report.survived, vec![memory, silence]);
}

#[test]
fn a_refused_call_is_a_defect_and_ends_the_search() {
    let refused =
        Fault::Validation { during: "a test".to_owned(), adapter: "paper".to_owned(), message: "no".to_owned() };
    let (report, _) = run(&Failing::new(vec![(1, refused.clone())], 9));
    assert!(matches!(report, Err(RangeError::Fault(fault)) if fault == refused));
}

/// Destroys the first real device it opened while its second batch is under way.
struct Destroying<'a>(&'a gpu_solve::gpu::adapters::Adapter, AtomicU32);

struct DestroyingEngine<'s>(GpuEngine<'s>, Arc<Gpu>, Option<u32>);

impl Opener for Destroying<'_> {
    fn name(&self) -> String {
        self.0.description.line()
    }
    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        let gpu = Gpu::open(self.0)?;
        let countdown = (self.1.fetch_add(1, Ordering::Relaxed) == 0).then_some(1);
        Ok(Box::new(DestroyingEngine(GpuEngine::new(Arc::clone(&gpu), space)?, gpu, countdown)))
    }
}

impl Engine for DestroyingEngine<'_> {
    fn depth(&self) -> usize {
        self.0.depth()
    }
    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault> {
        self.0.submit(batch)
    }
    fn collect(&mut self) -> Result<Finished, Fault> {
        match &mut self.2 {
            Some(0) => self.1.destroy(),
            Some(left) => *left -= 1,
            None => {}
        }
        self.0.collect()
    }
}

#[test]
fn a_real_device_destroyed_under_way_is_replaced_and_the_answer_stays_right() {
    for adapter in adapters() {
        let (report, said) = run(&Destroying(adapter, AtomicU32::new(0)));
        let report = report.unwrap();
        assert_right(&report);
        assert!(report.on_device, "{said:?}");
        assert!(matches!(report.survived.as_slice(), [Fault::Lost { .. }]), "{:?}", report.survived);
    }
}

static BROKEN: Kernel = Kernel {
    name: "tests/broken",
    wgsl: &["@compute @workgroup_size(64) fn main() { let x: u32 = 1.5; }"],
    bindings: &[],
    constants: &[],
    twin: |_| {},
    trials: Vec::new,
};

static PLAIN: Kernel = Kernel {
    name: "tests/plain",
    wgsl: &[r"
        @group(0) @binding(0) var<storage, read> add: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
            let number = id.x + id.y * groups.x * 64u;
            if number < arrayLength(&sums) { sums[number] += add[0] + number; }
        }"],
    bindings: &[Binding::read("add"), Binding::write("sums", Compare::Exact)],
    constants: &[],
    twin: |_| {},
    trials: Vec::new,
};

#[test]
fn a_kernel_that_does_not_compile_is_an_error_that_names_it() {
    for gpu in devices() {
        let Err(Fault::Shader { kernel, message, .. }) = gpu.pipeline(&BROKEN, &[]) else { panic!("it compiled") };
        assert_eq!(kernel, "tests/broken");
        assert!(message.contains("1.5"), "{message}");
    }
}

#[test]
fn a_dispatch_with_too_few_buffers_and_a_write_past_the_end_are_refused() {
    for gpu in devices() {
        let pipeline = gpu.pipeline(&PLAIN, &[]).unwrap();
        let buffer = gpu.buffer("short", 4).unwrap();
        let refused = gpu.record().unwrap().dispatch(&pipeline, &[&buffer], 64);
        assert!(matches!(refused, Err(Fault::Validation { .. })), "{refused:?}");
        let refused = gpu.write(&buffer, 2, &[1, 2, 3]);
        assert!(matches!(refused, Err(Fault::Validation { .. })), "{refused:?}");
        // the device still works
        assert!(gpu.write(&buffer, 0, &[1, 2, 3, 4]).is_ok());
    }
}

#[test]
fn a_buffer_past_what_a_binding_spans_is_out_of_memory() {
    for gpu in devices() {
        let refused = gpu.buffer("huge", gpu.max_binding_words() + 1);
        assert!(matches!(refused, Err(Fault::OutOfMemory { .. })), "{refused:?}");
    }
}

#[test]
fn every_call_on_a_destroyed_device_says_that_it_is_lost() {
    for adapter in adapters() {
        let gpu = Gpu::open(adapter).unwrap();
        let buffer = gpu.buffer("words", 64).unwrap();
        let mut recording = gpu.record().unwrap();
        recording.download(&buffer, 0, 64).unwrap();
        gpu.destroy();
        let outcome = recording.submit().and_then(|submission| submission.wait().map(drop));
        assert!(matches!(outcome, Err(Fault::Lost { .. })), "{outcome:?}");
        assert!(matches!(gpu.buffer("more", 1), Err(Fault::Lost { .. })));
        assert!(matches!(gpu.record().map(drop), Err(Fault::Lost { .. })));
        assert!(matches!(GpuEngine::new(Arc::clone(&gpu), &TOY).map(drop), Err(Fault::Lost { .. })));
    }
}

#[test]
fn workgroups_past_the_limit_of_one_dimension_are_folded_over_the_next() {
    for gpu in devices() {
        // 65,535 groups of 64 are the most along x: these take a second row, partly filled
        let words = 65_535 * 64 + 12_345;
        let mut launch =
            Launch { constants: vec![], invocations: words, buffers: vec![vec![5], vec![1; words as usize]] };
        gpu.launch(&PLAIN, &mut launch).unwrap();
        assert!(launch.buffers[1].iter().enumerate().all(|(number, sum)| *sum as usize == number + 6));
    }
}

#[test]
fn an_adapter_that_is_not_there_is_named_with_those_that_are() {
    let Err(fault) =
        select(&Request { backend: Some(Backend::Vulkan), adapter: Some("voodoo".to_owned()), ..Request::default() })
    else {
        panic!("there is no such adapter")
    };
    let told = fault.to_string();
    assert!(told.contains("--backend vulkan --adapter voodoo") && told.contains("present:"), "{told}");
    for adapter in adapters() {
        assert!(told.contains(&adapter.description.name), "{told}");
    }
}

#[test]
fn a_shared_device_serves_two_engines_at_once() {
    for gpu in devices() {
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..2).map(|_| scope.spawn(|| run(&Shared(Arc::clone(gpu))).0.unwrap())).collect();
            for report in runs {
                assert_right(&report.join().unwrap());
            }
        });
    }
}
