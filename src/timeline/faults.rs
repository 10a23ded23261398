//! Which faults stand at a moment: who is separated from whom, what is held, who is down, what is slow.

use crate::units::{NodeId, VirtualTime};
use std::collections::BTreeMap;

/// All that went wrong and has not been put right.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// By node.
    pub groups: Option<Vec<u32>>,
    /// Nothing gets from the ones to the others.
    one_way: Vec<(Vec<bool>, Vec<bool>)>,
    holds: Vec<Vec<bool>>,
    /// Messages that wait for a release, in the order in which they would have arrived.
    held: Vec<u32>,
    down: BTreeMap<NodeId, Down>,
    /// Factors of delays and of losses, by the fault that brought them.
    slow: BTreeMap<u32, f64>,
    lossy: BTreeMap<u32, f64>,
}

#[derive(Debug)]
struct Down {
    until: VirtualTime,
    /// What churn has planned for it at this moment.
    would_be_online: bool,
}

impl Faults {
    pub fn separates(&self, from: NodeId, to: NodeId) -> bool {
        let apart = self.groups.as_ref().is_some_and(|groups| groups[from.idx()] != groups[to.idx()]);
        apart || self.one_way.iter().any(|(senders, receivers)| senders[from.idx()] && receivers[to.idx()])
    }

    pub fn block(&mut self, senders: Vec<bool>, receivers: Vec<bool>) {
        self.one_way.push((senders, receivers));
    }

    pub fn heal(&mut self) {
        self.groups = None;
        self.one_way.clear();
    }

    pub fn hold(&mut self, nodes: Vec<bool>) {
        self.holds.push(nodes);
    }

    pub fn holds(&self, from: NodeId, to: NodeId) -> bool {
        self.holds.iter().any(|nodes| nodes[from.idx()] || nodes[to.idx()])
    }

    pub fn keep(&mut self, place: u32) {
        self.held.push(place);
    }

    pub fn release(&mut self) -> Vec<u32> {
        self.holds.clear();
        std::mem::take(&mut self.held)
    }

    /// Says whether `node` goes down by it; it may be down already, and then stays so for longer.
    pub fn crash(&mut self, node: NodeId, until: VirtualTime, is_online: bool) -> bool {
        let is_new = !self.is_down(node);
        let down = self.down.entry(node).or_insert(Down { until, would_be_online: is_online });
        down.until = down.until.max(until);
        is_new && is_online
    }

    pub fn is_down(&self, node: NodeId) -> bool {
        self.down.contains_key(&node)
    }

    /// Churn has `node` come or go while it is down.
    pub fn note_churn(&mut self, node: NodeId, is_online: bool) {
        if let Some(down) = self.down.get_mut(&node) {
            down.would_be_online = is_online;
        }
    }

    /// Ends what holds `node` down until `now` at the latest, or in any case; says whether it comes back.
    pub fn restart(&mut self, node: NodeId, now: Option<VirtualTime>) -> bool {
        match self.down.get(&node) {
            Some(down) if now.is_none_or(|now| down.until <= now) => self.down.remove(&node).is_some_and(|down| down.would_be_online),
            _ => false,
        }
    }

    pub fn slow(&mut self, nth: u32, times: Option<f64>) {
        set(&mut self.slow, nth, times);
    }

    pub fn lossy(&mut self, nth: u32, times: Option<f64>) {
        set(&mut self.lossy, nth, times);
    }

    pub fn delay_times(&self) -> f64 {
        self.slow.values().product()
    }

    pub fn loss_times(&self) -> f64 {
        self.lossy.values().product()
    }
}

fn set(factors: &mut BTreeMap<u32, f64>, nth: u32, times: Option<f64>) {
    match times {
        Some(times) => factors.insert(nth, times),
        None => factors.remove(&nth),
    };
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
        faults.block(vec![true, false], vec![false, true]);
        assert!(faults.separates(NodeId(0), NodeId(1)) && !faults.separates(NodeId(1), NodeId(0)));
        faults.groups = Some(vec![0, 1]);
        assert!(faults.separates(NodeId(1), NodeId(0)));
        faults.heal();
        assert!(!faults.separates(NodeId(0), NodeId(1)));
    }
}
