//! Reading what a user names, never more of it than it can need: a huge file or an endless one must not hang the program.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, anyhow, bail};

/// What a file is called in messages; `-` is standard input.
#[must_use]
pub fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Whether standard input is meant.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file or of standard input, one more than `most` at the most.
///
/// # Errors
/// The system's.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_stdin(path) {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The text of a file or of standard input; `what` it should hold.
///
/// # Errors
/// A message for a file that can't be read, has more bytes than `most`, or is no UTF-8.
pub fn read_text(path: &Path, most: u64, what: &str) -> anyhow::Result<String> {
    let reading = || format!("reading {what} from {}", name(path));
    let bytes = read_bytes(path, most).with_context(reading)?;
    if bytes.len() as u64 > most {
        return Err(anyhow!("it is too large for {what}: {} MiB at most", most >> 20)).with_context(reading);
    }
    String::from_utf8(bytes)
        .map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid].split(|&byte| byte == b'\n').count();
            anyhow!("line {line}: a byte that is no text: expected UTF-8")
        })
        .with_context(reading)
}

/// Refuses a file that could not be written where it is to be, before a long search finds that out.
///
/// # Errors
/// A message for a folder that is not there or can't be written to.
pub fn ensure_writable(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!("{} is a folder: name a file in it", path.display());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let probe = tempfile::Builder::new().prefix(".gpu-solve-").tempfile_in(folder);
    probe.map(drop).with_context(|| format!("{} can't be written", path.display()))
}
