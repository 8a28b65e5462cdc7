//! Brain Cube: host Dijkstra against frontiers expanded on each adapter, and direct solves against conjugate gradients, by
//! board size.

#[expect(dead_code, reason = "only the devices are wanted here")]
mod beside;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gpu_solve::puzzles::braincube::{Board, State};
use gpu_solve::search::graph::costs::Costs;
use gpu_solve::search::graph::counting::count_paths;
use gpu_solve::search::graph::expansion::DeviceExpander;
use gpu_solve::search::graph::shortest::{CpuExpander, field_to};
use gpu_solve::search::graph::walk::{DEFAULT_TOLERANCE, Region, free};
use gpu_solve::search::linear::SolverChoice;

fn corners(side: u32) -> (Board, u32, u32) {
    let board = Board::full(side, side).expect("a size in range");
    let at = |k| board.index(State::upright(k, k)).expect("a full board");
    let ends = (at(0), at(side - 1));
    (board, ends.0, ends.1)
}

fn frontiers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("braincube/frontiers");
    group.sample_size(10);
    for side in [100, 400, 1000] {
        let (board, start, goal) = corners(side);
        for (name, costs) in [("unit", Costs::unit(3)), ("costs", Costs::read(&["1", "1", "2"]).expect("costs"))] {
            group.bench_function(BenchmarkId::new(format!("{name}/cpu"), side), |bencher| {
                bencher.iter(|| field_to(&board, goal, Some(start), &costs, &mut CpuExpander::new(&board)));
            });
            for gpu in beside::devices() {
                let place = format!("{name}/{} {}", gpu.description().backend.name(), gpu.name());
                group.bench_function(BenchmarkId::new(place, side), |bencher| {
                    bencher.iter(|| {
                        let mut expander = DeviceExpander::new(gpu, &board, false).expect("a device with room");
                        field_to(&board, goal, Some(start), &costs, &mut expander).expect("a device that works")
                    });
                });
            }
        }
        let costs = Costs::unit(3);
        let Ok((field, _)) = field_to(&board, goal, Some(start), &costs, &mut CpuExpander::new(&board));
        group.bench_function(BenchmarkId::new("count", side), |bencher| {
            bencher.iter(|| black_box(count_paths(&board, &field, &costs, start)));
        });
    }
    group.finish();
}

fn walks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("braincube/walk");
    group.sample_size(10);
    for side in [30, 100, 200] {
        let (board, start, goal) = corners(side);
        let region = Region::of(&board, start, goal);
        for (name, solver) in [("direct", SolverChoice::Direct), ("cg", SolverChoice::Cg)] {
            group.bench_function(BenchmarkId::new(name, side), |bencher| {
                bencher.iter(|| free(&region, &solver, DEFAULT_TOLERANCE).expect("a solution"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, frontiers, walks);
criterion_main!(benches);
