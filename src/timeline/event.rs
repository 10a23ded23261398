//! What can be pending, and which of two events of one moment comes first.

use crate::units::NodeId;

/// What can be pending. Deliveries are named by the place of their message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Event {
    Leave(NodeId),
    Join(NodeId),
    Delivery(u32),
    Search(NodeId),
    /// Between two searches.
    Broadcast(NodeId),
    Evaluate,
    Stop,
}

impl Event {
    /// At equal times nodes leave before others join, and messages arrive before anyone searches: with zero latency a model must be there
    /// before the next node searches, as in the paper's rounds. Whoever evaluates or stops has seen all of it. (0 is left for faults.)
    pub fn rank(self) -> u8 {
        match self {
            Event::Leave(_) => 1,
            Event::Join(_) => 2,
            Event::Delivery(_) => 3,
            // Of one node, a broadcast goes before the search it leads up to: its counter is that of the search before.
            Event::Search(_) | Event::Broadcast(_) => 4,
            Event::Evaluate => 5,
            Event::Stop => 6,
        }
    }
}
