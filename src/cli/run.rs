//! `rankguard run`.

use super::interruption::Interruption;
use super::print::say;
use super::progress::Display;
use super::{RunArgs, limits, read_scenario};
use rankguard::corpus::{self, Corpus};
use rankguard::error::{Error, Result};
use rankguard::machine;
use rankguard::record::{self, Manifest, Messages, ParquetRecorder, Place, Summary};
use rankguard::report;
use rankguard::run::{self, Finished, Phases};
use rankguard::scenario::{Scenario, Start};
use rankguard::timeline::Loss;
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
    let run_id = record::run_id(&scenario.canonical(), env!("CARGO_PKG_VERSION"));

    let place = interruption.claim(|| Place::claim(&folder, &run_id, args.overwrite))?;
    interruption.will_remove(corpus::unfinished(&scenario.dataset));
    let memory = machine::available_memory().filter(|_| !args.force);
    let corpus = Corpus::load_within(&scenario.dataset, memory)?;
    limits::with_data(args, &scenario, &corpus, means, &folder)?;
    let initial = initial_models(&scenario, scenario.ranker.form(corpus.train.n_features()).n_weights())?;
    let mut recorder = ParquetRecorder::create(place.folder(), &scenario.record.tables(), &run_id)?;

    let (display, clock) = (Display::new(args, &scenario), Instant::now());
    let finished = interruption.while_watched(|stop| {
        run::run_until(stop, &scenario, &corpus, initial, threads, &mut recorder, &mut |progress| {
            display.show(progress);
            ControlFlow::Continue(())
        })
    });
    display.clear();
    let finished = finished?;
    let rows = recorder.finish()?;
    let wall = clock.elapsed();

    manifest(&scenario, &finished, &rows, run_id).write(&place)?;
    record::write_side_file(&place, "timing.ron", &Timing { threads, wall, phases: finished.phases })?;
    interruption.publish(place)?;
    if args.quiet {
        return Ok(());
    }
    let summary = report::summary(&scenario, &finished, &rows, &folder, wall, threads);
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
    say(&report::network_summary(scenario, &finished?, clock.elapsed()))
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

fn manifest<'a>(scenario: &'a Scenario, finished: &Finished, rows: &record::RowCounts, run_id: String) -> Manifest<&'a Scenario> {
    let Finished { tally, last, .. } = finished;
    Manifest {
        program_version: env!("CARGO_PKG_VERSION").into(),
        schema_version: record::SCHEMA_VERSION,
        run_id,
        seed: scenario.seed,
        rows: rows.clone(),
        fingerprint: finished.fingerprint.clone(),
        messages: Messages {
            sent: tally.sent,
            duplicated: tally.duplicated,
            delivered: tally.delivered,
            lost_in_transit: tally.lost_by(Loss::Transit),
            lost_offline: tally.lost_by(Loss::Offline),
            lost_partition: tally.lost_by(Loss::Partition),
            lost_expired: tally.lost_by(Loss::Expired),
            lost_overflow: tally.lost_by(Loss::Overflow),
            lost_cut: tally.lost_by(Loss::Cut),
            lost_identity: tally.lost_by(Loss::Identity),
            undelivered: tally.in_flight,
        },
        summary: Summary {
            ndcg_mean: last.ndcg_mean,
            ndcg_sd: last.ndcg_sd,
            ndcg_worst5: last.ndcg_worst5,
            ndcg_random: last.ndcg_random,
            alpha_honest: finished.alpha_honest,
            alpha_malicious: finished.alpha_malicious,
            deserted_ns: tally.deserted.map(|since| since.0),
        },
        scenario,
    }
}
