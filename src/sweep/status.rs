//! How far a sweep is, from its files alone. It can be asked while other processes and machines work on it, and changes nothing.

use super::layout::Folder;
use super::packed::PackedTask;
use super::plan::{Plan, Task};
use crate::results::LockedFolder;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;

/// How far a sweep is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The name of the sweep.
    pub name: String,
    /// The runs of all tasks together.
    pub runs: RunCounts,
    /// How many tasks are in which state.
    pub tasks: TaskCounts,
    /// Every task, in the order of their numbers.
    pub by_task: Vec<TaskStatus>,
}

/// Runs by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RunCounts {
    /// All of them.
    pub all: usize,
    /// Those with results.
    pub done: usize,
    /// Those that go on.
    pub running: usize,
    /// Those that failed when they were tried last.
    pub failed: usize,
    /// All others.
    pub missing: usize,
}

/// Tasks by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TaskCounts {
    /// All of them.
    pub all: usize,
    /// Finished.
    pub done: usize,
    /// Held by a process.
    pub running: usize,
    /// With a failed run, and held by nobody.
    pub failed: usize,
    /// Finished once, but with damaged files.
    pub damaged: usize,
    /// All others.
    pub missing: usize,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskStatus {
    /// Its number, from 1.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: TaskState,
    /// What is wrong with its files, if they are damaged.
    pub damage: Option<String>,
    /// Its runs.
    pub runs: RunCounts,
}

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// Finished.
    Done,
    /// Held by a process.
    Running,
    /// With a failed run, and held by nobody.
    Failed,
    /// Finished once, but with damaged files.
    Damaged,
    /// Not begun, or interrupted.
    Missing,
}

impl Status {
    /// Looks at the files of a sweep.
    pub fn of(plan: &Plan, folder: &Folder) -> Self {
        let by_task: Vec<TaskStatus> = plan.tasks.iter().zip(1..).map(|(task, number)| TaskStatus::of(folder, task, number)).collect();
        let mut runs = RunCounts::default();
        by_task.iter().for_each(|task| runs.add(&task.runs));
        let n = |state: TaskState| by_task.iter().filter(|task| task.state == state).count();
        let tasks = TaskCounts {
            all: by_task.len(),
            done: n(TaskState::Done),
            running: n(TaskState::Running),
            failed: n(TaskState::Failed),
            damaged: n(TaskState::Damaged),
            missing: n(TaskState::Missing),
        };
        Self { name: plan.name.clone(), runs, tasks, by_task }
    }

    /// The numbers of the tasks that are not finished.
    pub fn unfinished(&self) -> Vec<u32> {
        self.by_task.iter().filter(|task| task.state != TaskState::Done).map(|task| task.number).collect()
    }

    /// The numbers of the unfinished tasks on which no process works, in ascending order: what can be begun.
    pub fn idle(&self) -> Vec<u32> {
        let is_idle = |task: &&TaskStatus| !matches!(task.state, TaskState::Done | TaskState::Running);
        self.by_task.iter().filter(is_idle).map(|task| task.number).collect()
    }
}

impl TaskStatus {
    fn of(folder: &Folder, task: &Task, number: u32) -> Self {
        let (damage, n_runs) = (PackedTask::open(folder, task), task.runs.len());
        let is_held = LockedFolder::is_held(&folder.work(&task.id));
        let runs = match &damage {
            Ok(Some(_)) => RunCounts { all: n_runs, done: n_runs, ..RunCounts::default() },
            _ => RunCounts::in_work(folder, task, is_held),
        };
        let state = match &damage {
            Ok(Some(_)) => TaskState::Done,
            _ if is_held => TaskState::Running,
            Err(_) => TaskState::Damaged,
            Ok(None) if runs.failed > 0 => TaskState::Failed,
            Ok(None) => TaskState::Missing,
        };
        Self { number, id: task.id.clone(), state, damage: damage.err().map(|problem| problem.to_string()), runs }
    }
}

impl RunCounts {
    /// The runs of an unfinished task. What was begun is going on only while a process holds the task.
    fn in_work(folder: &Folder, task: &Task, is_held: bool) -> Self {
        let entries = fs::read_dir(folder.work(&task.id)).into_iter().flatten().flatten();
        let there: BTreeSet<_> = entries.map(|entry| entry.path()).collect();
        let mut counts = Self { all: task.runs.len(), ..Self::default() };
        for run in &task.runs {
            let count = match () {
                () if there.contains(&folder.run(&task.id, &run.name)) => &mut counts.done,
                () if is_held && there.contains(&folder.begun(&task.id, &run.name)) => &mut counts.running,
                () if there.contains(&folder.failure(&task.id, &run.name)) => &mut counts.failed,
                () => &mut counts.missing,
            };
            *count += 1;
        }
        counts
    }

    fn add(&mut self, more: &Self) {
        self.all += more.all;
        self.done += more.done;
        self.running += more.running;
        self.failed += more.failed;
        self.missing += more.missing;
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::plan;
    use super::*;

    /// The status of a task of three runs with these files and folders in its work.
    #[track_caller]
    fn check(there: &str, is_held: bool, state: TaskState, [done, running, failed, missing]: [usize; 4]) {
        let (root, plan) = (tempfile::tempdir().expect("a folder"), plan("nodes", &[("few", "8")], 3));
        let folder = Folder::new(root.path());
        there.split_whitespace().for_each(|name| fs::create_dir_all(folder.work("t00001").join(name)).expect("it is made"));
        fs::create_dir_all(folder.work("")).expect("it is made");
        let held = is_held.then(|| LockedFolder::acquire(&folder.work("t00001")).expect("it is made").expect("it is free"));
        let status = Status::of(&plan, &folder);
        drop(held);
        assert_eq!((status.by_task[0].state, status.runs), (state, RunCounts { all: 3, done, running, failed, missing }));
        assert_eq!((status.unfinished(), status.tasks.all, status.tasks.done), (vec![1], 1, 0));
        assert_eq!(status.idle(), if is_held { vec![] } else { vec![1] });
    }

    #[test]
    fn files_tell_how_far_a_task_is() {
        check("", false, TaskState::Missing, [0, 0, 0, 3]);
        check("", true, TaskState::Running, [0, 0, 0, 3]);
        check("few-seed-1 .few-seed-2.staging", true, TaskState::Running, [1, 1, 0, 1]);
        // A process that has ended left something behind.
        check("few-seed-1 .few-seed-2.staging", false, TaskState::Missing, [1, 0, 0, 2]);
        check("few-seed-1 few-seed-2.failed few-seed-3.failed", false, TaskState::Failed, [1, 0, 2, 0]);
        check("few-seed-2.failed .few-seed-2.staging", true, TaskState::Running, [0, 1, 0, 2]);
    }

    #[test]
    fn a_task_with_damaged_files_is_unfinished() {
        let (root, plan) = (tempfile::tempdir().expect("a folder"), plan("nodes", &[("few", "8")], 3));
        let folder = Folder::new(root.path());
        fs::create_dir_all(folder.task("t00001")).expect("it is made");
        let status = Status::of(&plan, &folder);
        assert_eq!((status.by_task[0].state, status.unfinished(), status.idle()), (TaskState::Damaged, vec![1], vec![1]));
        assert!(status.by_task[0].damage.as_ref().is_some_and(|damage| damage.contains("runs.ron: cannot be read")));
    }
}
