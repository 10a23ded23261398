//! `rankguard run`.

use super::interruption::Interruption;
use super::print::say;
use super::progress::Display;
use super::{RunArgs, limits, read_scenario, summary};
use rankguard::corpus::{self, Corpus};
use rankguard::error::{Error, Result};
use rankguard::machine;
use rankguard::record::{self, ParquetRecorder, Recorder, Rows};
use rankguard::results::{self, Staging};
use rankguard::run::{self, Phases};
use rankguard::scenario::{Scenario, Start};
use rankguard::units::counted;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What depends on the machine and the day, and therefore stays out of tables and manifest.
#[derive(Serialize)]
struct Timing {
    threads: usize,
    wall: Duration,
    phases: Phases,
}

pub fn run(args: &RunArgs, interruption: &Interruption) -> Result<()> {
    let mut scenario = read_scenario(&args.file, &args.set)?;
    let mut folder = PathBuf::from("out").join(&scenario.name);
    if let Some(seed) = args.seed {
        scenario.seed = seed;
        folder.set_file_name(format!("{}-seed-{seed}", scenario.name));
    }
    let threads = limits::threads(args.threads)?;
    if args.timeline_only {
        return run_network(args, &scenario, interruption);
    }
    let folder = args.out.clone().unwrap_or(folder);
    let means = limits::before(args, &scenario, &folder)?;

    let mut place = interruption.claim(|| Staging::claim(&folder))?;
    interruption.will_remove(corpus::unfinished(&scenario.dataset));
    let memory = machine::available_memory().filter(|_| !args.force);
    let corpus = Corpus::load_within(&scenario.dataset, memory)?;
    limits::with_data(args, &scenario, &corpus, means, &folder)?;
    let initial = initial_models(&scenario, scenario.ranker.form(corpus.train.n_features()).n_weights())?;
    // Known only now: results of other data are not replaced either.
    let inputs = scenario.inputs(corpus.hash(), initial.as_deref())?;
    let identity = scenario.identity(&inputs);
    if !args.overwrite {
        place.admit(&identity)?;
    }
    let mut recorder = ParquetRecorder::create(place.folder(), &scenario.record.tables(), &identity.key)?;

    let (display, clock) = (Display::new(args, &scenario), Instant::now());
    let finished = interruption.while_watched(|stop| {
        run::run_until(stop, &scenario, &corpus, initial, threads, &mut recorder, &mut |progress| {
            display.show(progress);
            ControlFlow::Continue(())
        })
    });
    display.clear();
    let finished = finished?;
    let row = run::run_row(&scenario, &finished, &inputs);
    recorder.record(Rows::Runs(vec![row.clone()]))?;
    let rows = recorder.finish()?;
    let wall = clock.elapsed();

    let manifest = run::manifest(&scenario, &finished, &rows, &identity, &inputs);
    manifest.write(&place)?;
    results::write_side_file(&place, results::TIMING_NAME, &Timing { threads, wall, phases: finished.phases })?;
    interruption.publish(place)?;
    if args.quiet {
        return Ok(());
    }
    let summary = summary::of_run(&row, &manifest, &finished, &folder, wall, threads);
    say(&summary).map_err(|problem| problem.and(&format!("the results are in {}", folder.display())))
}

/// The network alone: nothing is read but the scenario, and nothing written.
fn run_network(args: &RunArgs, scenario: &Scenario, interruption: &Interruption) -> Result<()> {
    limits::of_network(args, scenario)?;
    let (display, clock) = (Display::new(args, scenario), Instant::now());
    let finished = interruption.while_watched(|stop| {
        run::run_network(scenario, &mut |progress| {
            display.show(progress);
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    display.clear();
    say(&summary::of_network(scenario, finished?, clock.elapsed()))
}

/// A model for each node, where the scenario begins with those of another run.
fn initial_models(scenario: &Scenario, n_weights: usize) -> Result<Option<Vec<Vec<f32>>>> {
    let Start::Models { path, evaluation } = &scenario.start else { return Ok(None) };
    let models = record::read_models(path.as_ref(), *evaluation)?;
    let complete = models.len() == scenario.nodes as usize && (0..).zip(&models).all(|(node, (id, _))| node == *id);
    if !complete {
        return Err(Error::input(format!(
            "{path}: holds models of {}, but the scenario has {}; start from a run of as many nodes that records all of them",
            counted(models.len() as u64, "node"),
            scenario.nodes
        )));
    }
    if let Some((node, theta)) = models.iter().find(|(_, theta)| theta.len() != n_weights) {
        return Err(Error::input(format!(
            "{path}: the model of node {node} has {}, but this scenario's have {n_weights}; start from a run of the same ranker on the same data",
            counted(theta.len() as u64, "weight")
        )));
    }
    Ok(Some(models.into_iter().map(|(_, theta)| theta).collect()))
}
