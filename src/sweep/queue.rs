//! Hands out the runs of a sweep, task by task, so that tasks finish early. A process holds the tasks that it works on; a task that another
//! process holds is left to it.

use super::finish::discard;
use super::layout::Folder;
use super::packed::PackedTask;
use super::plan::{Plan, PlannedRun, Task};
use crate::error::{Error, Result};
use crate::results::LockedFolder;
use std::collections::{BTreeMap, VecDeque};
use std::thread;
use std::time::Duration;

/// How often a task is tried to be claimed: one who asks whether it is held takes its lock for a moment.
const TRIES: usize = 4;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// One run of a plan and its task.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub task: &'a Task,
    pub run: &'a PlannedRun,
}

/// The runs that are left to do.
#[derive(Debug)]
pub struct Queue<'a> {
    plan: &'a Plan,
    folder: &'a Folder,
    /// Tasks that were not looked at yet.
    tasks: VecDeque<&'a Task>,
    /// Runs of claimed tasks that were not begun yet.
    runs: VecDeque<Place<'a>>,
    claimed: BTreeMap<&'a str, Claimed>,
    /// Tasks that were passed over, since the caller asked last.
    pub passed: Vec<(&'a Task, Why)>,
}

/// Why a task was passed over, or why it is done again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    Finished,
    Held,
    /// It is done again, because this is wrong with its files.
    Damaged(String),
}

#[derive(Debug)]
struct Claimed {
    claim: LockedFolder,
    n_left: usize,
    is_complete: bool,
}

impl<'a> Queue<'a> {
    pub fn new(plan: &'a Plan, folder: &'a Folder, tasks: &[&'a Task]) -> Self {
        let tasks = tasks.iter().copied().collect();
        Self { plan, folder, tasks, runs: VecDeque::new(), claimed: BTreeMap::new(), passed: Vec::new() }
    }

    /// The next run; `None` if all were handed out.
    pub fn next(&mut self) -> Result<Option<Place<'a>>> {
        loop {
            if let Some(place) = self.runs.pop_front() {
                return Ok(Some(place));
            }
            let Some(task) = self.tasks.pop_front() else { return Ok(None) };
            self.open(task)?;
        }
    }

    /// Notes that a run has ended. If it was the last of its task and all are done, the caller gets the claim and packs the task.
    pub fn end(&mut self, place: Place, is_done: bool) -> Option<LockedFolder> {
        let claimed = self.claimed.get_mut(place.task.id.as_str())?;
        claimed.n_left -= 1;
        claimed.is_complete &= is_done;
        if claimed.n_left > 0 {
            return None;
        }
        self.claimed.remove(place.task.id.as_str()).filter(|claimed| claimed.is_complete).map(|claimed| claimed.claim)
    }

    fn open(&mut self, task: &'a Task) -> Result<()> {
        let is_finished = self.is_finished(task) == Ok(true);
        if is_finished && !self.folder.work(&task.id).exists() {
            self.passed.push((task, Why::Finished));
            return Ok(());
        }
        let Some(claim) = claim(self.folder, task)? else {
            self.passed.push((task, if is_finished { Why::Finished } else { Why::Held }));
            return Ok(());
        };
        match self.is_finished(task) {
            // Another process has finished it meanwhile, or was killed before it could remove the results of single runs.
            Ok(true) => {
                discard(self.folder, task);
                self.passed.push((task, Why::Finished));
                return Ok(());
            }
            Ok(false) => {}
            Err(problem) => self.passed.push((task, Why::Damaged(problem.to_string()))),
        }
        self.runs = task.runs.iter().map(|run| Place { task, run }).collect();
        self.claimed.insert(&task.id, Claimed { claim, n_left: task.runs.len(), is_complete: true });
        Ok(())
    }

    fn is_finished(&self, task: &Task) -> Result<bool> {
        PackedTask::verify(self.folder, self.plan, task).map(|packed| packed.is_some())
    }
}

/// Claims a task for this process; `None` if another one holds it.
fn claim(folder: &Folder, task: &Task) -> Result<Option<LockedFolder>> {
    let work = folder.work(&task.id);
    for _ in 0..TRIES {
        if let Some(claim) = LockedFolder::acquire(&work).map_err(|e| Error::cannot_write(&work, &e))? {
            return Ok(Some(claim));
        }
        thread::sleep(BETWEEN_TRIES);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::samples::plan;
    use super::*;
    use std::fs;

    fn folder() -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::new(root.path());
        folder.prepare().expect("it is made");
        (root, folder)
    }

    fn names(queue: &mut Queue) -> Vec<String> {
        std::iter::from_fn(|| queue.next().expect("it opens")).map(|place| format!("{} {}", place.task.id, place.run.name)).collect()
    }

    #[test]
    fn runs_come_task_by_task_and_the_last_one_gets_the_claim() {
        let ((_root, folder), plan) = (folder(), plan("nodes", &[("few", "8"), ("many", "9")], 2));
        let tasks: Vec<&Task> = plan.tasks.iter().collect();
        let mut queue = Queue::new(&plan, &folder, &tasks);
        let places: Vec<Place> = std::iter::from_fn(|| queue.next().expect("it opens")).collect();
        let names: Vec<&str> = places.iter().map(|place| place.run.name.as_str()).collect();
        assert_eq!(names, ["few-seed-1", "few-seed-2", "many-seed-1", "many-seed-2"]);
        // The first task is complete, and a run of the second one failed.
        assert!(queue.end(places[1], true).is_none());
        assert!(queue.end(places[2], false).is_none());
        assert!(queue.end(places[0], true).is_some());
        assert!(queue.end(places[3], true).is_none());
        assert!(!folder.work("t00001").exists() && !folder.work("t00002").exists(), "nobody holds them");
    }

    #[test]
    fn a_held_task_is_passed_over_and_a_damaged_one_is_done_again() {
        let ((_root, folder), plan) = (folder(), plan("nodes", &[("few", "8"), ("many", "9")], 1));
        let tasks: Vec<&Task> = plan.tasks.iter().collect();
        let held = LockedFolder::acquire(&folder.work("t00001")).expect("it is made");
        fs::create_dir(folder.task("t00002")).expect("it is made");
        let mut queue = Queue::new(&plan, &folder, &tasks);
        assert_eq!(names(&mut queue), ["t00002 many-seed-1"]);
        let passed: Vec<(&str, &Why)> = queue.passed.iter().map(|(task, why)| (task.id.as_str(), why)).collect();
        let [("t00001", Why::Held), ("t00002", Why::Damaged(why))] = &passed[..] else { panic!("{passed:?}") };
        assert!(why.contains("t00002/runs.ron: cannot be read"), "{why}");
        drop((queue, held));
        assert_eq!(names(&mut Queue::new(&plan, &folder, &tasks)), ["t00001 few-seed-1", "t00002 many-seed-1"]);
    }
}
