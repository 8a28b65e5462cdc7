//! A kernel over the same indices on the CPU and, beside it, on every adapter present. The group's name says the kernel, the
//! function's the adapter; a software adapter is the CPU in another dress, not a GPU.

use std::hint::black_box;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use criterion::{BenchmarkId, Criterion, Throughput};
use gpu_solve::gpu::Gpu;
use gpu_solve::gpu::adapters::list;
use gpu_solve::puzzles::index_space::IndexSpace;
use gpu_solve::search::index::engine::{Engine, GpuEngine, walk_parallel};

/// A device on each adapter.
pub fn devices() -> &'static [Arc<Gpu>] {
    static DEVICES: OnceLock<Vec<Arc<Gpu>>> = OnceLock::new();
    DEVICES.get_or_init(|| list(None).iter().filter_map(|adapter| Gpu::open(adapter).ok()).collect())
}

/// Times the walk of a range, which counts as so many elements.
pub fn walk(criterion: &mut Criterion, name: String, space: &dyn IndexSpace, range: &Range<u128>, elements: u64) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.throughput(Throughput::Elements(elements));
    let threads = rayon::current_num_threads();
    group.bench_function(BenchmarkId::from_parameter(format!("cpu, {threads} threads")), |bencher| {
        bencher.iter(|| black_box(walk_parallel(space, range)));
    });
    for gpu in devices() {
        let mut engine = GpuEngine::new(Arc::clone(gpu), space).expect("the kernel compiles");
        group.bench_function(BenchmarkId::from_parameter(gpu.description().line()), |bencher| {
            bencher.iter(|| black_box(engine.walk(range.clone()).expect("the device works")));
        });
    }
    group.finish();
}
