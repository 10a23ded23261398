//! The caches that are being written, for a process that must end at once.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The caches that some thread is writing. Another thread may give them up before it ends the process; then none is begun any more.
#[derive(Debug, Default)]
pub struct UnfinishedCaches(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The temporary files that were begun.
    begun: Vec<PathBuf>,
    is_given_up: bool,
}

impl UnfinishedCaches {
    /// Removes every cache that is not whole yet.
    pub fn give_up(&self) {
        let mut state = self.state();
        state.is_given_up = true;
        for file in state.begun.drain(..) {
            let _ = fs::remove_file(file); // if it has just become whole, it has another name
        }
    }

    /// Creates the temporary file of a cache, which must not be there.
    pub(super) fn begin(&self, staged: &Path) -> io::Result<File> {
        let mut state = self.state();
        if state.is_given_up {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let file = File::create_new(staged)?;
        state.begun.push(staged.to_path_buf());
        Ok(file)
    }

    /// Notes that a cache is whole, or was removed.
    pub(super) fn end(&self, staged: &Path) {
        self.state().begun.retain(|begun| begun != staged);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_that_were_given_up_are_removed_and_none_is_begun_after_that() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second, whole, ended] = ["first", "second", "whole", "ended"].map(|name| folder.path().join(name));
        let unfinished = UnfinishedCaches::default();
        for file in [&first, &second, &ended] {
            unfinished.begin(file).expect("nothing was given up");
        }
        unfinished.end(&ended);
        assert!(unfinished.begin(&first).is_err(), "another thread writes it");
        fs::rename(&second, &whole).expect("it is renamed");
        unfinished.give_up();
        assert!(unfinished.begin(&first).is_err());
        assert_eq!([&first, &second, &whole, &ended].map(|path| path.exists()), [false, false, true, true]);
    }
}
