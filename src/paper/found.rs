//! Finds what has been run: the results below one folder, by data set, experiment and sweep.
//!
//! Figures are read once, into [`Outcome`]s; claims and tables then choose among them by the labels of their sweeps.

use super::experiments::{EXPERIMENTS, Experiment, Work};
use super::sessions_needed::{Needed, read_needed};
use super::theory::{Theory, theory};
use super::times::Times;
use crate::error::{Error, Result};
use crate::math;
use crate::record::CurveRow;
use crate::report::statistics::{Interval, of_mean, paired};
use crate::report::{self, Last, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How often intervals hold the truth.
const LEVEL: f64 = 0.95;
/// Fewer pairs than this have no interval.
const FEWEST_PAIRS: usize = 3;

/// Everything that was found on one data set, or on the folds of one together.
#[derive(Debug, Clone, Default)]
pub struct OnData {
    /// Such as `MQ2008-Fold1`, `MQ2008, 5 folds` or `WEB30K-stand-in`.
    pub label: String,
    /// What a reader must know about the data, if it is synthetic.
    pub caution: Option<String>,
    /// What figures are averaged over: `seed` or `fold`.
    pub unit: &'static str,
    /// Runs of sweeps.
    pub outcomes: Vec<Outcome>,
    /// Folders of collected sweeps, with the experiment and the name of each.
    pub sweeps: Vec<(&'static Experiment, String, PathBuf)>,
    /// The weights of a poisoned model by the number of sessions that judge it.
    pub needed: Vec<Needed>,
    /// The times that judging takes.
    pub times: Option<Times>,
    /// What runs say of the theorem on convergence.
    pub theory: Option<Theory>,
}

/// One run of a sweep.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The experiment that it belongs to.
    pub experiment: &'static str,
    /// The name of its sweep, in most experiments the reading of the paper.
    pub sweep: String,
    /// Its labels on the axes of the sweep, and its users, attack and defence.
    pub labels: BTreeMap<String, String>,
    /// The seed or the fold: figures of equal units make a pair.
    pub unit: String,
    /// How many searches there were.
    pub sessions: f64,
    /// Its figures over the end of the run.
    pub end: Figures,
    /// The same over its first tenth.
    pub early: Figures,
    /// The same over all of it.
    pub whole: Figures,
    /// The highest nDCG of an evaluation.
    pub highest: f64,
    /// Its figures over time; at most [`KEPT`] points.
    pub course: Vec<Figures>,
}

/// Figures of a run at a moment or over a time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Searches of the whole network so far.
    pub sessions: f64,
    /// Mean nDCG of honest nodes.
    pub ndcg: f64,
    /// Its standard deviation across nodes.
    pub node_sd: f64,
    /// Expected nDCG of a random ranking.
    pub random: f64,
    /// Mean α that honest nodes gave to honest senders.
    pub alpha_honest: Option<f64>,
    /// Mean α that honest nodes gave to malicious senders.
    pub alpha_malicious: Option<f64>,
    /// How well α tells the two apart.
    pub auc: Option<f64>,
    /// How much of honest models malicious nodes put in.
    pub exposure: Option<f64>,
    /// Which way that works.
    pub pull: Option<f64>,
}

/// Points that are kept of a curve, and how many of them are its first ones.
pub const KEPT: usize = 75;
const FIRST: usize = 10;

/// One figure for each seed or fold.
pub type Values = BTreeMap<String, f64>;

/// All data sets below `root` with what was run on them; folds of one set also together, where each fold counts once.
///
/// # Errors
/// The folder does not exist or holds nothing that `rankguard paper run` wrote, or a result cannot be read.
pub fn find(root: &Path) -> Result<Vec<OnData>> {
    let mut all = Vec::new();
    for label in folders(root)? {
        let found = on_data(&root.join(&label), &label)?;
        if found.has_anything() {
            all.push(found);
        }
    }
    if all.is_empty() {
        let how = "do experiments first, for instance with `rankguard paper run motivation --quick`";
        return Err(Error::input(format!("{}: holds no experiment of the paper; {how}", root.display())));
    }
    let together = together(&all);
    all.extend(together);
    all.sort_by_key(|found| (found.caution.is_some(), found.unit == "seed", rank(&found.label), found.label.clone()));
    Ok(all)
}

