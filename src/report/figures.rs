//! The figures of many runs as comma-separated values, for scripts and spreadsheets.

use super::groups::runs;
use super::last::Last;
use super::setting::{Run, Setting};
use crate::error::{Error, Result};
use crate::math;
use crate::record::{CurveRow, Table};
use arrow::datatypes::{DataType, Field};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::path::Path;

/// Columns that every line has beside its figures and the further axes of its sweep.
const PARAMETERS: [&str; 3] = ["users", "attack", "defense"];

/// The figures of many runs. As JSON they are a list of objects, one for each run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The name of each column.
    pub columns: Vec<String>,
    /// The values of each run; what a run does not have is null.
    pub rows: Vec<Vec<Value>>,
}

/// One row per run: its folder, or the folder of its sweep and its name there; its seed; its users, attack and defence, by their labels if
/// its sweep varies them; its labels on other axes; how many evaluations at its end were averaged, and the mean of every figure of `curve` over
/// these.
///
/// # Errors
/// A result cannot be read or has no curve.
pub fn figures(results: &[impl AsRef<Path>]) -> Result<Figures> {
    let runs = runs(results)?;
    let fields: Vec<Field> = Table::Curve.own_fields().into_iter().filter(is_figure).collect();
    let axes = further_axes(&runs);
    let mut columns: Vec<String> = ["folder", "seed"].into_iter().chain(PARAMETERS).map(String::from).collect();
    columns.extend(axes.iter().cloned().chain(["averaged".into()]));
    columns.extend(fields.iter().map(|field| field.name().clone()));
    let rows = runs.iter().map(|run| row(run, &axes, &fields)).collect::<Result<_>>()?;
    Ok(Figures { columns, rows })
}

impl Figures {
    /// Comma-separated values with a header; what a run does not have is left empty.
    pub fn csv(&self) -> String {
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => quoted(text),
            Value::Number(number) if number.is_f64() => number.as_f64().map_or(String::new(), |number| number.to_string()),
            other => other.to_string(),
        };
        let head: Vec<String> = self.columns.iter().map(|name| quoted(name)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(","));
        [head.join(",")].into_iter().chain(rows).map(|line| line + "\n").collect()
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let object = |row: &Vec<Value>| self.columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<String, Value>>();
        serializer.collect_seq(self.rows.iter().map(object))
    }
}

/// Axes of the runs' sweeps without a column of their own, each once.
fn further_axes(runs: &[Run]) -> Vec<String> {
    let mut axes: Vec<String> = Vec::new();
    for (axis, _) in runs.iter().flat_map(|run| &run.labels) {
        if !axes.contains(axis) && !PARAMETERS.contains(&axis.as_str()) {
            axes.push(axis.clone());
        }
    }
    axes
}

fn row(run: &Run, axes: &[String], fields: &[Field]) -> Result<Vec<Value>> {
    let (place, Setting { users, attack, defense, stop, .. }) = (run.place.display().to_string(), &run.scenario);
    let end = Last::default().of(&run.curve()?, *stop).map(<[_]>::len);
    let averaged = end.map_err(|problem| Error::input(format!("{place}: {problem}")))?;
    let label = |axis: &str| run.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| Value::from(label.as_str()));
    let names = [users.name().into(), attack.name().into(), defense.name().into()];
    let mut values: Vec<Value> = vec![place.into(), run.seed.into()];
    values.extend(PARAMETERS.iter().zip(names).map(|(axis, name): (_, Value)| label(axis).unwrap_or(name)));
    values.extend(axes.iter().map(|axis| label(axis).unwrap_or_default()));
    values.push(averaged.into());
    for field in fields {
        values.push(mean(&last_values(run, field, averaged)?).into());
    }
    Ok(values)
}

/// Whether a column is a figure: a number with a fraction, or a length of time. Counts and positions are no figures.
fn is_figure(column: &Field) -> bool {
    let is_length = column.name().ends_with("_ns") && column.name() != "at_ns";
    *column.data_type() == DataType::Float64 || is_length
}

/// The last `n` values of a column; `None` stands for a null.
fn last_values(run: &Run, column: &Field, n: usize) -> Result<Vec<Option<f64>>> {
    let curve = run.table::<CurveRow>()?;
    match column.data_type() {
        DataType::Int64 => Ok(curve.last::<Option<i64>>(column.name(), n)?.into_iter().map(|ns| ns.map(|ns| ns as f64)).collect()),
        _ => curve.last(column.name(), n),
    }
}

fn mean(values: &[Option<f64>]) -> Option<f64> {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    (!there.is_empty()).then(|| math::mean_sd(&there).0)
}

/// A value between commas.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_left_out_of_a_mean() {
        for (values, expect) in [(&[Some(1.0), None, Some(2.0)][..], Some(1.5)), (&[None], None), (&[], None)] {
            assert_eq!(mean(values), expect);
        }
    }

    #[test]
    fn a_comma_in_a_folder_is_no_border() {
        assert_eq!((quoted("out/a"), quoted("a,\"b\"")), ("out/a".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
