//! Values that several commands read from the command line.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

/// A range of indices `A..B`, either end left out for the space's own; digits may be grouped by `_` or `,`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    start: Option<u128>,
    end: Option<u128>,
}

impl IndexRange {
    /// The range within a space of this size.
    ///
    /// # Errors
    /// A message for a range that is turned round or leaves the space.
    pub fn within(self, size: u128) -> Result<Range<u128>, String> {
        let start = self.start.unwrap_or(0);
        let end = self.end.unwrap_or(size);
        if start > end {
            return Err(format!(
                "--range {start}..{end} is turned round: its start lies past its end; {end}..{start} is meant?"
            ));
        }
        if end > size {
            return Err(format!("--range {start}..{end} leaves the index space, which is 0..{size}"));
        }
        Ok(start..end)
    }
}

/// Parses `A..B`, `A..`, `..B`.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn index_range(text: &str) -> Result<IndexRange, String> {
    let Some((start, end)) = text.split_once("..") else {
        return Err("expected A..B, as in 0..1000000 (B itself is not searched)".to_owned());
    };
    let number = |which: &str, digits: &str| -> Result<Option<u128>, String> {
        let plain = digits.trim().replace(['_', ','], "");
        if plain.is_empty() {
            return Ok(None);
        }
        let parsed = plain.parse().map(Some);
        parsed.map_err(|_| {
            format!("its {which} {digits:?} is not a whole number from 0 to 2^128 - 1; expected A..B, as in 0..1000000")
        })
    };
    Ok(IndexRange { start: number("start", start)?, end: number("end", end)? })
}

/// One of so many parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1 on.
    pub number: u64,
    /// Of how many.
    pub shards: u64,
}

/// Parses `I/N`.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(number, shards)| Some((number.parse().ok()?, shards.parse().ok()?)));
    match parts {
        Some((number, shards)) if (1..=shards).contains(&number) => Ok(Shard { number, shards }),
        Some((number, shards)) => {
            Err(format!("there is no part {number} of {shards}: expected I/N with I from 1 to N, as in 3/8"))
        }
        None => Err("expected I/N with I from 1 to N, as in 3/8".to_owned()),
    }
}

/// Parses a number of threads.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= 1024);
    number.ok_or_else(|| format!("{text:?} is no number of threads: expected 1 to 1024, as in 8"))
}

/// Parses a time in seconds.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    parsed.ok_or_else(|| format!("{text:?} is no time: expected seconds, as in 90 or 0.5"))
}

/// Parses a size in bytes: `4GiB`, `500MB`, `1.5G` (powers of 1024 with an `i` or a letter alone, of 1000 with `B`).
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn byte_size(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text, "4GiB")?;
    let scale = match unit.to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "kb" => 1e3,
        "m" | "mib" => 1024f64.powi(2),
        "mb" => 1e6,
        "g" | "gib" => 1024f64.powi(3),
        "gb" => 1e9,
        "t" | "tib" => 1024f64.powi(4),
        "tb" => 1e12,
        other => return Err(format!("{other:?} is no unit of memory; expected B, KiB, MiB, GiB or TiB, as in 4GiB")),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and saturating")]
    Ok((number * scale) as u64)
}

/// Parses a span of time: `90s`, `20min`, `1.5h`, `2d`; seconds without a unit.
///
/// # Errors
/// A message that says what is wrong and gives an example.
pub fn time_span(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text, "20min")?;
    let scale = match unit.to_lowercase().as_str() {
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        other => return Err(format!("{other:?} is no unit of time; expected s, min, h or d, as in 20min")),
    };
    Duration::try_from_secs_f64(number * scale)
        .map_err(|_| "longer than any run; expected less, as in 20min".to_owned())
}

fn number_and_unit<'a>(text: &'a str, example: &str) -> Result<(f64, &'a str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.parse().map_err(|_| format!("expected a number and a unit, as in {example}"))?;
    Ok((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read_with_their_units_and_others_refused() {
        assert_eq!(byte_size("4GiB"), Ok(4 << 30));
        assert_eq!(byte_size("1.5 g"), Ok(3 << 29));
        assert_eq!(byte_size("500MB"), Ok(500_000_000));
        assert!(byte_size("4 parsecs").unwrap_err().contains("4GiB"));
        assert!(byte_size("much").unwrap_err().contains("4GiB"));
        assert_eq!(time_span("90"), Ok(Duration::from_secs(90)));
        assert_eq!(time_span("1.5h"), Ok(Duration::from_secs(5400)));
        assert!(time_span("-3s").unwrap_err().contains("20min"));
        assert!(time_span("3 moons").unwrap_err().contains("moons"));
    }

    #[test]
    fn either_end_may_be_left_out_and_digits_grouped() {
        assert_eq!(index_range("5..1_000").unwrap().within(2_000), Ok(5..1_000));
        assert_eq!(index_range("5..").unwrap().within(2_000), Ok(5..2_000));
        assert_eq!(index_range("..1,000").unwrap().within(2_000), Ok(0..1_000));
    }

    #[test]
    fn a_range_turned_round_or_outside_or_of_words_is_refused_with_its_place() {
        assert!(index_range("9..3").unwrap().within(10).unwrap_err().contains("turned round"));
        assert!(index_range("0..11").unwrap().within(10).unwrap_err().contains("0..10"));
        assert!(index_range("7").unwrap_err().contains("A..B"));
        assert!(index_range("0..ten").unwrap_err().contains("\"ten\""));
        assert!(index_range("-1..5").unwrap_err().contains("start"));
    }

    #[test]
    fn a_part_is_one_of_so_many() {
        assert_eq!(shard("3/8"), Ok(Shard { number: 3, shards: 8 }));
        for wrong in ["0/8", "9/8", "0/0", "3", "3/", "a/b", "-1/8"] {
            assert!(shard(wrong).unwrap_err().contains("3/8"), "{wrong}");
        }
    }

    #[test]
    fn seconds_are_a_number_that_is_a_time() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["-1", "soon", "", "inf", "NaN"] {
            assert!(seconds(wrong).unwrap_err().contains("90"), "{wrong}");
        }
    }
}
