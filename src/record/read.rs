//! Reads tables of earlier results.

use super::rows::Table;
use crate::error::{Error, Result};
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Float64Type;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Mean and standard deviation of nDCG over honest nodes at each evaluation, in order.
pub fn read_curve(result_folder: &Path) -> Result<Vec<(f64, f64)>> {
    let missing = || Error::input(format!("{}: holds no curve; run the scenario with record: (curve: All)", result_folder.display()));
    let mut curve = Vec::new();
    for part in parts(result_folder, Table::Curve)?.ok_or_else(missing)? {
        for_each_batch(&part, Table::Curve, &["ndcg_mean", "ndcg_sd"], |batch| {
            let column = |name: &str| Some(batch.column_by_name(name)?.as_primitive_opt::<Float64Type>()?.values().to_vec());
            curve.extend(column("ndcg_mean")?.into_iter().zip(column("ndcg_sd")?));
            Some(())
        })?;
    }
    if curve.is_empty() { Err(missing()) } else { Ok(curve) }
}

/// The files of a table, in order; `None` where the result has no such table.
pub(super) fn parts(result_folder: &Path, table: Table) -> Result<Option<Vec<PathBuf>>> {
    fs::read_dir(result_folder).map_err(|e| Error::cannot_read(result_folder, &e))?;
    let folder = result_folder.join(table.name());
    let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(|e| Error::cannot_read(&folder, &e))?,
    };
    let mut parts: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.extension() == Some("parquet".as_ref())).collect();
    parts.sort();
    Ok(Some(parts))
}

/// `None` from `each` means that a column is missing or has another type.
pub(super) fn for_each_batch(part: &Path, table: Table, columns: &[&str], mut each: impl FnMut(RecordBatch) -> Option<()>) -> Result<()> {
    let unreadable = |problem: &dyn Display| Error::input(format!("{}: cannot be read: {problem}", part.display()));
    let file = File::open(part).map_err(|e| unreadable(&e))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| unreadable(&e))?;
    let columns = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    for batch in builder.with_projection(columns).build().map_err(|e| unreadable(&e))? {
        let wrong = || unreadable(&format!("its columns are not those of the table {}", table.name()));
        each(batch.map_err(|e| unreadable(&e))?).ok_or_else(wrong)?;
    }
    Ok(())
}
