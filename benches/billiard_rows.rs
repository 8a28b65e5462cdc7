//! Rows by order on the CPU and every adapter, and what each bound is worth: the same search with fewer bounds.

mod beside;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_solve::puzzles::billiard::rows::Rows;
use gpu_solve::puzzles::billiard::rows::bounds::Which;
use gpu_solve::puzzles::index_space::IndexSpace;
use gpu_solve::search::index::engine::walk_parallel;

fn orders(criterion: &mut Criterion) {
    for (order, max) in [(7, 32), (8, 43), (9, 58)] {
        let space = Rows::new(order, max).expect("the space is sound");
        let range = 0..space.size();
        let steps = walk_parallel(&space, &range).work;
        beside::walk(criterion, format!("billiard/rows order {order} max {max}, steps"), &space, &range, steps);
    }
}

fn bounds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("billiard/rows bounds, order 8 max 43");
    group.sample_size(10);
    for (name, pair, triple) in [("path", false, false), ("path and pair", true, false), ("all", true, true)] {
        let space = Rows::with(8, 43, Which { path: true, pair, triple }).expect("the space is sound");
        let range = 0..space.size();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(walk_parallel(&space, &range))));
    }
    group.finish();
}

criterion_group!(benches, orders, bounds);
criterion_main!(benches);
