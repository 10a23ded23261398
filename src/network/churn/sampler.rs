//! When each node comes and goes.

use super::churn_trace::ChurnTrace;
use super::{Churn, Periods};
use crate::error::Result;
use crate::network::daily_cycle::Clocks;
use crate::network::load::Nodes;
use crate::rng::{Pcg64, Purpose, Seed, uniform};
use crate::units::{Duration, NodeId, VirtualTime};

/// The time before a run that a daily cycle needs until its start no longer matters. Whole days keep the hours as they are.
const WARM_UP: f64 = 7.0 * 86_400.0;

/// A churn model that is ready to draw from. The length of a period is a function of seed, node and the period's number.
#[derive(Debug, Clone, PartialEq)]
pub struct ChurnSampler {
    churn: Churn,
    /// The distributions from which periods are drawn, if they are drawn. Without them and without a trace no node ever leaves.
    periods: Option<Periods>,
    /// The clocks of a daily cycle, if the model has one.
    clocks: Option<Clocks>,
    /// The trace that the model replays, if it has one.
    trace: Option<ChurnTrace>,
}

impl ChurnSampler {
    pub(in crate::network) fn load(churn: &Churn, nodes: &Nodes) -> Result<Self> {
        let periods = churn.periods();
        let day = periods.and_then(|periods| periods.day);
        let trace = if let Churn::Trace { path, phase, end } = churn { Some(ChurnTrace::read(path, *phase, *end, nodes)?) } else { None };
        let clocks = day.map(|day| Clocks::new(day, nodes.seed, nodes.n_nodes, nodes.regions));
        Ok(Self { churn: churn.clone(), periods, clocks, trace })
    }

    /// Whether `node` begins online, and the rest of its first period, or `None` if this period never ends.
    pub fn start(&self, seed: Seed, node: NodeId) -> (bool, Option<Duration>) {
        match (&self.trace, &self.periods, &self.clocks) {
            (Some(trace), ..) => trace.start(seed, node),
            (None, Some(periods), Some(clocks)) => warm_up(periods, clocks, seed, node),
            (None, Some(periods), None) => {
                let (is_online, left) = stationary(periods, &mut period_rng(seed, node, 0));
                (is_online, Some(at_least_1_ns(left)))
            }
            (None, None, _) => (true, None),
        }
    }

    /// The length of the `nth` period of `node`, which begins at `now`, or `None` if it never ends. Period 0 is the one that
    /// [`start`](Self::start) is in.
    pub fn period(&self, seed: Seed, node: NodeId, nth: u64, is_online: bool, now: VirtualTime) -> Option<Duration> {
        if let Some(trace) = &self.trace {
            return trace.period(seed, node, nth, is_online);
        }
        let length = sample(self.periods.as_ref()?, is_online, &mut period_rng(seed, node, nth));
        Some(at_least_1_ns(real(self.clocks.as_ref(), node, now, is_online, length)))
    }

    /// The share of time that a node is online.
    pub fn availability(&self) -> f64 {
        let of_file = || self.trace.as_ref().map(ChurnTrace::availability);
        self.churn.availability().or_else(of_file).unwrap_or(1.0)
    }

    /// Joins and leaves per node and second.
    pub fn changes_per_second(&self) -> f64 {
        let of_file = || self.trace.as_ref().map(ChurnTrace::changes_per_second);
        self.churn.changes_per_second().or_else(of_file).unwrap_or(0.0)
    }
}

/// The state at a random moment, and the rest of the period that covers it in seconds.
fn stationary(Periods { online, offline, .. }: &Periods, rng: &mut Pcg64) -> (bool, f64) {
    let is_online = uniform(rng) < online.mean() / (online.mean() + offline.mean());
    let length = if is_online { online } else { offline };
    // The period that covers a random moment is length-biased, and the moment falls anywhere in it.
    (is_online, length.sample_biased(rng) * uniform(rng))
}

/// The state at the beginning of a run with a daily cycle. It depends on the hour, so it is simulated from a week earlier.
fn warm_up(periods: &Periods, clocks: &Clocks, seed: Seed, node: NodeId) -> (bool, Option<Duration>) {
    let mut rng = seed.rng(Purpose::ChurnPast, node.0.into(), 0);
    let (mut is_online, left) = stationary(periods, &mut rng);
    let mut until = real(Some(clocks), node, VirtualTime(0), is_online, left);
    while until <= WARM_UP {
        is_online = !is_online;
        let length = sample(periods, is_online, &mut rng);
        until += real(Some(clocks), node, VirtualTime(0).after(Duration::from_secs_f64(until)), is_online, length).max(1e-9);
    }
    (is_online, Some(at_least_1_ns(until - WARM_UP)))
}

/// Draws the length of a period in seconds.
fn sample(periods: &Periods, is_online: bool, rng: &mut Pcg64) -> f64 {
    if is_online { periods.online.sample(rng) } else { periods.offline.sample(rng) }
}

/// The real length of a period. Absences are measured by a clock that runs faster at busy hours.
fn real(clocks: Option<&Clocks>, node: NodeId, now: VirtualTime, is_online: bool, seconds: f64) -> f64 {
    match clocks.filter(|_| !is_online) {
        Some(clocks) => clocks.real(node, now, seconds),
        None => seconds,
    }
}

