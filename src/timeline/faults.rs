//! Carries out the timed list of faults, and knows the faults in force.

use super::Plan;
use super::context::Context;
use super::event::Event;
use super::presence::{Followers, Presence};
use super::step::Action;
use super::transit::Conditions;
use crate::network::{What, Who};
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All faults that have begun and not ended.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Faults {
    /// How many beginnings and ends of faults are still to come.
    n_to_come: usize,
    /// By node: its side of a partition.
    groups: Option<Vec<u32>>,
    /// By node: whether its messages are blocked, and whether blocked messages to it are lost.
    one_way: Vec<(Vec<bool>, Vec<bool>)>,
    /// By node: whether its messages are held.
    holds: Vec<Vec<bool>>,
    down: BTreeMap<NodeId, Down>,
    /// By the number of its fault: the factor of delays, and of losses.
    slow: BTreeMap<u32, f64>,
    lossy: BTreeMap<u32, f64>,
}

/// A node that is down by a fault.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Down {
    until: VirtualTime,
    /// Whether churn alone would have the node online at this moment.
    would_be_online: bool,
}

impl Faults {
    /// Schedules the whole list.
    pub fn begin(ctx: &mut Context) -> Self {
        let mut faults = Self::default();
        for (nth, fault) in (0..).zip(&ctx.plan.faults) {
            let (at, lasts) = (VirtualTime(fault.at.ns()), fault.what.lasts());
            ctx.schedule(Event::Fault(nth), at, 1, nth.into());
            faults.n_to_come += 1 + usize::from(lasts.is_some());
            // At one moment, faults end before others begin.
            if let Some(lasts) = lasts {
                ctx.schedule(Event::FaultEnds(nth), at.after(lasts), 0, nth.into());
            }
        }
        faults
    }

    /// The `nth` fault of the list begins.
    pub fn begin_fault(&mut self, ctx: &mut Context, nth: u32, presence: &mut Presence, followers: &mut Followers) {
        let Plan { seed, n_nodes, .. } = *ctx.plan;
        let what = &ctx.plan.faults[nth as usize].what;
        let nodes = self.emit_fault(ctx, nth, true);
        match what {
            What::Partition(groups) => self.groups = Some(groups.by_node(seed, nth, n_nodes)),
            What::OneWay { from, to } => {
                let marked = |who, side| marks(ctx.plan, &nodes_of(ctx.plan, nth, who, side));
                self.one_way.push((marked(from, 0), marked(to, 1)));
            }
            What::Heal => self.heal(),
            What::Hold(_) => self.holds.push(marks(ctx.plan, &nodes)),
            What::Release => {
                self.holds.clear();
                followers.transit.release_held(ctx, Conditions { presence, faults: self });
            }
            What::Crash { .. } | What::Dark { .. } => {
                let until = what.lasts().map_or(VirtualTime(u64::MAX), |lasts| ctx.now.after(lasts));
                for node in nodes {
                    if self.crash(node, until, presence.is_online(node)) {
                        presence.take_offline(ctx, node, followers);
                    }
                }
            }
            What::Restart(_) => self.restart_all(ctx, nodes, None, presence, followers),
            What::Slow { times, .. } => _ = self.slow.insert(nth, *times),
            What::Lossy { times, .. } => _ = self.lossy.insert(nth, *times),
        }
        presence.note_if_deserted(ctx, self);
    }

    /// The `nth` fault of the list ends by itself.
    pub fn end_fault(&mut self, ctx: &mut Context, nth: u32, presence: &mut Presence, followers: &mut Followers) {
        let what = &ctx.plan.faults[nth as usize].what;
        let nodes = self.emit_fault(ctx, nth, false);
        match what {
            What::Slow { .. } => _ = self.slow.remove(&nth),
            What::Lossy { .. } => _ = self.lossy.remove(&nth),
            What::Crash { .. } | What::Dark { .. } => self.restart_all(ctx, nodes, Some(ctx.now), presence, followers),
            What::Partition(_) | What::OneWay { .. } | What::Heal | What::Hold(_) | What::Release | What::Restart(_) => {
                unreachable!("{} does not end by itself", what.name())
            }
        }
        presence.note_if_deserted(ctx, self);
    }

    /// Whether a fault of the list has still to begin or to end.
    pub fn are_to_come(&self) -> bool {
        self.n_to_come > 0
    }

    /// Whether a message between the two nodes waits for a release.
    pub fn holds(&self, from: NodeId, to: NodeId) -> bool {
        self.holds.iter().any(|nodes| nodes[from.idx()] || nodes[to.idx()])
    }

    /// Whether a message from `from` to `to` is lost at the border of a partition.
    pub fn separates(&self, from: NodeId, to: NodeId) -> bool {
        let apart = self.groups.as_ref().is_some_and(|groups| groups[from.idx()] != groups[to.idx()]);
        apart || self.one_way.iter().any(|(senders, receivers)| senders[from.idx()] && receivers[to.idx()])
    }

