//! Positions on machine words, and keys of their classes under the 26 symmetries of the ring.
//!
//! # Classes
//!
//! Rotating the ring (places and names of the tiles together) or mirroring it carries turns into turns and the goal into
//! itself, so that positions come in classes of up to `2·N`. What stays of a position up to rotation is a cyclic
//! sequence: for the goal `ring`, where names may also be rotated by themselves, `q(p) = s(p+1) − s(p)`; for `fixed`,
//! `q(p) = s(p) − p` (modulo `N`), each with the colour of place `p`. The class is told by the least of the `2·N` ways to
//! read the sequence, forwards and backwards; how many readings are least tells the size of the class.
//!
//! # Keys
//!
//! The least reading, taken as a position again, has `N` colours and a permutation whose parity the colours give away.
//! A key is `colours · 2³² + ⌊Lehmer rank / 2⌋`: `32 + N` bits, half the rank of 13 tiles just fitting a word.
//!
//! Positions here are those that side turns alone reach: permutation and colours of one parity.

use std::fmt;

use super::ball::{Ball, Goal, SIZES};
use crate::puzzles::layered::{Layered, Successor, Turning};

/// Low nibble of every byte, and 1 in every byte.
const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
const ONES: u64 = 0x0101_0101_0101_0101;
/// Nibble `k` holds `k`; 1 in every nibble.
const IOTA: u64 = 0xfedc_ba98_7654_3210;
const UNITS: u64 = 0x1111_1111_1111_1111;

/// A position of `N` tiles: name − 1 of the tile at place `p` in nibble `p`, and its colour (1 = yellow) in bit `p`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packed<const N: usize> {
    labels: u64,
    colours: u32,
}

/// The space of positions of `N` tiles under a goal, `RING` for [`Goal::Ring`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Space<const N: usize, const RING: bool>;

/// The real toy under the goal `fixed`.
pub type FixedSpace = Space<13, false>;
/// The real toy under the goal `ring`.
pub type RingSpace = Space<13, true>;

/// A cyclic sequence: `q(p)` in nibble `p`, colour in bit `p`.
#[derive(Clone, Copy)]
struct Reading {
    q: u64,
    colours: u32,
}

/// The least reading of a cyclic sequence, `q` above `N − 1` colours (the parity gives the last), and the class's size.
#[derive(Clone, Copy)]
struct Least {
    reading: u64,
    orbit: u32,
}

impl<const N: usize> Packed<N> {
    const MASK: u64 = (1 << (4 * N)) - 1;
    const HALF: usize = N / 2;
    /// The places that a turn about index 0 flips.
    const FLIPS: u32 = {
        let half = N / 2;
        1 | 2 | 1 << (N - 1) | 0b1111 << (half - 1)
    };

    /// Packs a position of `N` tiles that side turns reach; `None` for others.
    #[must_use]
    pub fn new(ball: &Ball) -> Option<Self> {
        if ball.size() != N || !ball.in_side_group() {
            return None;
        }
        let mut packed = Self { labels: 0, colours: 0 };
        for (p, tile) in ball.tiles().iter().enumerate() {
            packed.labels |= u64::from(tile.unsigned_abs() - 1) << (4 * p);
            packed.colours |= u32::from(*tile < 0) << p;
        }
        Some(packed)
    }

    /// The position with signed tiles.
    ///
    /// # Panics
    /// Never: a packed position is a position.
    #[must_use]
    pub fn ball(self) -> Ball {
        let tile = |p: usize| {
            let name = i8::try_from(self.labels >> (4 * p) & 15).unwrap_or(0) + 1;
            if self.colours >> p & 1 == 1 { -name } else { name }
        };
        Ball::from_tiles(&(0..N).map(tile).collect::<Vec<_>>()).expect("a packed position is a position")
    }

