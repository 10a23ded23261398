//! Tells which runs of a task are finished, and makes one folder of a task whose runs all are.

use super::layout::{Folder, file_name, make};
use super::packed::{PackedFile, PackedRun, PackedTask};
use super::plan::{Plan, PlannedRun, Task};
use crate::error::{Error, Result};
use crate::record::{RowCounts, SCHEMA_VERSION, Table, TableReader, pack};
use crate::results::{LOCK_NAME, Results, VERSION, remove_tree, replace_folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The results of a run of an unfinished task; `None` if there are none, or if they are damaged, of another run or of another version.
/// Footers are compared with the manifest, but no rows are read.
pub fn finished(folder: &Folder, plan: &Plan, task: &Task, run: &PlannedRun) -> Option<Results> {
    let results = Results::open(&folder.run(&task.id, &run.name)).ok()?;
    let identity = plan.scenario(run).ok()?.identity(&results.manifest.inputs, &run.labels);
    let is_same = results.manifest.run_id == identity.key.run_id && results.manifest.result_id == identity.result_id;
    (is_same && has_all_rows(results.folder(), &results.manifest.rows)).then_some(results)
}

fn has_all_rows(result_folder: &Path, rows: &RowCounts) -> bool {
    rows.iter().all(|(name, rows)| {
        let table = Table::ALL.iter().find(|table| table.name() == name);
        table.is_some_and(|table| TableReader::open(result_folder, *table).is_ok_and(|reader| reader.n_rows() == *rows))
    })
}

/// Packs the results of all runs of a task, publishes the folder in one move, and removes the results of single runs. The caller holds the
/// task.
///
/// # Errors
/// The results of a run cannot be read, or the disk fails.
pub fn finish(folder: &Folder, task: &Task) -> Result<()> {
    let (staging, damaged) = folder.packing(&task.id);
    remove_tree(&staging).map_err(|e| Error::cannot_write(&staging, &e))?;
    make(&staging)?;
    let runs: Vec<Results> = task.runs.iter().map(|run| Results::open(&folder.run(&task.id, &run.name))).collect::<Result<_>>()?;
    describe(task, &runs, &staging)?.write(&staging)?;
    replace_folder(&staging, &folder.task(&task.id), &damaged)?;
    clear(&folder.work(&task.id)).map_err(|e| Error::cannot_write(&folder.work(&task.id), &e))
}

/// Writes the tables and returns the description of the task.
fn describe(task: &Task, runs: &[Results], staging: &Path) -> Result<PackedTask> {
    let folders: Vec<PathBuf> = runs.iter().map(|run| run.folder().to_path_buf()).collect();
    let mut files = BTreeMap::new();
    for table in Table::ALL {
        let path = staging.join(file_name(table.name()));
        if let Some(rows) = pack(*table, &folders, &path, &task.id)? {
            let bytes = fs::metadata(&path).map_err(|e| Error::cannot_write(&path, &e))?.len();
            files.insert(table.name().to_string(), PackedFile { rows, bytes });
        }
    }
    let runs = task.runs.iter().zip(runs).map(|(planned, results)| describe_run(planned, results)).collect();
    Ok(PackedTask { task: task.id.clone(), program_version: VERSION.into(), schema_version: SCHEMA_VERSION, files, runs })
}

fn describe_run(planned: &PlannedRun, results: &Results) -> PackedRun {
    let manifest = &results.manifest;
    PackedRun {
        name: planned.name.clone(),
        labels: planned.labels.clone(),
        seed: planned.seed,
        run_id: manifest.run_id.clone(),
        result_id: manifest.result_id.clone(),
        fingerprint: manifest.fingerprint.clone(),
        inputs: manifest.inputs.clone(),
        rows: manifest.rows.clone(),
    }
}

/// Removes everything but the lock, which its holder removes.
fn clear(work: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(work)? {
        let path = entry?.path();
        match path.file_name() == Some(LOCK_NAME.as_ref()) {
            true => {}
            false if path.is_dir() => remove_tree(&path)?,
            false => fs::remove_file(&path)?,
        }
    }
    Ok(())
}

/// Throws the results of single runs away, because they turned out to be damaged, or are packed already. The caller holds the task.
pub fn discard(folder: &Folder, task: &Task) {
    let _ = clear(&folder.work(&task.id)); // what cannot be removed is found again
}
