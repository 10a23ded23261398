//! Transfers that share a node's upload or download.

use super::message::MessageId;
use crate::units::{Duration, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One connection whose transfers run at once, each at an equal part of its speed.
///
/// All transfers are served equally, so one number measures the progress of all of them: the bytes that a transfer would have got if it
/// had been there from the beginning. All transfers are of one size, so they end in the order in which they begin.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Shared {
    served: f64,
    at: VirtualTime,
    transfers: VecDeque<Transfer>,
}

/// The transfer of one message.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// `None` if the network will lose the message: it only takes its part of the connection.
    pub message: Option<MessageId>,
    pub begun: VirtualTime,
    /// The value that `served` will have when this transfer ends.
    end: f64,
}

impl Shared {
    /// One more transfer begins.
    pub fn begin(&mut self, now: VirtualTime, message: Option<MessageId>, bytes: u64, bytes_per_ns: f64) {
        self.go_on(now, bytes_per_ns);
        if self.transfers.is_empty() {
            self.served = 0.0;
        }
        self.transfers.push_back(Transfer { message, begun: now, end: self.served + bytes as f64 });
    }

    /// When the next transfer ends if none joins, in whole nanoseconds, rounded up.
    pub fn next_end(&self, bytes_per_ns: f64) -> Option<VirtualTime> {
        let left = (self.transfers.front()?.end - self.served).max(0.0);
        let ns = (left * self.transfers.len() as f64 / bytes_per_ns).ceil();
        Some(self.at.after(Duration::from_ns(ns as u64)))
    }

    /// The transfers that end at `now`, which must be the end of the next transfer.
    pub fn end(&mut self, now: VirtualTime, bytes_per_ns: f64) -> Vec<Transfer> {
        self.go_on(now, bytes_per_ns);
        let Some(first) = self.transfers.front() else { return Vec::new() };
        // The moment was rounded, so the sum may be a little below the end of the transfer.
        self.served = self.served.max(first.end);
        let n_ended = self.transfers.partition_point(|transfer| transfer.end <= self.served);
        self.transfers.drain(..n_ended).collect()
    }

    /// All transfers end unfinished.
    pub fn break_off(&mut self) -> Vec<Transfer> {
        self.transfers.drain(..).collect()
    }

    fn go_on(&mut self, now: VirtualTime, bytes_per_ns: f64) {
        if !self.transfers.is_empty() {
            self.served += bytes_per_ns * (now.0 - self.at.0) as f64 / self.transfers.len() as f64;
        }
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transfers of 100 bytes begin at the given moments, at one byte per nanosecond. Returns which of them ends when.
    fn ends(joins: &[u64]) -> Vec<(u32, u64)> {
        let (mut shared, mut ends) = (Shared::default(), Vec::new());
        let mut joins = (0..).zip(joins.iter().copied()).peekable();
        loop {
            let end = shared.next_end(1.0);
            match (joins.peek().copied(), end) {
                (Some((message, at)), end) if end.is_none_or(|end| at < end.0) => {
                    shared.begin(VirtualTime(at), Some(MessageId(message)), 100, 1.0);
                    joins.next();
                }
                (_, Some(end)) => ends.extend(shared.end(end, 1.0).iter().map(|transfer| (transfer.message.expect("a message").0, end.0))),
                _ => return ends,
            }
        }
    }

    #[test]
    fn transfers_share_the_speed_while_they_are_together() {
        assert_eq!(ends(&[0]), [(0, 100)]);
        assert_eq!(ends(&[0, 0]), [(0, 200), (1, 200)]);
        // Alone for 50 ns, then half each: the first ends after 100 more, the second has 50 bytes left.
        assert_eq!(ends(&[0, 50]), [(0, 150), (1, 200)]);
        assert_eq!(ends(&[0, 0, 300]), [(0, 200), (1, 200), (2, 400)]);
        // A third of the speed each: 300 bytes in 300 ns.
        assert_eq!(ends(&[7, 7, 7]), [(0, 307), (1, 307), (2, 307)]);
    }

    #[test]
    fn nothing_is_lost_to_rounding() {
        let joins: Vec<u64> = (0..50).map(|i| i * i % 17 + 13 * i).collect();
        let ends = ends(&joins);
        assert_eq!(ends.iter().map(|(message, _)| *message).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
        // It is busy without a pause, up to a nanosecond per end.
        let last = ends.last().expect("fifty").1;
        assert!((5_000..5_050).contains(&last), "{last}");
    }
}
