//! A priority queue for events that are never taken back. It relies on time: nothing is pushed that lies before the last popped moment.

use super::queue::Order;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A bucket with at most this many events is not divided further.
const SMALL: usize = 32;

/// An event and its place among all events.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    order: Order,
    event: E,
}

/// Pending events by [`Order`]: the next ones as a sorted list, all others in buckets.
///
/// A bucket holds the moments whose highest bit that differs from `base` is the same, so a later bucket holds later moments, twice as many.
/// When no event is near, the first bucket is sorted, or divided among the buckets before it. An event is therefore moved at most once for
/// each bit of its moment, from one list to the end of another.
#[derive(Debug, Clone)]
pub(super) struct RadixHeap<E> {
    /// Events until `last`, this moment included, the next one at the end.
    near: Vec<Entry<E>>,
    /// The others until `last`: those that were pushed after `near` had been sorted.
    added: BinaryHeap<Reverse<Entry<E>>>,
    last: u64,
    /// At most `last`, so all other events are later.
    base: u64,
    /// By the highest bit that differs from `base`.
    far: [Vec<Entry<E>>; 64],
    /// The bits of the buckets that are not empty.
    filled: u64,
    len: usize,
}

impl<E: Copy> RadixHeap<E> {
    pub fn new() -> Self {
        let far = std::array::from_fn(|_| Vec::new());
        Self { near: Vec::new(), added: BinaryHeap::new(), last: 0, base: 0, far, filled: 0, len: 0 }
    }

    /// Adds an event. No event that was popped may come after it in time.
    #[inline]
    pub fn push(&mut self, event: E, order: Order) {
        self.len += 1;
        self.put(Entry { order, event });
    }

    /// The next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(E, Order)> {
        let next = if self.is_added_next()? { self.added.pop().map(|Reverse(entry)| entry) } else { self.near.pop() };
        self.len -= 1;
        next.map(|Entry { order, event }| (event, order))
    }

    /// The order of the next event.
    #[inline]
    pub fn peek(&mut self) -> Option<&Order> {
        let next = if self.is_added_next()? { self.added.peek().map(|Reverse(entry)| entry) } else { self.near.last() };
        next.map(|entry| &entry.order)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// All events, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (E, Order)> {
        let added = self.added.iter().map(|Reverse(entry)| entry);
        self.near.iter().chain(added).chain(self.far.iter().flatten()).map(|entry| (entry.event, entry.order))
    }

    /// Whether the next event is one of those that were added to the near ones; `None` if there is no event.
    #[inline]
    fn is_added_next(&mut self) -> Option<bool> {
        if self.near.is_empty() && self.added.is_empty() {
            self.refill();
        }
        match (self.near.last(), self.added.peek()) {
            (Some(_), None) => Some(false),
            (Some(near), Some(Reverse(added))) => Some(added.order.is_before(&near.order)),
            (None, Some(_)) => Some(true),
            (None, None) => None,
        }
    }

    #[inline]
    fn put(&mut self, entry: Entry<E>) {
        let at = entry.order.at.0;
        if at <= self.last {
            self.added.push(Reverse(entry));
        } else {
            let bit = (at ^ self.base).ilog2();
            self.filled |= 1 << bit;
            self.far[bit as usize].push(entry);
        }
    }

    fn refill(&mut self) {
        while self.near.is_empty() && self.added.is_empty() && self.filled != 0 {
            self.take_first_bucket();
        }
    }

    /// Sorts the first bucket, or divides it.
    fn take_first_bucket(&mut self) {
        let bit = self.filled.trailing_zeros();
        self.filled &= !(1 << bit);
        let bucket = &mut self.far[bit as usize];
        let moments = || bucket.iter().map(|entry| entry.order.at.0);
        self.base = moments().min().expect("this bucket is not empty");
        if bucket.len() <= SMALL {
            self.last = moments().max().expect("this bucket is not empty");
            self.near.append(bucket);
        } else {
            self.last = self.base;
            for entry in std::mem::take(bucket) {
                if entry.order.at.0 == self.base { self.near.push(entry) } else { self.put(entry) }
            }
        }
        self.near.sort_unstable_by_key(|entry| Reverse(entry.order));
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // The heap asks these two, in the reverse order.
    #[inline]
    fn ge(&self, other: &Self) -> bool {
        !self.order.is_before(&other.order)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        !other.order.is_before(&self.order)
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::VirtualTime;
    use proptest::prelude::*;

    fn order(at: u64, counter: u64) -> Order {
        Order { at: VirtualTime(at), rank: 0, origin: 0, counter }
    }

    #[test]
    fn the_end_of_time_comes_last() {
        let mut heap = RadixHeap::new();
        for (counter, at) in [u64::MAX, 1 << 63, u64::MAX - 1, 0, 1].into_iter().enumerate() {
            heap.push((), order(at, counter as u64));
        }
        let mut moments = Vec::new();
        while let Some(((), popped)) = heap.pop() {
            moments.push((popped.at.0, popped.counter));
            if moments.len() == 4 {
                heap.push((), order(u64::MAX, 9));
            }
        }
        assert_eq!(moments, [(0, 3), (1, 4), (1 << 63, 1), (u64::MAX - 1, 2), (u64::MAX, 0), (u64::MAX, 9)]);
    }

    proptest! {
        /// Whole lives of a queue: pauses of very different lengths, often none, and more or fewer events pending.
        #[test]
        fn it_pops_what_a_binary_heap_pops(lives in prop::collection::vec((0u32..50, 0u64..4, 0usize..200, 0usize..200), 1..40)) {
            let (mut heap, mut plain, mut now, mut counter) = (RadixHeap::new(), BinaryHeap::new(), 0u64, 0u64);
            for (bits, salt, n_pushed, n_popped) in lives {
                for i in 0..n_pushed as u64 {
                    let pause = (i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 14 & ((1 << bits) - 1);
                    counter += 1;
                    heap.push(counter, order(now + pause, counter.wrapping_mul(0x9e37_79b9)));
                    plain.push(Reverse(order(now + pause, counter.wrapping_mul(0x9e37_79b9))));
                }
                for _ in 0..n_popped {
                    let want = plain.pop().map(|Reverse(order)| order);
                    prop_assert_eq!(heap.peek().copied(), want);
                    prop_assert_eq!(heap.pop().map(|(_, order)| order), want);
                    now = want.map_or(now, |order| order.at.0);
                }
                prop_assert_eq!((heap.len(), heap.iter().count()), (plain.len(), plain.len()));
            }
        }
    }
}
