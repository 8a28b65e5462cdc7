use std::path::Path;
use std::sync::atomic::AtomicUsize;

use super::*;
use crate::puzzles::brainball::Ball;
use crate::puzzles::brainball::packed::Space;
use crate::puzzles::brainball::ring::Positions;
use crate::puzzles::brainball::ring::fixed::Fixed;
use crate::puzzles::brainball::ring::space::Ring;
use crate::search::layers::frontier::build;
use crate::search::onebit::marks::bytes_of;

fn in_memory<S: RowSpace>(space: &S) -> OneBit<'_, S> {
    search(space, None, None)
}

fn search<'a, S: RowSpace>(space: &'a S, folder: Option<&Path>, room: Option<u64>) -> OneBit<'a, S> {
    let bundles = Bundles::new(space, None);
    let shelf = Shelf::new(space, &bundles, folder, room).unwrap();
    OneBit::new(space, bundles, shelf, None, Duration::from_secs(3600)).unwrap()
}

fn to<S: RowSpace>(search: &OneBit<S>, depth: Option<u32>) -> Vec<Layer> {
    let limits = Limits { time: None, depth };
    let ended = search.run(&AtomicBool::new(false), limits, &|_| (), &|_| ()).unwrap();
    assert_eq!(ended, if depth.is_some() { Ended::Deep } else { Ended::Whole });
    search.layers()
}

fn whole<S: RowSpace>(search: &OneBit<S>) -> Vec<Layer> {
    to(search, None)
}

fn states(layers: &[Layer]) -> Vec<u64> {
    layers.iter().map(|layer| layer.states).collect()
}

/// Layers by the plain rules, positions kept as they are: signed tiles, from tile 1 on where a ring has no first place,
/// in a sorted list a layer. And the last layer itself.
fn by_dictionary<const N: usize>(turned_to_1: bool) -> (Vec<u64>, Vec<[i8; N]>) {
    let arcs: Vec<usize> = Ball::arcs(N, 0).collect();
    let mut frontier: Vec<[i8; N]> = vec![std::array::from_fn(|k| i8::try_from(k).unwrap() + 1)];
    let (mut before, mut layers) = (vec![], vec![]);
    while !frontier.is_empty() {
        layers.push(frontier.len() as u64);
        let mut next = Vec::with_capacity(frontier.len() * N);
        for ball in &frontier {
            for axis in 0..N {
                let mut turned = *ball;
                for place in &arcs {
                    turned[(axis + place) % N] = -ball[(axis + N - place) % N];
                }
                if turned_to_1 {
                    let first = turned.iter().position(|tile| tile.abs() == 1).unwrap();
                    turned.rotate_left(first);
                }
                next.push(turned);
            }
        }
        next.sort_unstable();
        next.dedup();
        // Turns go both ways and change parity, so what is not new is one layer back.
        next.retain(|ball| before.binary_search(ball).is_err());
        before = std::mem::replace(&mut frontier, next);
    }
    (layers, before)
}

#[test]
fn rings_of_7_and_9_tiles_have_the_layers_of_a_plain_search_at_every_depth() {
    let (seven, nine) = (Ring::<7>::default(), Ring::<9>::default());
    assert_eq!(states(&whole(&in_memory(&seven))), by_dictionary::<7>(true).0);
    let layers = states(&whole(&in_memory(&nine)));
    assert_eq!(layers, by_dictionary::<9>(true).0);
    assert_eq!(layers.iter().sum::<u64>(), 40_320 << 8);
}

/// Every depth, and every position at the greatest: the symmetries' classes of those told are exactly the last layer.
#[test]
fn seven_tiles_with_a_first_place_have_the_layers_and_antipodes_of_a_plain_search() {
    let space = Fixed::<7>::default();
    let search = in_memory(&space);
    let (layers, last) = by_dictionary::<7>(false);
    assert_eq!(states(&whole(&search)), layers);
    let mut told = vec![];
    for (ball, states) in space.classes(&search.last_layer().unwrap()) {
        let mut class = vec![];
        for by in 0..7 {
            for sign in [1, -1] {
                let place = |k: i8| (sign * k + by).rem_euclid(7);
                let mut alike = [0i8; 7];
                for (k, tile) in (0i8..).zip(ball.tiles()) {
                    alike[usize::try_from(place(k)).unwrap()] = (place(tile.abs() - 1) + 1) * tile.signum();
                }
                class.push(alike);
            }
        }
        class.sort_unstable();
        class.dedup();
        assert_eq!(class.len() as u64, states);
        told.extend(class);
    }
    told.sort_unstable();
    assert_eq!(told, last);
}

/// Whole, and its layers to depth 8 those of the search that keeps classes in tables.
#[test]
fn nine_tiles_with_a_first_place_are_whole_and_have_the_layers_of_the_search_by_classes() {
    let space = Fixed::<9>::default();
    let layers = states(&whole(&in_memory(&space)));
    assert_eq!(layers.iter().sum::<u64>(), 362_880 << 8);
    assert_eq!(layers[..9], by_classes::<9, false>(8));
}

#[test]
fn eleven_and_13_tiles_with_a_first_place_have_the_layers_of_the_search_by_classes() {
    let eleven = Fixed::<11>::default();
    assert_eq!(states(&to(&in_memory(&eleven), Some(7))), by_classes::<11, false>(7));
    let thirteen = Fixed::<13>::default();
    // The published ones are counted to depth 7 in the program's own tests.
    assert_eq!(states(&to(&in_memory(&thirteen), Some(5))), [1, 13, 156, 1_872, 21_972, 255_541]);
}

fn by_classes<const N: usize, const RING: bool>(depth: u32) -> Vec<u64> {
    let mut counted = vec![];
    build(&Space::<N, RING>, depth, &AtomicBool::new(false), |report| counted.push(report.states)).unwrap();
    counted
}

