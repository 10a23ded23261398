//! Where things are in the folder of a sweep.
//!
//! Single runs of an unfinished task are in `work/TASK`, each a result folder of its own. A finished task is one folder in `tasks`, with one
//! file per table. `tables` has the same files by table.

use super::folder::TASKS_NAME;
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a planned sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder of a sweep, whose plan need not be read.
    pub fn new(dir: &Path) -> Self {
        Self(dir.into())
    }

    /// Its path as the user wrote it.
    pub fn dir(&self) -> &Path {
        &self.0
    }

    /// The runs of an unfinished task. One process at a time holds this folder.
    pub fn work(&self, task: &str) -> PathBuf {
        self.0.join("work").join(task)
    }

    /// The result folder of a run of an unfinished task.
    pub fn run(&self, task: &str, run: &str) -> PathBuf {
        self.work(task).join(run)
    }

    /// Where that result folder grows until it is published.
    pub fn begun(&self, task: &str, run: &str) -> PathBuf {
        self.work(task).join(format!(".{run}.staging"))
    }

    /// The message of a run that failed.
    pub fn failure(&self, task: &str, run: &str) -> PathBuf {
        self.work(task).join(format!("{run}.failed"))
    }

    /// Where a finished task grows until it is published, and where a damaged one waits until it is replaced.
    pub fn packing(&self, task: &str) -> (PathBuf, PathBuf) {
        let beside = |ending: &str| self.0.join("work").join(format!(".{task}.{ending}"));
        (beside("staging"), beside("damaged"))
    }

    /// A finished task.
    pub fn task(&self, task: &str) -> PathBuf {
        self.0.join(TASKS_NAME).join(task)
    }

    /// The file of one table of a finished task.
    pub fn table(&self, task: &str, table: &str) -> PathBuf {
        self.task(task).join(file_name(table))
    }

    /// The data sets of all tasks, one folder per table.
    pub fn tables(&self) -> PathBuf {
        self.0.join("tables")
    }

    /// Where these grow.
    pub fn collecting(&self) -> PathBuf {
        self.0.join(".tables.staging")
    }

    /// Makes the folders of work and of finished tasks.
    pub(super) fn prepare(&self) -> Result<()> {
        ["work", TASKS_NAME].iter().map(|name| self.0.join(name)).try_for_each(|folder| make(&folder))
    }
}

/// The name of a table's file in the folder of a task.
pub fn file_name(table: &str) -> String {
    format!("{table}.parquet")
}

/// Makes a folder and those around it.
pub(super) fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::cannot_write(folder, &e))
}
