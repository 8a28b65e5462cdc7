//! Breadth-first search by layers over a [`Layered`] space, on the CPU. Layers are kept apart: since a neighbour of layer
//! `d` lies in `d − 1` or `d + 1`, it is new exactly when layer `d − 1` does not hold it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use thiserror::Error;

use super::closed::{Entered, Filling, Layer, lines_for};
use crate::puzzles::compact::{Mixed, Mixer};
use crate::puzzles::expansion::digest_of;
use crate::puzzles::layered::{Layered, Successor};

/// Lines that a thread takes at a time.
const PIECE: usize = 256;
/// Successors gathered before they are looked up together, so that their cache misses overlap.
const GATHER: usize = 1024;

/// Why layers could not be had.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum FrontierError {
    #[error("no memory for layer {depth}, which would hold about {classes} classes; ask for a lesser depth")]
    Memory { depth: u32, classes: u64 },
    #[error("interrupted")]
    Interrupted,
}

/// What is known of a layer once it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerReport {
    /// Distance from the start.
    pub depth: u32,
    /// Classes in the layer.
    pub classes: u64,
    /// States in the layer.
    pub states: u64,
    /// Order-free digest of the layer's keys: the wrapping sum of [`digest_of`].
    pub digest: u64,
    /// Bytes of its table.
    pub bytes: u64,
    /// Time to build it.
    pub time: Duration,
}

/// Layers 0 to some depth of a space.
pub struct Layers {
    /// [`Layered::name`] of the space.
    pub name: String,
    /// By depth; ends early when the space does.
    pub layers: Vec<Layer>,
}

impl Layers {
    /// The greatest depth held.
    #[must_use]
    pub fn depth(&self) -> u32 {
        u32::try_from(self.layers.len()).unwrap_or(u32::MAX).saturating_sub(1)
    }

    /// The distance of a class, when it is within [`Self::depth`].
    #[must_use]
    pub fn distance(&self, key: u64) -> Option<u32> {
        let mixed = self.layers.first()?.mixer().mix(key);
        (0..).zip(&self.layers).find(|(_, layer)| layer.holds(mixed)).map(|(depth, _)| depth)
    }

    /// Bytes of all tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(Layer::bytes).sum()
    }

    /// Classes in all layers.
    #[must_use]
    pub fn classes(&self) -> u64 {
        self.layers.iter().map(Layer::classes).sum()
    }
}

/// How many keys to expect in the layer after layers of so many: no layer grows faster than the branching allows, nor, once it is
/// large, faster than the one before it did.
#[must_use]
pub fn expected(classes: &[u64], branching: usize) -> u64 {
    let [.., before, last] = *classes else { return branching as u64 };
    let most = last.saturating_mul(branching as u64);
    if before < 1000 {
        return most;
    }
    let growth = u128::from(last) * u128::from(last) / u128::from(before);
    most.min(u64::try_from(growth + growth / 100).unwrap_or(u64::MAX))
}

/// Builds the layers 0 to `depth`, telling of each as it stands. Ends early when the space has no more.
///
/// # Errors
/// A [`FrontierError`].
pub fn build<S: Layered>(
    space: &S,
    depth: u32,
    stop: &AtomicBool,
    mut told: impl FnMut(&LayerReport),
) -> Result<Layers, FrontierError> {
    let mut layers = Layers { name: space.name(), layers: Vec::new() };
    while u32::try_from(layers.layers.len()).unwrap_or(u32::MAX) <= depth {
        let began = Instant::now();
        let layer = match layers.layers.len() {
            0 => start_layer(space)?,
            _ => next_layer(space, &layers.layers, stop)?,
        };
        if layer.classes() == 0 {
            break;
        }
        layers.layers.push(layer);
        let layer = &layers.layers[layers.layers.len() - 1];
        told(&report(layers.depth(), layer, began.elapsed()));
    }
    Ok(layers)
}

/// A layer's report.
#[must_use]
pub fn report(depth: u32, layer: &Layer, time: Duration) -> LayerReport {
    let (classes, states, digest) = (layer.classes(), layer.states(), layer.digest());
    LayerReport { depth, classes, states, digest, bytes: layer.bytes(), time }
}

/// Layer 0.
///
/// # Errors
/// [`FrontierError::Memory`].
pub fn start_layer<S: Layered>(space: &S) -> Result<Layer, FrontierError> {
    let mixer = Mixer::new(space.key_bits());
    let Successor { key, orbit } = space.start();
    let filling = Filling::new(mixer, 1).ok_or(FrontierError::Memory { depth: 0, classes: 1 })?;
    // An empty table has room for one key.
    let _ = filling.enter(mixer.mix(key));
    Ok(filling.finish(1, u64::from(orbit), digest_of(key)))
}

