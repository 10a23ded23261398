//! `rankguard sweep run`: does the runs of a sweep here, or those of one task.

use super::progress::Display;
use crate::cli::Interruption;
use crate::cli::print::{say, say_json, tell};
use crate::cli::run::{ProgressStyle, every};
use crate::cli::threads::threads;
use clap::Args;
use rankguard::error::{Error, Result, clip};
use rankguard::run::Every;
use rankguard::sweep::{Executed, Execution, Failure, Folder, Plan, SweepProgress, execute, shell_quoted, task_index};
use rankguard::units::counted;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The failures that are shown.
const SHOWN: usize = 10;
/// The largest number of runs at a time.
const MAX_JOBS: usize = 1024;

#[derive(Debug, Args)]
pub struct SweepRunArgs {
    /// The folder of a planned sweep
    pub dir: PathBuf,
    /// Do this task alone; auto: the one that the job array around this process names [default: all tasks]
    #[arg(long, value_name = "N|auto", value_parser = wanted)]
    pub task: Option<Wanted>,
    /// Runs at a time; fewer if they do not fit into memory [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Threads of each run; the results do not depend on it [default: 1, or all cores for a single run at a time]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How often to write each run down, so that it can go on after an interruption; see `rankguard run --help`
    #[arg(long, value_name = "EVERY", value_parser = every, default_value = "10min")]
    pub checkpoint: Every,
    /// How to show progress; json prints an object for every run that is over
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "STYLE")]
    pub progress: ProgressStyle,
    /// Stop everything when a run fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Print what was done as JSON, also if a run failed
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

/// The task that the user names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Number(u32),
    Auto,
}

fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    match text {
        "auto" => Ok(Wanted::Auto),
        number => number.parse().map(Wanted::Number).map_err(|_| "must be the number of a task, from 1, or auto".into()),
    }
}

pub fn run(args: &SweepRunArgs, interruption: &Interruption) -> Result<()> {
    let plan = Plan::read(&args.dir)?;
    let task = args.task.map(|wanted| number(wanted, args.quiet)).transpose()?;
    let n_runs = task.map_or_else(|| Ok(plan.runs().count()), |task| plan.task(task).map(|task| task.runs.len()))?;
    let threads_of_each = args.threads.map(|wanted| threads(Some(wanted))).transpose()?;
    let (jobs, threads) = share(threads(None)?, n_runs, args.jobs.map(jobs).transpose()?, threads_of_each);
    let (clock, display) = (Instant::now(), Display::new(&plan.name, args.progress, args.quiet));
    let mut watch = |progress: &SweepProgress| display.show(progress);
    let (checkpoints, fail_fast, interrupt) = (args.checkpoint, args.fail_fast, interruption.interrupt());
    let how = Execution { task, jobs, threads, checkpoints, fail_fast, interrupt, watch: &mut watch };
    let executed = execute(&plan, &Folder::new(&args.dir), how);
    display.clear();
    let executed = executed?;
    if !args.quiet {
        notes(&executed).iter().for_each(|note| tell(note));
    }
    if args.json {
        say_json(&data(&executed, task, clock.elapsed()))?;
        return conclude(&executed, args, task);
    }
    conclude(&executed, args, task)?;
    if args.quiet { Ok(()) } else { say(&summary(&executed.progress, args, task, clock.elapsed())) }
}

fn data(executed: &Executed, task: Option<u32>, wall: Duration) -> Value {
    let SweepProgress { of, before, done, failed, elsewhere, .. } = executed.progress;
    json!({
        "task": task,
        "runs": { "all": of, "done_before": before, "done": done, "failed": failed, "elsewhere": elsewhere },
        "failures": executed.failures,
        "held_tasks": executed.held,
        "done_again_because": executed.damaged,
        "is_interrupted": executed.is_interrupted,
        "time": { "seconds": wall.as_secs_f64() },
    })
}

fn number(wanted: Wanted, quiet: bool) -> Result<u32> {
    match wanted {
        Wanted::Number(number) => Ok(number),
        Wanted::Auto => {
            let index = task_index(|name| std::env::var(name).ok())?;
            if !quiet {
                tell(&format!("task {}, as {} says", index.number, index.variable));
            }
            Ok(index.number)
        }
    }
}

fn jobs(wanted: NonZeroUsize) -> Result<usize> {
    match wanted.get() {
        n if n > MAX_JOBS => {
            Err(Error::input(format!("--jobs {n}: at most {MAX_JOBS} runs go on at a time; more than cores make nothing faster")))
        }
        n => Ok(n),
    }
}

