//! When the users of the network search.
//!
//! A model is a variant of [`Arrivals`]. Its file, its mean and its draws stand together in `sampler`; `rates` makes some users busier than
//! others, and `search_log` reads searches that were logged elsewhere.

mod rates;
mod sampler;
mod search_log;

pub use rates::Rates;
pub use sampler::ArrivalSampler;

use crate::fields::declare;
use crate::network::daily_cycle::Day;
use crate::network::latency::Unit;
use crate::units::Duration;

declare! {
    /// The process of a node's searches.
    ///
    /// The moments depend on the seed and on this field alone: neither churn nor latency moves one. A user searches only while online;
    /// `absence` says what becomes of a search that falls into an absence.
    ///
    /// A real user of a large public log searches 0.3 times a day, so three hundred sessions take years. Latency therefore matters only if
    /// searches are compressed in time; churn always matters.
    #[derive(Clone, PartialEq)]
    pub enum Arrivals {
        /// The paper's rounds: every node searches once per period, in the order of the nodes, evenly spaced.
        RoundRobin {
            /// How long a round lasts in which every node searches once; at least 1 ns per node.
            #[example("100s")]
            period: Duration,
        },
        /// Independent random pauses with exponential lengths.
        Poisson {
            /// The mean time between two searches of one node, over time and nodes.
            #[limits(above(0.0))]
            #[example("10min")]
            every: Duration,
            /// How much more some users search than others.
            #[serde(default)]
            #[example(LogNormal(sigma: 1.0))]
            rates: Rates,
            /// How many searches a user makes in a row, before a longer pause.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[example((searches: 4.0, pause: "30s"))]
            sittings: Option<Sittings>,
            /// How activity follows the hour. Pauses, also those within a sitting, are measured by a clock that runs faster at busy hours.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[example((amplitude: 0.8, peak: "20h", zones: ByRegion))]
            day: Option<Day>,
        },
        /// Searches logged elsewhere: a file, plain or `.gz`, with lines `user,time` in any order; `#` begins a comment. Each node is one of
        /// the users, drawn from the seed; all are used once before any is used twice.
        Trace {
            /// The log of searches, with lines user,time.
            #[limits(naming("the name of a file"))]
            #[example("data/searches.csv")]
            path: String,
            /// What the numbers of the file count.
            #[example(Seconds)]
            unit: Unit,
            /// The time in the log at which the run begins, in the log's unit. No search may be before it. A log in Unix time needs it.
            #[serde(default)]
            #[limits(finite().or("it is a time of the log"))]
            #[example(1700000000)]
            begin: f64,
            /// How many times faster than logged users search.
            #[serde(default = "as_logged")]
            #[limits(between(1e-9, 1e9))]
            #[example(100.0)]
            speed: f64,
            /// The length of time, on the log's own clock, after which the log begins again. Without it a user searches no more after the
            /// last logged search, and `stop` must be a `Time` after the first search.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[limits(above(0.0))]
            #[example("7d")]
            repeat: Option<Duration>,
        },
    }
}

declare! {
    /// Several searches in a row, then a long pause.
    ///
    /// The pauses between sittings are so much longer that `every` stays the mean. A user who searches more often than once per `pause` has
    /// no sittings.
    #[derive(Clone, Copy, PartialEq)]
    pub struct Sittings {
        /// The mean number of searches in a sitting; it is geometric.
        #[limits(between(1.0, 1e6))]
        #[example(4.0)]
        pub searches: f64,
        /// The mean pause between two searches of a sitting, exponential and below `every`.
        #[limits(above(0.0))]
        #[example("30s")]
        pub pause: Duration,
    }
}

fn as_logged() -> f64 {
    1.0
}