/// Data sets in the order in which they matter.
fn rank(label: &str) -> usize {
    let order = ["WEB30K", "MQ2007", "Yahoo", "Istella", "MQ2008", "MSLR", "ClueWeb09"];
    order.iter().position(|name| label.starts_with(name)).unwrap_or(order.len())
}

/// The names of the folders in a folder, sorted.
fn folders(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|e| Error::cannot_read(folder, &e))?;
    let names = entries.flatten().filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    Ok(names)
}

fn on_data(folder: &Path, label: &str) -> Result<OnData> {
    let mut found = OnData { label: label.into(), unit: "seed", ..OnData::default() };
    for experiment in EXPERIMENTS {
        let folder = folder.join(experiment.name);
        match &experiment.work {
            Work::Sweeps(sweeps) => {
                for sweep in *sweeps {
                    let folder = folder.join(sweep.name);
                    if folder.join("tables").is_dir() {
                        found.read_sweep(experiment, sweep.name, &folder)?;
                    }
                }
            }
            Work::SessionsNeeded => found.needed = read_needed(&folder.join("alpha.csv"))?,
            Work::Runtime => found.times = Times::read(&folder.join("runtime.json"))?,
        }
    }
    if found.caution.is_none() && label.contains("stand-in") {
        found.caution = Some("synthetic".into());
    }
    Ok(found)
}

impl OnData {
    fn has_anything(&self) -> bool {
        !self.outcomes.is_empty() || !self.needed.is_empty() || self.times.is_some()
    }

    fn read_sweep(&mut self, experiment: &'static Experiment, name: &str, folder: &Path) -> Result<()> {
        let runs = report::runs(&[folder])?;
        for run in &runs {
            self.caution = self.caution.take().or_else(|| run.scenario.dataset.caution());
            self.outcomes.push(Outcome::of(run, experiment.name, name)?);
        }
        if experiment.name == "theory" {
            self.theory = Some(theory(&runs)?);
        }
        self.sweeps.push((experiment, name.into(), folder.into()));
        Ok(())
    }

    /// The data set's name, without its fold.
    pub fn set(&self) -> &str {
        self.label.split([',', '-']).next().unwrap_or(&self.label)
    }

    /// The sweeps of an experiment that were run, in the order of the experiment.
    pub fn sweeps_of(&self, experiment: &str) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for outcome in self.outcomes.iter().filter(|outcome| outcome.experiment == experiment) {
            if !names.contains(&outcome.sweep.as_str()) {
                names.push(&outcome.sweep);
            }
        }
        names
    }

    /// The runs of a sweep with these labels.
    pub fn runs<'a>(&'a self, experiment: &'a str, sweep: &'a str, wanted: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = &'a Outcome> {
        self.outcomes.iter().filter(move |run| run.experiment == experiment && run.sweep == sweep && run.is(wanted))
    }

    /// All labels on an axis in the order of the runs.
    pub fn labels(&self, experiment: &str, sweep: &str, axis: &str) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        for label in self.runs(experiment, sweep, &[]).filter_map(|run| run.labels.get(axis)) {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
        labels
    }

    /// A figure of the runs with these labels: one value for each seed or fold, the mean of the runs that share it.
    pub fn values(&self, experiment: &str, sweep: &str, wanted: &[(&str, &str)], figure: impl Fn(&Outcome) -> Option<f64>) -> Values {
        let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for run in self.runs(experiment, sweep, wanted) {
            if let Some(value) = figure(run).filter(|value| value.is_finite()) {
                all.entry(run.unit.clone()).or_default().push(value);
            }
        }
        all.into_iter().map(|(unit, values)| (unit, math::mean_sd(&values).0)).collect()
    }
}

/// nDCG at the end of a run.
pub fn ndcg(run: &Outcome) -> Option<f64> {
    Some(run.end.ndcg)
}

/// The mean of values; `None` without any.
pub fn mean(values: &Values) -> Option<f64> {
    let values: Vec<f64> = values.values().copied().collect();
    (!values.is_empty()).then(|| math::mean_sd(&values).0)
}

