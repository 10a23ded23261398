//! The figures of many runs as comma-separated values, for scripts and spreadsheets.

use super::last::Last;
use super::setting::Setting;
use crate::error::{Error, Result};
use crate::math;
use crate::record::{CurveRow, Reader, Table};
use crate::results::Results;
use arrow::datatypes::{DataType, Field};
use std::path::Path;

/// One line per run: its folder, its seed, how many evaluations at its end were averaged, and the mean of every figure of `curve` over these.
/// A figure without any value is left empty.
///
/// # Errors
/// A result cannot be read or has no curve.
pub fn figures(results: &[impl AsRef<Path>]) -> Result<String> {
    let columns: Vec<Field> = Table::Curve.own_fields().into_iter().filter(is_figure).collect();
    let names: Vec<&str> = columns.iter().map(|field| field.name().as_str()).collect();
    let mut lines = vec![format!("folder,seed,averaged,{}", names.join(","))];
    for folder in results.iter().map(AsRef::as_ref) {
        let results = Results::<Setting>::open_with(folder)?;
        let (curve, seed) = (results.curve()?, results.manifest.seed);
        let end = Last::default().of(&curve, results.manifest.scenario.stop);
        let averaged = end.map_err(|problem| Error::input(format!("{}: {problem}", folder.display())))?.len();
        let table = results.table()?;
        let means = columns.iter().map(|column| Ok(mean(&last_values(&table, column, averaged)?))).collect::<Result<Vec<_>>>()?;
        lines.push(format!("{},{seed},{averaged},{}", quoted(&folder.display().to_string()), means.join(",")));
    }
    Ok(lines.join("\n") + "\n")
}

/// Whether a column is a figure: a number with a fraction, or a length of time. Counts and positions are no figures.
fn is_figure(column: &Field) -> bool {
    let is_length = column.name().ends_with("_ns") && column.name() != "at_ns";
    *column.data_type() == DataType::Float64 || is_length
}

/// The last `n` values of a column; `None` stands for a null.
fn last_values(curve: &Reader<CurveRow>, column: &Field, n: usize) -> Result<Vec<Option<f64>>> {
    let rows = curve.n_rows().saturating_sub(n as u64)..;
    match column.data_type() {
        DataType::Int64 => curve.column::<Option<i64>>(column.name(), rows)?.map(|ns| Ok(ns?.map(|ns| ns as f64))).collect(),
        _ => curve.column(column.name(), rows)?.collect(),
    }
}

fn mean(values: &[Option<f64>]) -> String {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    if there.is_empty() { String::new() } else { math::mean_sd(&there).0.to_string() }
}

fn quoted(text: &str) -> String {
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
