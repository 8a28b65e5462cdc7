use std::sync::atomic::AtomicUsize;

use super::*;
use crate::puzzles::brainball::Ball;
use crate::puzzles::brainball::packed::Space;
use crate::puzzles::brainball::ring::space::Ring;
use crate::search::frontier::build;

fn shelf<const N: usize>(space: &Ring<N>) -> Shelf {
    Shelf::new(space, None, space.rows()).unwrap()
}

fn search<S: RowSpace>(space: &S, shelf: Shelf) -> OneBit<'_, S> {
    OneBit::new(space, shelf, None, Duration::from_secs(3600)).unwrap()
}

fn whole<S: RowSpace>(search: &OneBit<S>) -> Vec<Layer> {
    assert_eq!(search.run(&AtomicBool::new(false), None, &|_| (), &|_| ()).unwrap(), Ended::Whole);
    search.layers()
}

fn states(layers: &[Layer]) -> Vec<u64> {
    layers.iter().map(|layer| layer.states).collect()
}

/// Layers by the plain rules, positions kept as they are: signed tiles from tile 1 on, in a sorted list a layer.
fn by_dictionary<const N: usize>() -> Vec<u64> {
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
                let first = turned.iter().position(|tile| tile.abs() == 1).unwrap();
                turned.rotate_left(first);
                next.push(turned);
            }
        }
        next.sort_unstable();
        next.dedup();
        // Turns go both ways and change parity, so what is not new is one layer back.
        next.retain(|ball| before.binary_search(ball).is_err());
        before = std::mem::replace(&mut frontier, next);
    }
    layers
}

#[test]
fn rings_of_7_and_9_tiles_have_the_layers_of_a_plain_search_at_every_depth() {
    let (seven, nine) = (Ring::<7>::default(), Ring::<9>::default());
    assert_eq!(states(&whole(&search(&seven, shelf(&seven)))), by_dictionary::<7>());
    let layers = states(&whole(&search(&nine, shelf(&nine))));
    assert_eq!(layers, by_dictionary::<9>());
    assert_eq!(layers.iter().sum::<u64>(), 40_320 << 8);
}

/// The layers to depth 8 by the search that keeps classes in tables; all of them make up 10!·2¹⁰ states.
#[test]
fn the_ring_of_11_tiles_has_the_layers_of_the_search_by_classes_and_is_whole() {
    let eleven = Ring::<11>::default();
    let layers = states(&whole(&search(&eleven, shelf(&eleven))));
    let classes = Space::<11, true>;
    let mut by_classes = vec![];
    build(&classes, 8, &AtomicBool::new(false), |report| by_classes.push(report.states)).unwrap();
    assert_eq!(layers[..9], by_classes);
    assert_eq!(layers.iter().sum::<u64>(), 3_628_800 << 10);
}

#[test]
fn a_search_stopped_at_any_row_goes_on_to_the_same_layers_and_checksums() {
    let space = Ring::<9>::default();
    let expected = whole(&search(&space, shelf(&space)));
    for (room, stop_every) in [(space.rows(), 60), (5, 90), (0, 130)] {
        {
            let folder = tempfile::tempdir().unwrap();
            let mut runs = 0;
            loop {
                runs += 1;
                let search = search(&space, Shelf::new(&space, Some(folder.path()), room).unwrap());
                let (stop, rows) = (AtomicBool::new(false), AtomicUsize::new(0));
                let told = |_| {
                    if rows.fetch_add(1, Ordering::Relaxed) + 1 >= stop_every {
                        stop.store(true, Ordering::Relaxed);
                        // Until the search has seen it.
                        thread::sleep(3 * GLANCE);
                    }
                };
                if search.run(&stop, None, &told, &|_| ()).unwrap() == Ended::Whole {
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
    let search = search(&space, shelf(&space));
    let layers = whole(&search);
    let last = search.last_layer().unwrap();
    assert_eq!(last.len() as u64, layers.last().unwrap().columns);
    assert_eq!(last.iter().map(|(row, _)| space.weight(*row)).sum::<u64>(), layers.last().unwrap().states);
}

#[test]
fn rows_that_do_not_belong_together_are_refused() {
    let space = Ring::<7>::default();
    let folder = tempfile::tempdir().unwrap();
    whole(&search(&space, Shelf::new(&space, Some(folder.path()), space.rows()).unwrap()));
    std::fs::remove_file(folder.path().join("row-003")).unwrap();
    let shelf = Shelf::new(&space, Some(folder.path()), space.rows()).unwrap();
    let refused = OneBit::new(&space, shelf, None, Duration::MAX).err().unwrap();
    assert!(refused.to_string().contains("do not belong together"), "{refused}");
}

#[test]
fn damaged_rows_are_refused_with_the_reason() {
    let space = Ring::<7>::default();
    let folder = tempfile::tempdir().unwrap();
    whole(&search(&space, Shelf::new(&space, Some(folder.path()), space.rows()).unwrap()));
    let path = folder.path().join("row-005");
    let bytes = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let shelf = Shelf::new(&space, Some(folder.path()), space.rows());
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
    assert!(Shelf::new(&other, Some(folder.path()), 1).err().unwrap().to_string().contains("brainball 7"));
}
