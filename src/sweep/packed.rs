//! A finished task: one Parquet file per table with the rows of all its runs, and `runs.ron`, which says which runs these are.
//!
//! Nothing in it depends on the machine, on how many runs went on at a time, or on how often they were interrupted.

use super::layout::Folder;
use super::plan::{Plan, Task};
use crate::error::{Error, Result};
use crate::fields::options;
use crate::record::{RowCounts, SCHEMA_VERSION, footer_rows};
use crate::results::Inputs;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The description of a finished task.
const RUNS_NAME: &str = "runs.ron";

/// A finished task, as its description says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedTask {
    /// The id of the task.
    pub task: String,
    /// Version of the program that wrote the files.
    pub program_version: String,
    /// Version of the tables' schema.
    pub schema_version: u32,
    /// The files by table.
    pub files: BTreeMap<String, PackedFile>,
    /// The runs in plan order.
    pub runs: Vec<PackedRun>,
}

/// The size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Rows of all runs.
    pub rows: u64,
    /// Bytes on the disk.
    pub bytes: u64,
}

/// One run of a finished task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedRun {
    /// Its name in the plan.
    pub name: String,
    /// Every axis with the label of the run's value.
    pub labels: Vec<(String, String)>,
    /// Its seed.
    pub seed: u64,
    /// Names the run by its scenario and its data.
    pub run_id: String,
    /// Names the files that it wrote.
    pub result_id: String,
    /// Hash of everything that happened.
    pub fingerprint: String,
    /// The inputs, named by their content.
    pub inputs: Inputs,
    /// Rows by table.
    pub rows: RowCounts,
}

impl PackedTask {
    /// Writes the description beside the files.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(RUNS_NAME);
        let layout = PrettyConfig::new().depth_limit(2).new_line("\n");
        let text = options().to_string_pretty(self, layout).expect("a description is plain data") + "\n";
        fs::write(&path, text).map_err(|e| Error::cannot_write(&path, &e))
    }

    /// Opens a finished task of a plan. It compares names, sizes and the footers of all files, but does not read rows. `None` if the task is
    /// not there.
    ///
    /// # Errors
    /// Something is missing or damaged.
    pub fn open(folder: &Folder, task: &Task) -> Result<Option<Self>> {
        let path = folder.task(&task.id);
        if !path.exists() {
            return Ok(None);
        }
        let packed = Self::read(&path.join(RUNS_NAME))?;
        packed.check_runs(task).map_err(|problem| Error::failed(format!("{}: {problem}", path.display())))?;
        for (table, file) in &packed.files {
            check_file(&folder.table(&task.id, table), file)?;
        }
        Ok(Some(packed))
    }

    /// The same, with the identity of every run computed anew from the plan.
    ///
    /// # Errors
    /// As [`PackedTask::open`], or if a run is not the one that the plan means.
    pub fn verify(folder: &Folder, plan: &Plan, task: &Task) -> Result<Option<Self>> {
        let Some(packed) = Self::open(folder, task)? else { return Ok(None) };
        for (run, planned) in packed.runs.iter().zip(&task.runs) {
            if plan.scenario(planned)?.identity(&run.inputs, &planned.labels).key.run_id != run.run_id {
                let path = folder.task(&task.id);
                return Err(Error::failed(format!("{}: {} is not the run that is planned", path.display(), run.name)));
            }
        }
        Ok(Some(packed))
    }

    fn read(path: &Path) -> Result<Self> {
        let damaged = |problem: String| Error::failed(format!("{}{problem}", path.display()));
        let text = fs::read_to_string(path).map_err(|e| damaged(format!(": cannot be read: {e}")))?;
        options().from_str(&text).map_err(|e| damaged(format!(":{}:{}: {}", e.span.start.line, e.span.start.col, e.code)))
    }

    /// Whether these are the runs of the task, and the files hold their rows and no others.
    fn check_runs(&self, task: &Task) -> std::result::Result<(), String> {
        if self.schema_version != SCHEMA_VERSION {
            return Err(format!("has schema version {}, and this program writes {SCHEMA_VERSION}", self.schema_version));
        }
        let is_planned =
            self.task == task.id && self.runs.iter().map(|run| (&run.name, run.seed)).eq(task.runs.iter().map(|run| (&run.name, run.seed)));
        if !is_planned {
            return Err("holds other runs than planned".into());
        }
        let rows = |table: &String| self.runs.iter().filter_map(|run| run.rows.get(table)).sum::<u64>();
        let tables = || self.runs.iter().flat_map(|run| run.rows.keys());
        match tables()
            .find(|table| !self.files.contains_key(*table))
            .or(self.files.keys().find(|table| self.files[*table].rows != rows(table)))
        {
            Some(table) => Err(format!("has not all rows of the table {table}")),
            None => Ok(()),
        }
    }
}

fn check_file(path: &Path, expect: &PackedFile) -> Result<()> {
    let problem = |what: String| Error::failed(format!("{}: {what}", path.display()));
    let bytes = fs::metadata(path).map_err(|e| problem(format!("cannot be read: {e}")))?.len();
    if bytes != expect.bytes {
        return Err(problem(format!("is damaged: it has {bytes} bytes instead of {}", expect.bytes)));
    }
    match footer_rows(path)? {
        rows if rows == expect.rows => Ok(()),
        rows => Err(problem(format!("is damaged: it has {rows} rows instead of {}", expect.rows))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::plan;
    use super::*;

    fn packed(task: &Task) -> PackedTask {
        let run = |run: &super::super::plan::PlannedRun| PackedRun {
            name: run.name.clone(),
            labels: run.labels.clone(),
            seed: run.seed,
            run_id: "r1".into(),
            result_id: "o1".into(),
            fingerprint: "f1".into(),
            inputs: Inputs { data_hash: "d1".into(), files: BTreeMap::new() },
            rows: [("curve".to_string(), 3), ("faults".to_string(), 0)].into(),
        };
        let file = |rows: u64| PackedFile { rows, bytes: 100 };
        PackedTask {
            task: task.id.clone(),
            program_version: "0.1.0".into(),
            schema_version: SCHEMA_VERSION,
            files: [("curve".to_string(), file(6)), ("faults".to_string(), file(0))].into(),
            runs: task.runs.iter().map(run).collect(),
        }
    }

    #[test]
    fn a_description_reads_back_as_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let packed = packed(&plan("nodes", &[("a few", "8")], 2).tasks[0]);
        packed.write(folder.path()).expect("it writes");
        assert_eq!(PackedTask::read(&folder.path().join(RUNS_NAME)), Ok(packed));
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut PackedTask), expect: &str) {
        let plan = plan("nodes", &[("few", "8"), ("many", "9")], 2);
        let mut packed = packed(&plan.tasks[0]);
        change(&mut packed);
        assert_eq!(packed.check_runs(&plan.tasks[0]).err().unwrap_or_default(), expect);
    }

    #[test]
    fn a_task_holds_all_rows_of_its_runs_and_no_others() {
        check(|_| {}, "");
        check(|packed| packed.schema_version = 1, &format!("has schema version 1, and this program writes {SCHEMA_VERSION}"));
        check(|packed| packed.task = "t00002".into(), "holds other runs than planned");
        check(|packed| packed.runs.truncate(1), "holds other runs than planned");
        check(|packed| packed.runs.swap(0, 1), "holds other runs than planned");
        check(|packed| packed.runs[1].rows = [("curve".to_string(), 4)].into(), "has not all rows of the table curve");
        check(|packed| packed.files.retain(|table, _| table == "curve"), "has not all rows of the table faults");
    }
}
