//! The runs of a table: each with its figure, and with everything by which it can be put into a line or a column.

use super::super::groups::{experiment, runs};
use super::super::metric::{Metric, Moment};
use super::super::names::Named;
use super::super::setting::Run;
use crate::corpus::Dataset;
use crate::error::{Error, Result};
use crate::math;
use std::path::Path;

/// One run.
pub struct Entry {
    pub place: String,
    run_id: String,
    fingerprint: String,
    pub version: String,
    pub seed: u64,
    pub name: String,
    /// Its labels on the axes of its sweep.
    pub labels: Vec<(String, String)>,
    /// Everything that tells its experiment from others, as it is written.
    pub fields: Vec<(String, String)>,
    pub users: Named,
    pub attack: Named,
    pub defense: Named,
    /// Whether the limit of weights follows from the defence.
    pub has_usual_weight_limit: bool,
    pub has_attack: bool,
    pub dataset: Dataset,
    pub ndcg_cutoff: u32,
    /// The figure, if the run has one.
    pub value: Option<f64>,
    /// Standard deviation of nDCG across nodes.
    pub node_sd: f64,
    pub window: Window,
}

/// The evaluations that a figure was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: i32,
    pub to: i32,
    pub n: usize,
    pub sessions: (i64, i64),
}

/// All runs, each once, and remarks for the reader.
pub fn read(results: &[impl AsRef<Path>], metric: Metric, at: Moment) -> Result<(Vec<Entry>, Vec<String>)> {
    let (mut entries, mut remarks): (Vec<Entry>, Vec<String>) = Default::default();
    for run in runs(results)? {
        let entry = Entry::of(run, metric, at)?;
        match entries.iter().find(|other| other.run_id == entry.run_id) {
            Some(twin) => remarks.push(counted_once(twin, &entry)?),
            None => entries.push(entry),
        }
    }
    Ok((entries, remarks))
}

fn counted_once(one: &Entry, other: &Entry) -> Result<String> {
    if one.fingerprint == other.fingerprint {
        return Ok(format!("{} is the same run as {} and is not counted again", other.place, one.place));
    }
    Err(Error::input(format!(
        "{} and {} are one run with different outcomes ({} by version {}, {} by version {}); leave one of them out",
        one.place, other.place, one.fingerprint, one.version, other.fingerprint, other.version
    )))
}

impl Entry {
    fn of(run: Run, metric: Metric, at: Moment) -> Result<Self> {
        let (curve, place) = (run.curve()?, run.place.display().to_string());
        let window = at.window(&curve, run.scenario.stop).map_err(|problem| Error::input(format!("{place}: {problem}")))?;
        let sds: Vec<f64> = window.iter().map(|point| point.ndcg_sd).collect();
        let (first, last) = (&window[0], &window[window.len() - 1]);
        let window = Window { from: first.evaluation, to: last.evaluation, n: window.len(), sessions: (first.sessions, last.sessions) };
        Ok(Self {
            value: metric.of(&run, at)?,
            node_sd: math::mean_sd(&sds).0,
            window,
            fields: experiment(&run),
            users: Named { name: run.scenario.users.name().to_lowercase(), spelled: run.row.users_spelled },
            attack: Named { name: run.scenario.attack.name().into_owned(), spelled: run.row.attack_spelled },
            defense: Named { name: run.scenario.defense.name().into(), spelled: run.row.defense_spelled },
            has_usual_weight_limit: run.scenario.has_usual_weight_limit(),
            has_attack: run.row.n_malicious > 0,
            dataset: run.scenario.dataset,
            ndcg_cutoff: run.scenario.ndcg_cutoff,
            place,
            run_id: run.run_id,
            fingerprint: run.fingerprint,
            version: run.version,
            seed: run.seed,
            name: run.row.name,
            labels: run.labels,
        })
    }

    /// The value of a field as it is written, or of one inside such as `defense.kappa`.
    pub fn written(&self, field: &str) -> Option<String> {
        match field {
            "seed" => return Some(self.seed.to_string()),
            "name" => return Some(self.name.clone()),
            _ => {}
        }
        let (top, inside) = field.split_once('.').map_or((field, None), |(top, inside)| (top, Some(inside)));
        let value = self.fields.iter().find(|(name, _)| name == field || name == top).map(|(_, value)| value.as_str())?;
        match inside.filter(|_| !self.fields.iter().any(|(name, _)| name == field)) {
            None => Some(value.into()),
            Some(inside) => super::super::names::inner(value, inside),
        }
    }

    /// Its label on an axis of its sweep.
    pub fn label(&self, axis: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| label.as_str())
    }
}
