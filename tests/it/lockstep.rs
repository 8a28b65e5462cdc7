//! Ranges searched on CPU and GPU, batch by batch, and what happens when the two sides part.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use gpu_solve::kernel::Kernel;
use gpu_solve::puzzles::index_space::{IndexSpace, Tally};
use gpu_solve::search::index::engine::Opener;
use gpu_solve::search::index::range::{Event, Plan, RangeError, Report, search};

use super::support::{Shared, Toy, devices, toy_hits};

fn run(
    space: &dyn IndexSpace,
    range: Range<u128>,
    device: Option<&dyn Opener>,
    lockstep: bool,
) -> Result<Report, RangeError> {
    let stop = AtomicBool::new(false);
    search(&Plan { space, range, device, lockstep, keep: usize::MAX, stop: &stop }, &mut |_| {})
}

#[test]
fn the_cpu_finds_what_plain_counting_finds_in_any_range() {
    let toy = Toy { size: 3_000_000, bound: 1 << 20 };
    for range in [0..3_000_000, 5..6, 17..1_000_003, 16..32, 9..9] {
        let report = run(&toy, range.clone(), None, false).unwrap();
        assert_eq!(report.tally.hits, toy_hits(range.clone(), toy.bound));
        assert_eq!(report.tally.found, report.tally.hits.len() as u64);
        assert_eq!(report.covered, range);
        assert!(report.complete);
    }
}

#[test]
fn every_device_holds_lockstep_over_a_range_cut_at_both_ends() {
    for gpu in devices() {
        let toy = Toy { size: 40_000_000, bound: 1 << 16 };
        let range = 7..3_000_001;
        let report = run(&toy, range.clone(), Some(&Shared(gpu.clone())), true).unwrap();
        assert!(report.lockstep_held() && report.batches > 1, "{} batches", report.batches);
        assert!(report.on_device);
        assert_eq!(report.tally.hits, toy_hits(range, toy.bound));
    }
}

#[test]
fn a_batch_with_more_hits_than_the_device_can_append_is_walked_again_in_parts() {
    for gpu in devices() {
        // every index is a hit
        let toy = Toy { size: 400_000, bound: u32::MAX };
        let report = run(&toy, 3..300_000, Some(&Shared(gpu.clone())), true).unwrap();
        assert!(report.lockstep_held());
        assert_eq!(report.tally.hits, toy_hits(3..300_000, u32::MAX));
    }
}

/// A twin that is wrong from one index on.
struct Crooked {
    toy: Toy,
    wrong_at: u128,
}

impl IndexSpace for Crooked {
    fn kernel(&self) -> &'static Kernel {
        self.toy.kernel()
    }
    fn size(&self) -> u128 {
        self.toy.size()
    }
    fn run_length(&self) -> u32 {
        self.toy.run_length()
    }
    fn indices_per_second(&self) -> f64 {
        self.toy.indices_per_second()
    }
    fn constants(&self) -> Vec<u32> {
        self.toy.constants()
    }
    fn run_words(&self, first_run: u128) -> Vec<u32> {
        self.toy.run_words(first_run)
    }
    fn walk(&self, range: Range<u128>) -> Tally {
        let mut tally = self.toy.walk(range.clone());
        if range.contains(&self.wrong_at) {
            tally.digest ^= 1;
        }
        tally
    }
}

#[test]
fn a_planted_wrong_twin_is_caught_and_its_first_index_named() {
    for gpu in devices() {
        let crooked = Crooked { toy: Toy { size: 2_000_000, bound: 1 << 18 }, wrong_at: 1_234_567 };
        let Err(RangeError::Divergence(divergence)) = run(&crooked, 0..2_000_000, Some(&Shared(gpu.clone())), true)
        else {
            panic!("the wrong twin was not caught");
        };
        assert_eq!(divergence.kernel, "tests/toy");
        assert!(divergence.batch.1.contains(&1_234_567));
        let (index, gpu_side, cpu_side) = divergence.first.clone().unwrap();
        assert_eq!(index, 1_234_567);
        assert_eq!(gpu_side.digest ^ 1, cpu_side.digest);
        let told = divergence.to_string();
        assert!(
            told.contains("tests/toy") && told.contains("1234567") && told.contains("GPU:") && told.contains("CPU:"),
            "{told}"
        );
    }
}

#[test]
fn a_lockstep_that_has_nothing_to_compare_with_is_an_error() {
    let toy = Toy { size: 100, bound: 5 };
    assert!(matches!(run(&toy, 0..100, None, true), Err(RangeError::NothingCompared(_))));
}

#[test]
fn an_interrupt_stops_at_the_next_batch_boundary_and_keeps_what_was_found() {
    let toy = Toy { size: 1 << 32, bound: 1 << 12 };
    let stop = AtomicBool::new(false);
    let plan = Plan { space: &toy, range: 0..1 << 32, device: None, lockstep: false, keep: usize::MAX, stop: &stop };
    let mut batches = 0;
    let report = search(&plan, &mut |event| {
        if matches!(event, Event::Batch(_)) {
            batches += 1;
            stop.store(batches == 3, std::sync::atomic::Ordering::Relaxed);
        }
    })
    .unwrap();
    assert!(!report.complete);
    assert_eq!(report.batches, 3);
    assert_eq!(report.tally.hits, toy_hits(0..report.covered.end, toy.bound));
}
