//! Runs by experiment: runs that differ in nothing but their seeds are one experiment, and what tells experiments apart are its axes.

use super::super::super::groups::fields;
use super::super::super::names::{ATTACKS, DEFENSES, Named, USERS};
use super::super::super::setting::Run;
use super::course::Course;
use crate::error::Result;
use crate::math;
use std::collections::BTreeMap;

/// Runs with other seeds and nothing else.
pub struct Experiment<'a> {
    /// Its value on each axis.
    pub values: Vec<String>,
    pub runs: Vec<&'a Run>,
    pub courses: Vec<Course>,
}

/// Something in which experiments differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub name: String,
    /// Its values: in the paper's order if it is known there, else in the order of the runs.
    pub values: Vec<String>,
}

/// All experiments.
pub struct Experiments<'a> {
    pub axes: Vec<Axis>,
    pub all: Vec<Experiment<'a>>,
}

impl<'a> Experiments<'a> {
    /// Sorts runs by experiment, and reads their curves.
    ///
    /// # Errors
    /// A curve cannot be read.
    pub fn of(runs: &'a [Run]) -> Result<Self> {
        let groups = groups(runs);
        let firsts: Vec<&Run> = groups.iter().map(|group| group[0]).collect();
        let (axes, values) = axes(&firsts);
        let mut all = Vec::new();
        for (runs, values) in groups.into_iter().zip(values) {
            let courses = runs.iter().map(|run| Course::read(run)).collect::<Result<_>>()?;
            all.push(Experiment { values, runs, courses });
        }
        let mut experiments = Self { axes, all };
        experiments.order_values();
        Ok(experiments)
    }

    /// Puts the values of users, attack and defence into the paper's order.
    fn order_values(&mut self) {
        for (place, axis) in self.axes.iter_mut().enumerate() {
            let known: &[&str] = match axis.name.as_str() {
                "users" => &USERS,
                "attack" => &ATTACKS,
                "defense" => &DEFENSES,
                _ => continue,
            };
            let name = |value: &String| {
                let run =
                    self.all.iter().find(|experiment| experiment.values[place] == *value).and_then(|experiment| experiment.runs.first());
                let [users, attack, defense] = run.map(|run| named(run).map(|named| named.name)).unwrap_or_default();
                if axis.name == "users" {
                    users
                } else if axis.name == "attack" {
                    attack
                } else {
                    defense
                }
            };
            axis.values.sort_by_cached_key(|value| known.iter().position(|known| *known == name(value)).unwrap_or(known.len())); // stable
        }
    }

    /// The place of an axis.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == name)
    }

    /// The axis whose values are lines of figures and columns of tables: the defence if it varies, else the one with most values.
    pub fn main_axis(&self) -> Option<usize> {
        let most = |(place, axis): &(usize, &Axis)| (axis.values.len(), std::cmp::Reverse(*place));
        self.axis("defense").or_else(|| self.axes.iter().enumerate().max_by_key(most).map(|(place, _)| place))
    }

    /// Every combination of values on all axes but these, in the order of the runs.
    pub fn rest(&self, without: &[usize]) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        for experiment in &self.all {
            let rest = experiment.rest(without);
            if !found.contains(&rest) {
                found.push(rest);
            }
        }
        found
    }

    /// All values of an experiment in a line.
    pub fn label(&self, experiment: &Experiment) -> String {
        if self.axes.is_empty() { "all runs".into() } else { self.rest_label(&experiment.values, &[]) }
    }

    /// Values on all axes but these in a line. A number or a word in lower case says too little without the name of its axis.
    pub fn rest_label(&self, values: &[String], without: &[usize]) -> String {
        let axes = self.axes.iter().enumerate().filter(|(place, _)| !without.contains(place)).map(|(_, axis)| axis);
        let named = |(axis, value): (&Axis, &String)| match value.starts_with(char::is_uppercase) {
            true => value.clone(),
            false => format!("{} {value}", axis.name),
        };
        axes.zip(values).map(named).collect::<Vec<_>>().join(" · ")
    }

    /// The fewest and the most seeds of an experiment.
    pub fn seeds(&self) -> (usize, usize) {
        let seeds = || self.all.iter().map(|experiment| experiment.runs.len());
        (seeds().min().unwrap_or(0), seeds().max().unwrap_or(0))
    }
}

impl Experiment<'_> {
    /// Its values, except on these axes.
    pub fn rest(&self, without: &[usize]) -> Vec<String> {
        self.values.iter().enumerate().filter(|(place, _)| !without.contains(place)).map(|(_, value)| value.clone()).collect()
    }

    /// The name of its defence.
    pub fn defense(&self) -> &str {
        self.runs.first().map_or("", |run| run.scenario.defense.name())
    }

    /// The mean over seeds of nDCG over the end; `None` without a run that has one.
    pub fn mean(&self) -> Option<f64> {
        let ends = self.ends();
        (!ends.is_empty()).then(|| math::mean_sd(&ends).0)
    }

    /// nDCG over the end of each run that has one.
    pub fn ends(&self) -> Vec<f64> {
        self.courses.iter().filter_map(|course| course.end).collect()
    }
}

