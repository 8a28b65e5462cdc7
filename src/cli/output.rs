//! Printing: results on stdout, where a closed pipe is no error; numbers as people read them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// The value of `"format"` in every JSON object.
pub const JSON_FORMAT: &str = "gpu-solve/1";

/// Writes a text to stdout as it is. A reader that has gone away is not an error.
///
/// # Errors
/// Any other failure of stdout, a full disk behind it for one.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(to_stdout),
    }
}

/// Writes a long text to stdout piece by piece. A reader that has gone away is not an error.
///
/// # Errors
/// As [`print()`].
pub fn stream(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, anstream::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is still in the buffer has no reader: dropping the writer must not try again.
            let _ = out.into_parts();
            Ok(())
        }
        outcome => outcome.map_err(to_stdout),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err hands it over so")]
fn to_stdout(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("writing to stdout: {error}"))
}

/// An error and what it came of, each told once, in bounded length: some quote what was read, which may be of any.
#[must_use]
pub fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for link in error.chain().map(ToString::to_string) {
        // Some errors of libraries and of ours name their source themselves.
        if told.is_empty() {
            told = link;
        } else if !told.ends_with(&link) {
            told = format!("{told}: {link}");
        }
    }
    shortened(&told)
}

fn shortened(message: &str) -> String {
    const MOST: usize = 4000;
    match message.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes more)", &message[..end], grouped((message.len() - end) as u128)),
        None => message.to_owned(),
    }
}

/// Prints one JSON object on a line.
///
/// # Errors
/// As [`print()`].
pub fn print_json(object: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(object)?;
    text.push('\n');
    Ok(print(&text)?)
}

/// A whole number for JSON: a number where a double holds it exactly, else a string.
#[must_use]
pub fn json_number(value: u128) -> Value {
    match u64::try_from(value) {
        Ok(small) if small <= 1 << 53 => Value::from(small),
        _ => Value::from(value.to_string()),
    }
}

/// A number with its thousands grouped: `1,307,674,368,000`.
#[must_use]
pub fn grouped(value: u128) -> String {
    grouped_digits(&value.to_string())
}

/// A number of any length with its thousands grouped.
#[must_use]
pub fn grouped_digits(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate in the words used everywhere: `213 million/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e12 => format!("{:.1} trillion/s", r / 1e12),
        r if r >= 1e9 => format!("{:.2} billion/s", r / 1e9),
        r if r >= 1e6 => format!("{:.0} million/s", r / 1e6),
        r if r >= 1e4 => format!("{:.0} thousand/s", r / 1e3),
        r => format!("{r:.0}/s"),
    }
}

/// A duration in the words used everywhere: `0.004 s`, `12.3 s`, `4 min 05 s`, `7 h 12 min`, `3 d 4 h`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, positive, and saturating")]
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..10 => format!("{seconds:.3} s"),
        10..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..86_400 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {} h", grouped(u128::from(whole / 86_400)), whole % 86_400 / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_307_674_368_000), "1,307,674,368,000");
        assert_eq!(grouped_digits(&format!("1{}", "0".repeat(60))), format!("1{}", ",000".repeat(20)));
    }

    #[test]
    fn a_number_past_what_a_double_holds_is_a_string_in_json() {
        assert_eq!(json_number(1 << 53), Value::from(9_007_199_254_740_992u64));
        assert_eq!(json_number((1 << 53) + 1), Value::from("9007199254740993"));
    }

    #[test]
    fn a_message_is_as_long_as_a_page_at_most() {
        assert_eq!(shortened("short"), "short");
        assert!(shortened(&"é".repeat(1_000_000)).len() < 9_000);
        assert!(shortened(&"é".repeat(4_001)).ends_with("… (2 bytes more)"));
    }

    #[test]
    fn what_an_error_came_of_is_told_once() {
        let error = anyhow::anyhow!("it is a folder").context("/tmp: it is a folder").context("reading a board");
        assert_eq!(told(&error), "reading a board: /tmp: it is a folder");
    }

    #[test]
    fn durations_and_rates_read_well() {
        assert_eq!(duration(0.0041), "0.004 s");
        assert_eq!(duration(245.0), "4 min 05 s");
        assert_eq!(duration(26_000.0), "7 h 13 min");
        assert_eq!(duration(300_000.0), "3 d 11 h");
        assert_eq!(rate(213.4e6), "213 million/s");
    }
}
