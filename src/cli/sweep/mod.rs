//! `rankguard sweep`: many runs as one, with one file per command.

mod collect;
mod progress;
mod run;
mod status;

use super::Interruption;
use clap::{Args, Subcommand};
use rankguard::error::Result;

#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do the runs of a planned sweep, or of one of its tasks; what is done already is skipped
    Run(run::SweepRunArgs),
    /// Print how far a sweep is, from its files alone
    Status(status::StatusArgs),
    /// Verify all results of a sweep and make one data set per table of them
    Collect(collect::CollectArgs),
}

pub fn sweep(args: SweepArgs, interruption: &Interruption) -> Result<()> {
    match args.command {
        Command::Run(args) => run::run(&args, interruption),
        Command::Status(args) => status::status(&args),
        Command::Collect(args) => collect::collect(&args),
    }
}
