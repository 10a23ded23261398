//! Checks regions, latency, bandwidth and peers.

use super::Problems;
use crate::corpus::Dataset;
use crate::network::{Bandwidth, Fanout, Latency, Region, Regions};
use crate::scenario::Scenario;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    check_regions(&scenario.regions, p);
    if let Latency::Uniform { min, max } = scenario.latency {
        p.require(min <= max, "latency.max", max, &format!("at least latency.min, {min}"));
    }
    let is_size_known = !matches!(scenario.dataset, Dataset::Letor { features: None, .. });
    p.refuse_if(scenario.bandwidth != Bandwidth::Unlimited && !is_size_known, || {
        "bandwidth is Limited, but the size of a model is not known before the data is read; give dataset.features".into()
    });
    if let Fanout::Fixed(fanout) = scenario.peers.fanout {
        let others = scenario.nodes.saturating_sub(1);
        p.require(fanout <= others, "peers.fanout", fanout, &format!("at most {others}, the number of other nodes"));
    }
}

fn check_regions(regions: &Regions, p: &mut Problems) {
    let Regions::Weights(weights) = regions else { return };
    let times = |region: Region| weights.iter().filter(|(named, _)| *named == region).count();
    for region in Region::ALL.into_iter().filter(|&region| times(region) > 1) {
        p.refuse_if(true, || format!("regions names {region:?} {} times; keep one of them", times(region)));
    }
    let has_somebody = weights.iter().any(|(_, weight)| *weight > 0.0);
    p.refuse_if(!has_somebody && !p.concern("regions"), || "regions has no weight above 0; name a region where nodes live, or choose regions: Uniform".into());
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[test]
    fn latency_is_a_distribution() {
        let latency = "LogNormal(median: \"80ms\", sigma: 0.6)";
        refuse(latency, "Uniform(min: \"2s\", max: \"1s\")", "latency.max is 1s; it must be at least latency.min, 2s");
        refuse("sigma: 0.6", "sigma: -0.3", "x.ron:18:47: latency.sigma is -0.3; it must be between 0 and 10");
        refuse("sigma: 0.6", "sigma: NaN", "latency.sigma is NaN; it must be between 0 and 10");
        refuse("sigma: 0.6", "sigma: 10.5", "latency.sigma is 10.5; it must be between 0 and 10");
        refuse("sigma: 0.6", "sigma: inf", "latency.sigma is inf; it must be between 0 and 10");
        refuse("\"80ms\"", "\"0s\"", "latency.median is 0s; it must be above 0; without delays choose latency: Zero");
        refuse(latency, "Gamma(mean: \"0s\", shape: 2.0)", "latency.mean is 0s; it must be above 0; without delays choose latency: Zero");
        refuse(latency, "Gamma(mean: \"1s\", shape: 0.0)", "latency.shape is 0; it must be between 0.01 and 10000");
        refuse(latency, "Regions(jitter: LogNormal(sigma: -0.1))", "latency.jitter.sigma is -0.1; it must be between 0 and 10");
        refuse(latency, "Matrix(path: \"\", unit: Seconds, measures: OneWay)", "latency.path is \"\"; it must be the name of a file");
        refuse(latency, "Matrix(path: \"m.csv\", measures: OneWay)", "missing field `unit`: what the numbers of the file count");
        refuse(
            latency,
            "Vivaldi(path: \"v\", unit: Milliseconds)",
            "missing field `measures`: whether a number is one way or a round trip",
        );
        accept(latency, "Vivaldi(path: \"v\", unit: Milliseconds, measures: RoundTrip)");
        accept(latency, "Regions()");
        accept(latency, "Constant(\"0s\")");
        accept(latency, "Uniform(min: \"1s\", max: \"1s\")");
    }

    #[test]
    fn regions_have_weights() {
        let refuse = |regions: &str, expect: &str| refuse("loss: 0.001", &format!("regions: {regions}"), expect);
        refuse("Weights([])", "regions has no weight above 0; name a region");
        refuse("Weights([(London, 0.0)])", "regions has no weight above 0");
        refuse("Weights([(London, 1.0), (Tokyo, -1.0)])", "x.ron:19:38: regions[1] is -1; it must be between 0 and 1e9");
        refuse("Weights([(London, 1.0), (London, 2.0)])", "regions names London 2 times");
        refuse("Weights([(Londn, 1.0)])", "regions cannot be `Londn`; did you mean `London`?");
        accept("loss: 0.001", "regions: Weights([(London, 2.0), (Tokyo, 1.0)])");
    }

    #[test]
    fn loss_is_a_probability() {
        for loss in ["-0.1", "1.1", "NaN"] {
            refuse("loss: 0.001", &format!("loss: {loss}"), &format!("loss is {loss}; it must be between 0 and 1"));
        }
        accept("loss: 0.001", "loss: 1.0");
    }

    #[test]
    fn a_broadcast_reaches_others_only() {
        refuse("loss: 0.001", "peers: (among: All, fanout: Fixed(100))", "peers.fanout is 100; it must be at most 99");
        accept("loss: 0.001", "peers: (among: Online, fanout: Fixed(99))");
        accept("loss: 0.001", "peers: (among: All, fanout: Fixed(0))");
    }

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
