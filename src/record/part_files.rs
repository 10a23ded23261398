//! The files of one table. Parts and pages are cut by counting rows, never by how rows happened to be batched or when a run was interrupted,
//! so a rerun writes the same bytes.

use super::column::Compressor;
use super::encoding::{PAGE_ROWS, ROW_GROUP_ROWS};
use super::layout::Layout;
use super::part::Part;
use super::rows::{Rows, Table};
use super::run_key::RunKey;
use super::saved_rows;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A part closes after this many rows: one row group. Its pages wait in memory until then, so that a checkpoint can keep them.
pub const PART_ROWS: usize = ROW_GROUP_ROWS;
/// The most weights of a part and of a page of models, whose rows are large.
const PART_WEIGHTS: usize = 1 << 24;
const PAGE_WEIGHTS: usize = 1 << 18;

/// Writes one table into its folder, part after part.
pub struct TableWriter {
    layout: Layout,
    folder: PathBuf,
    part_rows: usize,
    /// The rows that are in no file yet.
    part: Part,
    compressor: Compressor,
    n_parts: usize,
    n_rows: u64,
    /// The first part that may not have reached the disk.
    first_unsynced: usize,
}

/// What a checkpoint keeps of a table: the rows that are in no file yet, and the number of those that are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableState {
    n_parts: usize,
    n_rows: u64,
    open: Vec<u8>,
}

impl TableWriter {
    pub fn create(result_folder: &Path, table: Table, run: &RunKey, part_rows: usize) -> Result<Self> {
        let folder = result_folder.join(table.name());
        fs::create_dir_all(&folder).map_err(|e| Error::cannot_write(&folder, &e))?;
        let layout = Layout::of_run(table, run).map_err(|e| Error::cannot_write(&folder, &e))?;
        let (part, compressor) = (Part::new(table), Compressor::default());
        Ok(Self { layout, folder, part_rows, part, compressor, n_parts: 0, n_rows: 0, first_unsynced: 0 })
    }

    /// Goes on from a state. Parts that were closed after it are written again, with the same bytes.
    pub fn resume(mut self, state: &TableState) -> Result<Self> {
        if let Some(missing) = (0..state.n_parts).map(|nth| self.path_of(nth)).find(|part| !part.exists()) {
            return Err(Error::input(format!("{}: is missing; the run cannot go on without it", missing.display())));
        }
        (self.n_parts, self.first_unsynced) = (state.n_parts, state.n_parts);
        let open = saved_rows::load(self.part.table(), &state.open)
            .map_err(|problem| Error::input(format!("{}: the rows of a checkpoint cannot be read: {problem}", self.folder.display())))?;
        self.write(&open)?;
        self.n_rows = state.n_rows;
        Ok(self)
    }

    /// The state of the table now. A checkpoint counts on the closed parts, so they must have reached the disk.
    pub fn state(&mut self) -> Result<TableState> {
        for nth in self.first_unsynced..self.n_parts {
            let path = self.path_of(nth);
            File::open(&path).and_then(|file| file.sync_all()).map_err(|e| Error::cannot_write(&path, &e))?;
        }
        self.first_unsynced = self.n_parts;
        let open = if self.part.len() > 0 { self.open_rows()? } else { Vec::new() };
        Ok(TableState { n_parts: self.n_parts, n_rows: self.n_rows, open })
    }

    /// The rows that are in no file yet, as a Parquet file in memory.
    fn open_rows(&mut self) -> Result<Vec<u8>> {
        let mut part = self.part.copy(); // its last page ends here, that of the table goes on
        let bytes = part.end_page(&mut self.compressor).and_then(|()| self.layout.bytes(&part, &mut self.compressor));
        bytes.map_err(|e| Error::cannot_write(&self.folder, &e))
    }

    pub fn write(&mut self, rows: &Rows) -> Result<()> {
        self.write_in_order(rows, &rows.places())
    }

    /// Writes the rows at some places, in this order.
    pub fn write_in_order(&mut self, rows: &Rows, mut places: &[u32]) -> Result<()> {
        self.n_rows += places.len() as u64;
        let [part_rows, page_rows] = self.rows_of_parts_and_pages(rows);
        while !places.is_empty() {
            let room = (part_rows - self.part.len()).min(page_rows - self.part.n_open());
            let (first, rest) = places.split_at(room.min(places.len()));
            self.part.append(rows, first);
            if self.part.len() == part_rows {
                self.write_part()?;
            } else if self.part.n_open() == page_rows {
                self.part.end_page(&mut self.compressor).map_err(|e| Error::cannot_write(&self.folder, &e))?;
            }
            places = rest;
        }
        Ok(())
    }

