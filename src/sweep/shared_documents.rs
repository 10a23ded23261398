//! The documents that runs share: each data set is loaded once, and dropped after the last run that needs it.

use super::plan::{Plan, PlannedRun, Task};
use super::room::SharedMemory;
use crate::corpus::{Corpus, Dataset};
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
        let corpus = Corpus::load_within(dataset, self.memory.for_one_run(), interrupt.caches())?;
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

#[cfg(test)]
mod tests {
    use super::super::samples::plan;
    use super::*;
    use crate::scenario::parse::tests::good;

    const SMALL: &str = "Synthetic(like: Mq2007, train_queries: 20, test_queries: 10)";
    const OTHER: &str = "Synthetic(like: Mq2007, train_queries: 21, test_queries: 10)";

    #[test]
    fn documents_are_loaded_once_and_dropped_after_the_last_run() {
        let (memory, interrupt, scenario) = (SharedMemory::new(Some(1_000_000_000)), Interrupt::default(), good());
        let documents = SharedDocuments::new(&memory);
        let dataset = text(&scenario);
        (0..2).for_each(|_| documents.announce(&dataset));
        let get = || documents.get(&scenario, &interrupt).expect("it loads");
        let (one, other) = (get(), get());
        assert!(Arc::ptr_eq(&one, &other));
        documents.release(&dataset);
        assert!(Arc::ptr_eq(&one, &get()) && memory.for_one_run() == Some(1_000_000_000 - bytes(&one)));
        documents.release(&dataset);
        assert!(memory.for_one_run() == Some(1_000_000_000) && Arc::strong_count(&one) == 2);
    }

    #[test]
    fn documents_that_cannot_be_loaded_say_so_to_every_run() {
        let (memory, interrupt) = (SharedMemory::new(None), Interrupt::default());
        let documents = SharedDocuments::new(&memory);
        let dataset = Dataset::Synthetic { like: crate::corpus::Shape::Mq2007, train_queries: 0, test_queries: 1, seed: 1 };
        let scenario = Scenario { dataset, ..good() };
        let problem = || documents.get(&scenario, &interrupt).expect_err("there is no query").to_string();
        assert!(problem().contains("train_queries is 0") && problem() == problem());
    }

    #[test]
    fn runs_have_the_same_data_set_unless_an_axis_replaces_it() {
        let datasets = |plan: &Plan| {
            let tasks: Vec<&Task> = plan.tasks.iter().collect();
            let found = Datasets::of(plan, &tasks);
            plan.runs().map(|run| found.get(plan, run).to_string()).collect::<Vec<_>>()
        };
        let full = |text: &str| text.replace("10)", "10, seed: 1)");
        assert_eq!(datasets(&plan("dataset", &[("a", SMALL), ("b", OTHER), ("c", SMALL)], 1)), [SMALL, OTHER, SMALL].map(full));
        assert_eq!(datasets(&plan("nodes", &[("few", "8"), ("many", "9")], 2)), vec![text(&good()); 4]);
    }
}
