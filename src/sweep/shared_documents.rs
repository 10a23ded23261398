//! The documents that runs share: each data set is loaded once, and dropped after the last run that needs it.

use super::plan::{Plan, PlannedRun, Task};
use super::room::SharedMemory;
use crate::corpus::{self, Corpus, Dataset};
use crate::error::Result;
use crate::run::Interrupt;
use crate::scenario::{DataSize, Scenario};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The data sets of a plan, by their text in a scenario.
#[derive(Debug)]
pub struct SharedDocuments<'a> {
    memory: &'a SharedMemory,
    sets: Mutex<BTreeMap<String, Set>>,
}

#[derive(Debug, Default)]
struct Set {
    /// Runs that still need it.
    n_runs: usize,
    /// What loading it came to; a flawed file is not read again for every run.
    loaded: Option<Result<Arc<Corpus>>>,
}

impl<'a> SharedDocuments<'a> {
    /// No documents yet.
    pub fn new(memory: &'a SharedMemory) -> Self {
        Self { memory, sets: Mutex::default() }
    }

    /// Announces a run that will need its data set.
    pub fn announce(&self, dataset: &str) {
        self.sets().entry(dataset.into()).or_default().n_runs += 1;
    }

    /// The documents of a scenario. The first caller loads them, and others wait for it. Only one data set is loaded at a time, because
    /// loading uses all cores and the most memory.
    ///
    /// # Errors
    /// They cannot be loaded.
    pub fn get(&self, scenario: &Scenario, interrupt: &Interrupt) -> Result<Arc<Corpus>> {
        let mut sets = self.sets();
        let set = sets.entry(text(scenario)).or_default();
        set.loaded.get_or_insert_with(|| self.load(&scenario.dataset, interrupt)).clone()
    }

    /// A run that was announced needs its data set no more.
    pub fn release(&self, dataset: &str) {
        let mut sets = self.sets();
        let Some(set) = sets.get_mut(dataset) else { return };
        set.n_runs = set.n_runs.saturating_sub(1);
        if set.n_runs == 0
            && let Some(Ok(corpus)) = set.loaded.take()
        {
            self.memory.drop_documents(bytes(&corpus));
        }
    }

    fn load(&self, dataset: &Dataset, interrupt: &Interrupt) -> Result<Arc<Corpus>> {
        interrupt.will_write(corpus::unfinished(dataset));
        let corpus = Corpus::load_within(dataset, self.memory.for_one_run())?;
        self.memory.hold_documents(bytes(&corpus));
        Ok(Arc::new(corpus))
    }

    fn sets(&self) -> MutexGuard<'_, BTreeMap<String, Set>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes(corpus: &Corpus) -> u64 {
    DataSize::of(corpus).bytes as u64
}

/// The data set of a scenario as text.
fn text(scenario: &Scenario) -> String {
    scenario.fields().into_iter().find(|(field, _)| field == "dataset").map(|(_, value)| value).unwrap_or_default()
}

/// The data sets of the runs of some tasks. Runs with equal values on the axes that replace the data set have the same one, so only one
/// scenario is made for each.
#[derive(Debug, Default)]
pub struct Datasets(BTreeMap<Vec<(usize, usize)>, String>);

impl Datasets {
    /// Finds the data sets of these tasks. A scenario that makes no sense has none; its run will fail and say why.
    pub fn of(plan: &Plan, tasks: &[&Task]) -> Self {
        let mut found = BTreeMap::new();
        for run in tasks.iter().flat_map(|task| &task.runs) {
            found.entry(key(plan, run)).or_insert_with(|| plan.scenario(run).map_or(String::new(), |scenario| text(&scenario)));
        }
        Self(found)
    }

    /// The data set of a run as text.
    pub fn get(&self, plan: &Plan, run: &PlannedRun) -> &str {
        self.0.get(&key(plan, run)).map_or("", String::as_str)
    }
}

/// The run's values on the axes that replace the data set, with the axes.
fn key(plan: &Plan, run: &PlannedRun) -> Vec<(usize, usize)> {
    let replaces = |(axis, value): (usize, usize)| plan.axes[axis].values[value].fields.iter().any(|(field, _)| field == "dataset");
    run.values.iter().copied().enumerate().filter(|place| replaces(*place)).collect()
}
