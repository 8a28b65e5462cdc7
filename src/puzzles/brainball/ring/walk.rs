//! Carries visited states from one row over into another, a word of 60 columns at a time.
//!
//! The address of an image is a sum over pairs of places ([`PairSums`]). A depth-first walk over the names of the fixed
//! places keeps, for every place still without a name and every name it could get, the sum over the pairs with places
//! that have theirs. So a word costs a few vector operations, and its 60 images five table look-ups each, in registers.
//!
//! The walk's first places are those that decide the leading digits of the image: all the words in turn whose images
//! lie in one piece of the far row, small enough for the second-level cache, are visited one after the other.

#![expect(
    clippy::inline_always,
    reason = "vector instructions are chosen by the one function that all this is inlined into"
)]
#![expect(clippy::needless_range_loop, reason = "loops over lanes and columns of several tables at once")]

use std::sync::atomic::{AtomicBool, Ordering};

use super::columns::{COLUMNS_MASK, VARYING, WORD_COLUMNS, weights};
use super::lanes::{ABOVE, FROM, HOLDING, Lanes, NAMES, PATTERNS, Plain, Shuffle, WITHOUT};
use super::transfer::{PairSums, Transfer};

/// Places whose names the walk gives out first, and that are sorted by where their images lie.
const LEADING: usize = 3;
/// The parity of the digits of a word travels in the top bit of the word's number.
const PARITY: u32 = 1 << 31;
/// Up to this many columns of a word are looked up one by one.
const FEW: u32 = 6;

/// What is done with the words of the home row.
trait Task {
    /// The columns of a word whose images are wanted.
    fn columns(&self, word: usize) -> u64;
    /// Takes the addresses of the images of these columns, none of them empty.
    fn visit(&mut self, word: usize, columns: u64, addresses: &[u32; 64]);
}

/// The images of the home row's visited states become visited in the far row.
struct Push<'a> {
    home: &'a [u64],
    far: &'a mut [u64],
}

impl Task for Push<'_> {
    #[inline(always)]
    fn columns(&self, word: usize) -> u64 {
        self.home[word]
    }

    #[inline(always)]
    fn visit(&mut self, _: usize, mut columns: u64, addresses: &[u32; 64]) {
        while columns != 0 {
            let address = addresses[columns.trailing_zeros() as usize % 64];
            columns &= columns - 1;
            self.far[(address / 64) as usize] |= 1 << (address % 64);
        }
    }
}

/// States of the home row whose image in the far row is visited become visited.
struct Pull<'a> {
    home: &'a mut [u64],
    far: &'a [u64],
}

impl Task for Pull<'_> {
    #[inline(always)]
    fn columns(&self, word: usize) -> u64 {
        !self.home[word] & COLUMNS_MASK
    }

    #[inline(always)]
    fn visit(&mut self, word: usize, mut columns: u64, addresses: &[u32; 64]) {
        let mut found = 0;
        while columns != 0 {
            let column = columns.trailing_zeros() as usize % 64;
            columns &= columns - 1;
            let address = addresses[column];
            found |= (self.far[(address / 64) as usize] >> (address % 64) & 1) << column;
        }
        self.home[word] |= found;
    }
}

/// A walk over a row, with the images of its columns under a transfer.
pub struct Walk<const N: usize> {
    /// `image[i][j]`, i < j, places by the order in which they get their names, the varying ones last: what the pair adds to the image's address when the first has the lesser name.
    image: [[u32; N]; N],
    image_constant: u32,
    /// The same for the number of the word itself, the parity of its digits in the top bit.
    home: [[u32; N]; N],
    home_constant: u32,
    /// The same for one place alone, for each unit of its name.
    home_name: [u32; N],
    /// By the parity of the five, by column: what the pairs of varying places add to the image's address.
    varying: [[u32; 64]; 2],
    /// The names of the first places, in the order of the pieces of the far row that their images lie in.
    leading: Vec<[u8; LEADING]>,
    zero: Zero,
    odd: bool,
}

/// Which names the tile may have that comes to place 0 of the image.
#[derive(Clone, Copy)]
enum Zero {
    Any,
    /// This one, and it is among those that the walk gives out.
    Given(u32),
    /// This one, at the last of the fixed places.
    Last(u32),
    /// This one, at this varying place.
    Varying(u32, usize),
}

/// Where the walk stands: names given to some places.
#[derive(Clone, Copy)]
struct Node<const N: usize> {
    image: u32,
    home: u32,
    /// By place in the walk's order, by name: what giving it that name adds to `image`.
    images: [Lanes; N],
    /// The same for `home`; of the fixed places only.
    homes: [Lanes; N],
    free: u32,
}

