//! Arrivals made ready: the moment of every search.

use super::search_log::SearchLog;
use super::{Arrivals, Sittings};
use crate::error::Result;
use crate::math;
use crate::network::daily_cycle::Clocks;
use crate::network::load::Where;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};

/// The moments of searches, as a function of seed, node and number.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivalSampler {
    n_nodes: u32,
    model: Model,
}

#[derive(Debug, Clone, PartialEq)]
enum Model {
    Rounds {
        period: Duration,
    },
    Poisson {
        every: Duration,
        /// By node, on average 1; none if all are.
        rates: Vec<f64>,
        sittings: Option<Sittings>,
        clocks: Option<Clocks>,
    },
    SearchLog(SearchLog),
}

impl ArrivalSampler {
    /// After everything: nobody searches then.
    pub const NEVER: VirtualTime = VirtualTime(u64::MAX);

    pub(in crate::network) fn load(arrivals: &Arrivals, place: &Where) -> Result<Self> {
        let Where { seed, n_nodes, regions } = *place;
        let model = match arrivals {
            Arrivals::RoundRobin { period } => Model::Rounds { period: *period },
            Arrivals::Poisson { every, rates, sittings, day } => Model::Poisson {
                every: *every,
                rates: rates.draw(seed, n_nodes),
                sittings: *sittings,
                clocks: day.map(|day| Clocks::new(day, seed, n_nodes, regions)),
            },
            Arrivals::Trace { path, unit, begin, speed, repeat } => {
                Model::SearchLog(SearchLog::read(path, *unit, *begin, *speed, *repeat, place)?)
            }
        };
        Ok(Self { n_nodes, model })
    }

    /// The moment of the `nth` search (0-based) of `node`, given the moment of the one before (the beginning for the first), or NEVER.
    pub fn next(&self, seed: Seed, node: NodeId, nth: u64, previous: VirtualTime) -> VirtualTime {
        match &self.model {
            // Turn i of a round ends its i-th share, so that a whole round ends exactly at a multiple of the period.
            Model::Rounds { period } => {
                let turn = u128::from(nth) * u128::from(self.n_nodes) + u128::from(node.0) + 1;
                VirtualTime(u64::try_from(turn * u128::from(period.ns()) / u128::from(self.n_nodes)).unwrap_or(u64::MAX))
            }
            Model::Poisson { every, rates, sittings, clocks } => {
                let every = every.secs() / rates.get(node.idx()).copied().unwrap_or(1.0);
                let mean = sittings.map_or(every, |sittings| sittings.mean_pause(seed, node, nth, every));
                let pause = mean * -math::ln(seed.uniform(Purpose::Arrival, node.0.into(), nth));
                // On the clock of a day, which runs faster at busy hours, searches are as frequent at any time.
                let pause = clocks.as_ref().map_or(pause, |clocks| clocks.real(node, previous, pause));
                previous.after(Duration::from_secs_f64(pause))
            }
            Model::SearchLog(log) => log.moment(node, nth).unwrap_or(Self::NEVER),
        }
    }

    /// # Errors
    /// If a log of searches has none before the `end` of the run.
    pub fn check_begin(&self, end: Duration) -> Result<()> {
        match &self.model {
            Model::SearchLog(log) => log.check_begin(end),
            Model::Rounds { .. } | Model::Poisson { .. } => Ok(()),
        }
    }

    /// How often each node searches, relative to the average node.
    pub fn rates(&self) -> Vec<f64> {
        match &self.model {
            Model::Rounds { .. } => vec![1.0; self.n_nodes as usize],
            Model::Poisson { rates, .. } if rates.is_empty() => vec![1.0; self.n_nodes as usize],
            Model::Poisson { rates, .. } => rates.clone(),
            Model::SearchLog(log) => log.rates(),
        }
    }

    /// Mean seconds between two searches of one node.
    pub fn mean_pause(&self) -> f64 {
        match &self.model {
            Model::Rounds { period } => period.secs(),
            Model::Poisson { every, .. } => every.secs(),
            Model::SearchLog(log) => log.mean_pause(),
        }
    }
}

impl Sittings {
    /// The mean of the pause before the `nth` search of a node that searches once per `every` seconds on average.
    fn mean_pause(&self, seed: Seed, node: NodeId, nth: u64, every: f64) -> f64 {
        // CHOICE(sittings): who searches more often than once per pause anyway does not sit down for it.
        let within = self.pause.secs().min(every);
        // The pause between sittings makes up for those within: so many searches take so many times `every`.
        let between = self.searches * every - (self.searches - 1.0) * within;
        let goes_on = if nth == 0 {
            // A run begins within a sitting with the share of time that these take.
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
        ArrivalSampler::load(arrivals, &Where { seed: Seed(3), n_nodes, regions: &Regions::Uniform })
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn poisson(rates: Rates, sittings: Option<Sittings>, day: Option<Day>) -> Arrivals {
        Arrivals::Poisson { every: Duration::from_secs(60), rates, sittings, day }
    }

    /// The moments of a node's searches in seconds.
    fn moments(searches: &ArrivalSampler, node: u32, n: u64) -> Vec<f64> {
        let mut at = VirtualTime(0);
        let mut next = |nth| {
            at = searches.next(Seed(3), NodeId(node), nth, at);
            Duration::from_ns(at.0).secs()
        };
        (0..n).map(&mut next).collect()
    }

    #[test]
    fn a_round_ends_with_its_period() {
        let searches = load(&Arrivals::RoundRobin { period: Duration::from_ns(100) }, 3);
        let at = |node, nth| searches.next(Seed(1), NodeId(node), nth, VirtualTime(0)).0;
        assert_eq!([at(0, 0), at(1, 0), at(2, 0), at(0, 1), at(2, 1)], [33, 66, 100, 133, 200]);
    }

    #[test]
    fn poisson_pauses_are_exponential() {
        let searches = load(&poisson(Rates::Equal, None, None), 10);
        let mut pauses: Vec<f64> =
            (0..20_000).map(|i| Duration::from_ns(searches.next(Seed(3), NodeId(5), i, VirtualTime(0)).0).secs()).collect();
        ks(&mut pauses, |x| 1.0 - math::exp(-x / 60.0));
    }

    #[test]
    fn all_together_search_as_often_whatever_their_rates() {
        let sittings = Sittings { searches: 4.0, pause: Duration::from_secs(5) };
        for (rates, sittings) in [(Rates::Zipf { exponent: 1.0 }, None), (Rates::LogNormal { sigma: 1.5 }, Some(sittings))] {
            let searches = load(&poisson(rates, sittings, None), 40);
            let within_a_day: usize =
                (0..40).map(|node| moments(&searches, node, 20_000).iter().filter(|&&at| at < 86_400.0).count()).sum();
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
