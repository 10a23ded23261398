//! One writer per staging folder: an OS lock, which a process cannot leave behind when it dies.

use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The locked file in the folder.
pub const LOCK_NAME: &str = "lock";

/// A folder that no other process uses. Dropping it removes the folder, unless something is left in it.
#[derive(Debug)]
pub struct LockedFolder {
    folder: PathBuf,
    lock: PathBuf,
    /// Held, not read: closing it releases the lock.
    _file: File,
}

impl LockedFolder {
    /// Creates the folder, or takes over the folder of a process that has ended; `None` if the process that holds it still runs.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub fn acquire(folder: &Path) -> Result<Option<Self>> {
        let lock = folder.join(LOCK_NAME);
        // Another process may remove the folder between any two of these lines; then we start again.
        for _ in 0..100 {
            fs::create_dir(folder).or_else(|e| if e.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(e) })?;
            let file = match File::options().write(true).create(true).truncate(false).open(&lock) {
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                opened => opened?,
            };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Some cluster file systems have no locks. There the user must not start two runs into one folder.
                Err(TryLockError::Error(e)) if e.kind() != ErrorKind::Unsupported => return Err(e),
                _ => {}
            }
            if is_at(&file, &lock) {
                return Ok(Some(Self { folder: folder.to_path_buf(), lock, _file: file }));
            }
        }
        Err(Error::other(format!("{} comes and goes", folder.display())))
    }

    /// Whether a process holds the folder. Asking takes the lock for a moment, so one who acquires it should try more than once.
    pub fn is_held(folder: &Path) -> bool {
        File::open(folder.join(LOCK_NAME)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for LockedFolder {
    /// Removes the file while the lock is still held, and the folder if it is empty. A process that waits for either starts again.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.lock);
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Whether the open file is still the one at the path: the lock of a removed file protects nothing.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(held), Ok(found)) if held == found)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tempfile::tempdir;

    #[test]
    fn a_folder_has_one_holder_and_vanishes_with_it() {
        let parent = tempdir().expect("a folder");
        let folder = parent.path().join("staging");
        let held = LockedFolder::acquire(&folder).expect("it is made").expect("it is free");
        assert!(LockedFolder::acquire(&folder).expect("it is there").is_none() && LockedFolder::is_held(&folder));
        drop(held);
        assert!(!folder.exists() && !LockedFolder::is_held(&folder));
        assert!(LockedFolder::acquire(&folder).expect("it is made").is_some());
    }

    #[test]
    fn what_a_dead_process_left_is_taken_over() {
        let parent = tempdir().expect("a folder");
        let folder = parent.path().join("staging");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("lock"), "").expect("a file");
        assert!(!LockedFolder::is_held(&folder));
        assert!(LockedFolder::acquire(&folder).expect("it is there").is_some());
    }

    #[test]
    fn many_at_once_never_hold_it_together() {
        let parent = tempdir().expect("a folder");
        let folder = parent.path().join("staging");
        let (holders, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let compete = || {
            for _ in 0..500 {
                if let Some(held) = LockedFolder::acquire(&folder).expect("it can be tried") {
                    assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                    times.fetch_add(1, Ordering::SeqCst);
                    holders.fetch_sub(1, Ordering::SeqCst);
                    drop(held);
                }
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(compete))));
        assert!(times.into_inner() > 0 && !folder.exists());
    }
}
