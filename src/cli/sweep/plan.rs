//! `rankguard sweep plan`: divides the runs of a sweep file into tasks.

use crate::cli::mistaken;
use crate::cli::print::{say, say_json};
use clap::Args;
use rankguard::error::Result;
use rankguard::sweep::{PlanSummary, Planned, SweepFile, shell_quoted};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The sweep, a RON file
    file: PathBuf,
    /// The folder of the sweep [default: out/NAME of the sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a field of the base, such as --set 'dataset=Letor(path: "data/MQ2008/Fold1", normalize: AsIs)', or one inside, such as
    /// --set dataset.seed=2; may be given several times
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// Divide new runs into this many tasks, whatever the file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    tasks: Option<u32>,
    /// Check and show the plan, but write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the plan in numbers as JSON
    #[arg(long)]
    json: bool,
}

pub fn plan(args: &PlanArgs) -> Result<()> {
    let file = SweepFile::read_with(&args.file, &args.set)
        .map_err(|problem| mistaken(problem, &args.file, &["nodes", "ranker"], "a scenario", "run"))?;
    let dir = args.out.clone().unwrap_or_else(|| Path::new("out").join(file.name()));
    let planned = Planned::new(&file, &dir, args.tasks)?;
    if !args.dry_run {
        planned.write()?;
    }
    let summary = PlanSummary::of(&planned, &shell_quoted(&dir));
    if args.json {
        return say_json(&summary);
    }
    let outcome = match (planned.is_same(), args.dry_run) {
        (true, _) => format!("nothing to do: all of this is planned in {}", dir.display()),
        (false, true) => "nothing was written".into(),
        (false, false) => format!("planned in {}", dir.display()),
    };
    say(&format!("{}\n{outcome}; next: {}", summary.text(&planned.plan), summary.next))
}
