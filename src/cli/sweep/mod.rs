//! `rankguard sweep`: many runs as one, with one file per subcommand.

mod collect;
mod plan;
mod progress;
mod run;
mod status;
mod submit;

pub use run::SweepRunArgs;

use super::Interruption;
use clap::{Args, Subcommand};
use rankguard::error::Result;

#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(subcommand)]
    command: SweepCommand,
}

#[derive(Debug, Subcommand)]
enum SweepCommand {
    /// Divide the runs of a sweep file into tasks, or extend a plan by runs that are new
    Plan(plan::PlanArgs),
    /// Do the runs of a planned sweep, or of one of its tasks; what is done already is skipped
    Run(run::SweepRunArgs),
    /// Print the script that gives the tasks without results to a batch engine, or send it
    Submit(submit::SubmitArgs),
    /// Print how far a sweep is, from its files alone
    Status(status::StatusArgs),
    /// Verify all results of a sweep and make one data set per table of them
    Collect(collect::CollectArgs),
}

pub fn sweep(args: &SweepArgs, interruption: &Interruption) -> Result<()> {
    match &args.command {
        SweepCommand::Plan(args) => plan::plan(args),
        SweepCommand::Run(args) => run::run(args, interruption),
        SweepCommand::Submit(args) => submit::submit(args),
        SweepCommand::Status(args) => status::status(args),
        SweepCommand::Collect(args) => collect::collect(args),
    }
}

/// Does all runs of a planned sweep, and collects their results.
pub fn run_and_collect(args: &SweepRunArgs, interruption: &Interruption) -> Result<()> {
    run::run(args, interruption)?;
    collect::collect(&collect::CollectArgs { dir: args.dir.clone(), partial: false, json: false })
}
