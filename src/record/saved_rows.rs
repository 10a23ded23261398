//! Rows as Parquet files in memory, for checkpoints. Every cell survives to the last bit.

use super::column::Compressor;
use super::damage::catch;
use super::layout::Layout;
use super::part::Part;
use super::rows::{CurveRow, Rows, Table};
use crate::error::Error;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::Result;
use serde::{Deserialize, Serialize};

/// The last row of the curve as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedRows(Vec<u8>);

impl SavedRows {
    /// Saves a row of the curve, if there is one.
    pub fn of_curve(row: Option<&CurveRow>) -> crate::error::Result<Self> {
        save(&Rows::Curve(row.cloned().into_iter().collect())).map(Self).map_err(|e| Error::failed(format!("a row cannot be saved: {e}")))
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
fn save(rows: &Rows) -> Result<Vec<u8>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let (mut part, mut compressor) = (Part::new(rows.table()), Compressor::default());
    part.append(rows, &rows.places());
    part.end_page(&mut compressor)?;
    Layout::of_rows(rows.table())?.bytes(&part, &mut compressor)
}

/// The rows of a Parquet file in memory; none if it has no bytes.
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
