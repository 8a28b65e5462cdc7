//! Files of rows and of layers: changed at random, and with right checksums over wrong heads.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gpu_solve::puzzles::brainball::packed::RingSpace;
use gpu_solve::search::layers::{frontier, table};
use gpu_solve::search::onebit::marks::{Marks, Words, is_few};
use gpu_solve::search::onebit::row::{self, Entry, History, Place};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::{cases, inputs};

const SPACE: &str = "a space of the tests";
const ROW: usize = 3;
const WORDS: usize = 40;

/// The place of a file of these tests.
fn place(path: &Path) -> Place<'_> {
    Place { path, space: SPACE, row: ROW, words: WORDS }
}

/// A row with this many marks, and its history.
fn a_row(marks: u32) -> (Marks, History) {
    let addresses: Vec<u32> = (0..marks).collect();
    let marks = if is_few(marks.into(), WORDS) {
        Marks::Few(addresses)
    } else {
        let mut words = Words::new(WORDS).unwrap();
        words.mark(&addresses);
        Marks::Many(words)
    };
    let entry = Entry { depth: 1, columns: marks.marked(), crc: marks.checksum(WORDS), looked_at: 5, seconds: 0.5 };
    (marks, History { entries: vec![entry], latest: Some(vec![1, 2]) })
}

/// Files of rows: by addresses and by words.
fn rows() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("row");
    let file = |marks: u32| {
        let (kept, history) = a_row(marks);
        row::store(place(&path), &kept, &history).unwrap();
        let (back, read) = row::load(place(&path), true).unwrap();
        assert_eq!(back, history);
        assert_eq!(read.unwrap().0.into_words(WORDS).unwrap()[..], kept.into_words(WORDS).unwrap()[..]);
        fs::read(&path).unwrap()
    };
    vec![file(8), file(2000)]
}

/// A row's file with this head, its checksum right.
fn headed(head: &Value, rest: &[u8]) -> Vec<u8> {
    let head = head.to_string().into_bytes();
    let mut bytes = b"gpu-solve a row\n".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(u32::try_from(head.len()).unwrap().to_le_bytes());
    bytes.extend(&head);
    bytes.extend(crc32fast::hash(&head).to_le_bytes());
    bytes.extend(rest);
    bytes
}

/// A number that a head should not hold, or one that it may.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..100, select(vec![u64::MAX, u64::MAX / 2 + 1, 1 << 32, 1 << 20]), any::<u64>()]
}

fn put(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

fn read_row(bytes: &[u8]) -> Result<(History, Option<(Marks, u64)>), row::RowError> {
    let folder = tempfile::tempdir_in(scratch()).unwrap();
    let path = folder.path().join("row");
    put(&path, bytes);
    let _ = row::load(place(&path), false);
    row::load(place(&path), true)
}

/// Where files are cheap.
fn scratch() -> &'static Path {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { shared } else { Path::new(env!("CARGO_TARGET_TMPDIR")) }
}

fn layers() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.layers");
    let layers = frontier::build(&RingSpace::default(), 1, &AtomicBool::new(false), |_| {}).unwrap();
    table::store(&layers, &path).unwrap();
    fs::read(&path).unwrap()
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn a_row_is_refused_or_comes_back(bytes in inputs(&["gpu-solve a row\n", "{", "}", "\"addresses\":", "9", "null"], rows())) {
        if let Ok((history, words)) = read_row(&bytes) {
            // Times are not covered by what is compared; the marks are.
            let last = history.entries.last().map(|entry| entry.crc);
            prop_assert!(last.is_none_or(|crc| words.is_some_and(|(marks, _)| marks.checksum(WORDS) == crc)));
        }
    }

    #[test]
    fn a_row_with_a_wrong_head_is_refused_at_once(
        addresses in prop::option::of(number()), depth: u32, columns in prop::array::uniform2(number()), crc: u32, rest in prop::collection::vec(any::<u8>(), 0..400)
    ) {
        let entry = |columns| json!({ "depth": depth, "columns": columns, "crc": crc, "looked_at": 0, "seconds": 0.0 });
        let head = json!({
            "space": SPACE, "row": ROW, "words": WORDS, "addresses": addresses,
            "history": { "entries": columns.map(entry), "latest": null },
        });
        prop_assert!(read_row(&headed(&head, &rest)).is_err());
    }

    #[test]
    fn layers_are_refused_where_anything_is_changed(place: prop::sample::Index, with in 1u8..=255, cut in prop::option::of(any::<prop::sample::Index>())) {
        let whole = layers_once();
        let folder = tempfile::tempdir_in(scratch()).unwrap();
        let path = folder.path().join("ring.layers");
        let mut bytes = whole.clone();
        // Half of the changes are to the head.
        let place = if with % 2 == 0 { place.index(100) } else { place.index(bytes.len()) };
        bytes[place] ^= with;
        if let Some(cut) = cut {
            bytes.truncate(cut.index(whole.len()));
        }
        put(&path, &bytes);
        prop_assert!(table::load(&RingSpace::default(), None, &path).is_err());
    }
}

fn layers_once() -> &'static Vec<u8> {
    static LAYERS: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    LAYERS.get_or_init(layers)
}
