//! Which nodes are online: who comes and goes, who has ever joined, and who is gone for good.

use super::Plan;
use super::context::Context;
use super::event::Event;
use super::faults::Faults;
use super::joined::Joined;
use super::node_schedule::Schedule;
use super::node_set::NodeSet;
use super::peers::PeerSampler;
use super::step::Action;
use super::transit::Transit;
use crate::network::{Away, Crowded, Identity, State, first_change, next_change};
use crate::units::{Duration, NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// The nodes that are online at this moment, and the comings and goings of every node.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Presence {
    online: NodeSet,
    joined: Joined,
    nodes: Vec<NodePresence>,
    /// The first `n_gone` nodes are known to be gone for good.
    n_gone: u32,
    /// The sum of the nanoseconds that all nodes were online, up to a moment.
    online_ns: u128,
    online_until: VirtualTime,
}

/// One node's comings and goings.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct NodePresence {
    /// Number of its present online or offline period.
    n_periods: u32,
    was_ever_online: bool,
    n_left: u32,
    n_returns: u32,
    left_at: VirtualTime,
    /// The total length of its absences that are over.
    away_ns: u64,
}

/// The processes that act when a node comes or goes.
pub(super) struct Followers<'a> {
    pub peers: &'a mut PeerSampler,
    pub transit: &'a mut Transit,
    pub schedule: &'a mut Schedule,
}

impl Presence {
    /// Decides who is online when the run begins, and schedules the first change of every node.
    pub fn begin(ctx: &mut Context, peers: &mut PeerSampler) -> Self {
        let n_nodes = ctx.plan.n_nodes;
        let mut presence = Self {
            online: NodeSet::empty(n_nodes),
            joined: Joined::new(&ctx.plan.behaviours),
            nodes: vec![NodePresence::default(); n_nodes as usize],
            n_gone: 0,
            online_ns: 0,
            online_until: VirtualTime(0),
        };
        for node in (0..n_nodes).map(NodeId) {
            let (is_online, change) = first_period(ctx.plan, node);
            if is_online {
                presence.online.insert(node);
                presence.nodes[node.idx()].was_ever_online = true;
                peers.note_presence(ctx.plan, node, true);
            }
            presence.schedule_change(ctx, node, is_online, first_change(absences(ctx.plan, node), is_online, change));
        }
        presence
    }

    /// Emits who is online when the run begins: one step for each node, before all others, as far as there are not `enough` steps.
    pub fn announce(&self, ctx: &mut Context, enough: usize) {
        let (n_announced, n_left) = (*ctx.n_steps, enough.saturating_sub(ctx.steps.len()));
        for node in (n_announced..ctx.plan.n_nodes.into()).take(n_left).map(|node| NodeId(node as u32)) {
            ctx.emit(Action::Presence { node, online: self.is_online(node), life: 0 });
        }
    }

    /// Churn or a crowd takes `node` offline. A node that is down by a fault is offline already.
    pub fn leave(&mut self, ctx: &mut Context, node: NodeId, faults: &mut Faults, followers: &mut Followers) {
        match faults.is_down(node) {
            true => faults.note_churn(node, false),
            false => self.take_offline(ctx, node, followers),
        }
        self.schedule_next_change(ctx, node, false);
        self.note_if_deserted(ctx, faults);
    }

    /// Churn brings `node` online, unless a fault keeps it down.
    pub fn join(&mut self, ctx: &mut Context, node: NodeId, faults: &mut Faults, followers: &mut Followers) {
        match faults.is_down(node) {
            true => faults.note_churn(node, true),
            false => self.bring_online(ctx, node, followers),
        }
        self.schedule_next_change(ctx, node, true);
    }

    pub fn take_offline(&mut self, ctx: &mut Context, node: NodeId, followers: &mut Followers) {
        self.note_online_time(ctx.now);
        self.online.remove(node);
        let own = &mut self.nodes[node.idx()];
        own.left_at = ctx.now;
        own.n_left += 1;
        ctx.emit(Action::Presence { node, online: false, life: self.life(ctx.plan, node) });
        followers.peers.note_presence(ctx.plan, node, false);
        followers.transit.break_off_uploads(ctx, node);
        followers.schedule.suspend(ctx, node);
    }

    pub fn bring_online(&mut self, ctx: &mut Context, node: NodeId, followers: &mut Followers) {
        self.note_online_time(ctx.now);
        self.online.insert(node);
        let own = &mut self.nodes[node.idx()];
        let is_return = std::mem::replace(&mut own.was_ever_online, true);
        let is_first_join = !is_return && ctx.behaviour(node).first_join.is_some();
        own.n_returns += u32::from(is_return);
        own.away_ns += ctx.now.0 - own.left_at.0;
        ctx.emit(Action::Presence { node, online: true, life: self.life(ctx.plan, node) });
        followers.peers.note_presence(ctx.plan, node, true);
        if is_first_join {
            self.joined.insert(node);
            followers.peers.note_first_join(ctx.plan, node);
        }
        if is_return {
            self.forget_state(ctx, node);
        }
        followers.transit.empty_mailbox(ctx, self, node);
        followers.transit.resume_retries(ctx, self, node);
        followers.schedule.resume(ctx, self, node, is_first_join);
    }

