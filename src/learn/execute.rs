//! Executes a window. Threads take its jobs in the order of the timeline; a job whose inputs are not ready is left to the thread that makes
//! the last of them, or to an idle one.

use super::alphas::Given;
use super::lane::Lane;
use super::model::{Model, Seen, Shelf};
use super::provenance::Provenance;
use super::rules::Rules;
use super::step_order::order_by_step;
use super::window::{Job, PlannedSurvey, Turn, Window};
use crate::adversary::Population;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::ltr::ModelShape;
use crate::node::Scratch;
use crate::pulse::Pulse;
use crate::record::{ReceiptRow, SearchRow};
use crate::units::NodeId;
use crate::world::World;
use rayon::ScopeFifo;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// All nodes, and the models that travel between them.
pub(crate) struct Learning<'a> {
    rules: Rules<'a>,
    state: State,
    /// One per thread.
    workers: Vec<Mutex<Worker>>,
}

/// Everything that learning carries from one window to the next. Inboxes are empty in between.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct State {
    /// By node: its lane.
    lanes: Vec<Lane>,
    /// By slot: the models in transit.
    in_flight: Vec<Option<Model>>,
    /// By role: the last survey. Attackers of one role share it.
    surveys: Vec<Option<Seen>>,
}

/// What a fork changes for the data plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub defense: bool,
    pub attack: bool,
}

impl State {
    /// The state for another world with the same nodes and the same documents.
    ///
    /// # Errors
    /// A node lacks the documents that the world's rule judges by.
    // CHOICE(fork): models that wait in a pool belong to the rule that pooled them, and surveys to the attack that took them.
    pub fn changed(mut self, world: &World, corpus: &Corpus, change: Change) -> Result<Self> {
        let rules = Rules::new(world, corpus)?;
        if change.attack {
            self.surveys = vec![None; rules.roles.attacks().len()];
        }
        self.lanes.iter_mut().try_for_each(|lane| lane.change(&rules, change))?;
        Ok(self)
    }
}

/// The buffers of a thread, and the outcome of the turns that it executes in a window.
#[derive(Default)]
pub(super) struct Worker {
    pub scratch: Scratch,
    pub learned: Learned,
}

/// The outcome of one window.
#[derive(Default)]
pub(crate) struct Learned {
    pub searches: Vec<SearchRow>,
    pub receipts: Vec<ReceiptRow>,
    /// The weights that honest nodes gave.
    pub given: Vec<Given>,
    /// Time spent in searches and in judging, summed over threads.
    pub searching: Duration,
    pub judging: Duration,
}

impl<'a> Learning<'a> {
    /// All nodes at the start: with fresh models, or with the world's initial models.
    pub fn begin(world: &'a World, corpus: &'a Corpus) -> Result<Self> {
        let rules = Rules::new(world, corpus)?;
        let initial = |node: NodeId| world.initial_models().map(|models| models[node.idx()].clone());
        let nodes: Vec<NodeId> = rules.roles.nodes().collect();
        let lanes = nodes.into_par_iter().map(|node| Lane::new(node, initial(node), &rules)).collect();
        let surveys = vec![None; rules.roles.attacks().len()];
        Ok(Self::with(rules, State { lanes, in_flight: Vec::new(), surveys }))
    }

    /// Goes on from a state that was saved.
    pub fn resume(world: &'a World, corpus: &'a Corpus, mut state: State) -> Result<Self> {
        let rules = Rules::new(world, corpus)?;
        state.lanes.par_iter_mut().for_each(|lane| lane.restore(&rules));
        Ok(Self::with(rules, state))
    }

    fn with(rules: Rules<'a>, state: State) -> Self {
        let workers = std::iter::repeat_with(Mutex::default).take(rayon::current_num_threads()).collect();
        Self { rules, state, workers }
    }

    /// The state that a checkpoint keeps.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The nodes in their order.
    pub fn lanes(&self) -> &[Lane] {
        &self.state.lanes
    }

    pub fn shape(&self) -> ModelShape {
        self.rules.protocol.shape()
    }

