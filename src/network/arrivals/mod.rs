//! When the users of the network search.
//!
//! A model is a variant of [`Arrivals`]. Its file, its mean and its draws stand together in `sampler`; `rates` makes some users busier than
//! others, and `search_log` reads searches that were logged elsewhere.

mod rates;
mod sampler;
mod search_log;

pub use rates::Rates;
pub use sampler::ArrivalSampler;

use crate::network::daily_cycle::Day;
use crate::network::latency::Unit;
use crate::units::Duration;
use serde::{Deserialize, Serialize};

/// The process of a node's searches. The moments do not depend on whether the node is online, nor on anything else in the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Arrivals {
    /// The paper's rounds: every node searches once per period, in the order of the nodes, evenly spaced.
    RoundRobin { period: Duration },
    /// Exponential pauses: on average over time and nodes one search per `every` and node.
    Poisson {
        every: Duration,
        /// How much more some users search than others.
        #[serde(default)]
        rates: Rates,
        /// Several searches in a row, then a long pause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sittings: Option<Sittings>,
        /// More searches at busy hours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        day: Option<Day>,
    },
    /// Searches logged elsewhere: lines `user,time`.
    Trace {
        path: String,
        unit: Unit,
        /// The time in the log at which the run begins, in the log's unit.
        #[serde(default)]
        begin: f64,
        /// How many times faster than logged.
        #[serde(default = "as_logged")]
        speed: f64,
        /// The log begins again after so much of its own time; if not given, its users search no more when it is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeat: Option<Duration>,
    },
}

/// How many searches a user makes in one sitting on average (geometric), and the mean pause between two of them (exponential).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sittings {
    pub searches: f64,
    pub pause: Duration,
}

fn as_logged() -> f64 {
    1.0
}
