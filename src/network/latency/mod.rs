//! How long a message travels from its sender to its receiver.
//!
//! A model is a variant of [`Latency`]. Its file, its mean and its draws stand together in `sampler`; `hosts` reads the files of models that
//! measure between hosts.

mod hosts;
mod sampler;

pub use sampler::LatencySampler;

use crate::units::Duration;
use serde::{Deserialize, Serialize};

/// One-way delay of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Latency {
    Zero,
    Constant(Duration),
    /// This and the next two are drawn anew for each message.
    Uniform {
        min: Duration,
        max: Duration,
    },
    /// `median` is e^μ; `sigma` is the standard deviation of the logarithm.
    LogNormal {
        median: Duration,
        sigma: f64,
    },
    Gamma {
        mean: Duration,
        shape: f64,
    },
    /// Between the regions of the nodes, by the built-in table of means.
    Regions {
        #[serde(default)]
        jitter: Jitter,
    },
    /// Measured between hosts: a square of numbers, from the line's host to the column's. Each node is at one of the hosts.
    Matrix {
        path: String,
        unit: Unit,
        measures: Measures,
        #[serde(default)]
        missing: Missing,
        #[serde(default)]
        jitter: Jitter,
    },
    /// Coordinates of hosts, whose distances are latencies.
    Vivaldi {
        path: String,
        unit: Unit,
        measures: Measures,
        #[serde(default)]
        jitter: Jitter,
    },
}

/// What the numbers of a file count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
}

/// What was measured; one way is half a round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measures {
    OneWay,
    RoundTrip,
}

/// What becomes of negative numbers and NaN, which stand for a measurement that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Missing {
    #[default]
    Refuse,
    /// The number of the other direction where there is one, otherwise the median of the host's others.
    Fill,
}

/// What each message's delay is multiplied by, on average 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Jitter {
    #[default]
    NoJitter,
    /// `sigma` is the standard deviation of the logarithm.
    LogNormal { sigma: f64 },
}

impl Unit {
    /// How many seconds one of it is.
    pub fn secs(self) -> f64 {
        match self {
            Unit::Seconds => 1.0,
            Unit::Milliseconds => 1e-3,
            Unit::Microseconds => 1e-6,
        }
    }
}

impl Measures {
    /// How much of the measured time one way takes.
    pub fn one_way(self) -> f64 {
        match self {
            Measures::OneWay => 1.0,
            Measures::RoundTrip => 0.5,
        }
    }
}
