//! `rankguard table`: results side by side.

use super::print::say;
use clap::Args;
use rankguard::error::Result;
use rankguard::report::{self, Last, Published};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct TableArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// How much of the end of each run is averaged: a share of it, or a number of evaluations in its second half
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    last: Last,
    /// Published figures to print below one's own, as comma-separated values
    #[arg(long, value_name = "FILE", requires = "dataset")]
    beside: Option<PathBuf>,
    /// The data set whose published figures are meant
    #[arg(long, value_name = "NAME", requires = "beside")]
    dataset: Option<String>,
}

pub fn table(args: &TableArgs) -> Result<()> {
    let published = args.beside.as_ref().zip(args.dataset.as_ref()).map(|(path, dataset)| Published::read(path, dataset)).transpose()?;
    say(&report::table(&args.results, args.last, published.as_ref())?)
}
