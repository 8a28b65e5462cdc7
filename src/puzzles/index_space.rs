//! A search space whose candidates are numbered 0..N: what a puzzle offers to [`crate::search::index::range`].
//!
//! A kernel over an index space has three bindings, in this order, all of `u32`:
//!
//! | binding | content |
//! | --- | --- |
//! | `params` | [`params`]: runs, skip, length, hit capacity, the first run's number (4 words, lowest first), then the space's own words |
//! | `tally` | 10 words: found (low, high), digest (low, high), work (low, high), hits appended, fault code, nodes (low, high); then the space's own counters, two words each |
//! | `hits` | offsets of the found indices from the start of the batch, appended in any order |
//!
//! An invocation takes one *run*: [`IndexSpace::run_length`] successive indices, aligned to a multiple of that length,
//! and clips it to the batch. Per run it adds one mixed key to the digest, so the digest does not depend on order.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::kernel::{Binding, Compare, Kernel, Launch};

/// The bindings of every kernel over an index space; one with tables declares these three and then its own.
pub const BINDINGS: &[Binding] =
    &[Binding::read("params"), Binding::write("tally", Compare::Exact), Binding::write("hits", Compare::Records(1))];

/// The bindings of a kernel whose lanes take run after run (see [`IndexSpace::lanes`]); one with tables declares these and then
/// its own.
pub const LANE_BINDINGS: &[Binding] = &[
    BINDINGS[0],
    BINDINGS[1],
    BINDINGS[2],
    Binding::read("items"),
    Binding::write("counter", Compare::Scratch),
    Binding::write("unfinished", Compare::Unfinished),
    Binding::write("state", Compare::Scratch),
];

/// What a kernel needs whose runs take very unequal work: its invocations are *lanes*, each of which walks one run and then
/// takes the next from a counter, for so many rounds a dispatch; what it has not finished then it saves, and the batch is
/// dispatched again until no lane is left with anything.
///
/// Its bindings are [`LANE_BINDINGS`]; behind the space's own words `params` has the number of lanes and the rounds. `items`
/// has the words of [`IndexSpace::items`], `counter` the next run, `unfinished` the lanes with work left, and `state` what
/// the lanes saved: all zero at first, word w of lane l at w·lanes + l.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Words that a lane saves.
    pub state_words: usize,
    /// The most rounds of one dispatch.
    pub rounds: u32,
}

/// Turns that all loops of a lane may take in a dispatch: Mesa's llvmpipe cuts a lane short once it and its neighbours have
/// turned theirs 65,535 times.
pub const MOST_TURNS: u32 = 65_000;

/// Lanes of a launch that is made for a test.
const LANES_OF_A_TRIAL: u32 = 512;

/// Words before the space's own in `params`.
pub const HEADER_WORDS: usize = 8;
/// Words of `tally` before the space's own counters.
pub const TALLY_WORDS: usize = 10;

/// What searching a piece of an index space yields. Additive: pieces can be searched apart and summed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Solutions. In a space whose index stands for several candidates this can be more than there are hits.
    pub found: u64,
    /// Order-free digest: the wrapping sum over runs of [`mix`] of what the run yielded.
    pub digest: u64,
    /// Units of work done, in the space's own unit: equal on both sides.
    pub work: u64,
    /// Nodes of the search trees below the indices, where the space counts them; else 0.
    pub nodes: u64,
    /// The space's own counters, [`IndexSpace::counters`] of them; those missing at the end are 0.
    pub counters: Vec<u64>,
    /// The indices that stand for solutions, each once; ascending only after [`Tally::sort`].
    pub hits: Vec<u128>,
    /// Batches to be looked into again, as [`IndexSpace::enter`] marks them.
    pub marks: Vec<Mark>,
}

/// A batch to be looked into again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The counter on whose account.
    pub counter: u32,
    /// The batch.
    pub batch: Range<u128>,
}

impl Tally {
    /// Adds another piece's tally to this one.
    pub fn absorb(&mut self, other: Self) {
        self.found += other.found;
        self.digest = self.digest.wrapping_add(other.digest);
        self.work = self.work.wrapping_add(other.work);
        self.nodes = self.nodes.wrapping_add(other.nodes);
        self.counters.resize(self.counters.len().max(other.counters.len()), 0);
        for (sum, count) in self.counters.iter_mut().zip(other.counters) {
            *sum += count;
        }
        self.hits.extend(other.hits);
        self.marks.extend(other.marks);
    }

