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

use crate::network::daily_cycle::{Day, Zones};
use crate::units::Duration;
use serde::{Deserialize, Serialize};

/// Whether nodes come and go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Churn {
    AlwaysOnline,
    /// Independent online and offline periods in turn, begun in the stationary state: no false mass churn in the first hours.
    Alternating {
        online: Durations,
        offline: Durations,
        /// Absences end sooner at busy hours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        day: Option<Day>,
    },
    /// Peers of a file-sharing network, as crawled.
    Kad,
    /// Downloaders of one torrent.
    BitTorrent,
    /// Servers of a content network.
    Ipfs,
    /// The extreme setting of the gossip learning literature; it goes with `loss: 0.5` and delays of 1 to 10 cycles.
    OrmandiExtreme {
        cycle: Duration,
    },
    /// People's phones, as measured; more of them are there at night.
    Smartphones,
    /// Periods measured elsewhere, from a file.
    Trace {
        path: String,
        phase: Phase,
        end: End,
    },
}

/// Where in its line of a trace a node begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// At the beginning: hours of the day stay together.
    Start,
    /// At a moment drawn uniformly for each node.
    Random,
}

/// What happens after the last period of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The line begins again.
    Loop,
    /// The node stays as it is.
    Stay,
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
