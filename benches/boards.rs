//! Every board of a size: the kernel on each adapter present beside its CPU twin on all threads, and stages by size.

mod beside;

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_solve::puzzles::braincube::boards::Boards;
use gpu_solve::puzzles::braincube::stage::generate::{Maker, Wishes};
use gpu_solve::puzzles::braincube::stage::{Rules, Stage, json};
use gpu_solve::search::layers::packed::search;

/// Rows, columns, whether all pairs, and the masks to walk.
type Job = (u32, u32, bool, Range<u128>);

fn boards(criterion: &mut Criterion) {
    let top = |squares: u32, count: u128| (1 << squares) - count..1 << squares;
    let jobs: [Job; 4] = [
        (4, 5, false, 0..1 << 20),
        (5, 6, false, top(30, 1 << 28)),
        (6, 6, false, top(36, 1 << 30)),
        (4, 5, true, top(20, 1 << 14)),
    ];
    for (rows, cols, pairs, range) in jobs {
        let space = Boards::new(rows, cols, pairs).expect("the size is sound");
        let what = if pairs { "all pairs" } else { "corner to corner" };
        let indices = u64::try_from(range.end - range.start).expect("a short range");
        beside::walk(criterion, format!("boards/{rows}x{cols} {what}"), &space, &range, indices);
    }
}

fn stages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10);
    let mut bench = |name: String, stage: &Stage| {
        let rules = Rules::new(stage).expect("the stage is sound");
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(search(&rules, rules.start(), &AtomicBool::new(false))));
        });
    };
    for (side, bridges) in [(10, 6), (30, 10), (60, 12)] {
        let wishes = Wishes { rows: side, cols: side, switches: bridges, bridges, fragile: side, split: false };
        bench(format!("{side}x{side}, {bridges} bridges"), &Maker::new(wishes, 5).stage());
    }
    let all = json::read(include_str!("../tests/data/braincube/sixty.json")).expect("the stage is sound");
    bench("60x60, 12 bridges, 43,622,400 states".into(), &all);
    group.finish();
}

criterion_group!(benches, boards, stages);
criterion_main!(benches);
