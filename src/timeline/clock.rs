//! The virtual clock and the one `match` over events.

mod attend;
mod send;

use super::agenda::Agenda;
use super::event::Event;
use super::favor::Favor;
use super::habit::Habit;
use super::post::Post;
use super::presence::Presence;
use super::queue::{EventQueue, Order};
use super::step::{Action, Step};
use super::{Plan, Tally};
use crate::units::{Extent, NodeId, VirtualTime};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Produces the steps of a run in order, as many at a time as asked for.
pub struct Timeline {
    plan: Plan,
    queue: EventQueue<Event>,
    presence: Presence,
    favor: Option<Favor>,
    agendas: Vec<Agenda>,
    post: Post,
    now: VirtualTime,
    n_steps: u64,
    n_evaluations: u32,
    is_evaluation_due: bool,
    last_evaluation: Option<VirtualTime>,
    is_stopping: bool,
    is_over: bool,
    tally: Tally,
    fingerprint: u64,
}

impl Timeline {
    pub fn new(plan: Plan) -> Self {
        let n = plan.n_nodes;
        let mut timeline = Self {
            queue: EventQueue::new(),
            presence: Presence::nobody_of(n),
            favor: Favor::new(plan.peer_bias, plan.peers.among, &plan.habits),
            agendas: vec![Agenda::default(); n as usize],
            post: Post::default(),
            now: VirtualTime(0),
            n_steps: 0,
            n_evaluations: 0,
            is_evaluation_due: false,
            last_evaluation: None,
            is_stopping: false,
            is_over: false,
            tally: Tally::new(),
            fingerprint: 0,
            plan,
        };
        for node in (0..n).map(NodeId) {
            timeline.begin(node);
        }
        timeline.put_evaluation(VirtualTime(0));
        if let Extent::Time(stop) = timeline.plan.stop {
            timeline.put(Event::Stop, VirtualTime(stop.ns()), 0, 0);
        }
        timeline
    }

    /// Appends steps until at least `limit` have come, an evaluation is due, or the run is over. Says whether there will be more.
    pub fn advance(&mut self, limit: usize, steps: &mut Vec<Step>) -> bool {
        let enough = steps.len() + limit;
        if self.n_steps == 0 {
            // Who is there when the run begins.
            for node in (0..self.plan.n_nodes).map(NodeId) {
                let online = self.presence.is_online(node);
                self.emit(steps, Action::Presence { node, online });
            }
        }
        while !self.is_over && steps.len() < enough {
            let Some((event, order)) = self.queue.pop() else {
                // Only a network in which nobody will ever search again runs dry.
                self.finish(steps);
                break;
            };
            self.now = order.at;
            self.tally.events += 1;
            self.hash(event, order);
            match event {
                Event::Leave(node) => self.leave(node, steps),
                Event::Join(node) => self.join(node, steps),
                Event::Delivery(message) => self.arrive(message, steps),
                Event::Search(node) => self.search(node, steps),
                Event::Broadcast(node) => self.send_between(node, steps),
                Event::Evaluate => {
                    self.evaluate(steps);
                    break;
                }
                Event::Stop => self.finish(steps),
            }
        }
        !self.is_over
    }

    pub fn now(&self) -> VirtualTime {
        self.now
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn n_online(&self) -> u32 {
        self.presence.n_online()
    }

    pub fn is_online(&self, node: NodeId) -> bool {
        self.presence.is_online(node)
    }

    /// A hash of everything that happened so far, in order.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn evaluate(&mut self, steps: &mut Vec<Step>) {
        self.is_evaluation_due = false;
        self.last_evaluation = Some(self.now);
        let is_last = self.is_stopping || matches!(self.plan.stop, Extent::Time(stop) if stop.ns() == self.now.0);
        self.emit(steps, Action::Evaluate { nth: self.n_evaluations, n_searches: self.tally.searches, is_last });
        self.n_evaluations += 1;
        if let Extent::Time(every) = self.plan.evaluate_every
            && !is_last
        {
            self.put_evaluation(self.now.after(every));
        }
    }

    /// Every run ends with an evaluation of what it came to.
    fn finish(&mut self, steps: &mut Vec<Step>) {
        self.is_stopping = true;
        let evaluated = self.last_evaluation == Some(self.now) && self.now > VirtualTime(0);
        if !evaluated {
            self.evaluate(steps);
        }
        self.is_over = true;
        assert!(self.tally.is_conserved(), "messages were lost track of: {:?}", self.tally);
    }

    fn habit(&self, node: NodeId) -> Habit {
        self.plan.habits[node.idx()]
    }

    fn put_evaluation(&mut self, at: VirtualTime) {
        if !self.is_evaluation_due {
            self.is_evaluation_due = true;
            self.put(Event::Evaluate, at, 0, self.n_evaluations.into());
        }
    }

    fn put(&mut self, event: Event, at: VirtualTime, origin: u32, counter: u64) {
        self.queue.push(event, Order { at, rank: event.rank(), origin, counter });
    }

    fn emit(&mut self, steps: &mut Vec<Step>, action: Action) {
        steps.push(Step { number: self.n_steps, at: self.now, action });
        self.n_steps += 1;
    }

    fn hash(&mut self, event: Event, order: Order) {
        let (to, sent, is_between) = match event {
            Event::Delivery(place) => (self.post.message(place).to.0, self.post.message(place).sent.0, 0),
            Event::Broadcast(node) => (self.agendas[node.idx()].n_between_done, 0, 1),
            _ => (0, 0, 0),
        };
        let mut bytes = [0; 34];
        bytes[..8].copy_from_slice(&order.at.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&order.counter.to_le_bytes());
        bytes[16..24].copy_from_slice(&sent.to_le_bytes());
        bytes[24..28].copy_from_slice(&order.origin.to_le_bytes());
        bytes[28..32].copy_from_slice(&to.to_le_bytes());
        bytes[32] = order.rank;
        bytes[33] = is_between;
        self.fingerprint = xxh3_64_with_seed(&bytes, self.fingerprint);
    }
}
