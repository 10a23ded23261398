//! What a run must not exceed unless somebody insists: the memory and the disk of this machine, and numbers that are rarely meant.

use super::RunArgs;
use super::print::tell;
use rankguard::corpus::{Corpus, Dataset};
use rankguard::error::{Error, Result};
use rankguard::machine;
use rankguard::network::Means;
use rankguard::scenario::{DataSize, Estimate, Room, Scenario};
use std::num::NonZeroUsize;
use std::path::Path;

/// So many threads are allowed on any machine, and four per core on one that has more.
const MAX_THREADS: usize = 256;

/// All cores, unless told otherwise.
pub fn threads(wanted: Option<NonZeroUsize>) -> Result<usize> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let most = MAX_THREADS.max(4 * cores);
    match wanted.map_or(cores, NonZeroUsize::get) {
        n if n > most => Err(Error::input(format!(
            "--threads {n}: at most {most} are started; more than this machine's cores, of which there are {cores}, make nothing faster"
        ))),
        n => Ok(n),
    }
}

/// Before anything is claimed or made, where the size of the data need not be known: for what cannot fit whatever it is.
pub fn before(args: &RunArgs, scenario: &Scenario, folder: &Path) -> Result<Means> {
    let means = means(scenario)?;
    let data = match scenario.dataset {
        Dataset::Letor { features, .. } => Some(DataSize { features: features.unwrap_or(1) as usize, bytes: 0 }),
        Dataset::Synthetic { .. } => None,
    };
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(folder) };
    refuse(args, Estimate::with(scenario, data, means).excess(room))?;
    Ok(means)
}

/// Once data was read: what comes on top of it, and what is left.
pub fn with_data(args: &RunArgs, scenario: &Scenario, corpus: &Corpus, means: Means, folder: &Path) -> Result<()> {
    let data = DataSize { features: corpus.train.n_features(), bytes: 0 };
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(folder) };
    refuse(args, Estimate::with(scenario, Some(data), means).excess(room))
}

/// Of a network alone.
pub fn of_network(args: &RunArgs, scenario: &Scenario) -> Result<()> {
    let room = Room { memory: machine::available_memory(), disk: None };
    refuse(args, Estimate::with(scenario, None, means(scenario)?).excess_of_network(room))
}

/// What `run` would refuse, said by `check`.
pub fn warn(estimate: &Estimate, scenario: &Scenario) {
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(Path::new("out")) };
    for reason in estimate.excess(room) {
        tell(&format!("warning: {}: {reason}; run refuses it without --force", scenario.name));
    }
}

/// Where no file has to say what the network is like, none is read.
fn means(scenario: &Scenario) -> Result<Means> {
    match scenario.means() {
        Some(means) => Ok(means),
        None => Ok(scenario.network()?.means()),
    }
}

fn refuse(args: &RunArgs, excess: Vec<String>) -> Result<()> {
    if excess.is_empty() || args.force {
        return Ok(());
    }
    let lines: Vec<String> = excess.iter().map(|reason| format!("{}: {reason}, or pass --force", args.file.display())).collect();
    Err(Error::input(lines.join("\n")))
}
