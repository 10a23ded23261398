//! A queue of future events in total order. Nothing here knows what an event means.

use super::radix_heap::RadixHeap;
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

impl Order {
    /// Whether it comes before another one. Moments are rarely equal, so this is cheaper than comparing everything.
    #[inline]
    pub fn is_before(&self, other: &Self) -> bool {
        if self.at != other.at { self.at < other.at } else { self < other }
    }
}

/// An event that can be pending.
pub trait Pending: Copy + Hash + Eq {
    /// Whether it can be cancelled, or looked for, while it is pending. Other events take less time and memory.
    fn is_cancellable(&self) -> bool;
}

/// Pending events by [`Order`]. An event that is cancellable can be pending once.
///
/// The order alone decides which event comes next, never the history of insertions. (The crate that keeps cancellable events does not define
/// the order of equal priorities and re-prioritises an equal item. The order is therefore unique, and pushing such an event while it is
/// pending is a bug that panics.) A queue is written down as a sorted list.
#[derive(Clone)]
pub struct EventQueue<E: Pending> {
    cancellable: PriorityQueue<E, Reverse<Order>, FxBuildHasher>,
    /// The order of the first of these.
    first_cancellable: Option<Order>,
    others: RadixHeap<E>,
    now: VirtualTime,
}

impl<E: Pending> EventQueue<E> {
    /// A queue at moment zero.
    pub fn new() -> Self {
        let cancellable = PriorityQueue::with_default_hasher();
        Self { cancellable, first_cancellable: None, others: RadixHeap::new(), now: VirtualTime(0) }
    }

    /// Adds an event.
    ///
    /// # Panics
    /// If the event lies in the past, or is cancellable and pending already.
    #[inline]
    pub fn push(&mut self, event: E, order: Order) {
        assert!(order.at >= self.now, "an event was put into the past");
        if event.is_cancellable() { self.push_cancellable(event, order) } else { self.others.push(event, order) }
    }

    /// The next event. Time never goes back.
    #[inline]
    pub fn pop(&mut self) -> Option<(E, Order)> {
        let (event, order) = if self.is_cancellable_next() { self.pop_cancellable() } else { self.others.pop() }?;
        assert!(order.at >= self.now, "time went back");
        self.now = order.at;
        Some((event, order))
    }

    /// The moment of the next event.
    pub fn next_at(&mut self) -> Option<VirtualTime> {
        let other = self.others.peek().map(|order| order.at);
        [self.first_cancellable.map(|order| order.at), other].into_iter().flatten().min()
    }

    /// Removes a pending event, which must be cancellable, and returns its order.
    pub fn cancel(&mut self, event: &E) -> Option<Order> {
        assert!(event.is_cancellable(), "this event cannot be cancelled");
        let (_, Reverse(order)) = self.cancellable.remove(event)?;
        self.note_first();
        Some(order)
    }

    /// Whether an event, which must be cancellable, is pending.
    pub fn holds(&self, event: &E) -> bool {
        assert!(event.is_cancellable(), "this event cannot be looked for");
        self.cancellable.contains(event)
    }

    /// The moment of the last event that was popped.
    pub fn now(&self) -> VirtualTime {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.cancellable.len() + self.others.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the next event is cancellable, or there is none.
    #[inline]
    fn is_cancellable_next(&mut self) -> bool {
        match (&self.first_cancellable, self.others.peek()) {
            (Some(cancellable), Some(other)) => cancellable.is_before(other),
            (Some(_), None) | (None, None) => true,
            (None, Some(_)) => false,
        }
    }

    fn push_cancellable(&mut self, event: E, order: Order) {
        assert!(self.cancellable.push(event, Reverse(order)).is_none(), "an event was put into the queue twice");
        self.first_cancellable = self.first_cancellable.map_or(Some(order), |first| Some(first.min(order)));
    }

    fn pop_cancellable(&mut self) -> Option<(E, Order)> {
        let (event, Reverse(order)) = self.cancellable.pop()?;
        self.note_first();
        Some((event, order))
    }

    fn note_first(&mut self) {
        self.first_cancellable = self.cancellable.peek().map(|(_, Reverse(order))| *order);
    }
}

impl<E: Pending> Default for EventQueue<E> {
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

impl<E: Pending + Serialize> Serialize for EventQueue<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cancellable = self.cancellable.iter().map(|(event, Reverse(order))| (*event, *order));
        let mut pending: Vec<(E, Order)> = cancellable.chain(self.others.iter()).collect();
        pending.sort_unstable_by_key(|(_, order)| *order);
        Saved { now: self.now, pending }.serialize(serializer)
    }
}

impl<'de, E: Pending + Deserialize<'de>> Deserialize<'de> for EventQueue<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { now, pending } = Saved::<E>::deserialize(deserializer)?;
        let mut queue = Self { now, ..Self::new() };
        let mut is_sorted = pending.is_sorted_by(|(_, a), (_, b)| a < b) && pending.first().is_none_or(|(_, first)| first.at >= now);
        for (event, order) in pending {
            is_sorted &= !event.is_cancellable() || !queue.holds(&event);
            if is_sorted {
                queue.push(event, order);
            }
        }
        if is_sorted { Ok(queue) } else { Err(de::Error::custom("an event is pending twice, out of order or in the past")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small letters and even numbers can be cancelled.
    impl Pending for char {
        fn is_cancellable(&self) -> bool {
            self.is_lowercase()
        }
    }

    impl Pending for usize {
        fn is_cancellable(&self) -> bool {
            self.is_multiple_of(2)
        }
    }

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
            ('D', order(1, 1, 1, 1)),
            ('B', order(1, 1, 0, 9)),
            ('a', order(1, 0, 5, 5)),
        ] {
            queue.push(event, order);
        }
        assert_eq!(drain(&mut queue), "aBcDe");
    }

    #[test]
    fn a_cancelled_event_never_comes_and_may_be_put_again() {
        let mut queue = EventQueue::new();
        queue.push('a', order(1, 0, 0, 0));
        queue.push('B', order(2, 0, 0, 0));
        assert_eq!(queue.cancel(&'a'), Some(order(1, 0, 0, 0)));
        assert_eq!(queue.cancel(&'a'), None);
        queue.push('a', order(3, 0, 0, 0));
        assert_eq!(drain(&mut queue), "Ba");
    }

    #[test]
    #[should_panic(expected = "twice")]
    fn an_event_is_pending_once() {
        let mut queue = EventQueue::new();
        queue.push('a', order(1, 0, 0, 0));
        queue.push('a', order(2, 0, 0, 0));
    }

    #[test]
    #[should_panic(expected = "cannot be cancelled")]
    fn some_events_are_never_taken_back() {
        EventQueue::new().cancel(&'A');
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
        for (event, at) in [('d', 40), ('C', 30), ('a', 10), ('b', 20)] {
            queue.push(event, order(at, 0, 0, 0));
        }
        queue.pop();
        let text = ron::to_string(&queue).expect("a queue can be written down");
        let mut other: EventQueue<char> = ron::from_str(&text).expect("it reads back");
        assert_eq!(ron::to_string(&other).as_deref(), Ok(text.as_str()));
        assert_eq!((other.now(), drain(&mut other)), (VirtualTime(10), "bCd".into()));
        assert!(ron::from_str::<EventQueue<char>>(&text.replace("(now:10", "(now:25")).is_err(), "an event lies in the past");
        assert!(ron::from_str::<EventQueue<char>>(&text.replace("at:40", "at:30")).is_err(), "two events have one order");
        assert!(ron::from_str::<EventQueue<char>>(&text.replace('b', "d")).is_err(), "an event is pending twice");
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
