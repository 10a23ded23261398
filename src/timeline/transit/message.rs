//! One message, its identity, and the counters that address its draws.

use crate::network::Knowledge;
use crate::timeline::step::Slot;
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// Names a message while it is in transit. Ids are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub u32);

/// The kind of a message, which decides what its delivery does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageKind {
    /// A model that its sender pushes to a peer.
    PushedModel,
}

/// A message in transit.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Message {
    pub kind: MessageKind,
    pub from: NodeId,
    pub to: NodeId,
    /// When it was sent for the first time.
    pub sent: VirtualTime,
    /// Holds its model.
    pub slot: Slot,
    /// Number among all messages of its sender.
    pub number: u64,
    /// Number of its broadcast: the number of a search, or a number with the bit [`BETWEEN`].
    pub broadcast: u64,
    /// Counter that addresses the message's random draws.
    pub draws: u64,
    /// For a message that is crafted for its receiver alone, the moment at which the attacker looks at the receiver.
    pub crafted: Option<Knowledge>,
    /// How often the receiver had changed its identity when the message was sent.
    pub life: u32,
    /// How often the sender had left when the message was sent last.
    pub n_left: u32,
    /// How often it was sent again.
    pub n_retries: u32,
    /// Whether the network made it by duplicating another message.
    pub is_copy: bool,
    /// Time spent in transfers and their queues.
    pub transfer_ns: u64,
    /// When it is to be sent again, on the sender's own clock.
    pub due: VirtualTime,
}

impl Message {
    /// Counter that orders it among all messages of its sender, copies included.
    pub fn counter(&self) -> u64 {
        if self.is_copy { self.of_attempt(self.number) } else { self.number }
    }

    /// Counter that addresses the random draws of this attempt. The first attempt uses the message's own counter.
    pub fn address(&self) -> u64 {
        self.of_attempt(self.draws)
    }

    fn of_attempt(&self, number: u64) -> u64 {
        number | u64::from(self.n_retries) << 40 | u64::from(self.is_copy) << 62
    }
}

/// The numbers of broadcasts between searches have this bit, and so have the draws of their messages. The numbers of searches do not have
/// it.
pub const BETWEEN: u64 = 1 << 39;

/// Counter that addresses the draws of the `i`-th message of broadcast number `broadcast`. It does not depend on earlier messages.
pub fn draws_of(broadcast: u64, i: u32, fanout: u32) -> u64 {
    // BETWEEN is a power of two, so what overflows does not change the remainder.
    let number = (broadcast & !BETWEEN).wrapping_mul(fanout.into()).wrapping_add(i.into());
    broadcast & BETWEEN | (number % BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_searches_are_numbered_through_and_others_apart() {
        let of = |broadcast| [0, 1, 2].map(|i| draws_of(broadcast, i, 3));
        assert_eq!((of(0), of(1), of(7)), ([0, 1, 2], [3, 4, 5], [21, 22, 23]));
        assert_eq!(of(BETWEEN | 1), [3, 4, 5].map(|number| BETWEEN | number));
        assert!(draws_of(BETWEEN - 1, 2, u32::MAX) < BETWEEN, "however many there are");
    }
}
