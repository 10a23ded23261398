//! One run looked at closely: which honest nodes ended worst and what sets them apart, which malicious model got the largest weight, and the
//! life of one node.

mod causes;
mod life;
mod loudest;
mod nodes;
mod show;
mod weights;

use super::groups::runs;
use super::names::inner;
use super::setting::Run;
use crate::error::{Error, Result};
use crate::record::Table;
use crate::results;
pub use causes::Cause;
pub use life::{Event, Life, What, life};
pub use loudest::{Effect, Loudest};
pub use nodes::NodeFigures;
use serde::Serialize;
use std::path::Path;

/// What a close look at a run finds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// The scenario's name.
    pub name: String,
    /// Where the run is.
    pub place: String,
    /// The seed.
    pub seed: u64,
    /// The defence, by its name.
    pub defense: String,
    /// The attack, by its name.
    pub attack: String,
    /// The number of the last evaluation.
    pub evaluation: i32,
    /// Honest nodes that were evaluated then.
    pub n_evaluated: usize,
    /// The worst of them, the very worst first.
    pub worst: Vec<WorstNode>,
    /// The median of every figure over all evaluated nodes.
    pub median: NodeFigures,
    /// The best nDCG.
    pub best_ndcg: f64,
    /// The malicious model that got the largest weight from an honest node.
    pub loudest: Option<Loudest>,
    /// What is missing because it was not recorded, with the field that records it.
    pub notes: Vec<String>,
}

/// A node at the end of the ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstNode {
    /// Its figures.
    pub figures: NodeFigures,
    /// What sets it apart and goes with low nDCG among all nodes; empty if nothing does.
    pub causes: Vec<Cause>,
}

/// Looks for the `n_worst` worst honest nodes of a run, and for what sets them apart.
///
/// # Errors
/// There is no such run, a table that is needed was not recorded, or a file cannot be read.
pub fn inspect(place: &Path, n_worst: usize) -> Result<Inspection> {
    let run = one(place)?;
    let mut notes = Vec::new();
    let weights = weights::read(&run, &mut notes)?;
    let (mut nodes, effect) = nodes::read(&run, &weights, &mut notes)?;
    nodes.sort_by(|a, b| a.ndcg.total_cmp(&b.ndcg).then(a.node.cmp(&b.node)));
    let compared = causes::Comparison::new(&nodes);
    let worst = nodes.iter().take(n_worst);
    Ok(Inspection {
        name: run.row.name.clone(),
        place: run.place.display().to_string(),
        seed: run.seed,
        defense: run.scenario.defense.name().into(),
        attack: run.scenario.attack.name().into_owned(),
        evaluation: effect.last,
        n_evaluated: nodes.len(),
        worst: worst.map(|figures| WorstNode { figures: figures.clone(), causes: compared.causes(figures) }).collect(),
        median: NodeFigures::median(&nodes),
        best_ndcg: nodes.last().map_or(0.0, |node| node.ndcg),
        loudest: weights.loudest.map(|loudest| loudest.with(effect, &run)).transpose()?,
        notes,
    })
}

/// The run of a result folder, or one of a collected sweep by its name: SWEEP/NAME.
///
/// # Errors
/// There is no such run, or the folder holds a whole sweep.
pub fn one(place: &Path) -> Result<Run> {
    let mut found = match (place.join("manifest.ron").exists(), place.parent(), place.file_name()) {
        (false, Some(sweep), Some(_)) if results::is_sweep(sweep) => of_sweep(sweep, place)?,
        _ => runs(&[place])?,
    };
    match found.len() {
        1 => Ok(found.remove(0)),
        n => {
            let example = found.first().map_or(String::new(), |run| format!(", such as {}", run.place.display()));
            Err(Error::input(format!("{}: is a sweep of {n} runs; name one of them{example}", place.display())))
        }
    }
}

fn of_sweep(sweep: &Path, place: &Path) -> Result<Vec<Run>> {
    let mut all = runs(&[sweep])?;
    let wanted = |run: &Run| run.place.file_name() == place.file_name();
    let names: Vec<String> = all.iter().filter_map(|run| Some(run.place.file_name()?.to_string_lossy().into_owned())).collect();
    all.retain(wanted);
    if all.is_empty() {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let near = names.iter().min_by_key(|other| strsim::damerau_levenshtein(other, &name));
        let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(Error::input(format!("{}: the sweep has no collected run of this name{hint}", place.display())));
    }
    Ok(all)
}

/// How the scenario records a table: All, OneIn(10) or Nothing.
fn sampling(run: &Run, table: Table) -> String {
    let line = run.row.scenario.lines().find_map(|line| line.strip_prefix("    record: "));
    line.and_then(|record| inner(record.trim_end_matches(','), table.name())).unwrap_or_else(|| "All".into())
}

/// Whether every row of a table was recorded.
fn is_whole(run: &Run, table: Table) -> bool {
    run.has(table) && sampling(run, table) == "All"
}

/// What a figure lacks because of a table, and the line that records it.
fn unrecorded(run: &Run, table: Table, what: &str) -> String {
    let (name, sampling) = (table.name(), sampling(run, table));
    match run.has(table) {
        false => format!("{what} is unknown: {name} was not recorded; record: ({name}: All) keeps it"),
        true => format!("{what} rests on a sample of {name} ({sampling}); record: ({name}: All) keeps all"),
    }
}
