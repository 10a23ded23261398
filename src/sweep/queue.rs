//! Hands out the runs of a sweep, task by task, so that tasks finish early. A process holds the tasks that it works on; a task that another
//! process holds is left to it.

use super::finish::discard;
use super::folder::Folder;
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
