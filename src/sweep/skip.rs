//! The combinations that a sweep leaves out, by the labels of their values.

use super::axes::DraftAxis;
use super::source::Source;
use crate::error::Result;
use std::ops::Range;

/// Every line of `skip` as pairs of an axis and a value on it, by their indices.
pub fn parse(source: &Source, value: Range<usize>, axes: &[DraftAxis]) -> Result<Vec<Vec<(usize, usize)>>> {
    source.list(value, "`skip`")?.into_iter().map(|line| combination(source, line, axes)).collect()
}

fn combination(source: &Source, line: Range<usize>, axes: &[DraftAxis]) -> Result<Vec<(usize, usize)>> {
    let at = line.start;
    let labels = source.fields(line, "a line of `skip`")?;
    if labels.is_empty() {
        return Err(source.refuse(at, "this would leave out every run; name an axis and a label, as in (defense: \"FlTrust\")"));
    }
    labels.into_iter().map(|(name, value)| pair(source, name, &value, axes)).collect()
}

fn pair(source: &Source, name: &str, value: &Range<usize>, axes: &[DraftAxis]) -> Result<(usize, usize)> {
    let names: Vec<&str> = axes.iter().map(|draft| draft.axis.name.as_str()).collect();
    let Some(axis) = names.iter().position(|axis| *axis == name) else {
        return Err(source.unknown(source.place_of(name), "axis", name, &names));
    };
    let label: String = source.value(value, "the label of a value in quotes")?;
    let labels: Vec<&str> = axes[axis].axis.values.iter().map(|value| value.label.as_str()).collect();
    match labels.iter().position(|there| *there == label) {
        Some(value) => Ok((axis, value)),
        None => Err(source.unknown(value.start, &format!("label on the axis {name}:"), &label, &labels)),
    }
}

/// Whether a combination of values is left out.
pub fn is_skipped(skip: &[Vec<(usize, usize)>], values: &[usize]) -> bool {
    skip.iter().any(|line| line.iter().all(|(axis, value)| values[*axis] == *value))
}
