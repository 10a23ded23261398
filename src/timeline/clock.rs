//! The virtual clock, and the one `match` over events.

use super::Plan;
use super::context::Context;
use super::evaluation::Evaluations;
use super::event::Event;
use super::faults::Faults;
use super::fingerprint::Trail;
use super::node_schedule::Schedule;
use super::peers::PeerSampler;
use super::presence::{Followers, Presence};
use super::queue::EventQueue;
use super::step::Step;
use super::tally::Tally;
use super::transit::{Conditions, Transit};
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Produces the steps of a run in order, a limited number at a time.
pub struct Timeline {
    plan: Arc<Plan>,
    state: State,
}

/// Everything about a timeline that changes, as plain data: the state of the clock, and then the state of every process.
///
/// It can be written down between two calls of [`Timeline::advance`], and [`Timeline::resume`] goes on from it.
#[derive(Clone, Serialize, Deserialize)]
pub struct State {
    queue: EventQueue<Event>,
    tally: Tally,
    n_steps: u64,
    fingerprint: u64,
    presence: Presence,
    schedule: Schedule,
    peers: PeerSampler,
    transit: Transit,
    faults: Faults,
    evaluations: Evaluations,
}

impl Timeline {
    /// A timeline at its beginning.
    pub fn new(plan: impl Into<Arc<Plan>>) -> Self {
        let plan = plan.into();
        let (mut queue, mut tally, mut n_steps) = (EventQueue::new(), Tally::new(), 0);
        let (now, steps) = (VirtualTime(0), &mut Vec::new());
        let ctx = &mut Context { plan: &plan, now, queue: &mut queue, tally: &mut tally, steps, n_steps: &mut n_steps };
        let mut peers = PeerSampler::new(&plan);
        let mut presence = Presence::begin(ctx, &mut peers);
        let schedule = Schedule::begin(ctx, &presence);
        let transit = Transit::new(&plan);
        let faults = Faults::begin(ctx);
        let evaluations = Evaluations::begin(ctx);
        presence.note_if_deserted(ctx, &faults);
        let state = State { queue, tally, n_steps, fingerprint: 0, presence, schedule, peers, transit, faults, evaluations };
        Self { plan, state }
    }

    /// A timeline that goes on from the state of another timeline. Both must have the same plan.
    pub fn resume(plan: impl Into<Arc<Plan>>, state: State) -> Self {
        Self { plan: plan.into(), state }
    }

    /// Everything that has changed since the beginning.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends steps until there are at least `limit` new ones, an evaluation is due, or the run is over. Returns whether more will follow.
    pub fn advance(&mut self, limit: usize, steps: &mut Vec<Step>) -> bool {
        self.advance_before(VirtualTime(u64::MAX), limit, steps)
    }

    /// The same, but it also stops before the first event that is not before `end`.
    pub fn advance_before(&mut self, end: VirtualTime, limit: usize, steps: &mut Vec<Step>) -> bool {
        let (n_before, enough) = (steps.len(), steps.len() + limit);
        let State { queue, tally, n_steps, fingerprint, presence, schedule, peers, transit, faults, evaluations } = &mut self.state;
        let ctx = &mut Context { plan: &self.plan, now: queue.now(), queue, tally, steps, n_steps };
        let mut trail = Trail::new(fingerprint);
        presence.announce(ctx, enough);
        while !evaluations.is_over && ctx.steps.len() < enough {
            if end.0 < u64::MAX && ctx.queue.next_at().is_some_and(|next| next >= end) {
                break;
            }
            let Some((event, order)) = ctx.queue.pop() else {
                // Only the queue of a network that all nodes have left for good becomes empty.
                evaluations.finish(ctx);
                break;
            };
            ctx.now = order.at;
            ctx.tally.events += 1;
            trail.note(event, order, schedule, transit);
            match event {
                Event::FaultEnds(nth) => faults.end_fault(ctx, nth, presence, &mut Followers { peers, transit, schedule }),
                Event::Fault(nth) => faults.begin_fault(ctx, nth, presence, &mut Followers { peers, transit, schedule }),
                Event::Leave(node) => presence.leave(ctx, node, faults, &mut Followers { peers, transit, schedule }),
                Event::Expire(message) => transit.expire(ctx, message),
                Event::Join(node) => presence.join(ctx, node, faults, &mut Followers { peers, transit, schedule }),
                Event::Delivery(message) => transit.arrive(ctx, Conditions { presence, faults }, message),
                Event::Reach(message) => transit.reach(ctx, Conditions { presence, faults }, message),
                Event::Uploaded(node) => transit.end_uploads(ctx, Conditions { presence, faults }, node),
                Event::Downloaded(node) => transit.end_downloads(ctx, Conditions { presence, faults }, node),
                // After the last search, the rest of its moment only delivers messages.
                Event::Search(_) | Event::Broadcast(_) if evaluations.is_stopping => {}
                Event::Search(node) => {
                    schedule.search(ctx, node, peers, transit, Conditions { presence, faults });
                    evaluations.note_search(ctx);
                }
                Event::Broadcast(node) => schedule.send_between(ctx, node, peers, transit, Conditions { presence, faults }),
                Event::Retry(message) => transit.retry(ctx, Conditions { presence, faults }, message),
                Event::Evaluate => {
                    evaluations.evaluate(ctx);
                    break;
                }
                Event::Stop => evaluations.finish(ctx),
            }
        }
        trail.end();
        transit.count_received(&ctx.steps[n_before..]);
        !evaluations.is_over
    }

    /// Whether no event before `end` is pending.
    pub fn has_none_before(&mut self, end: VirtualTime) -> bool {
        end.0 < u64::MAX && self.state.queue.next_at().is_none_or(|next| next >= end)
    }

    /// The moment of the last event.
    pub fn now(&self) -> VirtualTime {
        self.state.queue.now()
    }

    /// How many events are pending.
    pub fn n_pending(&self) -> usize {
        self.state.queue.len()
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.state.tally
    }

    /// How many nodes are online.
    pub fn n_online(&self) -> u32 {
        self.state.presence.n_online()
    }

    /// Whether `node` is online.
    pub fn is_online(&self, node: NodeId) -> bool {
        self.state.presence.is_online(node)
    }

    /// The share of the time so far that nodes were online, averaged over all nodes.
    pub fn online_share(&self) -> f64 {
        self.state.presence.online_share(self.now())
    }

    /// Messages sent by and delivered to every node so far, in the order of nodes. A message that is sent again counts once.
    pub fn loads(&self) -> impl Iterator<Item = (u64, u64)> {
        self.state.transit.loads()
    }

    /// A hash of all events so far, in order.
    pub fn fingerprint(&self) -> u64 {
        self.state.fingerprint
    }
}
