//! Makes one data set per table of all finished tasks: `tables/curve/task=t00001/part-00000.parquet`.
//!
//! Everything is verified against the plan before anything is written. The files are the tasks' own, by hard links where the file system has
//! them. One table has one fixed schema, so every file of it has the same columns.

use super::layout::{Folder, make};
use super::packed::PackedTask;
use super::plan::{Plan, Task};
use super::shared_documents::Datasets;
use crate::error::{Error, Result};
use crate::record::{RowCounts, Table};
use crate::results::{LockedFolder, remove_tree, replace_folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What was collected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collected {
    /// Rows by table.
    pub rows: RowCounts,
    /// The number of tasks that are in the data sets.
    pub n_tasks: usize,
    /// The number of their runs.
    pub n_runs: usize,
    /// Numbers of tasks that are not finished.
    pub missing: Vec<u32>,
    /// Numbers of tasks whose files are damaged, with what is wrong.
    pub damaged: Vec<(u32, String)>,
    /// Runs that read other documents than another run of the same data set, in words.
    pub differing: Vec<String>,
}

/// A sweep whose tasks were verified.
#[derive(Debug)]
pub struct Verified<'a> {
    folder: &'a Folder,
    tasks: Vec<PackedTask>,
    /// What there is, and what is not.
    pub found: Collected,
}

impl<'a> Verified<'a> {
    /// Looks at every task of a plan: its runs, their identities, and the sizes and footers of its files.
    pub fn of(plan: &Plan, folder: &'a Folder) -> Self {
        let (mut tasks, mut found) = (Vec::new(), Collected::default());
        for (task, number) in plan.tasks.iter().zip(1..) {
            match PackedTask::verify(folder, plan, task) {
                Ok(Some(packed)) => {
                    found.add(&packed);
                    tasks.push(packed);
                }
                Ok(None) => found.missing.push(number),
                Err(problem) => found.damaged.push((number, problem.to_string())),
            }
        }
        found.differing = differing(plan, folder, &tasks);
        Self { folder, tasks, found }
    }

    /// Writes the data sets of the tasks that were found sound. Data sets of an earlier time are replaced in one move.
    ///
    /// # Errors
    /// No task is finished, files of others are in the way, another process is collecting, or the disk fails.
    pub fn write(self) -> Result<Collected> {
        let dir = self.folder.dir().display();
        if self.tasks.is_empty() {
            return Err(Error::failed(format!("{dir}: no task is finished; nothing was written")));
        }
        let (tables, staging) = (self.folder.tables(), self.folder.collecting());
        refuse_others(&tables)?;
        let hidden = LockedFolder::acquire(&staging)
            .map_err(|e| Error::cannot_write(&staging, &e))?
            .ok_or_else(|| Error::input(format!("{dir}: another process is collecting; wait for it")))?;
        let (new, old) = (hidden.path().join("new"), hidden.path().join("old"));
        remove_tree(&new).map_err(|e| Error::cannot_write(&new, &e))?;
        self.link_all(&new).inspect_err(|_| drop(remove_tree(&new)))?;
        replace_folder(&new, &tables, &old)?;
        Ok(self.found)
    }

    fn link_all(&self, new: &Path) -> Result<()> {
        for task in &self.tasks {
            for table in task.files.keys() {
                let partition = new.join(table).join(format!("task={}", task.task));
                make(&partition)?;
                link(&self.folder.table(&task.task, table), &partition.join(PART_NAME))?;
            }
        }
        Ok(())
    }
}

/// The one file of a partition.
const PART_NAME: &str = "part-00000.parquet";

impl Collected {
    fn add(&mut self, packed: &PackedTask) {
        self.n_tasks += 1;
        self.n_runs += packed.runs.len();
        for (table, file) in &packed.files {
            *self.rows.entry(table.clone()).or_default() += file.rows;
        }
    }

    /// Whether every task of the plan is there, and all belong together.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.damaged.is_empty() && self.differing.is_empty()
    }
}

