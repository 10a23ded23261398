//! Stops a job from outside, so that it leaves nothing behind.

use crate::error::{Error, Result};
use crate::results::{Leftovers, Staging};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stop flag that a job shares with another thread, such as that of a signal handler.
#[derive(Debug, Default)]
pub struct Interrupt {
    stop: AtomicBool,
    /// Whether a simulation that looks at `stop` is going on.
    is_simulating: AtomicBool,
    /// Locked while results are claimed or published, so that neither is interrupted half way.
    remains: Mutex<Remains>,
}

/// The files that must be removed if the process ends at once.
#[derive(Debug, Default)]
struct Remains {
    files: Vec<PathBuf>,
    unpublished: Option<Leftovers>,
    is_published: bool,
}

impl Interrupt {
    /// Asks the job to stop, and returns whether this was the first time.
    pub fn stop(&self) -> bool {
        !self.stop.swap(true, Ordering::SeqCst)
    }

    /// Whether the job is simulating. If so, it ends by itself soon after [`Interrupt::stop`].
    pub fn is_simulating(&self) -> bool {
        self.is_simulating.load(Ordering::SeqCst)
    }

    /// Whether the results are in place.
    pub fn is_published(&self) -> bool {
        self.remains().is_published
    }

    /// Removes the files of an unfinished job, for a process that will not wait until the job ends. It first waits for a claim or a
    /// publication that is under way, and returns whether results were published.
    pub fn remove_unfinished(&self) -> bool {
        self.stop.store(true, Ordering::SeqCst);
        let remains = self.remains();
        for file in &remains.files {
            let _ = fs::remove_file(file); // most were never begun
        }
        if let Some(leftovers) = &remains.unpublished {
            leftovers.remove();
        }
        remains.is_published
    }

    /// Registers files that are about to be written and are useless unless they are finished.
    pub fn will_write(&self, files: Vec<PathBuf>) {
        self.remains().files = files;
    }

    pub(super) fn claim(&self, claim: impl FnOnce() -> Result<Staging>) -> Result<Staging> {
        let mut remains = self.remains();
        self.check()?;
        let staging = claim()?;
        *remains = Remains { unpublished: Some(staging.leftovers()), ..Remains::default() };
        Ok(staging)
    }

    /// The job is over: nothing of it is left to be removed.
    pub(super) fn settle(&self) {
        let mut remains = self.remains();
        (remains.files, remains.unpublished) = (Vec::new(), None);
    }

    /// Runs work that looks at the flag which [`Interrupt::stop`] sets.
    pub fn simulate<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        self.is_simulating.store(true, Ordering::SeqCst);
        let done = work(&self.stop);
        self.is_simulating.store(false, Ordering::SeqCst);
        done
    }

    pub(super) fn publish(&self, staging: Staging) -> Result<()> {
        staging.sync()?;
        let mut remains = self.remains();
        self.check()?;
        // From here on no other thread removes anything. A result that cannot be published stays where it is, and the message names the
        // place.
        remains.unpublished = None;
        staging.publish()?;
        remains.is_published = true;
        Ok(())
    }

    fn check(&self) -> Result<()> {
        match self.stop.load(Ordering::SeqCst) {
            true => Err(Error::interrupted("interrupted before results were written")),
            false => Ok(()),
        }
    }

    fn remains(&self) -> MutexGuard<'_, Remains> {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
