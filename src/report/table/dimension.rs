//! A field as a dimension of a table: a label for every run, and the order of the labels.

use super::super::names::{ATTACKS, DEFENSES, Named, USERS, ordered, without};
use super::entry::Entry;
use crate::error::{Error, Result};
use std::collections::BTreeSet;

/// A field whose values stand in lines or columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    pub field: String,
    /// The label of each run.
    pub labels: Vec<String>,
    /// Every label once.
    pub order: Vec<String>,
}

/// What stands where a run has no value.
const NOTHING: &str = "–";

impl Dimension {
    /// The dimension of a field, of one inside such as `defense.kappa`, or of an axis of the runs' sweeps. A field that stands in `beside` as
    /// well is named once: `defense` beside `defense.kappa` does not tell κ.
    ///
    /// # Errors
    /// No run has such a field.
    pub fn of(field: &str, beside: &[String], entries: &[Entry]) -> Result<Self> {
        let is_known = entries.iter().any(|entry| entry.written(field).is_some() || entry.label(field).is_some());
        if !is_known {
            return Err(unknown(field, entries));
        }
        let labels = labels(field, beside, entries);
        Ok(Self { field: field.into(), order: order(field, entries, &labels), labels })
    }

    /// The place of a label in the order.
    pub fn rank(&self, label: &str) -> usize {
        self.order.iter().position(|other| other == label).unwrap_or(self.order.len())
    }
}

/// The labels of all runs for a field.
pub fn labels(field: &str, beside: &[String], entries: &[Entry]) -> Vec<String> {
    if let Some(labels) = axis_labels(field, entries) {
        return labels;
    }
    let known: Option<fn(&Entry) -> &Named> = match field {
        "users" => Some(|entry| &entry.users),
        "attack" => Some(|entry| &entry.attack),
        "defense" => Some(|entry| &entry.defense),
        _ => None,
    };
    let named: Vec<Named> =
        entries.iter().map(|entry| stripped(known.map_or_else(|| plain(entry, field), |of| of(entry).clone()), field, beside)).collect();
    named.iter().map(|value| value.label(&named)).map(unquoted).collect()
}

/// The labels of an axis, unless the field of this name has its own, or one label stands for several values.
fn axis_labels(field: &str, entries: &[Entry]) -> Option<Vec<String>> {
    if ["users", "attack", "defense"].contains(&field) {
        return None;
    }
    let labels: Vec<String> = entries.iter().map(|entry| entry.label(field).map(String::from)).collect::<Option<_>>()?;
    let pairs: BTreeSet<(&String, Option<String>)> =
        labels.iter().zip(entries).map(|(label, entry)| (label, entry.written(field))).collect();
    let [n_labels, n_values] = [
        pairs.iter().map(|(label, _)| *label).collect::<BTreeSet<_>>().len(),
        pairs.iter().map(|(_, value)| value).collect::<BTreeSet<_>>().len(),
    ];
    // An axis that is no field has no values of its own.
    let is_field = entries.iter().any(|entry| entry.written(field).is_some());
    (!is_field || (n_labels == pairs.len() && n_values == pairs.len())).then_some(labels)
}

/// A value by the name of its choice; a number or a text is its own name.
fn plain(entry: &Entry, field: &str) -> Named {
    let spelled = match entry.written(field) {
        // The usual limit follows from the defence, which is shown already.
        Some(_) if field == "weight_limit" && entry.has_usual_weight_limit => "usual".into(),
        written => written.unwrap_or_else(|| NOTHING.into()),
    };
    let is_choice = spelled.starts_with(|c: char| c.is_ascii_alphabetic());
    let name = if is_choice { spelled.split('(').next().unwrap_or_default().to_string() } else { spelled.clone() };
    Named { spelled: if is_choice { spelled } else { String::new() }, name }
}

fn stripped(named: Named, field: &str, beside: &[String]) -> Named {
    let inside = beside.iter().filter_map(|other| other.strip_prefix(field)?.strip_prefix('.'));
    Named { spelled: inside.fold(named.spelled, |spelled, path| without(&spelled, path)), ..named }
}

fn unquoted(label: String) -> String {
    match label.strip_prefix('"').and_then(|label| label.strip_suffix('"')) {
        Some(inside) if !inside.contains('"') => inside.into(),
        _ => label,
    }
}

/// Every label once: in the paper's order, by number, or in the order of the runs.
fn order(field: &str, entries: &[Entry], labels: &[String]) -> Vec<String> {
    let known = |names: &[&str], of: fn(&Entry) -> &Named| {
        ordered(names, entries.iter().zip(labels).map(|(entry, label)| (of(entry).name.clone(), label.clone())))
    };
    match field {
        "users" => known(&USERS, |entry| &entry.users),
        "attack" => known(&ATTACKS, |entry| &entry.attack),
        "defense" => known(&DEFENSES, |entry| &entry.defense),
        _ => {
            let mut order = ordered(&[], labels.iter().map(|label| (String::new(), label.clone())));
            let number = |label: &String| label.parse::<f64>().ok();
            if order.iter().all(|label| label == NOTHING || number(label).is_some()) {
                // What has no value comes last.
                order.sort_by(|a, b| number(a).unwrap_or(f64::INFINITY).total_cmp(&number(b).unwrap_or(f64::INFINITY)));
            }
            order
        }
    }
}

fn unknown(field: &str, entries: &[Entry]) -> Error {
    let names: BTreeSet<&str> =
        entries.iter().flat_map(|entry| entry.fields.iter().chain(&entry.labels)).map(|(name, _)| name.as_str()).collect();
    let near = names.iter().min_by_key(|name| strsim::damerau_levenshtein(name, field));
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let inside = if field.contains('.') { " or none has that inside" } else { "" };
    Error::input(format!("`{field}`: no run has such a field or axis{inside}{hint}"))
}
