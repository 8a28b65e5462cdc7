//! Colour bracelets: the colourings of a ring of `N` places, two of them one when a rotation or a mirroring carries one
//! into the other. They are the rows of the ring's perfect index.

/// A place of the ring, seen from a row's own reading of it: place `q` of the reading is place `start ± q` of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The ring place that the reading begins with.
    pub start: usize,
    /// Whether it goes downwards.
    pub mirrored: bool,
}

impl Reading {
    /// The ring place that is place `q` of this reading.
    #[must_use]
    pub const fn place<const N: usize>(self, q: usize) -> usize {
        if self.mirrored { (self.start + N - q) % N } else { (self.start + q) % N }
    }

    /// A colouring as it reads.
    fn of<const N: usize>(self, colours: u32) -> u32 {
        (0..N).map(|q| (colours >> self.place::<N>(q) & 1) << q).sum()
    }

    fn all<const N: usize>() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|mirrored| (0..N).map(move |start| Self { start, mirrored }))
    }
}

/// All bracelets of `N` places, by their representatives, ascending.
#[derive(Clone, Debug)]
pub struct Bracelets<const N: usize> {
    representatives: Vec<u32>,
    stabilisers: Vec<u32>,
    /// By colouring: its row, and a reading of it that is the row's representative.
    rows: Vec<(usize, Reading)>,
}

impl<const N: usize> Default for Bracelets<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Bracelets<N> {
    /// Enumerates them. The representative is the least of the `2N` readings taken as a number (place `q` is bit `q`).
    #[must_use]
    pub fn new() -> Self {
        let (mut representatives, mut stabilisers, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for colours in 0..1u32 << N {
            let least =
                Reading::all::<N>().map(|reading| (reading.of::<N>(colours), reading)).min_by_key(|read| read.0);
            let (least, reading) = least.unwrap_or((colours, Reading { start: 0, mirrored: false }));
            if least == colours {
                representatives.push(colours);
                stabilisers
                    .push(Reading::all::<N>().map(|reading| u32::from(reading.of::<N>(colours) == colours)).sum());
            }
            // The least reading is no greater than the colouring, so its row is there already.
            let row = representatives.partition_point(|representative| *representative < least);
            rows.push((row, reading));
        }
        Self { representatives, stabilisers, rows }
    }

    /// The number of bracelets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// Never: every ring has colourings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.representatives.is_empty()
    }

    /// The colouring that stands for a row: 1 = yellow at place `q` in bit `q`.
    #[must_use]
    pub fn colours(&self, row: usize) -> u32 {
        self.representatives[row]
    }

    /// Colourings in the bracelet: `2N` over the number of symmetries that leave the representative as it is.
    #[must_use]
    pub fn orbit(&self, row: usize) -> u32 {
        2 * u32::try_from(N).unwrap_or(0) / self.stabilisers[row]
    }

    /// The row of a colouring, and a reading of it that is the row's representative.
    #[must_use]
    pub fn row(&self, colours: u32) -> (usize, Reading) {
        self.rows[colours as usize]
    }

    /// The readings that leave a row's representative as it is.
    pub fn symmetries(&self, row: usize) -> impl Iterator<Item = Reading> {
        self.readings(self.colours(row))
    }

    /// The readings of a colouring that are its row's representative.
    pub fn readings(&self, colours: u32) -> impl Iterator<Item = Reading> {
        let representative = self.colours(self.row(colours).0);
        Reading::all::<N>().filter(move |reading| reading.of::<N>(colours) == representative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of bracelets with `n` beads of two colours, OEIS A000029.
    #[test]
    fn there_are_as_many_bracelets_as_published_and_their_orbits_fill_the_cube() {
        fn check<const N: usize>(bracelets: usize) {
            let table = Bracelets::<N>::new();
            assert_eq!(table.len(), bracelets);
            assert_eq!((0..table.len()).map(|row| table.orbit(row)).sum::<u32>(), 1 << N);
            for colours in 0..1 << N {
                let (row, reading) = table.row(colours);
                assert_eq!(reading.of::<N>(colours), table.colours(row));
            }
        }
        check::<7>(18);
        check::<9>(46);
        check::<11>(126);
        check::<13>(380);
    }
}
