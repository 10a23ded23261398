//! Plans one window of the timeline: levels of turns that do not depend on each other.
//!
//! A delivered model waits in its receiver's inbox until that node searches next or the window ends. So there are two dependencies: a
//! turn comes after the turns that made the models in its inbox, and after the same node's turn before. The level of a turn is one more
//! than the highest of these. All turns of a level belong to different nodes, so their order cannot matter. An attacker that crafts a
//! message for a victim takes a turn of the victim's. A survey of all honest models is a line between two levels that no honest turn
//! crosses.

use super::model::{Message, ModelRef, SeenRef};
use crate::adversary::{Roles, Survey};
use crate::timeline::{Action, Slot, Step};
use crate::units::{NodeId, VirtualTime};

/// What a lane does in one go: it empties its inbox, then executes the step, if there is one.
#[derive(Debug)]
pub(super) struct Turn {
    pub node: NodeId,
    pub inbox: Vec<Message>,
    pub task: Option<Task>,
}

/// A step that a lane executes, and where its outcome goes.
#[derive(Debug)]
pub(super) struct Task {
    pub step: Step,
    /// The number of the model that the step makes, if anybody will receive it.
    pub makes: Option<usize>,
    /// The survey that the attacker uses.
    pub sees: Option<SeenRef>,
}

/// Turns that may run side by side, after the surveys.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub surveys: Vec<PlannedSurvey>,
    pub turns: Vec<Turn>,
    /// Models that nobody reads after this level.
    pub last_read: Vec<usize>,
}

/// A survey of the models of these nodes, the nth of the window.
#[derive(Debug)]
pub(super) struct PlannedSurvey {
    pub of: Vec<NodeId>,
    pub nth: usize,
}

/// When LIE attackers of one role looked last, and for which of their messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastLook {
    pub at: VirtualTime,
    /// The attacker, and the number of the broadcast that it looked for.
    pub by: (NodeId, u64),
    pub seen: SeenRef,
}

/// The plan of a window.
pub(super) struct WindowPlan {
    pub levels: Vec<Level>,
    pub n_made: usize,
    pub n_surveys: usize,
    /// The slots whose content changes in the window, each with the model that it holds afterwards, if any.
    pub slots: Vec<(Slot, Option<usize>)>,
    /// By role: the last look of its attackers.
    pub last_looks: Vec<Option<LastLook>>,
}

/// The state of planning: the turns so far, and where each model comes from.
pub(super) struct Planner<'a> {
    roles: &'a Roles,
    buffers: &'a mut Buffers,
    joined: &'a mut [bool],
    levels: Vec<Level>,
    made: Vec<Made>,
    n_surveys: usize,
    last_looks: Vec<Option<LastLook>>,
}

/// A model that the window makes.
struct Made {
    /// The first level at which it can be read.
    level: u32,
    /// The last level at which it is read, or at which it is made.
    last_level: u32,
    is_kept: bool,
}

/// Lists by node and slot that every window uses anew, kept to avoid allocations. They are empty between two windows.
#[derive(Default)]
pub(super) struct Buffers {
    inboxes: Vec<Vec<Message>>,
    /// The earliest level at which the node's next turn may be.
    next_level: Vec<u32>,
    touched: Vec<NodeId>,
    /// By slot: what the window has put there, or `Some(None)` if it has emptied the slot.
    slots: Vec<Option<Option<usize>>>,
    changed_slots: Vec<Slot>,
}

impl Buffers {
    pub fn new(n_nodes: usize) -> Self {
        Self { inboxes: std::iter::repeat_with(Vec::new).take(n_nodes).collect(), next_level: vec![0; n_nodes], ..Self::default() }
    }

    fn set_slot(&mut self, slot: Slot, made: Option<usize>) {
        let idx = slot.0 as usize;
        if self.slots.len() <= idx {
            self.slots.resize(idx + 1, None);
        }
        if self.slots[idx].replace(made).is_none() {
            self.changed_slots.push(slot);
        }
    }
}

impl<'a> Planner<'a> {
    /// `joined` tells for each node whether it has ever been online.
    pub fn new(roles: &'a Roles, buffers: &'a mut Buffers, joined: &'a mut [bool], last_looks: Vec<Option<LastLook>>) -> Self {
        Self { roles, buffers, joined, levels: Vec::new(), made: Vec::new(), n_surveys: 0, last_looks }
    }

    /// Puts the steps into levels. The last of them empties every inbox, so that all rows of the window are complete.
    pub fn plan(mut self, steps: &[Step]) -> WindowPlan {
        for step in steps {
            self.take(step);
        }
        self.empty_inboxes();
        self.plan_ends()
    }

    fn take(&mut self, step: &Step) {
        match step.action {
            Action::Search { node, slot, .. } => {
                let makes = slot.map(|slot| self.make_model(slot, node));
                self.put_turn(node, Some(Task { step: *step, makes, sees: None }));
            }
            Action::Broadcast { node, slot, .. } => {
                if let Some(makes) = slot.map(|slot| self.make_model(slot, node)) {
                    self.put_turn(node, Some(Task { step: *step, makes: Some(makes), sees: None }));
                }
            }
            Action::Craft { node, slot, .. } if self.roles.is_malicious(node) => {
                // Attackers craft no messages for each other, so the slot stays without a model.
                self.make_model(slot, node);
            }
            Action::Craft { node, from, slot, broadcast, .. } => {
                let sees = self.survey(step.at, (from, broadcast));
                let makes = Some(self.make_model(slot, node));
                self.put_turn(node, Some(Task { step: *step, makes, sees }));
            }
            Action::Receive { node, from, sent, slot } => {
                let model = self.model_in(slot, node);
                self.buffers.inboxes[node.idx()].push(Message { step: step.number, at: step.at, sent, from, model });
                self.buffers.touched.push(node);
            }
            Action::Forget { slot } => self.buffers.set_slot(slot, None),
            Action::Reset { node, .. } => self.put_turn(node, Some(Task { step: *step, makes: None, sees: None })),
            Action::Presence { node, online, .. } => self.joined[node.idx()] |= online,
            Action::Fault { .. } | Action::Wait { .. } | Action::Lose { .. } | Action::Evaluate { .. } => {}
        }
    }

