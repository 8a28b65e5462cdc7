//! What a search will cost, told from a sample of its index space.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::engine::{Opener, pacer};
use crate::gpu::Fault;
use crate::puzzles::index_space::{IndexSpace, mix};

/// What one draw says of its index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// Estimate of the nodes below the index, right on average.
    pub nodes: f64,
    /// Estimate of the work below the index, right on average.
    pub work: f64,
    /// The work that the probe itself did.
    pub done: u64,
}

/// A total with the range that holds it 95 in 100 times, as far as the sample's spread tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// From draws of single indices: their mean times the indices there are, and 1.96 standard errors on both sides.
    #[must_use]
    pub fn of(draws: &[f64], size: f64) -> Self {
        let count = draws.len().max(1) as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let spread = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>();
        let error = if draws.len() > 1 { (spread / (count - 1.0) / count).sqrt() } else { mean };
        Self { mean: mean * size, low: (mean - 1.96 * error).max(0.0) * size, high: (mean + 1.96 * error) * size }
    }

    /// Adds what is known for sure.
    pub fn shift(&mut self, by: f64) {
        self.mean += by;
        self.low += by;
        self.high += by;
    }
}

/// What a sample says.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Nodes of the whole space.
    pub nodes: Estimate,
    /// Work of the whole space.
    pub work: Estimate,
    /// Indices drawn.
    pub drawn: u64,
    /// Work that all CPU threads together did in a second.
    pub work_per_second: f64,
}

/// Draws indices at random, each as likely as any other, and probes them on all CPU threads until the time is up. Rounds
/// double, so that the sample's size depends on the clock but never on the draws' outcome within a round.
pub fn estimate(
    size: u128,
    time: Duration,
    seed: u32,
    stop: &AtomicBool,
    probe: &(dyn Fn(u128, u64) -> Probe + Sync),
) -> Sample {
    let begun = Instant::now();
    let mut draws: Vec<Probe> = Vec::new();
    let mut round: u32 = 64;
    while size > 0 && begun.elapsed() < time / 2 && !stop.load(Ordering::Relaxed) {
        let first = u32::try_from(draws.len()).unwrap_or(u32::MAX);
        draws.par_extend((first..first.saturating_add(round)).into_par_iter().map(|number| {
            let high = u128::from(mix(number, seed));
            let index = (high << 64 | u128::from(mix(seed ^ 0x5eed, number))) % size;
            probe(index, mix(number, !seed))
        }));
        round = round.saturating_mul(2).min(1 << 20);
    }
    let seconds = begun.elapsed().as_secs_f64().max(1e-9);
    let list = |of: fn(&Probe) -> f64| draws.iter().map(of).collect::<Vec<_>>();
    Sample {
        nodes: Estimate::of(&list(|probe| probe.nodes), size as f64),
        work: Estimate::of(&list(|probe| probe.work), size as f64),
        drawn: draws.len() as u64,
        work_per_second: draws.iter().map(|probe| probe.done as f64).sum::<f64>() / seconds,
    }
}

/// The work that a device does in a second, measured over pieces of the space's middle.
///
/// # Errors
/// Any [`Fault`].
pub fn speed(space: &dyn IndexSpace, opener: &dyn Opener, time: Duration) -> Result<f64, Fault> {
    let mut engine = opener.open(space)?;
    let mut pacer = pacer(space, true).aiming_at(engine.target());
    let mut next = space.size() / 2;
    let (mut work, mut busy) = (0u64, Duration::ZERO);
    while busy < time && next < space.size() {
        let end = (next + u128::from(pacer.size())).min(space.size());
        engine.submit(next..end)?;
        let finished = engine.collect()?;
        pacer.enter(u64::try_from(end - next).unwrap_or(u64::MAX), finished.busy);
        work += finished.tally.map_or(0, |tally| tally.work);
        busy += finished.busy;
        next = end;
    }
    Ok(work as f64 / busy.as_secs_f64().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_that_agree_leave_no_range_and_others_do() {
        assert_eq!(Estimate::of(&[2.0; 10], 100.0), Estimate { mean: 200.0, low: 200.0, high: 200.0 });
        let spread = Estimate::of(&[1.0, 3.0], 100.0);
        assert!((spread.mean - 200.0).abs() < 1e-9 && spread.low < 100.0 && spread.high > 300.0, "{spread:?}");
    }

    #[test]
    fn every_index_of_a_small_space_is_drawn_about_as_often() {
        let stop = AtomicBool::new(false);
        let probe = |index: u128, _: u64| Probe { nodes: if index == 3 { 1.0 } else { 0.0 }, work: 1.0, done: 1 };
        let sample = estimate(7, Duration::from_millis(40), 5, &stop, &probe);
        assert!(sample.drawn >= 64);
        assert!((sample.work.mean - 7.0).abs() < 1e-9);
        assert!(sample.nodes.low < 1.0 && sample.nodes.high > 1.0, "{:?}", sample.nodes);
    }
}
