//! The job turns one world into one result folder, as `rankguard run` does.

use super::describe::{manifest, run_row};
use super::{Finished, Interrupt, Params, Phases, Progress, Watch, run};
use crate::corpus::{self, Corpus, Dataset};
use crate::error::Result;
use crate::machine;
use crate::pulse::Stopwatch;
use crate::record::{ParquetRecorder, Recorder, Rows, RunRow};
use crate::results::{Manifest, Staging, TIMING_NAME, write_side_file};
use crate::scenario::{DataSize, Room, Scenario};
use crate::world::World;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Where a job puts its results, and how it is run.
pub struct Job<'a> {
    /// The result folder. It appears whole at the end, or not at all.
    pub folder: PathBuf,
    /// Whether results of another scenario in the folder are replaced.
    pub overwrite: bool,
    /// Whether the job begins although it seems too large for the memory or the disk of this machine.
    pub force: bool,
    /// How many threads learn side by side; results do not depend on it.
    pub threads: usize,
    /// The documents, if the caller has loaded them because many runs share them; otherwise the job loads them.
    pub corpus: Option<&'a Corpus>,
    /// The way to stop the job from another thread.
    pub interrupt: Option<&'a Interrupt>,
    /// A listener that hears how far the job is, and may stop it.
    pub watch: Option<&'a mut Watch<'a>>,
}

/// A finished job.
#[derive(Debug)]
pub struct FinishedJob<'a> {
    /// The outcome of the run.
    pub finished: Finished,
    /// Its row in the table `runs`.
    pub run: RunRow,
    /// The manifest of the result folder.
    pub manifest: Manifest<&'a Scenario>,
    /// How long the run took.
    pub wall: Duration,
}

/// Figures that depend on the machine and the day; they stay out of tables and manifest.
#[derive(Serialize)]
struct Timing {
    threads: usize,
    wall: Duration,
    phases: Phases,
}

impl Job<'_> {
    /// A job that writes to this folder on one thread, and does not replace results of another scenario.
    pub fn into(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), overwrite: false, force: false, threads: 1, corpus: None, interrupt: None, watch: None }
    }
}

/// Runs a world into a result folder.
///
/// # Errors
/// Fails if the folder cannot be used, the documents cannot be read or do not fit the world, the machine is too small, results cannot be
/// written, or the job is stopped. The folder is then unchanged.
pub fn job<'a>(world: &'a World, mut job: Job) -> Result<FinishedJob<'a>> {
    let alone = Interrupt::default();
    let interrupt = job.interrupt.unwrap_or(&alone);
    let watch = job.watch.take();
    let published = check(world, &job).and_then(|()| publish(world, &job, watch, interrupt));
    interrupt.settle();
    published
}

/// Finds everything that can be wrong before a folder is claimed and documents are made.
fn check(world: &World, job: &Job) -> Result<()> {
    let dataset = &world.scenario().dataset;
    let identity = |data_hash| world.identity(&world.inputs_with(data_hash));
    Staging::check_target(&job.folder, (!job.overwrite).then_some(identity))?;
    match job.corpus {
        Some(corpus) => refuse(world, job, Some(loaded(corpus))),
        None => corpus::locate(dataset).and_then(|()| refuse(world, job, least(dataset))),
    }
}

fn publish<'a>(world: &'a World, job: &Job, watch: Option<&mut Watch>, interrupt: &Interrupt) -> Result<FinishedJob<'a>> {
    let scenario = world.scenario();
    let mut staging = interrupt.claim(|| Staging::claim(&job.folder))?;
    let own;
    let corpus = match job.corpus {
        Some(corpus) => corpus,
        None => {
            own = load(world, job, interrupt)?;
            &own
        }
    };
    // The identity of the run is known only now. Results of other documents are not replaced either.
    let inputs = world.inputs(corpus);
    let identity = world.identity(&inputs);
    if !job.overwrite {
        staging.admit(&identity)?;
    }
    let mut recorder = ParquetRecorder::create(staging.folder(), &scenario.record.tables(), &identity.key)?;

    let clock = Stopwatch::start();
    let finished = interrupt.simulate(|stop| {
        let mut ignore = |_: &Progress| ControlFlow::Continue(());
        let watch: &mut Watch = match watch {
            Some(watch) => watch,
            None => &mut ignore,
        };
        run(world, Params { threads: job.threads, stop: Some(stop), watch: Some(watch), ..Params::new(corpus, &mut recorder) })
    })?;
    let run = run_row(scenario, &finished, &inputs);
    recorder.record(Rows::Runs(vec![run.clone()]))?;
    let rows = recorder.finish()?;
    let wall = clock.elapsed();

    let manifest = manifest(scenario, &finished, &rows, &identity, &inputs);
    manifest.write(&staging)?;
    write_side_file(&staging, TIMING_NAME, &Timing { threads: job.threads, wall, phases: finished.phases })?;
    interrupt.publish(staging)?;
    Ok(FinishedJob { finished, run, manifest, wall })
}

fn load(world: &World, job: &Job, interrupt: &Interrupt) -> Result<Corpus> {
    let dataset = &world.scenario().dataset;
    interrupt.will_write(corpus::unfinished(dataset));
    let corpus = Corpus::load_within(dataset, machine::available_memory().filter(|_| !job.force))?;
    refuse(world, job, Some(loaded(&corpus)))?;
    Ok(corpus)
}

/// The size of documents that take no further memory.
fn loaded(corpus: &Corpus) -> DataSize {
    DataSize { features: corpus.train.n_features(), bytes: 0 }
}

/// The smallest size that the documents can have, as far as the scenario tells.
fn least(dataset: &Dataset) -> Option<DataSize> {
    match dataset {
        Dataset::Letor { features, .. } => Some(DataSize { features: features.unwrap_or(1) as usize, bytes: 0 }),
        Dataset::Synthetic { .. } => None,
    }
}

/// Refuses a job that does not fit into this machine, unless it is forced.
fn refuse(world: &World, job: &Job, data: Option<DataSize>) -> Result<()> {
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(&job.folder) };
    if job.force { Ok(()) } else { world.estimate(data).refuse(&world.scenario().name, room) }
}
