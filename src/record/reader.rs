//! Reads the tables of a result by type: whole rows, or single columns, all of them or a range.
//!
//! A table may have more rows than memory holds, so values come one by one from batches of a fixed size. Of a file only the columns that are
//! asked for are read, and only the row groups and pages of the range.

use super::cell::{Cell, cells};
use super::rows::Table;
use super::stored::{StoredPart, parts, parts_in};
use super::table::Row;
use crate::error::{Error, Result};
use arrow::array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};
use std::path::Path;
use std::{slice, vec};

/// The rows of one table of a result.
///
/// ```
/// use rankguard::record::{Parameters, ParquetRecorder, PresenceRow, Reader, Recorder, RunKey, Table};
///
/// # let temporary = tempfile::tempdir().expect("a folder");
/// # let folder = temporary.path();
/// let row = |step| PresenceRow { step, at_ns: 10 * step, node: 3, online: step % 2 == 0, life: 0 };
/// let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
/// let mut recorder = ParquetRecorder::create(folder, &[Table::Presence], &run)?;
/// recorder.record((0..100).map(row).collect::<Vec<_>>().into())?;
/// recorder.finish()?;
///
/// let presence = Reader::<PresenceRow>::open(folder)?;
/// assert_eq!(presence.n_rows(), 100);
/// let rows: Vec<PresenceRow> = presence.rows(98..)?.collect::<Result<_, _>>()?;
/// assert_eq!(rows, [row(98), row(99)]);
/// let times: Vec<i64> = presence.column("at_ns", 2..4)?.collect::<Result<_, _>>()?;
/// assert_eq!(times, [20, 30]);
/// # Ok::<(), rankguard::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    table: TableReader,
    row: PhantomData<fn() -> R>,
}

impl<R: Row> Reader<R> {
    /// Opens the table of a result folder. Of its files only the footers are read.
    ///
    /// # Errors
    /// The result has no such table, or a file cannot be read or is no Parquet.
    pub fn open(result_folder: &Path) -> Result<Self> {
        Ok(Self { table: TableReader::open(result_folder, R::TABLE)?, row: PhantomData })
    }

    /// Opens the files in one folder, such as `tables/curve/task=t00001` of a collected sweep.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn open_partition(folder: &Path) -> Result<Self> {
        Ok(Self { table: TableReader::open_partition(folder, R::TABLE)?, row: PhantomData })
    }

    /// How many rows the table has.
    pub fn n_rows(&self) -> u64 {
        self.table.n_rows()
    }

    /// The rows of a range, in the order they were written; `..` means all. A range that reaches beyond the end stops there.
    ///
    /// # Errors
    /// A column is missing or has another type. Each row may fail as well, where a file is damaged.
    pub fn rows(&self, range: impl RangeBounds<u64>) -> Result<Values<'_, R>> {
        self.table.values(None, range, Box::new(R::from_batch))
    }

    /// The values of one column in a range of rows, and nothing else of the files.
    ///
    /// # Errors
    /// As [`TableReader::column`].
    pub fn column<C: Cell + 'static>(&self, name: &str, range: impl RangeBounds<u64>) -> Result<Values<'_, C>> {
        self.table.column(name, range)
    }
}

/// One table of a result, for callers that learn only at run time which table it is.
#[derive(Debug)]
pub struct TableReader {
    table: Table,
    parts: Vec<StoredPart>,
}

impl TableReader {
    /// Opens a table of a result folder. Of its files only the footers are read.
    ///
    /// # Errors
    /// The result has no such table, or a file cannot be read or is no Parquet.
    pub fn open(result_folder: &Path, table: Table) -> Result<Self> {
        let parts = parts(result_folder, table)?.ok_or_else(|| table.missing(result_folder))?;
        Ok(Self { table, parts })
    }

    /// Opens the files of a table in one folder, such as `tables/curve/task=t00001` of a collected sweep.
    ///
    /// # Errors
    /// As [`TableReader::open`].
    pub fn open_partition(folder: &Path, table: Table) -> Result<Self> {
        let parts = parts_in(folder)?.ok_or_else(|| table.missing(folder))?;
        Ok(Self { table, parts })
    }

