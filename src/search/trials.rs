//! Kernels beside their twins: a launch run on both sides and compared binding by binding. `gpu-solve verify` and the test
//! over every kernel both go through here.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::gpu::Fault;
use crate::kernel::{Access, Compare, Kernel, Launch};
use crate::kernels;
use crate::puzzles::index_space::mix;

/// Runs a launch of a kernel in place, on a device.
pub type Run<'a> = dyn Fn(&'static Kernel, &mut Launch) -> Result<(), Fault> + 'a;

/// The first word in which the two sides' bindings differ after a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The binding's name.
    pub binding: &'static str,
    /// The word's place in it; in one of records, after they were sorted.
    pub word: usize,
    /// What the device has there.
    pub device: u32,
    /// What the twin has there.
    pub twin: u32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { binding, word, device, twin } = self;
        write!(f, "binding {binding} differs at word {word}: device {device:#010x}, twin {twin:#010x}")
    }
}

/// Why a kernel can't be said to agree with its twin.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unequal {
    /// The two sides part.
    #[error("launch {launch}: {difference}")]
    Difference {
        /// Which of the round's launches, from 0 on.
        launch: usize,
        /// Where they part.
        difference: Difference,
    },
    /// The device failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The kernel has no launches, or one that changes nothing on the twin's side.
    #[error("launch {launch} compares nothing")]
    Nothing {
        /// Which, from 0 on.
        launch: usize,
    },
}

/// What was compared and found equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Launches run on both sides.
    pub launches: u64,
    /// Words of their bindings that were compared.
    pub words: u64,
    /// Of those words, whatever the order of records: equal wherever the same launches gave the same.
    pub digest: u64,
}

/// Says where two launches of a kernel differ, of all that it writes and that is not scratch space.
#[must_use]
pub fn difference(kernel: &Kernel, device: &Launch, twin: &Launch) -> Option<Difference> {
    compared(kernel, device, twin).find_map(|(binding, device, twin)| {
        let longest = device.len().max(twin.len());
        let word = (0..longest).find(|&at| device.get(at) != twin.get(at))?;
        let at = |words: &[u32]| words.get(word).copied().unwrap_or_default();
        Some(Difference { binding, word, device: at(&device), twin: at(&twin) })
    })
}

