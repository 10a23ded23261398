//! One window of the timeline, planned into levels of turns that do not depend on each other, and executed side by side.
//!
//! A delivered model waits in its receiver's inbox until that node searches next or the window ends. So the only dependencies are: a
//! turn comes after the turns that made the models in its inbox, and after the same node's turn before. A turn's level is one more
//! than the highest of these; within a level all turns are of different nodes, and their order cannot matter.

use super::lane::{Done, Lane, Rules};
use super::origin::Origin;
use crate::node::Scratch;
use crate::timeline::{Action, Slot, Step};
use crate::units::{NodeId, VirtualTime};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock};

/// A model on its way: one block per broadcast, filled when its sender has searched.
#[derive(Debug, Default)]
pub(super) struct Parcel(OnceLock<Content>);

/// A model with what it is made of.
#[derive(Debug)]
pub(super) struct Content {
    pub theta: Vec<f32>,
    pub origin: Origin,
}

impl Parcel {
    pub fn fill(&self, content: Content) {
        self.0.set(content).expect("a parcel is filled once");
    }

    pub fn content(&self) -> &Content {
        self.0.get().expect("a turn comes after those that filled its inbox")
    }
}

/// A delivered model that waits to be judged.
#[derive(Debug)]
pub(super) struct Letter {
    pub step: u64,
    pub at: VirtualTime,
    pub sent: VirtualTime,
    pub from: NodeId,
    pub parcel: Arc<Parcel>,
}

/// What a lane does in one go.
#[derive(Debug)]
pub(super) struct Turn {
    pub node: NodeId,
    pub inbox: Vec<Letter>,
    pub search: Option<SearchStep>,
}

#[derive(Debug)]
pub(super) struct SearchStep {
    pub number: u64,
    pub at: VirtualTime,
    pub n_sent: u32,
    pub n_lost: u32,
    pub parcel: Option<Arc<Parcel>>,
}

/// What is carried from one window to the next: the models in flight. Inboxes are empty in between.
pub(super) struct Window {
    /// By slot: the models in flight.
    parcels: Vec<Option<InFlight>>,
    inboxes: Vec<Vec<Letter>>,
    /// By node: the earliest level at which its next turn may be.
    next_level: Vec<u32>,
    touched: Vec<NodeId>,
    nth: u64,
}

struct InFlight {
    parcel: Arc<Parcel>,
    /// The window in which it was made, and the level of that window from which on it is ready.
    window: u64,
    level: u32,
}

impl Window {
    pub fn new(n_nodes: u32) -> Self {
        let n = n_nodes as usize;
        Self {
            parcels: Vec::new(),
            inboxes: std::iter::repeat_with(Vec::new).take(n).collect(),
            next_level: vec![0; n],
            touched: Vec::new(),
            nth: 0,
        }
    }

    /// Puts the steps' work into levels. Every inbox is emptied by the last of them, so that all rows of the window are complete.
    pub fn plan(&mut self, steps: &[Step]) -> Vec<Vec<Turn>> {
        let mut levels: Vec<Vec<Turn>> = Vec::new();
        for step in steps {
            match step.action {
                Action::Search { node, slot, n_sent, n_lost } => {
                    let parcel = slot.map(|slot| self.make_parcel(slot, node));
                    let search = SearchStep { number: step.number, at: step.at, n_sent, n_lost, parcel };
                    self.put_turn(&mut levels, node, Some(search));
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
                Action::Forget { slot } => self.parcels[slot.0 as usize] = None,
                Action::Presence { .. } | Action::Evaluate { .. } => {}
            }
        }
        let mut touched = std::mem::take(&mut self.touched);
        for &node in &touched {
            if !self.inboxes[node.idx()].is_empty() {
                self.put_turn(&mut levels, node, None);
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

    fn put_turn(&mut self, levels: &mut Vec<Vec<Turn>>, node: NodeId, search: Option<SearchStep>) {
        let level = self.next_level[node.idx()];
        self.next_level[node.idx()] = level + 1;
        self.touched.push(node);
        if levels.len() <= level as usize {
            levels.resize_with(level as usize + 1, Vec::new);
        }
        levels[level as usize].push(Turn { node, inbox: std::mem::take(&mut self.inboxes[node.idx()]), search });
    }
}

/// Runs the levels one after another, each level's turns in parallel, and puts their rows into step order.
pub(super) fn execute(levels: Vec<Vec<Turn>>, lanes: &[Mutex<Lane>], scratches: &[Mutex<Scratch>], rules: &Rules) -> Done {
    let take = |turn: Turn| {
        let thread = rayon::current_thread_index().expect("a run is inside its pool");
        let mut scratch = scratches[thread].lock().expect("no lane panicked");
        lanes[turn.node.idx()].lock().expect("no lane panicked").take_turn(turn, rules, &mut scratch)
    };
    let mut all = Done::default();
    for level in levels {
        let done: Vec<Done> = level.into_par_iter().map(take).collect();
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
    all
}
