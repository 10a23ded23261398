//! The sides of a comparison: their values, their labels, and the one that is the baseline.

use super::super::names::Named;
use super::experiment::{Experiment, NONE, differing, once};
use crate::error::{Error, Result};

/// The sides, in the order of their first runs.
#[derive(Debug)]
pub struct Sides {
    /// What was compared, as it was named.
    pub by: Vec<String>,
    /// The same, and all fields that a compared axis changes.
    concerned: Vec<String>,
    values: Vec<Vec<String>>,
    labels: Vec<String>,
    pub baseline: usize,
}

impl Sides {
    /// # Errors
    /// All runs are on one side, or none is on the side that is to be the baseline.
    pub fn of(experiments: &[Experiment], by: Vec<String>, baseline: Option<&str>) -> Result<Self> {
        let values = once(experiments.iter().map(|experiment| experiment.values(&by)));
        let labels = labels(experiments, &by, &values);
        if let [only] = &labels[..] {
            let by = by.join(",");
            return Err(Error::input(format!("all runs have the same {by}, {only}; name folders with another one, or another --by")));
        }
        let short = |side: &Vec<String>| side.iter().map(|value| head(value)).collect::<Vec<_>>().join(",");
        let is_meant = |side: usize, text: &str| labels[side] == text || values[side].join(",") == text || short(&values[side]) == text;
        let baseline = match baseline {
            // A side without a value is no baseline if another one has it: `defense.kappa` of a rule that knows no κ.
            None => values.iter().position(|side| !side.contains(&NONE.to_string())).unwrap_or(0),
            Some(text) => (0..labels.len())
                .find(|side| is_meant(*side, text))
                .ok_or_else(|| Error::input(format!("--baseline {text}: there is no such side; choose one of {}", labels.join(" | "))))?,
        };
        Ok(Self { concerned: concerned(experiments, &by), by, values, labels, baseline })
    }

    /// The side of a run.
    pub fn side(&self, experiment: &Experiment) -> usize {
        let values = experiment.values(&self.by);
        self.values.iter().position(|side| *side == values).unwrap_or(self.baseline)
    }

    /// What a run has beside what is compared.
    pub fn rest(&self, experiment: &Experiment) -> Vec<(String, String)> {
        experiment.rest(&self.concerned)
    }

    pub fn label(&self, side: usize) -> &str {
        &self.labels[side]
    }

    /// Everything in which runs of different sides may differ, with the values of a run.
    pub fn values(&self, experiment: &Experiment) -> Vec<(String, String)> {
        self.concerned.iter().cloned().zip(experiment.values(&self.concerned)).collect()
    }

    /// Whether a field, or something inside it, is compared.
    pub fn concerns(&self, field: &str) -> bool {
        self.concerned.iter().any(|name| name.split('.').next() == Some(field))
    }

    /// All other sides, in order.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.labels.len()).filter(|side| *side != self.baseline)
    }
}

/// The names that are compared, and every field that follows from a compared axis. Such an axis may change several fields at once, and its
/// runs name only its labels.
fn concerned(experiments: &[Experiment], by: &[String]) -> Vec<String> {
    let axes: Vec<String> =
        by.iter().filter(|name| experiments.iter().all(|experiment| experiment.field(name).is_none())).cloned().collect();
    let axes: Vec<String> = axes.into_iter().filter(|name| experiments.iter().any(|experiment| experiment.label(name).is_some())).collect();
    let follows = |field: &String| {
        let pairs = once(experiments.iter().map(|experiment| (experiment.values(&axes), experiment.field(field))));
        pairs.len() == once(pairs.iter().map(|(axes, _)| axes)).len()
    };
    let following = differing(experiments).into_iter().filter(|field| !axes.is_empty() && !by.contains(field) && follows(field));
    by.iter().cloned().chain(following).collect()
}

/// A short label for every side: the labels of the sweep, or else as much of the values as tells them apart.
fn labels(experiments: &[Experiment], by: &[String], values: &[Vec<String>]) -> Vec<String> {
    let columns: Vec<Vec<String>> = by.iter().enumerate().map(|(nth, name)| column(experiments, name, values, nth)).collect();
    (0..values.len()).map(|side| columns.iter().map(|column| column[side].clone()).collect::<Vec<_>>().join(" · ")).collect()
}

/// The labels of the sides by one name. A number or a word in lower case says too little without that name.
fn column(experiments: &[Experiment], name: &str, values: &[Vec<String>], nth: usize) -> Vec<String> {
    let values: Vec<&str> = values.iter().map(|side| side[nth].as_str()).collect();
    let short = from_axis(experiments, name, &values).unwrap_or_else(|| shortened(&values));
    let named = |label: String| if label.starts_with(char::is_uppercase) { label } else { format!("{name} {label}") };
    short.into_iter().map(named).collect()
}