impl<const N: usize> Walk<N> {
    /// Places whose names are the same throughout a word, without place 0.
    const FIXED: usize = N - 1 - VARYING;
    /// How many of them [`Self::leading`] names.
    const LED: usize = if Self::FIXED > LEADING { LEADING } else { Self::FIXED - 1 };

    /// Prepares the walk over a row whose number of yellow tiles is odd or not. `zero`: over those arrangements alone in
    /// which this is the name, not 0, of the tile that comes to place 0.
    #[must_use]
    pub fn new(transfer: &Transfer<N>, odd: bool, zero: Option<u8>) -> Self {
        let PairSums { constant: mut image_constant, pairs } = transfer.pair_sums();
        let order = Self::order(transfer);
        let (mut image, mut home) = ([[0u32; N]; N], [[0u32; N]; N]);
        let (mut home_constant, mut home_name) = (0u32, [0; N]);
        let weights = const { weights::<N>() };
        let unit = |place: usize| weights[place] / 64 + PARITY;
        for j in 0..N - 1 {
            for i in 0..j {
                let (a, b) = (order[i], order[j]);
                if a < b {
                    image[i][j] = pairs[a][b];
                } else {
                    image_constant = image_constant.wrapping_add(pairs[b][a]);
                    image[i][j] = pairs[b][a].wrapping_neg();
                }
                if j < Self::FIXED {
                    // The digit of a place is its name − 1, less the earlier places with lesser names.
                    if a < b {
                        home[i][j] = unit(b).wrapping_neg();
                    } else {
                        home_constant = home_constant.wrapping_sub(unit(a));
                        home[i][j] = unit(a);
                    }
                }
            }
            if j < Self::FIXED {
                home_name[j] = unit(order[j]);
                home_constant = home_constant.wrapping_sub(unit(order[j]));
            }
        }
        let mut varying = [[0u32; 64]; 2];
        for (sums, patterns) in varying.iter_mut().zip(&PATTERNS) {
            for (bit, sum) in sums.iter_mut().enumerate().take(WORD_COLUMNS as usize) {
                for a in 0..VARYING {
                    for b in a + 1..VARYING {
                        if patterns[a][bit] < patterns[b][bit] {
                            *sum = sum.wrapping_add(image[Self::FIXED + a][Self::FIXED + b]);
                        }
                    }
                }
            }
        }
        let zero = match (zero.map(u32::from), transfer.places[0]) {
            (None, _) => Zero::Any,
            (Some(name), place) if place > Self::FIXED => Zero::Varying(name, place - Self::FIXED - 1),
            (Some(name), _) if Self::LED == 0 => Zero::Last(name),
            (Some(name), _) => Zero::Given(name),
        };
        let leading = Self::leading(transfer, &order, zero);
        Self { image, image_constant, home, home_constant, home_name, varying, leading, zero, odd }
    }

    /// The fixed places by where their tiles come to, leading digits of the image first (and before all, the tile that
    /// comes to place 0, from which its names count); then the varying places.
    fn order(transfer: &Transfer<N>) -> [usize; N] {
        let is_fixed = |place: &usize| (1..=Self::FIXED).contains(place);
        let mut order: Vec<usize> = transfer.places.iter().copied().filter(is_fixed).collect();
        order.extend(Self::FIXED + 1..N);
        order.push(0);
        std::array::from_fn(|k| order[k])
    }

    #[expect(clippy::cast_possible_truncation, reason = "names are below 13")]
    fn leading(transfer: &Transfer<N>, order: &[usize; N], zero: Zero) -> Vec<[u8; LEADING]> {
        let mut leading = vec![[0u8; LEADING]];
        for k in 0..Self::LED {
            let allowed = move |name: u8| match zero {
                Zero::Given(zero) => (k == 0) == (u32::from(name) == zero),
                Zero::Varying(zero, _) => u32::from(name) != zero,
                Zero::Any | Zero::Last(_) => true,
            };
            let longer = |names: [u8; LEADING]| {
                (1..N as u8).filter(move |name| allowed(*name) && !names[..k].contains(name)).map(move |name| {
                    let mut names = names;
                    names[k] = name;
                    names
                })
            };
            leading = leading.into_iter().flat_map(longer).collect();
        }
        let piece = |names: &[u8; LEADING]| {
            let name = |place: usize| match place {
                0 => Some(0),
                _ => order[..Self::LED].iter().position(|ordered| *ordered == place).map(|k| names[k]),
            };
            let zero = match zero {
                Zero::Varying(zero, _) => Some(zero as u8),
                _ => name(transfer.places[0]),
            };
            let digit = |q: usize| {
                let (name, zero) = (name(transfer.places[q])?, zero?);
                let (from, to) = if transfer.mirrored { (name, zero) } else { (zero, name) };
                Some((to + N as u8 - from) % N as u8)
            };
            [digit(1), digit(2), digit(3), digit(4)]
        };
        leading.sort_by_key(piece);
        leading
    }

