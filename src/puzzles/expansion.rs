//! Kernels that expand a layer of a [`Layered`] space: what a puzzle offers to [`crate::search::layers::frontier_gpu`].
//!
//! A table is laid out as [`compact`](super::compact) says. The next layer's is split over [`SEGMENTS`] bindings, by the
//! high bits of the bucket, so that none passes what an adapter lets one binding span. The bindings, all of `u32`:
//!
//! | binding | content |
//! | --- | --- |
//! | `params` | slots to take, the first of them, the first bucket of this piece of the layer, and lines a bucket of the layer, of the one before (0: there is none), and of the next |
//! | `tally` | 8 words: new classes; their states (low, high); their digest (low, high); slots that held a class; classes that found no room; 0 |
//! | `layer` | a piece of the layer, whole buckets |
//! | `before` | the layer before |
//! | `next_0`… | the next layer |
//!
//! An invocation takes one slot. A class without room is counted and left out: the host then starts the layer anew with
//! larger buckets.

use super::compact::{LINE, MAX_PROBES, Mixed, Mixer};
use super::index_space::mix;
use super::layered::Layered;
use crate::kernel::{Binding, Compare, Kernel, Launch};

/// Bindings over which the next layer is split.
pub const SEGMENTS: usize = 4;
/// Words of `params`.
pub const PARAMS_WORDS: usize = 6;
/// Words of `tally`.
pub const TALLY_WORDS: usize = 8;

/// The WGSL that every such kernel shares; a kernel's own declares `HIGH_BITS` (the bits of a key above the lowest 32) and `main`.
pub const WGSL: &str = concat!(
    include_str!("../../shaders/common/digest.wgsl"),
    include_str!("../../shaders/common/compact.wgsl"),
    include_str!("../../shaders/common/expansion.wgsl"),
);

/// The bindings of every kernel that expands a layer. Classes land in the order of arrival, so a segment is compared as a
/// multiset of words.
pub const BINDINGS: &[Binding] = &[
    Binding::read("params"),
    Binding::write("tally", Compare::Exact),
    Binding::read("layer"),
    Binding::read("before"),
    Binding::write("next_0", Compare::Records(1)),
    Binding::write("next_1", Compare::Records(1)),
    Binding::write("next_2", Compare::Records(1)),
    Binding::write("next_3", Compare::Records(1)),
];

/// A [`Layered`] space with a kernel that expands its layers.
pub trait Expanding: Layered {
    /// The kernel; its bindings are [`BINDINGS`].
    fn kernel(&self) -> &'static Kernel;
    /// Values of its override constants.
    fn constants(&self) -> Vec<u32>;
}

/// What one dispatch takes of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Slots to take.
    pub slots: u32,
    /// The first of them, in `layer`.
    pub first_slot: u32,
    /// The bucket with which `layer` begins.
    pub first_bucket: u32,
    /// Lines a bucket of the layer.
    pub layer_lines: u32,
    /// Lines a bucket of the layer before, 0 when there is none.
    pub before_lines: u32,
    /// Lines a bucket of the next layer.
    pub next_lines: u32,
}

impl Piece {
    /// As words of `params`.
    #[must_use]
    pub fn words(&self) -> [u32; PARAMS_WORDS] {
        [self.slots, self.first_slot, self.first_bucket, self.layer_lines, self.before_lines, self.next_lines]
    }

    fn from_words(words: &[u32]) -> Option<Self> {
        let [slots, first_slot, first_bucket, layer_lines, before_lines, next_lines] = *words.first_chunk()?;
        Some(Self { slots, first_slot, first_bucket, layer_lines, before_lines, next_lines })
    }
}

/// What a launch added to the next layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// New classes.
    pub classes: u64,
    /// States in them.
    pub states: u64,
    /// The wrapping sum of their mixed keys.
    pub digest: u64,
    /// Classes of the layer that were expanded.
    pub expanded: u64,
    /// Classes that found no room.
    pub full: u64,
}

impl Added {
    /// From the words of `tally`.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        let word = |at: usize| u64::from(words.get(at).copied().unwrap_or(0));
        Self {
            classes: word(0),
            states: word(1) | word(2) << 32,
            digest: word(3) | word(4) << 32,
            expanded: word(5),
            full: word(6),
        }
    }

    /// Adds another launch's.
    pub fn absorb(&mut self, other: Self) {
        self.classes += other.classes;
        self.states += other.states;
        self.digest = self.digest.wrapping_add(other.digest);
        self.expanded += other.expanded;
        self.full += other.full;
    }

    #[expect(clippy::cast_possible_truncation, reason = "64-bit values are split into words")]
    fn words(self) -> [u32; TALLY_WORDS] {
        let (states, digest) = (self.states, self.digest);
        let wide = [states as u32, (states >> 32) as u32, digest as u32, (digest >> 32) as u32];
        let [a, b, c, d] = wide;
        [self.classes as u32, a, b, c, d, self.expanded as u32, self.full as u32, 0]
    }
}

