//! `rankguard check`: prints a scenario with every default filled in, and the expected cost of its run.

use super::interruption::Interruption;
use super::print::{say, say_json, tell};
use super::read_scenario;
use clap::Args;
use rankguard::corpus::{Corpus, Dataset};
use rankguard::error::Result;
use rankguard::machine;
use rankguard::scenario::{DataSize, Estimate, Room};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The scenario, a RON file, or - for standard input
    file: PathBuf,
    /// Replace a field of the scenario, such as --set defense=Undefended, or one inside, such as --set defense.kappa=8; may be given
    /// several times
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// Print the scenario, what its run is expected to cost, and warnings as JSON
    #[arg(long)]
    json: bool,
}

pub fn check(args: &CheckArgs, interruption: &Interruption) -> Result<()> {
    let scenario = read_scenario(&args.file, &args.set)?;
    // A run that does not fit into memory only causes a warning. Nothing is made for each node here, because there may be billions of
    // nodes.
    let means = scenario.network()?.means();
    let data = match scenario.dataset {
        Dataset::Letor { .. } => {
            Some(DataSize::of(&Corpus::load_within(&scenario.dataset, machine::available_memory(), interruption.interrupt().caches())?))
        }
        Dataset::Synthetic { .. } => None,
    };
    let estimate = Estimate::with(&scenario, data, means);
    let room = Room { memory: machine::available_memory(), disk: machine::free_disk(Path::new("out")) };
    let warnings: Vec<String> =
        estimate.excess(room).iter().map(|reason| format!("{}: {reason}; run refuses it without --force", scenario.name)).collect();
    if args.json {
        let meaning: Vec<String> = scenario.meaning().lines().filter(|line| !line.is_empty()).map(String::from).collect();
        let (text, name) = (scenario.canonical(), &scenario.name);
        return say_json(&json!({
            "name": name, "scenario": scenario, "text": text, "meaning": meaning, "expected": estimate, "warnings": warnings,
        }));
    }
    let about = format!("{}{estimate}", scenario.meaning());
    say(&format!("{}\n{}", scenario.canonical(), comment(&about)))?;
    warnings.iter().for_each(|warning| tell(&format!("warning: {warning}")));
    Ok(())
}

/// Every line as a comment, so that the output of `check` is a scenario.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect()
}
