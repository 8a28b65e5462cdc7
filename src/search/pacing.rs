//! Batches sized by the time that the ones before them took, so that no driver's watchdog fires and an interrupt is
//! answered at once.

use std::time::Duration;

/// What a batch should take.
pub const TARGET: Duration = Duration::from_millis(75);

/// Sizes batches from a measured rate.
#[derive(Clone, Debug)]
pub struct Pacer {
    size: u64,
    largest: u64,
    unit: u64,
    target: Duration,
}

impl Pacer {
    /// Starts with `first` items. Sizes stay multiples of `unit` (the items of one invocation) and at most `largest`.
    #[must_use]
    pub fn new(first: u64, unit: u64, largest: u64) -> Self {
        let unit = unit.max(1);
        let mut pacer = Self { size: 0, largest: largest.max(unit), unit, target: TARGET };
        pacer.set(first);
        pacer
    }

    /// The same with another time for a batch, for an engine that cuts batches into dispatches itself.
    #[must_use]
    pub fn aiming_at(self, target: Duration) -> Self {
        Self { target, ..self }
    }

    /// The same with smaller batches from now on, at most this many items.
    #[must_use]
    pub fn at_most(mut self, items: u64) -> Self {
        self.largest = self.largest.min(items.max(self.unit));
        self.set(self.size);
        self
    }

    /// Items in the next batch.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Enters what a batch took. Grows at most fourfold at a time: the first batches also pay for warming up, and the
    /// next stretch of a space may be slower than the last.
    pub fn enter(&mut self, items: u64, took: Duration) {
        let took = took.as_secs_f64().max(1e-6);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate; it is clamped below"
        )]
        let wanted = (items as f64 * self.target.as_secs_f64() / took) as u64;
        self.set(wanted.clamp(self.size / 8, self.size.saturating_mul(4)));
    }

    fn set(&mut self, items: u64) {
        let units = items.min(self.largest) / self.unit;
        self.size = units.max(1) * self.unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_approach_the_target_time_and_keep_to_whole_units() {
        let mut pacer = Pacer::new(1_000, 100, 1 << 31);
        for _ in 0..20 {
            // a device that does 2 million items a second
            let took = Duration::from_secs_f64(pacer.size() as f64 / 2e6);
            pacer.enter(pacer.size(), took);
        }
        assert_eq!(pacer.size(), 150_000);
    }

    #[test]
    fn growth_is_bounded_and_never_passes_the_largest_or_falls_below_one_unit() {
        let mut pacer = Pacer::new(100, 100, 1_000);
        pacer.enter(100, Duration::from_nanos(1));
        assert_eq!(pacer.size(), 400);
        pacer.enter(400, Duration::ZERO);
        assert_eq!(pacer.size(), 1_000);
        for _ in 0..9 {
            pacer.enter(100, Duration::from_secs(1_000));
        }
        assert_eq!(pacer.size(), 100);
    }
}
