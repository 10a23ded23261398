//! The page of several runs: what differs between them, and what that changes.

mod course;
mod curves;
mod experiments;
mod forest;
mod grid;
mod headline;
mod heat;
mod list;
mod seeds;

use super::super::setting::Run;
use super::Choice;
use super::document::{Opening, Page};
use super::glossary::glossary;
use super::scenario::scenario;
use super::section::{Block, Section};
use super::words::{counted, list as listed};
use crate::error::Result;
use experiments::Experiments;
use std::collections::BTreeSet;
use std::path::Path;

/// The page of these runs, none of which is given twice.
///
/// # Errors
/// A curve cannot be read.
pub fn page(folders: &[&Path], runs: &[Run], remarks: &[String], choice: &Choice) -> Result<Page> {
    let experiments = Experiments::of(runs)?;
    let comparison = forest::comparison(runs, &experiments, &choice.by, choice.baseline.as_deref());
    let ndcg = ndcg(runs);
    let opening = Opening {
        title: title(folders, runs),
        headline: headline::headline(&experiments, &comparison, &ndcg),
        findings: headline::findings(&comparison),
        honesty: headline::honesty(&experiments, runs.len()),
        strip: headline::strip(&experiments),
    };
    let mut accuracy = vec![curves::curves(&experiments, &ndcg)];
    accuracy.extend(heat::heat_maps(&experiments, &ndcg).into_iter().map(Block::from));
    let sections = [
        Section::new("accuracy", "How well honest nodes rank", accuracy),
        forest::forest(&comparison, &ndcg),
        Section::new("table", "All experiments", grid::grid(&experiments, &ndcg)),
        list::differences(&experiments),
        list::runs(&experiments, remarks),
        scenario(&runs.iter().collect::<Vec<_>>()),
        glossary(),
    ];
    Ok(Page::new(&opening, &sections))
}

/// nDCG with its cutoff, if all runs have the same.
fn ndcg(runs: &[Run]) -> String {
    let cutoffs: BTreeSet<u32> = runs.iter().map(|run| run.scenario.ndcg_cutoff).collect();
    cutoffs.first().filter(|_| cutoffs.len() == 1).map_or("nDCG".into(), |cutoff| format!("nDCG@{cutoff}"))
}

/// The names of the folders, if they are few, and how many runs they hold.
fn title(folders: &[&Path], runs: &[Run]) -> String {
    let names: Vec<String> =
        folders.iter().filter_map(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned()).collect();
    let n = counted(runs.len() as u64, "run");
    if !names.is_empty() && names.len() <= 3 { format!("{} · {n}", listed(&names)) } else { n }
}
