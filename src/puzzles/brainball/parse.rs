//! Positions as people write them.

use thiserror::Error;

use super::ball::{Ball, TILES};
use crate::excerpt::excerpt;

/// What is wrong with a written position.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum PositionError {
    #[error("the position has {found} tiles, expected {TILES}; example: {EXAMPLE}")]
    Count { found: usize },
    #[error(
        "entry {entry} of the position, \"{text}\", is not a tile: expected a number from 1 to {TILES}, with a minus or a y \
         after it when yellow; example: {EXAMPLE}"
    )]
    NotATile { entry: usize, text: String },
    #[error("entry {entry} of the position, \"{text}\", is out of range: tiles are 1 to {TILES}; example: {EXAMPLE}")]
    Range { entry: usize, text: String },
    #[error(
        "entry {entry} of the position repeats tile {tile}, which entry {first} has already; each tile occurs once"
    )]
    Twice { entry: usize, first: usize, tile: i8 },
}

const EXAMPLE: &str = "1,-5,2,3,4,6,7,8,-12,9,10,11,13";

/// Reads a position of the real toy: 13 entries apart by commas or white space, each a tile's number, yellow with a
/// minus before it (`-5`) or a `y` after it (`5y`), white bare (`5`) or with a `w` (`5w`).
///
/// # Errors
/// A [`PositionError`] that names the first wrong entry.
pub fn position(text: &str) -> Result<Ball, PositionError> {
    let entries: Vec<&str> = split(text).collect();
    let mut tiles: Vec<i8> = Vec::with_capacity(TILES);
    for (k, text) in entries.iter().enumerate() {
        let entry = k + 1;
        let tile = tile(entry, text)?;
        if let Some(first) = tiles.iter().position(|other| other.abs() == tile.abs()) {
            return Err(PositionError::Twice { entry, first: first + 1, tile: tile.abs() });
        }
        tiles.push(tile);
    }
    Ball::from_tiles(&tiles).filter(|ball| ball.size() == TILES).ok_or(PositionError::Count { found: entries.len() })
}

/// The entries of a list apart by commas (each with white space round it) or white space. An empty entry between two
/// commas stays, so that it can be told of.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    text.split(',').flat_map(move |part| {
        let mut words: Vec<&str> = part.split_whitespace().collect();
        if words.is_empty() && !text.is_empty() {
            words.push("");
        }
        words
    })
}

fn tile(entry: usize, text: &str) -> Result<i8, PositionError> {
    let not_a_tile = || PositionError::NotATile { entry, text: excerpt(text) };
    let (digits, minus) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (rest, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let (digits, colour) = match digits.strip_suffix(['w', 'W']) {
        Some(rest) => (rest, Some(false)),
        None => digits.strip_suffix(['y', 'Y']).map_or((digits, None), |rest| (rest, Some(true))),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || (minus && colour == Some(false)) {
        return Err(not_a_tile());
    }
    let number = digits.parse::<i8>().ok().filter(|n| (1..=13).contains(n));
    let number = number.ok_or_else(|| PositionError::Range { entry, text: excerpt(text) })?;
    Ok(if minus || colour == Some(true) { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_written_forms_give_one_position() {
        let expected = position("1,-5,2,3,4,6,7,8,-12,9,10,11,13").unwrap();
        for text in [
            "1 -5 2 3 4 6 7 8 -12 9 10 11 13",
            " 1, -5, 2, 3, 4, 6, 7, 8, -12, 9, 10, 11, 13\n",
            "1w 5y 2w 3w 4w 6w 7w 8w 12y 9w 10w 11w 13w",
            "+1,5Y,2,3,4,6,7,8,\u{2212}12,9,10,11,13",
        ] {
            assert_eq!(position(text).unwrap(), expected, "{text}");
        }
        assert_eq!(expected.to_string(), "1,-5,2,3,4,6,7,8,-12,9,10,11,13");
    }

    #[test]
    fn each_wrong_entry_is_named() {
        use PositionError as E;
        assert_eq!(position("1,2,3"), Err(E::Count { found: 3 }));
        assert_eq!(position(""), Err(E::Count { found: 0 }));
        assert_eq!(position("1,2,14,3"), Err(E::Range { entry: 3, text: "14".into() }));
        assert_eq!(position("0,2"), Err(E::Range { entry: 1, text: "0".into() }));
        assert_eq!(position("1,2,999999999999"), Err(E::Range { entry: 3, text: "999999999999".into() }));
        assert_eq!(position("1,2,-1"), Err(E::Twice { entry: 3, first: 1, tile: 1 }));
        assert_eq!(position("1,x"), Err(E::NotATile { entry: 2, text: "x".into() }));
        assert_eq!(position("1,,2"), Err(E::NotATile { entry: 2, text: String::new() }));
        assert_eq!(position("1,--2"), Err(E::NotATile { entry: 2, text: "--2".into() }));
        assert_eq!(position("-1w"), Err(E::NotATile { entry: 1, text: "-1w".into() }));
        assert_eq!(position("1 2 3 4 5 6 7 8 9 10 11 12 13 13"), Err(E::Twice { entry: 14, first: 13, tile: 13 }));
    }
}
