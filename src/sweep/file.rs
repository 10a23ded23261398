//! Sweep files: a base scenario, what varies, and the seeds.
//!
//! ```ron
//! (
//!     name: "robustness",
//!     base: "literal.ron",                        // a path beside this file, or a scenario in place: ( nodes: 100, … )
//!     set: (record: (receipts: Nothing)),         // fields that all runs have instead of those of the base
//!     axes: [
//!         // The values of one top-level field. A value is called by its name, or by all of it if two values share the name.
//!         Axis(defense: [RankGuard(kappa: 4.0), FlTrust, Undefended]),
//!         // The same with labels of one's own.
//!         Axis(attack: [("flip", Flip), ("lie", Lie(z: Majority))]),
//!         // Several fields that change together. A value keeps the base's value of every field that it does not name.
//!         Zip(name: "place", values: [
//!             ("near", (latency: Constant("10ms"), churn: AlwaysOnline)),
//!             ("far", (latency: Constant("1s"), churn: Kad)),
//!         ]),
//!     ],
//!     seeds: Range(first: 1, count: 10),          // or List([1, 2, 3]); by default the seed of the base
//!     skip: [(defense: "FlTrust", attack: "lie")],
//!     task_seconds: 600,                          // or tasks: 8
//! )
//! ```
//!
//! Only `name` and `base` are required. Every combination of one value per axis is run with every seed, except those that `skip` leaves out: a
//! combination is left out if on all axes that a line of `skip` names it has these labels. An axis replaces a whole top-level field, and each
//! value is read and checked as that field. Neither `seed` nor `name` can be on an axis: `seeds` gives the seeds, and each run gets a name from
//! its labels and its seed. A field is on one axis at most. Paths inside of scenarios begin in the current folder, as ever.
//!
//! `rankguard sweep plan FILE --set FIELD=VALUE` replaces a field of the base after `set` did, such as the data set. The plan holds the base with
//! all fields that were replaced, so a plan with another value is another sweep.
//!
//! Runs are divided into tasks of about `task_seconds` CPU seconds each, by default 600, or into so many `tasks`.

use super::axes::{self, DraftAxis};
use super::manifest::TaskSize;
use super::source::Source;
use super::{seeds, skip};
use crate::error::{Error, QUOTED, Result, clip};
use crate::scenario::{Template, top_level};
use std::ops::Range;
use std::path::Path;

/// The fields of a sweep file.
const FIELDS: [&str; 8] = ["name", "base", "set", "axes", "seeds", "skip", "task_seconds", "tasks"];

/// A sweep file whose names and values are right. Whether its combinations make sense is not known yet.
#[derive(Debug)]
pub struct SweepFile {
    /// The file in messages.
    pub(super) origin: String,
    pub(super) name: String,
    /// The base with the fields of `set`.
    pub(super) base: Template,
    pub(super) axes: Vec<DraftAxis>,
    pub(super) seeds: Vec<u64>,
    /// Combinations to leave out: pairs of an axis and a value on it, by their indices.
    pub(super) skip: Vec<Vec<(usize, usize)>>,
    pub(super) size: Option<TaskSize>,
}

impl SweepFile {
    /// Reads a sweep file and the base that it names.
    ///
    /// # Errors
    /// A file cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_with(path, &[])
    }

    /// The same, with fields of the base set by `field=value` or `field.inside=value`.
    ///
    /// # Errors
    /// As [`SweepFile::read`], or if a field cannot be set.
    pub fn read_with(path: &Path, replacements: &[String]) -> Result<Self> {
        Self::of(&Source::read(path)?, path.parent().unwrap_or(Path::new("")), replacements)
    }

    /// Parses the text of a sweep file; a path in it begins at `folder`.
    ///
    /// # Errors
    /// Something in it is wrong; `origin` names it in messages.
    pub fn parse(text: &str, origin: &str, folder: &Path) -> Result<Self> {
        Self::parse_with(text, origin, folder, &[])
    }

    /// The same, with fields of the base set by `field=value` or `field.inside=value`.
    ///
    /// # Errors
    /// As [`SweepFile::parse`], or if a field cannot be set.
    pub fn parse_with(text: &str, origin: &str, folder: &Path, replacements: &[String]) -> Result<Self> {
        Self::of(&Source::new(text, origin)?, folder, replacements)
    }

    /// What the sweep is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn of(source: &Source, folder: &Path, replacements: &[String]) -> Result<Self> {
        let fields = source.fields(0..source.text.len(), "a sweep")?;
        if let Some((name, _)) = fields.iter().find(|(name, _)| !FIELDS.contains(name)) {
            return Err(source.unknown(source.place_of(name), "field", name, &FIELDS));
        }
        let field = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.clone());
        let required = |name: &str, example: &str| {
            field(name).ok_or_else(|| source.refuse(0, &format!("missing field `{name}`; add for example `{name}: {example}`")))
        };
        let name = name(source, &required("name", "\"robustness\"")?)?;
        let base = base(source, &required("base", "\"scenario.ron\"")?, folder)?;
        let (base, set) = field("set").map_or(Ok((base.clone(), Vec::new())), |value| axes::set(source, value, &base))?;
        let base = replacements.iter().try_fold(base, |base, replacement| base.set(replacement))?;
        let axes = field("axes").map_or(Ok(Vec::new()), |value| axes::parse(source, value, &base, &set))?;
        replacements.iter().try_for_each(|replacement| refuse_given(source, replacement, &axes))?;
        let seeds = field("seeds").map_or(Ok(vec![base.seed()]), |value| seeds::parse(source, &value))?;
        let skip = field("skip").map_or(Ok(Vec::new()), |value| skip::parse(source, value, &axes))?;
        let size = seeds::size(source, field("task_seconds"), field("tasks"))?;
        Ok(Self { origin: source.origin.clone(), name, base, axes, seeds, skip, size })
    }
}

fn name(source: &Source, value: &Range<usize>) -> Result<String> {
    let must_be = "1 to 100 letters, digits, `-`, `_` and `.` in quotes, the first a letter or a digit";
    let name: String = source.value(value, must_be)?;
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_good = name.len() <= 100 && name.chars().all(is_allowed) && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_good { Ok(name) } else { Err(source.refuse(value.start, &format!("this must be {must_be}"))) }
}

fn base(source: &Source, value: &Range<usize>, folder: &Path) -> Result<Template> {
    match source.text[value.clone()].starts_with('"') {
        true => Template::read(&folder.join(source.value::<String>(value, "the path of a scenario in quotes")?)),
        false => Template::parse(&source.alone(value), &source.origin),
    }
}

/// Refuses to set a field of the base that every run gets from elsewhere.
fn refuse_given(source: &Source, replacement: &str, axes: &[DraftAxis]) -> Result<()> {
    let field = top_level(replacement);
    let is_varied = |draft: &&DraftAxis| draft.axis.values.iter().flat_map(|value| &value.fields).any(|(name, _)| name == field);
    let problem = match field {
        "seed" => "`seeds` of the sweep file gives the seed of every run; change it there".into(),
        "name" => "every run gets a name from its labels and its seed".into(),
        _ => match axes.iter().find(is_varied) {
            Some(draft) => format!("`{field}` varies on the axis `{}` of {}; change its values there", draft.axis.name, source.origin),
            None => return Ok(()),
        },
    };
    Err(Error::input(format!("--set {}: {problem}", clip(replacement, QUOTED))))
}

#[cfg(test)]
pub(super) mod tests;
