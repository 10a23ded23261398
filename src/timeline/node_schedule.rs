//! The schedule of each node: its next search, and its broadcasts between searches.

use super::context::Context;
use super::event::Event;
use super::peers::PeerSampler;
use super::presence::Presence;
use super::step::Action;
use super::transit::{BETWEEN, Conditions, Sent, Transit};
use crate::network::{ArrivalSampler, Timers};
use crate::timeline::behaviour::Conduct;
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// The schedules of all nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Schedule {
    nodes: Vec<NodeSchedule>,
}

impl Schedule {
    /// Schedules the first search of every node that is online.
    pub fn begin(ctx: &mut Context, presence: &Presence) -> Self {
        let first = |node| ctx.plan.network.arrivals.next(ctx.plan.seed, NodeId(node), 0, VirtualTime(0));
        let nodes = (0..ctx.plan.n_nodes).map(|node| NodeSchedule { next_search: first(node), ..NodeSchedule::default() }).collect();
        let schedule = Self { nodes };
        for node in (0..ctx.plan.n_nodes).map(NodeId).filter(|&node| presence.is_online(node)) {
            schedule.schedule_search(ctx, presence, node);
        }
        schedule
    }

    /// The user of `node` searches, and the node sends its model to its peers.
    pub fn search(&mut self, ctx: &mut Context, node: NodeId, peers: &PeerSampler, transit: &mut Transit, met: Conditions) {
        assert!(met.presence.is_online(node), "{node} searched while offline");
        ctx.tally.searches += 1;
        let conduct = ctx.behaviour(node).conduct(ctx.now);
        // A silent search has a number too, so that the draws of later searches do not depend on windows.
        let search_number = self.nodes[node.idx()].n_searches;
        self.nodes[node.idx()].n_searches += 1;
        let sent = match conduct.is_silent() {
            true => Sent::default(),
            false => transit.broadcast(ctx, met, node, search_number, peers.draw(ctx.plan, met.presence, node, search_number)),
        };
        ctx.emit(Action::Search { node, conduct, slot: sent.slot, n_sent: sent.n_sent, n_lost: sent.n_lost });
        sent.craft(ctx);
        self.move_on(ctx, node);
        if ctx.plan.absence.timers == Timers::WhenBack {
            // One search makes up for an absence; the other missed searches are left out.
            self.skip_missed(ctx, node);
        }
        self.schedule_search(ctx, met.presence, node);
        self.schedule_between(ctx, met.presence, node);
    }

    /// `node` sends without a search, unless it is outside of its windows.
    pub fn send_between(&mut self, ctx: &mut Context, node: NodeId, peers: &PeerSampler, transit: &mut Transit, met: Conditions) {
        assert!(met.presence.is_online(node), "{node} sent while offline");
        let behaviour = ctx.behaviour(node);
        if behaviour.conduct(ctx.now) == Conduct::Own {
            let number = self.nodes[node.idx()].between_number(behaviour.n_between);
            let sent = transit.broadcast(ctx, met, node, number, peers.draw(ctx.plan, met.presence, node, number));
            ctx.emit(Action::Broadcast { node, slot: sent.slot, n_sent: sent.n_sent, n_lost: sent.n_lost });
            sent.craft(ctx);
        }
        self.nodes[node.idx()].n_between_done += 1;
        self.schedule_between(ctx, met.presence, node);
    }

    /// `node` went offline. Its schedule stays; `resume` finds out what the node has missed.
    pub fn suspend(&self, ctx: &mut Context, node: NodeId) {
        ctx.cancel(Event::Search(node));
        ctx.cancel(Event::Broadcast(node));
    }

    /// `node` came online. The scenario's timers decide whether missed searches and broadcasts are made up for. A node that joins for the
    /// first time has missed nothing.
    pub fn resume(&mut self, ctx: &mut Context, presence: &Presence, node: NodeId, is_first_join: bool) {
        match ctx.plan.absence.timers {
            Timers::Skipped => self.skip_missed(ctx, node),
            Timers::WhenBack | Timers::CaughtUp if is_first_join => self.skip_missed(ctx, node),
            Timers::WhenBack => self.skip_between(ctx, node),
            Timers::Paused | Timers::CaughtUp => {}
        }
        self.schedule_search(ctx, presence, node);
        self.schedule_between(ctx, presence, node);
    }

    /// How many broadcasts `node` has made since its last search.
    pub fn n_between_done(&self, node: NodeId) -> u32 {
        self.nodes[node.idx()].n_between_done
    }

    /// Leaves out the searches and broadcasts that were planned for earlier than now.
    fn skip_missed(&mut self, ctx: &mut Context, node: NodeId) {
        while self.nodes[node.idx()].next_search < ctx.now {
            ctx.tally.skipped += 1;
            self.move_on(ctx, node);
        }
        self.skip_between(ctx, node);
    }

    fn skip_between(&mut self, ctx: &Context, node: NodeId) {
        self.nodes[node.idx()].skip_between(ctx.behaviour(node).n_between, ctx.now);
    }

    fn move_on(&mut self, ctx: &Context, node: NodeId) {
        let own = &mut self.nodes[node.idx()];
        own.move_on(ctx.plan.network.arrivals.next(ctx.plan.seed, node, own.nth_search + 1, own.next_search));
    }

