//! What can be pending, and which of two events of one moment comes first.

use crate::units::NodeId;

/// What can be pending. Messages are named by their places, faults by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Event {
    FaultEnds(u32),
    Fault(u32),
    Leave(NodeId),
    /// A message has waited in a mailbox for as long as it may.
    Expire(u32),
    Join(NodeId),
    Delivery(u32),
    /// A message has come as far as its receiver's download.
    Reach(u32),
    /// The next of the transfers that share a node's upload, or its download, is complete.
    Uploaded(NodeId),
    Downloaded(NodeId),
    Search(NodeId),
    /// Between two searches.
    Broadcast(NodeId),
    /// A message is sent again.
    Retry(u32),
    Evaluate,
    Stop,
}

impl Event {
    /// At equal times faults come first; nodes leave before others join, and messages arrive before anyone searches: with zero latency a
    /// model must be there before the next node searches, as in the paper's rounds. Whoever evaluates or stops has seen all of it.
    pub fn rank(self) -> u8 {
        match self {
            Event::FaultEnds(_) | Event::Fault(_) => 0,
            Event::Leave(_) | Event::Expire(_) => 1,
            Event::Join(_) => 2,
            Event::Delivery(_) | Event::Reach(_) | Event::Uploaded(_) | Event::Downloaded(_) => 3,
            // Of one node, a broadcast goes before the search it leads up to: its counter is that of the search before.
            Event::Search(_) | Event::Broadcast(_) | Event::Retry(_) => 4,
            Event::Evaluate => 5,
            Event::Stop => 6,
        }
    }

    /// Tells events of one rank apart in the fingerprint.
    pub fn kind(self) -> u8 {
        match self {
            Event::Broadcast(_) => 1,
            Event::FaultEnds(_) => 2,
            Event::Expire(_) => 3,
            Event::Reach(_) => 4,
            Event::Uploaded(_) => 5,
            Event::Downloaded(_) => 6,
            Event::Retry(_) => 7,
            _ => 0,
        }
    }

    /// The place of the message it is about.
    pub fn message(self) -> Option<u32> {
        match self {
            Event::Delivery(place) | Event::Reach(place) | Event::Expire(place) | Event::Retry(place) => Some(place),
            _ => None,
        }
    }
}