    /// As words of a kernel: nibbles 0..8, nibbles 8.., colours.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "split into words")]
    pub const fn words(self) -> [u32; 3] {
        [self.labels as u32, (self.labels >> 32) as u32, self.colours]
    }

    /// From a kernel's words; see [`Self::words`].
    #[must_use]
    pub const fn from_words([low, high, colours]: [u32; 3]) -> Self {
        Self { labels: low as u64 | (high as u64) << 32, colours }
    }

    #[inline]
    const fn rotated(self, by: usize) -> Self {
        Self {
            labels: (self.labels >> (4 * by) | self.labels << (4 * (N - by))) & Self::MASK,
            colours: (self.colours >> by | self.colours << (N - by)) & ((1 << N) - 1),
        }
    }

    /// Exchanges the places `p` and `N − p` for the three pairs that a turn about index 0 moves, and flips its tiles.
    #[inline]
    const fn turned_at_0(self) -> Self {
        let labels = Self::exchange(Self::exchange(Self::exchange(self.labels, 1), Self::HALF - 1), Self::HALF);
        let colours = Self::exchange_bits(self.colours, 1);
        let colours = Self::exchange_bits(Self::exchange_bits(colours, Self::HALF - 1), Self::HALF);
        Self { labels, colours: colours ^ Self::FLIPS }
    }

    #[inline]
    const fn exchange(x: u64, p: usize) -> u64 {
        let apart = 4 * (N - 2 * p);
        let differ = (x >> apart ^ x) & (15 << (4 * p));
        x ^ differ ^ differ << apart
    }

    #[inline]
    const fn exchange_bits(x: u32, p: usize) -> u32 {
        let apart = N - 2 * p;
        let differ = (x >> apart ^ x) & (1 << p);
        x ^ differ ^ differ << apart
    }

    /// The position after the turn about `axis`.
    #[must_use]
    #[inline]
    pub const fn turned(self, axis: usize) -> Self {
        self.rotated(axis).turned_at_0().rotated(N - axis)
    }

    /// Whether an odd number of tiles lie yellow.
    #[inline]
    const fn is_odd(self) -> bool {
        self.colours.count_ones() & 1 == 1
    }
}

impl<const N: usize> fmt::Debug for Packed<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({})", self.ball())
    }
}

/// Values below `2·N` in bytes, modulo `N`.
#[inline]
const fn reduce<const N: usize>(bytes: u64) -> u64 {
    let over = (bytes + ONES * (128 - N as u64)) >> 7 & ONES;
    bytes - over * N as u64
}

/// `x + N − y` modulo `N`, nibble by nibble.
#[inline]
const fn subtract<const N: usize>(x: u64, y: u64) -> u64 {
    let even = reduce::<N>((x & EVEN) + ONES * N as u64 - (y & EVEN));
    let odd = reduce::<N>((x >> 4 & EVEN) + ONES * N as u64 - (y >> 4 & EVEN));
    (even | odd << 4) & Packed::<N>::MASK
}

/// `x + y` modulo `N`, nibble by nibble.
#[inline]
const fn add<const N: usize>(x: u64, y: u64) -> u64 {
    let even = reduce::<N>((x & EVEN) + (y & EVEN));
    let odd = reduce::<N>((x >> 4 & EVEN) + (y >> 4 & EVEN));
    (even | odd << 4) & Packed::<N>::MASK
}

/// What a turn about index 0 adds to `s(p) − p` at each place, once mirrored: `−2p` on its arcs.
const fn drift<const N: usize>() -> u64 {
    let mut lanes = 0u64;
    let pairs = [1, N / 2 - 1, N / 2];
    let mut k = 0;
    while k < pairs.len() {
        let p = pairs[k];
        lanes |= ((2 * N - 2 * p) % N) as u64 * (1 << (4 * p));
        lanes |= (2 * p % N) as u64 * (1 << (4 * (N - p)));
        k += 1;
    }
    lanes
}

