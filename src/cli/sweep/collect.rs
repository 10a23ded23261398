//! `rankguard sweep collect`: one data set per table of all results of a sweep.

use crate::cli::print::{say, say_json};
use clap::Args;
use rankguard::error::{Error, Result};
use rankguard::sweep::{Collected, Folder, Plan, Verified, shell_quoted, show_ids};
use rankguard::units::{count, counted};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The damaged tasks that are shown.
const SHOWN: usize = 10;

#[derive(Debug, Args)]
pub struct CollectArgs {
    /// The folder of a planned sweep
    pub dir: PathBuf,
    /// Collect what is there although tasks are missing or damaged
    #[arg(long)]
    pub partial: bool,
    /// Print what was collected, and what is missing or damaged, as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn collect(args: &CollectArgs) -> Result<()> {
    let (plan, folder) = (Plan::read(&args.dir)?, Folder::new(&args.dir));
    let verified = Verified::of(&plan, &folder);
    if !verified.found.is_complete() && !args.partial {
        let problem = incomplete(&verified.found, &args.dir);
        if args.json {
            say_json(&data(&verified.found, args, false))?;
        }
        return Err(Error::failed(format!(
            "{problem}\nnothing was written; --partial collects the {}",
            counted(verified.found.n_tasks as u64, "finished task")
        )));
    }
    let collected = verified.write()?;
    if args.json { say_json(&data(&collected, args, true)) } else { say(&text(&collected, &plan, &args.dir)) }
}

fn data(collected: &Collected, args: &CollectArgs, is_written: bool) -> Value {
    let damaged: Vec<Value> = collected.damaged.iter().map(|(number, problem)| json!({ "task": number, "problem": problem })).collect();
    json!({
        "tables": args.dir.join("tables").display().to_string(),
        "is_written": is_written,
        "is_complete": collected.is_complete(),
        "runs": collected.n_runs,
        "tasks": collected.n_tasks,
        "rows": collected.rows,
        "missing_tasks": collected.missing,
        "damaged_tasks": damaged,
        "differing": collected.differing,
    })
}

/// What is missing or damaged, and how to get it.
fn incomplete(found: &Collected, dir: &Path) -> String {
    let again = format!("rankguard sweep run {}", shell_quoted(dir));
    let mut lines = vec![format!("{}: the sweep is incomplete", dir.display())];
    if !found.missing.is_empty() {
        let n = counted(found.missing.len() as u64, "task");
        lines.push(format!("{n} not finished: {}; do the rest with: {again}", show_ids(&found.missing)));
    }
    for (number, problem) in found.damaged.iter().take(SHOWN) {
        lines.push(format!("task {number}: {problem}; do it again with: {again} --task {number}"));
    }
    if found.damaged.len() > SHOWN {
        lines.push(format!("and {} more are damaged; do all again with: {again}", found.damaged.len() - SHOWN));
    }
    lines.extend(found.differing.iter().take(SHOWN).cloned());
    lines.join("\n")
}

/// The commands that show what was collected.
fn next(plan: &Plan, dir: &Path) -> String {
    let dir = shell_quoted(dir);
    let axis = plan.axes.iter().find(|axis| axis.values.len() > 1);
    let by = axis.map_or(String::new(), |axis| format!("   rankguard compare {dir} --by {}", shell_quoted(Path::new(&axis.name))));
    format!("rankguard table {dir}{by}   rankguard report {dir}")
}

fn text(collected: &Collected, plan: &Plan, dir: &Path) -> String {
    let (runs, tasks) = (counted(collected.n_runs as u64, "run"), counted(collected.n_tasks as u64, "task"));
    let mut text = format!("{runs} of {tasks} in {}\n\n", dir.join("tables").display());
    for (table, rows) in &collected.rows {
        text += &format!("{table:<14}{:>14} rows\n", count(*rows));
    }
    let files = dir.join("tables/curve/*/*.parquet");
    text += &format!("\nduckdb -c \"SELECT * FROM read_parquet('{}', hive_partitioning = true) LIMIT 10\"\n", files.display());
    text += &format!("next: {}\n", next(plan, dir));
    match collected.is_complete() {
        true => text,
        false => format!("only a part was collected: {}\n{text}", incomplete(collected, dir)),
    }
}
