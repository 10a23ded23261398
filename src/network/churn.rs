//! How long nodes stay, and how long they stay away.

use crate::math;
use crate::rng::{Pcg64, Purpose, Seed, uniform};
use crate::units::{Duration, NodeId};
use serde::{Deserialize, Serialize};

/// Whether nodes come and go. What a node knows survives its absence; a message that arrives during one is lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Churn {
    AlwaysOnline,
    /// Independent online and offline periods in turn, begun in the stationary state: no false mass churn in the first hours.
    Alternating {
        online: Length,
        offline: Length,
    },
}

/// The distribution of one period's length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Length {
    Exponential {
        mean: Duration,
    },
    Weibull {
        shape: f64,
        scale: Duration,
    },
    /// `median` is e^μ; `sigma` is the standard deviation of the logarithm.
    LogNormal {
        median: Duration,
        sigma: f64,
    },
}

impl Churn {
    /// Whether `node` begins online, and how much of its first period is left; nothing ends if nodes are always online.
    pub fn start(&self, seed: Seed, node: NodeId) -> (bool, Option<Duration>) {
        let Churn::Alternating { online, offline } = self else { return (true, None) };
        let mut rng = period_rng(seed, node, 0);
        let is_online = uniform(&mut rng) < self.availability();
        let length = if is_online { online } else { offline };
        // The period that covers a random moment is length-biased, and the moment falls anywhere in it.
        let left = length.sample_biased(&mut rng) * uniform(&mut rng);
        (is_online, Some(whole(left)))
    }

    /// The length of the `nth` period of `node` (the one begun before the start is the 0th).
    pub fn period(&self, seed: Seed, node: NodeId, nth: u64, is_online: bool) -> Option<Duration> {
        let Churn::Alternating { online, offline } = self else { return None };
        let length = if is_online { online } else { offline };
        Some(whole(length.sample(&mut period_rng(seed, node, nth))))
    }

    /// The long-run share of time that a node is online.
    pub fn availability(&self) -> f64 {
        match self {
            Churn::AlwaysOnline => 1.0,
            Churn::Alternating { online, offline } => online.mean() / (online.mean() + offline.mean()),
        }
    }

    /// Changes between online and offline per node and second.
    pub fn changes_per_second(&self) -> f64 {
        match self {
            Churn::AlwaysOnline => 0.0,
            Churn::Alternating { online, offline } => 2.0 / (online.mean() + offline.mean()),
        }
    }
}

impl Length {
    /// Seconds.
    pub fn mean(&self) -> f64 {
        match *self {
            Length::Exponential { mean } => mean.secs(),
            Length::Weibull { shape, scale } => scale.secs() * math::gamma(1.0 + 1.0 / shape),
            Length::LogNormal { median, sigma } => median.secs() * math::exp(0.5 * sigma * sigma),
        }
    }

    fn sample(&self, rng: &mut Pcg64) -> f64 {
        match *self {
            Length::Exponential { mean } => mean.secs() * -math::ln(uniform(rng)),
            Length::Weibull { shape, scale } => scale.secs() * math::pow(-math::ln(uniform(rng)), 1.0 / shape),
            Length::LogNormal { median, sigma } => median.secs() * math::exp(sigma * math::normal_quantile(uniform(rng))),
        }
    }

    /// A length drawn with density ∝ x f(x): the period that a random moment falls into.
    fn sample_biased(&self, rng: &mut Pcg64) -> f64 {
        match *self {
            Length::Exponential { mean } => mean.secs() * sample_gamma(2.0, rng),
            // With y = (x/λ)^k the density ∝ x f(x) becomes ∝ y^(1/k) e^(−y).
            Length::Weibull { shape, scale } => scale.secs() * math::pow(sample_gamma(1.0 + 1.0 / shape, rng), 1.0 / shape),
            Length::LogNormal { median, sigma } => median.secs() * math::exp(sigma * sigma + sigma * math::normal_quantile(uniform(rng))),
        }
    }
}

