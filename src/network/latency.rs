//! How long a message travels.

use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};
use serde::{Deserialize, Serialize};

/// One-way delay of a message, drawn anew for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Latency {
    Zero,
    Constant(Duration),
    Uniform {
        min: Duration,
        max: Duration,
    },
    /// `median` is e^μ; `sigma` is the standard deviation of the logarithm.
    LogNormal {
        median: Duration,
        sigma: f64,
    },
}

impl Latency {
    /// The delay of the `nth` message that `sender` ever sent.
    pub fn delay(&self, seed: Seed, sender: NodeId, nth: u64) -> Duration {
        let u = || seed.uniform(Purpose::Latency, sender.0.into(), nth);
        match *self {
            Latency::Zero => Duration::ZERO,
            Latency::Constant(delay) => delay,
            Latency::Uniform { min, max } => Duration::from_secs_f64(min.secs() + (max.secs() - min.secs()) * u()),
            Latency::LogNormal { median, sigma } => Duration::from_secs_f64(median.secs() * math::exp(sigma * math::normal_quantile(u()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws sorted, in seconds.
    fn draws(latency: Latency) -> Vec<f64> {
        let mut all: Vec<f64> = (0..10_000).map(|i| latency.delay(Seed(9), NodeId(2), i).secs()).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Kolmogorov–Smirnov against `cdf` at the 99.9 % point, 1.95 / √n.
    #[track_caller]
    fn check(latency: Latency, cdf: impl Fn(f64) -> f64) {
        let x = draws(latency);
        let n = x.len() as f64;
        let distance =
            x.iter().enumerate().map(|(i, &x)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs())).fold(0.0, f64::max);
        assert!(distance < 1.95 / n.sqrt(), "KS distance {distance}");
    }

    #[test]
    fn uniform_delays_are_uniform() {
        check(Latency::Uniform { min: Duration::from_secs(1), max: Duration::from_secs(3) }, |x| (x - 1.0) / 2.0);
    }

    #[test]
    fn log_normal_delays_are_log_normal() {
        let sigma = 0.8;
        check(Latency::LogNormal { median: Duration::from_secs(2), sigma }, |x| {
            0.5 * libm::erfc(-math::ln(x / 2.0) / (sigma * std::f64::consts::SQRT_2))
        });
    }

    #[test]
    fn fixed_delays_are_fixed() {
        assert!(draws(Latency::Zero).iter().all(|&x| x == 0.0));
        assert!(draws(Latency::Constant(Duration::from_secs(4))).iter().all(|&x| x == 4.0));
    }
}