    /// Writes the remaining rows and returns the number of all rows. A table without rows leaves one part without rows,
    /// because readers rely on the file for the columns.
    pub fn finish(mut self) -> Result<u64> {
        if self.part.len() > 0 || self.n_parts == 0 {
            self.write_part()?;
        }
        Ok(self.n_rows)
    }

    /// All models of a run have the same size, so their parts and pages have one length too.
    fn rows_of_parts_and_pages(&self, rows: &Rows) -> [usize; 2] {
        let Rows::Models(models) = rows else { return [self.part_rows, PAGE_ROWS] };
        let n_weights = models.first().map_or(1, |model| model.theta.len().max(1));
        [(self.part_rows, PART_WEIGHTS), (PAGE_ROWS, PAGE_WEIGHTS)].map(|(rows, weights)| rows.min(weights / n_weights).max(1))
    }

    fn write_part(&mut self) -> Result<()> {
        let path = self.path_of(self.n_parts);
        self.part.end_page(&mut self.compressor).map_err(|e| Error::cannot_write(&path, &e))?;
        self.layout.write(&path, &self.part, &mut self.compressor).map_err(|e| Error::cannot_write(&path, &e))?;
        self.part.clear();
        self.n_parts += 1;
        Ok(())
    }

    fn path_of(&self, nth: usize) -> PathBuf {
        self.folder.join(format!("part-{nth:05}.parquet"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::PresenceRow;
    use super::super::run_key::Parameters;
    use super::*;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use tempfile::{TempDir, tempdir};

    /// Writes the batches and returns the folder, its parts in order, and the number of rows.
    fn write(table: Table, part_rows: usize, batches: &[Rows]) -> (TempDir, Vec<PathBuf>, u64) {
        let folder = tempdir().expect("a folder");
        let mut writer = TableWriter::create(folder.path(), table, &run(), part_rows).expect("it starts");
        batches.iter().for_each(|rows| writer.write(rows).expect("it writes"));
        let n_rows = writer.finish().expect("it closes");
        let parts = parts_of(folder.path(), table);
        (folder, parts, n_rows)
    }

    fn parts_of(folder: &Path, table: Table) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder.join(table.name())).expect("the table has a folder");
        let mut parts: Vec<PathBuf> = entries.map(|entry| entry.expect("it lists").path()).collect();
        parts.sort();
        parts
    }

    fn bytes_of(parts: &[PathBuf]) -> Vec<Vec<u8>> {
        parts.iter().map(|part| fs::read(part).expect("it reads")).collect()
    }

    fn run() -> RunKey {
        RunKey { run_id: "rabc".into(), seed: u64::MAX, parameters: Parameters::default() }
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
            bytes_of(&parts)
        };
        assert_eq!(bytes(20_000).len(), 2);
        assert!(bytes(20_000) == bytes(20_000) && bytes(20_000) == bytes(7) && bytes(20_000) == bytes(1));
    }

    #[test]
    fn a_table_that_goes_on_from_its_state_has_the_same_bytes() {
        let whole: Vec<Vec<u8>> = bytes_of(&write(Table::Presence, 40, &[presence(0..100)]).1);
        for interrupted in [0, 1, 39, 40, 41, 99, 100] {
            let folder = tempdir().expect("a folder");
            let begin = || TableWriter::create(folder.path(), Table::Presence, &run(), 40).expect("it starts");
            let mut first = begin();
            first.write(&presence(0..interrupted)).expect("it writes");
            let state = first.state().expect("it is saved");
            first.write(&presence(interrupted..100)).expect("it writes on, and then it is killed");
            let mut second = begin().resume(&state).expect("it goes on");
            assert_eq!(second.state().as_ref(), Ok(&state));
            second.write(&presence(interrupted..100)).expect("it writes");
            assert_eq!(second.finish(), Ok(100));
            assert!(bytes_of(&parts_of(folder.path(), Table::Presence)) == whole, "after {interrupted} rows");
        }
    }

    #[test]
    fn a_lost_part_and_damaged_rows_are_told() {
        let folder = tempdir().expect("a folder");
        let begin = || TableWriter::create(folder.path(), Table::Presence, &run(), 40).expect("it starts");
        let mut writer = begin();
        writer.write(&presence(0..50)).expect("it writes");
        let state = writer.state().expect("it is saved");
        let damaged = TableState { open: state.open[..state.open.len() - 9].to_vec(), ..state.clone() };
        let told = |state: &TableState| begin().resume(state).err().expect("it cannot go on").to_string();
        assert!(told(&damaged).contains("the rows of a checkpoint cannot be read"), "{}", told(&damaged));
        fs::remove_file(folder.path().join("presence/part-00000.parquet")).expect("it was there");
        assert!(told(&state).contains("presence/part-00000.parquet: is missing"), "{}", told(&state));
    }
}
