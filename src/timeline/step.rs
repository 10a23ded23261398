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
    Search { node: NodeId, conduct: Conduct, slot: Option<Slot>, n_sent: u32, n_lost: u32 },
    /// `node` sends without a search. If it sends one model to all, that is put into `slot`.
    Broadcast { node: NodeId, slot: Option<Slot>, n_sent: u32, n_lost: u32 },
    /// `from` crafts a message for `node` alone, by what `node` knows at this moment, and puts it into `slot`. `draws` addresses the random
    /// draws of the message, and `broadcast` those that all messages of one broadcast have in common.
    Craft { node: NodeId, from: NodeId, slot: Slot, draws: u64, broadcast: u64 },
    /// `node` receives the model in `slot`, sent by `from` at `sent`.
    Receive { node: NodeId, from: NodeId, sent: VirtualTime, slot: Slot },
    /// Nobody will receive the model in `slot` any more.
    Forget { slot: Slot },
    /// `node` comes or goes. The first steps of a run say so of every node. A node that returns with a new identity is in its next life.
    Presence { node: NodeId, online: bool, life: u32 },
    /// `node` has returned, for the `nth` time, without its model, and perhaps without its history.
    Reset { node: NodeId, nth: u32, history_lost: bool },
    /// The `nth` fault of the list begins or ends. It concerns `n_nodes` nodes.
    Fault { nth: u32, begins: bool, n_nodes: u32 },
    /// A message is not delivered yet. Nobody has to do anything.
    Wait { from: NodeId, to: NodeId, sent: VirtualTime, how: Wait },
    /// A message will never be delivered. Nobody has to do anything. Two losses are only counted, and make no step: at the sending, and
    /// at an absent receiver if missed messages are simply lost.
    Lose { from: NodeId, to: NodeId, sent: VirtualTime, why: Loss },
    /// The models of the network are evaluated for the `nth` time.
    Evaluate { nth: u32, n_searches: u64, is_last: bool },
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
    /// It came to the border between two sides of a partition.
    Partition,
    /// It waited in a mailbox for too long.
    Expired,
    /// It was the oldest in a mailbox that was full.
    Overflow,
    /// Its sender left while it was on its way.
    Cut,
    /// Its receiver had become somebody else.
    Identity,
}

impl Loss {
    /// All reasons, in the order in which they are reported.
    pub const ALL: [Loss; 7] = [Loss::Transit, Loss::Offline, Loss::Partition, Loss::Expired, Loss::Overflow, Loss::Cut, Loss::Identity];

    /// In a few words.
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
