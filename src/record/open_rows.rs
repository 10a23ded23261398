//! Rows that are in no file yet, as bytes for a checkpoint: a Parquet file in memory, which every cell survives to the last bit.

use super::damage::catch;
use super::encoding::properties;
use super::rows::{CurveRow, Rows, Table};
use super::run_key::{Parameters, RunColumns, RunKey};
use crate::error::Error;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::Result;
use serde::{Deserialize, Serialize};

/// The last row of the curve as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedRows(Vec<u8>);

impl SavedRows {
    /// Saves a row of the curve, if there is one.
    pub fn of_curve(row: Option<&CurveRow>) -> crate::error::Result<Self> {
        let rows = Rows::Curve(row.cloned().into_iter().collect());
        save(&rows).map(Self).map_err(|e| Error::failed(format!("a row cannot be saved: {e}")))
    }

    /// The row that was saved.
    pub fn curve(&self) -> crate::error::Result<Option<CurveRow>> {
        match load(Table::Curve, &self.0) {
            Ok(Rows::Curve(mut rows)) => Ok(rows.pop()),
            Ok(_) => unreachable!("rows of a table are its rows"),
            Err(problem) => Err(Error::input(format!("a row of a checkpoint cannot be read: {problem}"))),
        }
    }
}

/// The bytes of some rows; none for no rows. They do not say whose rows these are.
pub fn save(rows: &Rows) -> Result<Vec<u8>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let nobody = RunKey { run_id: String::new(), seed: 0, parameters: Parameters::default() };
    let columns = RunColumns::new(rows.table(), &nobody, rows.len());
    let mut writer = ArrowWriter::try_new(Vec::new(), columns.schema().clone(), Some(properties(columns.schema(), "")))?;
    writer.write(&rows.to_batch(0..rows.len(), &columns))?;
    writer.into_inner()
}

/// The rows of such bytes.
pub fn load(table: Table, bytes: &[u8]) -> std::result::Result<Rows, String> {
    let mut rows = Rows::none(table);
    if bytes.is_empty() {
        return Ok(rows);
    }
    let bytes = Bytes::copy_from_slice(bytes);
    let mut batches = catch(|| ParquetRecordBatchReaderBuilder::try_new(bytes)?.build())?;
    while let Some(batch) = catch(|| batches.next().transpose())? {
        rows.append(Rows::from_batch(table, &batch)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::super::rows::{ModelRow, ReceiptRow};
    use super::super::samples::sample;
    use super::*;

    #[track_caller]
    fn check(rows: Rows) {
        let bytes = save(&rows).expect("memory never fails");
        let loaded = load(rows.table(), &bytes).expect("it reads back");
        assert_eq!(format!("{loaded:?}"), format!("{rows:?}")); // NaN is not equal to itself
    }

    #[test]
    fn rows_come_back_as_they_were() {
        check(Rows::Receipts(sample::<ReceiptRow>(1, 3000)));
        check(Rows::Curve(sample::<CurveRow>(2, 5)));
        check(Rows::Models(sample::<ModelRow>(3, 70)));
        check(Rows::none(Table::Searches));
    }
}
