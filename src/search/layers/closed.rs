//! One layer of a breadth-first search: a set of keys at 4 bytes a slot, filled by many threads and then read by many.
//! The layout is [`compact`](crate::puzzles::compact)'s.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::puzzles::compact::{LINE, MAX_PROBES, Mixed, Mixer};
use crate::puzzles::layered::Table;

/// Slots are meant to be filled to this part, in percent: 4 / 0.7 = 5.7 bytes a key.
const FILL_PERCENT: u64 = 70;
/// Lines of a bucket are numbered by 16 bits.
const MAX_LINES: u64 = u16::MAX as u64;

/// What became of a key put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It was not there.
    New,
    /// It was there.
    Known,
    /// All the lines that may hold it are full: the table is too small.
    Full,
}

/// How many lines each bucket has, for a number of keys.
#[must_use]
pub fn lines_for(mixer: Mixer, keys: u64) -> Option<u32> {
    let buckets = u64::from(mixer.buckets());
    let mean = keys.div_ceil(buckets);
    // Buckets fill unevenly, by the square root of the mean: six of these are allowed for.
    let slots = mean * 100 / FILL_PERCENT + if mean < 400 { 6 * mean.isqrt() } else { 0 };
    let lines = slots.div_ceil(LINE as u64).max(1);
    (lines <= MAX_LINES).then(|| u32::try_from(lines).unwrap_or(1))
}

#[repr(align(64))]
struct AtomicLine([AtomicU32; LINE]);

/// A line of a finished layer.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Line(pub [u32; LINE]);

/// A set being filled.
pub struct Filling {
    mixer: Mixer,
    lines: u32,
    table: Vec<AtomicLine>,
}

impl Filling {
    /// An empty set with so many lines a bucket; `None` when memory does not suffice.
    #[must_use]
    pub fn new(mixer: Mixer, lines: u32) -> Option<Self> {
        let total = mixer.buckets() as usize * lines as usize;
        let mut table = Vec::new();
        table.try_reserve_exact(total).ok()?;
        table.resize_with(total, || AtomicLine([const { AtomicU32::new(0) }; LINE]));
        Some(Self { mixer, lines, table })
    }

    /// The bijection of its keys.
    #[must_use]
    pub fn mixer(&self) -> Mixer {
        self.mixer
    }

    /// Looks at the first word of a key's home line, so that the line is on its way when [`Self::enter`] needs it.
    #[inline]
    #[must_use]
    pub fn touch(&self, mixed: Mixed) -> u32 {
        let home = mixed.bucket as usize * self.lines as usize + mixed.home(self.lines) as usize;
        self.table[home].0[0].load(Ordering::Relaxed)
    }

    /// Puts a key in, by compare-exchange on empty words in the order of the line.
    #[inline]
    #[must_use]
    pub fn enter(&self, mixed: Mixed) -> Entered {
        let first = mixed.bucket as usize * self.lines as usize;
        let mut line = mixed.home(self.lines);
        for _ in 0..MAX_PROBES.min(self.lines) {
            for slot in &self.table[first + line as usize].0 {
                let mut word = slot.load(Ordering::Relaxed);
                if word == 0 {
                    match slot.compare_exchange(0, mixed.word, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => return Entered::New,
                        Err(now) => word = now,
                    }
                }
                if word == mixed.word {
                    return Entered::Known;
                }
            }
            line = if line + 1 == self.lines { 0 } else { line + 1 };
        }
        Entered::Full
    }

    /// The filled set.
    #[must_use]
    pub fn finish(self, keys: u64, states: u64, digest: u64) -> Layer {
        let line = |line: AtomicLine| Line(line.0.map(AtomicU32::into_inner));
        let table = self.table.into_iter().map(line).collect();
        Layer { mixer: self.mixer, lines: self.lines, table, keys, states, digest }
    }
}

/// A finished layer.
pub struct Layer {
    mixer: Mixer,
    lines: u32,
    table: Vec<Line>,
    keys: u64,
    states: u64,
    digest: u64,
}