    /// Executes a window. It returns `None` if the run is stopped meanwhile; the lanes are then unusable, because some have taken more turns
    /// than others.
    pub fn learn(&mut self, window: &Window, pulse: &Pulse) -> Option<Learned> {
        pulse.begin_turns(window.jobs.len() as u64);
        let Self { rules, state, workers } = self;
        let shelf = Shelf::new(&state.in_flight, &state.surveys, window);
        let lanes = disjoint(&mut state.lanes, &window.nodes).into_iter().map(Mutex::new).collect();
        let n_before = window.n_before.iter().map(|n| AtomicU32::new(n + 1)).collect();
        Floor { window, rules, lanes, shelf: &shelf, workers, n_reached: AtomicU32::new(0), n_before, pulse }.execute();
        if pulse.is_stopped() {
            return None;
        }
        let (made, taken) = shelf.into_parts();
        self.carry(window, made, taken);
        Some(self.collect())
    }

    /// Puts the models of messages that are still in transit into their slots, and keeps the last surveys.
    fn carry(&mut self, window: &Window, mut made: Vec<Option<Model>>, taken: Vec<Option<Seen>>) {
        for (slot, nth) in &window.slots {
            let idx = slot.0 as usize;
            if self.state.in_flight.len() <= idx {
                self.state.in_flight.resize(idx + 1, None);
            }
            self.state.in_flight[idx] = nth.and_then(|nth| made[nth].take());
        }
        for (survey, last) in self.state.surveys.iter_mut().zip(&window.last_taken) {
            if let Some(nth) = last {
                // Attackers of several roles may share a survey.
                *survey = taken[*nth].clone();
            }
        }
    }

    /// The outcome of all threads. Only that of the first is not copied, and it has the room that all needed the last time.
    fn collect(&mut self) -> Learned {
        let mut learned = self.workers.iter_mut().map(|worker| &mut worker.get_mut().expect("no turn panicked").learned);
        let first = learned.next().expect("there is a thread");
        learned.for_each(|other| first.append(other));
        let room = first.room();
        std::mem::replace(first, room)
    }
}

/// A window while it is executed.
struct Floor<'a, 'w, 'p> {
    window: &'w Window,
    rules: &'w Rules<'a>,
    /// The lanes of the window's nodes. The order of jobs lets one thread at a time use a lane, so nobody ever waits for a lock.
    lanes: Vec<Mutex<&'w mut Lane>>,
    shelf: &'w Shelf<'w>,
    workers: &'w [Mutex<Worker>],
    /// How many jobs were reached, in the order of the timeline.
    n_reached: AtomicU32,
    /// By job: how many jobs must still be over first; one more before the job was reached.
    n_before: Vec<AtomicU32>,
    pulse: &'w Pulse<'p>,
}

