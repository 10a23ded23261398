//! A queue of future events in total order. Nothing here knows what an event means.

use crate::units::VirtualTime;
use priority_queue::PriorityQueue;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::hash::Hash;

/// When an event happens, and before which others of the same moment. Two pending events never have the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    pub at: VirtualTime,
    /// Kinds of events at one moment, lowest first.
    pub rank: u8,
    pub origin: u32,
    pub counter: u64,
}

/// Pending events by [`Order`]; each event can be pending once, and can be taken back.
///
/// The order alone decides who comes next, never the history of insertions. (The underlying crate does not define the order of equal
/// priorities and re-prioritises an equal item: the order is therefore unique, and pushing a pending event is a bug that panics.)
pub struct EventQueue<E: Hash + Eq> {
    pending: PriorityQueue<E, Reverse<Order>, FxBuildHasher>,
    now: VirtualTime,
}

impl<E: Hash + Eq> EventQueue<E> {
    pub fn new() -> Self {
        Self { pending: PriorityQueue::with_default_hasher(), now: VirtualTime(0) }
    }

    /// # Panics
    /// If the event is pending already or lies in the past.
    pub fn push(&mut self, event: E, order: Order) {
        assert!(order.at >= self.now, "an event was put into the past");
        assert!(self.pending.push(event, Reverse(order)).is_none(), "an event was put into the queue twice");
    }

    /// The next event. Time never goes back.
    pub fn pop(&mut self) -> Option<(E, Order)> {
        let (event, Reverse(order)) = self.pending.pop()?;
        assert!(order.at >= self.now, "time went back");
        self.now = order.at;
        Some((event, order))
    }

    /// Takes a pending event back; says when it would have been.
    pub fn cancel(&mut self, event: &E) -> Option<Order> {
        self.pending.remove(event).map(|(_, Reverse(order))| order)
    }

    /// Whether an event is pending.
    pub fn holds(&self, event: &E) -> bool {
        self.pending.contains(event)
    }

    pub fn len(&self) -> usize {
        self.pending.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

impl<E: Hash + Eq> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(at: u64, rank: u8, origin: u32, counter: u64) -> Order {
        Order { at: VirtualTime(at), rank, origin, counter }
    }

    fn drain(queue: &mut EventQueue<char>) -> String {
        std::iter::from_fn(|| queue.pop()).map(|(event, _)| event).collect()
    }

    #[test]
    fn time_then_rank_then_origin_then_counter() {
        let mut queue = EventQueue::new();
        for (event, order) in [
            ('e', order(2, 0, 0, 0)),
            ('c', order(1, 1, 1, 0)),
            ('d', order(1, 1, 1, 1)),
            ('b', order(1, 1, 0, 9)),
            ('a', order(1, 0, 5, 5)),
        ] {
            queue.push(event, order);
        }
        assert_eq!(drain(&mut queue), "abcde");
    }

    #[test]
    fn a_cancelled_event_never_comes_and_may_be_put_again() {
        let mut queue = EventQueue::new();
        queue.push('a', order(1, 0, 0, 0));
        queue.push('b', order(2, 0, 0, 0));
        assert_eq!(queue.cancel(&'a'), Some(order(1, 0, 0, 0)));
        assert_eq!(queue.cancel(&'a'), None);
        queue.push('a', order(3, 0, 0, 0));
        assert_eq!(drain(&mut queue), "ba");
    }

    #[test]
    #[should_panic(expected = "twice")]
    fn an_event_is_pending_once() {
        let mut queue = EventQueue::new();
        queue.push('a', order(1, 0, 0, 0));
        queue.push('a', order(2, 0, 0, 0));
    }

    #[test]
    #[should_panic(expected = "past")]
    fn nothing_happens_in_the_past() {
        let mut queue = EventQueue::new();
        queue.push('a', order(5, 0, 0, 0));
        queue.pop();
        queue.push('b', order(4, 0, 0, 0));
    }

    proptest! {
        #[test]
        fn insertion_history_does_not_matter(keys in prop::collection::btree_set((0u64..50, 0u8..3, 0u32..4, 0u64..4), 0..60), salt: u64) {
            let sorted: Vec<_> = keys.iter().map(|&(at, rank, origin, counter)| order(at, rank, origin, counter)).collect();
            let mut shuffled: Vec<_> = sorted.iter().copied().enumerate().collect();
            shuffled.sort_by_key(|(i, _)| (*i as u64 + 1).wrapping_mul(salt | 1) % 1009);
            let mut queue = EventQueue::new();
            for (i, order) in shuffled {
                queue.push(i, order);
            }
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, order)| order).collect();
            prop_assert_eq!(popped, sorted);
        }
    }
}
