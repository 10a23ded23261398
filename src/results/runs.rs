//! Runs that are read together: the one of a result folder, or all of a collected sweep.
//!
//! In the data sets of a sweep the rows of many runs stand one after another, in the order in which `runs.ron` of each task lists the runs.

use super::manifest::{FILE_NAME, Manifest};
use super::{Inputs, Results};
use crate::error::{Error, Result};
use crate::fields::options;
use crate::record::{Cell, CurveRow, Reader, Row, RowCounts, RunRow, Table, TableReader, Values};
use ron::error::SpannedError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One run with what reports need of its results. `S` is the type as which its scenario is read.
#[derive(Debug)]
pub struct RunResults<S> {
    /// Its result folder, or the folder of its sweep and its name there.
    pub place: PathBuf,
    /// Every axis of its sweep with its label; none for a single run.
    pub labels: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// Names the run by its scenario and its data.
    pub run_id: String,
    /// Hash of everything that happened.
    pub fingerprint: String,
    /// Version of the program that wrote the results.
    pub version: String,
    /// The inputs, named by their content.
    pub inputs: Inputs,
    /// The scenario with every default filled in.
    pub scenario: S,
    /// Its row of the table `runs`.
    pub row: RunRow,
    /// How many rows it has of each table that was recorded.
    pub n_rows: RowCounts,
    files: Files,
}

/// Where the rows of a run are.
#[derive(Debug, Clone)]
enum Files {
    /// In the tables of its own folder.
    Own(PathBuf),
    /// In the tables of a collected sweep, among those of the other runs of its task. The first row is given for each table.
    Packed { tables: PathBuf, task: String, first: RowCounts },
}

/// The rows of one run in a table.
#[derive(Debug)]
pub struct RunTable<R> {
    reader: Reader<R>,
    rows: Range<u64>,
}

/// The runs of a folder: one if it holds the results of a single run, all collected ones in plan order if it holds a sweep.
///
/// # Errors
/// The folder holds neither, the sweep was not collected or has changed since, or a file cannot be read.
pub fn runs<S: DeserializeOwned>(folder: &Path) -> Result<Vec<RunResults<S>>> {
    match is_sweep(folder) {
        true => Ok(tasks(folder)?.iter().map(|task| of_task(folder, task)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()),
        false => single(folder).map(|run| vec![run]),
    }
}

/// Whether a folder holds a planned sweep.
pub fn is_sweep(folder: &Path) -> bool {
    fs::read_to_string(folder.join(FILE_NAME)).is_ok_and(|text| text.contains("sweep_format:"))
}

impl<S> RunResults<S> {
    /// Its rows of a table, to be read whole or by column.
    ///
    /// # Errors
    /// The run did not record the table, or a file cannot be read.
    pub fn table<R: Row>(&self) -> Result<RunTable<R>> {
        let name = R::TABLE.name();
        let n_rows = *self.n_rows.get(name).ok_or_else(|| R::TABLE.missing(&self.place))?;
        let (reader, first) = match &self.files {
            Files::Own(folder) => (Reader::open(folder)?, 0),
            Files::Packed { tables, task, first } => {
                let first = first.get(name).copied().unwrap_or(0);
                (Reader::open_partition(&tables.join(name).join(format!("task={task}")))?, first)
            }
        };
        Ok(RunTable { reader, rows: first..first + n_rows })
    }

    /// Whether a table was recorded. It may have no rows.
    pub fn has(&self, table: Table) -> bool {
        self.n_rows.contains_key(table.name())
    }

    /// Its evaluations in order; at least one.
    ///
    /// # Errors
    /// A file is damaged, or no evaluation was recorded.
    pub fn curve(&self) -> Result<Vec<CurveRow>> {
        let rows = self.table::<CurveRow>()?.all()?;
        if rows.is_empty() { Err(Table::Curve.missing(&self.place)) } else { Ok(rows) }
    }
}

impl<R: Row> RunTable<R> {
    /// How many rows there are.
    pub fn n_rows(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    /// The rows, one by one in the order of the table.
    ///
    /// # Errors
    /// As [`Reader::rows`].
    pub fn rows(&self) -> Result<Values<'_, R>> {
        self.reader.rows(self.rows.clone())
    }

    /// All rows in memory.
    ///
    /// # Errors
    /// As [`Reader::rows`].
    pub fn all(&self) -> Result<Vec<R>> {
        self.rows()?.collect()
    }

    /// The values of one column, one by one.
    ///
    /// # Errors
    /// As [`Reader::column`].
    pub fn column<C: Cell + 'static>(&self, name: &str) -> Result<Values<'_, C>> {
        self.reader.column(name, self.rows.clone())
    }

    /// The last `n` values of a column.
    ///
    /// # Errors
    /// As [`Reader::column`].
    pub fn last<C: Cell + 'static>(&self, name: &str, n: usize) -> Result<Vec<C>> {
        let from = self.rows.end.saturating_sub(n as u64).max(self.rows.start);
        self.reader.column(name, from..self.rows.end)?.collect()
    }
}

