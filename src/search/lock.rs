//! One run at a time on what a search keeps: a lock that the system drops when its process ends, however it ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
    shared: bool,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error(
        "{} is in use by another run; wait until that has ended, or name another file or folder, as in --checkpoint other",
        kept.display()
    )]
    InUse {
        /// What is locked.
        kept: PathBuf,
    },
    /// The lock's file cannot be made or locked.
    #[error("{}: {source}", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
}

impl Lock {
    /// On a file, by one beside it: `FILE.lock`.
    ///
    /// # Errors
    /// [`LockError::InUse`] at once when another run has it.
    pub fn beside(kept: &Path) -> Result<Self, LockError> {
        let mut name = kept.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        Self::take(kept, kept.with_file_name(name), false)
    }

    /// On a folder, which is made where it is not there. Shared: beside others that share it.
    ///
    /// # Errors
    /// [`LockError::InUse`] at once when another run has it.
    pub fn folder(kept: &Path, shared: bool) -> Result<Self, LockError> {
        fs::create_dir_all(kept).map_err(|source| LockError::Io { path: kept.to_owned(), source })?;
        Self::take(kept, kept.join("lock"), shared)
    }

    /// On a part of a folder that is there.
    ///
    /// # Errors
    /// [`LockError::InUse`] at once when another run has it.
    pub fn part(kept: &Path, part: &str) -> Result<Self, LockError> {
        Self::take(&kept.join(part), kept.join(format!("{part}.lock")), false)
    }

    fn take(kept: &Path, path: PathBuf, shared: bool) -> Result<Self, LockError> {
        let at = |source| LockError::Io { path: path.clone(), source };
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(at)?;
            match if shared { file.try_lock_shared() } else { file.try_lock() } {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::InUse { kept: kept.to_owned() }),
                // A file system without locks keeps nobody out, and nobody from working.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(at(error)),
            }
            // The run that ended meanwhile may have removed this very file: then nobody else would meet this lock.
            if is_at(&file, &path) {
                return Ok(Self { path, file, shared });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is locked, so that whoever opened it before finds it gone. Others may yet share a shared one.
        if cfg!(unix) && !self.shared {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(held), Ok(named)) if held == named)
}

/// Elsewhere a lock's file is never removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_lock_on_a_file_is_refused_until_the_first_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("run.json");
        let first = Lock::beside(&kept).unwrap();
        let refused = Lock::beside(&kept).unwrap_err().to_string();
        assert!(refused.contains("run.json is in use by another run"), "{refused}");
        drop(Lock::beside(&folder.path().join("other.json")).unwrap());
        drop(first);
        drop(Lock::beside(&kept).unwrap());
        assert!(!cfg!(unix) || fs::read_dir(folder.path()).unwrap().next().is_none(), "a lock's file is left");
    }

    #[test]
    fn parts_share_a_folder_that_nobody_else_gets() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("rows");
        let shared = [Lock::folder(&kept, true).unwrap(), Lock::folder(&kept, true).unwrap()];
        let part = Lock::part(&kept, "shard-1-of-2").unwrap();
        assert!(Lock::part(&kept, "shard-1-of-2").is_err() && Lock::part(&kept, "shard-2-of-2").is_ok());
        assert!(Lock::folder(&kept, false).is_err());
        drop((shared, part));
        let alone = Lock::folder(&kept, false).unwrap();
        assert!(Lock::folder(&kept, true).is_err());
        drop(alone);
    }

    #[test]
    fn a_lock_file_left_by_a_killed_run_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json.lock"), "").unwrap();
        assert!(Lock::beside(&folder.path().join("run.json")).is_ok());
        assert!(Lock::beside(&folder.path().join("no/such/folder.json")).is_err());
    }
}
