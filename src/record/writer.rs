//! Writes Parquet while the run goes on. Rows are packed as they come, by the thread that hands them over: they are still in its cache then,
//! and a thread of its own would cost more than it takes over.

use super::Recorder;
use super::part_files::{PART_ROWS, TableState, TableWriter};
use super::rows::{Rows, Table};
use super::run_key::{RunKey, check_axes};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Rows written, by table.
pub type RowCounts = BTreeMap<String, u64>;

/// What a checkpoint keeps of the tables of a run, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecorderState(BTreeMap<String, TableState>);

/// Writes the chosen tables below a result folder and drops the rows of all others.
pub struct ParquetRecorder {
    writers: BTreeMap<Table, TableWriter>,
    /// The first failure, which every later call reports too.
    outcome: Result<()>,
}

impl ParquetRecorder {
    /// Begins the chosen tables below a folder. A run gives its staging folder, so that nothing becomes visible before it is published.
    ///
    /// # Errors
    /// A folder cannot be made, or an axis of the run's sweep is named like a column.
    pub fn create(result_folder: &Path, tables: &[Table], run: &RunKey) -> Result<Self> {
        check_axes(run.parameters.axes.iter().map(|(name, _)| name.as_str()))?;
        Self::with_parts(result_folder, tables, run, PART_ROWS)
    }

    fn with_parts(result_folder: &Path, tables: &[Table], run: &RunKey, part_rows: usize) -> Result<Self> {
        let writers = tables.iter().map(|table| Ok((*table, TableWriter::create(result_folder, *table, run, part_rows)?)));
        Ok(Self { writers: writers.collect::<Result<_>>()?, outcome: Ok(()) })
    }

    /// Goes on with tables that were begun before, from their state in a checkpoint.
    ///
    /// # Errors
    /// A file that the state counts on is missing, or the state is of other tables.
    pub fn resume(result_folder: &Path, tables: &[Table], run: &RunKey, state: &RecorderState) -> Result<Self> {
        let Self { writers, outcome } = Self::create(result_folder, tables, run)?;
        let resume = |(table, writer): (Table, TableWriter)| {
            let state = state
                .0
                .get(table.name())
                .ok_or_else(|| Error::input(format!("{}: the checkpoint has no table {}", result_folder.display(), table.name())))?;
            Ok((table, writer.resume(state)?))
        };
        Ok(Self { writers: writers.into_iter().map(resume).collect::<Result<_>>()?, outcome })
    }

    /// Writes and closes everything, and counts the rows.
    ///
    /// # Errors
    /// Rows could not be written.
    pub fn finish(self) -> Result<RowCounts> {
        self.outcome?;
        self.writers.into_iter().map(|(table, writer)| Ok((table.name().to_string(), writer.finish()?))).collect()
    }

    /// Does something with the tables, unless it has failed before.
    fn attempt<T>(&mut self, task: impl FnOnce(&mut BTreeMap<Table, TableWriter>) -> Result<T>) -> Result<T> {
        self.outcome.clone()?;
        let done = task(&mut self.writers);
        self.outcome = done.as_ref().map(drop).map_err(Clone::clone);
        done
    }
}

impl fmt::Debug for ParquetRecorder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ParquetRecorder").field("tables", &self.writers.keys()).field("outcome", &self.outcome).finish()
    }
}

impl Recorder for ParquetRecorder {
    fn record(&mut self, rows: Rows) -> Result<()> {
        self.attempt(|writers| writers.get_mut(&rows.table()).map_or(Ok(()), |writer| writer.write(&rows)))
    }

    fn record_in_order(&mut self, rows: Rows, order: &[u32]) -> Result<()> {
        self.attempt(|writers| writers.get_mut(&rows.table()).map_or(Ok(()), |writer| writer.write_in_order(&rows, order)))
    }

    fn state(&mut self) -> Result<RecorderState> {
        self.attempt(|writers| {
            let states = writers.iter_mut().map(|(table, writer)| Ok((table.name().to_string(), writer.state()?)));
            states.collect::<Result<_>>().map(RecorderState)
        })
    }
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

    /// A recorder whose parts have 1,000 rows.
    fn small_parts(folder: &Path) -> ParquetRecorder {
        ParquetRecorder::with_parts(folder, &[Table::Presence], &run(), 1000).expect("it starts")
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
        let recorder = small_parts(folder.path());
        fs::remove_dir_all(folder.path().join("presence")).expect("it is removed");
        check_failure(recorder, "presence/part-00000.parquet: cannot be written");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_fails_the_run_and_names_the_file() {
        let folder = tempdir().expect("a folder");
        let recorder = small_parts(folder.path());
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

    #[test]
    fn a_recorder_goes_on_from_its_state() {
        let folder = tempdir().expect("a folder");
        let tables = [Table::Curve, Table::Presence];
        let mut recorder = ParquetRecorder::create(folder.path(), &tables, &run()).expect("it starts");
        recorder.record(presence(0..30)).expect("it writes");
        let state = recorder.state().expect("nothing has failed");
        drop(recorder);
        let mut recorder = ParquetRecorder::resume(folder.path(), &tables, &run(), &state).expect("it goes on");
        recorder.record(presence(30..40)).expect("it writes");
        assert_eq!(recorder.finish().expect("it closes"), [("curve".to_string(), 0), ("presence".to_string(), 40)].into());
        let other = ParquetRecorder::resume(folder.path(), &[Table::Nodes], &run(), &state).expect_err("these are other tables");
        assert!(other.to_string().contains("the checkpoint has no table nodes"), "{other}");
    }
}
