//! Writes Parquet while the run goes on: rows cross a bounded channel to one thread, which compresses and writes them.

use super::Recorder;
use super::part_files::{PART_ROWS, TableWriter};
use super::rows::{Rows, Table};
use super::run_key::{RunKey, check_axes};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// The number of batches that may wait for the disk. A producer that is further ahead blocks, so memory stays bounded.
const WAITING_BATCHES: usize = 16;

/// Rows written, by table.
pub type RowCounts = BTreeMap<String, u64>;

/// Writes the chosen tables below a result folder and drops the rows of all others.
#[derive(Debug)]
pub struct ParquetRecorder {
    rows: Option<SyncSender<Rows>>,
    thread: Option<JoinHandle<Result<RowCounts>>>,
    outcome: Result<RowCounts>,
}

impl ParquetRecorder {
    /// Begins the chosen tables below a folder. A run gives its staging folder, so that nothing becomes visible before it is published.
    ///
    /// # Errors
    /// A folder cannot be made, or an axis of the run's sweep is named like a column.
    pub fn create(result_folder: &Path, tables: &[Table], run: &RunKey) -> Result<Self> {
        check_axes(run.parameters.axes.iter().map(|(name, _)| name.as_str()))?;
        Self::with_part_rows(result_folder, tables, run, PART_ROWS)
    }

    fn with_part_rows(result_folder: &Path, tables: &[Table], run: &RunKey, part_rows: usize) -> Result<Self> {
        let open = |table: &Table| Ok((*table, TableWriter::create(result_folder, *table, run, part_rows)?));
        let writers: BTreeMap<Table, TableWriter> = tables.iter().map(open).collect::<Result<_>>()?;
        let (rows, incoming) = sync_channel(WAITING_BATCHES);
        let thread = thread::Builder::new()
            .name("parquet".into())
            .spawn(move || write_all(writers, incoming))
            .map_err(|e| Error::cannot_write(result_folder, &e))?;
        Ok(Self { rows: Some(rows), thread: Some(thread), outcome: Ok(RowCounts::new()) })
    }

    /// Waits until everything is written and closed, and counts the rows.
    ///
    /// # Errors
    /// Rows could not be written.
    pub fn finish(mut self) -> Result<RowCounts> {
        self.stop()
    }

    /// Ends the thread and remembers its outcome, so that every later call reports the same failure.
    fn stop(&mut self) -> Result<RowCounts> {
        self.rows = None; // the thread ends when no more rows can come
        if let Some(thread) = self.thread.take() {
            let panicked = |_| Err(Error::failed("the thread that writes results panicked; please report this"));
            self.outcome = thread.join().unwrap_or_else(panicked);
        }
        self.outcome.clone()
    }
}

impl Recorder for ParquetRecorder {
    /// Fails if an earlier write has failed, because the thread closes the channel early for no other reason.
    fn record(&mut self, rows: Rows) -> Result<()> {
        match &self.rows {
            Some(channel) if channel.send(rows).is_ok() => Ok(()),
            _ => self.stop().map(drop),
        }
    }
}

impl Drop for ParquetRecorder {
    /// Ends the thread, for example after an interruption: it must not write while the unpublished folder is being removed.
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

fn write_all(mut writers: BTreeMap<Table, TableWriter>, incoming: Receiver<Rows>) -> Result<RowCounts> {
    for rows in incoming {
        if let Some(writer) = writers.get_mut(&rows.table()) {
            writer.write(rows)?;
        }
    }
    writers.into_iter().map(|(table, writer)| Ok((table.name().to_string(), writer.finish()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rows::PresenceRow;
    use super::super::run_key::Parameters;
    use super::*;
    use std::fs;
    use tempfile::tempdir;

    fn run() -> RunKey {
        RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() }
    }

    fn presence(steps: std::ops::Range<i64>) -> Rows {
        Rows::Presence(
            steps.map(|step| PresenceRow { step, at_ns: step * step, node: (step % 7) as i32, online: step % 2 == 0, life: 0 }).collect(),
        )
    }

    #[test]
    fn rows_are_counted_by_table() {
        let folder = tempdir().expect("a folder");
        let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Curve, Table::Presence], &run()).expect("it starts");
        (0..40).for_each(|i| recorder.record(presence(i * 3..(i + 1) * 3)).expect("it writes"));
        assert_eq!(recorder.finish().expect("it closes"), [("curve".to_string(), 0), ("presence".to_string(), 120)].into());
    }

    #[test]
    fn a_table_that_is_off_leaves_nothing() {
        let folder = tempdir().expect("a folder");
        let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Curve], &run()).expect("it starts");
        recorder.record(presence(0..5)).expect("it is dropped");
        assert_eq!(recorder.finish().expect("it closes"), [("curve".to_string(), 0)].into());
        assert!(!folder.path().join("presence").exists());
    }

    #[track_caller]
    fn check_failure(mut recorder: ParquetRecorder, says: &str) {
        let told = (0..10_000).find_map(|i| recorder.record(presence(i * 2000..(i + 1) * 2000)).err()).expect("a record call fails");
        assert!(told.to_string().contains(says), "{told}");
        assert_eq!((told.exit_code(), recorder.record(presence(0..1)), recorder.finish()), (1, Err(told.clone()), Err(told)));
    }

    #[test]
    fn a_folder_that_vanishes_fails_the_next_record() {
        let folder = tempdir().expect("a folder");
        let recorder = ParquetRecorder::with_part_rows(folder.path(), &[Table::Presence], &run(), 1000).expect("it starts");
        fs::remove_dir_all(folder.path().join("presence")).expect("it is removed");
        check_failure(recorder, "presence/part-00000.parquet: cannot be written");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_fails_the_run_and_names_the_file() {
        let folder = tempdir().expect("a folder");
        let recorder = ParquetRecorder::with_part_rows(folder.path(), &[Table::Presence], &run(), 1000).expect("it starts");
        std::os::unix::fs::symlink("/dev/full", folder.path().join("presence/part-00002.parquet")).expect("it is linked");
        check_failure(recorder, "presence/part-00002.parquet: cannot be written");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_failure_in_the_last_file_is_told_at_the_end() {
        let folder = tempdir().expect("a folder");
        let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Presence], &run()).expect("it starts");
        std::os::unix::fs::symlink("/dev/full", folder.path().join("presence/part-00000.parquet")).expect("it is linked");
        recorder.record(presence(0..3)).expect("nothing has failed yet");
        assert!(recorder.finish().expect_err("the disk is full").to_string().contains("part-00000.parquet"));
    }
}