fn period_rng(seed: Seed, node: NodeId, nth: u64) -> Pcg64 {
    seed.rng(Purpose::Churn, node.0.into(), nth)
}

/// At least one nanosecond, so that time goes on.
fn whole(seconds: f64) -> Duration {
    Duration::from_ns(Duration::from_secs_f64(seconds).ns().max(1))
}

/// Gamma(shape, 1) for shape ≥ 1, by Marsaglia and Tsang's squeeze.
fn sample_gamma(shape: f64, rng: &mut Pcg64) -> f64 {
    debug_assert!(shape >= 1.0);
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = math::normal_quantile(uniform(rng));
        let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if v > 0.0 && math::ln(uniform(rng)) < 0.5 * x * x + d - d * v + d * math::ln(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [Length; 4] = [
        Length::Exponential { mean: Duration::from_secs(100) },
        Length::Weibull { shape: 0.6, scale: Duration::from_secs(50) },
        Length::Weibull { shape: 2.5, scale: Duration::from_secs(50) },
        Length::LogNormal { median: Duration::from_secs(40), sigma: 1.0 },
    ];

    #[test]
    fn lengths_have_their_means() {
        for length in LENGTHS {
            let mut rng = Seed(4).rng(Purpose::Churn, 0, 0);
            let draws: Vec<f64> = (0..40_000).map(|_| length.sample(&mut rng)).collect();
            let (mean, sd) = math::mean_sd(&draws);
            assert!((mean - length.mean()).abs() < 5.0 * sd / 200.0, "{length:?}: {mean}, not {}", length.mean());
        }
    }

    #[test]
    fn biased_lengths_have_the_mean_of_squares_over_the_mean() {
        for length in LENGTHS {
            let mut rng = Seed(5).rng(Purpose::Churn, 0, 0);
            let biased: Vec<f64> = (0..40_000).map(|_| length.sample_biased(&mut rng)).collect();
            let (mean, sd) = math::mean_sd(&biased);
            let second_moment = match length {
                Length::Exponential { mean } => 2.0 * mean.secs().powi(2),
                Length::Weibull { shape, scale } => scale.secs().powi(2) * math::gamma(1.0 + 2.0 / shape),
                Length::LogNormal { median, sigma } => median.secs().powi(2) * math::exp(2.0 * sigma * sigma),
            };
            let want = second_moment / length.mean();
            assert!((mean - want).abs() < 5.0 * sd / 200.0, "{length:?}: {mean}, not {want}");
        }
    }

    #[test]
    fn the_start_is_stationary() {
        // From the start and after many periods, the share online is the availability: no transient.
        let hour = Duration::from_secs(3600).ns();
        for length in LENGTHS {
            let churn = Churn::Alternating { online: length, offline: Length::Weibull { shape: 0.7, scale: Duration::from_secs(120) } };
            let n = 4_000u32;
            let probes = [0, 30_000_000_000, 300_000_000_000, hour];
            let mut online = [0u32; 4];
            for node in 0..n {
                let (mut is_online, left) = churn.start(Seed(6), NodeId(node));
                let (mut until, mut nth) = (left.expect("it alternates").ns(), 0);
                for (probe, count) in probes.iter().zip(&mut online) {
                    while until <= *probe {
                        nth += 1;
                        is_online = !is_online;
                        until += churn.period(Seed(6), NodeId(node), nth, is_online).expect("it alternates").ns();
                    }
                    *count += u32::from(is_online);
                }
            }
            let p = churn.availability();
            let bound = 4.5 * (p * (1.0 - p) / f64::from(n)).sqrt();
            for (probe, count) in probes.iter().zip(online) {
                let share = f64::from(count) / f64::from(n);
                assert!((share - p).abs() < bound, "{length:?} at {probe} ns: {share}, not {p}");
            }
        }
    }
}
