//! The virtual clock and the one `match` over events.

mod attend;
mod away;
mod deserted;
mod faults;
mod send;
mod travel;

use super::agenda::Agenda;
use super::event::Event;
use super::faults::Faults;
use super::favor::Favor;
use super::habit::Habit;
use super::joined::Joined;
use super::links::Links;
use super::post::Post;
use super::presence::Presence;
use super::queue::{EventQueue, Order};
use super::step::{Action, Step};
use super::waiting::Waiting;
use super::{Plan, Tally};
use crate::units::{Extent, NodeId, VirtualTime};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Produces the steps of a run in order, as many at a time as asked for.
pub struct Timeline {
    plan: Plan,
    queue: EventQueue<Event>,
    presence: Presence,
    joined: Joined,
    favor: Option<Favor>,
    agendas: Vec<Agenda>,
    post: Post,
    waiting: Waiting,
    links: Links,
    faults: Faults,
    now: VirtualTime,
    n_steps: u64,
    n_evaluations: u32,
    /// Begins and ends of faults that are still to come.
    n_faults_left: usize,
    /// So many nodes, from the first on, are known to be gone for good.
    n_gone: u32,
    is_evaluation_due: bool,
    last_evaluation: Option<VirtualTime>,
    is_stopping: bool,
    is_over: bool,
    tally: Tally,
    /// Nanoseconds of all nodes online together, up to a moment.
    online_ns: u128,
    online_until: VirtualTime,
    fingerprint: u64,
}

impl Timeline {
    pub fn new(plan: Plan) -> Self {
        let n = plan.n_nodes;
        let mut timeline = Self {
            queue: EventQueue::new(),
            presence: Presence::nobody_of(n),
            joined: Joined::new(&plan.habits),
            favor: Favor::new(plan.peer_bias, plan.peers.among, &plan.habits),
            agendas: vec![Agenda::default(); n as usize],
            post: Post::default(),
            waiting: Waiting::default(),
            links: Links::new(n, plan.seed, plan.bandwidth, plan.bursts, plan.order),
            faults: Faults::default(),
            now: VirtualTime(0),
            n_steps: 0,
            n_evaluations: 0,
            n_faults_left: 0,
            n_gone: 0,
            is_evaluation_due: false,
            last_evaluation: None,
            is_stopping: false,
            is_over: false,
            tally: Tally::new(),
            online_ns: 0,
            online_until: VirtualTime(0),
            fingerprint: 0,
            plan,
        };
        for node in (0..n).map(NodeId) {
            timeline.begin(node);
        }
        timeline.put_faults();
        timeline.put_evaluation(VirtualTime(0));
        if let Extent::Time(stop) = timeline.plan.stop {
            timeline.put(Event::Stop, VirtualTime(stop.ns()), 0, 0);
        }
        timeline.note_if_deserted();
        timeline
    }

    /// Appends steps until at least `limit` have come, an evaluation is due, or the run is over. Says whether there will be more.
    pub fn advance(&mut self, limit: usize, steps: &mut Vec<Step>) -> bool {
        let enough = steps.len() + limit;
        if self.n_steps == 0 {
            // Who is there when the run begins.
            for node in (0..self.plan.n_nodes).map(NodeId) {
                let online = self.presence.is_online(node);
                self.emit(steps, Action::Presence { node, online, life: 0 });
            }
        }
        while !self.is_over && steps.len() < enough {
            let Some((event, order)) = self.queue.pop() else {
                // Only a network that everybody has left for good runs dry.
                self.finish(steps);
                break;
            };
            self.now = order.at;
            self.tally.events += 1;
            self.hash(event, order);
            match event {
                Event::FaultEnds(nth) => self.end_fault(nth, steps),
                Event::Fault(nth) => self.begin_fault(nth, steps),
                Event::Leave(node) => self.leave(node, steps),
                Event::Expire(message) => self.expire(message, steps),
                Event::Join(node) => self.join(node, steps),
                Event::Delivery(message) => self.arrive(message, steps),
                Event::Reach(message) => self.reach(message, steps),
                Event::Uploaded(node) => self.end_uploads(node),
                Event::Downloaded(node) => self.end_downloads(node, steps),
                Event::Search(node) => self.search(node, steps),
                Event::Broadcast(node) => self.send_between(node, steps),
                Event::Retry(message) => self.retry(message, steps),
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

    /// The share of all nodes' time that they were online so far.
    pub fn online_share(&self) -> f64 {
        let now_online = u128::from(self.presence.n_online()) * u128::from(self.now.0 - self.online_until.0);
        (self.online_ns + now_online) as f64 / (f64::from(self.plan.n_nodes) * self.now.0.max(1) as f64)
    }

    /// Messages sent by and delivered to every node so far, in the order of nodes; those sent again count once.
    pub fn loads(&self) -> impl Iterator<Item = (u64, u64)> {
        self.agendas.iter().map(|agenda| (agenda.n_messages, agenda.n_received.into()))
    }

    /// A hash of everything that happened so far, in order.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn evaluate(&mut self, steps: &mut Vec<Step>) {
        self.is_evaluation_due = false;
        self.last_evaluation = Some(self.now);
        // Where nothing is pending nothing will happen; but the evaluation at the beginning is never the last one as well.
        let is_end = matches!(self.plan.stop, Extent::Time(stop) if stop.ns() == self.now.0) || self.queue.is_empty();
        let is_last = self.is_stopping || (is_end && self.now > VirtualTime(0));
        self.emit(steps, Action::Evaluate { nth: self.n_evaluations, n_searches: self.tally.searches, is_last });
        self.n_evaluations += 1;
        if let Extent::Time(every) = self.plan.evaluate_every
            && !is_last
            && !self.is_running_out()
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

    fn note_online_time(&mut self) {
        self.online_ns += u128::from(self.presence.n_online()) * u128::from(self.now.0 - self.online_until.0);
        self.online_until = self.now;
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
        let (to, sent) = match event {
            Event::Delivery(place) | Event::Reach(place) | Event::Expire(place) | Event::Retry(place) => {
                let message = self.post.message(place);
                (message.to.0, message.sent.0)
            }
            Event::Broadcast(node) => (self.agendas[node.idx()].n_between_done, 0),
            Event::FaultEnds(_)
            | Event::Fault(_)
            | Event::Leave(_)
            | Event::Join(_)
            | Event::Uploaded(_)
            | Event::Downloaded(_)
            | Event::Search(_)
            | Event::Evaluate
            | Event::Stop => (0, 0),
        };
        let mut bytes = [0; 34];
        bytes[..8].copy_from_slice(&order.at.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&order.counter.to_le_bytes());
        bytes[16..24].copy_from_slice(&sent.to_le_bytes());
        bytes[24..28].copy_from_slice(&order.origin.to_le_bytes());
        bytes[28..32].copy_from_slice(&to.to_le_bytes());
        bytes[32] = order.rank;
        bytes[33] = event.kind();
        self.fingerprint = xxh3_64_with_seed(&bytes, self.fingerprint);
    }
}
