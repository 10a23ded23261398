//! `rankguard sweep status`: how far a sweep is.

use crate::cli::print::{say, say_json, say_sections};
use clap::Args;
use rankguard::error::Result;
use rankguard::sweep::{Folder, Plan, RunCounts, Status, TaskCounts, TaskState, TaskStatus, shell_quoted, show_ids};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The folder of a planned sweep
    pub dir: PathBuf,
    /// Print only the numbers of unfinished tasks, as job arrays take them: 1-3,7
    #[arg(long, conflicts_with = "json")]
    pub missing: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn status(args: &StatusArgs) -> Result<()> {
    let status = Status::of(&Plan::read(&args.dir)?, &Folder::new(&args.dir));
    match (args.missing, args.json) {
        (true, _) => say(&show_ids(&status.unfinished())),
        (_, true) => say_json(&status),
        _ => say_sections(&text(&status, &args.dir)),
    }
}

fn text(status: &Status, dir: &Path) -> String {
    let Status { runs, tasks, .. } = status;
    let TaskCounts { all, done, running, failed, damaged, missing } = *tasks;
    let mut text = format!("{}: {} of {} runs and {done} of {all} tasks are done\n\n", status.name, runs.done, runs.all);
    text += &format!("{:<10}{:>8}{:>8}\n", "", "runs", "tasks");
    for (state, runs, tasks) in [
        ("done", Some(runs.done), done),
        ("running", Some(runs.running), running),
        ("failed", Some(runs.failed), failed),
        ("damaged", None, damaged),
        ("missing", Some(runs.missing), missing),
    ] {
        text += &format!("{state:<10}{:>8}{tasks:>8}\n", runs.map_or(String::new(), |runs| runs.to_string()));
    }
    text + &begun(status) + &next(status, &shell_quoted(dir))
}

/// Tasks that were begun and are not finished, a line each.
fn begun(status: &Status) -> String {
    let is_begun = |task: &&TaskStatus| match task.state {
        TaskState::Done => false,
        TaskState::Running | TaskState::Failed | TaskState::Damaged => true,
        TaskState::Missing => task.runs.missing < task.runs.all,
    };
    let lines: Vec<String> = status.by_task.iter().filter(is_begun).map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{:<10}{:>8}{:>8}{:>8}{:>8}\n{}", "task", "done", "running", "failed", "missing", lines.concat())
}

fn line(task: &TaskStatus) -> String {
    let RunCounts { done, running, failed, missing, .. } = task.runs;
    let state = match task.state {
        TaskState::Running => "  goes on",
        TaskState::Damaged => "  is damaged",
        TaskState::Done | TaskState::Failed | TaskState::Missing => "",
    };
    format!("{:<10}{done:>8}{running:>8}{failed:>8}{missing:>8}{state}\n", task.id)
}

/// What is left, why runs failed, and the command to go on with.
fn next(status: &Status, dir: &str) -> String {
    let why = if status.runs.failed > 0 { format!("what failed left its message in {dir}/work/TASK/RUN.failed\n") } else { String::new() };
    match status.unfinished() {
        unfinished if unfinished.is_empty() => format!("\nnext: rankguard sweep collect {dir}\n"),
        unfinished => format!(
            "\nunfinished tasks: {}\n{why}next: rankguard sweep run {dir}, or rankguard sweep submit ENGINE {dir}\n",
            show_ids(&unfinished)
        ),
    }
}
