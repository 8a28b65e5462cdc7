//! Fuzzing of every parser: nothing that is read makes it panic, and what it takes comes back from its own printing.
//!
//! A short run is part of the tests; `PROPTEST_CASES=1000000 cargo test --test it -- fuzz::` takes a million inputs for each
//! parser (a tenth for records past their checksum, a thousandth for files), overflow checks on.

mod files;
mod texts;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed};

/// Cases: as many as `PROPTEST_CASES` says, over so many, by a seed from the system; without it a few, always the same.
fn cases(over: u32) -> Config {
    let config = Config { source_file: Some(file!()), ..Config::default() };
    let chosen = std::env::var_os("PROPTEST_CASES").is_some();
    let rng_seed = if chosen { config.rng_seed } else { RngSeed::Fixed(0x5eed) };
    Config { cases: (config.cases / over).max(16), rng_seed, ..config }
}

/// What is done to a valid example.
#[derive(Clone, Debug)]
enum Change {
    /// A bit of a byte is flipped.
    Flip(Index, u8),
    /// A byte is put in.
    Insert(Index, u8),
    /// What follows is cut off.
    Cut(Index),
    /// A stretch is left out.
    Drop(Index, usize),
    /// A stretch stands twice.
    Double(Index, usize),
    /// What follows is that of another example.
    Splice(Index, Index),
    /// A piece of the format's alphabet is put in.
    Word(Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        3 => (at(), 0u8..8).prop_map(|(place, bit)| Change::Flip(place, bit)),
        2 => (at(), any::<u8>()).prop_map(|(place, byte)| Change::Insert(place, byte)),
        1 => at().prop_map(Change::Cut),
        2 => (at(), 1usize..9).prop_map(|(place, length)| Change::Drop(place, length)),
        2 => (at(), 1usize..40).prop_map(|(place, length)| Change::Double(place, length)),
        1 => (at(), at()).prop_map(|(place, other)| Change::Splice(place, other)),
        4 => (at(), at()).prop_map(|(place, word)| Change::Word(place, word)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change], examples: &[&[u8]], words: &[&str]) -> Vec<u8> {
    for change in changes {
        let place = |index: &Index| index.index(bytes.len() + 1);
        let stretch = |index: &Index, length: usize| {
            let start = place(index);
            start..bytes.len().min(start + length)
        };
        match change {
            Change::Flip(index, bit) if !bytes.is_empty() => {
                let place = index.index(bytes.len());
                bytes[place] ^= 1 << bit;
            }
            Change::Flip(..) => {}
            Change::Insert(index, byte) => {
                let place = place(index);
                bytes.insert(place, *byte);
            }
            Change::Cut(index) => {
                let place = place(index);
                bytes.truncate(place);
            }
            Change::Drop(index, length) => {
                let stretch = stretch(index, *length);
                bytes.drain(stretch);
            }
            Change::Double(index, length) => {
                let stretch = stretch(index, *length);
                let twice = bytes[stretch.clone()].to_vec();
                bytes.splice(stretch.end..stretch.end, twice);
            }
            Change::Splice(index, other) => {
                let place = place(index);
                bytes.truncate(place);
                let other = examples[other.index(examples.len())];
                bytes.extend(&other[place.min(other.len())..]);
            }
            Change::Word(index, word) => {
                let place = place(index);
                bytes.splice(place..place, words[word.index(words.len())].bytes());
            }
        }
    }
    bytes
}

/// Random bytes, random text, strings over a format's alphabet (`words`), and valid examples with changes.
fn inputs(words: &'static [&'static str], examples: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    assert!(!examples.is_empty() && !words.is_empty());
    let changes = prop::collection::vec(change(), 0..6);
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..60),
        1 => prop::collection::vec(any::<char>(), 0..30).prop_map(|text| String::from_iter(text).into_bytes()),
        3 => prop::collection::vec(select(words), 0..40).prop_map(|words| words.concat().into_bytes()),
        5 => (any::<Index>(), changes).prop_map(move |(which, changes)| {
            let examples: Vec<&[u8]> = examples.iter().map(Vec::as_slice).collect();
            changed(which.get(&examples).to_vec(), &changes, &examples, words)
        }),
    ]
}

/// The same as text, what is none replaced.
fn texts(words: &'static [&'static str], examples: &[&str]) -> impl Strategy<Value = String> {
    let examples = examples.iter().map(|example| example.as_bytes().to_vec()).collect();
    inputs(words, examples).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
