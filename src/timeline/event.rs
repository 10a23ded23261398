//! The events, and which of two events of one moment comes first.

use super::queue::Pending;
use super::transit::MessageId;
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// A future event. Faults are named by their number in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Event {
    FaultEnds(u32),
    Fault(u32),
    Leave(NodeId),
    /// A message in a mailbox reaches its maximal age.
    Expire(MessageId),
    Join(NodeId),
    Delivery(MessageId),
    /// A message reaches its receiver's download.
    Reach(MessageId),
    /// The next transfer that shares a node's upload, or its download, is complete.
    Uploaded(NodeId),
    Downloaded(NodeId),
    Search(NodeId),
    /// A node sends between two searches.
    Broadcast(NodeId),
    /// A message is sent again.
    Retry(MessageId),
    Evaluate,
    Stop,
}

impl Event {
    /// At equal times faults come first; nodes leave before others join, and messages arrive before anyone searches: with zero latency a
    /// model must be there before the next node searches, as in the paper's rounds. An evaluation sees everything else of its moment.
    pub fn rank(self) -> u8 {
        match self {
            Event::FaultEnds(_) | Event::Fault(_) => 0,
            Event::Leave(_) | Event::Expire(_) => 1,
            Event::Join(_) => 2,
            Event::Delivery(_) | Event::Reach(_) | Event::Uploaded(_) | Event::Downloaded(_) => 3,
            // A broadcast has the counter of the search before it, so it goes before the next search of its node.
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
            Event::Fault(_) | Event::Leave(_) | Event::Join(_) | Event::Delivery(_) | Event::Search(_) | Event::Evaluate | Event::Stop => 0,
        }
    }
}

impl Pending for Event {
    /// An absence takes a node's searches, broadcasts and transfers back, a return the expiries in its mailbox. Joins are looked for.
    fn is_cancellable(&self) -> bool {
        match self {
            Event::Search(_) | Event::Broadcast(_) | Event::Uploaded(_) | Event::Downloaded(_) | Event::Expire(_) | Event::Join(_) => true,
            Event::Delivery(_) | Event::Reach(_) | Event::Retry(_) | Event::Leave(_) => false,
            Event::FaultEnds(_) | Event::Fault(_) | Event::Evaluate | Event::Stop => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_events_of_one_moment_hash_alike() {
        let n = NodeId(0);
        let all = [
            Event::FaultEnds(0),
            Event::Fault(0),
            Event::Leave(n),
            Event::Expire(MessageId(0)),
            Event::Join(n),
            Event::Delivery(MessageId(0)),
            Event::Reach(MessageId(0)),
            Event::Uploaded(n),
            Event::Downloaded(n),
            Event::Search(n),
            Event::Broadcast(n),
            Event::Retry(MessageId(0)),
            Event::Evaluate,
            Event::Stop,
        ];
        let mut marks: Vec<(u8, u8)> = all.iter().map(|event| (event.rank(), event.kind())).collect();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), all.len());
    }

    #[test]
    fn a_new_event_has_to_be_written_out() {
        for (file, code) in [("event.rs", include_str!("event.rs")), ("clock.rs", include_str!("clock.rs"))] {
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            assert!(!code.contains("_ =>") && !code.contains("(_,"), "{file} lets a new event pass unseen");
        }
    }
}
