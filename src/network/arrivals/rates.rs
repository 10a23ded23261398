//! How much more often some users search than others.

use crate::fields::declare;
use crate::math;
use crate::rng::{Purpose, Seed};
use rand::seq::index;

declare! {
    /// How often a node searches, relative to others.
    ///
    /// Rates are scaled so that their mean over the nodes of the network is exactly 1: the whole network searches as often as with equal
    /// rates.
    #[derive(Clone, Copy, PartialEq, Default)]
    pub enum Rates {
        /// All users search equally often.
        #[default]
        Equal,
        /// Log-normal over the nodes.
        LogNormal {
            /// The standard deviation of the logarithm of the rate.
            #[limits(between(0.0, 10.0))]
            #[example(1.0)]
            sigma: f64,
        },
        /// Pareto over the nodes: P(rate > x) ∝ x^(−shape).
        Pareto {
            /// The shape of the Pareto distribution; the nearer to 1, the heavier the tail.
            #[limits(above(1.0).at_most(100.0).or("at 1 and below there is no mean"))]
            #[example(1.5)]
            shape: f64,
        },
        /// The user of rank r searches with a rate ∝ r^(−exponent); the seed assigns ranks to nodes.
        Zipf {
            /// How steeply rates fall with the rank of a user.
            #[limits(between(0.0, 10.0))]
            #[example(1.0)]
            exponent: f64,
        },
    }
}

impl Rates {
    /// The rate of each node, with a mean of 1; empty if all nodes are equal.
    pub(super) fn draw(self, seed: Seed, n_nodes: u32) -> Vec<f64> {
        let mut rates = self.raw(seed, n_nodes);
        let mean = rates.iter().sum::<f64>() / f64::from(n_nodes);
        rates.iter_mut().for_each(|rate| *rate /= mean);
        rates
    }

    /// Rates before they are scaled to their mean.
    fn raw(self, seed: Seed, n_nodes: u32) -> Vec<f64> {
        let u = |node: u32| seed.uniform(Purpose::Rate, node.into(), 0);
        match self {
            Rates::Equal => Vec::new(),
            Rates::LogNormal { sigma } => (0..n_nodes).map(|node| math::exp(sigma * math::normal_quantile(u(node)))).collect(),
            Rates::Pareto { shape } => (0..n_nodes).map(|node| math::pow(u(node), -1.0 / shape)).collect(),
            Rates::Zipf { exponent } => {
                let mut rng = seed.rng(Purpose::Rate, 0, 1);
                let ranks = index::sample(&mut rng, n_nodes as usize, n_nodes as usize);
                ranks.into_iter().map(|rank| math::pow((rank + 1) as f64, -exponent)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::ks;

    #[test]
    fn rates_are_distributed_as_they_say() {
        let normal = |z: f64| 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        ks(&mut Rates::LogNormal { sigma: 1.2 }.raw(Seed(1), 10_000), |x| normal(math::ln(x) / 1.2));
        ks(&mut Rates::Pareto { shape: 1.3 }.raw(Seed(1), 10_000), |x| 1.0 - math::pow(x, -1.3));
    }

    #[test]
    fn rates_have_a_mean_of_one() {
        for rates in [Rates::LogNormal { sigma: 2.0 }, Rates::Pareto { shape: 1.1 }, Rates::Zipf { exponent: 1.0 }] {
            let drawn = rates.draw(Seed(1), 500);
            assert!((drawn.iter().sum::<f64>() / 500.0 - 1.0).abs() < 1e-12 && drawn.iter().all(|&rate| rate > 0.0), "{rates:?}");
        }
        assert!(Rates::Equal.draw(Seed(1), 500).is_empty());
    }

    #[test]
    fn ranks_are_dealt_once_each() {
        let mut drawn = Rates::Zipf { exponent: 1.0 }.draw(Seed(1), 50);
        assert!(!drawn.is_sorted_by(|a, b| a >= b), "the first node need not be the busiest");
        drawn.sort_by(|a, b| b.total_cmp(a));
        (0..50).for_each(|rank| assert!((drawn[0] / drawn[rank] - (rank + 1) as f64).abs() < 1e-9));
    }
}
