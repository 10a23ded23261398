//! `rankguard paper run`: does experiments of the paper. Whatever is done already is skipped.

use super::{DataArgs, experiments};
use crate::cli::Interruption;
use crate::cli::print::{say, tell};
use crate::cli::run::ProgressStyle;
use crate::cli::sweep::{self, SweepRunArgs};
use clap::Args;
use rankguard::bench::{self, Bounds, Effort, Fastest, Group, Report};
use rankguard::corpus::Corpus;
use rankguard::error::{Error, Result};
use rankguard::paper::{Data, Experiment, FORMS, Work, needed_csv, needed_world, sessions_needed};
use rankguard::run::Every;
use rankguard::sweep::{Planned, shell_quoted};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Names of experiments; `rankguard paper list` prints them [default: all]
    names: Vec<String>,
    #[command(flatten)]
    data: DataArgs,
    /// The folder of the results [default: out/paper, or out/paper-quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Runs at a time; fewer if they do not fit into memory [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub fn run(args: &RunArgs, interruption: &Interruption) -> Result<()> {
    let (experiments, root) = (experiments(&args.names)?, args.data.results(args.out.as_deref()));
    for experiment in experiments {
        for data in args.data.of(experiment)? {
            let folder = root.join(&data.label).join(experiment.name);
            tell(&format!("{} on {}: {}", experiment.name, data.label, experiment.shows));
            one(args, experiment, &data, &folder, interruption)?;
        }
    }
    say(&format!(
        "results are in {0}; next: rankguard paper report {0}, or rankguard table with one of the folders of sweeps below it",
        shell_quoted(&root)
    ))
}

fn one(args: &RunArgs, experiment: &Experiment, data: &Data, folder: &Path, interruption: &Interruption) -> Result<()> {
    match &experiment.work {
        Work::Sweeps(sweeps) => args.data.sweeps(sweeps)?.into_iter().try_for_each(|sweep| {
            let dir = folder.join(sweep.name);
            Planned::new(&sweep.file(data, args.data.quick, args.data.n_seeds())?, &dir, None)?.write()?;
            let how = SweepRunArgs {
                dir: dir.clone(),
                task: None,
                jobs: args.jobs,
                threads: None,
                checkpoint: Every::USUAL,
                progress: ProgressStyle::Auto,
                fail_fast: false,
                quiet: true,
                json: false,
            };
            sweep::run_and_collect(&how, interruption)
        }),
        Work::SessionsNeeded => needed(data, folder, args.data.quick, interruption),
        Work::Runtime => runtime(folder, args.data.quick),
    }
}

/// The α of a poisoned model by the number of sessions that judge it.
fn needed(data: &Data, folder: &Path, is_quick: bool, interruption: &Interruption) -> Result<()> {
    let path = folder.join("alpha.csv");
    if path.is_file() {
        return Ok(());
    }
    let (n_trained, n_seeds) = if is_quick { (300, 50) } else { (1_000, 1_000) };
    let lengths: Vec<usize> = (1..=100).chain((110..=n_trained).step_by(10)).collect();
    let (mut corpus, mut rows) = (None, Vec::new());
    for form in FORMS {
        let world = needed_world(data, form)?;
        if corpus.is_none() {
            corpus = Some(Corpus::load_within(&world.scenario().dataset, None, interruption.interrupt().caches())?);
        }
        let corpus = corpus.as_ref().expect("it is loaded");
        rows.push((form, sessions_needed(&world, corpus, n_trained, &lengths, 1..n_seeds + 1)?));
    }
    write(&path, &needed_csv(&rows))
}

/// The times of judging, as `rankguard bench --group judge` measures them.
fn runtime(folder: &Path, is_quick: bool) -> Result<()> {
    let path = folder.join("runtime.json");
    if path.is_file() {
        return Ok(());
    }
    let effort = if is_quick { Effort::Quick } else { Effort::Full };
    let (mut report, mut meter) = (Report::new(Bounds::measure()), Fastest::new(effort));
    Group::Judge.measure(effort, &mut meter)?;
    report.rows.extend(meter.take());
    say(&bench::runtime_table(&report.rows))?;
    write(&path, &json(&report)?)
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|e| Error::failed(format!("it cannot be put into JSON: {e}")))
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|e| Error::cannot_write(folder, &e))?;
    std::fs::write(path, text).map_err(|e| Error::cannot_write(path, &e))
}