impl Floor<'_, '_, '_> {
    fn execute(&self) {
        rayon::scope_fifo(|scope| {
            (0..self.workers.len()).for_each(|_| scope.spawn_fifo(|scope| self.walk(scope)));
        });
    }

    /// Reaches one job after the other, and executes those that can begin then. Jobs and models are thus read in the order in which they were
    /// made. A job that must still wait for others is left to the thread that ends the last of these.
    fn walk<'s>(&'s self, scope: &ScopeFifo<'s>) {
        while !self.pulse.is_stopped() {
            let job = self.n_reached.fetch_add(1, Ordering::Relaxed);
            if job as usize >= self.window.jobs.len() {
                return;
            }
            if self.count_down(job) {
                self.execute_from(job, scope);
            }
        }
    }

    /// Counts one of the things that this job waits for, and returns whether it was the last.
    fn count_down(&self, job: u32) -> bool {
        self.n_before[job as usize].fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Executes a job, and goes on with one that waited for it alone. Other jobs that can begin now are left for whoever is idle.
    fn execute_from<'s>(&'s self, first: u32, scope: &ScopeFifo<'s>) {
        let mut next = Some(first);
        while let Some(job) = next.take().filter(|_| !self.pulse.is_stopped()) {
            match &self.window.jobs[job as usize] {
                Job::Turn(turn) => self.take_turn(turn),
                Job::Survey(survey) => self.survey(survey),
            }
            self.pulse.beat_turn();
            for &later in self.window.after(job).iter().filter(|later| self.count_down(**later)) {
                match next {
                    None => next = Some(later),
                    Some(_) => scope.spawn_fifo(move |scope| self.execute_from(later, scope)),
                }
            }
        }
    }

    fn take_turn(&self, turn: &Turn) {
        let thread = rayon::current_thread_index().expect("a run is inside its pool");
        let mut worker = self.workers[thread].lock().expect("no turn panicked");
        let mut lane = self.lanes[turn.lane as usize].lock().expect("no turn panicked");
        if let Some((nth, model)) = lane.take_turn(turn, self.shelf, self.rules, &mut worker) {
            self.shelf.put(nth, model);
        }
        self.shelf.done_reading(&turn.inbox);
    }

    /// Surveys the models of some nodes for LIE.
    fn survey(&self, PlannedSurvey { lanes, nth }: &PlannedSurvey) {
        let lanes: Vec<_> = lanes.iter().map(|&lane| self.lanes[lane as usize].lock().expect("no turn panicked")).collect();
        let models: Vec<&[f32]> = lanes.iter().map(|lane| lane.theta()).collect();
        let provenances: Vec<&Provenance> = lanes.iter().filter_map(|lane| lane.provenance()).collect();
        self.shelf.put_survey(*nth, Seen { population: Population::of(&models), provenance: Provenance::mean(&provenances) });
    }
}

impl Learned {
    /// Room for as much as this: windows are alike.
    fn room(&self) -> Self {
        Self {
            searches: Vec::with_capacity(self.searches.len()),
            receipts: Vec::with_capacity(self.receipts.len()),
            given: Vec::with_capacity(self.given.len()),
            ..Self::default()
        }
    }

    /// Moves everything out of another one, which keeps its room.
    fn append(&mut self, other: &mut Self) {
        self.searches.append(&mut other.searches);
        self.receipts.append(&mut other.receipts);
        self.given.append(&mut other.given);
        self.searching += std::mem::take(&mut other.searching);
        self.judging += std::mem::take(&mut other.judging);
    }

    /// The places of the searches in the order of their steps, and those of the receipts.
    pub fn orders(&self) -> [Vec<u32>; 2] {
        [order_by_step(&self.searches, |row| row.step), order_by_step(&self.receipts, |row| row.step)]
    }
}

/// The lanes of some nodes, borrowed at once, in the order asked for.
///
/// # Panics
/// Panics if a node is asked for twice.
fn disjoint<'a, T>(mut items: &'a mut [T], wanted: &[NodeId]) -> Vec<&'a mut T> {
    let mut sorted: Vec<usize> = (0..wanted.len()).collect();
    sorted.sort_unstable_by_key(|&i| wanted[i]);
    let mut found: Vec<Option<&mut T>> = std::iter::repeat_with(|| None).take(wanted.len()).collect();
    let mut n_passed = 0;
    for i in sorted {
        let idx = wanted[i].idx();
        let (_, rest) = items.split_at_mut(idx.checked_sub(n_passed).expect("a node is asked for once"));
        let (item, rest) = rest.split_first_mut().expect("it is there");
        found[i] = Some(item);
        (items, n_passed) = (rest, idx + 1);
    }
    found.into_iter().map(|item| item.expect("each was found")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_items_are_borrowed_at_once() {
        let mut items = [10, 11, 12, 13, 14];
        assert_eq!(disjoint(&mut items, &[3, 0, 4].map(NodeId)), [&13, &10, &14]);
        assert!(disjoint(&mut items, &[]).is_empty());
    }

    #[test]
    #[should_panic(expected = "once")]
    fn an_item_is_borrowed_once() {
        disjoint(&mut [1, 2], &[1, 1].map(NodeId));
    }
}
