//! Packs the rows of many runs into one file per table, so that a thousand small runs do not leave ten thousand small files.
//!
//! Rows keep the order of the runs and are cut into batches, pages and row groups by counting alone. So the same runs give the same bytes.

use super::column_order::declare_type_defined;
use super::damage::catch;
use super::encoding::task_properties;
use super::rows::Table;
use super::stored::{damaged, paths, unreadable};
use crate::error::{Error, Result};
use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rows that are taken at a time: enough that columns are long, few enough that they stay in the cache.
const BATCH_ROWS: usize = 8192;
/// The rows of models that are taken at a time: they are large.
const BATCH_MODELS: usize = 64;

/// Writes the rows that these results hold of one table into one file, in this order, and returns how many rows there are. Results without
/// the table are passed over; `None` if none has it, and no file is written then.
///
/// # Errors
/// A file cannot be read, has other columns than the one before it, or the new one cannot be written.
pub fn pack(table: Table, result_folders: &[PathBuf], path: &Path, task: &str) -> Result<Option<u64>> {
    let mut open: Option<Packing> = None;
    for folder in result_folders {
        for part in paths(folder, table)?.unwrap_or_default() {
            let rows = ParquetRecordBatchReaderBuilder::new_with_metadata(opened(&part)?, footer(&part)?);
            let packing = match &mut open {
                Some(packing) => packing,
                None => open.insert(Packing::begin(table, path, rows.schema(), task)?),
            };
            packing.append(rows, &part)?;
        }
    }
    open.map(Packing::finish).transpose()
}

/// The number of rows that a Parquet file counts in its footer. A file that is empty or was cut short has no footer.
///
/// # Errors
/// The file cannot be read, or is no whole Parquet file.
pub fn footer_rows(path: &Path) -> Result<u64> {
    let n_rows = footer(path)?.metadata().file_metadata().num_rows();
    u64::try_from(n_rows).map_err(|e| unreadable(path, &e))
}

fn footer(path: &Path) -> Result<ArrowReaderMetadata> {
    let file = opened(path)?;
    catch(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())).map_err(|e| unreadable(path, &e))
}

fn opened(path: &Path) -> Result<File> {
    File::open(path).map_err(|e| unreadable(path, &e))
}

/// A file that grows.
struct Packing {
    path: PathBuf,
    schema: SchemaRef,
    writer: ArrowWriter<File>,
    batch_rows: usize,
    /// Together less than a batch.
    pending: Vec<RecordBatch>,
    n_pending: usize,
    n_rows: u64,
}

impl Packing {
    fn begin(table: Table, path: &Path, schema: &Schema, task: &str) -> Result<Self> {
        // What the first file says about itself, such as its run, is not true of all rows.
        let schema: SchemaRef = Arc::new(Schema::new(schema.fields().clone()));
        let unwritable = |e: &dyn std::fmt::Display| Error::cannot_write(path, &e.to_string());
        let file = File::create(path).map_err(|e| unwritable(&e))?;
        let properties = task_properties(&schema, task);
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(|e| unwritable(&e))?;
        let batch_rows = if table == Table::Models { BATCH_MODELS } else { BATCH_ROWS };
        Ok(Self { path: path.into(), schema, writer, batch_rows, pending: Vec::new(), n_pending: 0, n_rows: 0 })
    }

    fn append(&mut self, rows: ParquetRecordBatchReaderBuilder<File>, from: &Path) -> Result<()> {
        if rows.schema().fields() != self.schema.fields() {
            return Err(damaged(from, &"its columns are not those of the other runs"));
        }
        let mut batches = catch(|| rows.with_batch_size(self.batch_rows).build()).map_err(|e| damaged(from, &e))?;
        while let Some(batch) = catch(|| batches.next().transpose()).map_err(|e| damaged(from, &e))? {
            self.push(batch)?;
        }
        Ok(())
    }

    fn push(&mut self, mut batch: RecordBatch) -> Result<()> {
        self.n_rows += batch.num_rows() as u64;
        while batch.num_rows() > 0 {
            let fits = batch.num_rows().min(self.batch_rows - self.n_pending);
            self.pending.push(batch.slice(0, fits));
            self.n_pending += fits;
            batch = batch.slice(fits, batch.num_rows() - fits);
            if self.n_pending == self.batch_rows {
                self.write_pending()?;
            }
        }
        Ok(())
    }

    fn write_pending(&mut self) -> Result<()> {
        let batch = concat_batches(&self.schema, &self.pending).map_err(|e| Error::cannot_write(&self.path, &e))?;
        (self.pending, self.n_pending) = (Vec::new(), 0);
        self.writer.write(&batch).map_err(|e| Error::cannot_write(&self.path, &e))
    }

