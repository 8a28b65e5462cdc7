//! Layers kept in a file, so that they are built once.
//!
//! The file, all numbers little-endian: 16 bytes `gpu-solve layers`; the format's version (u32); the space's name (u32
//! length, UTF-8); the number of layers (u32); for each its lines a bucket (u32), classes, states and digest (u64 each);
//! the tables' words, layer by layer; and the CRC-32 of all before it. It is written under a temporary name in the same
//! folder, synced and renamed, so that no reader ever meets half a table.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crc32fast::Hasher;
use thiserror::Error;

use super::closed::{Layer, Line};
use super::frontier::{self, FrontierError, LayerReport, Layers};
use crate::puzzles::compact::{LINE, Mixer};
use crate::puzzles::layered::Layered;

const MAGIC: &[u8; 16] = b"gpu-solve layers";
/// Rises with every change of the format, the mixing of keys or the keys themselves.
const VERSION: u32 = 1;
/// Lines read or written at a time.
const CHUNK: usize = 1024;
/// How the names of files begin that are being written.
const UNFINISHED: &str = ".layers";

/// Why a table file is refused.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant's message says it")]
pub enum TableError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a table of layers", path.display())]
    NotATable { path: PathBuf },
    #[error("{} is a table of format {found}; this program reads format {VERSION}", path.display())]
    Version { path: PathBuf, found: u32 },
    #[error("{} holds layers of \"{found}\", wanted are those of \"{wanted}\"", path.display())]
    Space { path: PathBuf, found: String, wanted: String },
    #[error("{} holds layers to depth {found}, wanted is depth {wanted}", path.display())]
    Depth { path: PathBuf, found: u32, wanted: u32 },
    #[error("{} is cut short", path.display())]
    CutShort { path: PathBuf },
    #[error("{} is damaged: its checksum does not fit", path.display())]
    Checksum { path: PathBuf },
}

/// Writes and hashes.
struct Summed<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..read]);
        Ok(read)
    }
}

