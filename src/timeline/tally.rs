//! What the network did: counts that must add up, and how long messages took.

use crate::units::Duration;
use hdrhistogram::Histogram;

/// Running totals of a timeline.
#[derive(Debug, Clone)]
pub struct Tally {
    pub events: u64,
    pub searches: u64,
    /// Searches that fell into an absence of their node.
    pub skipped: u64,
    pub sent: u64,
    pub delivered: u64,
    pub lost_in_transit: u64,
    /// Arrived while the receiver was away.
    pub lost_offline: u64,
    /// Still on their way.
    pub in_flight: u64,
    /// Delays of delivered messages in microseconds, to three digits.
    delays: Histogram<u64>,
}

impl Tally {
    pub(super) fn new() -> Self {
        let mut delays = Histogram::new(3).expect("three digits are allowed");
        delays.auto(true);
        Self { events: 0, searches: 0, skipped: 0, sent: 0, delivered: 0, lost_in_transit: 0, lost_offline: 0, in_flight: 0, delays }
    }

    pub(super) fn deliver(&mut self, delay: Duration) {
        self.delivered += 1;
        self.delays.record(delay.ns() / 1_000).expect("the histogram grows with its values");
    }

    /// The delay that a share `q` of the delivered messages did not exceed.
    pub fn delay_quantile(&self, q: f64) -> Duration {
        Duration::from_ns(self.delays.value_at_quantile(q) * 1_000)
    }

    pub fn lost(&self) -> u64 {
        self.lost_in_transit + self.lost_offline
    }

    /// Every message sent was delivered, was lost, or is on its way.
    pub fn is_conserved(&self) -> bool {
        self.sent == self.delivered + self.lost() + self.in_flight
    }
}