fn period_rng(seed: Seed, node: NodeId, nth: u64) -> Pcg64 {
    seed.rng(Purpose::Churn, node.0.into(), nth)
}

/// A period is never empty, so that time goes on.
fn at_least_1_ns(seconds: f64) -> Duration {
    Duration::from_ns(Duration::from_secs_f64(seconds).ns().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::churn::durations::tests::LENGTHS;
    use crate::network::{Day, Durations, Regions, Zones};

    const N: u32 = 4_000;

    fn load(churn: &Churn) -> ChurnSampler {
        ChurnSampler::load(churn, &Nodes { seed: Seed(6), n_nodes: N, regions: &Regions::Uniform })
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The share of nodes online at each of the probed moments.
    fn shares(churn: &Churn, probes: &[u64]) -> Vec<f64> {
        let sampler = load(churn);
        let mut online = vec![0u32; probes.len()];
        for node in (0..N).map(NodeId) {
            let (mut is_online, left) = sampler.start(Seed(6), node);
            let (mut until, mut nth) = (left.expect("it alternates").ns(), 0);
            for (probe, count) in probes.iter().zip(&mut online) {
                while until <= *probe {
                    nth += 1;
                    is_online = !is_online;
                    let length = sampler.period(Seed(6), node, nth, is_online, VirtualTime(until));
                    until = until.saturating_add(length.expect("it alternates").ns());
                }
                *count += u32::from(is_online);
            }
        }
        online.into_iter().map(|count| f64::from(count) / f64::from(N)).collect()
    }

    const MINUTE: u64 = 60_000_000_000;
    const HOUR: u64 = 60 * MINUTE;

    #[track_caller]
    fn check_stationary(churn: &Churn) {
        // From the start and after many periods, the share online is the availability: no transient.
        let p = churn.availability().expect("it is parametric");
        let bound = 4.5 * (p * (1.0 - p) / f64::from(N)).sqrt();
        for (probe, share) in
            [0, MINUTE / 2, 5 * MINUTE, HOUR, 8 * HOUR].iter().zip(shares(churn, &[0, MINUTE / 2, 5 * MINUTE, HOUR, 8 * HOUR]))
        {
            assert!((share - p).abs() < bound, "{churn:?} at {probe} ns: {share}, not {p}");
        }
    }

    #[test]
    fn the_start_is_stationary() {
        let heavy = Durations::Pareto { min: Duration::from_secs(10), shape: 1.5 };
        for online in LENGTHS.into_iter().chain([heavy]) {
            let offline = Durations::Weibull { shape: 0.7, scale: Duration::from_secs(120) };
            check_stationary(&Churn::Alternating { online, offline, day: None });
        }
        for churn in [Churn::Kad, Churn::BitTorrent, Churn::Ipfs, Churn::OrmandiExtreme { cycle: Duration::from_secs(60) }] {
            check_stationary(&churn);
        }
    }

    #[test]
    fn kad_is_there_a_fifth_of_the_time() {
        let probes: Vec<u64> = (0..50).map(|hour| hour * 5 * HOUR).collect();
        let shares = shares(&Churn::Kad, &probes);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((mean - 0.21).abs() <= 0.01 && shares.iter().all(|share| (share - 0.2).abs() < 0.035), "{mean}: {shares:?}");
    }

    #[test]
    fn with_a_day_the_first_day_is_like_the_tenth() {
        let day = |days: u64| -> Vec<u64> { (0..8).map(|i| days * 24 * HOUR + 3 * i * HOUR).collect() };
        let length = |minutes: u64| Durations::Exponential { mean: Duration::from_secs(60 * minutes) };
        let evening = Some(Day { amplitude: 0.9, peak: Duration::from_secs(20 * 3600), zones: Zones::Same });
        let churn = Churn::Alternating { online: length(60), offline: length(120), day: evening };
        let (first, tenth) = (shares(&churn, &day(0)), shares(&churn, &day(10)));
        for (a, b) in first.iter().zip(&tenth) {
            // 4.5 standard deviations of a difference of two shares.
            assert!((a - b).abs() < 4.5 * 0.7 / f64::from(N).sqrt(), "{first:?} {tenth:?}");
        }
        // p' = ν(t) (1 − p) − μ p, solved by small steps: the share at 21:00 and at 9:00.
        let mut p = 1.0 / 3.0;
        let mut want = [0.0; 2];
        for minute in 0..10 * 1440 {
            let hour = f64::from(minute % 1440) / 60.0;
            let busy = 1.0 + 0.9 * ((hour - 20.0) / 24.0 * std::f64::consts::TAU).cos();
            if minute % 1440 == 21 * 60 {
                want[0] = p
            }
            if minute % 1440 == 9 * 60 {
                want[1] = p
            }
            p += busy * (1.0 - p) / 120.0 - p / 60.0;
        }
        assert!((tenth[7] - want[0]).abs() < 0.04 && (tenth[3] - want[1]).abs() < 0.04, "{tenth:?}, not {want:?}");
    }

    #[test]
    fn phones_are_there_at_night() {
        let shares = shares(&Churn::Smartphones, &(0..24).map(|hour| hour * HOUR).collect::<Vec<_>>());
        let mean = shares.iter().sum::<f64>() / 24.0;
        assert!((mean - 0.23).abs() < 0.025, "{mean}");
        assert!(shares[3] > 0.27 && shares[14] < 0.2, "{shares:?}");
    }
}
