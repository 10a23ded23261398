//! Steps: what the timeline tells the rest of the program to do.

use super::behaviour::Conduct;
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// One thing that happens. Steps come in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Counts all steps of a run.
    pub number: u64,
    /// The moment.
    pub at: VirtualTime,
    /// What happens.
    pub action: Action,
}

/// Holds the model of a broadcast while any of its messages is in transit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slot(pub u32);

/// What happens in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The user of `node` searches. If any message leaves, the updated model is then put into `slot`.
    Search {
        /// The node whose user searches.
        node: NodeId,
        /// Whether the node attacks in this turn or behaves like an honest one.
        conduct: Conduct,
        /// The slot that keeps the sent model; `None` if no message leaves, or if each message is crafted for its receiver.
        slot: Option<Slot>,
        /// The number of messages that the node sends.
        n_sent: u32,
        /// The number of these that the network loses at once.
        n_lost: u32,
    },
    /// `node` sends without a search. If it sends one model to all receivers, that model is put into `slot`.
    Broadcast {
        /// The sender.
        node: NodeId,
        /// The slot that keeps the sent model; `None` if no message leaves, or if each message is crafted for its receiver.
        slot: Option<Slot>,
        /// The number of messages that the node sends.
        n_sent: u32,
        /// The number of these that the network loses at once.
        n_lost: u32,
    },
    /// `from` crafts a message for `node` alone, by what `node` knows at this moment, and puts it into `slot`.
    Craft {
        /// The victim.
        node: NodeId,
        /// The attacker.
        from: NodeId,
        /// The slot that keeps the crafted model.
        slot: Slot,
        /// The counter that addresses the random draws of this message.
        draws: u64,
        /// The counter that addresses the random draws that all messages of one broadcast share.
        broadcast: u64,
    },
    /// `node` receives the model in `slot`.
    Receive {
        /// The receiver.
        node: NodeId,
        /// The sender.
        from: NodeId,
        /// The moment of sending.
        sent: VirtualTime,
        /// The slot that keeps the model.
        slot: Slot,
    },
    /// No message with the model in `slot` is in transit any more, so the model can be dropped.
    Forget {
        /// The slot that becomes free.
        slot: Slot,
    },
    /// `node` joins or leaves. A run begins with one such step for every node.
    Presence {
        /// The node that joins or leaves.
        node: NodeId,
        /// Whether the node is online from now on.
        online: bool,
        /// The number of identities that the node had before this one.
        life: u32,
    },
    /// `node` has returned without its model, and perhaps without its history.
    Reset {
        /// The node that starts again.
        node: NodeId,
        /// How often the node has lost its model, this time included.
        nth: u32,
        /// Whether its history is lost as well.
        history_lost: bool,
    },
    /// A fault begins or ends.
    Fault {
        /// The index of the fault in the scenario's list.
        nth: u32,
        /// Whether the fault begins or ends.
        begins: bool,
        /// The number of nodes that the fault concerns.
        n_nodes: u32,
    },
    /// A message is not delivered yet. The data plane has nothing to do.
    Wait {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// The moment of sending.
        sent: VirtualTime,
        /// What the message waits for.
        how: Wait,
    },
    /// A message will never be delivered. The data plane has nothing to do. Two kinds of loss are counted without a step: a loss at the
    /// sending, and a loss at an absent receiver if the scenario simply drops missed messages.
    Lose {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// The moment of sending.
        sent: VirtualTime,
        /// The reason.
        why: Loss,
    },
    /// The models of the network are evaluated.
    Evaluate {
        /// The number of evaluations before this one.
        nth: u32,
        /// The number of searches so far.
        n_searches: u64,
        /// Whether the run ends with this evaluation.
        is_last: bool,
    },
}

/// What an undelivered message waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The sender sends it again after a while.
    Retry,
    /// It is in a mailbox until its receiver returns.
    Mailbox,
    /// It is held until a release.
    Held,
}

/// Why a message is never delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The network lost it by chance.
    Transit,
    /// Its receiver was away, at the last attempt if there were several.
    Offline,
    /// Its sender and receiver were on different sides of a partition.
    Partition,
    /// It waited in a mailbox for too long.
    Expired,
    /// It was the oldest in a mailbox that was full.
    Overflow,
    /// Its sender left while it was on its way.
    Cut,
    /// Its receiver had returned with a new identity.
    Identity,
}

impl Loss {
    /// All reasons, in the order in which they are reported.
    pub const ALL: [Loss; 7] = [Loss::Transit, Loss::Offline, Loss::Partition, Loss::Expired, Loss::Overflow, Loss::Cut, Loss::Identity];

    /// The reason in a few words, for summaries and tables.
    pub fn words(self) -> &'static str {
        match self {
            Loss::Transit => "on the way",
            Loss::Offline => "receiver offline",
            Loss::Partition => "partition",
            Loss::Expired => "expired",
            Loss::Overflow => "mailbox full",
            Loss::Cut => "sender left",
            Loss::Identity => "new identity",
        }
    }
}