    /// Enters one finished run: its number, the work it took and how many solutions it held.
    pub fn enter_run(&mut self, run: u128, work: u64, found: u32) {
        self.work = self.work.wrapping_add(work);
        self.found += u64::from(found);
        #[expect(clippy::cast_possible_truncation, reason = "the digest takes the low words only, on both sides")]
        let key = mix(run as u32, (work as u32) ^ found.rotate_left(16));
        self.digest = self.digest.wrapping_add(key);
    }

    /// Enters a finished run that searched a tree: its nodes, too, count and go into the digest, and so do the high words.
    pub fn enter_tree(&mut self, run: u128, nodes: u64, work: u64, found: u64) {
        #[expect(clippy::cast_possible_truncation, reason = "split into words")]
        let halves = |value: u64| (value as u32, (value >> 32) as u32);
        let ((nodes_low, nodes_high), (work_low, work_high), (found_low, _)) =
            (halves(nodes), halves(work), halves(found));
        self.enter_run(run, work, found_low);
        self.found += found - u64::from(found_low);
        self.nodes = self.nodes.wrapping_add(nodes);
        self.digest = self.digest.wrapping_add(mix(nodes_low, nodes_high ^ work_high.rotate_left(16) ^ work_low));
    }

    /// Puts the hits in ascending order.
    pub fn sort(&mut self) {
        self.hits.sort_unstable();
    }
}

/// Candidates numbered 0..[`IndexSpace::size`], with the CPU twin of the kernel that walks them.
pub trait IndexSpace: Send + Sync {
    /// The kernel that walks this space on a GPU; its bindings are [`BINDINGS`] or [`LANE_BINDINGS`], then [`Self::tables`].
    fn kernel(&self) -> &'static Kernel;
    /// The number of candidates.
    fn size(&self) -> u128;
    /// Indices that one invocation walks; runs start at multiples of this.
    fn run_length(&self) -> u32;
    /// Roughly how many indices one CPU core walks in a second: it decides whether a device is worth opening.
    fn indices_per_second(&self) -> f64;
    /// Counters that the space keeps besides: `tally` then holds two words (low, high) more for each.
    fn counters(&self) -> usize {
        0
    }
    /// Indices that a batch should hold at least when the CPU walks it: more than a run where the twin shares work between
    /// neighbours.
    fn indices_together(&self) -> u64 {
        self.run_length().into()
    }
    /// Indices that a batch holds at most when the CPU walks it.
    fn most_indices_together(&self) -> u64 {
        1 << 48
    }
    /// Values of the kernel's override constants.
    fn constants(&self) -> Vec<u32>;
    /// The space's own words of `params` for a batch whose first run has this number.
    fn run_words(&self, first_run: u128) -> Vec<u32>;
    /// What the kernel's lanes need, where it has such; `None`: an invocation walks one run and is done.
    fn lanes(&self) -> Option<Lanes> {
        None
    }
    /// Where there are lanes: one word for each index of a batch, or none.
    fn items(&self, _batch: &Range<u128>) -> Vec<u32> {
        Vec::new()
    }
    /// Read-only tables that the kernel binds last; none unless a space says otherwise.
    fn tables(&self) -> Vec<Arc<[u32]>> {
        Vec::new()
    }
    /// Takes what a batch yielded into the sum over all batches before it, and marks it where it is to be looked into again.
    fn enter(&self, sum: &mut Tally, tally: Tally, _batch: &Range<u128>) {
        sum.absorb(tally);
    }
    /// The twin on all threads, where it shares work in another way than by pieces of the range; `None`: by pieces.
    /// What it yields after `stop` was set is worth nothing.
    fn walk_together(&self, _range: &Range<u128>, _stop: &AtomicBool) -> Option<Tally> {
        None
    }
    /// The twin: walks a piece on the calling thread, run by run (clipped at both ends), and tallies it.
    fn walk(&self, range: Range<u128>) -> Tally;
    /// The same, given up (`None`) soon after `stop` is set: a space whose runs may take long looks at it on the way.
    fn walk_unless(&self, range: Range<u128>, stop: &AtomicBool) -> Option<Tally> {
        (!stop.load(Ordering::Relaxed)).then(|| self.walk(range))
    }
}

/// Mixes two words into 64 bits; the WGSL twin is `mix` in `shaders/common/digest.wgsl`.
/// Two rounds of the 32-bit finaliser of `MurmurHash3` (Appleby, public domain), crossed.
#[must_use]
pub fn mix(a: u32, b: u32) -> u64 {
    let low = scramble(a ^ scramble(b.wrapping_add(0x9e37_79b9)));
    let high = scramble(b ^ scramble(a.wrapping_add(0x85eb_ca77)) ^ low.rotate_left(13));
    u64::from(high) << 32 | u64::from(low)
}

