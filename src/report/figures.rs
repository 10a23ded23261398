//! The figures of many runs as comma-separated values, for scripts and spreadsheets.

use super::groups::runs;
use super::last::Last;
use super::setting::{Run, Setting};
use crate::error::{Error, Result};
use crate::math;
use crate::record::{CurveRow, Table};
use arrow::datatypes::{DataType, Field};
use std::path::Path;

/// Columns that every line has beside its figures and the further axes of its sweep.
const PARAMETERS: [&str; 3] = ["users", "attack", "defense"];

/// One line per run: its folder, or the folder of its sweep and its name there; its seed; its users, attack and defence, by their labels if
/// its sweep varies them; its labels on other axes; how many evaluations at its end were averaged, and the mean of every figure of `curve` over
/// these. What a run does not have is left empty.
///
/// # Errors
/// A result cannot be read or has no curve.
pub fn figures(results: &[impl AsRef<Path>]) -> Result<String> {
    let runs = runs(results)?;
    let columns: Vec<Field> = Table::Curve.own_fields().into_iter().filter(is_figure).collect();
    let axes = further_axes(&runs);
    let mut head: Vec<String> = ["folder", "seed"].into_iter().chain(PARAMETERS).map(String::from).collect();
    head.extend(axes.iter().map(|axis| quoted(axis)));
    head.extend(["averaged".into()].into_iter().chain(columns.iter().map(|field| field.name().clone())));
    let mut lines = vec![head.join(",")];
    for run in &runs {
        lines.push(line(run, &axes, &columns)?);
    }
    Ok(lines.join("\n") + "\n")
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

fn line(run: &Run, axes: &[String], columns: &[Field]) -> Result<String> {
    let (place, Setting { users, attack, defense, stop, .. }) = (run.place.display().to_string(), &run.scenario);
    let end = Last::default().of(&run.curve()?, *stop).map(<[_]>::len);
    let averaged = end.map_err(|problem| Error::input(format!("{place}: {problem}")))?;
    let label = |axis: &str| run.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| quoted(label));
    let names = [quoted(users.name()), quoted(&attack.name()), quoted(defense.name())];
    let mut cells = vec![quoted(&place), run.seed.to_string()];
    cells.extend(PARAMETERS.iter().zip(names).map(|(axis, name)| label(axis).unwrap_or(name)));
    cells.extend(axes.iter().map(|axis| label(axis).unwrap_or_default()));
    cells.push(averaged.to_string());
    for column in columns {
        cells.push(mean(&last_values(run, column, averaged)?));
    }
    Ok(cells.join(","))
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

fn mean(values: &[Option<f64>]) -> String {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    if there.is_empty() { String::new() } else { math::mean_sd(&there).0.to_string() }
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
        for (values, expect) in [(&[Some(1.0), None, Some(2.0)][..], "1.5"), (&[None], ""), (&[], "")] {
            assert_eq!(mean(values), expect);
        }
    }

    #[test]
    fn a_comma_in_a_folder_is_no_border() {
        assert_eq!((quoted("out/a"), quoted("a,\"b\"")), ("out/a".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