/// A class's part in its layer's digest, which is the wrapping sum of these.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "splits the key into words")]
pub fn digest_of(key: u64) -> u64 {
    mix(key as u32, (key >> 32) as u32)
}

/// Trials of such a kernel: layers 2, 4 and 5, and one into a next layer whose buckets have room for nothing more.
#[must_use]
pub fn trials<S: Expanding>(space: &S) -> Vec<Launch> {
    let mixer = Mixer::new(space.key_bits());
    let words = mixer.buckets() as usize * LINE;
    // One line a bucket, so that a bucket is a line.
    let table = |keys: &[u64]| {
        let mut table = vec![0; words];
        for key in keys {
            let Mixed { bucket, word } = mixer.mix(*key);
            let first = bucket as usize * LINE;
            if let Some(slot) = (first..first + LINE).find(|slot| table[*slot] == 0) {
                table[slot] = word;
            }
        }
        table
    };
    let mut layers = vec![vec![space.start().key]];
    for depth in 1..5 {
        let mut next = Vec::new();
        for key in &layers[depth - 1] {
            space.expand(*key, &mut next);
        }
        let mut keys: Vec<u64> = next.iter().map(|successor| successor.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| depth < 2 || !layers[depth - 2].contains(key));
        layers.push(keys);
    }
    let launch = |depth: usize, filled: u32| {
        let slots = u32::try_from(words).unwrap_or(0);
        let piece = Piece { slots, first_slot: 0, first_bucket: 0, layer_lines: 1, before_lines: 1, next_lines: 1 };
        let mut buffers =
            vec![piece.words().to_vec(), vec![0; TALLY_WORDS], table(&layers[depth]), table(&layers[depth - 1])];
        buffers.extend((0..SEGMENTS).map(|_| vec![filled; words / SEGMENTS]));
        Launch { constants: space.constants(), invocations: slots, buffers }
    };
    // Words without the marker bit stand for no class: a table full of them has room for none.
    vec![launch(1, 0), launch(3, 0), launch(4, 0), launch(2, 1)]
}

/// The twin of a kernel that expands a layer: the same slots, one after another.
pub fn twin<S: Layered>(space: &S, launch: &mut Launch) {
    let [params, tally, layer, before, next @ ..] = launch.buffers.as_mut_slice() else { return };
    let Some(piece) = Piece::from_words(params) else { return };
    let mixer = Mixer::new(space.key_bits());
    let mut added = Added::default();
    let mut successors = Vec::new();
    for slot in piece.first_slot..piece.first_slot + piece.slots {
        let word = layer[slot as usize];
        if word == 0 {
            continue;
        }
        added.expanded += 1;
        let bucket = piece.first_bucket + slot / (u32::try_from(LINE).unwrap_or(1) * piece.layer_lines);
        successors.clear();
        space.expand(mixer.unmix(Mixed { bucket, word }), &mut successors);
        for successor in &successors {
            let place = mixer.mix(successor.key);
            if find(before, place.bucket, place, piece.before_lines).is_some_and(|at| before[at] != 0) {
                continue;
            }
            let buckets = mixer.buckets() / u32::try_from(SEGMENTS).unwrap_or(1);
            let segment = &mut next[(place.bucket / buckets) as usize];
            match find(segment, place.bucket % buckets, place, piece.next_lines) {
                None => added.full += 1,
                Some(at) if segment[at] == 0 => {
                    segment[at] = place.word;
                    added.classes += 1;
                    added.states += u64::from(successor.orbit);
                    added.digest = added.digest.wrapping_add(digest_of(successor.key));
                }
                Some(_) => {}
            }
        }
    }
    let before = Added::from_words(tally);
    added.absorb(before);
    tally.copy_from_slice(&added.words());
}

/// The slot that holds a key or, being empty, could; `None` when all lines that may hold it are full of others.
fn find(table: &[u32], bucket: u32, mixed: Mixed, lines: u32) -> Option<usize> {
    let mut line = mixed.home(lines);
    for _ in 0..MAX_PROBES.min(lines) {
        let first = (bucket as usize * lines as usize + line as usize) * LINE;
        let at = (first..first + LINE).find(|at| table[*at] == 0 || table[*at] == mixed.word);
        if at.is_some() {
            return at;
        }
        line = if line + 1 == lines { 0 } else { line + 1 };
    }
    None
}