    /// How many rows the table has.
    pub fn n_rows(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.rows.end)
    }

    /// The values of one column in a range of rows, and nothing else of the files. `C` is the type that the table declares, or `String` for an
    /// axis of the run's sweep; a column that may be null is read as an `Option`, and any other may be.
    ///
    /// # Errors
    /// The table has no such column, `C` cannot hold its nulls, or the column of a file has another type. Each value may fail as well, where a
    /// file is damaged.
    pub fn column<C: Cell + 'static>(&self, name: &str, range: impl RangeBounds<u64>) -> Result<Values<'_, C>> {
        let schema = self.table.schema();
        let field = schema.field_with_name(name).ok();
        if field.is_none() && !self.parts.iter().any(|part| part.has(name)) {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(Error::input(format!("the table {} has no column `{name}`, only {}", self.table.name(), names.join(", "))));
        }
        if field.is_some_and(|field| field.is_nullable()) && !C::NULLABLE {
            let problem = format!("column `{name}` of the table {} may be null; read it as an Option", self.table.name());
            return Err(Error::input(problem));
        }
        let of = name.to_string();
        self.values(Some(name), range, Box::new(move |batch| cells(batch, &of)))
    }

    fn values<T>(&self, column: Option<&str>, range: impl RangeBounds<u64>, decode: Decode<T>) -> Result<Values<'_, T>> {
        // The footer of a file tells its types, so a wrong type is found before the first value is used.
        for part in &self.parts {
            decode(&part.empty_batch()).map_err(|problem| part.unfit(self.table, &problem))?;
        }
        let names = column.map(|name| vec![name.to_string()]);
        let names = names.unwrap_or_else(|| self.table.own_fields().iter().map(|field| field.name().clone()).collect());
        let (table, range, parts) = (self.table, clamp(range, self.n_rows()), self.parts.iter());
        Ok(Values { table, columns: names, range, decode, parts, open: None, decoded: Vec::new().into_iter() })
    }
}

/// Rows of a table, or values of a column, in order. Nothing follows after an error.
pub struct Values<'a, T> {
    table: Table,
    columns: Vec<String>,
    range: Range<u64>,
    decode: Decode<T>,
    parts: slice::Iter<'a, StoredPart>,
    open: Option<(&'a StoredPart, ParquetRecordBatchReader)>,
    decoded: vec::IntoIter<T>,
}

/// Reads the values of a batch; a problem names the column.
type Decode<T> = Box<dyn Fn(&RecordBatch) -> std::result::Result<Vec<T>, String>>;

impl<T> Iterator for Values<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(value) = self.decoded.next() {
                return Some(Ok(value));
            }
            match self.next_batch().transpose()? {
                Ok(decoded) => self.decoded = decoded.into_iter(),
                Err(problem) => {
                    (self.open, self.parts) = (None, [].iter());
                    return Some(Err(problem));
                }
            }
        }
    }
}

impl<T> Values<'_, T> {
    fn next_batch(&mut self) -> Result<Option<Vec<T>>> {
        loop {
            if let Some((part, batches)) = &mut self.open {
                if let Some(batch) = part.next_batch(batches)? {
                    return (self.decode)(&batch).map(Some).map_err(|problem| part.unfit(self.table, &problem));
                }
                self.open = None;
            }
            let Some(part) = self.parts.next() else { return Ok(None) };
            let wanted = part.rows.start.max(self.range.start)..part.rows.end.min(self.range.end);
            if !wanted.is_empty() {
                self.open = Some((part, part.read(&self.columns, wanted)?));
            }
        }
    }
}

/// The part of a range that lies within a table of `n_rows` rows.
fn clamp(range: impl RangeBounds<u64>, n_rows: u64) -> Range<u64> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => n_rows,
    };
    start.min(n_rows)..end.min(n_rows)
}

#[cfg(test)]
mod tests;
