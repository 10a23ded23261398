//! `rankguard paper`: the paper's experiments, with one file per subcommand.

mod list;
mod report;
mod run;

use super::Interruption;
use clap::{Args, Subcommand};
use rankguard::error::{Error, Result};
use rankguard::paper::{Data, EXPERIMENTS, Experiment, Sweep, data, quick_data};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct PaperArgs {
    #[command(subcommand)]
    command: PaperCommand,
}

#[derive(Debug, Subcommand)]
enum PaperCommand {
    /// Print every experiment: what it shows, on which data it would run now, how many runs that are and how long they take
    List(list::ListArgs),
    /// Do experiments, or those parts of them that are not done yet
    Run(run::RunArgs),
    /// Write one page of all that has been run: ours next to the paper's, and each claim of the paper with its verdict and evidence
    Report(report::ReportArgs),
}

/// Where data is looked for, and which of it is taken.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// Run on this set instead of those that the paper uses: WEB30K, MQ2007, Yahoo, Istella, MQ2008, ClueWeb09, MSLR-sample, or a fold of
    /// it, such as MQ2008/Fold2; WEB30K:full has a stand-in with as many queries as the set, if that is not there; may be given several times
    #[arg(long = "data", value_name = "SET")]
    sets: Vec<String>,
    /// The folder that holds the sets, laid out as data/README.md says
    #[arg(long, value_name = "DIR", default_value = "data")]
    data_dir: PathBuf,
    /// A tenth of the searches, three seeds, stand-ins of a quarter of the queries, and evaluations on at most 300 test queries: on two
    /// cores about a minute for each experiment on each set
    #[arg(long)]
    quick: bool,
    /// Only this reading of the paper, or this sweep of an experiment without readings: literal, detached, as-reported …; may be given several times
    #[arg(long = "reading", value_name = "NAME")]
    readings: Vec<String>,
    /// This many seeds instead of those of each sweep
    #[arg(long, value_name = "N")]
    seeds: Option<NonZeroU32>,
}

pub fn paper(args: &PaperArgs, interruption: &Interruption) -> Result<()> {
    match &args.command {
        PaperCommand::List(args) => list::list(args),
        PaperCommand::Run(args) => run::run(args, interruption),
        PaperCommand::Report(args) => report::write_report(args),
    }
}

impl DataArgs {
    /// The data that an experiment runs on.
    fn of(&self, experiment: &Experiment) -> Result<Vec<Data>> {
        let find = if self.quick { quick_data } else { data };
        match self.sets.is_empty() {
            true => experiment.data.iter().map(|name| find(name, &self.data_dir)).collect(),
            false => self.sets.iter().map(|name| find(name, &self.data_dir)).collect(),
        }
    }

    /// The sweeps of an experiment that are wanted.
    fn sweeps(&self, all: &'static [Sweep]) -> Result<Vec<&'static Sweep>> {
        let known = || EXPERIMENTS.iter().flat_map(|experiment| experiment.sweeps()).map(|sweep| sweep.name);
        if let Some(name) = self.readings.iter().find(|name| !known().any(|known| known == name.as_str())) {
            let names: BTreeSet<&str> = known().collect();
            return Err(Error::input(format!("--reading {name}: is none of {}", names.into_iter().collect::<Vec<_>>().join(", "))));
        }
        Ok(all.iter().filter(|sweep| self.readings.is_empty() || self.readings.iter().any(|name| name == sweep.name)).collect())
    }

    fn n_seeds(&self) -> Option<u32> {
        self.seeds.map(NonZeroU32::get)
    }

    /// The folder of all results.
    fn results(&self, out: Option<&Path>) -> PathBuf {
        out.map_or_else(|| PathBuf::from(if self.quick { "out/paper-quick" } else { "out/paper" }), Path::to_path_buf)
    }
}

/// The experiments that a user names; all if none is named.
fn experiments(names: &[String]) -> Result<Vec<&'static Experiment>> {
    let known = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        Experiment::named(name).ok_or_else(|| Error::input(format!("there is no experiment `{name}`; the experiments are {}", known())))
    };
    if names.is_empty() { Ok(EXPERIMENTS.iter().collect()) } else { names.iter().map(find).collect() }
}
