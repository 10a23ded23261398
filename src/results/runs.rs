//! Runs that are read together: the one of a result folder, or all of a collected sweep.
//!
//! In the data sets of a sweep the rows of many runs stand one after another, in the order in which `runs.ron` of each task lists the runs.

use super::manifest::{FILE_NAME, Manifest};
use super::{Inputs, Results};
use crate::error::{Error, Result};
use crate::fields::options;
use crate::record::{Cell, CurveRow, Reader, RowCounts, RunRow, Table};
use ron::error::SpannedError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

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
    curve: Rc<Reader<CurveRow>>,
    /// Its rows of `curve`.
    rows: Range<u64>,
}

/// The runs of a folder: one if it holds the results of a single run, all collected ones in plan order if it holds a sweep.
///
/// # Errors
/// The folder holds neither, the sweep was not collected or has changed since, or a file cannot be read.
pub fn runs<S: DeserializeOwned>(folder: &Path) -> Result<Vec<RunResults<S>>> {
    match fs::read_to_string(folder.join(FILE_NAME)).is_ok_and(|text| text.contains("sweep_format:")) {
        true => Ok(tasks(folder)?.iter().map(|task| of_task(folder, task)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()),
        false => single(folder).map(|run| vec![run]),
    }
}

impl<S> RunResults<S> {
    /// Its evaluations in order; at least one.
    ///
    /// # Errors
    /// A file is damaged, or no evaluation was recorded.
    pub fn curve(&self) -> Result<Vec<CurveRow>> {
        let rows: Vec<CurveRow> = self.curve.rows(self.rows.clone())?.collect::<Result<_>>()?;
        if rows.is_empty() { Err(Table::Curve.missing(&self.place)) } else { Ok(rows) }
    }

    /// The values of a column of `curve` at its last `n` evaluations.
    ///
    /// # Errors
    /// As [`Reader::column`].
    pub fn last_of_curve<C: Cell + 'static>(&self, column: &str, n: usize) -> Result<Vec<C>> {
        let from = self.rows.end.saturating_sub(n as u64).max(self.rows.start);
        self.curve.column(column, from..self.rows.end)?.collect()
    }
}

fn single<S: DeserializeOwned>(folder: &Path) -> Result<RunResults<S>> {
    let results = Results::<S>::open_with(folder)?;
    let (row, curve) = (results.run()?, results.table::<CurveRow>()?);
    let Manifest { seed, run_id, fingerprint, program_version: version, inputs, scenario, .. } = results.manifest;
    let (place, labels, rows) = (folder.to_path_buf(), Vec::new(), 0..curve.n_rows());
    Ok(RunResults { place, labels, seed, run_id, fingerprint, version, inputs, scenario, row, curve: Rc::new(curve), rows })
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
    let stored = StoredTask::read(&folder.join("tasks").join(task).join("runs.ron"))?;
    let partition = |table: Table| folder.join("tables").join(table.name()).join(format!("task={task}"));
    let table = Reader::<RunRow>::open_partition(&partition(Table::Runs))?;
    let curve = Rc::new(Reader::open_partition(&partition(Table::Curve))?);
    let ids: Vec<String> = table.column("run_id", ..)?.collect::<Result<_>>()?;
    if !ids.iter().eq(stored.runs.iter().map(|run| &run.run_id)) || stored.n_evaluations() != curve.n_rows() {
        let dir = folder.display();
        return Err(Error::input(format!("{dir}: {task} has changed since it was collected; repeat `rankguard sweep collect {dir}`")));
    }
    let (mut runs, mut first) = (Vec::new(), 0);
    for (run, row) in stored.runs.into_iter().zip(table.rows(..)?) {
        let rows = first..first + run.n_evaluations();
        first = rows.end;
        runs.push(one(folder, run, row?, &stored.program_version, (curve.clone(), rows))?);
    }
    Ok(runs)
}

impl StoredTask {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|e| Error::cannot_read(path, &e))?;
        let wrong = |e: SpannedError| Error::input(format!("{}:{}:{}: {}", path.display(), e.span.start.line, e.span.start.col, e.code));
        options().from_str(&text).map_err(wrong)
    }

    fn n_evaluations(&self) -> u64 {
        self.runs.iter().map(StoredRun::n_evaluations).sum()
    }
}

impl StoredRun {
    fn n_evaluations(&self) -> u64 {
        self.rows.get(Table::Curve.name()).copied().unwrap_or(0)
    }
}

fn one<S: DeserializeOwned>(
    folder: &Path,
    run: StoredRun,
    row: RunRow,
    version: &str,
    (curve, rows): (Rc<Reader<CurveRow>>, Range<u64>),
) -> Result<RunResults<S>> {
    let place = folder.join(&run.name);
    let unread = |e: SpannedError| Error::input(format!("{}: its scenario cannot be read: {}", place.display(), e.code));
    let scenario = options().from_str(&row.scenario).map_err(unread)?;
    let StoredRun { labels, seed, run_id, fingerprint, inputs, .. } = run;
    Ok(RunResults { place, labels, seed, run_id, fingerprint, version: version.into(), inputs, scenario, row, curve, rows })
}
