//! When each search takes place.

use super::search_log::SearchLog;
use super::{Arrivals, Sittings};
use crate::error::Result;
use crate::math;
use crate::network::daily_cycle::Clocks;
use crate::network::load::Nodes;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};

/// An arrival model that is ready to draw from. The moment of a search is a function of seed, node and the search's number.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivalSampler {
    arrivals: Arrivals,
    n_nodes: u32,
    /// By node, with a mean of 1; empty if all nodes search equally often.
    rates: Vec<f64>,
    /// The clocks of a daily cycle, if the model has one.
    clocks: Option<Clocks>,
    /// The log that the model replays, if it has one.
    log: Option<SearchLog>,
}

impl Arrivals {
    /// The file that the model is read from.
    pub fn path(&self) -> Option<&str> {
        match self {
            Arrivals::Trace { path, .. } => Some(path),
            Arrivals::RoundRobin { .. } | Arrivals::Poisson { .. } => None,
        }
    }

    /// The mean time between two searches of one node in seconds, or `None` if it is only known once a file is read.
    pub fn mean_pause(&self) -> Option<f64> {
        match self {
            Arrivals::RoundRobin { period } => Some(period.secs()),
            Arrivals::Poisson { every, .. } => Some(every.secs()),
            Arrivals::Trace { .. } => None,
        }
    }

    /// Whether a node may have a last search.
    pub fn may_end(&self) -> bool {
        matches!(self, Arrivals::Trace { repeat: None, .. })
    }
}

impl ArrivalSampler {
    /// A moment that never comes.
    pub const NEVER: VirtualTime = VirtualTime(u64::MAX);

    pub(in crate::network) fn load(arrivals: &Arrivals, nodes: &Nodes) -> Result<Self> {
        let Nodes { seed, n_nodes, regions } = *nodes;
        let mut sampler = Self { arrivals: arrivals.clone(), n_nodes, rates: Vec::new(), clocks: None, log: None };
        match arrivals {
            Arrivals::RoundRobin { .. } => {}
            Arrivals::Poisson { rates, day, .. } => {
                sampler.rates = rates.draw(seed, n_nodes);
                sampler.clocks = day.map(|day| Clocks::new(day, seed, n_nodes, regions));
            }
            Arrivals::Trace { path, unit, begin, speed, repeat } => {
                sampler.log = Some(SearchLog::read(path, *unit, *begin, *speed, *repeat, nodes)?);
            }
        }
        Ok(sampler)
    }

    /// The moment of the `nth` search of `node`, counted from 0, or [`NEVER`](Self::NEVER). `previous` is the moment of the search before it,
    /// or the beginning of the run.
    pub fn next(&self, seed: Seed, node: NodeId, nth: u64, previous: VirtualTime) -> VirtualTime {
        match &self.arrivals {
            // Turn i of a round ends its i-th share, so that a whole round ends exactly at a multiple of the period.
            Arrivals::RoundRobin { period } => {
                let nth_of_all = u128::from(nth) * u128::from(self.n_nodes) + u128::from(node.0) + 1;
                VirtualTime(u64::try_from(nth_of_all * u128::from(period.ns()) / u128::from(self.n_nodes)).unwrap_or(u64::MAX))
            }
            Arrivals::Poisson { every, sittings, .. } => {
                let every = every.secs() / self.rates.get(node.idx()).copied().unwrap_or(1.0);
                let mean = sittings.map_or(every, |sittings| sittings.mean_pause(seed, node, nth, every));
                let pause = mean * -math::ln(seed.uniform(Purpose::Arrival, node.0.into(), nth));
                // The clock of a daily cycle runs faster at busy hours; measured by it, searches are equally frequent at any time.
                let pause = self.clocks.as_ref().map_or(pause, |clocks| clocks.real(node, previous, pause));
                previous.after(Duration::from_secs_f64(pause))
            }
            Arrivals::Trace { .. } => self.log.as_ref().and_then(|log| log.moment(node, nth)).unwrap_or(Self::NEVER),
        }
    }

    /// Checks that somebody searches during the run.
    ///
    /// # Errors
    /// If a search log has no search before the `end` of the run.
    pub fn check_begin(&self, end: Duration) -> Result<()> {
        self.log.as_ref().map_or(Ok(()), |log| log.check_begin(end))
    }

    /// How often each node searches, relative to the average node.
    pub fn rates(&self) -> Vec<f64> {
        match &self.log {
            Some(log) => log.rates(),
            None if self.rates.is_empty() => vec![1.0; self.n_nodes as usize],
            None => self.rates.clone(),
        }
    }

    /// The mean time between two searches of one node in seconds.
    pub fn mean_pause(&self) -> f64 {
        let of_file = || self.log.as_ref().map(SearchLog::mean_pause);
        self.arrivals.mean_pause().or_else(of_file).expect("a model without a file knows its mean")
    }
}

