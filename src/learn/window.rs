//! Plans one window of the timeline: its jobs, and which of them must be over before another begins.
//!
//! A delivered model waits in its receiver's inbox until that node searches next or the window ends. So a turn depends on the turns that
//! made the models in its inbox, and on the same node's turn before. An attacker that crafts a message for a victim takes a turn of the
//! victim's. A survey of all honest models comes after all turns of honest nodes that were planned before it, and before all later ones.
//! Nothing else is ordered. Planning needs no model, so it may run ahead of the execution.

use super::execute::Change;
use super::model::{Message, ModelRef, SeenRef};
use crate::adversary::{Roles, Survey};
use crate::timeline::{Action, Slot, Step};
use crate::units::{NodeId, VirtualTime};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// What one thread does in one go.
#[derive(Debug)]
pub(super) enum Job {
    Turn(Turn),
    Survey(PlannedSurvey),
}

/// What a node does in one go: it empties its inbox, then executes the step, if there is one.
#[derive(Debug)]
pub(super) struct Turn {
    /// The node's index among the nodes of the window.
    pub lane: u32,
    pub inbox: Vec<Message>,
    pub task: Option<Task>,
}

/// A step that a node executes, and where its outcome goes.
#[derive(Debug)]
pub(super) struct Task {
    pub step: Step,
    /// The number of the model that the step makes, if anybody will receive it.
    pub makes: Option<usize>,
    /// The survey that the attacker uses.
    pub sees: Option<SeenRef>,
}

/// The nth survey of the window: a look at the models of these nodes.
#[derive(Debug)]
pub(super) struct PlannedSurvey {
    pub lanes: Vec<u32>,
    pub nth: usize,
}

/// A model that the window makes.
#[derive(Debug)]
pub(super) struct Made {
    /// The job that makes it. Attackers craft no messages for each other, so such a message has no maker and no model.
    maker: Option<u32>,
    /// How many turns of the window read it.
    pub n_readers: u32,
    /// Whether it is still in transit when the window ends.
    pub is_kept: bool,
}

/// A planned window.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(super) jobs: Vec<Job>,
    /// By job: how many jobs must be over first.
    pub(super) n_before: Vec<u32>,
    /// The jobs that wait for job j are `after[after_from[j]..after_from[j + 1]]`.
    after: Vec<u32>,
    after_from: Vec<u32>,
    /// The nodes of the window, each once.
    pub(super) nodes: Vec<NodeId>,
    pub(super) made: Vec<Made>,
    pub(super) n_surveys: usize,
    /// The slots whose content changes in the window, each with the model that it holds afterwards, if any.
    pub(super) slots: Vec<(Slot, Option<usize>)>,
    /// By role: the last survey that its attackers take in the window.
    pub(super) last_taken: Vec<Option<usize>>,
}

impl Window {
    /// The jobs that wait for `job`.
    pub(super) fn after(&self, job: u32) -> &[u32] {
        let j = job as usize;
        &self.after[self.after_from[j] as usize..self.after_from[j + 1] as usize]
    }

    /// Brings pairs (earlier job, later job) into the order of the earlier ones.
    fn order(&mut self, edges: &[(u32, u32)]) {
        self.n_before = vec![0; self.jobs.len()];
        self.after_from = vec![0; self.jobs.len() + 1];
        for &(earlier, later) in edges {
            self.n_before[later as usize] += 1;
            self.after_from[earlier as usize + 1] += 1;
        }
        for j in 0..self.jobs.len() {
            self.after_from[j + 1] += self.after_from[j];
        }
        let mut next = self.after_from.clone();
        self.after = vec![0; edges.len()];
        for &(earlier, later) in edges {
            self.after[next[earlier as usize] as usize] = later;
            next[earlier as usize] += 1;
        }
    }
}

/// Turns steps into windows.
pub(crate) struct Planner<'a> {
    roles: &'a Roles,
    state: PlanState,
    buffers: Buffers,
}

/// Everything that planning carries from one window to the next.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlanState {
    /// By node: whether it has ever been online.
    joined: Vec<bool>,
    /// By role: when its LIE attackers looked last.
    looks: Vec<Option<Look>>,
}

impl PlanState {
    /// The state for other roles of the same nodes.
    pub fn changed(self, roles: &Roles, change: Change) -> Self {
        if change.attack { Self { looks: vec![None; roles.attacks().len()], ..self } } else { self }
    }
}

/// A look of a LIE attacker at all honest models.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Look {
    at: VirtualTime,
    /// The attacker, and the number of the broadcast that it looked for.
    by: (NodeId, u64),
}

