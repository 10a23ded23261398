//! `rankguard figures`: the figures of many runs as comma-separated values.

use super::print::say;
use clap::Args;
use rankguard::error::Result;
use rankguard::report;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct FiguresArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
}

pub fn figures(args: &FiguresArgs) -> Result<()> {
    say(&report::figures(&args.results)?)
}
