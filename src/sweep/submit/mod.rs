//! Scripts that give the tasks of a sweep to a batch engine.
//!
//! Every engine starts `rankguard sweep run DIR --task …` once per task, and the plan alone says what a task is. So a script names tasks by
//! their numbers, and a second script for what is missing is as good as the first. A process that was told to stop saves its state and ends
//! with the exit code 75; where an engine can, it begins such a task again.

mod arrays;
mod containers;
mod parallel;
mod slurm;

use super::folder::LOGS_NAME;
use super::ids::show_ids;
use super::summary::shell_quoted;
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// A batch engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// SLURM.
    Slurm,
    /// GNU parallel, on one or a few machines without a queue.
    Parallel,
    /// HyperQueue.
    Hyperqueue,
    /// Kubernetes, as an indexed job.
    Kubernetes,
    /// PBS Professional and OpenPBS.
    Pbs,
    /// Sun Grid Engine and its descendants.
    Sge,
    /// IBM Spectrum LSF.
    Lsf,
    /// AWS Batch.
    Awsbatch,
}

/// The tasks that an engine is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// What the sweep is called.
    pub name: String,
    /// The folder of the sweep.
    pub dir: PathBuf,
    /// The folder where processes begin: paths in scenarios are relative to it.
    pub start_in: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// The numbers of the tasks, in ascending order; at least one.
    pub tasks: Vec<u32>,
    /// Cores of a task.
    pub cpus: u32,
    /// Megabytes of memory of a task.
    pub megabytes: u64,
}

impl Engine {
    /// All engines with their names on the command line.
    pub const ALL: [(&'static str, Engine); 8] = [
        ("slurm", Engine::Slurm),
        ("parallel", Engine::Parallel),
        ("hyperqueue", Engine::Hyperqueue),
        ("kubernetes", Engine::Kubernetes),
        ("pbs", Engine::Pbs),
        ("sge", Engine::Sge),
        ("lsf", Engine::Lsf),
        ("awsbatch", Engine::Awsbatch),
    ];

    /// The script, or for Kubernetes the job's description.
    pub fn script(self, submission: &Submission) -> String {
        match self {
            Engine::Slurm => slurm::script(submission),
            Engine::Parallel => parallel::script(submission),
            Engine::Hyperqueue => arrays::hyperqueue(submission),
            Engine::Pbs => arrays::pbs(submission),
            Engine::Sge => arrays::sge(submission),
            Engine::Lsf => arrays::lsf(submission),
            Engine::Kubernetes => containers::kubernetes(submission),
            Engine::Awsbatch => containers::aws_batch(submission),
        }
    }

    /// Whether the script can be sent from here, or must be looked at before: it names queues and images that only its user knows.
    ///
    /// # Errors
    /// It must be looked at.
    pub fn check_sendable(self) -> Result<()> {
        match self {
            Engine::Slurm | Engine::Parallel => Ok(()),
            Engine::Hyperqueue | Engine::Kubernetes | Engine::Pbs | Engine::Sge | Engine::Lsf | Engine::Awsbatch => Err(Error::input(
                "--now sends scripts for slurm and parallel only; print this one, adapt it to your site and send it yourself",
            )),
        }
    }

    /// Whether processes run in containers, where the program has the name that its image gives it.
    pub fn is_in_containers(self) -> bool {
        matches!(self, Engine::Kubernetes | Engine::Awsbatch)
    }
}

/// Megabytes to ask for if `jobs` runs of at most so many bytes go on at a time. The estimate is a mean, so half as much is added.
pub fn megabytes(bytes: f64, jobs: u32) -> u64 {
    let megabytes = 1.5 * bytes * f64::from(jobs) / 1e6 + 200.0;
    (megabytes / 100.0).ceil() as u64 * 100
}

impl Submission {
    fn dir(&self) -> String {
        shell_quoted(&self.dir)
    }

    fn program(&self) -> String {
        shell_quoted(&self.program)
    }

    fn logs(&self) -> String {
        shell_quoted(&self.dir.join(LOGS_NAME))
    }

    /// `rankguard sweep run DIR --task …`
    fn run(&self, task: &str) -> String {
        format!("{} sweep run {} --task {task}", self.program(), self.dir())
    }

    /// The command that follows when all tasks have ended.
    fn collect(&self) -> String {
        format!("{} sweep collect {}", self.program(), self.dir())
    }

    /// What engines call the job.
    fn job(&self) -> String {
        format!("rankguard-{}", self.name)
    }

    /// The tasks as ranges of numbers: 1-3 and 7-7.
    fn ranges(&self) -> Vec<(u32, u32)> {
        let together = |one: &u32, next: &u32| one + 1 == *next;
        self.tasks.chunk_by(together).map(|range| (range[0], range[range.len() - 1])).collect()
    }

    /// Whether the tasks are all from 1 to their number, as engines count that know no other numbers.
    fn are_counted(&self) -> bool {
        self.tasks.iter().zip(1..).all(|(task, number)| *task == number)
    }

    /// The first lines of a script.
    fn head(&self, how: &str) -> String {
        let lines = format!("#!/bin/sh\n# Tasks {} of the sweep {}. {how}\nset -eu\n", show_ids(&self.tasks), self.name);
        format!("{lines}cd {}\nmkdir -p {}\n", shell_quoted(&self.start_in), self.logs())
    }
}

/// A path in a script, absolute.
///
/// # Errors
/// The current folder is gone, or the path has a line break, which batch engines do not understand.
pub fn absolute(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).map_err(|e| Error::cannot_read(path, &e))?;
    match absolute.to_str().is_some_and(|text| !text.contains(['\n', '\r'])) {
        true => Ok(absolute),
        false => Err(Error::input(format!("{}: batch engines take no such path; plan the sweep in another folder", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_some_room() {
        for (bytes, jobs, expect) in [(0.0, 1, 200), (1e6, 1, 300), (1e9, 1, 1_700), (1e9, 4, 6_200)] {
            assert_eq!(megabytes(bytes, jobs), expect);
        }
    }

    #[test]
    fn tasks_are_ranges() {
        let submission = |tasks: &[u32]| Submission {
            name: "x".into(),
            dir: "/x".into(),
            start_in: "/".into(),
            program: "rankguard".into(),
            tasks: tasks.to_vec(),
            cpus: 1,
            megabytes: 1,
        };
        assert_eq!(submission(&[1, 2, 3, 7]).ranges(), [(1, 3), (7, 7)]);
        assert!(submission(&[1, 2]).are_counted() && !submission(&[2]).are_counted());
    }

    #[test]
    fn paths_that_break_lines_are_refused() {
        assert!(absolute(Path::new("it's \"x\"")).is_ok());
        let error = absolute(Path::new("a\nb")).expect_err("no engine takes it");
        assert_eq!(error.exit_code(), 2);
    }
}
