//! When nodes come and go.
//!
//! A model is a variant of [`Churn`]; this file says which periods it stands for, and `sampler` draws them. `durations` has the
//! distributions of one period, `churn_trace` reads periods that were measured elsewhere, and `crowds` moves many nodes at once.

mod churn_trace;
mod crowds;
mod durations;
mod sampler;

pub use crowds::{Away, Crowd, Crowded, crowded, first_change, next_change};
pub use durations::Durations;
pub use sampler::ChurnSampler;

use crate::fields::declare;
use crate::network::daily_cycle::{Day, Zones};
use crate::units::Duration;

declare! {
    /// Whether nodes come and go. `absence` says what an absence means; `rankguard check` shows the parameters behind a name.
    #[derive(Clone, PartialEq)]
    pub enum Churn {
        /// Nobody leaves.
        AlwaysOnline,
        /// Independent online and offline periods in turn, begun in the stationary state.
        Alternating {
            /// How long a node stays.
            #[example(Weibull(shape: 0.6, scale: "2h"))]
            online: Durations,
            /// How long a node stays away.
            #[example(Exponential(mean: "3h"))]
            offline: Durations,
            /// How activity follows the hour. Absences are measured by a clock that runs faster at busy hours, and the run begins with the
            /// share of nodes online that is usual at its hour.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[example((amplitude: 0.5, peak: "20h"))]
            day: Option<Day>,
        },
        /// File sharers, as crawled: Weibull 0.615, 169.5 min online, 0.476, 413.7 min offline. A fifth are online.
        Kad,
        /// Downloaders of one torrent: Weibull 0.59, 41.9 min online; absences, which were not measured, as for `Kad`. One in fifteen is
        /// online.
        BitTorrent,
        /// Servers of a content network: log-normal, median 2 h, sigma 1.647 online; absences, which were not measured, are alike. Half are
        /// online.
        Ipfs,
        /// The extreme setting of gossip learning: log-normal, median one cycle, sigma 1 online, a ninth of that offline. Nine in ten are
        /// online. That setting also has `loss: 0.5` and, for a cycle of 10 min, `latency: Uniform(min: "10min", max: "100min")`.
        OrmandiExtreme {
            /// How long a cycle of gossip lasts.
            #[limits(above(0.0))]
            #[example("10min")]
            cycle: Duration,
        },
        /// People's phones, as measured: log-normal, median 1153 s, sigma 1.69 online, 2644 s, 1.9 offline, most of them at night (amplitude
        /// 0.6, peak 2 h). A quarter are online.
        Smartphones,
        /// Periods measured elsewhere: a file, plain or `.gz`, with lines `user,starts_online,…,durations`: the second column 1 or 0, the last
        /// durations in milliseconds separated by blanks, online and offline in turn; columns in between are not read, but all lines have as
        /// many; `#` begins a comment. Each node follows one line, drawn from the seed; all are used once before any is used twice.
        Trace {
            /// The trace of periods, with lines user,starts_online,durations.
            #[limits(naming("the name of a file"))]
            #[example("data/churn.csv")]
            path: String,
            /// Where in its line of the trace a node begins.
            #[example(Random)]
            phase: Phase,
            /// What a node does when its line of the trace is over.
            #[example(Loop)]
            end: End,
        },
    }
}

declare! {
    /// Where in its line of a trace a node begins.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Phase {
        /// At the beginning, so that the hours of the day agree between nodes.
        Start,
        /// At a moment drawn uniformly for each node.
        Random,
    }
}

declare! {
    /// What happens after the last period of a line.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum End {
        /// The line begins again.
        Loop,
        /// The node stays as it is.
        Stay,
    }
}

/// The online and offline lengths and the daily cycle that a churn model stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Periods {
    /// How long a node stays.
    pub online: Durations,
    /// How long a node stays away.
    pub offline: Durations,
    /// At which hours absences end sooner.
    pub day: Option<Day>,
}

