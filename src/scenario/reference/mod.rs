//! The reference of all fields, made from their declarations: for the terminal, and as the page `scenarios/FIELDS.md`.

mod data;
mod page;
mod text;

pub use data::Described;
pub use page::page;

use super::Scenario;
use super::explain::{list, nearest_of};
use super::locate::locate;
use crate::error::{Error, QUOTED, Result, clip};
use crate::fields::walk::{Entry, entries};
use crate::fields::{Choice, Declared, Field, Form, Kind, Limits, Type};
use std::collections::BTreeSet;

/// The reference of all fields in their order, or of those with this name: `latency`, `latency.sigma`, `sigma`, or a choice such as
/// `LogNormal`.
///
/// # Errors
/// Fails if no field and no choice has this name.
pub fn reference(name: Option<&str>) -> Result<String> {
    let Some(name) = name else { return Ok(text::all(fields())) };
    Ok(text::some(&found(name)?.iter().collect::<Vec<_>>()))
}

/// The same as data: a flat list of fields and choices, outer ones first.
///
/// # Errors
/// As [`reference()`].
pub fn reference_data(name: Option<&str>) -> Result<Vec<Described>> {
    Ok(name.map_or_else(|| Ok(each_once()), found)?.iter().map(Described::of).collect())
}

fn each_once() -> Vec<Entry> {
    let mut all = entries(Scenario::kind());
    let of = |entry: &Entry| (entry.path.clone(), entry.choice.map(|choice| choice.name), entry.field.map(|field| field.name));
    let mut seen = BTreeSet::new();
    all.retain(|entry| seen.insert(of(entry)));
    all
}

/// The fields and choices of this name.
fn found(written: &str) -> Result<Vec<Entry>> {
    let (name, all) = (&without_positions(written), each_once());
    let exact: Vec<Entry> = all.iter().filter(|entry| entry.field.is_some() && entry.path == *name).cloned().collect();
    let found = if exact.is_empty() { all.iter().filter(|entry| is_called(entry, name)).cloned().collect() } else { exact };
    if found.is_empty() { Err(unknown(name, &all)) } else { Ok(found) }
}

/// The fields of a scenario.
pub(super) fn fields() -> &'static [Field] {
    let Kind::Named(Type { form: Form::Fields(fields), .. }) = Scenario::kind() else { return &[] };
    fields
}

/// A path without the positions in lists: messages say `faults[0].at`.
fn without_positions(path: &str) -> String {
    let mut is_inside = false;
    let is_outside = |c: &char| {
        is_inside = *c == '[' || (is_inside && *c != ']');
        !is_inside && *c != ']'
    };
    path.chars().filter(is_outside).collect()
}

/// Whether an entry has this name: the end of its path, which may name the choice that the field belongs to.
fn is_called(entry: &Entry, name: &str) -> bool {
    let ends = |path: &str| path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    match (entry.field, entry.choice, entry.path.rsplit_once('.')) {
        (None, Some(choice), _) => ends(&format!("{}.{}", entry.path, choice.name)),
        (Some(_), Some(choice), Some((outer, field))) => ends(&entry.path) || ends(&format!("{outer}.{}.{field}", choice.name)),
        _ => ends(&entry.path),
    }
}

fn unknown(name: &str, all: &[Entry]) -> Error {
    let alone = |entry: &Entry| entry.field.map(|field| field.name).or(entry.choice.map(|choice| choice.name));
    let mut names: Vec<&str> = match name.contains('.') {
        true => all.iter().map(|entry| entry.path.as_str()).collect(),
        false => all.iter().filter_map(alone).collect(),
    };
    names.sort_unstable();
    names.dedup();
    let remedy = match nearest_of(name, &names) {
        near if near.is_empty() || name.trim().is_empty() => "`rankguard fields` lists all".into(),
        near => format!("did you mean {}?", list(&near, "or")),
    };
    Error::input(format!("nothing in a scenario is called `{}`; {remedy}", clip(name, QUOTED)))
}

/// The default that serde fills in for a field of `of` or of one of its choices. `None` if the field is required, and the text `none` if it
/// has no value by default.
fn default(of: &Type, choice: Option<&Choice>, field: &Field) -> Option<String> {
    if !(field.is_optional || of.all_optional) {
        return None;
    }
    let all = match (&of.form, choice) {
        (_, Some(choice)) => choice.fields,
        (Form::Fields(fields), None) => fields,
        (Form::Choices(_), None) => &[],
    };
    let needed: Vec<String> = all.iter().filter(|field| !(field.is_optional || of.all_optional)).map(Field::line).collect();
    let name = choice.map_or("", |choice| choice.name);
    let text = (of.reread)(&format!("{name}({})", needed.join(", ")))?;
    let value = locate(&text, field.name).map_or("none", |value| &text[value]);
    Some(if value == "None" { "none".into() } else { value.into() })
}

/// Names a type, in the singular or the plural.
type Name<'a> = &'a dyn Fn(&Type, bool) -> String;

/// The kind and the limits of a field in words: `duration, above 0`.
fn holds(kind: Kind, limits: &Limits, name: Name) -> String {
    match limits.words_for(kind).replace("a finite number", "finite") {
        words if words.is_empty() || matches!(kind.peeled(), Kind::Named(_)) => noun(kind, false, name),
        words if matches!(kind, Kind::List(_)) => format!("{}, each {words}", noun(kind, false, name)),
        words => format!("{}, {words}", noun(kind, false, name)),
    }
}

fn noun(kind: Kind, is_many: bool, name: Name) -> String {
    let s = if is_many { "s" } else { "" };
    match kind {
        Kind::Number => format!("number{s}"),
        Kind::Whole { .. } => format!("whole number{s}"),
        Kind::Switch => "`true` or `false`".into(),
        Kind::Text => format!("text{s}"),
        Kind::Quantity(quantity) => format!("{}{s}", quantity.name),
        Kind::List(inner) => format!("list{s} of {}", noun(inner(), true, name)),
        Kind::Optional(inner) => noun(inner(), is_many, name),
        Kind::Pair(a, b) => format!("pair{s} of {} and a {}", noun(a(), false, name), noun(b(), false, name)),
        Kind::Named(of) => name(of, is_many),
    }
}

#[cfg(test)]
mod tests;
