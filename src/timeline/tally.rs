//! What the network did: counts that must add up, and how long messages took.

use super::step::Loss;
use crate::units::{Duration, VirtualTime};
use hdrhistogram::Histogram;

/// Running totals of a timeline.
#[derive(Debug, Clone)]
pub struct Tally {
    pub events: u64,
    pub searches: u64,
    /// Searches that fell into an absence of their node.
    pub skipped: u64,
    pub sent: u64,
    /// Second ones that the network made.
    pub duplicated: u64,
    /// Times that a message was sent again.
    pub retries: u64,
    pub delivered: u64,
    /// By reason, in the order of [`Loss::ALL`].
    lost: [u64; Loss::ALL.len()],
    /// Still on their way, or waiting.
    pub in_flight: u64,
    /// Since when nobody can search any more, because all nodes have left for good.
    pub deserted: Option<VirtualTime>,
    /// Times of delivered messages in microseconds, to three digits: from the sending on, and in transfers and their queues.
    delays: Histogram<u64>,
    transfers: Histogram<u64>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let histogram = || {
            let mut empty = Histogram::new(3).expect("three digits are allowed");
            empty.auto(true);
            empty
        };
        Self {
            events: 0,
            searches: 0,
            skipped: 0,
            sent: 0,
            duplicated: 0,
            retries: 0,
            delivered: 0,
            lost: [0; _],
            in_flight: 0,
            deserted: None,
            delays: histogram(),
            transfers: histogram(),
        }
    }

    pub(super) fn deliver(&mut self, delay: Duration, transfer: Duration) {
        self.delivered += 1;
        self.delays.record(delay.ns() / 1_000).expect("the histogram grows with its values");
        self.transfers.record(transfer.ns() / 1_000).expect("the histogram grows with its values");
    }

    pub(super) fn lose(&mut self, n: u64, why: Loss) {
        self.lost[why as usize] += n;
    }

    /// The delay that a share `q` of the delivered messages did not exceed.
    pub fn delay_quantile(&self, q: f64) -> Duration {
        Duration::from_ns(self.delays.value_at_quantile(q) * 1_000)
    }

    /// The same for the time in transfers and their queues.
    pub fn transfer_quantile(&self, q: f64) -> Duration {
        Duration::from_ns(self.transfers.value_at_quantile(q) * 1_000)
    }

    pub fn lost_by(&self, why: Loss) -> u64 {
        self.lost[why as usize]
    }

    pub fn lost(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Every message sent, or made by the network, was delivered, was lost, or is on its way.
    pub fn is_conserved(&self) -> bool {
        self.sent + self.duplicated == self.delivered + self.lost() + self.in_flight
    }
}
