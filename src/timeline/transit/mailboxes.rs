//! Mailboxes: messages that wait for their receiver's return.

use super::message::MessageId;
use crate::units::NodeId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The mailboxes of all nodes, oldest message first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Mailboxes(BTreeMap<NodeId, VecDeque<MessageId>>);

impl Mailboxes {
    /// Puts a message into the mailbox of `to`. If the mailbox then holds more than `at_most`, its oldest message falls out.
    pub fn insert(&mut self, to: NodeId, message: MessageId, at_most: u32) -> Option<MessageId> {
        let mailbox = self.0.entry(to).or_default();
        mailbox.push_back(message);
        if mailbox.len() > at_most as usize { mailbox.pop_front() } else { None }
    }

    /// Takes a message that expires out of the mailbox of `to`. It stands near the front, because only messages of one moment can expire in
    /// another order than they came in.
    pub fn remove(&mut self, to: NodeId, message: MessageId) {
        let mailbox = self.0.get_mut(&to).expect("a message that expires is in a mailbox");
        let position = mailbox.iter().position(|other| *other == message).expect("a message that expires is in its receiver's mailbox");
        mailbox.remove(position);
    }

    /// Takes all messages for `to`, oldest first.
    pub fn empty(&mut self, to: NodeId) -> VecDeque<MessageId> {
        self.0.remove(&to).unwrap_or_default()
    }
}
