//! Messages on their way: from the broadcast to the delivery, or to the loss.
//!
//! The files follow a message's way. `send` makes the messages of a broadcast. `travel` takes each through its sender's upload
//! (`transfers`), the latency, and its receiver's download. `arrive` is the one place that decides its fate there, in this order: it is
//! held, cut off with its sender, stopped by a partition, addressed to an earlier identity of its receiver, delivered, or missed.
//! `missed` loses a missed message, puts it into a mailbox, or asks for a `retry`.
//!
//! `in_transit` keeps the messages, `links` and `bandwidth` keep the state of connections, and `mailboxes` keeps messages to absent
//! receivers.

mod arrive;
mod bandwidth;
mod in_transit;
mod links;
mod mailboxes;
mod message;
mod missed;
mod retry;
mod send;
mod transfers;
mod travel;

pub use message::BETWEEN;
pub(super) use message::MessageId;
pub(super) use send::Sent;

use super::Plan;
use super::faults::Faults;
use super::presence::Presence;
use crate::units::NodeId;
use in_transit::InTransit;
use links::Links;
use mailboxes::Mailboxes;
use message::Message;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All messages that are neither delivered nor lost, and everything that happens to them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Transit {
    messages: InTransit,
    links: Links,
    mailboxes: Mailboxes,
    /// By sender that is offline: the messages that it has to send again.
    postponed: BTreeMap<NodeId, Vec<MessageId>>,
    /// Messages that wait for a release, in the order in which they would have arrived.
    held: Vec<MessageId>,
    /// By node: how many messages it has sent.
    n_sent: Vec<u64>,
    /// By node: how many messages it has received.
    n_received: Vec<u32>,
}

/// The conditions that a message meets on its way: the nodes that are online, and the faults in force.
#[derive(Clone, Copy)]
pub(super) struct Conditions<'a> {
    pub presence: &'a Presence,
    pub faults: &'a Faults,
}

impl Transit {
    /// No message is in transit yet.
    pub fn new(plan: &Plan) -> Self {
        Self {
            messages: InTransit::default(),
            links: Links::new(plan),
            mailboxes: Mailboxes::default(),
            postponed: BTreeMap::new(),
            held: Vec::new(),
            n_sent: vec![0; plan.n_nodes as usize],
            n_received: vec![0; plan.n_nodes as usize],
        }
    }

    /// The receiver and the moment of sending of a message, as the fingerprint needs them.
    pub fn receiver(&self, id: MessageId) -> (u32, u64) {
        let Message { to, sent, .. } = *self.messages.get(id);
        (to.0, sent.0)
    }

    /// Messages sent by and delivered to every node.
    pub fn loads(&self) -> impl Iterator<Item = (u64, u64)> {
        self.n_sent.iter().zip(&self.n_received).map(|(sent, received)| (*sent, u64::from(*received)))
    }
}