    /// The factor of all delays at this moment.
    pub fn delay_times(&self) -> f64 {
        self.slow.values().product()
    }

    /// The factor of the probability of loss at this moment.
    pub fn loss_times(&self) -> f64 {
        self.lossy.values().product()
    }

    /// Whether a fault keeps `node` offline.
    pub fn is_down(&self, node: NodeId) -> bool {
        self.down.contains_key(&node)
    }

    /// Notes that churn would bring `node` online or take it offline while it is down.
    pub fn note_churn(&mut self, node: NodeId, is_online: bool) {
        if let Some(down) = self.down.get_mut(&node) {
            down.would_be_online = is_online;
        }
    }

    /// Emits the fault as a step, and returns the nodes that it concerns.
    fn emit_fault(&mut self, ctx: &mut Context, nth: u32, begins: bool) -> Vec<NodeId> {
        let nodes = concerned(ctx.plan, nth);
        ctx.emit(Action::Fault { nth, begins, n_nodes: nodes.len() as u32 });
        self.n_to_come -= 1;
        nodes
    }

    fn heal(&mut self) {
        self.groups = None;
        self.one_way.clear();
    }

    /// Takes `node` down, and returns whether it goes offline by this. A node that is down already stays down until the later of both ends.
    fn crash(&mut self, node: NodeId, until: VirtualTime, is_online: bool) -> bool {
        let is_new = !self.is_down(node);
        let down = self.down.entry(node).or_insert(Down { until, would_be_online: is_online });
        down.until = down.until.max(until);
        is_new && is_online
    }

    /// Brings nodes back online that no fault keeps down any longer and that churn would have online.
    fn restart_all(
        &mut self,
        ctx: &mut Context,
        nodes: Vec<NodeId>,
        by: Option<VirtualTime>,
        presence: &mut Presence,
        followers: &mut Followers,
    ) {
        for node in nodes {
            if self.restart(node, by) {
                presence.bring_online(ctx, node, followers);
            }
        }
    }

    /// Ends the faults that keep `node` down until the moment `by`, or all of them if there is no `by`. Returns whether the node comes back
    /// online.
    fn restart(&mut self, node: NodeId, by: Option<VirtualTime>) -> bool {
        match self.down.get(&node) {
            Some(down) if by.is_none_or(|by| down.until <= by) => self.down.remove(&node).is_some_and(|down| down.would_be_online),
            Some(_) | None => false,
        }
    }
}

/// The nodes that a fault names, or all nodes if it names none.
fn concerned(plan: &Plan, nth: u32) -> Vec<NodeId> {
    let of = |who: &Who, side| nodes_of(plan, nth, who, side);
    match &plan.faults[nth as usize].what {
        What::Hold(who) | What::Crash { who, .. } | What::Restart(who) => of(who, 0),
        What::Dark { region, .. } => of(&Who::Region(*region), 0),
        What::OneWay { from, to } => {
            let mut both = [of(from, 0), of(to, 1)].concat();
            both.sort_unstable();
            both.dedup();
            both
        }
        What::Partition(_) | What::Heal | What::Release | What::Slow { .. } | What::Lossy { .. } => of(&Who::All, 0),
    }
}

fn nodes_of(plan: &Plan, nth: u32, who: &Who, side: u64) -> Vec<NodeId> {
    who.nodes(plan.seed, nth, side, plan.n_nodes, &plan.regions)
}

/// By node: whether it is one of `nodes`.
fn marks(plan: &Plan, nodes: &[NodeId]) -> Vec<bool> {
    let mut marks = vec![false; plan.n_nodes as usize];
    nodes.iter().for_each(|node| marks[node.idx()] = true);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_crashes_last_until_the_last_of_them_ends() {
        let (mut faults, node) = (Faults::default(), NodeId(3));
        assert!(faults.crash(node, VirtualTime(10), true));
        assert!(!faults.crash(node, VirtualTime(20), false), "it is down already");
        assert!(!faults.restart(node, Some(VirtualTime(10))) && faults.is_down(node));
        assert!(faults.restart(node, Some(VirtualTime(20))) && !faults.is_down(node));
        assert!(!faults.restart(node, None), "it is not down");
        faults.crash(node, VirtualTime(u64::MAX), true);
        faults.note_churn(node, false);
        assert!(!faults.restart(node, None), "churn has it away by now");
    }

    #[test]
    fn one_way_lets_the_other_way_through() {
        let mut faults = Faults::default();
        faults.one_way.push((vec![true, false], vec![false, true]));
        assert!(faults.separates(NodeId(0), NodeId(1)) && !faults.separates(NodeId(1), NodeId(0)));
        faults.groups = Some(vec![0, 1]);
        assert!(faults.separates(NodeId(1), NodeId(0)));
        faults.heal();
        assert!(!faults.separates(NodeId(0), NodeId(1)));
    }
}