/// Removes the files of writers that were killed: a living one holds a lock on its file. What can't be removed stays.
fn remove_unfinished(folder: &Path) {
    let is_unfinished = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(UNFINISHED);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(is_unfinished) {
        if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes layers to a file, whole or not at all; makes the folder when there is none.
///
/// # Errors
/// [`TableError::Io`].
pub fn store(layers: &Layers, path: &Path) -> Result<(), TableError> {
    let at = |source: io::Error| TableError::Io { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(at)?;
    remove_unfinished(folder);
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(at)?;
    // Where there are no locks the file may be taken for a killed writer's: then it is not written, which is told.
    let _ = file.as_file().lock();
    write(layers, file.as_file_mut()).map_err(at)?;
    file.as_file().sync_all().map_err(at)?;
    file.persist(path).map_err(|fault| at(fault.error))?;
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "names and layers are few")]
fn write(layers: &Layers, file: &mut File) -> io::Result<()> {
    let mut out = Summed { inner: file, hasher: Hasher::new() };
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend((layers.name.len() as u32).to_le_bytes());
    head.extend(layers.name.as_bytes());
    head.extend((layers.layers.len() as u32).to_le_bytes());
    for layer in &layers.layers {
        head.extend(layer.lines().to_le_bytes());
        for number in [layer.classes(), layer.states(), layer.digest()] {
            head.extend(number.to_le_bytes());
        }
    }
    out.write_all(&head)?;
    let mut bytes = Vec::with_capacity(CHUNK * LINE * 4);
    for lines in layers.layers.iter().flat_map(|layer| layer.table().chunks(CHUNK)) {
        bytes.clear();
        bytes.extend(lines.iter().flat_map(|line| line.0).flat_map(u32::to_le_bytes));
        out.write_all(&bytes)?;
    }
    let sum = out.hasher.clone().finalize();
    out.write_all(&sum.to_le_bytes())
}

/// Reads the layers of a space from a file; `depth`, where given, must be the file's.
///
/// # Errors
/// A [`TableError`] that says why the file is refused.
pub fn load<S: Layered>(space: &S, depth: Option<u32>, path: &Path) -> Result<Layers, TableError> {
    let file = File::open(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
    let length = file.metadata().map_err(|source| TableError::Io { path: path.to_owned(), source })?.len();
    let input = Summed { inner: BufReader::with_capacity(1 << 20, file), hasher: Hasher::new() };
    Reader { input, path, length }.layers(space, depth)
}

struct Reader<'a> {
    input: Summed<BufReader<File>>,
    path: &'a Path,
    length: u64,
}

impl Reader<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), TableError> {
        let path = || self.path.to_owned();
        self.input.read_exact(bytes).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => TableError::CutShort { path: path() },
            _ => TableError::Io { path: path(), source },
        })
    }

    fn word(&mut self) -> Result<u32, TableError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn number(&mut self) -> Result<u64, TableError> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn layers<S: Layered>(mut self, space: &S, depth: Option<u32>) -> Result<Layers, TableError> {
        let path = || self.path.to_owned();
        let (not_a_table, cut_short) = (TableError::NotATable { path: path() }, TableError::CutShort { path: path() });
        let mut magic = [0; MAGIC.len()];
        if self.fill(&mut magic).is_err() || &magic != MAGIC {
            return Err(not_a_table);
        }
        let found = self.word()?;
        if found != VERSION {
            return Err(TableError::Version { path: self.path.to_owned(), found });
        }
        let length = self.word()?;
        if length > 1000 {
            return Err(not_a_table);
        }
        let mut name = vec![0; length as usize];
        self.fill(&mut name)?;
        let (found, wanted) = (String::from_utf8_lossy(&name).into_owned(), space.name());
        if found != wanted {
            return Err(TableError::Space { path: self.path.to_owned(), found, wanted });
        }
        let count = self.word()?;
        if let Some(wanted) = depth.filter(|depth| depth + 1 != count) {
            return Err(TableError::Depth { path: self.path.to_owned(), found: count.saturating_sub(1), wanted });
        }
        if count == 0 || count > 1000 {
            return Err(not_a_table);
        }
        let mut heads = Vec::new();
        for _ in 0..count {
            heads.push((self.word()?, self.number()?, self.number()?, self.number()?));
        }
        let mixer = Mixer::new(space.key_bits());
        let lines: u64 = heads.iter().map(|head| u64::from(head.0) * u64::from(mixer.buckets())).sum();
        let head = MAGIC.len() as u64 + 12 + u64::from(length) + 28 * u64::from(count);
        // Before anything is allocated: a file's head must not promise more than the file holds.
        if self.length != head + lines * (4 * LINE as u64) + 4 {
            return Err(cut_short);
        }
        let mut layers = Vec::new();
        for (lines, classes, states, digest) in heads {
            let table = self.table(mixer.buckets() as usize * lines as usize)?;
            let layer = Layer::from_parts(mixer, lines, table, classes, states, digest);
            layers.push(layer.ok_or_else(|| TableError::NotATable { path: self.path.to_owned() })?);
        }
        let sum = self.input.hasher.clone().finalize();
        if self.word()? != sum {
            return Err(TableError::Checksum { path: self.path.to_owned() });
        }
        Ok(Layers { name: wanted, layers })
    }

    fn table(&mut self, lines: usize) -> Result<Vec<Line>, TableError> {
        let mut table = Vec::with_capacity(lines);
        let mut bytes = vec![0; CHUNK * LINE * 4];
        while table.len() < lines {
            let size = (lines - table.len()).min(CHUNK);
            let bytes = &mut bytes[..size * LINE * 4];
            self.fill(bytes)?;
            table.extend(bytes.chunks_exact(LINE * 4).map(|line| {
                let mut words = [0; LINE];
                for (word, bytes) in words.iter_mut().zip(line.as_chunks::<4>().0) {
                    *word = u32::from_le_bytes(*bytes);
                }
                Line(words)
            }));
        }
        Ok(table)
    }
}

/// Where layers came from.
#[derive(Debug)]
pub enum Origin {
    /// Read from the file.
    File,
    /// Built, there being no file, and kept in it if it has one.
    Built,
    /// Built because the file was refused, and put in its place.
    Rebuilt(TableError),
}