impl Layer {
    /// A layer from its parts, `None` when the table has not the size that `lines` says.
    #[must_use]
    pub fn from_parts(mixer: Mixer, lines: u32, table: Vec<Line>, keys: u64, states: u64, digest: u64) -> Option<Self> {
        let fits = lines > 0 && table.len() as u64 == u64::from(mixer.buckets()) * u64::from(lines);
        fits.then_some(Self { mixer, lines, table, keys, states, digest })
    }

    /// Classes in the layer.
    #[must_use]
    pub fn classes(&self) -> u64 {
        self.keys
    }

    /// States that the classes stand for.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The wrapping sum over the classes of their mixed keys.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Lines a bucket.
    #[must_use]
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// The table, bucket by bucket.
    #[must_use]
    pub fn table(&self) -> &[Line] {
        &self.table
    }

    /// The table as words, as kernels have it.
    #[must_use]
    pub fn words(&self) -> Table {
        let words = self.table.iter().flat_map(|line| line.0).collect();
        Table { words, lines: self.lines }
    }

    /// Bytes of the table.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        std::mem::size_of_val(self.table.as_slice()) as u64
    }

    /// The bijection of its keys.
    #[must_use]
    pub fn mixer(&self) -> Mixer {
        self.mixer
    }

    /// Looks at a key's home line; see [`Filling::touch`].
    #[inline]
    #[must_use]
    pub fn touch(&self, mixed: Mixed) -> u32 {
        self.table[mixed.bucket as usize * self.lines as usize + mixed.home(self.lines) as usize].0[0]
    }

    /// Whether the layer holds a key.
    #[inline]
    #[must_use]
    pub fn holds(&self, mixed: Mixed) -> bool {
        let first = mixed.bucket as usize * self.lines as usize;
        let mut line = mixed.home(self.lines);
        for _ in 0..MAX_PROBES.min(self.lines) {
            let words = &self.table[first + line as usize].0;
            // Counted rather than found: all the line's words at once, by vector instructions.
            if words.iter().map(|word| u32::from(*word == mixed.word)).sum::<u32>() != 0 {
                return true;
            }
            if words[LINE - 1] == 0 {
                return false;
            }
            line = if line + 1 == self.lines { 0 } else { line + 1 };
        }
        false
    }

    /// The keys in a piece of the table, `lines` counted over all buckets.
    pub fn keys(&self, lines: std::ops::Range<usize>) -> impl Iterator<Item = u64> + '_ {
        let first = lines.start;
        self.table[lines].iter().enumerate().flat_map(move |(k, line)| {
            let bucket = u32::try_from((first + k) / self.lines as usize).unwrap_or(0);
            let taken = line.0.iter().take_while(|word| **word != 0);
            taken.map(move |word| self.mixer.unmix(Mixed { bucket, word: *word }))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_set_holds_exactly_what_was_put_in_and_gives_it_back() {
        let mixer = Mixer::new(36);
        let keys: HashSet<u64> = (0..20_000u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 28).collect();
        let filling = Filling::new(mixer, lines_for(mixer, keys.len() as u64).unwrap()).unwrap();
        for key in &keys {
            assert_eq!(filling.enter(mixer.mix(*key)), Entered::New);
            assert_eq!(filling.enter(mixer.mix(*key)), Entered::Known);
        }
        let layer = filling.finish(keys.len() as u64, 0, 0);
        let back: HashSet<u64> = layer.keys(0..layer.table().len()).collect();
        assert_eq!(back, keys);
        for key in 0..50_000 {
            assert_eq!(layer.holds(mixer.mix(key)), keys.contains(&key));
        }
    }

    #[test]
    fn a_table_too_small_says_so() {
        let mixer = Mixer::new(33);
        let filling = Filling::new(mixer, 1).unwrap();
        let full = (0..1000).filter(|key| filling.enter(mixer.mix(*key)) == Entered::Full).count();
        assert_eq!(full, 1000 - 4 * LINE);
    }
}