/// The name and both sides' words of each binding that is compared, made equal where they count as equal.
fn compared<'a>(
    kernel: &'a Kernel,
    device: &'a Launch,
    twin: &'a Launch,
) -> impl Iterator<Item = (&'static str, Vec<u32>, Vec<u32>)> + 'a {
    let written = |binding: &crate::kernel::Binding| binding.access == Access::ReadWrite;
    let sides = device.buffers.iter().zip(&twin.buffers);
    kernel.bindings.iter().zip(sides).filter(move |(binding, _)| written(binding)).filter_map(
        |(binding, (device, twin))| {
            let (device, twin) = match binding.compare {
                Compare::Scratch | Compare::Unfinished => return None,
                Compare::Floats(bits) => (rounded(device, twin, bits), twin.clone()),
                Compare::Exact => (device.clone(), twin.clone()),
                Compare::Records(width) => (sorted(device, width), sorted(twin, width)),
            };
            Some((binding.name, device, twin))
        },
    )
}

/// The device's words, each number that lies within the margin of the twin's replaced by that.
fn rounded(device: &[u32], twin: &[u32], bits: u32) -> Vec<u32> {
    let largest = twin.iter().map(|&word| f32::from_bits(word).abs()).fold(0.0, f32::max);
    let margin = f64::from(largest) / f64::from(bits).exp2();
    let near = |a: u32, b: u32| (f64::from(f32::from_bits(a)) - f64::from(f32::from_bits(b))).abs() <= margin;
    let mut words = device.to_vec();
    for (word, &other) in words.iter_mut().zip(twin) {
        if near(*word, other) {
            *word = other;
        }
    }
    words
}

fn sorted(words: &[u32], width: usize) -> Vec<u32> {
    let mut records: Vec<_> = words.chunks(width).collect();
    records.sort_unstable();
    records.concat()
}

/// Runs launches on both sides and compares them one by one.
///
/// # Errors
/// The first [`Unequal`].
pub fn compare(kernel: &'static Kernel, launches: &[Launch], run: &Run<'_>) -> Result<Compared, Unequal> {
    let mut sum = Compared::default();
    for (number, launch) in launches.iter().enumerate() {
        let (mut device, mut twin) = (launch.clone(), launch.clone());
        run(kernel, &mut device)?;
        (kernel.twin)(&mut twin);
        if let Some(difference) = difference(kernel, &device, &twin) {
            return Err(Unequal::Difference { launch: number, difference });
        }
        if launch.invocations > 0 && *launch == twin {
            return Err(Unequal::Nothing { launch: number });
        }
        sum.launches += 1;
        for (_, words, _) in compared(kernel, &device, &twin) {
            sum.words += words.len() as u64;
            sum.digest = words.iter().fold(sum.digest, |digest, &word| chain(digest, word));
        }
    }
    if sum.words == 0 { Err(Unequal::Nothing { launch: 0 }) } else { Ok(sum) }
}

#[expect(clippy::cast_possible_truncation, reason = "the digest is split into words")]
fn chain(digest: u64, word: u32) -> u64 {
    mix(word ^ digest as u32, (digest >> 32) as u32)
}

/// What came of a kernel on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Rounds of launches that were found equal: the first of the kernel's own trials, the others of what was drawn.
    pub rounds: u64,
    /// All that was compared and found equal, with the digest of the first round.
    pub compared: Compared,
    /// What ended it, where it was not the time.
    pub unequal: Option<Unequal>,
}

impl Verdict {
    /// Whether something was compared and all of it was equal.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.unequal.is_none() && self.rounds > 0
    }
}

/// How long kernels are compared, and with what.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The first round is run whatever the time is; no kernel begins another one after this moment.
    pub until: Instant,
    /// Draws the launches of the rounds after the first.
    pub seed: u32,
    /// Set from outside to stop before the next kernel.
    pub stop: &'a AtomicBool,
}

/// Compares each kernel with its twin: all of them once by their trials, then, until the time is over, by launches drawn
/// from the spaces that they walk (see [`kernels::SAMPLES`]), or by their trials again where there is no such space.
/// Where a kernel differs it is left out of the rounds that follow.
pub fn verify(list: &[&'static Kernel], run: &Run<'_>, terms: &Terms<'_>) -> Vec<Verdict> {
    let mut verdicts: Vec<_> = list
        .iter()
        .map(|kernel| Verdict { kernel: kernel.name, rounds: 0, compared: Compared::default(), unequal: None })
        .collect();
    for round in 0.. {
        let mut some = false;
        for (kernel, verdict) in list.iter().zip(&mut verdicts) {
            if terms.stop.load(Ordering::Relaxed) || round > 0 && Instant::now() >= terms.until {
                return verdicts;
            }
            if verdict.unequal.is_some() {
                continue;
            }
            some = true;
            let drawn = if round == 0 { Vec::new() } else { kernels::draw(kernel, terms.seed.wrapping_add(round)) };
            let launches = if drawn.is_empty() { (kernel.trials)() } else { drawn };
            match compare(kernel, &launches, run) {
                Ok(compared) => {
                    verdict.rounds += 1;
                    verdict.compared.launches += compared.launches;
                    verdict.compared.words += compared.words;
                    if round == 0 {
                        verdict.compared.digest = compared.digest;
                    }
                }
                // A drawn range may hold nothing that the kernel would tell.
                Err(Unequal::Nothing { .. }) if round > 0 => {}
                Err(unequal) => verdict.unequal = Some(unequal),
            }
        }
        if !some {
            break;
        }
    }
    verdicts
}
