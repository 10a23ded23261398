//! How long each message travels.

use super::hosts::Hosts;
use super::log_normal::{N_AT_ONCE, log_normal, log_normals};
use super::{Jitter, Latency};
use crate::error::Result;
use crate::math;
use crate::network::gamma::sample_gamma;
use crate::network::load::Nodes;
use crate::network::regions::{Region, Regions};
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};

/// A latency model that is ready to draw from. A delay is a function of seed, sender, receiver and the message's number.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencySampler {
    latency: Latency,
    /// The hosts between which messages travel, if the model has any.
    hosts: Option<Hosts>,
}

impl Latency {
    /// The file that the model is read from.
    pub fn path(&self) -> Option<&str> {
        match self {
            Latency::Matrix { path, .. } | Latency::Vivaldi { path, .. } => Some(path),
            Latency::Zero
            | Latency::Constant(_)
            | Latency::Uniform { .. }
            | Latency::LogNormal { .. }
            | Latency::Gamma { .. }
            | Latency::Regions { .. } => None,
        }
    }

    /// The mean delay in seconds, or `None` if it is only known once a file is read.
    pub fn mean(&self, regions: &Regions) -> Option<f64> {
        match *self {
            Latency::Zero => Some(0.0),
            Latency::Constant(delay) => Some(delay.secs()),
            Latency::Uniform { min, max } => Some((min.secs() + max.secs()) / 2.0),
            Latency::LogNormal { median, sigma } => Some(median.secs() * math::exp(0.5 * sigma * sigma)),
            Latency::Gamma { mean, .. } => Some(mean.secs()),
            Latency::Regions { .. } => Some(mean_between(regions)),
            Latency::Matrix { .. } | Latency::Vivaldi { .. } => None,
        }
    }

    /// Reads the hosts of the model and assigns one to each node.
    fn hosts(&self, nodes: &Nodes) -> Result<Option<Hosts>> {
        match self {
            Latency::Regions { .. } => Ok(Some(Hosts::regions(nodes))),
            Latency::Matrix { path, unit, measures, missing, .. } => {
                Hosts::matrix(path, unit.secs() * measures.one_way(), *missing, nodes).map(Some)
            }
            Latency::Vivaldi { path, unit, measures, .. } => Hosts::coordinates(path, unit.secs() * measures.one_way(), nodes).map(Some),
            Latency::Zero | Latency::Constant(_) | Latency::Uniform { .. } | Latency::LogNormal { .. } | Latency::Gamma { .. } => Ok(None),
        }
    }
}

impl LatencySampler {
    pub(in crate::network) fn load(latency: &Latency, nodes: &Nodes) -> Result<Self> {
        Ok(Self { latency: latency.clone(), hosts: latency.hosts(nodes)? })
    }

    /// The delay of the `nth` message that `sender` ever sent, to `receiver`.
    pub fn delay(&self, seed: Seed, sender: NodeId, receiver: NodeId, nth: u64) -> Duration {
        let u = || seed.uniform(Purpose::Latency, sender.0.into(), nth);
        match &self.latency {
            Latency::Zero => Duration::ZERO,
            Latency::Constant(delay) => *delay,
            Latency::Uniform { min, max } => Duration::from_secs_f64(min.secs() + (max.secs() - min.secs()) * u()),
            Latency::LogNormal { median, sigma } => log_normal(median.secs(), *sigma, 0.0, u()),
            Latency::Gamma { mean, shape } => {
                let draw = sample_gamma(*shape, &mut seed.rng(Purpose::Latency, sender.0.into(), nth));
                Duration::from_secs_f64(mean.secs() / shape * draw)
            }
            Latency::Regions { jitter } | Latency::Matrix { jitter, .. } | Latency::Vivaldi { jitter, .. } => {
                let hosts = self.hosts.as_ref().expect("these models have hosts");
                jitter.around(hosts.seconds(sender, receiver), seed, sender, nth)
            }
        }
    }

    /// The delays of several messages of `sender`, each given by its receiver and number, as [`delay`](Self::delay) gives them one by one.
    pub fn delays(&self, seed: Seed, sender: NodeId, messages: &[(NodeId, u64)], delays: &mut [Duration]) {
        let Latency::LogNormal { median, sigma } = self.latency else {
            let one = |(delay, (to, nth)): (&mut Duration, &(NodeId, u64))| *delay = self.delay(seed, sender, *to, *nth);
            return delays.iter_mut().zip(messages).for_each(one);
        };
        for (messages, delays) in messages.chunks(N_AT_ONCE).zip(delays.chunks_mut(N_AT_ONCE)) {
            let mut p = [0.5; N_AT_ONCE];
            p.iter_mut().zip(messages).for_each(|(p, (_, nth))| *p = seed.uniform(Purpose::Latency, sender.0.into(), *nth));
            log_normals(median.secs(), sigma, 0.0, &p, delays);
        }
    }

    /// The number of the host that `node` has in the model's file, if the model has a file.
    pub fn host(&self, node: NodeId) -> Option<u32> {
        self.latency.path()?;
        self.hosts.as_ref()?.host_of(node)
    }

    /// The mean delay in seconds.
    pub(in crate::network) fn mean(&self, regions: &Regions) -> f64 {
        let of_file = || self.hosts.as_ref().map(Hosts::mean);
        self.latency.mean(regions).or_else(of_file).unwrap_or(0.0)
    }
}