fn single<S: DeserializeOwned>(folder: &Path) -> Result<RunResults<S>> {
    let results = Results::<S>::open_with(folder)?;
    let row = results.run()?;
    let Manifest { seed, run_id, fingerprint, program_version: version, inputs, scenario, rows: n_rows, .. } = results.manifest;
    let (place, labels, files) = (folder.to_path_buf(), Vec::new(), Files::Own(folder.to_path_buf()));
    Ok(RunResults { place, labels, seed, run_id, fingerprint, version, inputs, scenario, row, n_rows, files })
}

/// The part of a finished task's description that is read here.
#[derive(Deserialize)]
struct StoredTask {
    program_version: String,
    runs: Vec<StoredRun>,
}

#[derive(Deserialize)]
struct StoredRun {
    name: String,
    labels: Vec<(String, String)>,
    seed: u64,
    run_id: String,
    fingerprint: String,
    inputs: Inputs,
    rows: RowCounts,
}

/// The ids of the collected tasks, in order.
fn tasks(folder: &Path) -> Result<Vec<String>> {
    let runs = folder.join("tables").join(Table::Runs.name());
    let entries = fs::read_dir(&runs).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(|_| {
        let folder = folder.display();
        Error::input(format!("{folder}: is a sweep that was not collected; do so with `rankguard sweep collect {folder}`"))
    })?;
    let id = |name: &str| name.strip_prefix("task=").map(String::from);
    let mut ids: Vec<String> = entries.iter().filter_map(|entry| id(&entry.file_name().to_string_lossy())).collect();
    ids.sort();
    Ok(ids)
}

/// The runs of a collected task.
fn of_task<S: DeserializeOwned>(folder: &Path, task: &str) -> Result<Vec<RunResults<S>>> {
    let StoredTask { program_version, runs: stored } = StoredTask::read(&folder.join("tasks").join(task).join("runs.ron"))?;
    let tables = folder.join("tables");
    let partition = |table: Table| tables.join(table.name()).join(format!("task={task}"));
    let table = Reader::<RunRow>::open_partition(&partition(Table::Runs))?;
    let ids: Vec<String> = table.column("run_id", ..)?.collect::<Result<_>>()?;
    if !ids.iter().eq(stored.iter().map(|run| &run.run_id)) {
        let dir = folder.display();
        return Err(Error::input(format!("{dir}: {task} has changed since it was collected; repeat `rankguard sweep collect {dir}`")));
    }
    let (mut runs, mut first) = (Vec::new(), RowCounts::new());
    for (run, row) in stored.into_iter().zip(table.rows(..)?) {
        let files = Files::Packed { tables: tables.clone(), task: task.into(), first: first.clone() };
        for (table, n_rows) in &run.rows {
            *first.entry(table.clone()).or_default() += n_rows;
        }
        runs.push(one(folder, run, row?, &program_version, files)?);
    }
    check_counts(&first, folder, task, partition)?;
    Ok(runs)
}

/// Compares the rows that a task lists with those of its collected tables.
fn check_counts(listed: &RowCounts, folder: &Path, task: &str, partition: impl Fn(Table) -> PathBuf) -> Result<()> {
    for table in Table::ALL.iter().filter(|table| listed.contains_key(table.name())) {
        let there = TableReader::open_partition(&partition(*table), *table)?.n_rows();
        if there != listed[table.name()] {
            let (dir, table) = (folder.display(), table.name());
            let problem = format!("{dir}: {task} has {there} rows of {table} instead of {}", listed[table]);
            return Err(Error::input(format!("{problem}; repeat `rankguard sweep collect {dir}`")));
        }
    }
    Ok(())
}

impl StoredTask {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|e| Error::cannot_read(path, &e))?;
        let wrong = |e: SpannedError| Error::input(format!("{}:{}:{}: {}", path.display(), e.span.start.line, e.span.start.col, e.code));
        options().from_str(&text).map_err(wrong)
    }
}

fn one<S: DeserializeOwned>(folder: &Path, run: StoredRun, row: RunRow, version: &str, files: Files) -> Result<RunResults<S>> {
    let place = folder.join(&run.name);
    let unread = |e: SpannedError| Error::input(format!("{}: its scenario cannot be read: {}", place.display(), e.code));
    let scenario = options().from_str(&row.scenario).map_err(unread)?;
    let StoredRun { labels, seed, run_id, fingerprint, inputs, rows: n_rows, .. } = run;
    Ok(RunResults { place, labels, seed, run_id, fingerprint, version: version.into(), inputs, scenario, row, n_rows, files })
}
