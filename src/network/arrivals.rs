//! When the users of the network search.

use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// The process of a node's searches. The moments do not depend on whether the node is online: a search that falls into an absence is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Arrivals {
    /// The paper's rounds: every node searches once per period, in the order of the nodes, evenly spaced.
    RoundRobin { period: Duration },
    /// Independent exponential pauses: on average one search per `every` and node.
    Poisson { every: Duration },
}

impl Arrivals {
    /// The moment of the `nth` search (0-based) of `node` of `n_nodes`, given the moment of the one before (the beginning for the first).
    pub fn next(&self, seed: Seed, node: NodeId, nth: u64, previous: VirtualTime, n_nodes: u32) -> VirtualTime {
        match *self {
            // Turn i of a round ends its i-th share, so that a whole round ends exactly at a multiple of the period.
            Arrivals::RoundRobin { period } => {
                let turn = u128::from(nth) * u128::from(n_nodes) + u128::from(node.0) + 1;
                VirtualTime(u64::try_from(turn * u128::from(period.ns()) / u128::from(n_nodes)).unwrap_or(u64::MAX))
            }
            Arrivals::Poisson { every } => {
                let u = seed.uniform(Purpose::Arrival, node.0.into(), nth);
                previous.after(Duration::from_secs_f64(every.secs() * -math::ln(u)))
            }
        }
    }

    /// Mean time between two searches of one node.
    pub fn mean_pause(&self) -> Duration {
        match *self {
            Arrivals::RoundRobin { period } => period,
            Arrivals::Poisson { every } => every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_its_period() {
        let arrivals = Arrivals::RoundRobin { period: Duration::from_ns(100) };
        let at = |node, nth| arrivals.next(Seed(1), NodeId(node), nth, VirtualTime(0), 3).0;
        assert_eq!([at(0, 0), at(1, 0), at(2, 0), at(0, 1), at(2, 1)], [33, 66, 100, 133, 200]);
    }

    #[test]
    fn poisson_pauses_have_the_stated_mean_and_spread() {
        let arrivals = Arrivals::Poisson { every: Duration::from_secs(60) };
        let n = 20_000;
        let pauses: Vec<f64> =
            (0..n).map(|i| arrivals.next(Seed(3), NodeId(5), i, VirtualTime(0), 10)).map(|t| Duration::from_ns(t.0).secs()).collect();
        let (mean, sd) = math::mean_sd(&pauses);
        // Five standard errors of an exponential mean, and of its sd (√2 as wide).
        let bound = 5.0 * 60.0 / (n as f64).sqrt();
        assert!((mean - 60.0).abs() < bound && (sd - 60.0).abs() < 1.5 * bound, "{mean} {sd}");
    }
}
