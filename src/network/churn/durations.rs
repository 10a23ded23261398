//! The distributions of the length of one online or offline period.

use crate::fields::declare;
use crate::math;
use crate::network::gamma::sample_gamma;
use crate::rng::{Pcg64, uniform};
use crate::units::Duration;

declare! {
    /// The distribution of one period's length. Its mean is at most a century.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Durations {
        /// Memoryless.
        Exponential {
            /// The mean length.
            #[limits(above(0.0))]
            #[example("3h")]
            mean: Duration,
        },
        /// Heavy-tailed for shapes below 1, as measured in real networks.
        Weibull {
            /// The shape of the Weibull distribution; below 1 the tail is heavy.
            #[limits(between(0.1, 100.0))]
            #[example(0.6)]
            shape: f64,
            /// The scale of the Weibull distribution.
            #[limits(above(0.0))]
            #[example("2h")]
            scale: Duration,
        },
        /// Log-normal.
        LogNormal {
            /// The length that half of the draws stay below.
            #[limits(above(0.0))]
            #[example("1h")]
            median: Duration,
            /// The standard deviation of the logarithm of the length.
            #[limits(between(0.0, 10.0))]
            #[example(1.5)]
            sigma: f64,
        },
        /// P(longer than x) = (min / x)^shape.
        Pareto {
            /// The shortest length.
            #[limits(above(0.0))]
            #[example("10min")]
            min: Duration,
            /// The shape of the Pareto distribution; the nearer to 1, the heavier the tail.
            #[limits(above(1.0).at_most(100.0).or("at 1 and below there is no mean"))]
            #[example(1.5)]
            shape: f64,
        },
    }
}

impl Durations {
    /// The mean length in seconds.
    pub fn mean(&self) -> f64 {
        match *self {
            Durations::Exponential { mean } => mean.secs(),
            Durations::Weibull { shape, scale } => scale.secs() * math::gamma(1.0 + 1.0 / shape),
            Durations::LogNormal { median, sigma } => median.secs() * math::exp(0.5 * sigma * sigma),
            Durations::Pareto { min, shape } => min.secs() * shape / (shape - 1.0),
        }
    }

    /// Draws a length in seconds.
    pub(super) fn sample(&self, rng: &mut Pcg64) -> f64 {
        match *self {
            Durations::Exponential { mean } => mean.secs() * -math::ln(uniform(rng)),
            Durations::Weibull { shape, scale } => scale.secs() * math::pow(-math::ln(uniform(rng)), 1.0 / shape),
            Durations::LogNormal { median, sigma } => median.secs() * math::exp(sigma * math::normal_quantile(uniform(rng))),
            Durations::Pareto { min, shape } => min.secs() * math::pow(uniform(rng), -1.0 / shape),
        }
    }

    /// Draws the length of the period that covers a random moment, with density ∝ x f(x), in seconds.
    pub(super) fn sample_biased(&self, rng: &mut Pcg64) -> f64 {
        match *self {
            Durations::Exponential { mean } => mean.secs() * sample_gamma(2.0, rng),
            // With y = (x/λ)^k the density ∝ x f(x) becomes ∝ y^(1/k) e^(−y).
            Durations::Weibull { shape, scale } => scale.secs() * math::pow(sample_gamma(1.0 + 1.0 / shape, rng), 1.0 / shape),
            Durations::LogNormal { median, sigma } => {
                median.secs() * math::exp(sigma * sigma + sigma * math::normal_quantile(uniform(rng)))
            }
            // With the factor x it is a Pareto distribution whose shape is smaller by 1. Its mean need not exist.
            Durations::Pareto { min, shape } => min.secs() * math::pow(uniform(rng), -1.0 / (shape - 1.0)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::network::ks;
    use crate::rng::{Purpose, Seed};

    pub const LENGTHS: [Durations; 5] = [
        Durations::Exponential { mean: Duration::from_secs(100) },
        Durations::Weibull { shape: 0.6, scale: Duration::from_secs(50) },
        Durations::Weibull { shape: 2.5, scale: Duration::from_secs(50) },
        Durations::LogNormal { median: Duration::from_secs(40), sigma: 1.0 },
        Durations::Pareto { min: Duration::from_secs(20), shape: 3.5 },
    ];

    /// P(X ≤ x).
    fn cdf(length: Durations, x: f64) -> f64 {
        match length {
            Durations::Exponential { mean } => 1.0 - math::exp(-x / mean.secs()),
            Durations::Weibull { shape, scale } => 1.0 - math::exp(-math::pow(x / scale.secs(), shape)),
            Durations::LogNormal { median, sigma } => 0.5 * libm::erfc(-math::ln(x / median.secs()) / (sigma * std::f64::consts::SQRT_2)),
            Durations::Pareto { min, shape } => 1.0 - math::pow(min.secs() / x, shape),
        }
    }

    #[test]
    fn lengths_are_distributed_as_they_say() {
        for length in LENGTHS.into_iter().chain([Durations::Pareto { min: Duration::from_secs(1), shape: 1.1 }]) {
            let mut rng = Seed(7).rng(Purpose::Churn, 0, 0);
            ks(&mut (0..10_000).map(|_| length.sample(&mut rng)).collect::<Vec<_>>(), |x| cdf(length, x));
        }
    }

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
                Durations::Exponential { mean } => 2.0 * mean.secs().powi(2),
                Durations::Weibull { shape, scale } => scale.secs().powi(2) * math::gamma(1.0 + 2.0 / shape),
                Durations::LogNormal { median, sigma } => median.secs().powi(2) * math::exp(2.0 * sigma * sigma),
                Durations::Pareto { min, shape } => min.secs().powi(2) * shape / (shape - 2.0),
            };
            let want = second_moment / length.mean();
            assert!((mean - want).abs() < 5.0 * sd / 200.0, "{length:?}: {mean}, not {want}");
        }
    }
}