fn scramble(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// The runs that a range of indices touches: number of the first, and how many.
///
/// # Panics
/// When a batch touches more than `u32::MAX` runs; the drivers never make one.
#[must_use]
pub fn runs(range: &Range<u128>, run_length: u32) -> (u128, u32) {
    let length = u128::from(run_length);
    let first = range.start / length;
    let count = if range.is_empty() { 0 } else { range.end.div_ceil(length) - first };
    (first, u32::try_from(count).expect("a batch holds fewer than 2^32 runs"))
}

/// The runs that a range of indices touches, in order: the number of each, and the places of it that are in the range.
pub fn clips(range: &Range<u128>, run_length: u32) -> impl Iterator<Item = (u128, Range<u32>)> + use<> {
    let length = u128::from(run_length);
    let Range { start, end } = *range;
    let runs = if start < end { start / length..end.div_ceil(length) } else { 0..0 };
    #[expect(clippy::cast_possible_truncation, reason = "clamped to a run's length")]
    let place = move |index: u128, first: u128| index.saturating_sub(first).min(length) as u32;
    runs.map(move |run| (run, place(start, run * length)..place(end, run * length)))
}

/// The words of `params` for a batch.
///
/// # Panics
/// When the batch is longer than `u32::MAX` indices; the drivers never make one.
#[must_use]
pub fn params(space: &dyn IndexSpace, batch: &Range<u128>, hit_capacity: u32) -> Vec<u32> {
    let (first, count) = runs(batch, space.run_length());
    let skip = batch.start - first * u128::from(space.run_length());
    let word = |value: u128| u32::try_from(value).expect("a batch is shorter than 2^32 indices");
    let mut words = vec![count, word(skip), word(batch.end - batch.start), hit_capacity];
    words.extend((0..4).map(|k| word(first >> (32 * k) & 0xffff_ffff)));
    words.extend(space.run_words(first));
    words
}

/// Words of `tally` for a space.
#[must_use]
pub fn tally_words(space: &dyn IndexSpace) -> usize {
    TALLY_WORDS + 2 * space.counters()
}

/// The launch of a batch: what [`crate::gpu`] and [`twin`] are given.
#[must_use]
pub fn launch(space: &dyn IndexSpace, batch: &Range<u128>, hit_capacity: u32) -> Launch {
    let mut buffers =
        vec![params(space, batch, hit_capacity), vec![0; tally_words(space)], vec![0; hit_capacity as usize]];
    let invocations = if let Some(lanes) = space.lanes() {
        buffers[0].extend([LANES_OF_A_TRIAL, lanes.rounds]);
        let mut items = space.items(batch);
        // A binding has at least one word.
        items.resize(items.len().max(1), 0);
        let state = vec![0; lanes.state_words * LANES_OF_A_TRIAL as usize];
        buffers.extend([items, vec![0], vec![0], state]);
        LANES_OF_A_TRIAL
    } else {
        runs(batch, space.run_length()).1
    };
    buffers.extend(space.tables().iter().map(|table| table.to_vec()));
    Launch { constants: space.constants(), invocations, buffers }
}

/// The twin of a kernel over an index space, bindings to bindings: reads the batch out of `params`, walks it and fills
/// `tally` and `hits` as the kernel does.
#[expect(clippy::cast_possible_truncation, reason = "64-bit values are split into words")]
pub fn twin(space: &dyn IndexSpace, launch: &mut Launch) {
    let [params, tally, hits, ..] = launch.buffers.as_mut_slice() else { return };
    let first = (0..4).fold(0u128, |value, k| value | u128::from(params[4 + k]) << (32 * k));
    let start = first * u128::from(space.run_length()) + u128::from(params[1]);
    let walked = space.walk(start..start + u128::from(params[2]));
    let wide = |value: u64| [value as u32, (value >> 32) as u32];
    let words = [walked.found, walked.digest, walked.work].into_iter().flat_map(wide);
    let counters = walked.counters.iter().copied().flat_map(wide);
    let words = words.chain([walked.hits.len() as u32, 0]).chain(wide(walked.nodes)).chain(counters);
    for (word, value) in tally.iter_mut().zip(words) {
        *word = value;
    }
    for (word, hit) in hits.iter_mut().zip(&walked.hits) {
        *word = (hit - start) as u32;
    }
}
