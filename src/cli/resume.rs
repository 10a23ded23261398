//! `rankguard resume`: goes on with an interrupted run.

use super::destination::Destination;
use super::interruption::Interruption;
use super::print::{say, tell};
use super::run::{ProgressStyle, Showing, how_to_insist, run_job};
use super::threads::threads;
use clap::Args;
use rankguard::error::Result;
use rankguard::results::{About, Staging};
use rankguard::run::{Every, Interrupted, Job};
use rankguard::scenario::Scenario;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The result folder of the interrupted run
    pub dir: PathBuf,
    /// Worker threads; the results do not depend on it [default: the cores that a cluster's job was given, else all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How often to write the run down; see `rankguard run --help`
    #[arg(long, value_name = "EVERY", value_parser = super::run::every, default_value = "10min")]
    pub checkpoint: Every,
    /// Keep all checkpoints with the results from now on
    #[arg(long)]
    pub keep_checkpoints: bool,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "STYLE")]
    pub progress: ProgressStyle,
    /// Go on even if the run seems too large for this machine
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

pub fn resume(args: &ResumeArgs, interruption: &Interruption) -> Result<()> {
    // A script may resume what has just been done.
    if Staging::is_finished(&args.dir)? {
        return if args.quiet { Ok(()) } else { say(&format!("{}: is done; there is nothing to go on with\n", args.dir.display())) };
    }
    let checkpoint = Staging::interrupted(&args.dir)?;
    if let Some(refused) = &checkpoint.newer_refused {
        tell(&format!("warning: {refused}; the checkpoint before it is used"));
    }
    let world = Scenario::parse(&checkpoint.about.scenario, &args.dir.display().to_string())?.resolve()?;
    let About { overwrite, axes, forked, .. } = checkpoint.about.clone();
    drop(checkpoint); // it holds the whole state, and the job reads it again
    let destination = Destination::Folder(args.dir.clone());
    let job = Job {
        overwrite,
        axes,
        forked,
        force: args.force,
        threads: threads(args.threads)?,
        interrupted: Interrupted::GoesOn,
        checkpoints: args.checkpoint,
        keeps_checkpoints: args.keep_checkpoints,
        ..Job::into(&args.dir)
    };
    run_job(Showing { progress: args.progress, quiet: args.quiet, json: args.json }, &world, job, &destination, interruption)
        .map_err(how_to_insist)
}
