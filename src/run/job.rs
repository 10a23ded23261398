//! The job turns one world into one result folder, as `rankguard run` does.

use super::checkpoint::{Every, Keeper, Saved, Store};
use super::describe::{manifest, run_row};
use super::fork::{Fork, check_fork};
use super::{Finished, Flags, Interrupt, Params, Phases, Progress, Run, Watch, drive};
use crate::corpus::{self, Corpus, Dataset};
use crate::error::{Error, Kind, Result};
use crate::machine;
use crate::pulse::Stopwatch;
use crate::record::{NullRecorder, ParquetRecorder, Recorder, RecorderState, Rows, RunRow, check_axes};
use crate::results::{About, Begin, CHECKPOINTS_NAME, Checkpoint, Identity, Manifest, Staging, TIMING_NAME, checkpoint, write_side_file};
use crate::scenario::{DataSize, Room, Scenario};
use crate::world::{World, message_bytes};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
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
    /// What becomes of an interrupted run of the same folder.
    pub interrupted: Interrupted,
    /// How often the job is written down, so that it can go on after an interruption.
    pub checkpoints: Every,
    /// Whether these checkpoints are kept with the results, so that other runs can fork from them.
    pub keeps_checkpoints: bool,
    /// Whether results are brought to the disk before they are published. Whoever packs them soon, and redoes what was lost, saves the time.
    pub syncs: bool,
    /// The past of another run that the job goes on from.
    pub fork: Option<Fork<'a>>,
    /// The past that an interrupted run which goes on was forked from, as its checkpoint tells.
    pub forked: Option<String>,
    /// The job's place in a sweep: the name of each axis, and the label there; empty for a single run. Tables have a column for each.
    pub axes: Vec<(String, String)>,
    /// The documents, if the caller has loaded them because many runs share them; otherwise the job loads them.
    pub corpus: Option<&'a Corpus>,
    /// The way to stop the job from another thread.
    pub interrupt: Option<&'a Interrupt>,
    /// A listener that hears how far the job is, and may stop it.
    pub watch: Option<&'a mut Watch<'a>>,
}

/// What becomes of an interrupted run in the folder of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// The job is refused, unless it may overwrite results.
    Stays,
    /// It goes on; there must be one.
    GoesOn,
    /// It goes on if it is of the same scenario and its checkpoint is sound; else the job begins afresh.
    GoesOnIfThere,
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
    /// A job that writes to this folder on one thread, does not replace results of another scenario, and is written down every ten minutes.
    pub fn into(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            overwrite: false,
            force: false,
            threads: 1,
            interrupted: Interrupted::Stays,
            checkpoints: Every::USUAL,
            keeps_checkpoints: false,
            syncs: true,
            fork: None,
            forked: None,
            axes: Vec::new(),
            corpus: None,
            interrupt: None,
            watch: None,
        }
    }
}

/// Runs a world into a result folder.
///
/// # Errors
/// Fails if the folder cannot be used, the documents cannot be read or do not fit the world, the machine is too small, results cannot be
/// written, or the job is stopped. The folder is then unchanged. A job that was stopped can go on from its last checkpoint.
pub fn job<'a>(world: &'a World, mut job: Job) -> Result<FinishedJob<'a>> {
    let alone = Interrupt::default();
    let interrupt = job.interrupt.unwrap_or(&alone);
    let watch = job.watch.take();
    let published = check(world, &job).and_then(|()| publish(world, &job, watch, interrupt));
    interrupt.settle();
    published.map_err(|problem| match problem.kind() {
        Kind::Interrupted => problem.and(&what_is_left(&job)),
        Kind::Input | Kind::TooLarge | Kind::Storage | Kind::Failed | Kind::Unprintable => problem,
    })
}

/// What an interrupted job leaves, in words.
fn what_is_left(job: &Job) -> String {
    match (Staging::has_checkpoint(&job.folder), job.interrupted) {
        (false, _) => "no results were written".into(),
        (true, interrupted) => interrupted.way_on(&job.folder),
    }
}

impl Interrupted {
    /// How a job that left a checkpoint goes on, in words.
    pub(super) fn way_on(self, folder: &Path) -> String {
        match self {
            Self::GoesOnIfThere => "the same command goes on with it".into(),
            Self::Stays | Self::GoesOn => format!("go on with `rankguard resume {}`", folder.display()),
        }
    }
}

/// Finds everything that can be wrong before a folder is claimed and documents are made.
fn check(world: &World, job: &Job) -> Result<()> {
    let dataset = &world.scenario().dataset;
    check_axes(job.axes.iter().map(|(name, _)| name.as_str()))?;
    if let Some(fork) = &job.fork {
        check_fork(fork.world.scenario(), world.scenario())?;
    }
    let forked = forked(job);
    let identity = |data_hash| world.identity(&world.inputs_with(data_hash).forked(forked.as_deref()), &job.axes);
    Staging::check_target(&job.folder, (!job.overwrite).then_some(identity))?;
    match job.corpus {
        Some(corpus) => refuse(world, job, Some(loaded(corpus))),
        None => corpus::locate(dataset).and_then(|()| refuse(world, job, least(dataset))),
    }
}

