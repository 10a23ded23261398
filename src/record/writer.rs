//! Writes Parquet while the run goes on: rows cross a bounded channel to one thread, which compresses and writes them.

use super::Recorder;
use super::part_files::{PART_ROWS, TableState, TableWriter};
use super::rows::{Rows, Table};
use super::run_key::{RunKey, check_axes};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// The number of orders that may wait for the disk. A producer that is further ahead blocks, so memory stays bounded.
const WAITING_ORDERS: usize = 4;
/// Rows are collected until there are so many: waking the thread takes as long as writing a few dozen rows.
const ROWS_AT_A_TIME: usize = 4096;

/// Rows written, by table.
pub type RowCounts = BTreeMap<String, u64>;

/// What a checkpoint keeps of the tables of a run, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecorderState(BTreeMap<String, TableState>);

/// Writes the chosen tables below a result folder and drops the rows of all others.
#[derive(Debug)]
pub struct ParquetRecorder {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<Result<RowCounts>>>,
    outcome: Result<RowCounts>,
    /// Rows that the thread was not told of yet, and their number.
    collected: Vec<Rows>,
    n_collected: usize,
}

/// What the thread is asked for.
enum Order {
    Write(Vec<Rows>),
    /// The state after everything that was asked for before.
    Save(SyncSender<Result<RecorderState>>),
}

impl ParquetRecorder {
    /// Begins the chosen tables below a folder. A run gives its staging folder, so that nothing becomes visible before it is published.
    ///
    /// # Errors
    /// A folder cannot be made, or an axis of the run's sweep is named like a column.
    pub fn create(result_folder: &Path, tables: &[Table], run: &RunKey) -> Result<Self> {
        check_axes(run.parameters.axes.iter().map(|(name, _)| name.as_str()))?;
        Self::begin(result_folder, writers(result_folder, tables, run, PART_ROWS)?)
    }

    /// Goes on with tables that were begun before, from their state in a checkpoint.
    ///
    /// # Errors
    /// A file that the state counts on is missing, or the state is of other tables.
    pub fn resume(result_folder: &Path, tables: &[Table], run: &RunKey, state: &RecorderState) -> Result<Self> {
        let resume = |(table, writer): (Table, TableWriter)| {
            let state = state
                .0
                .get(table.name())
                .ok_or_else(|| Error::input(format!("{}: the checkpoint has no table {}", result_folder.display(), table.name())))?;
            Ok((table, writer.resume(state)?))
        };
        let writers = writers(result_folder, tables, run, PART_ROWS)?.into_iter().map(resume).collect::<Result<_>>()?;
        Self::begin(result_folder, writers)
    }

    fn begin(result_folder: &Path, writers: BTreeMap<Table, TableWriter>) -> Result<Self> {
        let (orders, incoming) = sync_channel(WAITING_ORDERS);
        let thread = thread::Builder::new()
            .name("parquet".into())
            .spawn(move || write_all(writers, incoming))
            .map_err(|e| Error::cannot_write(result_folder, &e))?;
        Ok(Self { orders: Some(orders), thread: Some(thread), outcome: Ok(RowCounts::new()), collected: Vec::new(), n_collected: 0 })
    }

    /// Waits until everything is written and closed, and counts the rows.
    ///
    /// # Errors
    /// Rows could not be written.
    pub fn finish(mut self) -> Result<RowCounts> {
        self.hand_over()?;
        self.stop()
    }

    /// Hands the collected rows to the thread. Fails if an earlier write has failed, because the thread closes the channel early for no other
    /// reason.
    fn hand_over(&mut self) -> Result<()> {
        self.n_collected = 0;
        let rows = std::mem::take(&mut self.collected);
        if self.is_taken(Order::Write(rows)) { Ok(()) } else { self.stop().map(drop) }
    }

    /// Ends the thread and remembers its outcome, so that every later call reports the same failure.
    fn stop(&mut self) -> Result<RowCounts> {
        self.orders = None; // the thread ends when no more rows can come
        if let Some(thread) = self.thread.take() {
            let panicked = |_| Err(Error::failed("the thread that writes results panicked; please report this"));
            self.outcome = thread.join().unwrap_or_else(panicked);
        }
        self.outcome.clone()
    }

    fn is_taken(&self, order: Order) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok())
    }
}

impl Recorder for ParquetRecorder {
    fn record(&mut self, rows: Rows) -> Result<()> {
        // Every evaluation hands its models over, and mostly there are none.
        let is_large = matches!(&rows, Rows::Models(models) if !models.is_empty());
        self.n_collected += rows.len();
        self.collected.extend((!rows.is_empty()).then_some(rows));
        let is_due = is_large || self.n_collected >= ROWS_AT_A_TIME || self.orders.is_none();
        if is_due && !self.collected.is_empty() { self.hand_over() } else { Ok(()) }
    }

    fn state(&mut self) -> Result<RecorderState> {
        self.hand_over()?;
        let (answer, state) = sync_channel(1);
        if self.is_taken(Order::Save(answer))
            && let Ok(state) = state.recv()
        {
            return state;
        }
        self.stop().map(|_| RecorderState::default())
    }
}

impl Drop for ParquetRecorder {
    /// Ends the thread, for example after an interruption: it must not write while the unpublished folder is being removed.
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

fn writers(result_folder: &Path, tables: &[Table], run: &RunKey, part_rows: usize) -> Result<BTreeMap<Table, TableWriter>> {
    tables.iter().map(|table| Ok((*table, TableWriter::create(result_folder, *table, run, part_rows)?))).collect()
}

fn write_all(mut writers: BTreeMap<Table, TableWriter>, incoming: Receiver<Order>) -> Result<RowCounts> {
    for order in incoming {
        match order {
            Order::Write(all) => {
                for rows in all {
                    writers.get_mut(&rows.table()).map_or(Ok(()), |writer| writer.write(rows))?;
                }
            }
            Order::Save(answer) => _ = answer.send(state_of(&mut writers)), // whoever asked may have gone
        }
    }
    writers.into_iter().map(|(table, writer)| Ok((table.name().to_string(), writer.finish()?))).collect()
}

fn state_of(writers: &mut BTreeMap<Table, TableWriter>) -> Result<RecorderState> {
    let states = writers.iter_mut().map(|(table, writer)| Ok((table.name().to_string(), writer.state()?)));
    states.collect::<Result<_>>().map(RecorderState)
}

#[cfg(test)]
mod tests {
    use super::super::rows::{ModelRow, PresenceRow};
    use super::super::run_key::Parameters;
    use super::*;
    use std::fs;
    use tempfile::tempdir;

    fn run() -> RunKey {
        RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() }
    }

    /// A recorder whose parts have 1,000 rows.
    fn small_parts(folder: &Path) -> ParquetRecorder {
        ParquetRecorder::begin(folder, writers(folder, &[Table::Presence], &run(), 1000).expect("it starts")).expect("it starts")
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

    #[test]
    fn rows_wait_for_others_unless_they_are_models() {
        let folder = tempdir().expect("a folder");
        let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Presence], &run()).expect("it starts");
        let model = ModelRow { evaluation: 0, node: 0, malicious: false, theta: vec![0.5] };
        for (rows, waiting) in [(presence(0..3), 3), (Rows::Models(vec![]), 3), (presence(3..5), 5), (Rows::Models(vec![model]), 0)] {
            recorder.record(rows).expect("it is taken");
            assert_eq!(recorder.n_collected, waiting);
        }
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
