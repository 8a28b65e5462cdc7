//! The ring's index: what a neighbour costs by a full rank, by sums over pairs, and by walking whole rows.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gpu_solve::puzzles::brainball::ring::bracelets::Bracelets;
use gpu_solve::puzzles::brainball::ring::columns::{Names, rank, unrank, words};
use gpu_solve::puzzles::brainball::ring::transfer::Transfer;
use gpu_solve::puzzles::brainball::ring::walk::Walk;
use gpu_solve::puzzles::index_space::mix;
use gpu_solve::search::onebit::marks::Words;

const ROW: usize = 200;
const TURN: usize = 3;

fn single(c: &mut Criterion) {
    let bracelets = Bracelets::<13>::new();
    let odd = bracelets.colours(ROW).count_ones() % 2 == 1;
    let (_, transfer) = Transfer::of_turn(&bracelets, ROW, TURN);
    let sums = transfer.pair_sums();
    let size = u32::try_from(words::<13>()).unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, reason = "some words")]
    let address = |k: u32| mix(k, 1) as u32 % size * 64 + k % 60;
    let some: Vec<Names<13>> = (0..1000).map(|k| unrank(address(k), odd)).collect();
    let mut group = c.benchmark_group("a neighbour");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("turned and ranked", |b| {
        b.iter(|| some.iter().map(|names| u64::from(rank(&transfer.apply(black_box(names))))).sum::<u64>());
    });
    group.bench_function("by sums over pairs", |b| {
        b.iter(|| some.iter().map(|names| u64::from(sums.image(black_box(names)))).sum::<u64>());
    });
    group.finish();
}

fn rows(c: &mut Criterion) {
    let bracelets = Bracelets::<13>::new();
    let odd = bracelets.colours(ROW).count_ones() % 2 == 1;
    let (_, transfer) = Transfer::of_turn(&bracelets, ROW, TURN);
    let walk = Walk::new(&transfer, odd, None);
    let stop = AtomicBool::new(false);
    let row = || Words::new(words::<13>()).expect("memory for a row");
    let mut group = c.benchmark_group("a row of 239,500,800 columns");
    group.sample_size(10);
    for (name, rare) in [("one in 100", 100), ("one in 5", 5), ("four in 5", 1)] {
        let mut home = row();
        for (number, word) in (0u32..).zip(home.iter_mut()) {
            let marked = |bit: &u32| {
                let mixed = mix(number, *bit);
                if rare == 1 { !mixed.is_multiple_of(5) } else { mixed.is_multiple_of(rare) }
            };
            *word = (0..60).filter(marked).map(|bit| 1 << bit).sum();
        }
        let mut far = row();
        group.throughput(Throughput::Elements(home.marked()));
        group.bench_function(format!("pushed, {name} marked"), |b| b.iter(|| walk.push(&home, &mut far, &stop)));
        let unmarked = 239_500_800 - home.marked();
        group.throughput(Throughput::Elements(unmarked));
        let nothing = row();
        group.bench_function(format!("pulled, {name} marked"), |b| b.iter(|| walk.pull(&mut home, &nothing, &stop)));
    }
    group.finish();
}

criterion_group!(benches, single, rows);
criterion_main!(benches);