/// The labels of an axis, if every value has one of its own.
fn from_axis(experiments: &[Experiment], name: &str, values: &[&str]) -> Option<Vec<String>> {
    let of_value = |value: &str| {
        let with_value = experiments.iter().filter(|experiment| experiment.value(name).as_deref() == Some(value));
        match &once(with_value.map(|experiment| experiment.label(name)))[..] {
            [label] => label.map(String::from),
            _ => None,
        }
    };
    let labels: Vec<String> = values.iter().map(|value| of_value(value)).collect::<Option<_>>()?;
    (once(labels.iter()).len() == once(values.iter()).len()).then_some(labels)
}

/// Every value by its name and the parameters that tell it from others of this name.
pub fn shortened(values: &[&str]) -> Vec<String> {
    let all: Vec<Named> = values.iter().map(|value| Named { name: head(value), spelled: value.to_string() }).collect();
    all.iter().map(|named| named.label(&all).trim_matches('"').to_string()).collect()
}

/// The name of a value: what stands before its parameters.
pub fn head(value: &str) -> String {
    value.split('(').next().filter(|name| !name.is_empty()).unwrap_or(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::experiment::tests::experiment;
    use super::*;

    fn sides(runs: &[&str], by: &[&str], baseline: Option<&str>) -> Result<Sides> {
        let experiments: Vec<Experiment> = runs.iter().map(|text| experiment(text)).collect();
        Sides::of(&experiments, by.iter().map(|name| name.to_string()).collect(), baseline)
    }

    #[track_caller]
    fn check(runs: &[&str], by: &[&str], expect: &[&str]) {
        assert_eq!(sides(runs, by, None).expect("there are sides").labels, expect);
    }

    #[test]
    fn labels_are_short_and_say_what_they_are() {
        check(&["defense=RankGuard(kappa: 4.0)", "defense=Undefended"], &["defense"], &["RankGuard", "Undefended"]);
        check(&["defense=G(k: 4.0, c: 1)", "defense=G(k: 8.0, c: 1)"], &["defense"], &["G(k: 4.0)", "G(k: 8.0)"]);
        check(&["defense=G(k: 4.0)", "defense=G(k: 8.0)"], &["defense.k"], &["defense.k 4.0", "defense.k 8.0"]);
        check(&["nodes=10; a=X", "nodes=20; a=Y"], &["nodes", "a"], &["nodes 10 · X", "nodes 20 · Y"]);
        check(&["a=1; @place=near", "a=2; @place=far"], &["place"], &["place near", "place far"]);
        check(&["attack=F(x: 1); @attack=Flip", "attack=L; @attack=Lie"], &["attack"], &["Flip", "Lie"]);
        check(&["attack=F(x: 1); @attack=Flip", "attack=L"], &["attack"], &["F", "L"]);
    }

    #[test]
    fn the_baseline_is_the_first_or_the_one_that_is_named() {
        let runs = ["defense=G(k: 4.0); nodes=1", "defense=None; nodes=1", "defense=K(c: (a: 1)); nodes=1"];
        for (named, expect) in [(None, 0), (Some("None"), 1), (Some("K"), 2), (Some("G(k: 4.0)"), 0)] {
            let sides = sides(&runs, &["defense"], named).expect("there are sides");
            assert_eq!((sides.baseline, sides.others().count()), (expect, 2));
        }
        let wrong = sides(&runs, &["defense"], Some("X")).expect_err("there is no X").to_string();
        assert!(wrong.contains("--baseline X") && wrong.contains("G | None | K"), "{wrong}");
        let alone = sides(&runs, &["nodes"], None).expect_err("one side").to_string();
        assert!(alone.contains("all runs have the same nodes, nodes 1"), "{alone}");
    }

    #[test]
    fn an_axis_takes_its_fields_along() {
        let runs = ["a=1; b=1; c=1; @place=near", "a=2; b=2; c=1; @place=far", "a=2; b=2; c=2; @place=far"];
        let place = sides(&runs, &["place"], None).expect("there are sides");
        assert_eq!(place.rest(&experiment(runs[1])), [("c".to_string(), "1".to_string())]);
        assert!(place.concerns("a") && !place.concerns("c"));
        // A field takes nothing along.
        let field = sides(&runs, &["a"], None).expect("there are sides");
        assert_eq!(field.rest(&experiment(runs[0])).len(), 2);
    }
}
