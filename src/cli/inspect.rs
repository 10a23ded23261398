//! `rankguard inspect`: a close look at one run, or at one of its nodes.

use super::print::{say_json, say_sections};
use clap::Args;
use rankguard::error::Result;
use rankguard::report;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The result folder of a run, or SWEEP/NAME of a run in a collected sweep
    run: PathBuf,
    /// Print the life of this node: joins, leaves, searches, received models with their verdict, evaluations, faults
    #[arg(long, value_name = "N")]
    node: Option<u32>,
    /// How many of the worst nodes to look at
    #[arg(long, value_name = "N", default_value = "5", conflicts_with = "node")]
    worst: NonZeroUsize,
    /// Print every event of the node's life, instead of the most telling ones
    #[arg(long, requires = "node")]
    all: bool,
    /// Print everything as JSON; a node's life has all events then
    #[arg(long)]
    json: bool,
}

pub fn inspect(args: &InspectArgs) -> Result<()> {
    match args.node {
        Some(node) => {
            let life = report::life(&args.run, i32::try_from(node).unwrap_or(i32::MAX))?;
            if args.json { say_json(&life) } else { say_sections(&life.text(args.all)) }
        }
        None => {
            let inspection = report::inspect(&args.run, args.worst.get())?;
            if args.json { say_json(&inspection) } else { say_sections(&(inspection.text() + &next(args, &inspection))) }
        }
    }
}

/// The command that looks closer.
fn next(args: &InspectArgs, inspection: &report::Inspection) -> String {
    let worst = inspection.worst.first().map_or(0, |worst| worst.figures.node);
    format!("\nnext: rankguard inspect {} --node {worst}\n", rankguard::sweep::shell_quoted(&args.run))
}
