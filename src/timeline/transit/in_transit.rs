//! The messages in transit, and the slots that hold their models.

use super::message::{Message, MessageId};
use crate::timeline::step::Slot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All messages in transit by id. Ids and slots are used again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InTransit {
    messages: Vec<Message>,
    free_ids: Vec<MessageId>,
    /// By slot: how many messages in transit share its model.
    n_sharing: Vec<u32>,
    free_slots: Vec<Slot>,
    /// Slots of messages that were crafted at their delivery, and whose copies are still in transit.
    crafted: BTreeSet<Slot>,
}

impl InTransit {
    /// A slot for one more message. Messages that carry the same model share its slot.
    pub fn take_slot(&mut self, shared: Option<Slot>) -> Slot {
        let slot = shared.or_else(|| self.free_slots.pop()).unwrap_or_else(|| {
            self.n_sharing.push(0);
            Slot(self.n_sharing.len() as u32 - 1)
        });
        self.n_sharing[slot.0 as usize] += 1;
        slot
    }

    /// Removes one message from `slot`, and returns whether it was the last.
    pub fn release_slot(&mut self, slot: Slot) -> bool {
        let n_sharing = &mut self.n_sharing[slot.0 as usize];
        *n_sharing -= 1;
        let is_free = *n_sharing == 0;
        if is_free {
            self.free_slots.push(slot);
            self.crafted.remove(&slot);
        }
        is_free
    }

    /// Whether the model in `slot` has still to be crafted. Marks it as crafted.
    pub fn craft(&mut self, slot: Slot) -> bool {
        self.crafted.insert(slot)
    }

    /// Keeps a message, and returns its id.
    pub fn insert(&mut self, message: Message) -> MessageId {
        match self.free_ids.pop() {
            Some(id) => {
                self.messages[id.0 as usize] = message;
                id
            }
            None => {
                self.messages.push(message);
                MessageId(self.messages.len() as u32 - 1)
            }
        }
    }

    pub fn get(&self, id: MessageId) -> &Message {
        &self.messages[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: MessageId) -> &mut Message {
        &mut self.messages[id.0 as usize]
    }

    /// Removes a message that is delivered or lost.
    pub fn remove(&mut self, id: MessageId) -> Message {
        self.free_ids.push(id);
        self.messages[id.0 as usize]
    }
}