/// Runs at a time, and threads of each.
fn share(cores: usize, n_runs: usize, jobs: Option<usize>, threads: Option<usize>) -> (usize, usize) {
    let jobs = jobs.unwrap_or(cores / threads.unwrap_or(1)).min(n_runs).max(1);
    (jobs, threads.unwrap_or(if jobs == 1 { cores } else { 1 }))
}

/// What a reader should know beside the counts.
fn notes(executed: &Executed) -> Vec<String> {
    let damaged = executed.damaged.iter().map(|problem| format!("done again, because {problem}"));
    let held = match executed.held.len() as u64 {
        0 => None,
        n => Some(format!("left to other processes, which work on them: {} ({})", counted(n, "task"), executed.held.join(", "))),
    };
    damaged.chain(held).collect()
}

/// An error unless everything that was begun is done. An interruption counts more than failures, which will be met again: batch engines start
/// a task anew only after that exit code.
fn conclude(executed: &Executed, args: &SweepRunArgs, task: Option<u32>) -> Result<()> {
    let SweepProgress { of, before, done, elsewhere, failed: n_failed, .. } = executed.progress;
    let n_left = of - before - done - elsewhere - n_failed;
    if executed.is_interrupted && n_left > 0 {
        let failed = if n_failed > 0 { format!(", {n_failed} failed") } else { String::new() };
        return Err(Error::interrupted(format!(
            "interrupted; {} of {of} runs are done{failed}; the same command does the others",
            before + done
        )));
    }
    match executed.failures.is_empty() {
        true => Ok(()),
        false => Err(Error::failed(failed(executed, &args.dir, task))),
    }
}

fn failed(executed: &Executed, dir: &Path, task: Option<u32>) -> String {
    let failures = &executed.failures;
    let shown = failures.iter().take(SHOWN).map(|Failure { task, run, message }| {
        let first = message.lines().next().unwrap_or_default();
        format!("\n  {task} {}: {}", if run.is_empty() { "cannot be finished" } else { run }, clip(first, 400))
    });
    let more = if failures.len() > SHOWN { format!("\n  and {} more", failures.len() - SHOWN) } else { String::new() };
    let n = counted(failures.len() as u64, "run");
    format!("{n} failed:{}{more}\nrepeat them with: {}", shown.collect::<String>(), command(dir, task))
}

fn command(dir: &Path, task: Option<u32>) -> String {
    let task = task.map_or(String::new(), |task| format!(" --task {task}"));
    format!("rankguard sweep run {}{task}", shell_quoted(dir))
}

fn summary(progress: &SweepProgress, args: &SweepRunArgs, task: Option<u32>, wall: Duration) -> String {
    let SweepProgress { before, done, elsewhere, .. } = *progress;
    let dir = shell_quoted(&args.dir);
    let now = counted(done as u64, "run");
    let before = if before > 0 { format!(", {before} were done before") } else { String::new() };
    let next = match task.is_none() && elsewhere == 0 {
        true => format!("rankguard sweep collect {dir}"),
        false => format!("rankguard sweep status {dir}"),
    };
    format!("{now} done in {:.1} s{before}\nnext: {next}", wall.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cores: usize, n_runs: usize, jobs: Option<usize>, threads: Option<usize>, expect: (usize, usize)) {
        assert_eq!(share(cores, n_runs, jobs, threads), expect);
    }

    #[test]
    fn cores_are_shared_by_runs() {
        check(8, 100, None, None, (8, 1));
        check(8, 100, Some(3), None, (3, 1));
        check(8, 100, Some(1), None, (1, 8));
        check(8, 1, None, None, (1, 8));
        check(8, 100, None, Some(4), (2, 4));
        check(8, 100, None, Some(16), (1, 16));
        check(8, 100, Some(8), Some(4), (8, 4));
        check(2, 0, None, None, (1, 2));
    }

    #[test]
    fn a_task_is_a_number_or_auto() {
        assert_eq!((wanted("auto"), wanted("7")), (Ok(Wanted::Auto), Ok(Wanted::Number(7))));
        assert!(wanted("-1").is_err() && wanted("t00001").is_err());
    }

    #[test]
    fn many_failures_are_cut_short() {
        let failure = |n| Failure { task: "t00001".into(), run: format!("seed-{n}"), message: "no data\nat all".into() };
        let executed = Executed { failures: (0..12).map(failure).collect(), ..Executed::default() };
        let text = failed(&executed, Path::new("out/sweep"), Some(1));
        assert!(text.starts_with("12 runs failed:\n  t00001 seed-0: no data\n  t00001 seed-1: no data\n"), "{text}");
        assert!(text.ends_with("seed-9: no data\n  and 2 more\nrepeat them with: rankguard sweep run out/sweep --task 1"), "{text}");
    }
}
