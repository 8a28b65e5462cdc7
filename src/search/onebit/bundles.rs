//! In which order a pass of a one-bit search takes its rows, and who takes them.
//!
//! Rows whose neighbours are the same make a *bundle* and are passed together, so that each neighbour is read once for
//! all of them. Bundles follow each other by the neighbours that they have in common, so that those are still there.

use std::collections::BTreeMap;

use crate::puzzles::rows::RowSpace;
use crate::search::index::merge;

/// The rows of a space as passes take them.
pub struct Bundles {
    size: usize,
    /// By row and turn: where the turn leads.
    neighbours: Vec<Vec<Option<usize>>>,
    /// By parity: the first rows of the bundles, in the order of a pass.
    order: [Vec<usize>; 2],
    /// By row: whether it is passed here.
    own: Vec<bool>,
}

impl Bundles {
    /// The order; `shard`: of these, one number in so many shards, are one's own.
    #[must_use]
    pub fn new(space: &impl RowSpace, shard: Option<(u64, u64)>) -> Self {
        let size = space.bundle();
        let neighbours: Vec<Vec<Option<usize>>> =
            (0..space.rows()).map(|row| (0..space.turns()).map(|turn| space.neighbour(row, turn)).collect()).collect();
        let order = [0, 1].map(|parity| {
            let firsts = (0..space.rows()).step_by(size).filter(|row| space.parity(*row) == parity).collect();
            chain(firsts, |first| {
                let mut bundles: Vec<usize> = neighbours[first].iter().flatten().map(|row| row / size).collect();
                bundles.sort_unstable();
                bundles.dedup();
                bundles
            })
        });
        let mut own = vec![shard.is_none(); space.rows()];
        for firsts in &order {
            let Some((number, shards)) = shard else { break };
            let part = merge::shard(number, shards, firsts.len() as u128);
            for (_, first) in (0u128..).zip(firsts).filter(|(k, _)| part.contains(k)) {
                own[*first..first + size].fill(true);
            }
        }
        Self { size, neighbours, order, own }
    }

    /// Rows of a bundle.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The number of rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.own.len()
    }

    /// Whether a row is passed here.
    #[must_use]
    pub fn is_own(&self, row: usize) -> bool {
        self.own[row]
    }

    /// Whether all rows are.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.own.iter().all(|own| *own)
    }

    /// The rows of a parity that are passed here, bundle by bundle.
    pub fn own(&self, parity: u32) -> impl Iterator<Item = Vec<usize>> {
        let firsts = &self.order[parity as usize % 2];
        firsts.iter().filter(|first| self.own[**first]).map(|first| (*first..first + self.size).collect())
    }

    /// Where a row's turns lead: the turn, and the row.
    pub fn neighbours(&self, row: usize) -> impl Iterator<Item = (usize, usize)> {
        self.neighbours[row].iter().enumerate().filter_map(|(turn, neighbour)| Some((turn, (*neighbour)?)))
    }

    /// The rows that a pass over dense rows of a parity reads when `room` rows that it only reads stay in memory, those
    /// used last: its own, and its neighbours as often as they have to come again.
    #[must_use]
    pub fn rows_read(&self, parity: u32, room: usize) -> u64 {
        let (mut used, mut by_use) = (vec![None; self.rows()], BTreeMap::new());
        let mut read = 0;
        let mut clock = 0u64;
        for bundle in self.own(parity) {
            read += bundle.len() as u64;
            let mut wanted: Vec<usize> =
                bundle.iter().flat_map(|row| self.neighbours(*row)).map(|(_, row)| row).collect();
            wanted.sort_unstable();
            wanted.dedup();
            for row in wanted {
                clock += 1;
                match used[row].replace(clock) {
                    Some(before) => drop(by_use.remove(&before)),
                    None => read += 1,
                }
                by_use.insert(clock, row);
                if by_use.len() > room
                    && let Some((_, least)) = by_use.pop_first()
                {
                    used[least] = None;
                }
            }
        }
        read
    }
}

/// Puts each next to the one that it has most in common with, from the first on.
fn chain(firsts: Vec<usize>, of: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut left: Vec<(usize, Vec<usize>)> = firsts.into_iter().map(|first| (first, of(first))).collect();
    let mut chained = Vec::with_capacity(left.len());
    let mut last: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let common = |bundles: &[usize]| bundles.iter().filter(|bundle| last.binary_search(bundle).is_ok()).count();
        let best = (0..left.len()).max_by_key(|k| (common(&left[*k].1), std::cmp::Reverse(*k))).unwrap_or(0);
        let (first, bundles) = left.remove(best);
        last = bundles;
        chained.push(first);
    }
    chained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::brainball::ring::fixed::Fixed;
    use crate::puzzles::brainball::ring::space::Ring;

    #[test]
    fn shards_share_out_every_row_of_both_parities_once() {
        let space = Fixed::<7>::default();
        for shards in [1, 2, 5, 40] {
            let parts: Vec<Bundles> = (1..=shards).map(|number| Bundles::new(&space, Some((number, shards)))).collect();
            for parity in [0, 1] {
                let mut rows: Vec<usize> = parts.iter().flat_map(|part| part.own(parity).flatten()).collect();
                rows.sort_unstable();
                assert_eq!(rows, (0..space.rows()).filter(|row| space.parity(*row) == parity).collect::<Vec<_>>());
            }
        }
    }

    /// Without room each bundle reads all its neighbours anew, with room for all each row is read once.
    #[test]
    fn a_pass_reads_less_the_more_room_there_is_and_bundles_spare_most_of_it() {
        let (ring, fixed) = (Bundles::new(&Ring::<13>::default(), None), Bundles::new(&Fixed::<13>::default(), None));
        for parity in [0, 1] {
            assert_eq!(ring.rows_read(parity, 380), 380);
            assert_eq!(fixed.rows_read(parity, 4_940), 4_940);
            let reads: Vec<u64> = [0, 2, 26, 60, 190].map(|room| ring.rows_read(parity, room)).into();
            assert!(reads.is_sorted_by(|a, b| a >= b), "{reads:?}");
            assert!(reads[0] <= 190 * 14 && reads[2] < reads[0] * 3 / 4, "{reads:?}");
            // Row by row, without bundles, it would be 13 times the neighbours.
            assert_eq!(fixed.rows_read(parity, 0), (ring.rows_read(parity, 0) - 190) * 13 + 2_470);
        }
    }
}
