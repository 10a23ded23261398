//! Latency made ready: how long each message travels.

use super::hosts::{Coordinates, Table};
use super::{Jitter, Latency};
use crate::error::Result;
use crate::math;
use crate::network::churn::durations::sample_gamma;
use crate::network::load::Where;
use crate::network::regions::{Region, region_of};
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};

/// The delay of every message, as a function of seed, sender, receiver and number.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencySampler {
    model: Model,
    jitter: Jitter,
    /// By node, where hosts matter.
    host_of: Vec<u32>,
    /// Whether hosts are those of a file, and not regions.
    has_file: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Model {
    Zero,
    Constant(Duration),
    Uniform { min: Duration, max: Duration },
    LogNormal { median: Duration, sigma: f64 },
    Gamma { mean: Duration, shape: f64 },
    Table(Table),
    Coordinates(Coordinates),
}

impl LatencySampler {
    pub(in crate::network) fn load(latency: &Latency, place: &Where) -> Result<Self> {
        let drawn = |model| Self { model, jitter: Jitter::NoJitter, host_of: Vec::new(), has_file: false };
        Ok(match latency {
            Latency::Zero => drawn(Model::Zero),
            Latency::Constant(delay) => drawn(Model::Constant(*delay)),
            Latency::Uniform { min, max } => drawn(Model::Uniform { min: *min, max: *max }),
            Latency::LogNormal { median, sigma } => drawn(Model::LogNormal { median: *median, sigma: *sigma }),
            Latency::Gamma { mean, shape } => drawn(Model::Gamma { mean: *mean, shape: *shape }),
            Latency::Regions { jitter } => {
                let host_of = (0..place.n_nodes).map(|node| region_of(place.seed, NodeId(node), place.regions) as u32).collect();
                Self { model: Model::Table(world()), jitter: *jitter, host_of, has_file: false }
            }
            Latency::Matrix { path, unit, measures, missing, jitter } => {
                let table = Table::read(path, unit.secs() * measures.one_way(), *missing)?;
                Self { host_of: place.deal(Purpose::Host, table.n()), model: Model::Table(table), jitter: *jitter, has_file: true }
            }
            Latency::Vivaldi { path, unit, measures, jitter } => {
                let coordinates = Coordinates::read(path, unit.secs() * measures.one_way())?;
                let host_of = place.deal(Purpose::Host, coordinates.n());
                Self { host_of, model: Model::Coordinates(coordinates), jitter: *jitter, has_file: true }
            }
        })
    }

    /// The delay of the `nth` message that `sender` ever sent, to `receiver`.
    pub fn delay(&self, seed: Seed, sender: NodeId, receiver: NodeId, nth: u64) -> Duration {
        let u = || seed.uniform(Purpose::Latency, sender.0.into(), nth);
        let between = |seconds: f64| Duration::from_secs_f64(seconds * self.jitter.factor(seed, sender, nth));
        match &self.model {
            Model::Zero => Duration::ZERO,
            Model::Constant(delay) => *delay,
            Model::Uniform { min, max } => Duration::from_secs_f64(min.secs() + (max.secs() - min.secs()) * u()),
            Model::LogNormal { median, sigma } => Duration::from_secs_f64(median.secs() * math::exp(sigma * math::normal_quantile(u()))),
            Model::Gamma { mean, shape } => {
                let draw = sample_gamma(*shape, &mut seed.rng(Purpose::Latency, sender.0.into(), nth));
                Duration::from_secs_f64(mean.secs() / shape * draw)
            }
            Model::Table(table) => between(table.seconds(self.host_of[sender.idx()], self.host_of[receiver.idx()])),
            Model::Coordinates(hosts) => between(hosts.seconds(self.host_of[sender.idx()], self.host_of[receiver.idx()])),
        }
    }

    /// The host of `node` in the file of hosts, if there is one.
    pub fn host(&self, node: NodeId) -> Option<u32> {
        if self.has_file { self.host_of.get(node.idx()).copied() } else { None }
    }

    /// Mean delay in seconds where it comes from a file.
    pub(in crate::network) fn mean_between_hosts(&self) -> Option<f64> {
        match &self.model {
            Model::Table(table) => Some(table.mean()),
            Model::Coordinates(hosts) => Some(hosts.mean()),
            Model::Zero | Model::Constant(_) | Model::Uniform { .. } | Model::LogNormal { .. } | Model::Gamma { .. } => None,
        }
    }
}

impl Jitter {
    fn factor(self, seed: Seed, sender: NodeId, nth: u64) -> f64 {
        match self {
            Jitter::NoJitter => 1.0,
            Jitter::LogNormal { sigma } => {
                let z = math::normal_quantile(seed.uniform(Purpose::Jitter, sender.0.into(), nth));
                math::exp(sigma * z - 0.5 * sigma * sigma)
            }
        }
    }
}

fn world() -> Table {
    Table::of(Region::ALL.map(|from| Region::ALL.map(|to| from.one_way(to).secs()).to_vec()).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::files::tests::file;
    use crate::network::{Measures, Missing, Regions, Unit, ks};

    fn load(latency: &Latency, n_nodes: u32) -> LatencySampler {
        let place = Where { seed: Seed(9), n_nodes, regions: &Regions::Uniform };
        LatencySampler::load(latency, &place).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Seconds of 10,000 messages from node 2 to node 3.
    fn draws(latency: &Latency) -> Vec<f64> {
        let delays = load(latency, 4);
        (0..10_000).map(|i| delays.delay(Seed(9), NodeId(2), NodeId(3), i).secs()).collect()
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
        let delays = load(&Latency::Matrix { path, unit: Unit::Seconds, measures: Measures::OneWay, missing, jitter }, 6);
        let delay = |from, to| delays.delay(Seed(9), NodeId(from), NodeId(to), 0).secs();
        assert_eq!(delays.host_of[..3], delays.host_of[3..]);
        let mut all: Vec<f64> = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).map(|(from, to)| delay(from, to)).collect();
        assert_eq!(delay(0, 4), delay(3, 1));
        all.sort_by(f64::total_cmp);
        assert_eq!(all, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn regions_have_the_latencies_of_the_table() {
        let delays = load(&Latency::Regions { jitter: Jitter::NoJitter }, 300);
        let region = |node| region_of(Seed(9), NodeId(node), &Regions::Uniform);
        for (from, to) in (0..299).map(|node| (node, node + 1)) {
            assert_eq!(delays.delay(Seed(9), NodeId(from), NodeId(to), 7), region(from).one_way(region(to)));
        }
        let latency = Latency::Regions { jitter: Jitter::NoJitter };
        assert!((latency.mean(&Regions::Uniform).expect("it is built in") - 0.0732).abs() < 1e-4);
    }
}
