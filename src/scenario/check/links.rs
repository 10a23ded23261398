//! Connections, and what an absence means.

use super::Problems;
use super::network::above_zero;
use crate::corpus::Dataset;
use crate::network::{Bandwidth, Bursts, Unreached};
use crate::scenario::Scenario;
use crate::units::Duration;

/// Attempts have room for so many numbers in the addresses of their draws.
const MAX_RETRIES: u32 = 1_000_000;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    p.probability("duplicates", scenario.duplicates);
    check_bursts(scenario.bursts, p);
    check_bandwidth(scenario, p);
    check_absence(scenario.absence.messages, p);
}

fn check_bursts(bursts: Bursts, p: &mut Problems) {
    let Bursts::GilbertElliott { good, bad, loss_in_bad } = bursts else { return };
    above_zero("bursts.good", good, p);
    above_zero("bursts.bad", bad, p);
    p.probability("bursts.loss_in_bad", loss_in_bad);
}

fn check_bandwidth(scenario: &Scenario, p: &mut Problems) {
    let Bandwidth::Limited { upload, download, spread, .. } = scenario.bandwidth else { return };
    p.require((0.0..=10.0).contains(&spread), "bandwidth.spread", spread, "between 0, all nodes alike, and 10");
    for (field, rate) in [("bandwidth.upload", upload), ("bandwidth.download", download)] {
        p.require(rate.bits() > 0, field, rate, "above 0; without limits choose bandwidth: Unlimited");
    }
    let is_known = !matches!(scenario.dataset, Dataset::Letor { features: None, .. });
    p.refuse_if(!is_known, || {
        "bandwidth is Limited, but the size of a model is not known before the data is read; give dataset.features".into()
    });
}

fn check_absence(messages: Unreached, p: &mut Problems) {
    match messages {
        Unreached::Lost => {}
        Unreached::Retry { every, at_most } => {
            above_zero("absence.messages.every", every, p);
            let is_so = (1..=MAX_RETRIES).contains(&at_most);
            let must_be = format!("between 1 and {MAX_RETRIES}; without retries choose messages: Lost");
            p.require(is_so, "absence.messages.at_most", at_most, &must_be);
        }
        Unreached::Mailbox { at_most, age } => {
            let must_be = "at least 1; without a mailbox choose messages: Lost";
            p.require(at_most > 0, "absence.messages.at_most", at_most, must_be);
            p.require(age > Duration::ZERO, "absence.messages.age", age, "above 0; without a mailbox choose messages: Lost");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[track_caller]
    fn refused(field: &str, expect: &str) {
        refuse("loss: 0.001", field, expect);
    }

    #[test]
    fn connections_carry_something() {
        let limited = |upload: &str, download: &str| format!("bandwidth: Limited(upload: \"{upload}\", download: \"{download}\")");
        refused(
            &limited("0bit/s", "1Mbit/s"),
            "bandwidth.upload is 0bit/s; it must be above 0; without limits choose bandwidth: Unlimited",
        );
        let unequal = "bandwidth: Limited(upload: \"1Mbit/s\", download: \"1Mbit/s\", spread: -1.0)";
        refused(unequal, "bandwidth.spread is -1; it must be between 0");
        refused(&limited("1Mbit/s", "0kB/s"), "bandwidth.download is 0bit/s; it must be above 0");
        refused(&limited("5Mbps", "1Mbit/s"), "bandwidth.upload: `5Mbps` is not a speed");
        accept("loss: 0.001", &limited("5Mbit/s", "2.5MB/s"));
        let letor =
            "dataset: Letor(path: \"d\", normalize: AsIs, grades: 5), bandwidth: Limited(upload: \"1Mbit/s\", download: \"1Mbit/s\")";
        refuse("dataset: Synthetic(like: Web30k, train_queries: 100, test_queries: 10)", letor, "give dataset.features");
        refused("duplicates: 1.5", "duplicates is 1.5; it must be between 0 and 1");
    }

    #[test]
    fn spells_have_a_length_and_a_loss() {
        let bursts =
            |good: &str, bad: &str, loss: &str| format!("bursts: GilbertElliott(good: \"{good}\", bad: \"{bad}\", loss_in_bad: {loss})");
        refused(&bursts("0s", "1s", "0.5"), "bursts.good is 0s; it must be above 0");
        refused(&bursts("1s", "0s", "0.5"), "bursts.bad is 0s; it must be above 0");
        refused(&bursts("1s", "1s", "1.5"), "bursts.loss_in_bad is 1.5; it must be between 0 and 1");
        accept("loss: 0.001", &bursts("10min", "10s", "0.5"));
    }

    #[test]
    fn retries_and_mailboxes_hold_something() {
        let absence = |messages: &str| format!("absence: (messages: {messages})");
        refused(&absence("Retry(every: \"1min\", at_most: 0)"), "absence.messages.at_most is 0; it must be between 1 and 1000000; without");
        refused(&absence("Retry(every: \"0s\", at_most: 3)"), "absence.messages.every is 0s; it must be above 0");
        refused(&absence("Mailbox(at_most: 0, age: \"1h\")"), "absence.messages.at_most is 0; it must be at least 1");
        refused(&absence("Mailbox(at_most: 3, age: \"0s\")"), "absence.messages.age is 0s; it must be above 0");
        refused(&absence("Mailbox(at_most: 3)"), "missing field `age`: how long a message waits");
        refused("absence: (timers: Pause)", "absence.timers cannot be `Pause`; did you mean `Paused`?");
        accept("loss: 0.001", &absence("Mailbox(at_most: 3, age: \"1h\"), state: AllLost, identity: New"));
    }
}
