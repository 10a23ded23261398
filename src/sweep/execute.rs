//! Does the runs of a sweep: several at a time, within the cores and the memory of the machine.
//!
//! Workers take runs from one queue. Whoever ends the last run of a task packs the task. The calling thread watches: it tells how far the
//! sweep is, and stops all runs when the process is interrupted. A run that fails is noted in a file, and the others go on.

use super::finish::{discard, finish};
use super::layout::Folder;
use super::one_run::{Ended, Running, Shared};
use super::outcome::{Executed, Failure, SweepProgress};
use super::plan::{Plan, Task};
use super::queue::{Place, Queue, Why};
use super::room::SharedMemory;
use super::shared_documents::{Datasets, SharedDocuments};
use crate::error::{Error, Kind, Result};
use crate::machine;
use crate::results::write_whole;
use crate::run::{Every, Flags, Interrupt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, thread};

/// How often the watching thread looks.
const LOOK: Duration = Duration::from_millis(100);

/// How a sweep is done.
pub struct Execution<'a> {
    /// The task to do; all tasks if there is none.
    pub task: Option<u32>,
    /// Runs at a time.
    pub jobs: usize,
    /// Threads of each run.
    pub threads: usize,
    /// How often each run is written down, so that it can go on after an interruption.
    pub checkpoints: Every,
    /// Whether the first failure stops everything.
    pub fail_fast: bool,
    /// The way to stop everything.
    pub interrupt: &'a Interrupt,
    /// Hears how far the sweep is, a few times per second.
    pub watch: &'a mut dyn FnMut(&SweepProgress),
}

/// Does the unfinished runs of a plan, or of one of its tasks.
///
/// # Errors
/// There is no such task, another process holds the one that is wanted, the disk fails, or a stop was asked for before the first run. Failures of
/// single runs are part of the outcome.
pub fn execute(plan: &Plan, folder: &Folder, how: Execution) -> Result<Executed> {
    let tasks: Vec<&Task> = match how.task {
        Some(number) => vec![plan.task(number)?],
        None => plan.tasks.iter().collect(),
    };
    folder.prepare()?;
    let memory = SharedMemory::new(machine::available_memory());
    let (documents, is_stopping) = (SharedDocuments::new(&memory), AtomicBool::new(false));
    let shared = Shared {
        plan,
        folder,
        memory: &memory,
        documents,
        threads: how.threads,
        checkpoints: how.checkpoints,
        interrupt: how.interrupt,
        is_stopping,
    };
    let sweep = Sweep::new(shared, &tasks, how.fail_fast);
    how.interrupt.simulate(|flags| {
        thread::scope(|scope| {
            sweep.state().n_workers = how.jobs;
            (0..how.jobs).for_each(|_| drop(scope.spawn(|| sweep.work())));
            sweep.watch(flags, how.watch);
        });
        Ok(())
    })?;
    let State { mut executed, problem, .. } = sweep.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if how.task.is_some()
        && let Some(task) = executed.held.pop()
    {
        let problem = format!("{}: another process works on task {task}", folder.dir().display());
        return Err(Error::input(format!("{problem}; wait for it, or choose another task")));
    }
    problem.map_or(Ok(executed), Err)
}

struct Sweep<'a> {
    shared: Shared<'a>,
    datasets: Datasets,
    fail_fast: bool,
    state: Mutex<State<'a>>,
    changed: Condvar,
}

struct State<'a> {
    queue: Queue<'a>,
    running: Vec<Arc<Running>>,
    executed: Executed,
    /// What stopped everything.
    problem: Option<Error>,
    n_workers: usize,
}