/// Lists by node and slot that every window uses anew, kept to avoid allocations. They are empty between two windows.
#[derive(Default)]
struct Buffers {
    nodes: Vec<Planned>,
    /// By slot: what the window has put there, or `Some(None)` if it has emptied the slot.
    slots: Vec<Option<Option<usize>>>,
    changed_slots: Vec<Slot>,
    /// Pairs of jobs: the first must be over before the second begins.
    edges: Vec<(u32, u32)>,
}

/// What a window has planned for one node so far.
#[derive(Default)]
struct Planned {
    inbox: Vec<Message>,
    /// The node's index among the nodes of the window.
    lane: Option<u32>,
    /// Its last turn, or a survey after that.
    last_job: Option<u32>,
}

impl<'a> Planner<'a> {
    /// At the beginning of a world.
    pub fn begin(world: &'a World) -> Self {
        let joined = world.plan().behaviours.iter().map(|behaviour| behaviour.first_join.is_none()).collect();
        let looks = vec![None; world.roles().attacks().len()];
        Self::resume(world.roles(), PlanState { joined, looks })
    }

    /// Goes on from a state that was saved.
    pub fn resume(roles: &'a Roles, state: PlanState) -> Self {
        let nodes = std::iter::repeat_with(Planned::default).take(state.joined.len()).collect();
        Self { roles, state, buffers: Buffers { nodes, ..Buffers::default() } }
    }

    /// The state that a checkpoint keeps.
    pub fn state(&self) -> &PlanState {
        &self.state
    }

    /// The honest nodes that have joined so far.
    // CHOICE(lie-population): the paper's nodes never leave; a node that is away still has a model.
    pub fn honest(&self) -> impl Iterator<Item = NodeId> {
        self.roles.honest().filter(|node| self.state.joined[node.idx()])
    }

    /// Plans the window of these steps. Its last turns empty every inbox, so that all its rows are complete.
    pub fn plan(&mut self, steps: &[Step]) -> Window {
        let n_roles = self.state.looks.len();
        let window = Window { last_taken: vec![None; n_roles], ..Window::default() };
        let Self { roles, state, buffers } = self;
        let mut draft = Draft { roles, state, buffers, window, fresh_survey: None };
        steps.iter().for_each(|step| draft.take(step));
        draft.empty_inboxes();
        draft.finish()
    }
}

/// A window while it is planned.
struct Draft<'a> {
    roles: &'a Roles,
    state: &'a mut PlanState,
    buffers: &'a mut Buffers,
    window: Window,
    /// The last survey, if no honest node has taken a turn since.
    fresh_survey: Option<FreshSurvey>,
}

#[derive(Clone, Copy)]
struct FreshSurvey {
    nth: usize,
    n_nodes: usize,
}