    fn schedule_search(&self, ctx: &mut Context, presence: &Presence, node: NodeId) {
        let NodeSchedule { next_search, nth_search, .. } = self.nodes[node.idx()];
        if next_search < ArrivalSampler::NEVER {
            ctx.schedule(Event::Search(node), real_time(ctx, presence, node, next_search), node.0, nth_search);
        }
    }

    fn schedule_between(&self, ctx: &mut Context, presence: &Presence, node: NodeId) {
        let own = &self.nodes[node.idx()];
        if let Some(at) = own.next_between(ctx.behaviour(node).n_between) {
            ctx.schedule(Event::Broadcast(node), real_time(ctx, presence, node, at), node.0, own.nth_search - 1);
        }
    }
}

/// The moment at which `node`, which is online, carries out what was planned for `at`.
fn real_time(ctx: &Context, presence: &Presence, node: NodeId, at: VirtualTime) -> VirtualTime {
    match ctx.plan.absence.timers {
        Timers::Skipped => at,
        Timers::Paused => at.after(presence.away(node)),
        Timers::WhenBack | Timers::CaughtUp => at.max(ctx.now),
    }
}

/// One node's next search, and its broadcasts before it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct NodeSchedule {
    /// How often the node has searched. The draws of its next search are addressed by this number.
    n_searches: u64,
    /// Number of its next planned search. Missed searches count here, unlike in `n_searches`.
    nth_search: u64,
    next_search: VirtualTime,
    last_search: VirtualTime,
    /// How many of the broadcasts between these two searches are over.
    n_between_done: u32,
}

impl NodeSchedule {
    /// Replaces the planned search, which is over or was missed, by the search at `next`.
    fn move_on(&mut self, next: VirtualTime) {
        self.nth_search += 1;
        self.last_search = self.next_search;
        self.next_search = next;
        self.n_between_done = 0;
    }

    /// The next of `n` broadcasts that are evenly spaced between two searches, if one is left. No broadcast comes before the first search
    /// or after the last.
    fn next_between(&self, n: u32) -> Option<VirtualTime> {
        if self.nth_search == 0 || self.n_between_done >= n || self.next_search == ArrivalSampler::NEVER {
            return None;
        }
        let gap = u128::from(self.next_search.0 - self.last_search.0);
        let part = gap * (u128::from(self.n_between_done) + 1) / (u128::from(n) + 1);
        Some(VirtualTime(self.last_search.0 + part as u64))
    }

    /// The number of the next of `n` broadcasts between two searches. It depends on neither windows nor absences, and differs from the
    /// numbers of all searches.
    fn between_number(&self, n: u32) -> u64 {
        let before = u128::from(self.nth_search - 1) * u128::from(n) + u128::from(self.n_between_done);
        BETWEEN | (before % u128::from(BETWEEN)) as u64
    }

    /// Leaves out the broadcasts that were planned for earlier than `now`.
    fn skip_between(&mut self, n: u32, now: VirtualTime) {
        // Found by bisection, because `n` may be billions.
        let (mut done, mut rest) = (self.n_between_done, n.saturating_sub(self.n_between_done));
        while rest > 0 {
            let middle = Self { n_between_done: done + rest / 2, ..*self };
            if middle.next_between(n).is_some_and(|at| at < now) {
                (done, rest) = (middle.n_between_done + 1, rest - rest / 2 - 1);
            } else {
                rest /= 2;
            }
        }
        self.n_between_done = done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasts_are_evenly_spaced_between_searches() {
        let mut schedule = NodeSchedule { next_search: VirtualTime(100), ..NodeSchedule::default() };
        assert_eq!(schedule.next_between(3), None, "not before the first search");
        schedule.move_on(VirtualTime(200));
        let mut moments = Vec::new();
        while let Some(at) = schedule.next_between(3) {
            moments.push(at.0);
            schedule.n_between_done += 1;
        }
        assert_eq!(moments, [125, 150, 175]);
        assert_eq!(schedule.between_number(3), BETWEEN | 3);
        schedule.move_on(VirtualTime(300));
        assert_eq!(schedule.between_number(3), BETWEEN | 3, "the next number after those before the search");
        schedule.skip_between(3, VirtualTime(250));
        assert_eq!(schedule.next_between(3), Some(VirtualTime(250)));
    }

    #[test]
    fn billions_of_broadcasts_are_left_out_at_once() {
        for (now, rate) in [(0, 3), (149, 3), (150, 3), (151, 3), (999, 3), (150, 0), (150, 1), (163, 99), (150, 7)] {
            let mut schedule =
                NodeSchedule { nth_search: 1, last_search: VirtualTime(100), next_search: VirtualTime(200), ..NodeSchedule::default() };
            let mut one_by_one = schedule;
            while one_by_one.next_between(rate).is_some_and(|at| at < VirtualTime(now)) {
                one_by_one.n_between_done += 1;
            }
            schedule.skip_between(rate, VirtualTime(now));
            assert_eq!(schedule.n_between_done, one_by_one.n_between_done, "{rate} until {now}");
        }
        let mut schedule = NodeSchedule { nth_search: 1, next_search: VirtualTime(u64::MAX / 2), ..NodeSchedule::default() };
        schedule.skip_between(u32::MAX, VirtualTime(u64::MAX / 4));
        assert_eq!(schedule.n_between_done, u32::MAX / 2);
    }
}
