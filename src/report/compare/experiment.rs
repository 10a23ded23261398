//! What tells the experiment of a run from others, field by field as it is written.

use super::super::groups::fields;
use super::super::names::{inner, without};
use super::super::setting::Run;

/// What stands for the limit of weights that a defence has by default: it follows from the defence, so it is no difference of its own.
const USUAL: &str = "as usual";

/// What stands for a value that a run does not have.
pub const NONE: &str = "–";

/// The fields of a run's scenario except its seed, name and recorded tables, and its labels on the axes of its sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    pub fields: Vec<(String, String)>,
    pub labels: Vec<(String, String)>,
}

impl Experiment {
    pub fn of(run: &Run) -> Self {
        let mut fields = fields(&run.row.scenario);
        if run.scenario.has_usual_weight_limit() {
            fields.iter_mut().filter(|(name, _)| name == "weight_limit").for_each(|(_, value)| *value = USUAL.into());
        }
        Self { fields, labels: run.labels.clone() }
    }

    /// The value of a top-level field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// The label on an axis.
    pub fn label(&self, axis: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| label.as_str())
    }

    /// The value of what a name stands for: a field, an axis, or something inside a field, in this order.
    pub fn value(&self, name: &str) -> Option<String> {
        let within = || name.split_once('.').and_then(|(field, path)| inner(self.field(field)?, path));
        self.field(name).or_else(|| self.label(name)).map(String::from).or_else(within)
    }

    /// The values of several names; a dash where there is none.
    pub fn values(&self, names: &[String]) -> Vec<String> {
        names.iter().map(|name| self.value(name).unwrap_or(NONE.into())).collect()
    }

    /// All fields without what these names stand for.
    pub fn rest(&self, names: &[String]) -> Vec<(String, String)> {
        let kept = |(field, value): &(String, String)| {
            let inside = names.iter().filter_map(|name| name.strip_prefix(field)?.strip_prefix('.'));
            let value = inside.fold(value.clone(), |value, path| without(&value, path));
            (!names.contains(field)).then(|| (field.clone(), value))
        };
        self.fields.iter().filter_map(kept).collect()
    }
}

/// The names of the fields that are not the same in all experiments.
pub fn differing(experiments: &[Experiment]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in experiments.iter().flat_map(|experiment| &experiment.fields) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.retain(|name| experiments.iter().any(|experiment| experiment.field(name) != experiments[0].field(name)));
    names
}

/// Every value once, in the order in which they come.
pub fn once<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// `defense=RankGuard(kappa: 4.0); nodes=10` as an experiment; labels begin with `@`.
    pub fn experiment(text: &str) -> Experiment {
        let split = |part: &str| part.split_once('=').map(|(name, value)| (name.trim().to_string(), value.trim().to_string()));
        let (labels, fields): (Vec<_>, Vec<_>) = text.split(';').filter_map(split).partition(|(name, _)| name.starts_with('@'));
        Experiment { fields, labels: labels.into_iter().map(|(name, label)| (name[1..].into(), label)).collect() }
    }

    #[test]
    fn names_stand_for_fields_axes_and_what_is_inside() {
        let one = experiment("defense=RankGuard(kappa: 4.0, calibrate: false); nodes=10; @place=far; @defense=guard");
        for (name, expect) in [
            ("nodes", Some("10")),
            ("defense", Some("RankGuard(kappa: 4.0, calibrate: false)")),
            ("defense.kappa", Some("4.0")),
            ("place", Some("far")),
            ("defense.eta", None),
            ("nowhere", None),
        ] {
            assert_eq!(one.value(name).as_deref(), expect, "{name}");
        }
    }

    #[test]
    fn the_rest_is_what_is_not_compared() {
        let one = experiment("defense=RankGuard(kappa: 4.0, calibrate: false); nodes=10");
        let rest = |by: &[&str]| one.rest(&by.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(rest(&["defense"]), [pair("nodes", "10")]);
        assert_eq!(rest(&["defense.kappa"]), [pair("defense", "RankGuard(calibrate: false)"), pair("nodes", "10")]);
        assert_eq!(rest(&["place"]).len(), 2);
    }

    #[test]
    fn equal_fields_do_not_differ() {
        let all = ["a=1; b=2; c=3", "a=1; b=4; c=3", "a=1; b=2; c=5"].map(experiment);
        assert_eq!(differing(&all), ["b", "c"]);
    }
}
