//! Arrivals, latency, loss, churn and peers.

use super::Problems;
use crate::network::{Arrivals, Churn, Fanout, Latency, Length, Region, Regions};
use crate::scenario::Scenario;
use crate::units::Duration;
use std::ops::RangeInclusive;

/// e^(10 σ) is beyond any network already at σ = 10, and σ² stays far from overflow.
const MAX_SIGMA: f64 = 10.0;
/// Below it a Weibull's mean is millions of times its scale; above it, it is a constant.
const SHAPES: RangeInclusive<f64> = 0.1..=100.0;
const CENTURY: f64 = 100.0 * 365.25 * 86_400.0;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    check_regions(&scenario.regions, p);
    check_arrivals(scenario, p);
    check_latency(scenario.latency, p);
    p.probability("loss", scenario.loss);
    if let Churn::Alternating { online, offline } = scenario.churn {
        check_length("churn.online", online, p);
        check_length("churn.offline", offline, p);
    }
    if let Fanout::Fixed(fanout) = scenario.peers.fanout {
        let others = scenario.nodes.saturating_sub(1);
        p.require(fanout <= others, "peers.fanout", fanout, &format!("at most {others}, the number of other nodes"));
    }
}

fn check_regions(regions: &Regions, p: &mut Problems) {
    let Regions::Weights(weights) = regions else { return };
    for (region, weight) in weights {
        let is_weight = *weight >= 0.0 && weight.is_finite();
        p.require(is_weight, &format!("regions.{region:?}"), weight, "a weight, finite and at least 0");
    }
    let times = |region: Region| weights.iter().filter(|(named, _)| *named == region).count();
    for region in Region::ALL.into_iter().filter(|&region| times(region) > 1) {
        p.refuse_if(true, || format!("regions names {region:?} {} times; keep one of them", times(region)));
    }
    let has_somebody = weights.iter().any(|(_, weight)| *weight > 0.0);
    p.refuse_if(!has_somebody, || "regions has no weight above 0; name a region where nodes live, or choose regions: Uniform".into());
}

fn check_arrivals(scenario: &Scenario, p: &mut Problems) {
    let nodes = u64::from(scenario.nodes);
    match scenario.arrivals {
        Arrivals::RoundRobin { period } => {
            let must_be = format!("at least {}, so that {nodes} turns of 1ns fit in", Duration::from_ns(nodes.max(1)));
            p.require(period.ns() >= nodes.max(1), "arrivals.period", period, &must_be);
        }
        Arrivals::Poisson { every } => above_zero("arrivals.every", every, p),
    }
}

fn check_latency(latency: Latency, p: &mut Problems) {
    match latency {
        Latency::Zero | Latency::Constant(_) => {}
        Latency::Uniform { min, max } => p.require(min <= max, "latency.max", max, &format!("at least latency.min, {min}")),
        Latency::LogNormal { median, sigma } => {
            p.require(median > Duration::ZERO, "latency.median", median, "above 0; without delays choose latency: Zero");
            check_sigma("latency.sigma", sigma, p);
        }
    }
}

fn check_length(field: &str, length: Length, p: &mut Problems) {
    let known = p.count();
    match length {
        Length::Exponential { mean } => above_zero(&format!("{field}.mean"), mean, p),
        Length::Weibull { shape, scale } => {
            p.require(SHAPES.contains(&shape), &format!("{field}.shape"), shape, "between 0.1 and 100");
            above_zero(&format!("{field}.scale"), scale, p);
        }
        Length::LogNormal { median, sigma } => {
            above_zero(&format!("{field}.median"), median, p);
            check_sigma(&format!("{field}.sigma"), sigma, p);
        }
    }
    let (mean, is_new) = (length.mean(), p.count() == known);
    p.refuse_if(is_new && mean > CENTURY, || {
        format!("{field} has a mean of {mean:.1e} s; it must be at most a century; shorten it or narrow its tail")
    });
}