    fn finish(mut self) -> Result<u64> {
        self.write_pending()?;
        let metadata = self.writer.close().map_err(|e| Error::cannot_write(&self.path, &e))?;
        let n_columns = metadata.file_metadata().schema_descr().num_columns();
        declare_type_defined(&self.path, n_columns).map_err(|e| Error::cannot_write(&self.path, &e))?;
        Ok(self.n_rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{PresenceRow, Rows};
    use super::super::stored::parts;
    use super::super::{Parameters, ParquetRecorder, Recorder, RunKey};
    use super::*;
    use std::fs;
    use std::ops::Range;
    use tempfile::{TempDir, tempdir};

    /// A folder with one result per run: steps from one number to the next.
    fn results(runs: &[Range<i64>]) -> (TempDir, Vec<PathBuf>) {
        results_of(runs, |steps| format!("r{}", steps.start))
    }

    fn results_of(runs: &[Range<i64>], run_id: impl Fn(&Range<i64>) -> String) -> (TempDir, Vec<PathBuf>) {
        let root = tempdir().expect("a folder");
        let folders: Vec<PathBuf> = (0..runs.len()).map(|i| root.path().join(format!("run{i}"))).collect();
        for (folder, steps) in folders.iter().zip(runs) {
            let key = RunKey { run_id: run_id(steps), seed: 1, parameters: Parameters::default() };
            let row = |step| PresenceRow { step, at_ns: step * step, node: (step % 7) as i32, online: step % 2 == 0, life: 0 };
            let mut recorder = ParquetRecorder::create(folder, &[Table::Presence, Table::Curve], &key).expect("it starts");
            recorder.record(Rows::Presence(steps.clone().map(row).collect())).and_then(|()| recorder.finish()).expect("it writes");
        }
        (root, folders)
    }

    /// Packs a table where a reader looks for it.
    fn packed(root: &Path, table: Table, folders: &[PathBuf]) -> Result<Option<u64>> {
        fs::create_dir_all(root.join("all").join(table.name())).expect("a folder");
        pack(table, folders, &root.join("all").join(table.name()).join("part-00000.parquet"), "t00001")
    }

    #[test]
    fn rows_stand_in_the_order_of_their_runs() {
        let (root, folders) = results(&[0..9_000, 9_000..9_003, 9_003..20_000]);
        assert_eq!(packed(root.path(), Table::Presence, &folders), Ok(Some(20_000)));
        let reader = super::super::TableReader::open(&root.path().join("all"), Table::Presence).expect("it opens");
        let steps: Vec<i64> = reader.column("step", ..).expect("it reads").collect::<Result<_>>().expect("it reads");
        assert_eq!(steps, (0..20_000).collect::<Vec<_>>());
        let ids: Vec<String> = reader.column("run_id", 8_999..9_004).expect("it reads").collect::<Result<_>>().expect("it reads");
        assert_eq!(ids, ["r0", "r9000", "r9000", "r9000", "r9003"]);
    }

    #[test]
    fn a_packed_file_names_its_task_and_declares_the_columns_of_its_table() {
        let (root, folders) = results(&[0..3, 3..6]);
        packed(root.path(), Table::Presence, &folders).expect("it writes");
        let footer = footer(&root.path().join("all/presence/part-00000.parquet")).expect("it reads");
        let pairs = footer.metadata().file_metadata().key_value_metadata().expect("there is metadata");
        let value = |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref());
        assert_eq!((value("rankguard.task"), value("rankguard.run_id")), (Some("t00001"), None));
        assert_eq!(footer.schema().fields(), Table::Presence.schema().fields());
    }

    #[test]
    fn the_same_rows_give_the_same_bytes_however_the_runs_wrote_them() {
        // Rows of one run in one folder or in several, as if its files had been cut elsewhere.
        let bytes = |ends: &[i64]| {
            let runs: Vec<Range<i64>> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let (root, folders) = results_of(&runs, |_| "r1".into());
            packed(root.path(), Table::Presence, &folders).expect("it writes");
            fs::read(root.path().join("all/presence/part-00000.parquet")).expect("it reads")
        };
        let whole = bytes(&[0, 20_000]);
        assert!(whole == bytes(&[0, 20_000]) && whole == bytes(&[0, 7, 8_192, 20_000]) && whole != bytes(&[0, 19_999]));
    }

    #[test]
    fn tables_without_rows_are_kept_and_tables_that_no_run_has_are_not() {
        let (root, folders) = results(&[0..3, 3..6]);
        assert_eq!(packed(root.path(), Table::Curve, &folders), Ok(Some(0)));
        assert_eq!(packed(root.path(), Table::Receipts, &folders), Ok(None));
        assert!(!root.path().join("all/receipts/part-00000.parquet").exists());
        assert_eq!(parts(&root.path().join("all"), Table::Curve).expect("it reads").expect("it is there").len(), 1);
    }

    #[test]
    fn damaged_files_are_named() {
        let (root, folders) = results(&[0..3, 3..6]);
        let part = folders[1].join("presence/part-00000.parquet");
        assert_eq!(footer_rows(&part), Ok(3));
        for bytes in [0, 100] {
            fs::File::options().write(true).open(&part).and_then(|file| file.set_len(bytes)).expect("it is cut");
            let problem = packed(root.path(), Table::Presence, &folders).expect_err("it is damaged");
            assert!(problem.to_string().contains("run1/presence/part-00000.parquet: cannot be read"), "{problem}");
            assert!(footer_rows(&part).is_err());
        }
    }
}
