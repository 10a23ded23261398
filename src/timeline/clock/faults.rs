//! The timed list of faults, carried out.

use super::Timeline;
use crate::network::{What, Who};
use crate::timeline::event::Event;
use crate::timeline::step::{Action, Step};
use crate::units::{NodeId, VirtualTime};

impl Timeline {
    pub(super) fn put_faults(&mut self) {
        for nth in 0..self.plan.faults.len() as u32 {
            let fault = &self.plan.faults[nth as usize];
            let (at, lasts) = (VirtualTime(fault.at.ns()), fault.what.lasts());
            self.put(Event::Fault(nth), at, 1, nth.into());
            self.n_faults_left += 1 + usize::from(lasts.is_some());
            // What ends at a moment makes room for what begins then.
            if let Some(lasts) = lasts {
                self.put(Event::FaultEnds(nth), at.after(lasts), 0, nth.into());
            }
        }
    }

    pub(super) fn begin_fault(&mut self, nth: u32, steps: &mut Vec<Step>) {
        let what = self.plan.faults[nth as usize].what.clone();
        let nodes = self.concerned(nth, &what);
        self.emit(steps, Action::Fault { nth, begins: true, n_nodes: nodes.len() as u32 });
        match what {
            What::Partition(groups) => self.faults.groups = Some(groups.by_node(self.plan.seed, nth, self.plan.n_nodes)),
            What::OneWay { from, to } => {
                let (from, to) = (self.who(nth, &from, 0), self.who(nth, &to, 1));
                self.faults.block(self.marks(&from), self.marks(&to));
            }
            What::Heal => self.faults.heal(),
            What::Hold(_) => self.faults.hold(self.marks(&nodes)),
            What::Release => self.faults.release().into_iter().for_each(|place| self.arrive(place, steps)),
            What::Crash { .. } | What::Dark { .. } => {
                let until = what.lasts().map_or(VirtualTime(u64::MAX), |lasts| self.now.after(lasts));
                nodes.into_iter().for_each(|node| self.crash(node, until, steps));
            }
            What::Restart(_) => nodes.into_iter().for_each(|node| self.restart(node, None, steps)),
            What::Slow { times, .. } => self.faults.slow(nth, Some(times)),
            What::Lossy { times, .. } => self.faults.lossy(nth, Some(times)),
        }
        self.n_faults_left -= 1;
        self.note_if_deserted();
    }

    pub(super) fn end_fault(&mut self, nth: u32, steps: &mut Vec<Step>) {
        let what = self.plan.faults[nth as usize].what.clone();
        let nodes = self.concerned(nth, &what);
        self.emit(steps, Action::Fault { nth, begins: false, n_nodes: nodes.len() as u32 });
        match what {
            What::Slow { .. } => self.faults.slow(nth, None),
            What::Lossy { .. } => self.faults.lossy(nth, None),
            What::Crash { .. } | What::Dark { .. } => {
                nodes.into_iter().for_each(|node| self.restart(node, Some(self.now), steps));
            }
            What::Partition(_) | What::OneWay { .. } | What::Heal | What::Hold(_) | What::Release | What::Restart(_) => {
                unreachable!("{} does not end by itself", what.name())
            }
        }
        self.n_faults_left -= 1;
        self.note_if_deserted();
    }

    fn crash(&mut self, node: NodeId, until: VirtualTime, steps: &mut Vec<Step>) {
        if self.faults.crash(node, until, self.presence.is_online(node)) {
            self.go(node, steps);
        }
    }

    fn restart(&mut self, node: NodeId, now: Option<VirtualTime>, steps: &mut Vec<Step>) {
        if self.faults.restart(node, now) {
            self.come(node, steps);
        }
    }

    /// The nodes that a fault names; all of them where it names none.
    fn concerned(&self, nth: u32, what: &What) -> Vec<NodeId> {
        match what {
            What::Hold(who) | What::Crash { who, .. } | What::Restart(who) => self.who(nth, who, 0),
            What::Dark { region, .. } => self.who(nth, &Who::Region(*region), 0),
            What::OneWay { from, to } => {
                let mut both = [self.who(nth, from, 0), self.who(nth, to, 1)].concat();
                both.sort_unstable();
                both.dedup();
                both
            }
            What::Partition(_) | What::Heal | What::Release | What::Slow { .. } | What::Lossy { .. } => self.who(nth, &Who::All, 0),
        }
    }

    fn who(&self, nth: u32, who: &Who, side: u64) -> Vec<NodeId> {
        who.nodes(self.plan.seed, nth, side, self.plan.n_nodes, &self.plan.regions)
    }

    fn marks(&self, nodes: &[NodeId]) -> Vec<bool> {
        let mut marks = vec![false; self.plan.n_nodes as usize];
        nodes.iter().for_each(|node| marks[node.idx()] = true);
        marks
    }
}
