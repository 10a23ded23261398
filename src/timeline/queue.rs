//! A queue of future events in total order. Nothing here knows what an event means.

use crate::units::VirtualTime;
use priority_queue::PriorityQueue;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Reverse;
use std::hash::Hash;

/// The position of an event among all events: by moment, then by rank, origin and counter. Two pending events never have the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Order {
    /// The moment.
    pub at: VirtualTime,
    /// The kind of event; of one moment, the lowest comes first.
    pub rank: u8,
    /// Whose event it is; of one rank, the lowest comes first.
    pub origin: u32,
    /// Orders the events of one origin.
    pub counter: u64,
}

/// Pending events by [`Order`]. Each event can be pending once, and can be cancelled.
///
/// The order alone decides which event comes next, never the history of insertions. (The underlying crate does not define the order of
/// equal priorities and re-prioritises an equal item. The order is therefore unique, and pushing a pending event is a bug that panics.)
/// A queue is written down as a sorted list.
#[derive(Clone)]
pub struct EventQueue<E: Hash + Eq> {
    pending: PriorityQueue<E, Reverse<Order>, FxBuildHasher>,
    now: VirtualTime,
}

impl<E: Hash + Eq> EventQueue<E> {
    /// A queue at moment zero.
    pub fn new() -> Self {
        Self { pending: PriorityQueue::with_default_hasher(), now: VirtualTime(0) }
    }

    /// Adds an event.
    ///
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

    /// Removes a pending event, and returns its order.
    pub fn cancel(&mut self, event: &E) -> Option<Order> {
        self.pending.remove(event).map(|(_, Reverse(order))| order)
    }

    /// Whether an event is pending.
    pub fn holds(&self, event: &E) -> bool {
        self.pending.contains(event)
    }

    /// The moment of the last event that was popped.
    pub fn now(&self) -> VirtualTime {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

impl<E: Hash + Eq> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

/// A queue as it is written down.
#[derive(Serialize, Deserialize)]
struct Saved<E> {
    now: VirtualTime,
    /// In the order in which they will be popped.
    pending: Vec<(E, Order)>,
}

impl<E: Hash + Eq + Serialize> Serialize for EventQueue<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pending: Vec<(&E, Order)> = self.pending.iter().map(|(event, Reverse(order))| (event, *order)).collect();
        pending.sort_unstable_by_key(|(_, order)| *order);
        Saved { now: self.now, pending }.serialize(serializer)
    }
}

impl<'de, E: Hash + Eq + Deserialize<'de>> Deserialize<'de> for EventQueue<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { now, pending } = Saved::<E>::deserialize(deserializer)?;
        let n_saved = pending.len();
        let pending: PriorityQueue<E, Reverse<Order>, FxBuildHasher> =
            pending.into_iter().map(|(event, order)| (event, Reverse(order))).collect();
        if pending.len() < n_saved || pending.iter().any(|(_, Reverse(order))| order.at < now) {
            return Err(de::Error::custom("an event is pending twice or lies in the past"));
        }
        Ok(Self { pending, now })
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

    #[test]
    fn a_queue_goes_on_where_it_was_written_down() {
        let mut queue = EventQueue::new();
        for (event, at) in [('c', 30), ('a', 10), ('b', 20)] {
            queue.push(event, order(at, 0, 0, 0));
        }
        queue.pop();
        let text = ron::to_string(&queue).expect("a queue can be written down");
        let mut other: EventQueue<char> = ron::from_str(&text).expect("it reads back");
        assert_eq!(ron::to_string(&other).as_deref(), Ok(text.as_str()));
        assert_eq!((other.now(), drain(&mut other)), (VirtualTime(10), "bc".into()));
        assert!(ron::from_str::<EventQueue<char>>(&text.replace("(now:10", "(now:25")).is_err(), "an event lies in the past");
        assert!(ron::from_str::<EventQueue<char>>(&text.replace('b', "c")).is_err(), "an event is pending twice");
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