    /// The number of the model that `maker` puts into `slot` at its next turn. It can be read one level later.
    fn make_model(&mut self, slot: Slot, maker: NodeId) -> usize {
        let level = self.buffers.next_level[maker.idx()];
        self.made.push(Made { level: level + 1, last_level: level, is_kept: false });
        self.buffers.set_slot(slot, Some(self.made.len() - 1));
        self.made.len() - 1
    }

    /// The model in `slot`, which the next turn of `reader` reads.
    fn model_in(&mut self, slot: Slot, reader: NodeId) -> ModelRef {
        match self.buffers.slots.get(slot.0 as usize).copied().flatten() {
            None => ModelRef::Carried(slot),
            Some(Some(made)) => {
                let next = &mut self.buffers.next_level[reader.idx()];
                *next = (*next).max(self.made[made].level);
                ModelRef::Made(made)
            }
            Some(None) => unreachable!("a slot is kept while its messages travel"),
        }
    }

    /// The survey that the attacker uses, if it uses any: the last one if that is recent enough, else a new one.
    fn survey(&mut self, at: VirtualTime, by: (NodeId, u64)) -> Option<SeenRef> {
        let role = self.roles.role(by.0)?;
        let surveys = self.roles.attacks()[role].surveys()?;
        if let Some(last) = self.last_looks[role] {
            let is_recent = matches!(surveys, Survey::Every(pause) if at < last.at.after(pause));
            // CHOICE(one-look): the messages of one turn, all made at its moment, share one look.
            if is_recent || (last.at == at && last.by == by) {
                return Some(last.seen);
            }
        }
        let seen = SeenRef::Taken(self.look());
        self.last_looks[role] = Some(LastLook { at, by, seen });
        Some(seen)
    }

    /// Plans a survey of all honest models as they are now. All their turns so far come before its level, and all later turns after it.
    fn look(&mut self) -> usize {
        // Nodes that have not joined yet are not surveyed. They may later receive messages made from this survey, so their turns come after
        // it as well.
        let everybody: Vec<NodeId> = self.roles.honest().collect();
        for &node in &everybody {
            if !self.buffers.inboxes[node.idx()].is_empty() {
                self.put_turn(node, None);
            }
        }
        let level = everybody.iter().map(|node| self.buffers.next_level[node.idx()]).max().unwrap_or(0);
        everybody.iter().for_each(|node| self.buffers.next_level[node.idx()] = level);
        self.buffers.touched.extend(&everybody);
        let of: Vec<NodeId> = everybody.into_iter().filter(|node| self.joined[node.idx()]).collect();
        let nth = self.n_surveys;
        let surveys = &mut self.level(level).surveys;
        // The set of joined nodes only grows, so two surveys of one level with equally many nodes see the same nodes.
        if let Some(same) = surveys.iter().find(|survey| survey.of.len() == of.len()) {
            return same.nth;
        }
        surveys.push(PlannedSurvey { of, nth });
        self.n_surveys += 1;
        nth
    }

    fn put_turn(&mut self, node: NodeId, task: Option<Task>) {
        let level = self.buffers.next_level[node.idx()];
        self.buffers.next_level[node.idx()] = level + 1;
        self.buffers.touched.push(node);
        let inbox = std::mem::take(&mut self.buffers.inboxes[node.idx()]);
        for message in &inbox {
            if let ModelRef::Made(made) = message.model {
                self.made[made].last_level = self.made[made].last_level.max(level);
            }
        }
        self.level(level).turns.push(Turn { node, inbox, task });
    }

    fn level(&mut self, level: u32) -> &mut Level {
        if self.levels.len() <= level as usize {
            self.levels.resize_with(level as usize + 1, Level::default);
        }
        &mut self.levels[level as usize]
    }

    fn empty_inboxes(&mut self) {
        let touched = std::mem::take(&mut self.buffers.touched);
        for &node in &touched {
            if !self.buffers.inboxes[node.idx()].is_empty() {
                self.put_turn(node, None);
            }
        }
        self.buffers.touched.extend(touched);
        for node in self.buffers.touched.drain(..) {
            self.buffers.next_level[node.idx()] = 0;
        }
    }

    /// Finds the models that outlive the window, and the level after which each other model is no longer needed.
    fn plan_ends(mut self) -> WindowPlan {
        let Buffers { slots, changed_slots, .. } = self.buffers;
        let slots: Vec<(Slot, Option<usize>)> =
            changed_slots.drain(..).map(|slot| (slot, slots[slot.0 as usize].take().flatten())).collect();
        slots.iter().filter_map(|(_, made)| *made).for_each(|made| self.made[made].is_kept = true);
        for (nth, made) in self.made.iter().enumerate().filter(|(_, made)| !made.is_kept) {
            // A crafted message for an attacker causes no turn, so its level may not exist.
            if let Some(level) = self.levels.get_mut(made.last_level as usize) {
                level.last_read.push(nth);
            }
        }
        let Self { levels, made, n_surveys, last_looks, .. } = self;
        WindowPlan { levels, n_made: made.len(), n_surveys, slots, last_looks }
    }
}
