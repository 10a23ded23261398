//! `rankguard sweep submit`: prints the script that gives tasks to a batch engine, or sends it.

use crate::cli::print::say;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rankguard::error::{Error, Result};
use rankguard::sweep::{Engine, Folder, Plan, Status, Submission, absolute, megabytes, parse_ids, shell_quoted};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Args)]
pub struct SubmitArgs {
    /// The batch engine
    #[arg(value_parser = engines())]
    engine: Engine,
    /// The folder of a planned sweep
    dir: PathBuf,
    /// Send the script instead of printing it; it is kept as DIR/submit.sh (slurm and parallel)
    #[arg(long)]
    now: bool,
    /// The tasks, such as 1-3,7 [default: those without whole results, unless a process works on them]
    #[arg(long, value_name = "IDS")]
    array: Option<String>,
    /// Cores of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    cpus: u32,
}

fn engines() -> impl TypedValueParser<Value = Engine> {
    let engine = |name: String| Engine::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, engine)| engine);
    PossibleValuesParser::new(Engine::ALL.map(|(name, _)| name)).map(move |name| engine(name).expect("the name is one of them"))
}

pub fn submit(args: &SubmitArgs) -> Result<()> {
    if args.now {
        args.engine.check_sendable()?;
    }
    let plan = Plan::read(&args.dir)?;
    let last = plan.tasks.len() as u32;
    let tasks = args.array.as_ref().map_or_else(|| Ok(idle(&plan, &args.dir)), |ids| parse_ids(ids, last))?;
    if tasks.is_empty() {
        let dir = shell_quoted(&args.dir);
        return say(&format!("nothing to do: all {last} tasks have results or are worked on; next: rankguard sweep collect {dir}"));
    }
    let script = args.engine.script(&submission(args, &plan, tasks)?);
    if args.now { send(&args.dir, &script) } else { say(&script) }
}

fn idle(plan: &Plan, dir: &Path) -> Vec<u32> {
    Status::of(plan, &Folder::new(dir)).idle()
}

fn submission(args: &SubmitArgs, plan: &Plan, tasks: Vec<u32>) -> Result<Submission> {
    let here = std::env::current_exe().map_err(|e| Error::failed(format!("the program does not know where it is: {e}")));
    Ok(Submission {
        name: plan.name.clone(),
        dir: absolute(&args.dir)?,
        start_in: absolute(Path::new("."))?,
        program: if args.engine.is_in_containers() { "rankguard".into() } else { absolute(&here?)? },
        tasks,
        cpus: args.cpus,
        megabytes: megabytes(plan.memory, args.cpus),
    })
}

/// Keeps the script and hands it to a shell, which prints what the engine answers.
fn send(dir: &Path, script: &str) -> Result<()> {
    let path = dir.join("submit.sh");
    std::fs::write(&path, script).map_err(|e| Error::cannot_write(&path, &e))?;
    let ended = Command::new("sh").arg(&path).status().map_err(|e| Error::failed(format!("sh cannot be started: {e}")))?;
    match ended.code() {
        Some(0) => Ok(()),
        Some(75) => Err(Error::interrupted(format!("{}: was interrupted; submit again", path.display()))),
        _ => Err(Error::failed(format!("{}: ended with {ended}; the engine's message is above", path.display()))),
    }
}