impl Churn {
    /// The file that the model is read from.
    pub fn path(&self) -> Option<&str> {
        match self {
            Churn::Trace { path, .. } => Some(path),
            Churn::AlwaysOnline
            | Churn::Alternating { .. }
            | Churn::Kad
            | Churn::BitTorrent
            | Churn::Ipfs
            | Churn::OrmandiExtreme { .. }
            | Churn::Smartphones => None,
        }
    }

    /// The periods that are drawn, or `None` if nobody ever leaves or a trace has the periods.
    pub fn periods(&self) -> Option<Periods> {
        let weibull = |shape, minutes: f64| Durations::Weibull { shape, scale: Duration::from_secs_f64(minutes * 60.0) };
        let log_normal = |seconds: f64, sigma| Durations::LogNormal { median: Duration::from_secs_f64(seconds), sigma };
        let (online, offline, day) = match *self {
            Churn::AlwaysOnline | Churn::Trace { .. } => return None,
            Churn::Alternating { online, offline, day } => (online, offline, day),
            Churn::Kad => (weibull(0.615, 169.5), weibull(0.476, 413.7), None),
            // CHOICE(churn): of the three measured torrents, the one whose sessions are least extreme; absences as in KAD, nobody measured them.
            Churn::BitTorrent => (weibull(0.59, 41.9), weibull(0.476, 413.7), None),
            // CHOICE(churn): absences like the sessions, since only these were measured: half of the servers are there.
            Churn::Ipfs => (log_normal(7_200.0, 1.647), log_normal(7_200.0, 1.647), None),
            // CHOICE(churn): absences have the shape of the sessions and a ninth of their length, so that nine nodes in ten are there.
            Churn::OrmandiExtreme { cycle } => (log_normal(cycle.secs(), 1.0), log_normal(cycle.secs() / 9.0, 1.0), None),
            // CHOICE(churn): the medians of the measured fits, but absences with sigma 1.9 instead of 2.30, whose far tail, longer than the
            // measured week, would halve the measured availability; and a day that gives about the measured one: 0.36 at 3:00, 0.17 at 14:00.
            Churn::Smartphones => {
                let night = Day { amplitude: 0.6, peak: Duration::from_secs(2 * 3600), zones: Zones::Same };
                (log_normal(1_153.0, 1.69), log_normal(2_644.0, 1.9), Some(night))
            }
        };
        Some(Periods { online, offline, day })
    }

    /// The long-run share of time that a node is online, or `None` if it is only known once a file is read. A daily cycle lowers it a little.
    pub fn availability(&self) -> Option<f64> {
        let of_periods = |Periods { online, offline, .. }: Periods| online.mean() / (online.mean() + offline.mean());
        self.path().is_none().then(|| self.periods().map_or(1.0, of_periods))
    }

    /// Joins and leaves per node and second, or `None` if they are only known once a file is read.
    pub fn changes_per_second(&self) -> Option<f64> {
        let of_periods = |Periods { online, offline, .. }: Periods| 2.0 / (online.mean() + offline.mean());
        self.path().is_none().then(|| self.periods().map_or(0.0, of_periods))
    }

    /// Whether it is a name for parameters that [`periods`](Self::periods) gives.
    pub fn is_preset(&self) -> bool {
        !matches!(self, Churn::AlwaysOnline | Churn::Alternating { .. } | Churn::Trace { .. })
    }
}

impl From<Periods> for Churn {
    fn from(Periods { online, offline, day }: Periods) -> Self {
        Churn::Alternating { online, offline, day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_availability_they_are_known_for() {
        let check = |churn: Churn, want: f64, within: f64| {
            let got = churn.availability().expect("it is parametric");
            assert!((got - want).abs() <= within, "{churn:?}: {got}");
        };
        check(Churn::Kad, 0.21, 0.01);
        check(Churn::Ipfs, 0.5, 1e-9);
        check(Churn::OrmandiExtreme { cycle: Duration::from_secs(60) }, 0.9, 1e-6);
        check(Churn::Smartphones, 0.23, 0.01);
        check(Churn::BitTorrent, 0.066, 0.001);
    }
}
