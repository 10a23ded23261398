//! Regions, latency, loss and peers; arrivals and churn by way of their files.

use super::problems::number;
use super::{Problems, arrivals, presence};
use crate::network::{Fanout, Jitter, Latency, Region, Regions};
use crate::scenario::Scenario;
use crate::units::Duration;
use std::ops::RangeInclusive;

/// e^(10 σ) is beyond any network already at σ = 10, and σ² stays far from overflow.
const MAX_SIGMA: f64 = 10.0;
/// Beyond these, delays are nothing or everything, or all the same.
const SHAPES: RangeInclusive<f64> = 0.01..=10_000.0;
const MAX_SHAPE: f64 = 100.0;
/// Nine of them add up without overflow; beyond it a region is all there is.
const MAX_WEIGHT: f64 = 1e9;
const NO_DELAY: &str = "above 0; without delays choose latency: Zero";

pub fn check(scenario: &Scenario, p: &mut Problems) {
    check_regions(&scenario.regions, p);
    arrivals::check(scenario, p);
    check_latency(&scenario.latency, p);
    p.probability("loss", scenario.loss);
    presence::check(scenario, p);
    if let Fanout::Fixed(fanout) = scenario.peers.fanout {
        let others = scenario.nodes.saturating_sub(1);
        p.require(fanout <= others, "peers.fanout", fanout, &format!("at most {others}, the number of other nodes"));
    }
}

fn check_regions(regions: &Regions, p: &mut Problems) {
    let Regions::Weights(weights) = regions else { return };
    for (region, weight) in weights {
        let is_weight = (0.0..=MAX_WEIGHT).contains(weight);
        p.require(is_weight, &format!("regions.{region:?}"), weight, "a weight, between 0 and 1e9");
    }
    let times = |region: Region| weights.iter().filter(|(named, _)| *named == region).count();
    for region in Region::ALL.into_iter().filter(|&region| times(region) > 1) {
        p.refuse_if(true, || format!("regions names {region:?} {} times; keep one of them", times(region)));
    }
    let has_somebody = weights.iter().any(|(_, weight)| *weight > 0.0);
    p.refuse_if(!has_somebody, || "regions has no weight above 0; name a region where nodes live, or choose regions: Uniform".into());
}

fn check_latency(latency: &Latency, p: &mut Problems) {
    match latency {
        Latency::Zero | Latency::Constant(_) => {}
        Latency::Uniform { min, max } => p.require(min <= max, "latency.max", max, &format!("at least latency.min, {min}")),
        Latency::LogNormal { median, sigma } => {
            p.require(*median > Duration::ZERO, "latency.median", median, NO_DELAY);
            check_sigma("latency.sigma", *sigma, p);
        }
        Latency::Gamma { mean, shape } => {
            p.require(*mean > Duration::ZERO, "latency.mean", mean, NO_DELAY);
            p.require(SHAPES.contains(shape), "latency.shape", shape, "between 0.01 and 10000");
        }
        Latency::Regions { jitter } => check_jitter(*jitter, p),
        Latency::Matrix { path, jitter, .. } | Latency::Vivaldi { path, jitter, .. } => {
            check_path("latency.path", path, p);
            check_jitter(*jitter, p);
        }
    }
}

fn check_jitter(jitter: Jitter, p: &mut Problems) {
    if let Jitter::LogNormal { sigma } = jitter {
        check_sigma("latency.jitter.sigma", sigma, p);
    }
}

/// Whether it can be read shows when it is.
pub(super) fn check_path(field: &str, path: &str, p: &mut Problems) {
    p.require(!path.trim().is_empty(), field, format!("{path:?}"), "the name of a file");
}

/// A Pareto distribution's.
pub(super) fn check_pareto(field: &str, shape: f64, p: &mut Problems) {
    p.require(shape > 1.0, field, shape, "above 1, where the mean exists");
    p.refuse_if(shape > MAX_SHAPE, || format!("{field} is {}; it must be at most {MAX_SHAPE}", number(shape)));
}

pub(super) fn check_sigma(field: &str, sigma: f64, p: &mut Problems) {
    p.require(sigma >= 0.0, field, sigma, "at least 0");
    p.refuse_if(sigma > MAX_SIGMA, || format!("{field} is {}; it must be at most {MAX_SIGMA}", number(sigma)));
}

pub(super) fn above_zero(field: &str, duration: Duration, p: &mut Problems) {
    p.require(duration > Duration::ZERO, field, duration, "above 0");
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[test]
    fn latency_is_a_distribution() {
        let latency = "LogNormal(median: \"80ms\", sigma: 0.6)";
        refuse(latency, "Uniform(min: \"2s\", max: \"1s\")", "latency.max is 1s; it must be at least latency.min, 2s");
        refuse("sigma: 0.6", "sigma: -0.3", "x.ron:18:47: latency.sigma is -0.3; it must be at least 0");
        refuse("sigma: 0.6", "sigma: NaN", "latency.sigma is NaN; it must be at least 0");
        refuse("sigma: 0.6", "sigma: 10.5", "latency.sigma is 10.5; it must be at most 10");
        refuse("sigma: 0.6", "sigma: inf", "latency.sigma is inf; it must be at most 10");
        refuse("\"80ms\"", "\"0s\"", "latency.median is 0s; it must be above 0; without delays choose latency: Zero");
        refuse(latency, "Gamma(mean: \"0s\", shape: 2.0)", "latency.mean is 0s; it must be above 0; without delays choose latency: Zero");
        refuse(latency, "Gamma(mean: \"1s\", shape: 0.0)", "latency.shape is 0; it must be between 0.01 and 10000");
        refuse(latency, "Regions(jitter: LogNormal(sigma: -0.1))", "latency.jitter.sigma is -0.1; it must be at least 0");
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
        refuse("Weights([(London, 1.0), (Tokyo, -1.0)])", "regions.Tokyo is -1; it must be a weight, between 0 and 1e9");
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
}
