//! Rows that are in no file yet: columns that grow, and Parquet files in memory for checkpoints, which every cell survives to the last bit.

use super::damage::catch;
use super::encoding::properties;
use super::rows::{CurveRow, Rows, Table};
use crate::error::Error;
use arrow::array::{ArrayBuilder, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::Result;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Rows of one table as its own columns, which grow until they make a batch.
pub struct OpenRows {
    table: Table,
    schema: SchemaRef,
    columns: Vec<Box<dyn ArrayBuilder>>,
    n_rows: usize,
}

impl OpenRows {
    pub fn none(table: Table) -> Self {
        Self { table, schema: Arc::new(Schema::new(table.own_fields())), columns: table.columns(0), n_rows: 0 }
    }

    pub fn len(&self) -> usize {
        self.n_rows
    }

    pub fn append(&mut self, rows: &Rows, range: Range<usize>) {
        self.n_rows += range.len();
        rows.append_to(&mut self.columns, range);
    }

    /// Takes the rows, and leaves room for as many again.
    pub fn take(&mut self) -> RecordBatch {
        let room = self.table.columns(std::mem::take(&mut self.n_rows));
        let columns = std::mem::replace(&mut self.columns, room).iter_mut().map(|column| column.finish()).collect();
        RecordBatch::try_new(self.schema.clone(), columns).expect("columns and schema come from one declaration")
    }
}

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
    let mut open = OpenRows::none(rows.table());
    open.append(rows, 0..rows.len());
    let batch = open.take();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties(batch.schema_ref(), "")))?;
    writer.write(&batch)?;
    writer.into_inner()
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

    #[test]
    fn columns_are_taken_batch_by_batch() {
        let rows = Rows::Receipts(sample::<ReceiptRow>(1, 300));
        let mut open = OpenRows::none(Table::Receipts);
        let mut back = Rows::none(Table::Receipts);
        for range in [0..100, 100..100, 100..300] {
            open.append(&rows, range.clone());
            assert_eq!(open.len(), range.len());
            back.append(Rows::from_batch(Table::Receipts, &open.take()).expect("its columns are those of the table"));
        }
        assert_eq!((format!("{back:?}"), open.len()), (format!("{rows:?}"), 0));
    }
}
