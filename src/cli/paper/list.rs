//! `rankguard paper list`: what can be reproduced, on which data, and what it costs.

use super::DataArgs;
use crate::cli::print::say;
use clap::Args;
use rankguard::error::{Error, Result};
use rankguard::paper::{Data, EXPERIMENTS, Experiment, Work};
use rankguard::units::{Duration, counted};
use serde::Serialize;

#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// One experiment on one data set.
#[derive(Debug, Serialize)]
struct Entry {
    name: &'static str,
    shows: &'static str,
    data: String,
    is_stand_in: bool,
    runs: usize,
    /// Estimated processor time of all runs, to an order of magnitude.
    cpu_seconds: f64,
}

pub fn list(args: &ListArgs) -> Result<()> {
    let mut entries = Vec::new();
    for experiment in EXPERIMENTS {
        for data in args.data.of(experiment)? {
            entries.push(entry(experiment, &data, &args.data)?);
        }
    }
    match args.json {
        true => say(&serde_json::to_string_pretty(&entries).map_err(|e| Error::failed(e.to_string()))?),
        false => say(&text(&entries, args.data.quick)),
    }
}

fn entry(experiment: &'static Experiment, data: &Data, args: &DataArgs) -> Result<Entry> {
    let (mut runs, mut cpu_seconds) = (0, 0.0);
    if let Work::Sweeps(sweeps) = &experiment.work {
        for sweep in args.sweeps(sweeps)? {
            let plan = sweep.file(data, args.quick, args.n_seeds())?.plan(None)?;
            runs += plan.runs().count();
            cpu_seconds += plan.tasks.iter().map(|task| task.cost).sum::<f64>();
        }
    }
    Ok(Entry { name: experiment.name, shows: experiment.shows, data: data.label.clone(), is_stand_in: data.is_stand_in, runs, cpu_seconds })
}

fn text(entries: &[Entry], is_quick: bool) -> String {
    let mut text = String::new();
    for (nth, entry) in entries.iter().enumerate() {
        if nth == 0 || entries[nth - 1].name != entry.name {
            text += &format!("{}{}: {}\n", if nth == 0 { "" } else { "\n" }, entry.name, entry.shows);
        }
        let cost = match entry.runs {
            0 => "a minute or two".into(),
            runs => format!("{}, about {} of processor time", counted(runs as u64, "run"), Duration::from_secs(rounded(entry.cpu_seconds))),
        };
        text += &format!("    on {:<20} {cost}\n", entry.data);
    }
    if entries.iter().any(|entry| entry.is_stand_in) {
        text += "\nA stand-in is synthetic data of the set's shape, made so that learning together helps: it shows that the program works, not what the\n\
                 paper's figures would be. data/README.md says where the sets come from and how to lay them out.\n";
    }
    if is_quick {
        text += "\nQuick runs have a tenth of the searches, three seeds, stand-ins of a quarter of the queries, and evaluations on at most 300 test\n\
                 queries: they show that everything works, and the direction of large effects.\n";
    }
    text + &format!("\nnext: rankguard paper run NAME{}\n", if is_quick { " --quick" } else { "" })
}

/// Seconds to one or two digits: an estimate needs no more.
fn rounded(seconds: f64) -> u64 {
    match seconds {
        s if s < 60.0 => s.ceil().max(1.0) as u64,
        s if s < 3600.0 => (s / 60.0).round() as u64 * 60,
        s => (s / 3600.0).round() as u64 * 3600,
    }
}
