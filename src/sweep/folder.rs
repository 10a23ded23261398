//! The folder of a sweep: what is planned there, and which tasks are finished.

use super::canonical::{SWEEP_NAME, canonical};
use super::file::SweepFile;
use super::manifest;
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::results::write_whole;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of what engines and tasks print.
pub const LOGS_NAME: &str = "logs";
/// The folder of finished tasks.
pub const TASKS_NAME: &str = "tasks";

/// A plan for a folder, which is not written yet.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The number of its first tasks that the folder has already.
    pub n_before: usize,
    dir: PathBuf,
    sweep: String,
}

impl Planned {
    /// Plans a sweep for a folder, which may hold the plan of a smaller one.
    ///
    /// # Errors
    /// The folder holds something else or the plan of another sweep, or a combination makes no sense.
    pub fn new(file: &SweepFile, dir: &Path, tasks: Option<u32>) -> Result<Self> {
        let (plan, n_before) = match manifest::read(dir)? {
            Some(there) => {
                let n_before = there.tasks.len();
                (file.extend(there, tasks).map_err(|problem| Error::input(format!("{}: {problem}", dir.display())))?, n_before)
            }
            None => (check_free(dir).and_then(|()| file.plan(tasks))?, 0),
        };
        Ok(Self { sweep: canonical(file, &plan), plan, n_before, dir: dir.into() })
    }

    /// Whether the folder has no task to gain.
    pub fn is_same(&self) -> bool {
        self.n_before == self.plan.tasks.len()
    }

    /// Writes the plan, unless the folder has it already. The manifest comes last, because it makes the plan valid.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self) -> Result<()> {
        if self.is_same() {
            return Ok(());
        }
        // SLURM does not make the folder of its logs.
        let logs = self.dir.join(LOGS_NAME);
        fs::create_dir_all(&logs)
            .map_err(|e| Error::input(format!("{}: cannot be written: {e}; choose another --out", self.dir.display())))?;
        write_whole(&self.dir.join(SWEEP_NAME), &self.sweep)?;
        self.plan.write(&self.dir)
    }
}

/// Refuses a folder with files in it that are no plan.
fn check_free(dir: &Path) -> Result<()> {
    let refuse = |why: &str| Err(Error::input(format!("{}: {why}; choose another --out", dir.display())));
    match fs::read_dir(dir).map(|mut entries| entries.find(|entry| !entry.as_ref().is_ok_and(|e| is_left_by_plan(&e.file_name())))) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => refuse("is not empty and holds no planned sweep"),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => refuse(&format!("cannot be written: {e}")),
    }
}

/// A plan that was interrupted leaves these, and files whose names begin with a dot.
fn is_left_by_plan(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    [SWEEP_NAME, LOGS_NAME].contains(&name.as_ref()) || name.starts_with(".manifest.ron.") || name.starts_with(".sweep.ron.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::tests::read;

    #[test]
    fn a_folder_gets_its_plan_once() {
        let root = tempfile::tempdir().expect("a folder");
        let dir = root.path().join("a/b");
        let planned = |fields: &str| read(fields).and_then(|file| Planned::new(&file, &dir, None));
        let first = planned("seeds: List([1])").expect("it is free");
        assert!(!first.is_same() && !dir.exists());
        first.write().expect("it writes");
        let manifest = fs::read(dir.join("manifest.ron")).expect("it is there");
        let second = planned("seeds: List([1])").expect("it is the same");
        assert!(second.is_same());
        second.write().expect("there is nothing to do");
        assert_eq!(fs::read(dir.join("manifest.ron")).expect("it is there"), manifest);
        let third = planned("seeds: List([1, 2])").expect("it is longer");
        assert_eq!((third.n_before, third.plan.tasks.len()), (1, 2));
        third.write().expect("it writes");
        let refused = planned("seeds: List([2])").expect_err("a seed is gone").to_string();
        assert!(refused.contains("a/b: another sweep is planned there:\n  seeds lack 1\n"), "{refused}");
    }

    #[track_caller]
    fn refuse(name: &str, content: &str, expect: &str) {
        let root = tempfile::tempdir().expect("a folder");
        let dir = root.path().join("dir");
        fs::create_dir(&dir).expect("it is made");
        fs::write(dir.join(name), content).expect("it writes");
        let error = read("").and_then(|file| Planned::new(&file, &dir, None)).expect_err(name);
        assert!(error.to_string().contains(expect) && error.exit_code() == 2, "{error}");
    }

    #[test]
    fn folders_of_others_are_refused() {
        refuse("thesis", "", "is not empty and holds no planned sweep; choose another --out");
        refuse("manifest.ron", "(program_version: \"0.1.0\")", "manifest.ron: is not the plan of a sweep");
        refuse("manifest.ron", "(sweep_format: 1,\n name: 3)", "manifest.ron:2:7: ");
        let read = Plan::read(Path::new("no/such")).expect_err("it is not there").to_string();
        assert_eq!(read, "no/such: holds no planned sweep; make one with `rankguard sweep plan FILE --out no/such`");
    }
}
