//! `rankguard check`: prints a scenario with every default filled in, and the expected cost of its run.

use super::interruption::Interruption;
use super::print::{say, tell};
use super::read_scenario;
use clap::Args;
use rankguard::corpus::{self, Corpus, Dataset};
use rankguard::error::Result;
use rankguard::machine;
use rankguard::scenario::{DataSize, Estimate, Room};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The scenario, a RON file, or - for standard input
    file: PathBuf,
    /// Replace a field of the scenario, such as --set defense=Undefended, or one inside, such as --set defense.kappa=8; may be given
    /// several times
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
}

pub fn check(args: &CheckArgs, interruption: &Interruption) -> Result<()> {
    let scenario = read_scenario(&args.file, &args.set)?;
    // A run that does not fit into memory only causes a warning. Nothing is made for each node here, because there may be billions of
    // nodes.
    let means = scenario.network()?.means();
    let data = match scenario.dataset {
        Dataset::Letor { .. } => {
            interruption.interrupt().will_write(corpus::unfinished(&scenario.dataset));
            Some(DataSize::of(&Corpus::load_within(&scenario.dataset, machine::available_memory())?))
        }
        Dataset::Synthetic { .. } => None,
    };
    let estimate = Estimate::with(&scenario, data, means);
    let about = format!("{}{estimate}", scenario.meaning());
    say(&format!("{}\n{}", scenario.canonical(), comment(&about)))?;
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(Path::new("out")) };
    for reason in estimate.excess(room) {
        tell(&format!("warning: {}: {reason}; run refuses it without --force", scenario.name));
    }
    Ok(())
}

/// Every line as a comment, so that the output of `check` is a scenario.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect()
}
