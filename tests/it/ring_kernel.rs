//! The kernel `brainball/carry` on whole rows and whole searches, against the vectorised walk.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gpu_solve::gpu::Gpu;
use gpu_solve::puzzles::brainball::ring::fixed::Fixed;
use gpu_solve::puzzles::brainball::ring::space::Ring;
use gpu_solve::puzzles::index_space::mix;
use gpu_solve::puzzles::rows::{Carrying, RowSpace, Way};
use gpu_solve::search::onebit::bundles::Bundles;
use gpu_solve::search::onebit::gpu::Devices;
use gpu_solve::search::onebit::shelf::Shelf;
use gpu_solve::search::onebit::{Carrier, Ended, Limits, OneBit};

use super::support::devices;

/// The states of a search's layers: on devices, every row also carried by the CPU and compared word by word; or without.
fn layers<S: Carrying>(space: &S, gpus: &[Arc<Gpu>], depth: Option<u32>) -> Vec<u64> {
    let on_devices = (!gpus.is_empty()).then(|| Devices::new(space, gpus, true).unwrap());
    let carrier = on_devices.as_ref().map(|devices| devices as &dyn Carrier);
    let bundles = Bundles::new(space, None);
    let shelf = Shelf::new(space, &bundles, None, None).unwrap();
    let search = OneBit::new(space, bundles, shelf, carrier, Duration::MAX).unwrap();
    let ended = search.run(&AtomicBool::new(false), Limits { time: None, depth }, &|_| (), &|_| ()).unwrap();
    assert_eq!(ended, if depth.is_some() { Ended::Deep } else { Ended::Whole });
    if let Some(devices) = &on_devices {
        assert!(devices.compared() > 0 && devices.faults().is_empty());
    }
    search.layers().iter().map(|layer| layer.states).collect()
}

#[test]
fn the_ring_of_9_tiles_is_the_same_whole_on_every_device_and_on_all_of_them() {
    let ring = Ring::<9>::default();
    let expected = layers(&ring, &[], None);
    assert_eq!(expected.iter().sum::<u64>(), 40_320 << 8);
    for gpu in devices() {
        assert_eq!(layers(&ring, &[Arc::clone(gpu)], None), expected);
    }
    if !devices().is_empty() {
        assert_eq!(layers(&ring, devices(), None), expected);
    }
}

/// Rows of parts of turns, too.
#[test]
fn nine_tiles_with_a_first_place_are_the_same_on_every_device() {
    let fixed = Fixed::<9>::default();
    // As deep as it takes for rows to be full enough for a device.
    let deep = layers(&fixed, &[], Some(11));
    for gpu in devices() {
        assert_eq!(layers(&fixed, &[Arc::clone(gpu)], Some(11)), deep);
    }
}

/// Marks of about one column in so many.
fn some_row(space: &impl RowSpace, seed: u32, rare: u64) -> Vec<u64> {
    let word = |number: u32| {
        let mixed = mix(number, seed);
        if rare <= 2 { mixed } else { 1 << (mixed % 60) }
    };
    (0..u32::try_from(space.words()).unwrap()).map(|number| word(number) & space.mask(0)).collect()
}

fn carries_as_the_cpu_does<S: Carrying>(space: &S, what: (usize, usize, Way), from: &[u64], into: &[u64]) {
    for gpu in devices() {
        let on_device = Devices::new(space, &[Arc::clone(gpu)], true).unwrap();
        let mut changed = into.to_vec();
        assert!(on_device.carry(what, from, &mut changed, &AtomicBool::new(false)).unwrap());
        assert_eq!((on_device.compared(), on_device.faults()), (1, vec![]));
        assert!(changed != into, "{what:?} marked nothing");
    }
}

/// Chosen rows of the real toy whole, all 3,991,680 words compared: the ring's, and parts of turns where the tile that
/// comes to place 0 is named by the word, and by the column.
#[test]
fn the_kernel_carries_rows_of_13_tiles_as_the_walk_does() {
    let (ring, fixed) = (Ring::<13>::default(), Fixed::<13>::default());
    let (half, rare) = (some_row(&ring, 1, 2), some_row(&ring, 2, 60));
    let nearly = half.iter().zip(&rare).map(|(half, rare)| half | !rare & ring.mask(0)).collect::<Vec<_>>();
    carries_as_the_cpu_does(&ring, (37, 8, Way::Push), &rare, &half);
    carries_as_the_cpu_does(&ring, (200, 2, Way::Pull), &half, &nearly);
    let place = |row: usize, turn: usize, way: Way| fixed.params(row, turn, way, 0..0)[4];
    let mut places = [0, 0];
    for (row, axis) in (0..fixed.rows()).step_by(700).zip(0..13).cycle().take(40) {
        let turn = axis * 13 + 1 + row % 12;
        let Some(_) = fixed.neighbour(row, turn) else { continue };
        for (way, from, into) in [(Way::Push, &rare, &half), (Way::Pull, &half, &nearly)] {
            let varying = usize::from(place(row, turn, way) > 7);
            if places[varying] < 2 {
                carries_as_the_cpu_does(&fixed, (row, turn, way), from, into);
                places[varying] += 1;
            }
        }
    }
    assert_eq!(places, [2, 2]);
}