/// What the runs of one experiment share: their fields, and the content of the files that they name.
type Identity = (Vec<(String, String)>, Vec<String>);

/// Runs by experiment, in the order of their first runs.
fn groups(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut places: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    for run in runs {
        let contents = run.inputs.files.iter().map(|(path, hash)| format!("{path} {hash}")).collect();
        let place = *places.entry((fields(&run.row.scenario), contents)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

/// What tells these runs apart, and the value of each of them: the labels of a sweep if they suffice, else the fields that differ.
fn axes(firsts: &[&Run]) -> (Vec<Axis>, Vec<Vec<String>>) {
    let by_label: Vec<Vec<(String, String)>> = firsts.iter().map(|run| run.labels.clone()).collect();
    let found = varying(&by_label);
    if is_telling(&found.1) {
        return found;
    }
    let all = all_named(firsts);
    varying(&firsts.iter().map(|run| named_fields(run, &all)).collect::<Vec<_>>())
}

fn is_telling(values: &[Vec<String>]) -> bool {
    let distinct: std::collections::BTreeSet<&Vec<String>> = values.iter().collect();
    distinct.len() == values.len()
}

/// Users, attack and defence of a run, with their short names.
fn named(run: &Run) -> [Named; 3] {
    let (setting, row) = (&run.scenario, &run.row);
    let named = |name: String, spelled: &str| Named { name, spelled: spelled.into() };
    [
        named(setting.users.name().to_lowercase(), &row.users_spelled),
        named(setting.attack.name().into_owned(), &row.attack_spelled),
        named(setting.defense.name().into(), &row.defense_spelled),
    ]
}

/// All different users, attacks and defences of these runs.
fn all_named(runs: &[&Run]) -> [Vec<Named>; 3] {
    let mut all: [Vec<Named>; 3] = Default::default();
    for run in runs {
        for (all, own) in all.iter_mut().zip(named(run)) {
            if !all.contains(&own) {
                all.push(own);
            }
        }
    }
    all
}

/// The fields of a run, with short names for users, attack and defence.
fn named_fields(run: &Run, all: &[Vec<Named>; 3]) -> Vec<(String, String)> {
    let own = named(run);
    let short = |(name, value): (String, String)| match ["users", "attack", "defense"].iter().position(|known| *known == name) {
        Some(nth) => Some((name, own[nth].label(&all[nth]))),
        // The usual limit follows from the defence.
        None if name == "weight_limit" && run.scenario.has_usual_weight_limit() => None,
        None => Some((name, value)),
    };
    let contents = run.inputs.files.iter().map(|(path, hash)| (format!("content of {path}"), hash.clone()));
    fields(&run.row.scenario).into_iter().filter_map(short).chain(contents).collect()
}

/// The names whose values are not all the same, and the values of each run on them; a dash where a run has none.
fn varying(named: &[Vec<(String, String)>]) -> (Vec<Axis>, Vec<Vec<String>>) {
    let value =
        |run: &[(String, String)], name: &str| run.iter().find(|(other, _)| other == name).map_or("–".into(), |(_, value)| value.clone());
    let mut axes: Vec<Axis> = Vec::new();
    for (name, _) in named.iter().flatten() {
        if !axes.iter().any(|axis| axis.name == *name) {
            let mut values: Vec<String> = Vec::new();
            for own in named.iter().map(|run| value(run, name)) {
                if !values.contains(&own) {
                    values.push(own);
                }
            }
            axes.push(Axis { name: name.clone(), values });
        }
    }
    axes.retain(|axis| axis.values.len() > 1);
    let values = named.iter().map(|run| axes.iter().map(|axis| value(run, &axis.name)).collect()).collect();
    (axes, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_varies_is_an_axis() {
        let run =
            |text: &str| text.split(' ').map(|pair| pair.split_once('=').expect("a pair")).map(|(a, b)| (a.into(), b.into())).collect();
        let runs: Vec<Vec<(String, String)>> = ["a=1 b=x c=7", "a=1 b=y", "a=1 b=x c=8"].map(run).into();
        let (axes, values) = varying(&runs);
        assert_eq!(
            axes.iter().map(|axis| (axis.name.as_str(), axis.values.join(","))).collect::<Vec<_>>(),
            [("b", "x,y".into()), ("c", "7,–,8".into())]
        );
        assert_eq!(values, [["x", "7"], ["y", "–"], ["x", "8"]]);
        assert!(is_telling(&values) && !is_telling(&[vec!["x".into()], vec!["x".into()]]));
    }
}
