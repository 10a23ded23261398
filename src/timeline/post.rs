//! Messages on their way, and the slots their models are kept in meanwhile.

use super::CraftTime;
use super::step::Slot;
use crate::units::{NodeId, VirtualTime};

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
}

/// All messages under way, by place; places and slots are used again.
#[derive(Debug, Default)]
pub(super) struct Post {
    messages: Vec<Message>,
    free_places: Vec<u32>,
    /// Messages under way per slot.
    under_way: Vec<u32>,
    free_slots: Vec<Slot>,
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

    pub fn take(&mut self, place: u32) -> Message {
        self.free_places.push(place);
        self.messages[place as usize]
    }

    /// One message less in `slot`; says whether it was the last.
    pub fn release(&mut self, slot: Slot) -> bool {
        let under_way = &mut self.under_way[slot.0 as usize];
        *under_way -= 1;
        if *under_way == 0 {
            self.free_slots.push(slot);
        }
        *under_way == 0
    }
}