/// The layer after those given.
///
/// # Errors
/// A [`FrontierError`].
pub fn next_layer<S: Layered>(space: &S, layers: &[Layer], stop: &AtomicBool) -> Result<Layer, FrontierError> {
    let mixer = Mixer::new(space.key_bits());
    let depth = u32::try_from(layers.len()).unwrap_or(u32::MAX);
    let counts: Vec<u64> = layers.iter().map(Layer::classes).collect();
    let mut classes = expected(&counts, space.branching());
    loop {
        let memory = || FrontierError::Memory { depth, classes };
        let lines = lines_for(mixer, classes).ok_or_else(memory)?;
        let filling = Filling::new(mixer, lines).ok_or_else(memory)?;
        let filled = fill(space, layers, &filling, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(FrontierError::Interrupted);
        }
        if let Some(counts) = filled {
            return Ok(filling.finish(counts.keys, counts.states, counts.digest));
        }
        // Overflow: split into larger buckets, and again from the start.
        classes = classes.saturating_mul(3) / 2 + 64;
    }
}

#[derive(Default)]
struct Counts {
    keys: u64,
    states: u64,
    digest: u64,
}

/// Enters all new neighbours of the last layer; `None` when the table overflowed.
fn fill<S: Layered>(space: &S, layers: &[Layer], filling: &Filling, stop: &AtomicBool) -> Option<Counts> {
    let (last, before) = (layers.last()?, layers.len().checked_sub(2).map(|k| &layers[k]));
    let full = AtomicBool::new(false);
    let (keys, states, digest) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let total = last.table().len();
    (0..total.div_ceil(PIECE)).into_par_iter().for_each_init(Gathered::default, |gathered, piece| {
        if full.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) {
            return;
        }
        let mut counts = Counts::default();
        let mut enter = |gathered: &mut Gathered| {
            if !gathered.enter(before, filling, &mut counts) {
                full.store(true, Ordering::Relaxed);
            }
        };
        for key in last.keys(piece * PIECE..((piece + 1) * PIECE).min(total)) {
            space.expand(key, &mut gathered.successors);
            if gathered.successors.len() >= GATHER {
                enter(gathered);
            }
        }
        enter(gathered);
        keys.fetch_add(counts.keys, Ordering::Relaxed);
        states.fetch_add(counts.states, Ordering::Relaxed);
        digest.fetch_add(counts.digest, Ordering::Relaxed);
    });
    (!full.into_inner()).then(|| Counts {
        keys: keys.into_inner(),
        states: states.into_inner(),
        digest: digest.into_inner(),
    })
}

/// Successors on their way into a layer: looked up together, so that their cache misses overlap.
#[derive(Default)]
struct Gathered {
    successors: Vec<Successor>,
    mixed: Vec<Mixed>,
}

impl Gathered {
    /// Enters those successors that are new, and empties the buffers; false when the table is full.
    fn enter(&mut self, before: Option<&Layer>, filling: &Filling, counts: &mut Counts) -> bool {
        let mixer = filling.mixer();
        self.mixed.clear();
        self.mixed.extend(self.successors.iter().map(|s| mixer.mix(s.key)));
        // A compare-exchange holds back the loads after it; so all lines are asked for before the first of them.
        let touch = |mixed: &Mixed| filling.touch(*mixed) ^ before.map_or(0, |before| before.touch(*mixed));
        let touched = self.mixed.iter().fold(0, |sum: u32, mixed| sum.wrapping_add(touch(mixed)));
        std::hint::black_box(touched);
        if let Some(before) = before {
            for mixed in &mut self.mixed {
                if before.holds(*mixed) {
                    mixed.word = 0;
                }
            }
        }
        let mut fits = true;
        for (successor, mixed) in self.successors.iter().zip(&self.mixed) {
            if mixed.word == 0 {
                continue;
            }
            match filling.enter(*mixed) {
                Entered::New => {
                    counts.keys += 1;
                    counts.states += u64::from(successor.orbit);
                    counts.digest = counts.digest.wrapping_add(digest_of(successor.key));
                }
                Entered::Known => {}
                Entered::Full => fits = false,
            }
        }
        self.successors.clear();
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::brainball::packed::RingSpace;

    #[test]
    fn a_table_too_small_for_its_layer_is_noticed_and_made_anew_larger() {
        let (space, stop) = (RingSpace::default(), AtomicBool::new(false));
        let layers = build(&space, 6, &stop, |_| {}).unwrap().layers;
        let mixer = Mixer::new(space.key_bits());
        // One line a bucket has room for 262,144 classes; layer 7 has 733,124.
        assert!(fill(&space, &layers, &Filling::new(mixer, 1).unwrap(), &stop).is_none());
        // After layers that seem to shrink, too little room is expected at first.
        let mut misleading = layers;
        let small = Layer::from_parts(mixer, misleading[6].lines(), misleading[6].table().to_vec(), 5_000, 0, 0);
        misleading[6] = small.unwrap();
        assert!(expected(&misleading.iter().map(Layer::classes).collect::<Vec<_>>(), 13) < 10_000);
        assert_eq!(next_layer(&space, &misleading, &stop).unwrap().classes(), 733_124);
    }

    #[test]
    fn an_interrupt_is_told() {
        let built = build(&RingSpace::default(), 3, &AtomicBool::new(true), |_| {});
        assert!(matches!(built, Err(FrontierError::Interrupted)));
    }
}
