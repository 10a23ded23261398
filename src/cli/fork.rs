//! `rankguard fork`: goes on from the past of a run under a changed scenario.

use super::destination::Destination;
use super::interruption::Interruption;
use super::print::tell;
use super::run::{ProgressStyle, Showing, how_to_insist, run_job};
use super::threads::threads;
use clap::Args;
use rankguard::error::{Error, Result};
use rankguard::results::{CHECKPOINTS_NAME, Results, kept_checkpoints};
use rankguard::run::{Every, Fork, Job};
use rankguard::scenario::Scenario;
use rankguard::units::{Duration, VirtualTime};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct ForkArgs {
    /// The result folder of a finished run
    pub dir: PathBuf,
    /// The moment of the fork in virtual time, such as 6h: everything before it has happened
    #[arg(long, value_name = "TIME")]
    pub at: Duration,
    /// A field that is different from that moment on, such as --set defense=Undefended: name, defense, attack, latency, loss, duplicates,
    /// weight_limit or record; may be given several times
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// The result folder of the fork; its tables begin at the moment of the fork
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Worker threads; the results do not depend on it [default: the cores that a cluster's job was given, else all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How often to write the run down; see `rankguard run --help`
    #[arg(long, value_name = "EVERY", value_parser = super::run::every, default_value = "10min")]
    pub checkpoint: Every,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "STYLE")]
    pub progress: ProgressStyle,
    /// Replace the results of another scenario in the result folder
    #[arg(long)]
    pub overwrite: bool,
    /// Begin even if the run seems too large for this machine
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

pub fn fork(args: &ForkArgs, interruption: &Interruption) -> Result<()> {
    let run_id = Results::open(&args.dir)?.manifest.run_id;
    let manifest = args.dir.join("manifest.ron");
    let past = Scenario::read(&manifest)?;
    let future = changed(&past, args)?;
    let (past, world) = (past.resolve()?, future.resolve()?);
    let checkpoint = checkpoint(&args.dir, args.at);
    if checkpoint.is_none() && !args.quiet {
        let kept = args.dir.join(CHECKPOINTS_NAME);
        tell(&format!("no checkpoint before {} is in {}; the past is simulated again from its beginning", args.at, kept.display()));
    }
    let destination = Destination::Folder(args.out.clone());
    let job = Job {
        overwrite: args.overwrite,
        force: args.force,
        threads: threads(args.threads)?,
        checkpoints: args.checkpoint,
        fork: Some(Fork { world: &past, run_id, at: VirtualTime(args.at.ns()), checkpoint }),
        ..Job::into(&args.out)
    };
    run_job(Showing { progress: args.progress, quiet: args.quiet, json: args.json }, &world, job, &destination, interruption)
        .map_err(how_to_insist)
}

/// The last checkpoint that is not after the moment.
fn checkpoint(dir: &Path, at: Duration) -> Option<PathBuf> {
    let before = |(moment, path)| if moment <= at.ns() { Some(path) } else { None };
    kept_checkpoints(&dir.join(CHECKPOINTS_NAME)).into_iter().filter_map(before).next_back()
}

/// The scenario from the moment of the fork on. The limit of weights follows the defence, unless the past set another.
fn changed(past: &Scenario, args: &ForkArgs) -> Result<Scenario> {
    let usual = Scenario { weight_limit: None, ..past.clone() }.canonical();
    let text = past.canonical();
    let is_usual = usual == text;
    let kept: Vec<&str> = text.lines().filter(|line| !(is_usual && line.starts_with("    weight_limit: "))).collect();
    Scenario::read_from(kept.join("\n").as_bytes(), "the past", &args.set).map_err(|problem| Error::input(problem.to_string()))
}
