//! What the timeline tells the rest of the program to do.

use super::habit::Conduct;
use crate::units::{NodeId, VirtualTime};

/// One thing that happens. Steps come in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub number: u64,
    pub at: VirtualTime,
    pub action: Action,
}

/// Where a broadcast model is kept while any of its messages is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The user of `node` searches; the updated model is then kept in `slot`, if any message with it leaves.
    Search { node: NodeId, conduct: Conduct, slot: Option<Slot>, n_sent: u32, n_lost: u32 },
    /// `node` sends without a search; its model, if it sends one to all, is kept in `slot`.
    Broadcast { node: NodeId, slot: Option<Slot>, n_sent: u32, n_lost: u32 },
    /// `from` makes a message for `node` alone, knowing what `node` knows at this moment; it is kept in `slot`. `nth` addresses the
    /// message's draws, `turn` those that all messages of one broadcast have in common.
    Craft { node: NodeId, from: NodeId, slot: Slot, nth: u64, turn: u64 },
    /// `node` receives the model in `slot`, sent by `from` at `sent`.
    Receive { node: NodeId, from: NodeId, sent: VirtualTime, slot: Slot },
    /// Nobody will receive the model in `slot` any more.
    Forget { slot: Slot },
    /// `node` comes or goes; the first steps of a run say so of every node. Whoever returns with a new identity is in its next life.
    Presence { node: NodeId, online: bool, life: u32 },
    /// `node` is back, for the `nth` time, without its model; without its history too, if that is lost.
    Reset { node: NodeId, nth: u32, history_lost: bool },
    /// The `nth` fault of the list begins or ends; it concerns so many nodes.
    Fault { nth: u32, begins: bool, n_nodes: u32 },
    /// A message is not delivered yet: nobody has to do anything.
    Wait { from: NodeId, to: NodeId, sent: VirtualTime, how: Wait },
    /// A message will never be delivered: nobody has to do anything. Losses at the sending, and at an absent receiver where that is
    /// all there is to say, are counted only.
    Lose { from: NodeId, to: NodeId, sent: VirtualTime, why: Loss },
    /// The models of the network are evaluated for the `nth` time.
    Evaluate { nth: u32, n_searches: u64, is_last: bool },
}

/// What an undelivered message waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The sender sends it again after a while.
    Retry,
    /// Its receiver's return.
    Mailbox,
    /// A release.
    Held,
}

/// Why a message is never delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// By chance, on its way.
    Transit,
    /// Its receiver was away, at the last attempt if there were several.
    Offline,
    /// It arrived at a border between groups.
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