/// Whether there is no such file, its folder being none for one thing.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Layers from the file, or built (telling of each layer) and stored there. A file refused is said in the origin, one
/// that could not be written in the third part: the layers stand without it.
///
/// # Errors
/// A [`FrontierError`] where layers had to be built and could not.
pub fn obtain<S: Layered>(
    space: &S,
    depth: Option<u32>,
    default_depth: u32,
    path: Option<&Path>,
    stop: &AtomicBool,
    told: impl FnMut(&LayerReport),
) -> Result<(Layers, Origin, Option<TableError>), FrontierError> {
    let origin = match path.map(|path| load(space, depth, path)) {
        Some(Ok(layers)) => return Ok((layers, Origin::File, None)),
        Some(Err(TableError::Io { source, .. })) if is_absent(&source) => Origin::Built,
        Some(Err(fault)) => Origin::Rebuilt(fault),
        None => Origin::Built,
    };
    let layers = frontier::build(space, depth.unwrap_or(default_depth), stop, told)?;
    // A file that never was a table is somebody's: it is not overwritten. An empty one is nobody's.
    let unwritten = match (path, &origin) {
        (Some(path), Origin::Rebuilt(TableError::NotATable { .. })) if !is_empty(path) => {
            Some(TableError::NotATable { path: path.to_owned() })
        }
        (path, _) => path.and_then(|path| store(&layers, path).err()),
    };
    Ok((layers, origin, unwritten))
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.len() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::brainball::packed::{FixedSpace, RingSpace};

    fn small() -> Layers {
        frontier::build(&RingSpace::default(), 4, &AtomicBool::new(false), |_| {}).unwrap()
    }

    #[test]
    fn layers_come_back_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/ring.layers");
        let layers = small();
        store(&layers, &path).unwrap();
        let back = load(&RingSpace::default(), Some(4), &path).unwrap();
        for (one, other) in layers.layers.iter().zip(&back.layers) {
            assert_eq!((one.classes(), one.states(), one.digest()), (other.classes(), other.states(), other.digest()));
            let keys = |layer: &Layer| layer.keys(0..layer.table().len()).collect::<Vec<_>>();
            assert_eq!(keys(one), keys(other));
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_what_another_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let [left, written, other] = [".layersAbCdEf", ".layersGhIjKl", "mine"].map(|name| folder.path().join(name));
        for path in [&left, &written, &other] {
            fs::write(path, "half").unwrap();
        }
        let writer = File::open(&written).unwrap();
        writer.lock().unwrap();
        store(&small(), &folder.path().join("ring.layers")).unwrap();
        assert!(!left.exists() && written.exists() && other.exists());
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_with_the_reason_and_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ring.layers");
        store(&small(), &path).unwrap();
        let whole = fs::read(&path).unwrap();
        let space = RingSpace::default();
        let refused = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            load(&space, Some(4), &path).err().unwrap()
        };
        assert!(matches!(refused(&whole[..whole.len() - 1]), TableError::CutShort { .. }));
        assert!(matches!(refused(&whole[..60]), TableError::CutShort { .. }));
        assert!(matches!(refused(b"hello"), TableError::NotATable { .. }));
        let with = |at: usize, to: u8| {
            let mut bytes = whole.clone();
            bytes[at] = to;
            bytes
        };
        assert!(matches!(refused(&with(16, 99)), TableError::Version { found: 99, .. }));
        assert!(matches!(refused(&with(whole.len() / 2, 1)), TableError::Checksum { .. }));
        fs::write(&path, &whole).unwrap();
        assert!(matches!(load(&FixedSpace::default(), None, &path), Err(TableError::Space { .. })));
        assert!(matches!(load(&space, Some(5), &path), Err(TableError::Depth { found: 4, wanted: 5, .. })));
        assert_eq!(load(&space, None, &path).unwrap().depth(), 4);

        fs::write(&path, &whole[..1000]).unwrap();
        let stop = AtomicBool::new(false);
        let (layers, origin, unwritten) = obtain(&space, Some(4), 8, Some(&path), &stop, |_| {}).unwrap();
        assert!(matches!(origin, Origin::Rebuilt(TableError::CutShort { .. })));
        assert!(unwritten.is_none());
        assert_eq!(layers.depth(), 4);
        let (_, origin, _) = obtain(&space, Some(4), 8, Some(&path), &stop, |_| {}).unwrap();
        assert!(matches!(origin, Origin::File));

        fs::write(&path, "a letter to a friend").unwrap();
        let (_, origin, unwritten) = obtain(&space, Some(4), 8, Some(&path), &stop, |_| {}).unwrap();
        assert!(matches!((origin, unwritten), (Origin::Rebuilt(_), Some(TableError::NotATable { .. }))));
        assert_eq!(fs::read(&path).unwrap(), b"a letter to a friend");
        fs::write(&path, "").unwrap();
        let (_, _, unwritten) = obtain(&space, Some(4), 8, Some(&path), &stop, |_| {}).unwrap();
        assert!(unwritten.is_none() && load(&space, Some(4), &path).is_ok());
    }
}
