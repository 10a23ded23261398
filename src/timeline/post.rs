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
    /// Number among all messages of its sender.
    pub nth: u64,
    /// Number of the broadcast it belongs to, and the counter that addresses its own draws.
    pub turn: u64,
    pub draws: u64,
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
        if self.is_copy { self.of_attempt(self.nth) } else { self.nth }
    }

    /// Counter that addresses the random draws of this attempt; the first attempt uses the message's own.
    pub fn address(&self) -> u64 {
        self.of_attempt(self.draws)
    }

    fn of_attempt(&self, number: u64) -> u64 {
        number | u64::from(self.n_retries) << 40 | u64::from(self.is_copy) << 62
    }
}

/// Broadcasts between searches have this bit in their numbers, and their messages in the counters of their draws: none is a search's.
pub const BETWEEN: u64 = 1 << 39;

/// Counter that addresses the draws of the `i`-th message of broadcast `turn`. It depends on nothing that was sent before.
pub(super) fn draws_of(turn: u64, i: u32, fanout: u32) -> u64 {
    let number = u128::from(turn & !BETWEEN) * u128::from(fanout) + u128::from(i);
    turn & BETWEEN | (number % u128::from(BETWEEN)) as u64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_searches_are_numbered_through_and_others_apart() {
        let of = |turn| [0, 1, 2].map(|i| draws_of(turn, i, 3));
        assert_eq!((of(0), of(1), of(7)), ([0, 1, 2], [3, 4, 5], [21, 22, 23]));
        assert_eq!(of(BETWEEN | 1), [3, 4, 5].map(|number| BETWEEN | number));
        assert!(draws_of(BETWEEN - 1, 2, u32::MAX) < BETWEEN, "however many there are");
    }
}
