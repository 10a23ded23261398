//! Stops a job from outside. It writes a checkpoint first; if it has no time for that, an earlier checkpoint stays, or nothing.

use super::job::Interrupted;
use crate::error::{Error, Result};
use crate::results::{Leftovers, Staging};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stop flag that a job shares with another thread, such as that of a signal handler.
#[derive(Debug, Default)]
pub struct Interrupt {
    /// Asks for a checkpoint and an end.
    stop: AtomicBool,
    /// Asks for an end at once.
    abandon: AtomicBool,
    /// Whether work that looks at these is going on.
    is_simulating: AtomicBool,
    /// Locked while results are claimed or published, so that neither is interrupted half way.
    remains: Mutex<Remains>,
}

/// What a simulation looks at.
#[derive(Debug, Clone, Copy)]
pub struct Flags<'a> {
    /// Whether it should be written down and end.
    pub stop: &'a AtomicBool,
    /// Whether it should end at once.
    pub abandon: &'a AtomicBool,
}

/// The files that must be removed if the process ends at once.
#[derive(Debug, Default)]
struct Remains {
    files: Vec<PathBuf>,
    /// With what becomes of them if there is a checkpoint.
    unpublished: Option<(Leftovers, Interrupted)>,
    is_published: bool,
}

impl Interrupt {
    /// Asks the job to write a checkpoint and stop, and returns whether this was the first time.
    pub fn stop(&self) -> bool {
        !self.stop.swap(true, Ordering::SeqCst)
    }

    /// Asks the job to stop at once, without a checkpoint of this moment.
    pub fn abandon(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.abandon.store(true, Ordering::SeqCst);
    }

    /// Whether the job is simulating. If so, it ends by itself after [`Interrupt::stop`].
    pub fn is_simulating(&self) -> bool {
        self.is_simulating.load(Ordering::SeqCst)
    }

    /// Whether the results are in place.
    pub fn is_published(&self) -> bool {
        self.remains().is_published
    }

    /// Removes the files of an unfinished job, for a process that will not wait until the job ends; a job with a checkpoint keeps them. It first
    /// waits for a claim or a publication that is under way, and returns whether results were published.
    pub fn remove_unfinished(&self) -> bool {
        self.abandon();
        let remains = self.remains();
        for file in &remains.files {
            let _ = fs::remove_file(file); // most were never begun
        }
        if let Some((leftovers, _)) = &remains.unpublished {
            leftovers.remove();
        }
        remains.is_published
    }

    /// What is left of the job, in words.
    pub fn what_is_left(&self) -> String {
        let remains = self.remains();
        match remains.unpublished.as_ref().map(|(leftovers, interrupted)| (leftovers.resumable(), interrupted)) {
            Some((Some(folder), interrupted)) => interrupted.way_on(folder),
            Some((None, _)) => "no results were written".into(),
            None => "what was unfinished was given up".into(),
        }
    }

    /// Registers files that are about to be written and are useless unless they are finished.
    pub fn will_write(&self, files: Vec<PathBuf>) {
        self.remains().files = files;
    }

    pub(super) fn claim(&self, interrupted: Interrupted, claim: impl FnOnce() -> Result<Staging>) -> Result<Staging> {
        let mut remains = self.remains();
        self.check()?;
        let staging = claim()?;
        *remains = Remains { unpublished: Some((staging.leftovers(), interrupted)), ..Remains::default() };
        Ok(staging)
    }

    /// The job is over: nothing of it is left to be removed.
    pub(super) fn settle(&self) {
        let mut remains = self.remains();
        (remains.files, remains.unpublished) = (Vec::new(), None);
    }

    /// Runs work that looks at the flags which [`Interrupt::stop`] and [`Interrupt::abandon`] set.
    pub fn simulate<T>(&self, work: impl FnOnce(Flags) -> T) -> T {
        self.is_simulating.store(true, Ordering::SeqCst);
        let done = work(Flags { stop: &self.stop, abandon: &self.abandon });
        self.is_simulating.store(false, Ordering::SeqCst);
        done
    }

    pub(super) fn publish(&self, mut staging: Staging, syncs: bool) -> Result<()> {
        if syncs {
            staging.sync()?
        } else {
            staging.leave_unsynced()
        }
        let mut remains = self.remains();
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
