//! `rankguard sweep`: many runs as one, with one file per subcommand.

mod plan;
mod submit;

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
    /// Print the script that gives the tasks without results to a batch engine, or send it
    Submit(submit::SubmitArgs),
}

pub fn sweep(args: &SweepArgs) -> Result<()> {
    match &args.command {
        SweepCommand::Plan(args) => plan::plan(args),
        SweepCommand::Submit(args) => submit::submit(args),
    }
}
