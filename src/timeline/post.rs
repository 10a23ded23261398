//! Messages on their way, and the slots their models are kept in meanwhile.

use super::CraftTime;
use super::step::Slot;
use crate::units::{Duration, NodeId, VirtualTime};
use std::collections::BTreeSet;

/// A message on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub from: NodeId,
    pub to: NodeId,
    pub sent: VirtualTime,
    pub slot: Slot,
    /// Number among all messages of its sender, and of the turn it was sent in.
    pub nth: u64,
    pub turn: u64,
    /// When it is made, if for its receiver alone.
    pub crafted: Option<CraftTime>,
    /// Which of its lives the receiver was in when it was sent.
    pub life: u32,
    /// How often the sender had left when it was sent last.
    pub n_left: u32,
    /// How often it was sent again.
    pub n_retries: u32,
    /// A second one that the network made.
    pub is_copy: bool,
    /// Time spent in transfers and their queues.
    pub transfer: Duration,
    /// When it is sent again, on the sender's own clock.
    pub due: VirtualTime,
}

impl Message {
    /// Unique among all messages of the sender, copies included.
    pub fn counter(&self) -> u64 {
        if self.is_copy { self.address() } else { self.nth }
    }

    /// Where the draws of this attempt stand; those of a first one stand at the message's number.
    pub fn address(&self) -> u64 {
        self.nth | u64::from(self.n_retries) << 40 | u64::from(self.is_copy) << 62
    }
}

/// All messages under way, by place; places and slots are used again.
#[derive(Debug, Default)]
pub(super) struct Post {
    messages: Vec<Message>,
    free_places: Vec<u32>,
    /// Messages under way per slot.
    under_way: Vec<u32>,
    free_slots: Vec<Slot>,
    /// Slots of messages made at their delivery, whose copies are still on their way.
    made: BTreeSet<Slot>,
}

impl Post {
    /// A slot for one more message: that of `shared`, if it carries the same model.
    pub fn take_slot(&mut self, shared: Option<Slot>) -> Slot {
        let slot = shared.or_else(|| self.free_slots.pop()).unwrap_or_else(|| {
            self.under_way.push(0);
            Slot(self.under_way.len() as u32 - 1)
        });
        self.under_way[slot.0 as usize] += 1;
        slot
    }

    /// Says where the message is kept.
    pub fn put(&mut self, message: Message) -> u32 {
        match self.free_places.pop() {
            Some(place) => {
                self.messages[place as usize] = message;
                place
            }
            None => {
                self.messages.push(message);
                self.messages.len() as u32 - 1
            }
        }
    }

    pub fn message(&self, place: u32) -> Message {
        self.messages[place as usize]
    }

    pub fn change(&mut self, place: u32) -> &mut Message {
        &mut self.messages[place as usize]
    }

    pub fn take(&mut self, place: u32) -> Message {
        self.free_places.push(place);
        self.messages[place as usize]
    }

    /// Whether what is in `slot` has still to be made; the next time it is not.
    pub fn make(&mut self, slot: Slot) -> bool {
        self.made.insert(slot)
    }

    /// One message less in `slot`; says whether it was the last.
    pub fn release(&mut self, slot: Slot) -> bool {
        let under_way = &mut self.under_way[slot.0 as usize];
        *under_way -= 1;
        if *under_way == 0 {
            self.free_slots.push(slot);
            self.made.remove(&slot);
        }
        self.under_way[slot.0 as usize] == 0
    }
}