    /// Notes the moment after which no node can search any more. This must be called whenever a node may have left for good.
    pub fn note_if_deserted(&mut self, ctx: &mut Context, faults: &Faults) {
        // A fault that is still to come may restart a node.
        if ctx.tally.deserted.is_some() || self.n_online() > 0 || faults.are_to_come() {
            return;
        }
        // A node is gone for good if it is down, or if neither churn nor a crowd brings it back. This never changes, so each node is
        // examined once.
        let is_gone = |node| faults.is_down(node) || !ctx.queue.holds(&Event::Join(node));
        while self.n_gone < ctx.plan.n_nodes && is_gone(NodeId(self.n_gone)) {
            self.n_gone += 1;
        }
        if self.n_gone == ctx.plan.n_nodes {
            ctx.tally.deserted = Some(ctx.now);
        }
    }

    pub fn is_online(&self, node: NodeId) -> bool {
        self.online.contains(node)
    }

    pub fn n_online(&self) -> u32 {
        self.online.len()
    }

    pub fn online(&self) -> &NodeSet {
        &self.online
    }

    pub fn joined(&self) -> &Joined {
        &self.joined
    }

    /// How often `node` has left.
    pub fn n_left(&self, node: NodeId) -> u32 {
        self.nodes[node.idx()].n_left
    }

    /// How often `node` has returned with a new identity.
    pub fn life(&self, plan: &Plan, node: NodeId) -> u32 {
        match plan.absence.identity {
            Identity::Same => 0,
            Identity::New => self.nodes[node.idx()].n_returns,
        }
    }

    /// The total length of the absences of `node` that are over.
    pub fn away(&self, node: NodeId) -> Duration {
        Duration::from_ns(self.nodes[node.idx()].away_ns)
    }

    /// The time on the node's own clock, which stands still during its absences.
    pub fn own_time(&self, now: VirtualTime, node: NodeId) -> VirtualTime {
        let NodePresence { left_at, away_ns, .. } = self.nodes[node.idx()];
        VirtualTime(if self.is_online(node) { now.0 } else { left_at.0 } - away_ns)
    }

    /// The share of the time up to `now` that nodes were online, averaged over all nodes.
    pub fn online_share(&self, now: VirtualTime) -> f64 {
        (self.online_ns + self.online_ns_until(now)) as f64 / (self.nodes.len() as f64 * now.0.max(1) as f64)
    }

    fn note_online_time(&mut self, now: VirtualTime) {
        self.online_ns += self.online_ns_until(now);
        self.online_until = now;
    }

    fn online_ns_until(&self, now: VirtualTime) -> u128 {
        u128::from(self.n_online()) * u128::from(now.0 - self.online_until.0)
    }

    /// `node` is back. If the scenario says that absences cost the model or the history, this emits the loss.
    fn forget_state(&self, ctx: &mut Context, node: NodeId) {
        let history_lost = match ctx.plan.absence.state {
            State::Kept => return,
            State::ModelLost => false,
            State::AllLost => true,
        };
        ctx.emit(Action::Reset { node, nth: self.nodes[node.idx()].n_returns, history_lost });
    }

    /// Schedules the next change of `node`, which has just come online or gone offline.
    fn schedule_next_change(&mut self, ctx: &mut Context, node: NodeId, is_online: bool) {
        if ctx.is_running_out() {
            return;
        }
        let nth = &mut self.nodes[node.idx()].n_periods;
        *nth += 1;
        let length = ctx.plan.network.churn.period(ctx.plan.seed, node, (*nth).into(), is_online, ctx.now);
        let by_churn = length.filter(|_| !ctx.behaviour(node).never_leaves).map(|length| ctx.now.after(length));
        self.schedule_change(ctx, node, is_online, next_change(absences(ctx.plan, node), ctx.now, is_online, by_churn));
    }

    fn schedule_change(&self, ctx: &mut Context, node: NodeId, is_online: bool, at: Option<VirtualTime>) {
        if let Some(at) = at {
            let event = if is_online { Event::Leave(node) } else { Event::Join(node) };
            ctx.schedule(event, at, node.0, self.nodes[node.idx()].n_periods.into());
        }
    }
}

/// Whether `node` begins online, and when churn or its first join changes that.
fn first_period(plan: &Plan, node: NodeId) -> (bool, Option<VirtualTime>) {
    let behaviour = &plan.behaviours[node.idx()];
    match behaviour.first_join {
        Some(moment) => (false, Some(moment)),
        None if behaviour.never_leaves => (true, None),
        None => {
            let (is_online, left) = plan.network.churn.start(plan.seed, node);
            (is_online, left.map(|left| VirtualTime(left.ns())))
        }
    }
}

/// The absences of crowds that concern `node`.
fn absences(plan: &Plan, node: NodeId) -> &[Away] {
    match plan.crowded.get(node.idx()) {
        Some(Crowded { absences, .. }) if !plan.behaviours[node.idx()].never_leaves => absences,
        Some(_) | None => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_clock_stands_still_during_absences() {
        let own = NodePresence { left_at: VirtualTime(50), away_ns: 20, ..NodePresence::default() };
        let mut presence = Presence {
            online: NodeSet::empty(1),
            joined: Joined::new(&[]),
            nodes: vec![own],
            n_gone: 0,
            online_ns: 0,
            online_until: VirtualTime(0),
        };
        let node = NodeId(0);
        assert_eq!(presence.own_time(VirtualTime(70), node), VirtualTime(30));
        presence.online.insert(node);
        assert_eq!(presence.own_time(VirtualTime(70), node), VirtualTime(50));
    }
}
