//! The files of a written table, as a reader finds them.

use super::damage::catch;
use super::encoding::SCHEMA_VERSION_KEY;
use super::rows::{SCHEMA_VERSION, Table};
use crate::error::{Error, Result};
use arrow::array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 1024;

/// One file of a table: its footer, and which rows of the table it holds.
#[derive(Debug)]
pub struct StoredPart {
    path: PathBuf,
    footer: ArrowReaderMetadata,
    pub rows: Range<u64>,
}

/// The files of a table, in order; `None` if the result has no such table.
pub fn parts(result_folder: &Path, table: Table) -> Result<Option<Vec<StoredPart>>> {
    paths(result_folder, table)?.map(open_all).transpose()
}

/// The files in a folder of their own, in order; `None` if there is no such folder.
pub fn parts_in(folder: &Path) -> Result<Option<Vec<StoredPart>>> {
    paths_in(folder)?.map(open_all).transpose()
}

fn open_all(paths: Vec<PathBuf>) -> Result<Vec<StoredPart>> {
    let mut parts: Vec<StoredPart> = Vec::new();
    for path in paths {
        let first = parts.last().map_or(0, |part| part.rows.end);
        parts.push(StoredPart::open(path, first)?);
    }
    Ok(parts)
}

/// The paths of a table's files, in order; `None` if the result has no such table.
pub fn paths(result_folder: &Path, table: Table) -> Result<Option<Vec<PathBuf>>> {
    fs::read_dir(result_folder).map_err(|e| Error::cannot_read(result_folder, &e))?;
    paths_in(&result_folder.join(table.name()))
}

fn paths_in(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(|e| Error::cannot_read(folder, &e))?,
    };
    let mut paths: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.extension() == Some("parquet".as_ref())).collect();
    paths.sort();
    Ok(Some(paths))
}

impl StoredPart {
    fn open(path: PathBuf, first_row: u64) -> Result<Self> {
        // Programs that rewrite tables describe the same columns by other Arrow types, but the Parquet types stay the same.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let file = File::open(&path).map_err(|e| unreadable(&path, &e))?;
        let footer = catch(|| ArrowReaderMetadata::load(&file, options)).map_err(|e| damaged(&path, &e))?;
        let n_rows = u64::try_from(footer.metadata().file_metadata().num_rows()).map_err(|e| damaged(&path, &e))?;
        let end = first_row.checked_add(n_rows).ok_or_else(|| damaged(&path, &"it counts too many rows"))?;
        Ok(Self { path, footer, rows: first_row..end })
    }

    /// The columns of the file without any rows.
    pub fn empty_batch(&self) -> RecordBatch {
        RecordBatch::new_empty(self.footer.schema().clone())
    }

    /// Whether the file has a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.footer.schema().field_with_name(column).is_ok()
    }

    /// Reads these columns in these rows of the table. The file must hold the rows.
    pub fn read(&self, columns: &[String], rows: Range<u64>) -> Result<ParquetRecordBatchReader> {
        let file = File::open(&self.path).map_err(|e| unreadable(&self.path, &e))?;
        let columns = ProjectionMask::columns(self.footer.parquet_schema(), columns.iter().map(String::as_str));
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.footer.clone())
            .with_batch_size(BATCH_ROWS)
            .with_projection(columns)
            .with_offset((rows.start - self.rows.start) as usize)
            .with_limit((rows.end - rows.start) as usize);
        catch(|| builder.build()).map_err(|e| damaged(&self.path, &e))
    }

    /// The next batch of a reader that `read` has made.
    pub fn next_batch(&self, batches: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>> {
        catch(|| batches.next().transpose()).map_err(|e| damaged(&self.path, &e))
    }

    /// The error of a Parquet file whose columns are not those of the table.
    pub fn unfit(&self, table: Table, problem: &str) -> Error {
        let version = self.schema_version().filter(|version| *version != SCHEMA_VERSION.to_string());
        let version =
            version.map_or(String::new(), |version| format!("; it has schema version {version}, and this program reads {SCHEMA_VERSION}"));
        damaged(&self.path, &format!("its columns are not those of the table {}: {problem}{version}", table.name()))
    }

    /// The schema version in the footer; `None` if another program has rewritten the table.
    fn schema_version(&self) -> Option<&str> {
        let footer = self.footer.metadata().file_metadata().key_value_metadata()?;
        footer.iter().find(|pair| pair.key == SCHEMA_VERSION_KEY)?.value.as_deref()
    }
}

/// The error of a file that is damaged, or was written by another program.
pub fn damaged(path: &Path, problem: &dyn Display) -> Error {
    unreadable(path, &format!("{problem}; run the scenario again"))
}

pub fn unreadable(path: &Path, problem: &dyn Display) -> Error {
    Error::input(format!("{}: cannot be read: {problem}", path.display()))
}

impl Table {
    /// The error of a result without this table, or without any row of it.
    pub(crate) fn missing(self, result_folder: &Path) -> Error {
        let remedy = match self {
            Table::Models => "record them in that run with record: (models: Last)".into(),
            Table::Runs => "run the scenario again".into(),
            Table::Nodes
            | Table::Evaluations
            | Table::Receipts
            | Table::Searches
            | Table::Presence
            | Table::Faults
            | Table::Curve
            | Table::Histograms
            | Table::Outcomes => format!("run the scenario with record: ({}: All)", self.name()),
        };
        Error::input(format!("{}: holds no {}; {remedy}", result_folder.display(), self.name()))
    }
}