/// The mean difference of pairs with its interval, second less first; `None` for fewer than three pairs.
pub fn difference(first: &Values, second: &Values) -> Option<Interval> {
    let pairs: Vec<(f64, f64)> = first.iter().filter_map(|(unit, value)| Some((*value, *second.get(unit)?))).collect();
    if pairs.len() < FEWEST_PAIRS { None } else { paired(&pairs, LEVEL) }
}

/// The mean of values with its interval; `None` for fewer than three.
pub fn interval(values: &[f64]) -> Option<Interval> {
    if values.len() < FEWEST_PAIRS { None } else { of_mean(values, LEVEL) }
}

impl Outcome {
    fn of(run: &Run, experiment: &'static str, sweep: &str) -> Result<Self> {
        let (setting, curve) = (&run.scenario, run.curve()?);
        let place = run.place.display();
        let window = Last::default().of(&curve, setting.stop).map_err(|problem| Error::input(format!("{place}: {problem}")))?;
        let names = [("users", setting.users.name().into()), ("attack", setting.attack.name()), ("defense", setting.defense.name().into())];
        let mut labels: BTreeMap<String, String> = names.map(|(axis, name)| (axis.to_string(), name.into_owned())).into();
        labels.extend(run.labels.iter().cloned());
        // Users are named as in the paper's table.
        labels.entry("users".into()).and_modify(|users| *users = users.to_lowercase());
        Ok(Self {
            experiment,
            sweep: sweep.into(),
            labels,
            unit: format!("seed {}", run.seed),
            sessions: curve.last().map_or(0.0, |point| point.sessions as f64),
            end: Figures::mean(window),
            early: Figures::mean(&curve[..curve.iter().filter(|point| 10 * point.sessions <= curve[curve.len() - 1].sessions).count()]),
            whole: Figures::mean(&curve),
            highest: curve.iter().map(|point| point.ndcg_mean).fold(f64::NAN, f64::max),
            course: evenly(curve.len()).map(|nth| Figures::mean(&curve[nth..=nth])).collect(),
        })
    }

    fn is(&self, wanted: &[(&str, &str)]) -> bool {
        wanted.iter().all(|(axis, label)| self.labels.get(*axis).is_some_and(|own| own == label))
    }
}

/// At most [`KEPT`] places of a list of `n`: the first ones, where most happens, and then others at equal distances up to the last.
fn evenly(n: usize) -> impl Iterator<Item = usize> {
    let (kept, rest) = (n.min(KEPT), KEPT - FIRST);
    (0..kept).map(move |nth| if n <= KEPT || nth < FIRST { nth } else { FIRST + (nth - FIRST) * (n - 1 - FIRST) / (rest - 1) })
}

impl Figures {
    /// The means of a few evaluations; what is missing in all of them stays so.
    fn mean(points: &[CurveRow]) -> Self {
        let of = |value: fn(&CurveRow) -> Option<f64>| {
            let values: Vec<f64> = points.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| math::mean_sd(&values).0)
        };
        Self {
            sessions: of(|point| Some(point.sessions as f64)).unwrap_or_default(),
            ndcg: of(|point| Some(point.ndcg_mean)).unwrap_or(f64::NAN),
            node_sd: of(|point| Some(point.ndcg_sd)).unwrap_or(f64::NAN),
            random: of(|point| Some(point.ndcg_random)).unwrap_or(f64::NAN),
            alpha_honest: of(|point| point.alpha_honest),
            alpha_malicious: of(|point| point.alpha_malicious),
            auc: of(|point| point.auc),
            exposure: of(|point| point.exposure),
            pull: of(|point| point.pull),
        }
    }
}

/// The folds of each set as one: figures of a fold are averaged over its seeds, and each fold counts once.
fn together(all: &[OnData]) -> Vec<OnData> {
    let is_fold = |found: &&OnData| found.label.contains("-Fold") && !found.outcomes.is_empty();
    let sets: BTreeSet<&str> = all.iter().filter(is_fold).map(OnData::set).collect();
    let mut found = Vec::new();
    for set in sets {
        let folds: Vec<&OnData> = all.iter().filter(is_fold).filter(|fold| fold.set() == set).collect();
        let n_with = |run: &&Outcome| folds.iter().filter(|fold| fold.runs(run.experiment, &run.sweep, &[]).next().is_some()).count();
        let in_enough = |run: &&Outcome| n_with(run) >= FEWEST_PAIRS;
        let renamed = folds
            .iter()
            .flat_map(|fold| fold.outcomes.iter().filter(in_enough).map(|run| Outcome { unit: fold.label.clone(), ..run.clone() }));
        let outcomes: Vec<Outcome> = renamed.collect();
        if folds.len() >= FEWEST_PAIRS && !outcomes.is_empty() {
            found.push(OnData {
                label: format!("{set}, {} folds", folds.len()),
                unit: "fold",
                outcomes,
                caution: folds[0].caution.clone(),
                ..OnData::default()
            });
        }
    }
    found
}