impl Sittings {
    /// The mean of the pause before the `nth` search of a node that searches once per `every` seconds on average.
    fn mean_pause(&self, seed: Seed, node: NodeId, nth: u64, every: f64) -> f64 {
        // CHOICE(sittings): who searches more often than once per pause anyway does not sit down for it.
        let within = self.pause.secs().min(every);
        // The pause between two sittings makes up for the short pauses within one: n searches take n times `every` on average.
        let between = self.searches * every - (self.searches - 1.0) * within;
        let goes_on = if nth == 0 {
            // The probability that a run begins within a sitting is the share of time that sittings take.
            (self.searches - 1.0) * within / (self.searches * every)
        } else {
            1.0 - 1.0 / self.searches
        };
        if seed.uniform(Purpose::Sitting, node.0.into(), nth) < goes_on { within } else { between }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Day, Rates, Regions, Zones, ks};

    fn load(arrivals: &Arrivals, n_nodes: u32) -> ArrivalSampler {
        ArrivalSampler::load(arrivals, &Nodes { seed: Seed(3), n_nodes, regions: &Regions::Uniform })
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn poisson(rates: Rates, sittings: Option<Sittings>, day: Option<Day>) -> Arrivals {
        Arrivals::Poisson { every: Duration::from_secs(60), rates, sittings, day }
    }

    /// The moments of a node's searches in seconds.
    fn moments(sampler: &ArrivalSampler, node: u32, n: u64) -> Vec<f64> {
        let mut at = VirtualTime(0);
        let mut next = |nth| {
            at = sampler.next(Seed(3), NodeId(node), nth, at);
            Duration::from_ns(at.0).secs()
        };
        (0..n).map(&mut next).collect()
    }

    #[test]
    fn a_round_ends_with_its_period() {
        let sampler = load(&Arrivals::RoundRobin { period: Duration::from_ns(100) }, 3);
        let at = |node, nth| sampler.next(Seed(1), NodeId(node), nth, VirtualTime(0)).0;
        assert_eq!([at(0, 0), at(1, 0), at(2, 0), at(0, 1), at(2, 1)], [33, 66, 100, 133, 200]);
    }

    #[test]
    fn poisson_pauses_are_exponential() {
        let sampler = load(&poisson(Rates::Equal, None, None), 10);
        let mut pauses: Vec<f64> =
            (0..20_000).map(|i| Duration::from_ns(sampler.next(Seed(3), NodeId(5), i, VirtualTime(0)).0).secs()).collect();
        ks(&mut pauses, |x| 1.0 - math::exp(-x / 60.0));
    }

    #[test]
    fn all_together_search_as_often_whatever_their_rates() {
        let sittings = Sittings { searches: 4.0, pause: Duration::from_secs(5) };
        for (rates, sittings) in [(Rates::Zipf { exponent: 1.0 }, None), (Rates::LogNormal { sigma: 1.5 }, Some(sittings))] {
            let sampler = load(&poisson(rates, sittings, None), 40);
            let within_a_day: usize = (0..40).map(|node| moments(&sampler, node, 20_000).iter().filter(|&&at| at < 86_400.0).count()).sum();
            // 40 nodes · 1440 searches; sittings make counts wider.
            assert!((within_a_day as f64 / 57_600.0 - 1.0).abs() < 0.03, "{rates:?}: {within_a_day}");
        }
    }

    #[test]
    fn sittings_have_their_length_and_pauses() {
        let sittings = Sittings { searches: 4.0, pause: Duration::from_secs(2) };
        let n = 40_000;
        let at = moments(&load(&poisson(Rates::Equal, Some(sittings), None), 1), 0, n);
        let pauses: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((math::mean_sd(&pauses).0 / 60.0 - 1.0).abs() < 0.03);
        // Three pauses in four are exponential with a mean of 2 s, the fourth with one of 4 · 60 − 3 · 2.
        ks(&mut pauses.clone(), |x| 1.0 - 0.75 * math::exp(-x / 2.0) - 0.25 * math::exp(-x / 234.0));
    }

    #[test]
    fn a_day_has_its_hours() {
        let day = Day { amplitude: 0.8, peak: Duration::from_secs(20 * 3600), zones: Zones::Same };
        let at = moments(&load(&poisson(Rates::Equal, None, Some(day)), 1), 0, 28_800);
        let mut hours = [0.0; 24];
        at.iter().filter(|&&at| at < 18.0 * 86_400.0).for_each(|at| hours[(at / 3600.0) as usize % 24] += 1.0);
        let swing = |hour: f64| (std::f64::consts::TAU * (hour - 20.0) / 24.0).sin() * 24.0 / std::f64::consts::TAU;
        let want = |hour: usize| 60.0 * 18.0 * (1.0 + 0.8 * (swing(hour as f64 + 1.0) - swing(hour as f64)));
        // χ² with 24 degrees of freedom at 99.9 %: 51.2.
        let chi2: f64 = (0..24).map(|hour| (hours[hour] - want(hour)).powi(2) / want(hour)).sum();
        assert!(chi2 < 51.2, "χ² = {chi2}: {hours:?}");
    }
}