/// Tasks whose runs read other documents than the first run of the same data set: its files have changed between them.
fn differing(plan: &Plan, folder: &Folder, packed: &[PackedTask]) -> Vec<String> {
    let tasks: Vec<&Task> = plan.tasks.iter().collect();
    let (datasets, mut first) = (Datasets::of(plan, &tasks), BTreeMap::new());
    let planned = |id: &str| plan.tasks.iter().find(|task| task.id == id);
    let mut found = Vec::new();
    for task in packed {
        let runs = planned(&task.task).into_iter().flat_map(|planned| planned.runs.iter().zip(&task.runs));
        let other = runs.map(|(planned, run)| (datasets.get(plan, planned), run)).find_map(|(dataset, run)| {
            let (name, data_hash) = *first.entry(dataset).or_insert((&run.name, &run.inputs.data_hash));
            (*data_hash != run.inputs.data_hash).then(|| format!("{} read other documents than {name}", run.name))
        });
        let path = folder.task(&task.task);
        found.extend(other.map(|what| format!("{}: {what}, though both name the same data set; remove what is outdated", path.display())));
    }
    found
}

/// Gives a file a second name, or copies it where that is not possible.
fn link(from: &Path, to: &Path) -> Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop)).map_err(|e| Error::cannot_write(to, &e))
}

/// Fails if the folder of data sets holds anything that was not collected: it would be removed.
fn refuse_others(tables: &Path) -> Result<()> {
    match first_of_others(tables, 0).map_err(|e| Error::cannot_read(tables, &e))? {
        Some(path) => Err(Error::input(format!("{}: was not collected and would be lost; move it away", path.display()))),
        None => Ok(()),
    }
}

/// The first path that is no data set, no partition or no part, by its depth.
fn first_of_others(folder: &Path, depth: usize) -> std::io::Result<Option<PathBuf>> {
    if depth == 0 && !folder.exists() {
        return Ok(None);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, is_folder) = (entry.file_name(), entry.file_type()?.is_dir());
        let is_ours = match depth {
            0 => is_folder && Table::ALL.iter().any(|table| name == table.name()),
            1 => is_folder && name.to_str().is_some_and(|name| name.starts_with("task=t")),
            _ => !is_folder && name == PART_NAME,
        };
        if !is_ours {
            return Ok(Some(entry.path()));
        }
        if is_folder && let Some(path) = first_of_others(&entry.path(), depth + 1)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &str, others: Option<&str>) {
        let root = tempfile::tempdir().expect("a folder");
        for file in files.split_whitespace() {
            let path = root.path().join("tables").join(file);
            make(path.parent().expect("inside"))
                .and_then(|()| fs::write(&path, "").map_err(|e| Error::cannot_write(&path, &e)))
                .expect("a file");
        }
        let tables = root.path().join("tables");
        let found = first_of_others(&tables, 0).expect("it lists");
        assert_eq!(found, others.map(|path| tables.join(path)), "{files}");
        assert_eq!(refuse_others(&tables).is_err(), others.is_some());
    }

    #[test]
    fn only_what_was_collected_is_replaced() {
        check("", None);
        check("curve/task=t00001/part-00000.parquet runs/task=t00002/part-00000.parquet", None);
        check("curve/task=t00001/part-00000.parquet curve/notes", Some("curve/notes"));
        check("thesis", Some("thesis"));
        check("thesis/task=t00001/part-00000.parquet", Some("thesis"));
        check("curve/task=t00001/plot.png", Some("curve/task=t00001/plot.png"));
    }

    #[test]
    fn a_link_is_the_same_file() {
        let root = tempfile::tempdir().expect("a folder");
        let (one, other) = (root.path().join("one"), root.path().join("other"));
        fs::write(&one, "rows").expect("it writes");
        link(&one, &other).expect("it links");
        assert_eq!(fs::read_to_string(&other).expect("it reads"), "rows");
        assert_eq!(link(&one, &other.join("deep")).expect_err("there is no folder").exit_code(), 1);
    }
}
