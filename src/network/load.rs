//! The network of a scenario, made ready to draw from: files are read once, and hosts, rates and time zones are assigned to nodes.

use super::arrivals::{ArrivalSampler, Arrivals};
use super::churn::{Churn, ChurnSampler};
use super::latency::{Latency, LatencySampler};
use super::regions::Regions;
use crate::error::Result;
use crate::rng::{Purpose, Seed};
use rand::seq::index;

/// When nodes search, how long messages travel, and when nodes come and go: ready to draw from.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// When nodes search.
    pub arrivals: ArrivalSampler,
    /// How long messages travel.
    pub latency: LatencySampler,
    /// When nodes come and go.
    pub churn: ChurnSampler,
    regions: Regions,
}

/// The nodes that hosts, rates and time zones are assigned to. The seed decides which node gets which.
#[derive(Debug, Clone, Copy)]
pub struct Nodes<'a> {
    /// The seed of the run.
    pub seed: Seed,
    /// How many nodes there are.
    pub n_nodes: u32,
    /// Where they live.
    pub regions: &'a Regions,
}

/// The averages that an estimate of a run's cost needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// Seconds between two searches of one node.
    pub pause: f64,
    /// Seconds that a message travels.
    pub delay: f64,
    /// The share of time that a node is online.
    pub availability: f64,
    /// Joins and leaves per node and second.
    pub changes_per_second: f64,
}

impl Network {
    /// Reads the files of the models and assigns their contents to the nodes.
    ///
    /// # Errors
    /// If a file is unreadable or invalid.
    pub fn load(arrivals: &Arrivals, latency: &Latency, churn: &Churn, nodes: Nodes) -> Result<Self> {
        Ok(Self {
            arrivals: ArrivalSampler::load(arrivals, &nodes)?,
            latency: LatencySampler::load(latency, &nodes)?,
            churn: ChurnSampler::load(churn, &nodes)?,
            regions: nodes.regions.clone(),
        })
    }

    /// The files that [`load`](Self::load) reads.
    pub fn paths<'a>(arrivals: &'a Arrivals, latency: &'a Latency, churn: &'a Churn) -> impl Iterator<Item = &'a str> {
        [arrivals.path(), latency.path(), churn.path()].into_iter().flatten()
    }

    /// The averages of this network.
    pub fn means(&self) -> Means {
        Means {
            pause: self.arrivals.mean_pause(),
            delay: self.latency.mean(&self.regions),
            availability: self.churn.availability(),
            changes_per_second: self.churn.changes_per_second(),
        }
    }
}

impl Means {
    /// The averages of a network whose files are not read, or `None` if one of them is only known from a file.
    pub fn without_files(arrivals: &Arrivals, latency: &Latency, churn: &Churn, regions: &Regions) -> Option<Self> {
        Some(Self {
            pause: arrivals.mean_pause()?,
            delay: latency.mean(regions)?,
            availability: churn.availability()?,
            changes_per_second: churn.changes_per_second()?,
        })
    }
}

impl Nodes<'_> {
    /// Assigns one of `n` things to each node: the things are shuffled and dealt in turn, and dealt again when all are used up.
    pub(super) fn deal(&self, purpose: Purpose, n: usize) -> Vec<u32> {
        let list: Vec<u32> = index::sample(&mut self.seed.rng(purpose, 0, 0), n, n).into_iter().map(|i| i as u32).collect();
        list.iter().copied().cycle().take(self.n_nodes as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_dealt_before_anything_twice() {
        let nodes = Nodes { seed: Seed(1), n_nodes: 25, regions: &Regions::Uniform };
        let dealt = nodes.deal(Purpose::Host, 10);
        let mut first = dealt[..10].to_vec();
        first.sort_unstable();
        assert_eq!(first, (0..10).collect::<Vec<u32>>());
        assert_eq!((&dealt[10..20], dealt.len()), (&dealt[..10], 25));
        assert_ne!(dealt, nodes.deal(Purpose::ChurnTrace, 10));
    }
}
