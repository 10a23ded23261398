//! One window of the timeline, planned into levels of turns that do not depend on each other, and executed side by side.
//!
//! A delivered model waits in its receiver's inbox until that node searches next or the window ends. So the only dependencies are: a
//! turn comes after the turns that made the models in its inbox, and after the same node's turn before. A turn's level is one more
//! than the highest of these; within a level all turns are of different nodes, and their order cannot matter. An attacker that makes a
//! message for a victim is a turn of the victim's; one that looks at all honest models is a line between two levels that no honest turn
//! crosses.

use super::lane::{Done, Lane, Rules};
use crate::run::Stage;
use crate::measure::Provenance;
use crate::run::Pulse;
use crate::adversary::{Roles, Population, Survey};
use crate::node::Scratch;
use crate::timeline::{Action, Conduct, Slot, Step};
use crate::units::{NodeId, VirtualTime};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock};

/// A model on its way: one block per broadcast, filled when its sender has searched.
#[derive(Debug, Default)]
pub(crate) struct Parcel(OnceLock<Model>);

/// A model with what it is made of, where that is followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Model {
    pub theta: Vec<f32>,
    pub provenance: Option<Provenance>,
    /// Made for its receiver, and nothing but the receiver's own model.
    pub is_noop: bool,
}

/// What an attacker sees of all honest models.
#[derive(Debug)]
pub(crate) struct Seen {
    pub population: Population,
    /// Of their mean.
    pub provenance: Option<Provenance>,
}

impl Parcel {
    pub fn fill(&self, model: Model) {
        self.0.set(model).expect("a parcel is filled once");
    }

    /// `None` if nothing was made for its receiver: attackers make nothing for each other.
    pub fn model(&self) -> Option<&Model> {
        self.0.get()
    }
}

/// A delivered model that waits to be judged.
#[derive(Debug)]
pub(crate) struct Letter {
    pub step: u64,
    pub at: VirtualTime,
    pub sent: VirtualTime,
    pub from: NodeId,
    pub parcel: Arc<Parcel>,
}

/// What a lane does in one go.
#[derive(Debug)]
pub(crate) struct Turn {
    pub node: NodeId,
    pub inbox: Vec<Letter>,
    /// After the inbox is empty.
    pub then: Then,
}

#[derive(Debug)]
pub(crate) enum Then {
    Nothing,
    Search(SearchStep),
    Broadcast(BroadcastStep),
    /// An attacker looks at this node and makes a message for it.
    Craft(CraftStep),
    /// It is back without its model.
    Reset(ResetStep),
}

#[derive(Debug)]
pub(crate) struct ResetStep {
    /// How often it has come back.
    pub nth: u32,
    pub history_lost: bool,
}

#[derive(Debug)]
pub(crate) struct CraftStep {
    pub from: NodeId,
    pub turn: u64,
    pub nth: u64,
    pub parcel: Arc<Parcel>,
    pub survey: Option<Arc<OnceLock<Seen>>>,
}

/// Turns that may run side by side, after a look at all honest models where an attacker takes one.
#[derive(Debug, Default)]
pub(crate) struct Level {
    /// Of which nodes, and what is seen.
    pub surveys: Vec<(Vec<NodeId>, Arc<OnceLock<Seen>>)>,
    pub turns: Vec<Turn>,
}

#[derive(Debug)]
pub(crate) struct SearchStep {
    pub number: u64,
    pub at: VirtualTime,
    pub conduct: Conduct,
    pub n_sent: u32,
    pub n_lost: u32,
    pub parcel: Option<Arc<Parcel>>,
}

/// The node sends its model without a search.
#[derive(Debug)]
pub(crate) struct BroadcastStep {
    pub at: VirtualTime,
    pub parcel: Arc<Parcel>,
}

/// What is carried from one window to the next: the models in flight. Inboxes are empty in between.
pub(crate) struct Window {
    /// By slot: the models in flight.
    parcels: Vec<Option<InFlight>>,
    inboxes: Vec<Vec<Letter>>,
    /// By node: the earliest level at which its next turn may be.
    next_level: Vec<u32>,
    touched: Vec<NodeId>,
    nth: u64,
    cast: Arc<Roles>,
    /// By node: whether it is yet to come for the first time.
    waiting: Vec<bool>,
    /// By attack of the cast: attackers of one kind share what they see.
    last_surveys: Vec<Option<LastSurvey>>,
}

/// What attackers saw last, when, and in whose turn.
struct LastSurvey {
    at: VirtualTime,
    of: (NodeId, u64),
    seen: Arc<OnceLock<Seen>>,
}

