//! BrainBall: this solver beside the original's way, the layers, and the kernels beside their twins.
//!
//! The original's way is IDA* with a table to depth 6 and (misplaced colours + misplaced numbers) / 7 beyond it. Both
//! solve the same positions, of distance 7 to 9 under `fixed`, and neither's table is built inside the timing. At
//! distance 9 the original's way takes minutes a position, so it is timed at 7 and 8.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_solve::puzzles::brainball::ball::TILES;
use gpu_solve::puzzles::brainball::packed::{FixedSpace, Packed, RingSpace};
use gpu_solve::puzzles::brainball::solution::Task;
use gpu_solve::puzzles::brainball::{Ball, Goal, scramble};
use gpu_solve::search::layers::ends::Ends;
use gpu_solve::search::layers::frontier::build;
use gpu_solve::search::layers::ida::{Ida, Unseen};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// The first position, by seed, of a distance.
fn position(ends: &Ends<'_, FixedSpace>, distance: usize) -> Packed<13> {
    let found = (0..).find_map(|seed| {
        let (ball, _) = scramble::scramble(TILES, distance, seed);
        let task = Task::new(&ball, &Ball::solved(TILES), Goal::Fixed).ok()?;
        let state = Packed::new(&task.relative)?;
        let way = ends.solve(&state, &GO_ON).ok()?;
        (way.turns.len() == distance).then_some(state)
    });
    found.expect("there are positions of every small distance")
}

fn solving(criterion: &mut Criterion) {
    let space = FixedSpace::default();
    let shallow = build(&space, 6, &GO_ON, |_| {}).expect("memory for depth 6");
    let ends = Ends::new(&space, &shallow);
    let original = Ida::new(&space, &shallow, Unseen::Estimate);
    let ida = Ida::new(&space, &shallow, Unseen::Beyond);
    let mut group = criterion.benchmark_group("brainball/solve");
    group.sample_size(10);
    for distance in [7, 8, 9] {
        let state = position(&ends, distance);
        group.bench_function(format!("from both ends, depth-6 table/{distance} turns"), |bencher| {
            bencher.iter(|| ends.solve(black_box(&state), &GO_ON));
        });
        group.bench_function(format!("IDA*, depth-6 table, unseen bound/{distance} turns"), |bencher| {
            bencher.iter(|| ida.solve(black_box(&state), &GO_ON));
        });
        if distance < 9 {
            group.bench_function(format!("the original's way, depth-6 table/{distance} turns"), |bencher| {
                bencher.iter(|| original.solve(black_box(&state), &GO_ON));
            });
        }
    }
    group.finish();
}

fn layers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("brainball/layers to depth 7");
    group.sample_size(10);
    group.bench_function("fixed", |bencher| bencher.iter(|| build(&FixedSpace::default(), 7, &GO_ON, |_| {})));
    group.bench_function("ring", |bencher| bencher.iter(|| build(&RingSpace::default(), 7, &GO_ON, |_| {})));
    group.finish();
}

criterion_group!(benches, solving, layers);
criterion_main!(benches);
