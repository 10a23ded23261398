//! Two sides of an experiment compared seed by seed, with intervals.
//!
//! Runs that are equal in everything but what is compared, and share their seed, are a pair: they share every random draw that the difference
//! does not concern, so the difference within a pair has less noise than either side. Whatever else varies makes comparisons of its own.
//!
//! - `experiment` reads what tells runs apart, `choose` decides what is compared, and `sides` names the sides.
//! - `pairs` matches runs and refuses those that cannot be compared; `settings` names what else varies.
//! - `contrast` computes, `sentence` says the outcome in words, and `show` prints everything.
//!
//! **Invariant:** no figure is invented. Where a run has no value, there is no mean and no interval, and the reader is told.

mod choose;
mod contrast;
mod experiment;
mod pairs;
mod sentence;
mod settings;
mod show;
mod sides;

pub use contrast::{Contrast, Pair, Side};

use super::caution::cautions;
use super::distinct::{distinct, versions};
use super::groups;
use super::metric::{Metric, Moment};
use super::setting::Run;
use super::statistics::holm;
use crate::error::{Error, Result};
use experiment::Experiment;
use serde::Serialize;
use sides::Sides;
use std::path::Path;

/// What is asked of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The fields or axes whose values are the sides, such as `defense` or `defense.kappa`. If there are none, they are found.
    pub by: Vec<String>,
    /// The figures that are compared.
    pub metrics: Vec<Metric>,
    /// When they are taken.
    pub at: Moment,
    /// How often intervals hold the true difference, between 0 and 1.
    pub level: f64,
    /// The label of the side with which all others are compared; by default that of the first run.
    pub baseline: Option<String>,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The fields or axes whose values are the sides.
    pub by: Vec<String>,
    /// How often intervals hold the true difference.
    pub level: f64,
    /// When figures are taken, in words.
    pub at: Moment,
    /// What all runs have in common, in a few words.
    pub equal: String,
    /// Every comparison: setting by setting, side by side, metric by metric.
    pub contrasts: Vec<Contrast>,
    /// What the reader should know: runs and seeds that were left out, several versions of the program.
    pub remarks: Vec<String>,
    /// Cautions about the data; none if all of it is real.
    pub cautions: Vec<String>,
}

/// nDCG of all and of the worst nodes over the last 3 % of the runs, with intervals of 95 %.
impl Default for Question {
    fn default() -> Self {
        let metrics = vec![Metric::Ndcg, Metric::Worst5];
        Self { by: Vec::new(), metrics, at: Moment::Last(Default::default()), level: 0.95, baseline: None }
    }
}

/// Compares the runs of these folders, which hold single runs or collected sweeps.
///
/// # Errors
/// A result cannot be read or lacks a figure, or no two runs can be compared; the message says why and what to do.
pub fn compare(folders: &[impl AsRef<Path>], question: &Question) -> Result<Comparison> {
    let (runs, remarks) = distinct(groups::runs(folders)?)?;
    let comparison = of(&runs, question)?;
    Ok(Comparison { remarks: [remarks, comparison.remarks].concat(), ..comparison })
}

/// Compares runs, none of which is given twice.
///
/// # Errors
/// As [`compare`].
pub(super) fn of(runs: &[Run], question: &Question) -> Result<Comparison> {
    if !(question.level > 0.0 && question.level < 1.0) {
        return Err(Error::input(format!("the level is {}; choose one between 0 and 1, such as 0.95", question.level)));
    }
    let experiments: Vec<Experiment> = runs.iter().map(Experiment::of).collect();
    let by = choose::by(&experiments, &question.by)?;
    let sides = Sides::of(&experiments, by, question.baseline.as_deref())?;
    let matched = pairs::matched(runs, &experiments, &sides)?;
    let mut contrasts = contrast::all(&matched.pairings, &sides, question)?;
    adjust(&mut contrasts);
    let datasets = matched.pairings.iter().flat_map(|pairing| &pairing.pairs).map(|(_, run, _)| &run.scenario.dataset);
    Ok(Comparison {
        by: sides.by.clone(),
        level: question.level,
        at: question.at,
        equal: matched.equal,
        contrasts,
        remarks: matched.remarks.into_iter().chain(versions(runs)).collect(),
        cautions: cautions(datasets).into_iter().filter(|line| !line.is_empty()).collect(),
    })
}

/// Fills in the p-values that are adjusted for the number of comparisons.
fn adjust(contrasts: &mut [Contrast]) {
    let p: Vec<f64> = contrasts.iter().filter_map(|contrast| contrast.p).collect();
    let tested = contrasts.iter_mut().filter(|contrast| contrast.p.is_some());
    for (contrast, p_holm) in tested.zip(holm(&p)) {
        contrast.p_holm = Some(p_holm);
    }
}
