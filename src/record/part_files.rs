//! The files of one table. Parts, row groups and pages are cut by counting rows, never by how rows happened to be batched,
//! so a rerun writes the same bytes.

use super::column_order::declare_type_defined;
use super::encoding::{ROW_GROUP_ROWS, properties};
use super::rows::{Rows, Table};
use super::table::RunKey;
use crate::error::{Error, Result};
use arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A part closes after this many rows.
pub const PART_ROWS: usize = 8 * ROW_GROUP_ROWS;
/// Rows handed to Parquet at a time: enough that columns are long, few enough that they stay in the cache.
pub const BATCH_ROWS: usize = 8192;
/// The same for models, whose rows are large.
pub const BATCH_MODELS: usize = 64;

/// Writes one table into its folder, part after part.
pub struct TableWriter {
    table: Table,
    run: RunKey,
    folder: PathBuf,
    properties: WriterProperties,
    part_rows: usize,
    /// Fewer rows than a batch.
    pending: Rows,
    open: Option<Part>,
    n_parts: usize,
    n_rows: u64,
}

struct Part {
    path: PathBuf,
    writer: ArrowWriter<File>,
    n_rows: usize,
}

impl TableWriter {
    pub fn create(result_folder: &Path, table: Table, run: &RunKey, part_rows: usize) -> Result<Self> {
        let folder = result_folder.join(table.name());
        fs::create_dir_all(&folder).map_err(|e| Error::cannot_write(&folder, &e))?;
        let pending = Rows::none(table);
        let properties = properties(table, &run.run_id);
        Ok(Self { table, run: run.clone(), folder, properties, part_rows, pending, open: None, n_parts: 0, n_rows: 0 })
    }

    pub fn write(&mut self, mut rows: Rows) -> Result<()> {
        self.n_rows += rows.len() as u64;
        let batch_rows = if self.table == Table::Models { BATCH_MODELS } else { BATCH_ROWS };
        let mut first = 0;
        while self.pending.len() + rows.len() - first >= batch_rows {
            let end = first + batch_rows - self.pending.len();
            let pending = std::mem::replace(&mut self.pending, Rows::none(self.table));
            self.write_batch(rows.to_batch(first..end, &pending, &self.run))?;
            first = end;
        }
        self.pending.append(rows.split_off(first));
        Ok(())
    }

    /// Writes the remaining rows and returns the number of all rows. A table without rows leaves one part without rows,
    /// because readers rely on the file for the columns.
    pub fn finish(mut self) -> Result<u64> {
        self.write_batch(self.pending.to_batch(0..self.pending.len(), &Rows::none(self.table), &self.run))?;
        if self.n_parts == 0 {
            self.open = Some(self.open_part()?);
        }
        self.close_part()?;
        Ok(self.n_rows)
    }

    fn write_batch(&mut self, mut batch: RecordBatch) -> Result<()> {
        while batch.num_rows() > 0 {
            let mut part = match self.open.take() {
                Some(part) => part,
                None => self.open_part()?,
            };
            let fits = batch.num_rows().min(self.part_rows - part.n_rows);
            part.write(&batch.slice(0, fits))?;
            let full = part.n_rows == self.part_rows;
            self.open = Some(part);
            if full {
                self.close_part()?;
            }
            batch = batch.slice(fits, batch.num_rows() - fits);
        }
        Ok(())
    }

    fn open_part(&mut self) -> Result<Part> {
        let path = self.folder.join(format!("part-{:05}.parquet", self.n_parts));
        let file = File::create(&path).map_err(|e| Error::cannot_write(&path, &e))?;
        let writer =
            ArrowWriter::try_new(file, self.table.schema(), Some(self.properties.clone())).map_err(|e| Error::cannot_write(&path, &e))?;
        self.n_parts += 1;
        Ok(Part { path, writer, n_rows: 0 })
    }

    fn close_part(&mut self) -> Result<()> {
        match self.open.take() {
            Some(part) => part.close(),
            None => Ok(()),
        }
    }
}

impl Part {
    fn close(self) -> Result<()> {
        let metadata = self.writer.close().map_err(|e| Error::cannot_write(&self.path, &e))?;
        let n_columns = metadata.file_metadata().schema_descr().num_columns();
        declare_type_defined(&self.path, n_columns).map_err(|e| Error::cannot_write(&self.path, &e))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.n_rows += batch.num_rows();
        self.writer.write(batch).map_err(|e| Error::cannot_write(&self.path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::PresenceRow;
    use super::*;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use tempfile::{TempDir, tempdir};

    /// Writes the batches and returns the folder, its parts in order, and the number of rows.
    fn write(table: Table, part_rows: usize, batches: &[Rows]) -> (TempDir, Vec<PathBuf>, u64) {
        let folder = tempdir().expect("a folder");
        let mut writer = TableWriter::create(folder.path(), table, &run(), part_rows).expect("it starts");
        batches.iter().for_each(|rows| writer.write(rows.clone()).expect("it writes"));
        let n_rows = writer.finish().expect("it closes");
        let entries = fs::read_dir(folder.path().join(table.name())).expect("the table has a folder");
        let mut parts: Vec<PathBuf> = entries.map(|entry| entry.expect("it lists").path()).collect();
        parts.sort();
        (folder, parts, n_rows)
    }

    fn run() -> RunKey {
        RunKey { run_id: "rabc".into(), seed: u64::MAX }
    }

    fn open(part: &Path) -> ParquetRecordBatchReaderBuilder<File> {
        ParquetRecordBatchReaderBuilder::try_new(File::open(part).expect("the part exists")).expect("it is Parquet")
    }

    fn presence(steps: std::ops::Range<i64>) -> Rows {
        Rows::Presence(
            steps.map(|step| PresenceRow { step, at_ns: step * step, node: (step % 7) as i32, online: step % 2 == 0, life: 0 }).collect(),
        )
    }

    #[test]
    fn parts_close_after_a_fixed_number_of_rows() {
        for (rows, sizes) in [(9, vec![4, 4, 1]), (8, vec![4, 4]), (1, vec![1]), (0, vec![0])] {
            let (_folder, parts, _) = write(Table::Presence, 4, &[presence(0..rows)]);
            let n_rows = |part: &PathBuf| open(part).metadata().file_metadata().num_rows();
            assert_eq!(parts.iter().map(n_rows).collect::<Vec<_>>(), sizes, "{rows} rows");
        }
    }

    #[test]
    fn a_table_without_rows_leaves_one_part_with_all_its_columns() {
        for table in Table::ALL {
            let (_folder, parts, n_rows) = write(*table, PART_ROWS, &[]);
            assert_eq!((parts.len(), n_rows), (1, 0));
            assert_eq!(open(&parts[0]).schema().fields(), table.schema().fields());
        }
    }

    #[test]
    fn the_same_rows_give_the_same_bytes_however_they_were_batched() {
        let bytes = |at_a_time: i64| {
            let batches: Vec<Rows> =
                (0..20_000).step_by(at_a_time as usize).map(|from| presence(from..20_000.min(from + at_a_time))).collect();
            let (_folder, parts, _) = write(Table::Presence, 12_000, &batches);
            parts.iter().map(|part| fs::read(part).expect("it reads")).collect::<Vec<_>>()
        };
        assert_eq!(bytes(20_000).len(), 2);
        assert!(bytes(20_000) == bytes(20_000) && bytes(20_000) == bytes(7) && bytes(20_000) == bytes(1));
    }
}
