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
    /// `from` makes a message for `node` alone, its `nth` ever, knowing what `node` knows at this moment; it is kept in `slot`.
    /// All messages of one turn have its number.
    Craft { node: NodeId, from: NodeId, slot: Slot, nth: u64, turn: u64 },
    /// `node` receives the model in `slot`, sent by `from` at `sent`.
    Receive { node: NodeId, from: NodeId, sent: VirtualTime, slot: Slot },
    /// Nobody will receive the model in `slot` any more.
    Forget { slot: Slot },
    /// `node` comes or goes; the first steps of a run say so of every node.
    Presence { node: NodeId, online: bool },
    /// The models of the network are evaluated for the `nth` time.
    Evaluate { nth: u32, n_searches: u64, is_last: bool },
}
