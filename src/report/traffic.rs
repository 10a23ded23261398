//! Searches and messages of a run, as lines of a summary.

use super::line;
use crate::units::{Duration, Extent, VirtualTime, count};

/// The searches of a whole run, and the outcomes of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// How long the run was to be.
    pub stop: Extent,
    /// Searches that took place.
    pub searches: u64,
    /// Messages sent.
    pub sent: u64,
    /// Times that a message was sent again.
    pub retries: u64,
    /// Copies of messages that the network made.
    pub duplicated: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages lost, by reason. The first two reasons are always shown, the others only if a message was lost for them.
    pub losses: Vec<(&'static str, u64)>,
    /// Messages that were on their way, or waited, when the run ended.
    pub undelivered: u64,
    /// The moment at which all nodes had left for good, if they did.
    pub deserted: Option<VirtualTime>,
    /// How long delivered messages took.
    pub delay: Times,
    /// How long they spent in transfers and their queues, if bandwidth is limited.
    pub transfer: Option<Times>,
}

/// Quantiles of a time over all delivered messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Half of the messages did not exceed this time.
    pub median: Duration,
    /// 95 % of the messages did not exceed this time.
    pub p95: Duration,
    /// 99 % of the messages did not exceed this time.
    pub p99: Duration,
}

impl Times {
    /// The times by `quantile`, which gives the time that a share of the messages did not exceed.
    pub fn of(quantile: impl Fn(f64) -> Duration) -> Self {
        Self { median: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
    }

    fn show(&self) -> String {
        format!("median {}   p95 {}   p99 {}", self.median, self.p95, self.p99)
    }
}

/// The number of reasons that are shown even if no message was lost for them: they can occur in every network.
const USUAL_REASONS: usize = 2;

impl Traffic {
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![line("messages", self.messages())];
        lines.extend(self.deserted());
        lines.push(line("delay", self.delay.show()));
        lines.extend(self.transfer.map(|transfer| line("transfer", transfer.show())));
        lines
    }

    fn messages(&self) -> String {
        let shown = self.losses.iter().enumerate().filter(|(nth, (_, lost))| *nth < USUAL_REASONS || *lost > 0);
        let reasons: Vec<String> = shown.map(|(_, (why, lost))| format!("{why} {}", count(*lost))).collect();
        let some = |n: u64, words: &str| if n > 0 { format!("   {words} {}", count(n)) } else { String::new() };
        format!(
            "whole run: sent {}{}{}   delivered {}   lost {} ({})   undelivered {}",
            count(self.sent),
            some(self.retries, "again"),
            some(self.duplicated, "duplicated"),
            count(self.delivered),
            count(self.losses.iter().map(|(_, lost)| lost).sum()),
            reasons.join(", "),
            count(self.undelivered)
        )
    }

    /// A warning if all nodes left before the run had its length.
    fn deserted(&self) -> Option<String> {
        let since = self.deserted?;
        let so = match self.stop {
            Extent::Sessions(n) => format!("the run ended after {} of {} sessions", count(self.searches), count(n)),
            Extent::Time(_) => "nobody searched after that".into(),
        };
        Some(line("deserted", format!("all nodes had left for good after {since}: {so}")))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn traffic() -> Traffic {
        let times = |ms: u64| Times::of(|q| Duration::from_ns((q * 100.0) as u64 * ms * 1_000_000));
        Traffic {
            stop: Extent::Sessions(2000),
            searches: 1000,
            sent: 5000,
            retries: 0,
            duplicated: 0,
            delivered: 4990,
            losses: vec![("on the way", 7), ("receiver offline", 0), ("partition", 0)],
            undelivered: 3,
            deserted: None,
            delay: times(1),
            transfer: None,
        }
    }

    #[track_caller]
    fn check(traffic: Traffic, expect: &[&str]) {
        assert_eq!(traffic.lines(), expect);
    }

    #[test]
    fn rare_events_are_told_where_there_are_any() {
        let messages = "  messages     whole run: sent 5,000   delivered 4,990   lost 7 (on the way 7, receiver offline 0)   undelivered 3";
        let delay = "  delay        median 50ms   p95 95ms   p99 99ms";
        check(traffic(), &[messages, delay]);
        check(
            Traffic { retries: 2, duplicated: 1, losses: vec![("on the way", 0), ("receiver offline", 1), ("partition", 6)], ..traffic() },
            &[
                "  messages     whole run: sent 5,000   again 2   duplicated 1   delivered 4,990   lost 7 (on the way 0, receiver offline 1, partition 6)   undelivered 3",
                delay,
            ],
        );
        let transfer = Some(traffic().delay);
        check(Traffic { transfer, ..traffic() }, &[messages, delay, "  transfer     median 50ms   p95 95ms   p99 99ms"]);
        let deserted = Some(VirtualTime(60_000_000_000));
        let gone = "  deserted     all nodes had left for good after 1min: the run ended after 1,000 of 2,000 sessions";
        check(Traffic { deserted, ..traffic() }, &[messages, gone, delay]);
        let gone = "  deserted     all nodes had left for good after 1min: nobody searched after that";
        check(Traffic { deserted, stop: Extent::Time(Duration::from_secs(90)), ..traffic() }, &[messages, gone, delay]);
    }
}