struct InFlight {
    parcel: Arc<Parcel>,
    /// The window in which it was made, and the level of that window from which on it is ready.
    window: u64,
    level: u32,
}

impl Window {
    /// `waiting` says of each node whether it is yet to come for the first time.
    pub fn new(cast: Arc<Roles>, waiting: Vec<bool>) -> Self {
        let n = cast.nodes().count();
        Self {
            parcels: Vec::new(),
            inboxes: std::iter::repeat_with(Vec::new).take(n).collect(),
            next_level: vec![0; n],
            touched: Vec::new(),
            nth: 0,
            last_surveys: cast.attacks().iter().map(|_| None).collect(),
            waiting,
            cast,
        }
    }

    /// The honest nodes that have ever joined.
    // CHOICE(lie-population): the paper's nodes never leave; who is away still has a model.
    pub fn honest(&self) -> impl Iterator<Item = NodeId> {
        self.cast.honest().filter(|node| !self.waiting[node.idx()])
    }

    /// Puts the steps' work into levels. Every inbox is emptied by the last of them, so that all rows of the window are complete.
    pub fn plan(&mut self, steps: &[Step]) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for step in steps {
            match step.action {
                Action::Search { node, conduct, slot, n_sent, n_lost } => {
                    let parcel = slot.map(|slot| self.make_parcel(slot, node));
                    let search = SearchStep { number: step.number, at: step.at, conduct, n_sent, n_lost, parcel };
                    self.put_turn(&mut levels, node, Then::Search(search));
                }
                Action::Broadcast { node, slot, .. } => {
                    if let Some(parcel) = slot.map(|slot| self.make_parcel(slot, node)) {
                        self.put_turn(&mut levels, node, Then::Broadcast(BroadcastStep { at: step.at, parcel }));
                    }
                }
                Action::Craft { node, slot, .. } if self.cast.is_malicious(node) => {
                    self.make_parcel(slot, node);
                }
                Action::Craft { node, from, slot, draws: nth, broadcast: turn } => {
                    let survey = self.survey(&mut levels, step.at, (from, turn));
                    let parcel = self.make_parcel(slot, node);
                    self.put_turn(&mut levels, node, Then::Craft(CraftStep { from, turn, nth, parcel, survey }));
                }
                Action::Receive { node, from, sent, slot } => {
                    let in_flight = self.parcels[slot.0 as usize].as_ref().expect("a slot is kept while its messages travel");
                    let letter = Letter { step: step.number, at: step.at, sent, from, parcel: in_flight.parcel.clone() };
                    if in_flight.window == self.nth {
                        let next = &mut self.next_level[node.idx()];
                        *next = (*next).max(in_flight.level);
                    }
                    self.inboxes[node.idx()].push(letter);
                    self.touched.push(node);
                }
                Action::Forget { slot } => {
                    // A message that was to be made on delivery and never was has none.
                    if let Some(parcel) = self.parcels.get_mut(slot.0 as usize) {
                        *parcel = None;
                    }
                }
                Action::Reset { node, nth, history_lost } => {
                    self.put_turn(&mut levels, node, Then::Reset(ResetStep { nth, history_lost }));
                }
                Action::Presence { node, online, .. } => self.waiting[node.idx()] &= !online,
                Action::Fault { .. } | Action::Wait { .. } | Action::Lose { .. } | Action::Evaluate { .. } => {}
            }
        }
        let mut touched = std::mem::take(&mut self.touched);
        for &node in &touched {
            if !self.inboxes[node.idx()].is_empty() {
                self.put_turn(&mut levels, node, Then::Nothing);
            }
        }
        for &node in touched.iter().chain(&self.touched) {
            self.next_level[node.idx()] = 0;
        }
        touched.clear();
        self.touched = touched;
        self.nth += 1;
        levels
    }

    fn make_parcel(&mut self, slot: Slot, sender: NodeId) -> Arc<Parcel> {
        let place = slot.0 as usize;
        if self.parcels.len() <= place {
            self.parcels.resize_with(place + 1, || None);
        }
        let parcel = Arc::new(Parcel::default());
        // It is filled by the sender's next turn, and ready one level later.
        let level = self.next_level[sender.idx()] + 1;
        self.parcels[place] = Some(InFlight { parcel: parcel.clone(), window: self.nth, level });
        parcel
    }

    /// What the attacker sees of all honest models, if it looks at them at all: the last look where that is recent enough.
    fn survey(&mut self, levels: &mut Vec<Level>, at: VirtualTime, of: (NodeId, u64)) -> Option<Arc<OnceLock<Seen>>> {
        let role = self.cast.role(of.0)?;
        let surveys = self.cast.attacks()[role].surveys()?;
        if let Some(last) = &self.last_surveys[role] {
            let is_recent = matches!(surveys, Survey::Every(pause) if at < last.at.after(pause));
            // CHOICE(one-look): the messages of one turn, all made at its moment, share one look.
            if is_recent || (last.at == at && last.of == of) {
                return Some(last.seen.clone());
            }
        }
        let seen = self.look(levels);
        self.last_surveys[role] = Some(LastSurvey { at, of, seen: seen.clone() });
        Some(seen)
    }

    /// A look at all honest models as they are now: at a level that all their turns so far come before, and all later ones after.
    fn look(&mut self, levels: &mut Vec<Level>) -> Arc<OnceLock<Seen>> {
        // Those who are yet to come are not looked at, but later they may receive what is made of this look: their turns come after it.
        let everybody: Vec<NodeId> = self.cast.honest().collect();
        for &node in &everybody {
            if !self.inboxes[node.idx()].is_empty() {
                self.put_turn(levels, node, Then::Nothing);
            }
        }
        let level = everybody.iter().map(|node| self.next_level[node.idx()]).max().unwrap_or(0);
        everybody.iter().for_each(|node| self.next_level[node.idx()] = level);
        self.touched.extend(&everybody);
        // Nobody makes a message for a node that is yet to come: whoever it is made for has joined, and is looked at.
        let joined: Vec<NodeId> = self.honest().collect();
        let surveys = &mut level_at(levels, level).surveys;
        // Who has joined only grows: as many are the same ones.
        match surveys.iter().find(|(nodes, _)| nodes.len() == joined.len()) {
            Some((_, seen)) => seen.clone(),
            None => {
                let seen = Arc::default();
                surveys.push((joined, Arc::clone(&seen)));
                seen
            }
        }
    }

    fn put_turn(&mut self, levels: &mut Vec<Level>, node: NodeId, then: Then) {
        let level = self.next_level[node.idx()];
        self.next_level[node.idx()] = level + 1;
        self.touched.push(node);
        let inbox = std::mem::take(&mut self.inboxes[node.idx()]);
        level_at(levels, level).turns.push(Turn { node, inbox, then });
    }
}

