//! The virtual clock and the one `match` over events.

use super::presence::Presence;
use super::queue::{EventQueue, Order};
use super::step::{Action, Slot, Step};
use super::{CraftTime, Plan, Tally};
use crate::network::{PeerPool, sample_peers};
use crate::rng::Purpose;
use crate::units::{Duration, Extent, NodeId, VirtualTime};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What can be pending. Deliveries are named by the place of their message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Event {
    Leave(NodeId),
    Join(NodeId),
    Delivery(u32),
    Search(NodeId),
    Evaluate,
    Stop,
}

impl Event {
    /// At equal times nodes leave before others join, and messages arrive before anyone searches: with zero latency a model must be there
    /// before the next node searches, as in the paper's rounds. Whoever evaluates or stops has seen all of it. (0 is left for faults.)
    fn rank(self) -> u8 {
        match self {
            Event::Leave(_) => 1,
            Event::Join(_) => 2,
            Event::Delivery(_) => 3,
            Event::Search(_) => 4,
            Event::Evaluate => 5,
            Event::Stop => 6,
        }
    }
}

/// A message on its way.
#[derive(Debug, Clone, Copy)]
struct Message {
    from: NodeId,
    to: NodeId,
    sent: VirtualTime,
    slot: Slot,
    /// Number among all messages of its sender, and of the turn it was sent in.
    nth: u64,
    turn: u64,
}

/// Per node: counters that address its draws, and its next search.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    n_periods: u64,
    n_broadcasts: u64,
    n_messages: u64,
    /// Number and moment of its next search, whether or not it will be there.
    nth_arrival: u64,
    next_arrival: VirtualTime,
}

/// Produces the steps of a run in order, as many at a time as asked for.
pub struct Timeline {
    plan: Plan,
    queue: EventQueue<Event>,
    presence: Presence,
    clocks: Vec<Clock>,
    messages: Vec<Message>,
    free_messages: Vec<u32>,
    /// Messages under way per slot.
    under_way: Vec<u32>,
    free_slots: Vec<Slot>,
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
            clocks: vec![Clock::default(); n as usize],
            messages: Vec::new(),
            free_messages: Vec::new(),
            under_way: Vec::new(),
            free_slots: Vec::new(),
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

    fn begin(&mut self, node: NodeId) {
        let (is_online, left) = self.plan.churn.start(self.plan.seed, node);
        if is_online {
            self.presence.join(node);
        }
        self.put_change(node, is_online, left);
        self.clocks[node.idx()].next_arrival = self.plan.arrivals.next(self.plan.seed, node, 0, VirtualTime(0), self.plan.n_nodes);
        if is_online {
            self.put_search(node);
        }
    }

    fn leave(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        self.presence.leave(node);
        // Its pending search goes with it; whether that moment falls into the absence shows when it is back.
        self.queue.cancel(&Event::Search(node));
        self.emit(steps, Action::Presence { node, online: false });
        self.next_period(node, false);
    }

    fn join(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        self.presence.join(node);
        self.emit(steps, Action::Presence { node, online: true });
        self.next_period(node, true);
        while self.clocks[node.idx()].next_arrival < self.now {
            self.tally.skipped += 1;
            self.next_arrival(node);
        }
        self.put_search(node);
    }

    fn search(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        if self.is_stopping {
            return;
        }
        assert!(self.presence.is_online(node), "{node} searched while offline");
        self.tally.searches += 1;
        let (messages, n_sent, n_lost) = self.broadcast(node);
        let broadcast = messages.first().map(|message| message.slot).filter(|_| self.craft_time(node).is_none());
        self.emit(steps, Action::Search { node, slot: broadcast, n_sent, n_lost });
        if self.craft_time(node) == Some(CraftTime::Send) {
            messages.iter().for_each(|message| self.craft(*message, steps));
        }
        self.next_arrival(node);
        self.put_search(node);
        let n_searches = self.tally.searches;
        if matches!(self.plan.evaluate_every, Extent::Sessions(every) if n_searches.is_multiple_of(every)) {
            self.put_evaluation(self.now);
        }
        if matches!(self.plan.stop, Extent::Sessions(stop) if n_searches == stop) {
            // No further search, but what arrives at this very moment still does.
            self.is_stopping = true;
            self.put(Event::Stop, self.now, 0, 0);
        }
    }

