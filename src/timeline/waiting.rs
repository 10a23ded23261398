//! Messages that wait for a node: in its mailbox for its return, or with it to be sent again.

use crate::units::NodeId;
use std::collections::{BTreeMap, VecDeque};

/// Places of messages by the node they wait for.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    mailboxes: BTreeMap<NodeId, VecDeque<u32>>,
    /// To be sent again by a node that is away.
    parked: BTreeMap<NodeId, Vec<u32>>,
}

impl Waiting {
    /// Puts a message into the mailbox of `to`, which holds `at_most` so many; says which one falls out.
    pub fn post(&mut self, to: NodeId, place: u32, at_most: u32) -> Option<u32> {
        let mailbox = self.mailboxes.entry(to).or_default();
        mailbox.push_back(place);
        if mailbox.len() > at_most as usize { mailbox.pop_front() } else { None }
    }

    /// Takes a message out of the mailbox of `to`. It is one of the oldest: only those that came at one moment expire in another order.
    pub fn drop(&mut self, to: NodeId, place: u32) {
        let mailbox = self.mailboxes.get_mut(&to).expect("what expires waits");
        let position = mailbox.iter().position(|other| *other == place).expect("what expires waits");
        mailbox.remove(position);
    }

    /// All messages for `to`, oldest first.
    pub fn empty(&mut self, to: NodeId) -> VecDeque<u32> {
        self.mailboxes.remove(&to).unwrap_or_default()
    }

    pub fn park(&mut self, from: NodeId, place: u32) {
        self.parked.entry(from).or_default().push(place);
    }

    pub fn unpark(&mut self, from: NodeId) -> Vec<u32> {
        self.parked.remove(&from).unwrap_or_default()
    }
}
