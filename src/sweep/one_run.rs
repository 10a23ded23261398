//! One run of a sweep, from its place in the plan to its result folder.

use super::finish::finished;
use super::layout::Folder;
use super::plan::Plan;
use super::queue::Place;
use super::room::SharedMemory;
use super::shared_documents::SharedDocuments;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::machine;
use crate::results::remove_tree;
use crate::run::{self, Every, Interrupt, Interrupted, Job, Progress};
use crate::scenario::{DataSize, Room};
use crate::world::World;
use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A run that goes on: the way to stop it, and how far it is.
#[derive(Debug, Default)]
pub struct Running {
    pub interrupt: Interrupt,
    /// The share that is done, as the bits of a number from 0 to 1.
    done: AtomicU64,
}

/// What the runs of one process share.
#[derive(Debug)]
pub struct Shared<'a> {
    pub plan: &'a Plan,
    pub folder: &'a Folder,
    pub memory: &'a SharedMemory,
    pub documents: SharedDocuments<'a>,
    /// Threads of each run.
    pub threads: usize,
    /// How often each run is written down.
    pub checkpoints: Every,
    /// The interrupt of the whole process.
    pub interrupt: &'a Interrupt,
    /// Whether no further run is begun.
    pub is_stopping: AtomicBool,
}

/// How a run ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Now,
    Before,
}

impl Running {
    pub fn done(&self) -> f64 {
        f64::from_bits(self.done.load(Ordering::Relaxed))
    }
}

impl Shared<'_> {
    /// Does a run unless its results are there already. Damaged results are replaced. A panic is a failure of this run alone.
    pub fn run(&self, place: Place, running: &Running) -> Result<Ended> {
        guarded(|| self.run_unless_finished(place, running))
    }

    fn run_unless_finished(&self, place: Place, running: &Running) -> Result<Ended> {
        if finished(self.folder, self.plan, place.task, place.run).is_some() {
            return Ok(Ended::Before);
        }
        let target = self.folder.run(&place.task.id, &place.run.name);
        remove_tree(&target).map_err(|e| Error::cannot_write(&target, &e))?;
        let scenario = self.plan.scenario(place.run)?;
        let world = scenario.resolve_within(Room { memory: self.memory.for_one_run(), disk: None })?;
        let corpus = self.documents.get(&scenario, self.interrupt)?;
        let estimate = world.estimate(Some(DataSize { features: corpus.train.n_features(), bytes: 0 }));
        estimate.refuse(&scenario.name, Room { memory: self.memory.for_one_run(), disk: machine::free_disk(&target) })?;
        let bytes = estimate.memory.map_or(0.0, |memory| memory.total()) as u64;
        let _taking = self.memory.take(bytes, &self.is_stopping).ok_or_else(|| Error::interrupted("interrupted before it began"))?;
        self.run_one(&world, &corpus, place, running).map(|()| Ended::Now)
    }

    /// Runs a world into its result folder, or goes on with an interrupted run of it. Its memory was granted before.
    fn run_one(&self, world: &World, corpus: &Corpus, place: Place, running: &Running) -> Result<()> {
        let mut watch = |progress: &Progress| {
            running.done.store(progress.done.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let target = self.folder.run(&place.task.id, &place.run.name);
        let job = Job {
            force: true,
            threads: self.threads,
            interrupted: Interrupted::GoesOnIfThere,
            checkpoints: self.checkpoints,
            // A task is synced when its runs are packed, and damaged runs are done again.
            syncs: false,
            axes: place.run.labels.clone(),
            corpus: Some(corpus),
            interrupt: Some(&running.interrupt),
            watch: Some(&mut watch),
            ..Job::into(target)
        };
        run::job(world, job).map(drop)
    }
}

/// Calls `work`, and returns a panic as its failure.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let message = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::failed(format!("the run panicked: {}; please report this", message.unwrap_or("without a message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(work: impl FnOnce() -> Result<u32>, says: &str) {
        let problem = guarded(work).expect_err("it fails");
        assert_eq!((problem.to_string().as_str(), problem.exit_code()), (says, 1));
    }

    #[test]
    fn a_panic_is_a_failure_that_says_what_it_was() {
        let node = 7;
        check(|| panic!("index out of bounds"), "the run panicked: index out of bounds; please report this");
        check(|| panic!("no node {node}"), "the run panicked: no node 7; please report this");
        check(|| Err(Error::failed("the disk is full")), "the disk is full");
        assert_eq!(guarded(|| Ok(3)), Ok(3));
    }
}
