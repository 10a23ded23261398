//! Networks that everybody has left for good.

use super::Timeline;
use crate::timeline::event::Event;
use crate::units::{Extent, NodeId};

impl Timeline {
    /// Notes the moment from which on nobody can search any more. To be called whenever somebody may have left for good.
    pub(super) fn note_if_deserted(&mut self) {
        // A fault that is still to come may restart a node.
        if self.tally.deserted.is_some() || self.presence.n_online() > 0 || self.n_faults_left > 0 {
            return;
        }
        // A node that is gone for good stays so: each is looked at once.
        while self.n_gone < self.plan.n_nodes && self.is_gone(NodeId(self.n_gone)) {
            self.n_gone += 1;
        }
        if self.n_gone == self.plan.n_nodes {
            self.tally.deserted = Some(self.now);
        }
    }

    /// Whether `node`, which is offline, will never come again when no fault is to come: it is down, or neither churn nor a crowd brings
    /// it back.
    fn is_gone(&self, node: NodeId) -> bool {
        self.faults.is_down(node) || !self.queue.holds(&Event::Join(node))
    }

    /// Whether the number of searches that would end the run can no longer be reached: what is pending takes place, nothing is added, and
    /// the run ends.
    pub(super) fn is_running_out(&self) -> bool {
        self.tally.deserted.is_some() && matches!(self.plan.stop, Extent::Sessions(_))
    }
}
