//! `rankguard bench`: how fast the program is on this machine, next to bounds of the machine and to the paper's times.

use super::print::say;
use clap::Args;
use rankguard::bench::{self, Bounds, Effort, Fastest, Group, Report};
use rankguard::error::{Error, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure only this group: judge, search, evaluation, timeline, parse, record or threads; may be given several times
    #[arg(long, value_name = "GROUP")]
    group: Vec<Group>,
    /// Measure small sizes only, in seconds
    #[arg(long)]
    quick: bool,
    /// Also write everything that is measured to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only properties that must hold on every machine, and fail if one does not
    #[arg(long, conflicts_with_all = ["group", "quick", "json"])]
    check: bool,
    /// Measure nothing; write a small case with its results to this file, as JSON, by which another program can check its own
    #[arg(long, value_name = "FILE", conflicts_with_all = ["group", "quick", "json", "check"])]
    export: Option<PathBuf>,
}

pub fn bench(args: &BenchArgs) -> Result<()> {
    match &args.export {
        Some(path) => write(path, &bench::export()),
        None if args.check => check(),
        None => measure(args),
    }
}

/// Prints each group as soon as it is measured.
fn measure(args: &BenchArgs) -> Result<()> {
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let mut report = Report::new(Bounds::measure());
    say(&report.head())?;
    let mut meter = Fastest::new(effort);
    for group in Group::ALL.into_iter().filter(|group| args.group.is_empty() || args.group.contains(group)) {
        group.measure(effort, &mut meter)?;
        let rows = meter.take();
        say(&format!("\n{}", bench::table(&rows, &report.bounds)))?;
        report.rows.extend(rows);
    }
    let runtime_table = bench::runtime_table(&report.rows);
    if !runtime_table.is_empty() {
        say(&format!("\n{runtime_table}"))?;
    }
    args.json.as_ref().map_or(Ok(()), |path| write(path, &report))
}

fn check() -> Result<()> {
    let checks = bench::checks()?;
    let lines: Vec<String> = checks.iter().map(bench::Check::show).collect();
    say(&lines.join("\n"))?;
    match checks.iter().find(|check| check.holds == Some(false)) {
        Some(failed) => Err(Error::failed(format!("the shape of the program's speed is wrong: {}", failed.text))),
        None => Ok(()),
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value).map_err(|e| Error::failed(format!("{}: cannot be put into JSON: {e}", path.display())))?;
    std::fs::write(path, text).map_err(|e| Error::cannot_write(path, &e))
}
