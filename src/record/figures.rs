//! The figures of a run: every column of its `curve` that can be averaged.

use super::read::{for_each_batch, parts};
use super::rows::Table;
use crate::error::{Error, Result};
use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use std::path::Path;

/// The names of the figures: numbers with a fraction, and lengths of time. Counts and positions are no figures.
pub fn figure_names() -> Vec<String> {
    let schema = Table::Curve.schema();
    let is_length = |name: &str| name.ends_with("_ns") && name != "at_ns";
    let figures = schema.fields().iter().filter(|field| *field.data_type() == DataType::Float64 || is_length(field.name()));
    figures.map(|field| field.name().clone()).collect()
}

/// One list per figure, in the order of `figure_names`: its value at each evaluation, where there is one.
///
/// # Errors
/// If the result cannot be read or has no curve.
pub fn read_figures(result_folder: &Path) -> Result<Vec<Vec<Option<f64>>>> {
    let missing = || Error::input(format!("{}: holds no curve; run the scenario with record: (curve: All)", result_folder.display()));
    let names = figure_names();
    let projection: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut figures = vec![Vec::new(); names.len()];
    for part in parts(result_folder, Table::Curve)?.ok_or_else(missing)? {
        for_each_batch(&part, Table::Curve, &projection, |batch| {
            for (name, values) in names.iter().zip(&mut figures) {
                values.extend(numbers(batch.column_by_name(name)?)?);
            }
            Some(())
        })?;
    }
    if figures.iter().all(Vec::is_empty) { Err(missing()) } else { Ok(figures) }
}

fn numbers(column: &dyn Array) -> Option<Vec<Option<f64>>> {
    let fractions = column.as_primitive_opt::<Float64Type>().map(|column| column.iter().collect());
    fractions.or_else(|| Some(column.as_primitive_opt::<Int64Type>()?.iter().map(|value| value.map(|value| value as f64)).collect()))
}
