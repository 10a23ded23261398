//! What varies in a sweep: each value is read and checked as the field that it replaces.

use super::labels::{plain, spelling, unlabelled};
use super::plan::{Axis, Value};
use super::source::Source;
use crate::error::{QUOTED, Result, clip};
use crate::scenario::ron_text::field_names;
use crate::scenario::{FieldText, Template};
use std::ops::Range;

/// An axis of a sweep file. Labels that the file does not give may become longer when values are added.
#[derive(Debug)]
pub struct DraftAxis {
    pub axis: Axis,
    /// Whether the file gives the label of each value.
    pub is_given: Vec<bool>,
}

/// A value as the file writes it: its label, if it has one, and its text.
struct Written {
    at: usize,
    label: Option<String>,
    value: Range<usize>,
}

/// The base with the fields of `set`, and the names of these.
pub fn set<'a>(source: &'a Source, value: Range<usize>, base: &Template) -> Result<(Template, Vec<&'a str>)> {
    let fields = source.fields(value, "`set`")?;
    let mut base = base.clone();
    for (field, value) in &fields {
        base = read(source, field, value, &base)?;
    }
    Ok((base, fields.iter().map(|(name, _)| *name).collect()))
}

/// The axes in their order. `set` names fields that all runs have alike.
pub fn parse(source: &Source, value: Range<usize>, base: &Template, set: &[&str]) -> Result<Vec<DraftAxis>> {
    let mut axes: Vec<DraftAxis> = Vec::new();
    for value in source.list(value, "`axes`")? {
        let at = value.start;
        let draft = match source.word(&value) {
            "Axis" => one_field(source, value, base)?,
            "Zip" => together(source, value, base)?,
            _ => return Err(source.refuse(at, "an axis is Axis(field: [values]) or Zip(name: \"…\", values: [(\"label\", (fields)), …])")),
        };
        refuse_doubles(source, at, &draft, &axes, set)?;
        axes.push(draft);
    }
    Ok(axes)
}

/// Refuses the name and the fields of an axis that are taken already.
fn refuse_doubles(source: &Source, at: usize, draft: &DraftAxis, axes: &[DraftAxis], set: &[&str]) -> Result<()> {
    let fields = |draft: &DraftAxis| draft.axis.values.iter().flat_map(|value| value.fields.clone()).map(|(field, _)| field).collect();
    let taken: Vec<String> = axes.iter().flat_map(|draft| -> Vec<String> { fields(draft) }).collect();
    let own: Vec<String> = fields(draft);
    if axes.iter().any(|earlier| earlier.axis.name == draft.axis.name) {
        return Err(source.refuse(at, &format!("there is another axis `{}`; put all values on one axis", draft.axis.name)));
    }
    if let Some(field) = own.iter().find(|field| taken.contains(field)) {
        return Err(source.refuse(at, &format!("`{field}` is on another axis already; a run has one value of it")));
    }
    match own.iter().find(|field| set.contains(&field.as_str())) {
        Some(field) => Err(source.refuse(at, &format!("`{field}` is in `set` and on this axis; remove it from `set`"))),
        None => Ok(()),
    }
}

/// `Axis(field: [values])`
fn one_field(source: &Source, value: Range<usize>, base: &Template) -> Result<DraftAxis> {
    let at = value.start;
    let fields = source.fields(value, "Axis")?;
    let [(field, values)] = &fields[..] else {
        return Err(source.refuse(at, "Axis takes one field; write Zip for several fields that change together"));
    };
    let values: Vec<Written> =
        source.list(values.clone(), field)?.into_iter().map(|value| labelled(source, value)).collect::<Result<_>>()?;
    let mut read_values = Vec::new();
    for Written { value, .. } in &values {
        read_values.push(vec![canonical(source, field, value, base)?]);
    }
    let spellings: Vec<String> = values.iter().map(|written| spelling(&source.text[written.value.clone()])).collect();
    let labels = values.iter().zip(unlabelled(&spellings)).map(|(written, short)| written.label.clone().unwrap_or(short)).collect();
    finish(source, at, field, &values, read_values, labels)
}

/// `Zip(name: "…", values: [("label", (field: value, …)), …])`
fn together(source: &Source, value: Range<usize>, base: &Template) -> Result<DraftAxis> {
    const FORM: &str = "Zip needs a name and labelled values, as in Zip(name: \"place\", values: [(\"near\", (latency: Zero)), …])";
    let at = value.start;
    let fields = source.fields(value, "Zip")?;
    let part = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.clone());
    let (Some(name), Some(values), 2) = (part("name"), part("values"), fields.len()) else { return Err(source.refuse(at, FORM)) };
    let name_text: String = source.value(&name, "a name in quotes")?;
    if !is_axis_name(&name_text) {
        return Err(source.refuse(name.start, "the name of an axis is a word of small letters, digits and `_`, and not `seed`"));
    }
    let values: Vec<Written> = source.list(values, "values")?.into_iter().map(|value| labelled(source, value)).collect::<Result<_>>()?;
    let mut read_values: Vec<Vec<FieldText>> = Vec::new();
    for Written { at, label, value } in &values {
        if label.is_none() {
            return Err(source.refuse(*at, FORM));
        }
        read_values.push(read_all(source, value.clone(), base)?);
    }
    let read_values = with_base(read_values, base);
    let labels = values.iter().map(|written| written.label.clone().unwrap_or_default()).collect();
    finish(source, at, &name_text, &values, read_values, labels)
}

