//! Rows that are in no file yet, as columns that grow, and as bytes for a checkpoint: a Parquet file in memory, which every cell survives to
//! the last bit.

use super::damage::catch;
use super::encoding::properties;
use super::rows::{CurveRow, Rows, Table};
use crate::error::Error;
use arrow::array::{ArrayBuilder, ArrayRef, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::Result;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Rows of one table as its own columns: batches, and columns that still grow.
pub struct OpenRows {
    table: Table,
    schema: SchemaRef,
    full: Vec<RecordBatch>,
    n_full: usize,
    growing: Vec<Box<dyn ArrayBuilder>>,
    n_growing: usize,
}

impl OpenRows {
    pub fn none(table: Table) -> Self {
        let schema = Arc::new(Schema::new(table.own_fields()));
        Self { table, schema, full: Vec::new(), n_full: 0, growing: table.columns(0), n_growing: 0 }
    }

    pub fn len(&self) -> usize {
        self.n_full + self.n_growing
    }

    /// How many rows the columns have that still grow.
    pub fn n_growing(&self) -> usize {
        self.n_growing
    }

    pub fn append(&mut self, rows: &Rows, range: Range<usize>) {
        self.n_growing += range.len();
        rows.append_to(&mut self.growing, range);
    }

    /// Ends the columns that grow, and begins others with room for as much again.
    pub fn end_batch(&mut self) -> &RecordBatch {
        let mut ended = std::mem::replace(&mut self.growing, self.table.columns(self.n_growing));
        let batch = self.batch(ended.iter_mut().map(|column| column.finish()).collect());
        self.n_full += std::mem::take(&mut self.n_growing);
        self.full.push(batch);
        &self.full[self.full.len() - 1]
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.full.clear();
        self.n_full = 0;
    }

    /// All rows so far.
    pub fn batches(&self) -> Vec<RecordBatch> {
        let growing = (self.n_growing > 0).then(|| self.batch(self.growing.iter().map(|column| column.finish_cloned()).collect()));
        self.full.iter().cloned().chain(growing).collect()
    }

    /// The bytes of all rows; none for no rows. They do not say whose rows these are.
    pub fn save(&self) -> Result<Vec<u8>> {
        if self.len() == 0 {
            return Ok(Vec::new());
        }
        let mut writer = ArrowWriter::try_new(Vec::new(), self.schema.clone(), Some(properties(&self.schema, "")))?;
        self.batches().iter().try_for_each(|batch| writer.write(batch))?;
        writer.into_inner()
    }

    fn batch(&self, columns: Vec<ArrayRef>) -> RecordBatch {
        RecordBatch::try_new(self.schema.clone(), columns).expect("columns and schema come from one declaration")
    }
}

/// The last row of the curve as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedRows(Vec<u8>);

impl SavedRows {
    /// Saves a row of the curve, if there is one.
    pub fn of_curve(row: Option<&CurveRow>) -> crate::error::Result<Self> {
        save(&Rows::Curve(row.cloned().into_iter().collect()))
            .map(Self)
            .map_err(|e| Error::failed(format!("a row cannot be saved: {e}")))
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

fn save(rows: &Rows) -> Result<Vec<u8>> {
    let mut open = OpenRows::none(rows.table());
    open.append(rows, 0..rows.len());
    open.save()
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

    #[test]
    fn batches_and_growing_columns_are_saved_together() {
        let rows = Rows::Receipts(sample::<ReceiptRow>(1, 300));
        let mut open = OpenRows::none(Table::Receipts);
        open.append(&rows, 0..100);
        assert_eq!((open.end_batch().num_rows(), open.len(), open.n_growing()), (100, 100, 0));
        open.append(&rows, 100..300);
        let loaded = open.save().map(|bytes| load(Table::Receipts, &bytes)).expect("memory never fails");
        assert_eq!((format!("{:?}", loaded.expect("it reads back")), open.len()), (format!("{rows:?}"), 300));
        open.end_batch();
        open.clear();
        assert_eq!((open.len(), open.save().expect("memory never fails")), (0, vec![]));
    }
}
