//! From the words of a scenario to models that are ready to draw from: files are read here, once, and hosts, rates and zones dealt.

use super::arrivals::ArrivalSampler;
use super::arrivals::Arrivals;
use super::churn::Churn;
use super::churn::ChurnSampler;
use super::latency::Latency;
use super::latency::LatencySampler;
use super::regions::Regions;
use crate::error::Result;
use crate::rng::{Purpose, Seed};
use rand::seq::index;

/// Who is there when, who searches when, how long messages take: ready to draw from.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    pub searches: ArrivalSampler,
    pub delays: LatencySampler,
    pub attendance: ChurnSampler,
}

/// What is dealt to the nodes is dealt by the seed.
#[derive(Clone, Copy)]
pub struct Where<'a> {
    pub seed: Seed,
    pub n_nodes: u32,
    pub regions: &'a Regions,
}

/// What an estimate needs to know of a network.
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
    /// # Errors
    /// If a file cannot be read or says what cannot be.
    pub fn load(arrivals: &Arrivals, latency: &Latency, churn: &Churn, place: Where) -> Result<Self> {
        Ok(Self {
            searches: ArrivalSampler::load(arrivals, &place)?,
            delays: LatencySampler::load(latency, &place)?,
            attendance: ChurnSampler::load(churn, &place)?,
        })
    }

    pub fn means(&self, latency: &Latency, churn: &Churn, regions: &Regions) -> Means {
        Means {
            pause: self.searches.mean_pause(),
            delay: latency.mean(regions).or_else(|| self.delays.mean_between_hosts()).unwrap_or(0.0),
            availability: self.attendance.availability(churn),
            changes_per_second: self.attendance.changes_per_second(churn),
        }
    }
}

impl Means {
    /// Without a look into files; nothing if one has to say it.
    pub fn without_files(arrivals: &Arrivals, latency: &Latency, churn: &Churn, regions: &Regions) -> Option<Self> {
        Some(Self {
            pause: arrivals.mean_pause()?,
            delay: latency.mean(regions)?,
            availability: churn.availability()?,
            changes_per_second: churn.changes_per_second()?,
        })
    }
}

impl Where<'_> {
    /// One of `n` for each node: a shuffled list, from its beginning again when it is used up.
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
        let place = Where { seed: Seed(1), n_nodes: 25, regions: &Regions::Uniform };
        let dealt = place.deal(Purpose::Host, 10);
        let mut first = dealt[..10].to_vec();
        first.sort_unstable();
        assert_eq!(first, (0..10).collect::<Vec<u32>>());
        assert_eq!((&dealt[10..20], dealt.len()), (&dealt[..10], 25));
        assert_ne!(dealt, place.deal(Purpose::ChurnTrace, 10));
    }
}