fn is_axis_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_allowed) && !["seed", "seeds"].contains(&name)
}

/// All fields of one value of a Zip.
fn read_all(source: &Source, value: Range<usize>, base: &Template) -> Result<Vec<FieldText>> {
    let fields = source.fields(value, "a value of a Zip")?;
    fields.iter().map(|(field, value)| canonical(source, field, value, base)).collect()
}

/// Every value with every field that one of them names. Where a value does not name a field, the base's value holds.
fn with_base(values: Vec<Vec<FieldText>>, base: &Template) -> Vec<Vec<FieldText>> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in values.iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let find = |value: &[FieldText], name: &String| value.iter().find(|(field, _)| field == name).map(|(_, text)| text.clone());
    let text = |value: &[FieldText], name: &String| find(value, name).or_else(|| base.value(name)).unwrap_or_else(|| "None".into());
    values.iter().map(|value| names.iter().map(|name| (name.clone(), text(value, name))).collect()).collect()
}

/// A field with its value as [`Template`] writes it, which is the same for all spellings of the value.
fn canonical(source: &Source, field: &str, value: &Range<usize>, base: &Template) -> Result<FieldText> {
    let text = read(source, field, value, base)?.value(field);
    Ok((field.to_owned(), text.unwrap_or_else(|| "None".into())))
}

/// The base with this value of a field.
fn read(source: &Source, field: &str, value: &Range<usize>, base: &Template) -> Result<Template> {
    let (names, at) = (field_names(), source.place_of(field));
    match field {
        "seed" => return Err(source.refuse(at, "`seed` cannot be set here; `seeds` gives the seed of every run")),
        "name" => return Err(source.refuse(at, "`name` cannot be set here; every run gets a name from its labels and its seed")),
        _ if !names.contains(&field) => return Err(source.unknown(at, "field", field, &names)),
        _ => {}
    }
    base.try_value(field, &source.text[value.clone()]).map_err(|misfit| source.refuse(value.start + misfit.at, &misfit.message))
}

/// A value with its label: `("label", value)`, or a value alone.
fn labelled(source: &Source, value: Range<usize>) -> Result<Written> {
    let at = value.start;
    let is_pair = source.text[value.clone()].starts_with('(');
    let items = source.items(value.clone(), false).filter(|_| is_pair).unwrap_or_default();
    match &items[..] {
        [label, inner] if label.name.is_none() && inner.name.is_none() && source.text[label.value.clone()].starts_with('"') => {
            let text: String = source.value(&label.value, "a label in quotes")?;
            let is_good = text.chars().count() <= QUOTED && !text.chars().any(char::is_control) && text.trim() == text;
            match is_good && plain(&text).contains(|c: char| c.is_ascii_alphanumeric()) {
                true => Ok(Written { at, label: Some(text), value: inner.value.clone() }),
                false => Err(source.refuse(label.value.start, "a label has a letter or a digit, and at most 80 printable characters")),
            }
        }
        _ => Ok(Written { at, label: None, value }),
    }
}

/// The axis, after labels and values were found to be unique.
fn finish(
    source: &Source,
    at: usize,
    name: &str,
    written: &[Written],
    fields: Vec<Vec<FieldText>>,
    labels: Vec<String>,
) -> Result<DraftAxis> {
    if written.is_empty() {
        return Err(source.refuse(at, &format!("the axis {name} has no values; write at least one, or remove the axis")));
    }
    for (nth, written) in written.iter().enumerate() {
        if let Some(same) = fields[..nth].iter().position(|earlier| *earlier == fields[nth]) {
            let label = clip(&labels[same], QUOTED);
            return Err(source.refuse(written.at, &format!("this is the value `{label}` once more; keep one of them")));
        }
        let folder = |label: &String| plain(label).to_lowercase();
        if let Some(same) = labels[..nth].iter().find(|earlier| folder(earlier) == folder(&labels[nth])) {
            return Err(
                source.refuse(written.at, &format!("its label `{}` would name the same files as `{same}`; give another", labels[nth]))
            );
        }
    }
    let values = labels.into_iter().zip(fields).map(|(label, fields)| Value { label, fields }).collect();
    Ok(DraftAxis { axis: Axis { name: name.into(), values }, is_given: written.iter().map(|value| value.label.is_some()).collect() })
}