    /// Sends to freshly drawn peers. Says which messages are under way, how many left, and how many of these will never arrive.
    fn broadcast(&mut self, node: NodeId) -> (Vec<Message>, u32, u32) {
        let Plan { seed, n_nodes, peers, latency, loss, .. } = self.plan;
        let n_others = match peers.among {
            PeerPool::All => n_nodes - 1,
            PeerPool::Online => self.presence.n_online() - 1,
        };
        let turn = self.clocks[node.idx()].n_broadcasts;
        self.clocks[node.idx()].n_broadcasts += 1;
        let (mut messages, mut n_lost) = (Vec::new(), 0);
        for i in sample_peers(seed, node, turn, peers.fanout.of(n_nodes), n_others) {
            let to = match peers.among {
                PeerPool::All => NodeId(i + u32::from(i >= node.0)),
                PeerPool::Online => self.presence.other(node, i),
            };
            let nth = self.clocks[node.idx()].n_messages;
            self.clocks[node.idx()].n_messages += 1;
            if loss > 0.0 && seed.uniform(Purpose::Loss, node.0.into(), nth) < loss {
                n_lost += 1;
                continue;
            }
            // A broadcast is one model for all its receivers; crafted messages have a model each.
            let shared = messages.first().filter(|_| self.craft_time(node).is_none()).map(|message: &Message| message.slot);
            let slot = shared.unwrap_or_else(|| self.take_slot());
            self.under_way[slot.0 as usize] += 1;
            let message = Message { from: node, to, sent: self.now, slot, nth, turn };
            messages.push(message);
            let place = self.take_message(message);
            self.put(Event::Delivery(place), self.now.after(latency.delay(seed, node, nth)), node.0, nth);
        }
        let n_sent = messages.len() as u32 + n_lost;
        self.tally.sent += u64::from(n_sent);
        self.tally.lost_in_transit += u64::from(n_lost);
        self.tally.in_flight += messages.len() as u64;
        (messages, n_sent, n_lost)
    }

    /// When the messages of `node` are made, if one by one.
    fn craft_time(&self, node: NodeId) -> Option<CraftTime> {
        self.plan.crafting.as_ref().filter(|crafting| crafting.by[node.idx()]).map(|crafting| crafting.when)
    }

    fn craft(&mut self, message: Message, steps: &mut Vec<Step>) {
        let Message { from, to, slot, nth, turn, .. } = message;
        self.emit(steps, Action::Craft { node: to, from, slot, nth, turn });
    }

    fn arrive(&mut self, message: u32, steps: &mut Vec<Step>) {
        let message @ Message { from, to, sent, slot, .. } = {
            self.free_messages.push(message);
            self.messages[message as usize]
        };
        self.tally.in_flight -= 1;
        if self.presence.is_online(to) {
            if self.craft_time(from) == Some(CraftTime::Delivery) {
                self.craft(message, steps);
            }
            self.tally.deliver(Duration::from_ns(self.now.0 - sent.0));
            self.emit(steps, Action::Receive { node: to, from, sent, slot });
        } else {
            self.tally.lost_offline += 1;
        }
        self.under_way[slot.0 as usize] -= 1;
        if self.under_way[slot.0 as usize] == 0 {
            self.free_slots.push(slot);
            self.emit(steps, Action::Forget { slot });
        }
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

    fn next_period(&mut self, node: NodeId, is_online: bool) {
        let clock = &mut self.clocks[node.idx()];
        clock.n_periods += 1;
        let length = self.plan.churn.period(self.plan.seed, node, clock.n_periods, is_online);
        self.put_change(node, is_online, length);
    }

    fn put_change(&mut self, node: NodeId, is_online: bool, after: Option<Duration>) {
        if let Some(after) = after {
            let event = if is_online { Event::Leave(node) } else { Event::Join(node) };
            self.put(event, self.now.after(after), node.0, self.clocks[node.idx()].n_periods);
        }
    }

    fn next_arrival(&mut self, node: NodeId) {
        let clock = &mut self.clocks[node.idx()];
        clock.nth_arrival += 1;
        clock.next_arrival = self.plan.arrivals.next(self.plan.seed, node, clock.nth_arrival, clock.next_arrival, self.plan.n_nodes);
    }

    fn put_search(&mut self, node: NodeId) {
        if !self.is_stopping {
            let clock = self.clocks[node.idx()];
            self.put(Event::Search(node), clock.next_arrival, node.0, clock.nth_arrival);
        }
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

    fn take_slot(&mut self) -> Slot {
        self.free_slots.pop().unwrap_or_else(|| {
            self.under_way.push(0);
            Slot(self.under_way.len() as u32 - 1)
        })
    }

    fn take_message(&mut self, message: Message) -> u32 {
        match self.free_messages.pop() {
            Some(place) => {
                self.messages[place as usize] = message;
                place
            }
            None => {
                self.messages.push(message);
                self.messages.len() as u32 - 1
            }
        }
    }

    fn hash(&mut self, event: Event, order: Order) {
        let (to, sent) = match event {
            Event::Delivery(message) => (self.messages[message as usize].to.0, self.messages[message as usize].sent.0),
            _ => (0, 0),
        };
        let mut bytes = [0; 34];
        bytes[..8].copy_from_slice(&order.at.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&order.counter.to_le_bytes());
        bytes[16..24].copy_from_slice(&sent.to_le_bytes());
        bytes[24..28].copy_from_slice(&order.origin.to_le_bytes());
        bytes[28..32].copy_from_slice(&to.to_le_bytes());
        bytes[32] = order.rank;
        self.fingerprint = xxh3_64_with_seed(&bytes, self.fingerprint);
    }
}
