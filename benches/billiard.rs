//! Each billiard kernel over the same indices: its CPU twin on all threads beside every adapter present. The group's name
//! says the kernel, the function's the adapter; a software adapter is the CPU in another dress, not a GPU.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gpu_solve::gpu::Gpu;
use gpu_solve::gpu::adapters::list;
use gpu_solve::puzzles::billiard::Solver;
use gpu_solve::search::engine::{Engine, GpuEngine, walk_parallel};

/// A solver, an order, a greatest number, and the indices to walk.
type Job = (Solver, usize, usize, Range<u128>);

fn kernels(criterion: &mut Criterion) {
    let devices: Vec<_> = list(None).iter().filter_map(|adapter| Gpu::open(adapter).ok()).collect();
    let jobs: [Job; 4] = [
        (Solver::BruteForce, 5, 15, 370_450_000_000..370_490_000_000),
        (Solver::Strategy, 6, 22, 0..53_721_360),
        (Solver::Diagonal, 6, 22, 0..9_240),
        (Solver::Diagonal, 7, 33, 500_000..530_000),
    ];
    for (solver, order, max, range) in jobs {
        let space = solver.space(order, max).expect("the space is sound");
        let mut group = criterion.benchmark_group(format!("billiard/{solver} order {order} max {max}"));
        group.sample_size(10);
        group.throughput(Throughput::Elements(u64::try_from(range.end - range.start).expect("a short range")));
        let threads = rayon::current_num_threads();
        group.bench_function(BenchmarkId::from_parameter(format!("cpu, {threads} threads")), |bencher| {
            bencher.iter(|| black_box(walk_parallel(&*space, &range)));
        });
        for gpu in &devices {
            let mut engine = GpuEngine::new(Arc::clone(gpu), &*space).expect("the kernel compiles");
            group.bench_function(BenchmarkId::from_parameter(gpu.description().line()), |bencher| {
                bencher.iter(|| black_box(engine.walk(range.clone()).expect("the device works")));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
