//! Executes the levels of a window one after another, the turns of a level side by side, and carries models in transit to the next window.

use super::alphas::Alphas;
use super::lane::Lane;
use super::model::{Model, Seen, SeenRef, Shelf};
use super::provenance::Provenance;
use super::rules::Rules;
use super::window::{Buffers, LastLook, Level, PlannedSurvey, Planner, Turn, WindowPlan};
use crate::adversary::Population;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::ltr::ModelShape;
use crate::node::Scratch;
use crate::pulse::{Pulse, Stage};
use crate::record::{ReceiptRow, SearchRow};
use crate::timeline::{Slot, Step};
use crate::units::{NodeId, VirtualTime};
use crate::world::World;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::time::Duration;

/// All nodes, and the models that travel between them.
pub(crate) struct Learning<'a> {
    rules: Rules<'a>,
    state: State,
    buffers: Buffers,
    /// Buffers for judging, one per thread.
    scratches: Vec<Mutex<Scratch>>,
}

/// Everything that learning carries from one window of steps to the next. Inboxes are empty in between.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct State {
    /// By node: its lane.
    lanes: Vec<Lane>,
    /// By slot: the models in transit.
    in_flight: Vec<Option<Model>>,
    /// By node: whether it has ever been online.
    joined: Vec<bool>,
    /// By role: the last survey. Attackers of one role share it.
    surveys: Vec<Option<LastSurvey>>,
}

/// The last look of LIE attackers at all honest models.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct LastSurvey {
    at: VirtualTime,
    by: (NodeId, u64),
    seen: Seen,
}

/// The outcome of one window, or of one turn.
#[derive(Default)]
pub(crate) struct Learned {
    pub searches: Vec<SearchRow>,
    pub receipts: Vec<ReceiptRow>,
    pub alphas: Alphas,
    /// Time spent in searches and in judging, summed over threads.
    pub searching: Duration,
    pub judging: Duration,
}

/// The outcome of one turn of a lane.
#[derive(Default)]
pub(super) struct Done {
    pub learned: Learned,
    /// The model that the turn made, if it made one, with its number in the window.
    pub made: Option<(usize, Model)>,
}

impl<'a> Learning<'a> {
    /// All nodes at the start: with fresh models, or with the world's initial models.
    pub fn begin(world: &'a World, corpus: &'a Corpus) -> Result<Self> {
        let rules = Rules::new(world, corpus)?;
        let initial = |node: NodeId| world.initial_models().map(|models| models[node.idx()].clone());
        let lanes = rules.roles.nodes().map(|node| Lane::new(node, initial(node), &rules)).collect();
        let joined = world.plan().behaviours.iter().map(|behaviour| behaviour.first_join.is_none()).collect();
        let surveys = vec![None; rules.roles.attacks().len()];
        Ok(Self::with(rules, State { lanes, in_flight: Vec::new(), joined, surveys }))
    }

    /// Goes on from a state that was saved.
    #[cfg(test)]
    pub fn resume(world: &'a World, corpus: &'a Corpus, state: State) -> Result<Self> {
        Ok(Self::with(Rules::new(world, corpus)?, state))
    }

    fn with(rules: Rules<'a>, state: State) -> Self {
        let scratches = std::iter::repeat_with(Mutex::default).take(rayon::current_num_threads()).collect();
        Self { buffers: Buffers::new(state.lanes.len()), rules, state, scratches }
    }

    /// The state that a checkpoint keeps.
    #[cfg(test)]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The nodes in their order.
    pub fn lanes(&self) -> &[Lane] {
        &self.state.lanes
    }

    /// The honest nodes that have joined so far.
    // CHOICE(lie-population): the paper's nodes never leave; a node that is away still has a model.
    pub fn honest(&self) -> impl Iterator<Item = NodeId> {
        self.rules.roles.honest().filter(|node| self.state.joined[node.idx()])
    }

    pub fn shape(&self) -> ModelShape {
        self.rules.protocol.shape()
    }

    /// Executes a window of steps. It returns `None` if the run is stopped meanwhile; the lanes are then unusable, because some have taken
    /// more turns than others.
    pub fn learn(&mut self, steps: &[Step], pulse: &Pulse) -> Option<Learned> {
        let last_looks = (0..)
            .zip(&self.state.surveys)
            .map(|(role, survey)| survey.as_ref().map(|survey| LastLook { at: survey.at, by: survey.by, seen: SeenRef::Carried(role) }));
        let planner = Planner::new(self.rules.roles, &mut self.buffers, &mut self.state.joined, last_looks.collect());
        let plan = planner.plan(steps);
        pulse.begin(Stage::Turns { done: 0, of: plan.levels.iter().map(|level| level.turns.len() as u64).sum() });
        self.execute(plan, pulse)
    }

