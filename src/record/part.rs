//! The rows of a part that is not closed yet, as the columns of its table.

use super::column::{Column, Compressor};
use super::rows::{Rows, Table};
use bytes::Bytes;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;

/// The own columns of a part. Its last rows make no page yet.
pub struct Part {
    table: Table,
    columns: Vec<Box<dyn Column>>,
    n_rows: usize,
    n_open: usize,
}

impl Part {
    pub fn new(table: Table) -> Self {
        Self { table, columns: table.columns(), n_rows: 0, n_open: 0 }
    }

    pub fn table(&self) -> Table {
        self.table
    }

    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// The rows of the page that is not full yet.
    pub fn n_open(&self) -> usize {
        self.n_open
    }

    /// Adds the rows at some places.
    pub fn append(&mut self, rows: &Rows, places: &[u32]) {
        self.n_rows += places.len();
        self.n_open += places.len();
        rows.append_to(&mut self.columns, places);
    }

    /// Makes a page of the last rows, if there are any.
    pub fn end_page(&mut self, compressor: &mut Compressor) -> Result<()> {
        match std::mem::take(&mut self.n_open) {
            0 => Ok(()),
            n_rows => self.columns.iter_mut().try_for_each(|column| column.end_page(n_rows, compressor)),
        }
    }

    /// The columns as they stand in a file, one after the other; `about` tells which they are.
    pub fn chunks(&self, about: &[ColumnDescPtr], compressor: &mut Compressor) -> impl Iterator<Item = Result<(Bytes, ColumnCloseResult)>> {
        assert_eq!(self.n_open, 0, "rows that make no page yet would be lost");
        self.columns.iter().zip(about).map(|(column, about)| column.chunk(about.clone(), compressor))
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(|column| column.clear());
        self.n_rows = 0;
    }

    /// The part once more.
    pub fn copy(&self) -> Self {
        Self { columns: self.columns.iter().map(|column| column.copy()).collect(), ..*self }
    }
}
