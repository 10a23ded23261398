//! `rankguard data`: looks at data sets.

use super::print::{say, say_json};
use clap::{Args, Subcommand};
use rankguard::corpus::inspect_within;
use rankguard::error::Result;
use rankguard::machine;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Print queries, documents, features, grades and list lengths of LETOR data, and warn about everything that will cause trouble
    Inspect {
        /// A folder with train.txt and test.txt (plain or .gz), or one such file
        path: PathBuf,
        /// Print the same as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn data(args: &DataArgs) -> Result<()> {
    let DataCommand::Inspect { path, json } = &args.command;
    let inspection = inspect_within(path, machine::available_memory())?;
    if *json { say_json(&inspection) } else { say(&inspection.to_string()) }
}