/// Made-up results, for tests of claims.
#[cfg(test)]
pub mod made {
    use super::{Figures, OnData, Outcome};

    /// A run of a sweep with these labels, as `axis=label axis=label`, whose figures are all like these.
    pub fn run(experiment: &'static str, sweep: &str, labels: &str, seed: u32, end: Figures) -> Outcome {
        let labels =
            labels.split(", ").filter_map(|label| label.split_once('=')).map(|(axis, label)| (axis.to_string(), label.to_string()));
        Outcome {
            experiment,
            sweep: sweep.into(),
            labels: labels.collect(),
            unit: format!("seed {seed}"),
            sessions: 1000.0,
            course: vec![Figures { sessions: 100.0, ..end }, Figures { sessions: 1000.0, ..end }],
            end,
            early: end,
            whole: end,
            highest: end.ndcg,
        }
    }

    /// Runs of three seeds whose nDCG is 0.001 apart.
    pub fn runs(experiment: &'static str, sweep: &str, labels: &str, ndcg: f64) -> Vec<Outcome> {
        let of = |seed| {
            let ndcg = ndcg + 0.001 * f64::from(seed);
            run(experiment, sweep, labels, seed, Figures { ndcg, random: 0.3, ..Figures::default() })
        };
        (1..4).map(of).collect()
    }

    /// Everything on one data set.
    pub fn data(outcomes: Vec<Outcome>) -> OnData {
        OnData { label: "MQ2008-Fold1".into(), unit: "seed", outcomes, ..OnData::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_of_one_set_stand_together_and_each_counts_once() {
        let fold = |nth: u32, ndcgs: &[f64]| {
            let runs = ndcgs.iter().enumerate().map(|(seed, &ndcg)| {
                made::run("robustness", "literal", "users=perfect", seed as u32, Figures { ndcg, ..Figures::default() })
            });
            OnData { label: format!("MQ2008-Fold{nth}"), ..made::data(runs.collect()) }
        };
        let folds = [fold(1, &[0.1, 0.3]), fold(2, &[0.4]), fold(3, &[0.6])];
        let all = together(&folds);
        assert_eq!(all.iter().map(|data| data.label.as_str()).collect::<Vec<_>>(), ["MQ2008, 3 folds"]);
        let values = all[0].values("robustness", "literal", &[("users", "perfect")], ndcg);
        assert!(mean(&values).is_some_and(|mean| (mean - 0.4).abs() < 1e-12), "{values:?}");
        assert!(together(&folds[..2]).is_empty(), "two folds have no interval");
    }

    #[test]
    fn long_curves_keep_their_beginning_and_their_end() {
        assert_eq!(evenly(3).collect::<Vec<_>>(), [0, 1, 2]);
        for n in [KEPT, KEPT + 1, 301, 10_000] {
            let places: Vec<usize> = evenly(n).collect();
            assert_eq!((places.len(), places[0], places[KEPT - 1]), (KEPT, 0, n - 1));
            assert!(
                places.windows(2).all(|pair| pair[0] < pair[1]) && places[..FIRST] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
                "{n}: {places:?}"
            );
        }
    }

    #[test]
    fn pairs_are_matched_by_seed_and_two_are_too_few() {
        let values = |pairs: &[(&str, f64)]| pairs.iter().map(|(unit, value)| (unit.to_string(), *value)).collect::<Values>();
        let (one, two) = (values(&[("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 9.0)]), values(&[("c", 5.0), ("a", 2.0), ("b", 3.5)]));
        let interval = difference(&one, &two).expect("three pairs");
        assert!((interval.mean - 1.5).abs() < 1e-12 && interval.df == 2.0);
        assert_eq!(difference(&one, &values(&[("a", 1.0), ("b", 1.0)])), None);
    }
}
