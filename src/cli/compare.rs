//! `rankguard compare`: the difference between two sides, seed by seed.

use super::print::{say, say_json};
use clap::Args;
use rankguard::error::Result;
use rankguard::report::{self, Metric, Moment, Question};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Runs that are equal in everything but what is compared, and share their seed, are pairs. Whatever else varies makes comparisons of its own.

Examples:
  rankguard compare out/quickstart out/undefended          two experiments, whatever they differ in
  rankguard compare out/defences --by defense              a collected sweep: every defence against the first, under each attack
  rankguard compare out/steepness --by defense.kappa       a field inside another; several are joined by commas
  rankguard compare out/defences --by defense --baseline Undefended --metric online --metric time-to:0.5 --at 3d")]
pub struct CompareArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// What is compared: a field of the scenario, a field inside one, or an axis of the sweep [default: what the runs differ in]
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    by: Vec<String>,
    /// What is compared of each run: ndcg, worst5, online, exposure, pull, auc, alpha-honest, alpha-malicious, delivered, present, bytes, or
    /// time-to:0.5; may be repeated [default: ndcg and worst5]
    #[arg(long, value_name = "METRIC")]
    metric: Vec<Metric>,
    /// When: end, last:3% or last:10 evaluations, a virtual time such as 6h, or sessions:5000
    #[arg(long, value_name = "MOMENT", default_value = "last:3%")]
    at: Moment,
    /// How often intervals are to hold the true difference
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// The side with which all others are compared [default: that of the first run]
    #[arg(long, value_name = "LABEL")]
    baseline: Option<String>,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
}

pub fn compare(args: &CompareArgs) -> Result<()> {
    let comparison = report::compare(&args.results, &args.question())?;
    match args.json {
        true => say_json(&comparison),
        false => say(&format!("{comparison}\n{}", args.next())),
    }
}

impl CompareArgs {
    fn question(&self) -> Question {
        let usual = Question::default();
        let metrics = if self.metric.is_empty() { usual.metrics } else { self.metric.clone() };
        Question { by: self.by.clone(), metrics, at: self.at, level: self.level, baseline: self.baseline.clone() }
    }

    /// The command that shows more of the same runs.
    fn next(&self) -> String {
        let folders: Vec<String> = self.results.iter().map(|folder| folder.display().to_string()).collect();
        match &folders[..] {
            few if few.len() <= 4 => format!("next: rankguard report {}", folders.join(" ")),
            many => format!("next: rankguard report {} … ({} folders)", many[0], many.len()),
        }
    }
}