fn publish<'a>(world: &'a World, job: &Job, watch: Option<&mut Watch>, interrupt: &Interrupt) -> Result<FinishedJob<'a>> {
    let scenario = world.scenario();
    let mut staging = interrupt.claim(job.interrupted, || Staging::claim(&job.folder, &begin(job, scenario)))?;
    let own;
    let corpus = match job.corpus {
        Some(corpus) => corpus,
        None => {
            own = load(world, job, interrupt)?;
            &own
        }
    };
    // The identity of the run is known only now. Results of other documents are not replaced either.
    let forked = forked(job);
    let inputs = world.inputs(corpus).forked(forked.as_deref());
    let identity = world.identity(&inputs, &job.axes);
    if !job.overwrite {
        staging.admit(&identity)?;
    }
    let saved = if staging.goes_on() { Some(saved(&staging, &identity)?) } else { None };
    let wall_before = saved.as_ref().map_or(Duration::ZERO, |saved| saved.wall);
    let clock = Stopwatch::start();
    let finished = interrupt.simulate(|Flags { stop, abandon }| {
        let tables = scenario.record.tables();
        let mut recorder = match &saved {
            Some(saved) => ParquetRecorder::resume(staging.folder(), &tables, &identity.key, &saved.recorder)?,
            None => ParquetRecorder::create(staging.folder(), &tables, &identity.key)?,
        };
        let mut ignore = |_: &Progress| ControlFlow::Continue(());
        let watch: &mut Watch = match watch {
            Some(watch) => watch,
            None => &mut ignore,
        };
        let past = |fork: &Fork| fork.state(world, Params { threads: job.threads, ..Params::new(corpus, &mut NullRecorder) }, stop);
        let saved = match (saved, &job.fork) {
            (Some(saved), _) => Some(saved),
            (None, fork) => fork.as_ref().map(past).transpose()?,
        };
        let mut store = Folders { forked, axes: job.axes.clone(), ..Folders::of(&staging, scenario, &identity, job.overwrite) };
        let keeper = Keeper::new(&mut store, job.checkpoints, job.keeps_checkpoints, stop, wall_before);
        let params = Params { threads: job.threads, stop: Some(abandon), watch: Some(watch), ..Params::new(corpus, &mut recorder) };
        let finished = drive(world, params, saved, Some(keeper))?;
        let run = run_row(scenario, &finished, &inputs, message_bytes(scenario, corpus.train.n_features()));
        recorder.record(Rows::Runs(vec![run.clone()]))?;
        let rows = recorder.finish()?;
        let wall = wall_before + clock.elapsed();
        let manifest = manifest(scenario, &finished, &rows, &identity, &inputs);
        manifest.write(&staging)?;
        write_side_file(&staging, TIMING_NAME, &Timing { threads: job.threads, wall, phases: finished.phases })?;
        Ok(FinishedJob { finished, run, manifest, wall })
    })?;
    interrupt.publish(staging, job.syncs)?;
    Ok(finished)
}

fn begin(job: &Job, scenario: &Scenario) -> Begin {
    let scenario = || scenario.canonical();
    match (job.interrupted, job.overwrite) {
        (Interrupted::GoesOn, _) => Begin::GoOn,
        (Interrupted::GoesOnIfThere, _) => Begin::GoOnOrOver { scenario: scenario() },
        (Interrupted::Stays, false) => Begin::Afresh { scenario: scenario() },
        (Interrupted::Stays, true) => Begin::Over,
    }
}

/// The past that the job was forked from, or that its interrupted run was.
fn forked(job: &Job) -> Option<String> {
    match &job.fork {
        Some(fork) => Some(fork.origin()),
        None => job.forked.clone(),
    }
}

/// The state of the interrupted run.
fn saved(staging: &Staging, identity: &Identity) -> Result<Saved> {
    let checkpoint = Checkpoint::open(staging.hidden())?;
    if checkpoint.about.result_id != identity.result_id {
        let what = "the data, or a file that the scenario names, has changed since this run was interrupted";
        return Err(Error::input(format!("{}: {what}; begin again with --overwrite", staging.hidden().display())));
    }
    checkpoint.state()
}

/// Stores checkpoints beside the unpublished results, and those to be kept among them.
struct Folders {
    hidden: PathBuf,
    kept: PathBuf,
    scenario: String,
    result_id: String,
    forked: Option<String>,
    axes: Vec<(String, String)>,
    overwrite: bool,
}

impl Folders {
    fn of(staging: &Staging, scenario: &Scenario, identity: &Identity, overwrite: bool) -> Self {
        Self {
            hidden: staging.hidden().to_path_buf(),
            kept: staging.folder().join(CHECKPOINTS_NAME),
            scenario: scenario.canonical(),
            result_id: identity.result_id.clone(),
            forked: None,
            axes: Vec::new(),
            overwrite,
        }
    }

    fn about(&self, run: &Run) -> About {
        let Progress { now, done, .. } = run.progress();
        About {
            scenario: self.scenario.clone(),
            result_id: self.result_id.clone(),
            forked: self.forked.clone(),
            axes: self.axes.clone(),
            overwrite: self.overwrite,
            at_ns: now.0,
            done,
        }
    }
}

impl Store for Folders {
    fn replace(&mut self, run: &Run, wall: Duration, recorder: RecorderState) -> Result<()> {
        checkpoint::write(&self.hidden, &self.about(run), &run.state(wall, recorder)?).map(drop)
    }

    fn keep(&mut self, run: &Run, wall: Duration, recorder: RecorderState) -> Result<()> {
        checkpoint::keep(&self.kept, &self.about(run), &run.state(wall, recorder)?)
    }
}

fn load(world: &World, job: &Job, interrupt: &Interrupt) -> Result<Corpus> {
    let dataset = &world.scenario().dataset;
    let corpus = Corpus::load_within(dataset, machine::available_memory().filter(|_| !job.force), interrupt.caches())?;
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
