//! The fingerprint of a timeline: a hash of all events in order.

use super::event::Event;
use super::node_schedule::Schedule;
use super::queue::Order;
use super::transit::Transit;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Adds events to a fingerprint.
///
/// An event is hashed when the next one is there: a processor must wait if it reads together what it has just written piece by piece.
pub(super) struct Trail<'a> {
    fingerprint: &'a mut u64,
    /// The bytes of the last event and of the one before it.
    last: [[u8; 34]; 2],
    n_events: usize,
}

impl<'a> Trail<'a> {
    pub fn new(fingerprint: &'a mut u64) -> Self {
        Self { fingerprint, last: [[0; _]; 2], n_events: 0 }
    }

    /// Takes an event, and hashes the one before it.
    #[inline]
    pub fn note(&mut self, event: Event, order: Order, schedule: &Schedule, transit: &Transit) {
        let (to, sent) = match event {
            Event::Delivery(message) | Event::Reach(message) | Event::Expire(message) | Event::Retry(message) => transit.receiver(message),
            Event::Broadcast(node) => (schedule.n_between_done(node), 0),
            Event::FaultEnds(_)
            | Event::Fault(_)
            | Event::Leave(_)
            | Event::Join(_)
            | Event::Uploaded(_)
            | Event::Downloaded(_)
            | Event::Search(_)
            | Event::Evaluate
            | Event::Stop => (0, 0),
        };
        let bytes = &mut self.last[self.n_events % 2];
        bytes[..8].copy_from_slice(&order.at.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&order.counter.to_le_bytes());
        bytes[16..24].copy_from_slice(&sent.to_le_bytes());
        bytes[24..28].copy_from_slice(&order.origin.to_le_bytes());
        bytes[28..32].copy_from_slice(&to.to_le_bytes());
        bytes[32] = order.rank;
        bytes[33] = event.kind();
        self.hash_last();
        self.n_events += 1;
    }

    /// Hashes the event that was taken last, if there is one.
    pub fn end(mut self) {
        self.hash_last();
    }

    #[inline]
    fn hash_last(&mut self) {
        if self.n_events > 0 {
            *self.fingerprint = xxh3_64_with_seed(&self.last[(self.n_events - 1) % 2], *self.fingerprint);
        }
    }
}
