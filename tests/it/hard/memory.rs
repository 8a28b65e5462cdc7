//! Devices without enough memory, and how long a dispatch may be.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gpu_solve::gpu::Fault;
use gpu_solve::puzzles::index_space::IndexSpace;
use gpu_solve::search::index::engine::{CpuEngine, Engine, Finished, Opener};
use gpu_solve::search::index::range::{Event, Plan, Report, search};
use gpu_solve::search::pacing::TARGET;

use crate::support::{Toy, toy_hits};

const TOY: Toy = Toy { size: 4_000_000, bound: 1 << 18 };
/// Shorter than any driver's patience with a dispatch (Windows: 2 s).
const BOUND: Duration = Duration::from_secs(2);

static NEVER: AtomicBool = AtomicBool::new(false);

/// A device with room for batches of so many indices, doing so many a second by a clock of its own.
struct Paper {
    room: u128,
    /// By the index that a batch begins at.
    per_second: fn(u128) -> f64,
    /// Lengths of the batches handed over, refused ones too, and how long each took.
    batches: Mutex<Vec<(u128, Duration)>>,
    refused_once: AtomicBool,
}

struct PaperEngine<'s> {
    inner: CpuEngine<'s>,
    paper: &'s Paper,
    under_way: VecDeque<Range<u128>>,
}

impl Paper {
    fn new(room: u128, per_second: fn(u128) -> f64) -> &'static Self {
        let batches = Mutex::default();
        Box::leak(Box::new(Self { room, per_second, batches, refused_once: AtomicBool::new(false) }))
    }
}

/// As [`Opener`] asks for it: the engine outlives the borrow of the device.
struct Opening(&'static Paper);

impl Opener for Opening {
    fn name(&self) -> String {
        "paper".to_owned()
    }
    fn open<'s>(&self, space: &'s dyn IndexSpace) -> Result<Box<dyn Engine + 's>, Fault> {
        Ok(Box::new(PaperEngine { inner: CpuEngine::new(space, &NEVER), paper: self.0, under_way: VecDeque::new() }))
    }
}

impl Engine for PaperEngine<'_> {
    fn depth(&self) -> usize {
        2
    }
    fn submit(&mut self, batch: Range<u128>) -> Result<(), Fault> {
        let length = batch.end - batch.start;
        let took = Duration::from_secs_f64(length as f64 / (self.paper.per_second)(batch.start));
        self.paper.batches.lock().unwrap().push((length, took));
        if length > self.paper.room {
            self.paper.refused_once.store(true, Ordering::Relaxed);
            return Err(Fault::OutOfMemory { during: "a batch".to_owned(), adapter: "paper".to_owned() });
        }
        self.under_way.push_back(batch.clone());
        self.inner.submit(batch)
    }
    fn collect(&mut self) -> Result<Finished, Fault> {
        let batch = self.under_way.pop_front().unwrap();
        let busy = Duration::from_secs_f64((batch.end - batch.start) as f64 / (self.paper.per_second)(batch.start));
        Ok(Finished { busy, ..self.inner.collect()? })
    }
}

fn run(paper: &'static Paper) -> (Report, Vec<String>) {
    let (stop, opener) = (AtomicBool::new(false), Opening(paper));
    let range = 5..3_999_999;
    let plan = Plan { space: &TOY, range, device: Some(&opener), lockstep: false, keep: usize::MAX, stop: &stop };
    let mut said = Vec::new();
    let report = search(&plan, &mut |event| {
        if let Event::Survived { fault, then } = event {
            said.push(format!("{fault}; {then}"));
        }
    });
    let report = report.unwrap();
    assert!(report.complete);
    assert_eq!(report.tally.hits, toy_hits(5..3_999_999, TOY.bound));
    (report, said)
}

#[test]
fn a_device_short_of_memory_gets_smaller_batches_until_they_fit() {
    for room in [200_000, 20_000, 600] {
        let paper = Paper::new(room, |_| 1e12);
        let (report, said) = run(paper);
        assert!(paper.refused_once.load(Ordering::Relaxed), "room for {room}: nothing was refused");
        assert!(report.on_device, "room for {room}: {said:?}");
        assert!(said.iter().all(|line| line.contains("out of memory on paper")), "{said:?}");
        assert!(said.iter().all(|line| line.contains("smaller batches")), "{said:?}");
        let batches = paper.batches.lock().unwrap();
        assert!(batches.iter().filter(|(length, _)| *length > room).count() < 8, "room for {room}: {batches:?}");
    }
}

#[test]
fn a_device_without_any_memory_leaves_the_search_to_the_cpu_and_says_why() {
    let paper = Paper::new(0, |_| 1e9);
    let (report, said) = run(paper);
    assert!(!report.on_device);
    assert!(said.last().unwrap().contains("out of memory on paper"), "{said:?}");
    assert!(said.last().unwrap().ends_with("on the CPU"), "{said:?}");
    assert!((2..8).contains(&paper.batches.lock().unwrap().len()));
}

#[test]
fn no_dispatch_is_longer_than_the_bound_however_fast_or_slow_the_device_is() {
    let steady: [fn(u128) -> f64; 5] = [|_| 2e5, |_| 1e6, |_| 3e7, |_| 1e9, |_| 1e13];
    for per_second in steady {
        let paper = Paper::new(u128::MAX, per_second);
        run(paper);
        let batches = paper.batches.lock().unwrap();
        assert!(batches.iter().all(|(_, took)| *took <= TARGET * 4), "{:?}", batches.iter().map(|b| b.1).max());
    }
    // A stretch that is sixteen times as dear as the one before it comes without warning: two batches are under way by
    // then, and those after them are short again.
    let paper = Paper::new(u128::MAX, |start| if start < 2_000_000 { 8e6 } else { 5e5 });
    run(paper);
    let batches = paper.batches.lock().unwrap();
    assert!(batches.iter().all(|(_, took)| *took < BOUND), "{batches:?}");
    assert!(batches.iter().filter(|(_, took)| *took > TARGET * 4).count() <= 3, "{batches:?}");
}
