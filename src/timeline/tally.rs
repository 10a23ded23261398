//! Counts of searches and messages, which must add up, and histograms of how long messages took.

use super::step::Loss;
use crate::units::{Duration, VirtualTime};
use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Running totals of a timeline.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tally {
    /// Events that took place.
    pub events: u64,
    /// Searches that took place.
    pub searches: u64,
    /// Searches that fell into an absence of their node.
    pub skipped: u64,
    /// Messages that nodes sent.
    pub sent: u64,
    /// Messages that the network made by duplicating others.
    pub duplicated: u64,
    /// How often a message was sent again.
    pub retries: u64,
    /// Messages that reached their receivers.
    pub delivered: u64,
    /// By reason, in the order of [`Loss::ALL`].
    lost: [u64; Loss::ALL.len()],
    /// Messages that travel or wait.
    pub in_flight: u64,
    /// The moment after which no node could search any more, because all nodes had left for good.
    pub deserted: Option<VirtualTime>,
    /// From sending to delivery.
    delays: Times,
    /// In transfers and their queues; empty if transfers take no time.
    transfers: Times,
}

impl Tally {
    pub(crate) fn new() -> Self {
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
            delays: Times::new(),
            transfers: Times::new(),
        }
    }

    pub(super) fn deliver(&mut self, delay: Duration, transfer: Option<Duration>) {
        self.delivered += 1;
        self.delays.record(delay);
        transfer.into_iter().for_each(|transfer| self.transfers.record(transfer));
    }

    pub(super) fn lose(&mut self, n: u64, why: Loss) {
        self.lost[why as usize] += n;
    }

    /// The delay that a share `q` of the delivered messages did not exceed.
    pub fn delay_quantile(&self, q: f64) -> Duration {
        self.delays.quantile(q)
    }

    /// The same for the time in transfers and their queues.
    pub fn transfer_quantile(&self, q: f64) -> Duration {
        self.transfers.quantile(q)
    }

    /// Messages that were lost for one reason.
    pub fn lost_by(&self, why: Loss) -> u64 {
        self.lost[why as usize]
    }

    /// Messages that were lost.
    pub fn lost(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Whether every message that a node sent or the network made was delivered, was lost, or is still in transit.
    pub fn is_conserved(&self) -> bool {
        self.sent + self.duplicated == self.delivered + self.lost() + self.in_flight
    }
}

/// A histogram of times of delivered messages, in microseconds to three digits.
#[derive(Debug, Clone)]
struct Times(Histogram<u64>);

impl Times {
    fn new() -> Self {
        let mut empty = Histogram::new(3).expect("three digits are allowed");
        empty.auto(true);
        Self(empty)
    }

    fn record(&mut self, time: Duration) {
        self.0.record(time.ns() / 1_000).expect("the histogram grows with its values");
    }

    fn quantile(&self, q: f64) -> Duration {
        Duration::from_ns(self.0.value_at_quantile(q) * 1_000)
    }
}

impl Serialize for Times {
    /// As pairs of a time and its count.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let times: Vec<(u64, u64)> = self.0.iter_recorded().map(|time| (time.value_iterated_to(), time.count_at_value())).collect();
        times.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut times = Self::new();
        for (time, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
            times.0.record_n(time, count).map_err(de::Error::custom)?;
        }
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_reads_back_as_it_was_written_down() {
        let mut tally = Tally::new();
        for i in 0..5_000 {
            tally.deliver(Duration::from_ns(i * i * 7_919), Some(Duration::from_ns(i * 1_000)));
        }
        let text = ron::to_string(&tally).expect("a tally can be written down");
        let other: Tally = ron::from_str(&text).expect("it reads back");
        assert_eq!(ron::to_string(&other), Ok(text));
        for q in [0.0, 0.01, 0.5, 0.9, 0.999, 1.0] {
            assert_eq!((tally.delay_quantile(q), tally.transfer_quantile(q)), (other.delay_quantile(q), other.transfer_quantile(q)));
        }
    }
}
