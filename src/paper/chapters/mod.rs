//! The chapters of the report: for each experiment ours next to the paper's, on every data set that it was run on.

mod assumptions;
mod claims;
mod content;
mod curves;
mod history;
mod plans;
mod readings;
mod runtime;
mod share;
mod table;
mod theory;

use super::document::{Chapter, Document, Part};
use super::experiments::EXPERIMENTS;
use super::found::{OnData, find};
use crate::error::Result;
use crate::report::list;
use crate::units::counted;
use std::collections::BTreeSet;
use std::path::Path;

/// The report of everything that was run into a folder by `rankguard paper run`.
///
/// # Errors
/// The folder holds no experiment, or a result cannot be read.
pub fn report(root: &Path) -> Result<Document> {
    let found = find(root)?;
    let all: Vec<OnData> = found.iter().filter(|data| !is_only_a_part(data, &found)).cloned().collect();
    let mut chapters = vec![readings::chapter(), claims::chapter(&all), claims::evidence(&all)];
    for experiment in EXPERIMENTS {
        let parts: Vec<Part> = match experiment.name {
            "motivation" => curves::motivation(&all),
            "robustness" | "scale" => table::robustness(&all, experiment.name),
            "further-rules" => table::further(&all),
            "adapt" => curves::adapt(&all),
            "alpha" => curves::alpha(&all),
            "share" => share::share(&all),
            "neural" => curves::neural(&all),
            "runtime" => runtime::runtime(&all),
            "sessions-needed" => history::history(&all),
            "theory" => theory::theory(&all),
            "assumptions" => assumptions::assumptions(&all),
            _ => Vec::new(),
        };
        if !parts.is_empty() {
            let shows = Part::text(format!("What it shows: {}.", experiment.shows));
            chapters.push(Chapter::new(experiment.name, title(experiment.name), [vec![shows], parts].concat()));
        }
        if experiment.name == "robustness" {
            chapters.push(Chapter::new("content", "Why: what honest models are made of", content::content(&all)));
        }
    }
    chapters.push(readings::limits(&all));
    chapters.push(plans::chapter(root, &found));
    Ok(Document {
        title: "The paper, reproduced".into(),
        headline: claims::headline(&all),
        findings: claims::findings(&all),
        honesty: honesty(&found),
        chapters,
    })
}

/// Whether a fold has too few seeds to say anything by itself, and is part of all folds of its set together.
fn is_only_a_part(data: &OnData, all: &[OnData]) -> bool {
    let units: BTreeSet<&str> = data.outcomes.iter().map(|run| run.unit.as_str()).collect();
    data.unit == "seed"
        && units.len() < 3
        && data.label.contains("-Fold")
        && all.iter().any(|other| other.unit == "fold" && other.set() == data.set())
}

/// The heading of an experiment.
fn title(name: &str) -> String {
    match name {
        "motivation" => "Without a defence",
        "robustness" => "Robustness: ours next to the paper's",
        "scale" => "Robustness at the paper's size",
        "further-rules" => "Rules that the paper does not have",
        "adapt" => "ADAPT against RankGuard and RankGuard-Rand",
        "alpha" => "The weights of honest and malicious models",
        "share" => "The share of malicious nodes",
        "neural" => "A neural ranker",
        "runtime" => "The time to judge a model",
        "sessions-needed" => "Sessions that it takes to reject a poisoned model",
        "theory" => "Theory: weights and the effective in-degree",
        "assumptions" => "What each choice does",
        other => other,
    }
    .into()
}

/// What everything rests on.
fn honesty(all: &[OnData]) -> String {
    let runs: usize = all.iter().filter(|data| data.unit == "seed").map(|data| data.outcomes.len()).sum();
    let names = |is_synthetic: bool| -> Vec<String> {
        all.iter().filter(|data| data.unit == "seed" && data.caution.is_some() == is_synthetic).map(|data| data.label.clone()).collect()
    };
    let n_sets = names(true).len() + names(false).len();
    let sets = if n_sets == 1 { String::new() } else { format!(" on {n_sets} sets and folds") };
    let mut lines = vec![format!("{}{sets}.", counted(runs as u64, "run"))];
    if !names(false).is_empty() {
        lines.push(format!("Real data: {}.", list(&names(false))));
    }
    if !names(true).is_empty() {
        lines.push(format!(
            "Synthetic stand-ins: {}. They were made so that learning together helps and honest rankers are recognisable: they show that the program works, \
             and say nothing about the sets whose shape they have.",
            list(&names(true))
        ));
    }
    let shortest = all
        .iter()
        .flat_map(|data| &data.outcomes)
        .filter(|run| run.experiment != "assumptions")
        .map(|run| run.sessions)
        .fold(f64::INFINITY, f64::min);
    if shortest < 30_000.0 {
        lines.push(format!("Some runs have {shortest:.0} sessions instead of the paper's 30,000, so they tell less."));
    }
    lines.join(" ")
}

/// The name of a data set in a heading, marked if it is synthetic.
fn named(data: &OnData) -> String {
    match &data.caution {
        None => data.label.clone(),
        Some(_) => format!("{} (synthetic)", data.label),
    }
}

/// Data sets on which an experiment was run, folds of one set apart.
fn with<'a>(all: &'a [OnData], experiment: &'a str) -> impl Iterator<Item = &'a OnData> {
    all.iter().filter(move |data| data.unit == "seed" && !data.sweeps_of(experiment).is_empty())
}

/// Lower-case words joined by hyphens, for the names of figures.
fn slug(text: &str) -> String {
    let sign = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    text.chars().map(sign).collect::<String>().split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