impl<const N: usize, const RING: bool> Space<N, RING> {
    const MASK: u64 = Packed::<N>::MASK;
    const COLOURS: u32 = (1 << (N - 1)) - 1;
    const DRIFT: u64 = drift::<N>();
    #[expect(clippy::cast_possible_truncation, reason = "13 at the most")]
    const SIZE: u32 = N as u32;

    /// The goal of this space.
    #[must_use]
    pub const fn goal() -> Goal {
        if RING { Goal::Ring } else { Goal::Fixed }
    }

    /// What [`Self::turned_reading`] rotates and turns: labels for `ring`, `s(p) − p` for `fixed`.
    #[inline]
    const fn base(state: Packed<N>) -> Packed<N> {
        if RING { state } else { Packed { labels: subtract::<N>(state.labels, IOTA & Self::MASK), ..state } }
    }

    /// The sequence after a turn, read from its axis on.
    #[inline]
    const fn turned_reading(base: Packed<N>, axis: usize) -> Reading {
        let turned = base.rotated(axis).turned_at_0();
        let q = if RING {
            subtract::<N>(turned.rotated(1).labels, turned.labels)
        } else {
            add::<N>(turned.labels, Self::DRIFT)
        };
        Reading { q, colours: turned.colours }
    }

    /// The sequence of a position.
    #[inline]
    const fn reading(state: Packed<N>) -> Reading {
        let base = Self::base(state);
        let q = if RING { subtract::<N>(base.rotated(1).labels, base.labels) } else { base.labels };
        Reading { q, colours: state.colours }
    }

    /// The sequence read backwards: that of the mirrored position.
    #[inline]
    const fn mirrored(reading: Reading) -> Reading {
        // The nibbles in reverse: bytes first, then the two of each byte.
        let bytes = reading.q.swap_bytes();
        let q = ((bytes >> 4 & EVEN) | (bytes & EVEN) << 4) >> (64 - 4 * N);
        let colours = reading.colours.reverse_bits() >> (32 - N);
        if RING {
            // A difference sits between two places; the colours move one on.
            Reading { q, colours: (colours << 1 | colours >> (N - 1)) & ((1 << N) - 1) }
        } else {
            Reading { q: subtract::<N>(0, q), colours }
        }
    }

    /// The reading from place `k` on, of a sequence written twice.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a window of the doubled sequence")]
    const fn window(twice: u128, colours: u32, k: usize) -> u64 {
        ((twice >> (4 * k)) as u64 & Self::MASK) << (N - 1) | (colours >> k & Self::COLOURS) as u64
    }

    #[inline]
    fn least(reading: Reading) -> Least {
        let back = Self::mirrored(reading);
        let (mut ahead, mut behind) = (u64::MAX, u64::MAX);
        let twice = |q: u64| u128::from(q) | u128::from(q) << (4 * N);
        let (there, here) = (twice(reading.q), twice(back.q));
        let (colours, mirror) = (reading.colours | reading.colours << N, back.colours | back.colours << N);
        for k in 0..N {
            ahead = ahead.min(Self::window(there, colours, k));
            behind = behind.min(Self::window(here, mirror, k));
        }
        // A sequence that repeats does so after N over a prime; every ring size here is a power of one.
        let period = if N == 9 { 3 } else { 1 };
        let mut same = 1;
        if Self::window(there, colours, 0) == Self::window(there, colours, period) {
            let first = Self::window(there, colours, 0);
            same = (0..N).map(|k| u32::from(Self::window(there, colours, k) == first)).sum();
        }
        let stabiliser = if ahead == behind { 2 * same } else { same };
        Least { reading: ahead.min(behind), orbit: 2 * Self::SIZE / stabiliser }
    }

