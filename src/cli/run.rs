//! `rankguard run`.

use super::progress::Display;
use super::{RunArgs, say};
use rankguard::corpus::Corpus;
use rankguard::error::{Error, Result};
use rankguard::record::{self, ParquetRecorder, Place, Recorder, Rows};
use rankguard::report;
use rankguard::rng::Seed;
use rankguard::run::{self, Phases};
use rankguard::scenario::{Scenario, Start};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What depends on the machine and the day, and therefore stays out of tables and manifest.
#[derive(Serialize)]
struct Timing {
    threads: usize,
    wall: Duration,
    phases: Phases,
}

pub fn run(args: &RunArgs) -> Result<()> {
    let mut scenario = Scenario::read_with(&args.file, &args.set)?;
    let mut folder = PathBuf::from("out").join(&scenario.name);
    if let Some(seed) = args.seed {
        scenario.seed = seed;
        folder.set_file_name(format!("{}-seed-{seed}", scenario.name));
    }
    if args.timeline_only {
        return run_network(args, &scenario);
    }
    let folder = args.out.clone().unwrap_or(folder);
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);

    let mut place = Place::claim(&folder)?;
    let corpus = Corpus::load(&scenario.dataset, Seed(scenario.seed))?;
    let initial = initial_models(&scenario, scenario.ranker.form(corpus.train.n_features()).n_weights())?;
    // Known only now: results of other data are not replaced either.
    let inputs = scenario.inputs(corpus.hash(), initial.as_deref())?;
    let identity = scenario.identity(&inputs);
    if !args.overwrite {
        place.admit(&identity)?;
    }
    let mut recorder = ParquetRecorder::create(place.folder(), &scenario.record.tables(), &identity.key)?;

    let display = Display::new(args, &scenario);
    let interrupted = interruption();
    let clock = Instant::now();
    let mut watch = |progress: &run::Progress| {
        display.show(progress);
        if interrupted.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let finished = run::run(&scenario, &corpus, initial, threads, &mut recorder, &mut watch);
    display.clear();
    let finished = finished?;
    recorder.record(Rows::Runs(vec![run::run_row(&scenario, &finished, &inputs)]))?;
    let rows = recorder.finish()?;
    let wall = clock.elapsed();

    run::manifest(&scenario, &finished, &rows, &identity, &inputs).write(&place)?;
    record::write_side_file(&place, record::TIMING_NAME, &Timing { threads, wall, phases: finished.phases })?;
    place.publish()?;
    if !args.quiet {
        say(&report::summary(&scenario, &finished, &rows, &folder, wall, threads));
    }
    Ok(())
}

/// The network alone: nothing is read but the scenario, and nothing written.
fn run_network(args: &RunArgs, scenario: &Scenario) -> Result<()> {
    let (display, interrupted, clock) = (Display::new(args, scenario), interruption(), Instant::now());
    let finished = run::run_network(scenario, &mut |progress| {
        display.show(progress);
        if interrupted.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    display.clear();
    let finished = finished?;
    if !args.quiet {
        say(&report::network_summary(scenario, &finished, clock.elapsed()));
    }
    Ok(())
}

/// A model for each node, where the scenario begins with those of another run.
fn initial_models(scenario: &Scenario, n_weights: usize) -> Result<Option<Vec<Vec<f32>>>> {
    let Start::Models { path, evaluation } = &scenario.start else { return Ok(None) };
    let models = record::read_models(path.as_ref(), *evaluation)?;
    let complete = models.len() == scenario.nodes as usize && (0..).zip(&models).all(|(node, (id, _))| node == *id);
    if !complete {
        return Err(Error::input(format!(
            "{path}: holds models of {} nodes, but the scenario has {}; start from a run of as many nodes that records all of them",
            models.len(),
            scenario.nodes
        )));
    }
    if let Some((node, theta)) = models.iter().find(|(_, theta)| theta.len() != n_weights) {
        return Err(Error::input(format!(
            "{path}: the model of node {node} has {} weights, but this scenario's have {n_weights}; start from a run of the same ranker on the same data",
            theta.len()
        )));
    }
    Ok(Some(models.into_iter().map(|(_, theta)| theta).collect()))
}

/// Set by Ctrl-C or a request to terminate: the run then stops at the next window and leaves nothing behind.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    // Without a handler the program just ends, and the next run clears what is left of this one.
    let _ = ctrlc::set_handler(move || set.store(true, Ordering::Relaxed));
    flag
}