fn check_sigma(field: &str, sigma: f64, p: &mut Problems) {
    p.require(sigma >= 0.0, field, sigma, "at least 0");
    p.refuse_if(sigma > MAX_SIGMA, || format!("{field} is {sigma}; it must be at most {MAX_SIGMA}"));
}

pub(super) fn above_zero(field: &str, duration: Duration, p: &mut Problems) {
    p.require(duration > Duration::ZERO, field, duration, "above 0");
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[test]
    fn arrivals_take_time() {
        refuse("Poisson(every: \"10min\")", "Poisson(every: \"0s\")", "arrivals.every is 0s; it must be above 0");
        refuse("Poisson(every: \"10min\")", "RoundRobin(period: \"0s\")", "arrivals.period is 0s; it must be at least 100ns");
        refuse("Poisson(every: \"10min\")", "RoundRobin(period: \"99ns\")", "arrivals.period is 99ns; it must be at least 100ns");
        accept("Poisson(every: \"10min\")", "RoundRobin(period: \"100s\")");
    }

    #[test]
    fn latency_is_a_distribution() {
        let latency = "LogNormal(median: \"80ms\", sigma: 0.6)";
        refuse(latency, "Uniform(min: \"2s\", max: \"1s\")", "latency.max is 1s; it must be at least latency.min, 2s");
        refuse("sigma: 0.6", "sigma: -0.3", "x.ron: latency.sigma is -0.3; it must be at least 0");
        refuse("sigma: 0.6", "sigma: NaN", "latency.sigma is NaN; it must be at least 0");
        refuse("sigma: 0.6", "sigma: 10.5", "latency.sigma is 10.5; it must be at most 10");
        refuse("sigma: 0.6", "sigma: inf", "latency.sigma is inf; it must be at most 10");
        refuse("\"80ms\"", "\"0s\"", "latency.median is 0s; it must be above 0; without delays choose latency: Zero");
        accept(latency, "Constant(\"0s\")");
        accept(latency, "Uniform(min: \"1s\", max: \"1s\")");
    }

    #[test]
    fn regions_have_weights() {
        let refuse = |regions: &str, expect: &str| refuse("loss: 0.001", &format!("regions: {regions}"), expect);
        refuse("Weights([])", "regions has no weight above 0; name a region");
        refuse("Weights([(London, 0.0)])", "regions has no weight above 0");
        refuse("Weights([(London, 1.0), (Tokyo, -1.0)])", "regions.Tokyo is -1; it must be a weight, finite and at least 0");
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
    fn periods_have_a_length() {
        refuse("shape: 0.6", "shape: 0.0", "churn.online.shape is 0; it must be between 0.1 and 100");
        refuse("shape: 0.6", "shape: -1.0", "churn.online.shape is -1");
        refuse("shape: 0.6", "shape: 0.05", "churn.online.shape is 0.05");
        refuse("shape: 0.6", "shape: 101.0", "churn.online.shape is 101");
        refuse("shape: 0.6", "shape: NaN", "churn.online.shape is NaN");
        refuse("\"2h\"", "\"0s\"", "churn.online.scale is 0s; it must be above 0");
        refuse("\"3h\"", "\"0s\"", "churn.offline.mean is 0s; it must be above 0");
        refuse(
            "Exponential(mean: \"3h\")",
            "LogNormal(median: \"0s\", sigma: -1.0)",
            "churn.offline.median is 0s…churn.offline.sigma is -1",
        );
        refuse("Exponential(mean: \"3h\")", "LogNormal(median: \"3h\", sigma: 9.0)", "churn.offline has a mean of…at most a century");
        refuse("\"3h\"", "\"6000w\"", "churn.offline has a mean of 3.6e9 s; it must be at most a century");
    }

    #[test]
    fn a_broadcast_reaches_others_only() {
        refuse("loss: 0.001", "peers: (among: All, fanout: Fixed(100))", "peers.fanout is 100; it must be at most 99");
        accept("loss: 0.001", "peers: (among: Online, fanout: Fixed(99))");
        accept("loss: 0.001", "peers: (among: All, fanout: Fixed(0))");
    }
}