/// The layers to depth 8 by the search that keeps classes in tables; all of them make up 10!·2¹⁰ states.
#[test]
fn the_ring_of_11_tiles_has_the_layers_of_the_search_by_classes_and_is_whole() {
    let eleven = Ring::<11>::default();
    let layers = states(&whole(&in_memory(&eleven)));
    assert_eq!(layers[..9], by_classes::<11, true>(8));
    assert_eq!(layers.iter().sum::<u64>(), 3_628_800 << 10);
}

#[test]
fn a_search_stopped_at_any_row_goes_on_to_the_same_layers_and_checksums() {
    let space = Ring::<9>::default();
    let expected = whole(&in_memory(&space));
    let row = bytes_of(space.words()) as u64;
    for (room, stop_every) in [(None, 60), (Some(5 * row), 90), (Some(0), 130)] {
        {
            let folder = tempfile::tempdir().unwrap();
            let mut runs = 0;
            loop {
                runs += 1;
                let search = search(&space, Some(folder.path()), room);
                let (stop, rows) = (AtomicBool::new(false), AtomicUsize::new(0));
                let told = |_| {
                    if rows.fetch_add(1, Ordering::Relaxed) + 1 >= stop_every {
                        stop.store(true, Ordering::Relaxed);
                        // Until the search has seen it.
                        thread::sleep(3 * GLANCE);
                    }
                };
                if search.run(&stop, Limits::default(), &told, &|_| ()).unwrap() == Ended::Whole {
                    let layers = search.layers();
                    assert_eq!(layers.len(), expected.len());
                    for (layer, expected) in layers.iter().zip(&expected) {
                        assert_eq!(
                            (layer.states, layer.columns, layer.digest),
                            (expected.states, expected.columns, expected.digest)
                        );
                    }
                    break;
                }
            }
            assert!(runs > 2, "{runs} runs");
        }
    }
}

#[test]
fn the_last_layer_is_told_state_by_state() {
    let space = Ring::<9>::default();
    let search = in_memory(&space);
    let layers = whole(&search);
    let last = search.last_layer().unwrap();
    assert_eq!(last.len() as u64, layers.last().unwrap().columns);
    assert_eq!(last.iter().map(|(row, _)| space.weight(*row)).sum::<u64>(), layers.last().unwrap().states);
}

#[test]
fn rows_that_do_not_belong_together_are_refused() {
    let space = Ring::<7>::default();
    let folder = tempfile::tempdir().unwrap();
    whole(&search(&space, Some(folder.path()), None));
    std::fs::remove_file(folder.path().join("row-003")).unwrap();
    let bundles = Bundles::new(&space, None);
    let shelf = Shelf::new(&space, &bundles, Some(folder.path()), None).unwrap();
    let refused = OneBit::new(&space, bundles, shelf, None, Duration::MAX).err().unwrap();
    assert!(refused.to_string().contains("do not belong together"), "{refused}");
}

#[test]
fn damaged_rows_are_refused_with_the_reason() {
    let space = Ring::<7>::default();
    let folder = tempfile::tempdir().unwrap();
    whole(&search(&space, Some(folder.path()), None));
    let path = folder.path().join("row-005");
    let bytes = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let shelf = Shelf::new(&space, &Bundles::new(&space, None), Some(folder.path()), None);
        shelf.and_then(|shelf| shelf.read(5).map(|_| ())).unwrap_err().to_string()
    };
    assert!(refused(b"something else").contains("not a row"));
    assert!(refused(&bytes[..bytes.len() - 2]).contains("cut short"));
    assert!(refused(&bytes[..40]).contains("cut short"));
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert!(refused(&changed).contains("checksum") || refused(&changed).contains("cut short"));
    changed.clone_from(&bytes);
    changed[30] ^= 1;
    assert!(refused(&changed).contains("checksum"));
    changed.clone_from(&bytes);
    changed[16] = 9;
    assert!(refused(&changed).contains("format 9"));
    let other = Ring::<9>::default();
    std::fs::write(&path, &bytes).unwrap();
    let bundles = Bundles::new(&other, None);
    assert!(Shelf::new(&other, &bundles, Some(folder.path()), None).err().unwrap().to_string().contains("brainball 7"));
}

/// What a pass reads is counted, and little room costs readings.
#[test]
fn with_little_room_rows_come_from_their_files_as_often_as_foreseen() {
    let space = Fixed::<7>::default();
    let most = |room: Option<u64>| {
        let folder = tempfile::tempdir().unwrap();
        let layers = whole(&search(&space, Some(folder.path()), room));
        (layers.iter().map(|layer| layer.traffic.rows).max().unwrap(), states(&layers))
    };
    let ((without, layers), (some, same), (with, all)) =
        (most(Some(0)), most(Some(70 * bytes_of(space.words()) as u64)), most(None));
    assert!(layers == same && same == all);
    assert_eq!(with, 0);
    let foreseen = [0, 1].map(|parity| Bundles::new(&space, None).rows_read(parity, 0)).into_iter().max().unwrap();
    // A row that one thread has just read may serve another.
    assert!(without <= foreseen && without > foreseen / 2, "{without} of {foreseen}");
    assert!(some < without, "{some} and {without}");
}

/// Rows without marks have files of a head alone, and rows with few marks are lists.
#[test]
fn thin_layers_take_little_memory_and_disk() {
    let space = Fixed::<13>::default();
    let folder = tempfile::tempdir().unwrap();
    to(&search(&space, Some(folder.path()), Some(0)), Some(3));
    let bytes: u64 =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 4_940 * 1_000, "{bytes} bytes");
}