fn level_at(levels: &mut Vec<Level>, level: u32) -> &mut Level {
    if levels.len() <= level as usize {
        levels.resize_with(level as usize + 1, Level::default);
    }
    &mut levels[level as usize]
}

/// Runs the levels one after another, each level's turns in parallel, and puts their rows into step order. Nothing if the run is stopped
/// meanwhile: lanes are then anywhere between two turns, and of no more use.
pub(crate) fn execute(
    levels: Vec<Level>,
    lanes: &[Mutex<Lane>],
    scratches: &[Mutex<Scratch>],
    rules: &Rules,
    pulse: &Pulse,
) -> Option<Done> {
    pulse.begin(Stage::Turns { done: 0, of: levels.iter().map(|level| level.turns.len() as u64).sum() });
    let take = |turn: Turn| {
        if pulse.is_stopped() {
            return Done::default();
        }
        let thread = rayon::current_thread_index().expect("a run is inside its pool");
        let mut scratch = scratches[thread].lock().expect("no lane panicked");
        let done = lanes[turn.node.idx()].lock().expect("no lane panicked").take_turn(turn, rules, &mut scratch);
        pulse.beat();
        done
    };
    let mut all = Done::default();
    for level in levels {
        for (nodes, survey) in level.surveys {
            let lanes: Vec<_> = nodes.iter().map(|node| lanes[node.idx()].lock().expect("no lane panicked")).collect();
            let models: Vec<&[f32]> = lanes.iter().map(|lane| lane.theta()).collect();
            let provenances: Vec<&Provenance> = lanes.iter().filter_map(|lane| lane.provenance()).collect();
            let seen = Seen { population: Population::of(&models), provenance: Provenance::mean(&provenances) };
            survey.set(seen).expect("a survey is taken once");
        }
        let done: Vec<Done> = level.turns.into_par_iter().map(take).collect();
        if pulse.is_stopped() {
            return None;
        }
        for mut done in done {
            all.searches.append(&mut done.searches);
            all.receipts.append(&mut done.receipts);
            all.alphas.append(done.alphas);
            all.searching += done.searching;
            all.judging += done.judging;
        }
    }
    all.searches.sort_unstable_by_key(|row| row.step);
    all.receipts.sort_unstable_by_key(|row| row.step);
    Some(all)
}