    /// Marks the images of a row's visited states as visited in another row. `stop` is looked at now and then: false when
    /// it ended the walk early, with part of the work done.
    pub fn push(&self, home: &[u64], far: &mut [u64], stop: &AtomicBool) -> bool {
        self.run(&mut Push { home, far }, stop)
    }

    /// Marks those states of a row as visited whose image in another row is. `stop` as in [`Self::push`].
    pub fn pull(&self, home: &mut [u64], far: &[u64], stop: &AtomicBool) -> bool {
        self.run(&mut Pull { home, far }, stop)
    }

    fn run(&self, task: &mut impl Task, stop: &AtomicBool) -> bool {
        let mut nodes = vec![self.root(); Self::FIXED];
        for names in self.leading.iter().copied() {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            self.branch(task, names, &mut nodes);
        }
        true
    }

    #[cfg(target_arch = "x86_64")]
    fn branch(&self, task: &mut impl Task, names: [u8; LEADING], nodes: &mut [Node<N>]) {
        match pulp::x86::V3::try_new() {
            Some(v3) => v3.vectorize(
                #[inline(always)]
                || self.walk(v3, task, names, nodes),
            ),
            None => self.walk(Plain, task, names, nodes),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn branch(&self, task: &mut impl Task, names: [u8; LEADING], nodes: &mut [Node<N>]) {
        self.walk(Plain, task, names, nodes);
    }

    fn root(&self) -> Node<N> {
        let mut homes = [[0; NAMES]; N];
        for (place, lanes) in homes.iter_mut().enumerate() {
            for (name, lane) in (0u32..).zip(lanes) {
                *lane = self.home_name[place].wrapping_mul(name);
            }
        }
        let (image, home) = (self.image_constant, self.home_constant);
        Node { image, home, images: [[0; NAMES]; N], homes, free: (1 << N) - 2 }
    }

    #[inline(always)]
    fn walk<S: Shuffle>(&self, shuffle: S, task: &mut impl Task, names: [u8; LEADING], nodes: &mut [Node<N>]) {
        for (level, name) in names[..Self::LED].iter().enumerate() {
            self.give(nodes, level, usize::from(*name));
        }
        let last = Self::FIXED - 1;
        let givable = if let Zero::Varying(zero, _) = self.zero { !(1 << zero) } else { !0 };
        let mut left = [0u32; N];
        let mut level = Self::LED;
        left[level] = nodes[level].free & givable;
        if level == last {
            return self.words(shuffle, task, &nodes[last]);
        }
        loop {
            if left[level] == 0 {
                if level == Self::LED {
                    return;
                }
                level -= 1;
                continue;
            }
            let name = left[level].trailing_zeros() as usize;
            left[level] &= left[level] - 1;
            self.give(nodes, level, name);
            if level + 1 == last {
                self.words(shuffle, task, &nodes[last]);
            } else {
                level += 1;
                left[level] = nodes[level].free & givable;
            }
        }
    }

    /// Gives the place of this level a name: the node of the next level.
    #[inline(always)]
    fn give(&self, nodes: &mut [Node<N>], level: usize, name: usize) {
        let (parents, children) = nodes.split_at_mut(level + 1);
        let (parent, child) = (&parents[level], &mut children[0]);
        let (name, above) = (name % NAMES, &ABOVE[name % NAMES]);
        child.image = parent.image.wrapping_add(parent.images[level][name]);
        child.home = parent.home.wrapping_add(parent.homes[level][name]);
        child.free = parent.free & !(1 << name);
        for place in level + 1..N - 1 {
            for lane in 0..NAMES {
                child.images[place][lane] =
                    parent.images[place][lane].wrapping_add(self.image[level][place] & above[lane]);
            }
        }
        for place in level + 1..Self::FIXED {
            for lane in 0..NAMES {
                child.homes[place][lane] =
                    parent.homes[place][lane].wrapping_add(self.home[level][place] & above[lane]);
            }
        }
    }

    /// The parity of the five varying tiles in a word.
    #[inline(always)]
    fn parity(&self, home: u32) -> usize {
        usize::from((home & PARITY != 0) != self.odd)
    }

    /// Leaves of six words the columns with the right name at the place that comes to place 0.
    #[inline(always)]
    fn confine(&self, wanted: &mut [u64; 6], homes: &[u32; 6], names: &[u32; 8]) {
        for m in 0..6 {
            wanted[m] &= match self.zero {
                Zero::Any | Zero::Given(_) => !0,
                Zero::Last(zero) => {
                    if names[m] == zero {
                        !0
                    } else {
                        0
                    }
                }
                Zero::Varying(zero, _) if names[m] == zero => 0,
                Zero::Varying(zero, place) => {
                    let lesser = names[..6].iter().filter(|name| **name < zero).count();
                    let which = lesser - usize::from(names[m] < zero);
                    HOLDING[self.parity(homes[m])][place][which % VARYING]
                }
            };
        }
    }

    /// The six words that share all names but that of the last fixed place.
    #[inline(always)]
    fn words<S: Shuffle>(&self, shuffle: S, task: &mut impl Task, node: &Node<N>) {
        let last = Self::FIXED - 1;
        let mut names = [0u32; 8];
        let mut free = node.free;
        for name in &mut names[..6] {
            *name = free.trailing_zeros() % 16;
            free &= free.wrapping_sub(1);
        }
        // All six before any of them is worked on, so that their cache misses overlap.
        let (mut homes, mut wanted) = ([0u32; 6], [0u64; 6]);
        for m in 0..6 {
            homes[m] = node.home.wrapping_add(node.homes[last][names[m] as usize % NAMES]);
            wanted[m] = task.columns((homes[m] & !PARITY) as usize);
        }
        if !matches!(self.zero, Zero::Any | Zero::Given(_)) {
            self.confine(&mut wanted, &homes, &names);
        }
        if wanted == [0; 6] {
            return;
        }
        // By varying place: what it adds under each of the six names, before the last place has its own.
        let mut sums = [[0u32; 8]; VARYING];
        for (place, sum) in sums.iter_mut().enumerate() {
            let lanes = &node.images[Self::FIXED + place];
            let (mut low, mut high) = ([0; 8], [0; 8]);
            low.copy_from_slice(&lanes[..8]);
            high.copy_from_slice(&lanes[8..]);
            let (low, high) = (shuffle.pick(low, names), shuffle.pick(high, names));
            for lane in 0..8 {
                sum[lane] = if names[lane] < 8 { low[lane] } else { high[lane] };
            }
        }
        for m in 0..6 {
            let (home, columns) = (homes[m], wanted[m]);
            if columns == 0 {
                continue;
            }
            let name = names[m] as usize % NAMES;
            let index = (home & !PARITY) as usize;
            let parity = self.parity(home);
            let base = node.image.wrapping_add(node.images[last][name]);
            let mut tables = [[0u32; 8]; VARYING];
            for place in 0..VARYING {
                tables[place] = shuffle.pick(sums[place], WITHOUT[m]);
                for lane in 0..8 {
                    tables[place][lane] =
                        tables[place][lane].wrapping_add(self.image[last][Self::FIXED + place] & FROM[m][lane]);
                }
            }
            let mut addresses = [0u32; 64];
            if columns.count_ones() <= FEW {
                let mut left = columns;
                while left != 0 {
                    let bit = left.trailing_zeros() as usize % 64;
                    left &= left - 1;
                    let mut address = base.wrapping_add(self.varying[parity][bit]);
                    for place in 0..VARYING {
                        let table = &tables[place];
                        address = address.wrapping_add(table[PATTERNS[parity][place][bit] as usize % 8]);
                    }
                    addresses[bit] = address;
                }
            } else {
                for eight in 0..8 {
                    let mut sum = [base; 8];
                    for lane in 0..8 {
                        sum[lane] = sum[lane].wrapping_add(self.varying[parity][8 * eight + lane]);
                    }
                    for place in 0..VARYING {
                        let mut pattern = [0; 8];
                        pattern.copy_from_slice(&PATTERNS[parity][place][8 * eight..8 * eight + 8]);
                        let picked = shuffle.pick(tables[place], pattern);
                        for lane in 0..8 {
                            sum[lane] = sum[lane].wrapping_add(picked[lane]);
                        }
                    }
                    addresses[8 * eight..8 * eight + 8].copy_from_slice(&sum);
                }
            }
            task.visit(index, columns, &addresses);
        }
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
