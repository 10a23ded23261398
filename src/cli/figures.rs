//! `rankguard figures`: the figures of many runs as comma-separated values.

use super::print::{say, say_json};
use clap::Args;
use rankguard::error::Result;
use rankguard::report;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct FiguresArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Print a list of objects as JSON instead, one for each run
    #[arg(long)]
    json: bool,
}

pub fn figures(args: &FiguresArgs) -> Result<()> {
    let figures = report::figures(&args.results)?;
    if args.json { say_json(&figures) } else { say(&figures.csv()) }
}
