//! The exact number of cheapest paths, however large.
//!
//! Walking downhill from the start, states are met in the order of what is left to pay. A layer (the states with the same
//! cost left) needs its counts only until it is walked, so counts live layer by layer, as planes of 64-bit limbs of a width
//! that grows with the largest of them, and are freed after use: memory is two or three layers, not a big integer a state.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::costs::Costs;
use super::shortest::Field;
use crate::puzzles::state_graph::StateGraph;

/// States with the same cost left, and the number of cheapest paths from the start to each.
#[derive(Debug)]
struct Layer {
    states: Vec<u32>,
    /// Limbs of each count.
    width: usize,
    /// `width` limbs a state, lowest first.
    limbs: Vec<u64>,
}

impl Layer {
    fn new() -> Self {
        Self { states: Vec::new(), width: 1, limbs: Vec::new() }
    }

    fn push(&mut self, state: u32, count: &[u64]) {
        if count.len() > self.width {
            self.widen(count.len());
        }
        self.states.push(state);
        self.limbs.extend_from_slice(count);
        self.limbs.resize(self.states.len() * self.width, 0);
    }

    fn add(&mut self, slot: usize, count: &[u64]) {
        if count.len() > self.width {
            self.widen(count.len());
        }
        let start = slot * self.width;
        let mut carry = false;
        let (low, high) = self.limbs[start..start + self.width].split_at_mut(count.len());
        for (limb, &added) in low.iter_mut().zip(count) {
            let (sum, over) = limb.overflowing_add(added);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = over | over_again;
        }
        for limb in high {
            if !carry {
                break;
            }
            (*limb, carry) = limb.overflowing_add(1);
        }
        if carry {
            self.widen(self.width + 1);
            self.limbs[(slot + 1) * self.width - 1] = 1;
        }
    }

    fn widen(&mut self, width: usize) {
        let mut limbs = Vec::with_capacity(self.states.capacity().max(self.states.len()) * width);
        for count in self.limbs.chunks_exact(self.width) {
            limbs.extend_from_slice(count);
            limbs.resize(limbs.len() + width - self.width, 0);
        }
        self.limbs = limbs;
        self.width = width;
    }

    /// The width that the largest count needs.
    fn needed(&self) -> usize {
        (1..=self.width)
            .rev()
            .find(|&w| w == 1 || self.limbs.chunks_exact(self.width).any(|count| count[w - 1] != 0))
            .unwrap_or(1)
    }
}

/// How many cheapest paths lead from `start` to the goal of `field`: 0 when none does.
///
/// # Panics
/// Never: a layer holds fewer states than there are state numbers.
#[must_use]
pub fn count_paths<G: StateGraph>(graph: &G, field: &Field, costs: &Costs, start: u32) -> BigUint {
    let Some(total) = field.get(start) else { return BigUint::ZERO };
    // A state's place in its layer plus 1; each state is in one layer only, so one table serves all.
    let mut slots = vec![0u32; graph.index_bound() as usize];
    let mut pending = BTreeMap::new();
    let mut first = Layer::new();
    first.push(start, &[1]);
    pending.insert(total, first);
    while let Some((left, layer)) = pending.pop_last() {
        if left == 0 {
            return limbs_to_integer(&layer.limbs[..layer.width]);
        }
        // The layers that this one leads into: one a distinct cost, taken out of the map while they grow.
        let mut targets: Vec<(u64, Layer)> = Vec::new();
        let by_kind: Vec<Option<usize>> = costs
            .scaled()
            .iter()
            .map(|&cost| {
                let key = left.checked_sub(cost)?;
                let place = targets.iter().position(|(known, _)| *known == key);
                Some(place.unwrap_or_else(|| {
                    targets.push((key, pending.remove(&key).unwrap_or_else(Layer::new)));
                    targets.len() - 1
                }))
            })
            .collect();
        let needed = layer.needed();
        for (&state, count) in layer.states.iter().zip(layer.limbs.chunks_exact(layer.width)) {
            let count = &count[..needed];
            graph.successors(state, |step| {
                let Some(place) = by_kind[usize::from(step.kind)] else { return };
                let (key, target) = &mut targets[place];
                if field.get(step.state) != Some(*key) {
                    return;
                }
                let slot = &mut slots[step.state as usize];
                if *slot == 0 {
                    target.push(step.state, count);
                    *slot = u32::try_from(target.states.len()).expect("a layer has fewer than 2^32 states");
                } else {
                    target.add(*slot as usize - 1, count);
                }
            });
        }
        pending.extend(targets.into_iter().filter(|(_, target)| !target.states.is_empty()));
    }
    BigUint::ZERO
}

fn limbs_to_integer(limbs: &[u64]) -> BigUint {
    #[expect(clippy::cast_possible_truncation, reason = "a limb is split into its two words")]
    BigUint::new(limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the big integers' own addition, with carries through and past the top limb.
        #[test]
        fn adding_limbs_is_adding_integers(
            counts in prop::collection::vec(prop::collection::vec(prop_oneof![Just(u64::MAX), Just(0), any::<u64>()], 1..4), 1..6),
            adds in prop::collection::vec((0usize..6, prop::collection::vec(prop_oneof![Just(u64::MAX), any::<u64>()], 1..5)), 0..12),
        ) {
            let mut layer = Layer::new();
            let mut expected = Vec::new();
            for count in &counts {
                layer.push(0, count);
                expected.push(limbs_to_integer(count));
            }
            for (slot, count) in &adds {
                let slot = slot % counts.len();
                layer.add(slot, count);
                expected[slot] += limbs_to_integer(count);
            }
            for (found, expected) in layer.limbs.chunks_exact(layer.width).zip(&expected) {
                prop_assert_eq!(&limbs_to_integer(found), expected);
            }
            let needed = layer.needed();
            prop_assert!(layer.limbs.chunks_exact(layer.width).all(|count| count[needed..].iter().all(|&limb| limb == 0)));
        }
    }
}