    /// The key of a least reading; `odd` is the parity of its yellow tiles.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "splits the reading; half a Lehmer rank of 13 is below 2³²")]
    const fn key_of(reading: u64, odd: bool) -> u64 {
        let low = reading as u32 & Self::COLOURS;
        let colours = low | ((low.count_ones() & 1) ^ odd as u32) << (N - 1);
        let q = reading >> (N - 1);
        // Nibble `l` of `free`: how many names below `l` are still free.
        let mut free = IOTA;
        let mut rank = 0u64;
        let mut label = 0u64;
        let labels = if RING { 0 } else { add::<N>(q, IOTA & Self::MASK) };
        let mut k = 0;
        while k < N - 2 {
            if !RING {
                label = labels >> (4 * k) & 15;
            }
            rank = rank * (N - k) as u64 + (free >> (4 * label) & 15);
            free = free.wrapping_sub((UNITS << (4 * label)) << 4);
            if RING {
                label += q >> (4 * k) & 15;
                if label >= N as u64 {
                    label -= N as u64;
                }
            }
            k += 1;
        }
        (colours as u64) << 32 | rank as u32 as u64
    }

    /// The position that a key stands for.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "splits the key")]
    pub const fn unkey(key: u64) -> Packed<N> {
        let colours = (key >> 32) as u32;
        let mut rank = key as u32;
        let mut digits = [0u32; N];
        let mut parity = colours.count_ones();
        let mut k = N - 2;
        while k > 0 {
            k -= 1;
            let radix = (N - k) as u32;
            digits[k] = rank % radix;
            rank /= radix;
            parity ^= digits[k];
        }
        // The last choice, of two, is the one that gives the permutation the colours' parity.
        digits[N - 2] = parity & 1;
        let mut free = IOTA;
        let mut labels = 0;
        let mut k = 0;
        while k < N {
            let at = 4 * digits[k];
            labels |= (free >> at & 15) << (4 * k);
            let below = (1u64 << at) - 1;
            free = free & below | (free >> 4) & !below;
            k += 1;
        }
        Packed { labels, colours }
    }
}

impl<const N: usize, const RING: bool> Layered for Space<N, RING> {
    fn name(&self) -> String {
        format!("brainball {N} {}", Self::goal())
    }

    fn key_bits(&self) -> u32 {
        32 + Self::SIZE
    }

    fn start(&self) -> Successor {
        let solved = Packed::<N> { labels: IOTA & Self::MASK, colours: 0 };
        let least = Self::least(Self::reading(solved));
        Successor { key: Self::key_of(least.reading, false), orbit: least.orbit }
    }

    fn branching(&self) -> usize {
        N
    }

    #[inline]
    fn expand(&self, key: u64, out: &mut Vec<Successor>) {
        let state = Self::unkey(key);
        let (base, odd) = (Self::base(state), !state.is_odd());
        out.extend((0..N).map(|axis| {
            let least = Self::least(Self::turned_reading(base, axis));
            Successor { key: Self::key_of(least.reading, odd), orbit: least.orbit }
        }));
    }
}

impl<const N: usize, const RING: bool> Turning for Space<N, RING> {
    type State = Packed<N>;

    fn turns(&self) -> usize {
        N
    }

    #[inline]
    fn turn(&self, state: &Packed<N>, turn: usize) -> Packed<N> {
        state.turned(turn)
    }

    fn parity(&self, state: &Packed<N>) -> u32 {
        u32::from(state.is_odd())
    }

    fn key(&self, state: &Packed<N>) -> u64 {
        Self::key_of(Self::least(Self::reading(*state)).reading, state.is_odd())
    }

    #[inline]
    fn turned_keys(&self, state: &Packed<N>, out: &mut Vec<u64>) {
        let (base, odd) = (Self::base(*state), !state.is_odd());
        out.extend((0..N).map(|axis| Self::key_of(Self::least(Self::turned_reading(base, axis)).reading, odd)));
    }
}

const _: () = assert!(SIZES[0] == 7 && SIZES[3] == 13, "nibbles and half ranks are sized for these rings");

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