impl Jitter {
    /// The delay of one message whose mean is `seconds`.
    fn around(self, seconds: f64, seed: Seed, sender: NodeId, nth: u64) -> Duration {
        match self {
            Jitter::NoJitter => Duration::from_secs_f64(seconds),
            Jitter::LogNormal { sigma } => {
                log_normal(seconds, sigma, 0.5 * sigma * sigma, seed.uniform(Purpose::Jitter, sender.0.into(), nth))
            }
        }
    }
}

/// Seconds between two nodes that are drawn independently.
fn mean_between(regions: &Regions) -> f64 {
    let shares = regions.shares();
    let pairs = Region::ALL.iter().flat_map(|&from| Region::ALL.iter().map(move |&to| (from, to)));
    pairs.map(|(from, to)| shares[from as usize] * shares[to as usize] * from.one_way(to).secs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::files::tests::file;
    use crate::network::{Measures, Missing, Unit, ks, region_of};

    fn load(latency: &Latency, n_nodes: u32) -> LatencySampler {
        LatencySampler::load(latency, &Nodes { seed: Seed(9), n_nodes, regions: &Regions::Uniform })
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Seconds of 10,000 messages from node 2 to node 3.
    fn draws(latency: &Latency) -> Vec<f64> {
        let sampler = load(latency, 4);
        (0..10_000).map(|i| sampler.delay(Seed(9), NodeId(2), NodeId(3), i).secs()).collect()
    }

    fn normal(z: f64) -> f64 {
        0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
    }

    #[test]
    fn uniform_delays_are_uniform() {
        let latency = Latency::Uniform { min: Duration::from_secs(1), max: Duration::from_secs(3) };
        ks(&mut draws(&latency), |x| (x - 1.0) / 2.0);
    }

    #[test]
    fn log_normal_delays_are_log_normal() {
        let latency = Latency::LogNormal { median: Duration::from_secs(2), sigma: 0.8 };
        ks(&mut draws(&latency), |x| normal(math::ln(x / 2.0) / 0.8));
    }

    #[test]
    fn gamma_delays_are_gamma() {
        // Of shape 2 and mean 4 s: 1 − e^(−x/2) (1 + x/2).
        let latency = Latency::Gamma { mean: Duration::from_secs(4), shape: 2.0 };
        ks(&mut draws(&latency), |x| 1.0 - math::exp(-x / 2.0) * (1.0 + x / 2.0));
        // Of shape ½ and mean ½ s: half a squared normal.
        let latency = Latency::Gamma { mean: Duration::from_ns(500_000_000), shape: 0.5 };
        ks(&mut draws(&latency), |x| 2.0 * normal((2.0 * x).sqrt()) - 1.0);
    }

    #[test]
    fn fixed_delays_are_fixed() {
        assert!(draws(&Latency::Zero).iter().all(|&x| x == 0.0));
        assert!(draws(&Latency::Constant(Duration::from_secs(4))).iter().all(|&x| x == 4.0));
    }

    #[test]
    fn jitter_is_log_normal_around_the_mean() {
        let (_folder, path) = file("m.csv", b"0,100\n100,0\n");
        let jitter = Jitter::LogNormal { sigma: 0.5 };
        let latency = Latency::Matrix { path, unit: Unit::Milliseconds, measures: Measures::RoundTrip, missing: Missing::Refuse, jitter };
        let mut draws = draws(&latency);
        let (mean, sd) = math::mean_sd(&draws);
        assert!((mean - 0.05).abs() < 5.0 * sd / 100.0, "{mean}");
        ks(&mut draws, |x| normal((math::ln(x / 0.05) + 0.125) / 0.5));
    }

    #[test]
    fn nodes_take_hosts_in_turn() {
        let (_folder, path) = file("m.csv", b"1,2,3\n4,5,6\n7,8,9\n");
        let (jitter, missing) = (Jitter::NoJitter, Missing::Refuse);
        let sampler = load(&Latency::Matrix { path, unit: Unit::Seconds, measures: Measures::OneWay, missing, jitter }, 6);
        let delay = |from, to| sampler.delay(Seed(9), NodeId(from), NodeId(to), 0).secs();
        (0..3).for_each(|node| assert_eq!(sampler.host(NodeId(node)), sampler.host(NodeId(node + 3))));
        let mut all: Vec<f64> = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).map(|(from, to)| delay(from, to)).collect();
        assert_eq!(delay(0, 4), delay(3, 1));
        all.sort_by(f64::total_cmp);
        assert_eq!(all, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn regions_have_the_latencies_of_the_table() {
        let sampler = load(&Latency::Regions { jitter: Jitter::NoJitter }, 300);
        let region = |node| region_of(Seed(9), NodeId(node), &Regions::Uniform);
        for (from, to) in (0..299).map(|node| (node, node + 1)) {
            assert_eq!(sampler.delay(Seed(9), NodeId(from), NodeId(to), 7), region(from).one_way(region(to)));
        }
        let latency = Latency::Regions { jitter: Jitter::NoJitter };
        assert!((latency.mean(&Regions::Uniform).expect("it is built in") - 0.0732).abs() < 1e-4);
    }
}
