//! Reads tables of earlier results.

use super::rows::Table;
use crate::error::{Error, Result};
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What one evaluation found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    pub evaluation: i32,
    pub at_ns: i64,
    pub sessions: i64,
    /// Mean and standard deviation of nDCG over honest nodes.
    pub ndcg_mean: f64,
    pub ndcg_sd: f64,
}

/// The recorded evaluations in order; at least one.
pub fn read_curve(result_folder: &Path) -> Result<Vec<CurvePoint>> {
    let missing = || Error::input(format!("{}: holds no curve; run the scenario with record: (curve: All)", result_folder.display()));
    let mut curve = Vec::new();
    for part in parts(result_folder, Table::Curve)?.ok_or_else(missing)? {
        for_each_batch(&part, Table::Curve, &["evaluation", "at_ns", "sessions", "ndcg_mean", "ndcg_sd"], |batch| {
            let evaluations = values::<Int32Type>(&batch, "evaluation")?;
            let (times, sessions) = (values::<Int64Type>(&batch, "at_ns")?, values::<Int64Type>(&batch, "sessions")?);
            let (means, sds) = (values::<Float64Type>(&batch, "ndcg_mean")?, values::<Float64Type>(&batch, "ndcg_sd")?);
            curve.extend((0..batch.num_rows()).map(|row| CurvePoint {
                evaluation: evaluations[row],
                at_ns: times[row],
                sessions: sessions[row],
                ndcg_mean: means[row],
                ndcg_sd: sds[row],
            }));
            Some(())
        })?;
    }
    if curve.is_empty() { Err(missing()) } else { Ok(curve) }
}

fn values<'a, T: ArrowPrimitiveType>(batch: &'a RecordBatch, column: &str) -> Option<&'a [T::Native]> {
    Some(batch.column_by_name(column)?.as_primitive_opt::<T>()?.values())
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression;
    use parquet::file::properties::WriterProperties;
    use std::sync::Arc;

    #[test]
    fn tables_that_others_have_packed_again_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("curve")).expect("it is made");
        for (n, packing) in [(0, Compression::SNAPPY), (1, Compression::UNCOMPRESSED)] {
            let file = File::create(folder.path().join(format!("curve/part-{n:05}.parquet"))).expect("it is made");
            let properties = WriterProperties::builder().set_compression(packing).build();
            let batch = curve(n);
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("it starts");
            writer.write(&batch).and_then(|()| writer.close().map(drop)).expect("it writes");
        }
        let point = |n| CurvePoint { evaluation: n, at_ns: 60, sessions: 1000, ndcg_mean: 0.5, ndcg_sd: 0.25 };
        assert_eq!(read_curve(folder.path()), Ok(vec![point(0), point(1)]));
    }

    fn curve(evaluation: i32) -> RecordBatch {
        let columns: [(&str, ArrayRef); 5] = [
            ("evaluation", Arc::new(Int32Array::from(vec![evaluation]))),
            ("at_ns", Arc::new(Int64Array::from(vec![60]))),
            ("sessions", Arc::new(Int64Array::from(vec![1000]))),
            ("ndcg_mean", Arc::new(Float64Array::from(vec![0.5]))),
            ("ndcg_sd", Arc::new(Float64Array::from(vec![0.25]))),
        ];
        RecordBatch::try_from_iter(columns).expect("one row each")
    }
}