impl Draft<'_> {
    fn take(&mut self, step: &Step) {
        match step.action {
            Action::Search { node, slot, .. } => {
                let makes = slot.map(|_| self.window.made.len());
                let job = self.put_turn(node, Some(Task { step: *step, makes, sees: None }));
                slot.inspect(|&slot| self.make_model(slot, Some(job)));
            }
            Action::Broadcast { node, slot: Some(slot), .. } => self.put_maker(node, slot, step, None),
            Action::Broadcast { slot: None, .. } => {}
            Action::Craft { node, slot, .. } if self.roles.is_malicious(node) => self.make_model(slot, None),
            Action::Craft { node, from, slot, broadcast, .. } => {
                let sees = self.survey(step.at, (from, broadcast));
                self.put_maker(node, slot, step, sees);
            }
            Action::Receive { node, from, sent, slot } => {
                let model = self.model_in(slot);
                self.lane(node);
                self.buffers.nodes[node.idx()].inbox.push(Message { step: step.number, at: step.at, sent, from, model });
            }
            Action::Forget { slot } => self.set_slot(slot, None),
            Action::Reset { node, .. } => _ = self.put_turn(node, Some(Task { step: *step, makes: None, sees: None })),
            Action::Presence { node, online, .. } => self.state.joined[node.idx()] |= online,
            Action::Fault { .. } | Action::Wait { .. } | Action::Lose { .. } | Action::Evaluate { .. } => {}
        }
    }

    /// Plans a turn of `node` that makes a model and puts it into `slot`.
    fn put_maker(&mut self, node: NodeId, slot: Slot, step: &Step, sees: Option<SeenRef>) {
        let makes = Some(self.window.made.len());
        let job = self.put_turn(node, Some(Task { step: *step, makes, sees }));
        self.make_model(slot, Some(job));
    }

    fn make_model(&mut self, slot: Slot, maker: Option<u32>) {
        self.set_slot(slot, Some(self.window.made.len()));
        self.window.made.push(Made { maker, n_readers: 0, is_kept: false });
    }

    fn model_in(&self, slot: Slot) -> ModelRef {
        match self.buffers.slots.get(slot.0 as usize).copied().flatten() {
            None => ModelRef::Carried(slot),
            Some(Some(made)) => ModelRef::Made(made),
            Some(None) => unreachable!("a slot is kept while its messages travel"),
        }
    }

    fn set_slot(&mut self, slot: Slot, made: Option<usize>) {
        let Buffers { slots, changed_slots, .. } = self.buffers;
        let idx = slot.0 as usize;
        if slots.len() <= idx {
            slots.resize(idx + 1, None);
        }
        if slots[idx].replace(made).is_none() {
            changed_slots.push(slot);
        }
    }

    /// The survey that the attacker uses, if it uses any: the last one if that is recent enough, else a new one.
    fn survey(&mut self, at: VirtualTime, by: (NodeId, u64)) -> Option<SeenRef> {
        let role = self.roles.role(by.0)?;
        let surveys = self.roles.attacks()[role].surveys()?;
        let is_reused = self.state.looks[role].is_some_and(|last| {
            let is_recent = matches!(surveys, Survey::Every(pause) if at < last.at.after(pause));
            // CHOICE(one-look): the messages of one turn, all made at its moment, share one look.
            is_recent || (last.at == at && last.by == by)
        });
        if !is_reused {
            self.state.looks[role] = Some(Look { at, by });
            self.window.last_taken[role] = Some(self.look());
        }
        Some(self.window.last_taken[role].map_or(SeenRef::Carried(role), SeenRef::Taken))
    }

    /// Plans a survey of all honest models as they are now, and returns its number.
    fn look(&mut self) -> usize {
        let everybody: Vec<NodeId> = self.roles.honest().collect();
        everybody.iter().for_each(|&node| self.empty_inbox(node));
        let seen: Vec<NodeId> = everybody.iter().copied().filter(|node| self.state.joined[node.idx()]).collect();
        let lanes: Vec<u32> = seen.into_iter().map(|node| self.lane(node)).collect();
        // The set of joined nodes only grows, so two surveys of equally many unchanged nodes see the same.
        if let Some(fresh) = self.fresh_survey.filter(|fresh| fresh.n_nodes == lanes.len()) {
            return fresh.nth;
        }
        let (nth, job) = (self.window.n_surveys, self.window.jobs.len() as u32);
        // Nodes that have not joined yet are not surveyed. They may later receive messages made from this survey, so their turns come
        // after it as well.
        everybody.iter().for_each(|&node| self.put_after_last(node, job));
        self.fresh_survey = Some(FreshSurvey { nth, n_nodes: lanes.len() });
        self.window.n_surveys += 1;
        self.window.jobs.push(Job::Survey(PlannedSurvey { lanes, nth }));
        nth
    }

    fn put_turn(&mut self, node: NodeId, task: Option<Task>) -> u32 {
        let (lane, job) = (self.lane(node), self.window.jobs.len() as u32);
        self.put_after_last(node, job);
        let inbox = std::mem::take(&mut self.buffers.nodes[node.idx()].inbox);
        for message in &inbox {
            if let ModelRef::Made(nth) = message.model {
                let made = &mut self.window.made[nth];
                made.n_readers += 1;
                self.buffers.edges.extend(made.maker.map(|maker| (maker, job)));
            }
        }
        if !self.roles.is_malicious(node) {
            self.fresh_survey = None;
        }
        self.window.jobs.push(Job::Turn(Turn { lane, inbox, task }));
        job
    }

    /// Lets `job` begin after the last job that concerns `node`.
    fn put_after_last(&mut self, node: NodeId, job: u32) {
        self.lane(node);
        let last = self.buffers.nodes[node.idx()].last_job.replace(job);
        self.buffers.edges.extend(last.map(|last| (last, job)));
    }

    /// The index of `node` among the nodes of the window.
    fn lane(&mut self, node: NodeId) -> u32 {
        let nodes = &mut self.window.nodes;
        *self.buffers.nodes[node.idx()].lane.get_or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    fn empty_inbox(&mut self, node: NodeId) {
        if !self.buffers.nodes[node.idx()].inbox.is_empty() {
            self.put_turn(node, None);
        }
    }

    fn empty_inboxes(&mut self) {
        for lane in 0..self.window.nodes.len() {
            self.empty_inbox(self.window.nodes[lane]);
        }
    }

    /// Finds the models that outlive the window, and brings the buffers back to their beginning.
    fn finish(self) -> Window {
        let Self { mut window, buffers: Buffers { nodes, slots, changed_slots, edges }, .. } = self;
        window.slots = changed_slots.drain(..).map(|slot| (slot, slots[slot.0 as usize].take().flatten())).collect();
        for nth in window.slots.iter().filter_map(|(_, made)| *made) {
            window.made[nth].is_kept = true;
        }
        window.order(edges);
        edges.clear();
        for node in &window.nodes {
            nodes[node.idx()] = Planned::default();
        }
        window
    }
}