    /// Runs the levels one after another and puts their rows into step order.
    fn execute(&mut self, plan: WindowPlan, pulse: &Pulse) -> Option<Learned> {
        let mut made: Vec<Option<Model>> = vec![None; plan.n_made];
        let mut taken: Vec<Option<Seen>> = vec![None; plan.n_surveys];
        let mut all = Learned::default();
        for Level { surveys, turns, last_read } in plan.levels {
            surveys.into_iter().for_each(|PlannedSurvey { of, nth }| taken[nth] = Some(self.survey(&of)));
            let done = self.take_turns(turns, &made, &taken, pulse);
            if pulse.is_stopped() {
                return None;
            }
            for Done { learned, made: model } in done {
                all.append(learned);
                if let Some((nth, model)) = model {
                    made[nth] = Some(model);
                }
            }
            last_read.into_iter().for_each(|nth| made[nth] = None);
        }
        self.carry(&plan.slots, made);
        self.carry_looks(plan.last_looks, &taken);
        all.searches.sort_unstable_by_key(|row| row.step);
        all.receipts.sort_unstable_by_key(|row| row.step);
        Some(all)
    }

    /// Surveys the models of these nodes for LIE.
    fn survey(&self, nodes: &[NodeId]) -> Seen {
        let lanes = || nodes.iter().map(|node| &self.state.lanes[node.idx()]);
        let models: Vec<&[f32]> = lanes().map(Lane::theta).collect();
        let provenances: Vec<&Provenance> = lanes().filter_map(Lane::provenance).collect();
        Seen { population: Population::of(&models), provenance: Provenance::mean(&provenances) }
    }

    /// Takes the turns of one level side by side, and returns their outcomes in the order of the turns.
    fn take_turns(&mut self, turns: Vec<Turn>, made: &[Option<Model>], taken: &[Option<Seen>], pulse: &Pulse) -> Vec<Done> {
        let carried_seen: Vec<Option<&Seen>> = self.state.surveys.iter().map(|survey| survey.as_ref().map(|survey| &survey.seen)).collect();
        let shelf = Shelf { carried: &self.state.in_flight, made, carried_seen: &carried_seen, taken_seen: taken };
        let lanes = disjoint(&mut self.state.lanes, turns.iter().map(|turn| turn.node.idx()));
        let take = |(turn, lane): (Turn, &mut Lane)| {
            if pulse.is_stopped() {
                return Done::default();
            }
            let thread = rayon::current_thread_index().expect("a run is inside its pool");
            let mut scratch = self.scratches[thread].lock().expect("no lane panicked");
            let done = lane.take_turn(turn, &shelf, &self.rules, &mut scratch);
            pulse.beat();
            done
        };
        turns.into_par_iter().zip(lanes).map(take).collect()
    }

    /// Puts the models of messages that are still in transit into their slots.
    fn carry(&mut self, slots: &[(Slot, Option<usize>)], mut made: Vec<Option<Model>>) {
        for (slot, nth) in slots {
            let idx = slot.0 as usize;
            if self.state.in_flight.len() <= idx {
                self.state.in_flight.resize(idx + 1, None);
            }
            self.state.in_flight[idx] = nth.and_then(|nth| made[nth].take());
        }
    }

    fn carry_looks(&mut self, last_looks: Vec<Option<LastLook>>, taken: &[Option<Seen>]) {
        for (survey, look) in self.state.surveys.iter_mut().zip(last_looks) {
            if let Some(LastLook { at, by, seen: SeenRef::Taken(nth) }) = look {
                let seen = taken[nth].clone().expect("every survey was taken");
                *survey = Some(LastSurvey { at, by, seen });
            }
        }
    }
}

impl Learned {
    fn append(&mut self, mut other: Self) {
        self.searches.append(&mut other.searches);
        self.receipts.append(&mut other.receipts);
        self.alphas.append(other.alphas);
        self.searching += other.searching;
        self.judging += other.judging;
    }
}

/// Several items of a slice, borrowed at once, in the order asked for.
///
/// # Panics
/// Panics if an item is asked for twice.
fn disjoint<T>(mut items: &mut [T], wanted: impl Iterator<Item = usize>) -> Vec<&mut T> {
    let wanted: Vec<usize> = wanted.collect();
    let mut sorted: Vec<usize> = (0..wanted.len()).collect();
    sorted.sort_unstable_by_key(|&i| wanted[i]);
    let mut found: Vec<Option<&mut T>> = std::iter::repeat_with(|| None).take(wanted.len()).collect();
    let mut n_passed = 0;
    for i in sorted {
        let (item, rest) = items
            .split_at_mut(wanted[i].checked_sub(n_passed).expect("an item is asked for once"))
            .1
            .split_first_mut()
            .expect("it is there");
        found[i] = Some(item);
        (items, n_passed) = (rest, wanted[i] + 1);
    }
    found.into_iter().map(|item| item.expect("each was found")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_items_are_borrowed_at_once() {
        let mut items = [10, 11, 12, 13, 14];
        let found = disjoint(&mut items, [3, 0, 4].into_iter());
        assert_eq!(found, [&13, &10, &14]);
        assert!(disjoint(&mut items, [].into_iter()).is_empty());
    }

    #[test]
    #[should_panic(expected = "once")]
    fn an_item_is_borrowed_once() {
        disjoint(&mut [1, 2], [1, 1].into_iter());
    }
}