impl<'a> Sweep<'a> {
    fn new(shared: Shared<'a>, tasks: &[&'a Task], fail_fast: bool) -> Self {
        let datasets = Datasets::of(shared.plan, tasks);
        let runs = || tasks.iter().flat_map(|task| &task.runs);
        runs().for_each(|run| shared.documents.announce(datasets.get(shared.plan, run)));
        let progress = SweepProgress { of: runs().count(), ..SweepProgress::default() };
        let queue = Queue::new(shared.plan, shared.folder, tasks);
        let executed = Executed { progress, ..Executed::default() };
        let state = State { queue, running: Vec::new(), executed, problem: None, n_workers: 0 };
        Self { shared, datasets, fail_fast, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes runs until none is left, or everything stops.
    fn work(&self) {
        let _leaving = Leaving(self);
        while let Some((place, running)) = self.begin() {
            let outcome = self.shared.run(place, &running);
            self.shared.documents.release(self.datasets.get(self.shared.plan, place.run));
            self.end(place, &running, outcome);
        }
    }

    fn begin(&self) -> Option<(Place<'a>, Arc<Running>)> {
        let mut state = self.state();
        if self.shared.is_stopping.load(Ordering::SeqCst) {
            return None;
        }
        let place = state.queue.next().unwrap_or_else(|problem| {
            self.stop(&mut state, Some(problem));
            None
        });
        self.note_passed(&mut state);
        let running = Arc::new(Running::default());
        place.is_some().then(|| state.running.push(running.clone()));
        Some((place?, running))
    }

    /// Notes the tasks that the queue has passed over.
    fn note_passed(&self, state: &mut State) {
        for (task, why) in std::mem::take(&mut state.queue.passed) {
            let executed = &mut state.executed;
            match why {
                Why::Damaged(problem) => {
                    executed.damaged.push(problem);
                    continue;
                }
                Why::Finished => executed.progress.before += task.runs.len(),
                Why::Held => {
                    executed.progress.elsewhere += task.runs.len();
                    executed.held.push(task.id.clone());
                }
            }
            task.runs.iter().for_each(|run| self.shared.documents.release(self.datasets.get(self.shared.plan, run)));
        }
    }

    fn end(&self, place: Place, running: &Arc<Running>, outcome: Result<Ended>) {
        let noted = self.note_in_files(place, &outcome);
        let mut state = self.state();
        state.running.retain(|other| !Arc::ptr_eq(other, running));
        let complete = state.queue.end(place, outcome.is_ok());
        match outcome {
            Ok(Ended::Now) => state.executed.progress.done += 1,
            Ok(Ended::Before) => state.executed.progress.before += 1,
            Err(error) if error.kind() == Kind::Interrupted => {}
            Err(error) => self.fail(&mut state, place.task, &place.run.name, &error),
        }
        if let Err(problem) = noted {
            self.stop(&mut state, Some(problem));
        }
        drop(state);
        if complete.is_some() {
            self.pack(place.task);
        }
        self.changed.notify_all();
    }

    /// A failure has a file with its message, so that others see it. A success removes that file.
    fn note_in_files(&self, place: Place, outcome: &Result<Ended>) -> Result<()> {
        let path = self.shared.folder.failure(&place.task.id, &place.run.name);
        match outcome {
            Err(error) if error.kind() != Kind::Interrupted => write_whole(&path, &format!("{error}\n")),
            Ok(_) if path.exists() => fs::remove_file(&path).map_err(|e| Error::cannot_write(&path, &e)),
            _ => Ok(()),
        }
    }

    /// Makes one folder of a task. If the results of its runs turn out to be damaged, they are thrown away and the next execution does them
    /// again; a disk that fails stops everything.
    fn pack(&self, task: &Task) {
        let Err(problem) = finish(self.shared.folder, task) else { return };
        let mut state = self.state();
        match problem.kind() {
            Kind::Storage => self.stop(&mut state, Some(problem)),
            _ => {
                discard(self.shared.folder, task);
                self.fail(&mut state, task, "", &problem);
            }
        }
    }

    fn fail(&self, state: &mut State, task: &Task, run: &str, error: &Error) {
        state.executed.progress.failed += usize::from(!run.is_empty());
        state.executed.failures.push(Failure { task: task.id.clone(), run: run.into(), message: error.to_string() });
        if self.fail_fast {
            self.stop(state, None);
        }
    }

    /// Begins no further run, and stops those that go on.
    fn stop(&self, state: &mut State, problem: Option<Error>) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        for running in &state.running {
            running.interrupt.ask_to_stop();
        }
        state.problem = state.problem.take().or(problem);
    }

    /// Tells how far the sweep is until all workers have left, and stops them when the process is interrupted: each run is written down first, if
    /// there is time for it.
    fn watch(&self, flags: Flags, tell: &mut dyn FnMut(&SweepProgress)) {
        let mut state = self.state();
        while state.n_workers > 0 {
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            if flags.stop.load(Ordering::SeqCst) {
                state.executed.is_interrupted = true;
                self.stop(&mut state, None);
            }
            if flags.abandon.load(Ordering::SeqCst) {
                state.running.iter().for_each(|running| running.interrupt.abandon());
            }
            let under_way = state.running.iter().map(|running| running.done()).sum();
            let progress = SweepProgress { running: state.running.len(), under_way, ..state.executed.progress };
            tell(&progress);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a worker out when it leaves, even by a panic, because the watching thread waits for that.
struct Leaving<'s, 'a>(&'s Sweep<'a>);

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        self.0.state().n_workers -= 1;
        self.0.changed.notify_all();
    }
}
