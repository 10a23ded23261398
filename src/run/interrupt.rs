//! Stops a job from outside. It writes a checkpoint first; if it has no time for that, an earlier checkpoint stays, or nothing.

use super::job::Interrupted;
use crate::corpus::UnfinishedCaches;
use crate::error::{Error, Result};
use crate::results::{Leftovers, Staging};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stop flag that a job shares with another thread, such as that of a signal handler.
#[derive(Debug, Default)]
pub struct Interrupt {
    /// Asks for a checkpoint and an end.
    stop: AtomicBool,
    /// Asks for an end at once.
    abandon: AtomicBool,
    /// Locked while results are claimed or published, and while a simulation begins, so that none of them is interrupted half way.
    remains: Mutex<Remains>,
    caches: UnfinishedCaches,
}

/// What follows when a job is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopping {
    /// It had been asked before.
    Already,
    /// It simulates and ends by itself, soon; a run writes a checkpoint first.
    Simulating,
    /// It loads data or writes results, ends when it has done so, and begins no simulation.
    NotSimulating,
}

/// What a simulation looks at.
#[derive(Debug, Clone, Copy)]
pub struct Flags<'a> {
    /// Whether it should be written down and end.
    pub stop: &'a AtomicBool,
    /// Whether it should end at once.
    pub abandon: &'a AtomicBool,
}

/// What must be removed if the process ends at once.
#[derive(Debug, Default)]
struct Remains {
    /// Whether work that looks at the flags is going on.
    is_simulating: bool,
    /// With what becomes of it if there is a checkpoint.
    unpublished: Option<(Leftovers, Interrupted)>,
    is_published: bool,
    /// Whether the process ends without waiting for the job, so that results must not appear any more.
    is_given_up: bool,
}

impl Interrupt {
    /// Asks the job to write a checkpoint and stop, and tells what it is doing. This waits for a claim or a publication that is under way.
    pub fn stop(&self) -> Stopping {
        if self.stop.swap(true, Ordering::SeqCst) {
            return Stopping::Already;
        }
        if self.remains().is_simulating { Stopping::Simulating } else { Stopping::NotSimulating }
    }

    /// The same without waiting for anything.
    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Asks the job to stop at once, without a checkpoint of this moment.
    pub fn abandon(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.abandon.store(true, Ordering::SeqCst);
    }

    /// Whether the results are in place.
    pub fn is_published(&self) -> bool {
        self.remains().is_published
    }

    /// Removes the files of an unfinished job, for a process that will not wait until the job ends; a job with a checkpoint keeps them. It first
    /// waits for a claim or a publication that is under way, and returns whether results were published. If they were not, they will not be.
    pub fn remove_unfinished(&self) -> bool {
        self.abandon();
        let mut remains = self.remains();
        remains.is_given_up = true;
        self.caches.give_up();
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

    /// The caches of data sets that the job is writing.
    pub fn caches(&self) -> &UnfinishedCaches {
        &self.caches
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
        self.remains().unpublished = None;
    }

    /// Runs work that looks at the flags which [`Interrupt::stop`] and [`Interrupt::abandon`] set.
    ///
    /// # Errors
    /// The work fails, or a stop was asked for before: another thread may be removing already what the work would write.
    pub fn simulate<T>(&self, work: impl FnOnce(Flags) -> Result<T>) -> Result<T> {
        {
            let mut remains = self.remains();
            self.check()?;
            remains.is_simulating = true;
        }
        let done = work(Flags { stop: &self.stop, abandon: &self.abandon });
        self.remains().is_simulating = false;
        done
    }

    pub(super) fn publish(&self, mut staging: Staging, syncs: bool) -> Result<()> {
        if syncs {
            staging.sync()?
        } else {
            staging.leave_unsynced()
        }
        let mut remains = self.remains();
        if remains.is_given_up {
            return Err(Error::interrupted("interrupted before results were in place"));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Begin;

    #[test]
    fn results_do_not_appear_after_they_were_given_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        for is_given_up in [true, false] {
            let interrupt = Interrupt::default();
            let staging = interrupt.claim(Interrupted::Stays, || Staging::claim(&out, &Begin::Over)).expect("the folder is free");
            if is_given_up {
                assert!(!interrupt.remove_unfinished());
            }
            let published = interrupt.publish(staging, false);
            assert_eq!((published.is_err(), interrupt.is_published(), out.exists()), (is_given_up, !is_given_up, !is_given_up));
        }
    }

    #[test]
    fn a_stop_tells_what_follows_and_no_simulation_begins_after_it() {
        let interrupt = Interrupt::default();
        let stopped =
            interrupt.simulate(|flags| Ok((interrupt.stop(), flags.stop.load(Ordering::SeqCst)))).expect("nobody stopped it before");
        assert_eq!(stopped, (Stopping::Simulating, true));
        assert_eq!(interrupt.stop(), Stopping::Already);
        let early = Interrupt::default();
        assert_eq!(early.stop(), Stopping::NotSimulating);
        let refused = early.simulate(|_| -> Result<()> { unreachable!("it was stopped") }).expect_err("it was stopped");
        assert_eq!(refused.exit_code(), 75);
    }
}
