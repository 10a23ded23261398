//! How long a message travels from its sender to its receiver.
//!
//! A model is a variant of [`Latency`]. Its file, its mean and its draws stand together in `sampler`; `hosts` reads the files of models that
//! measure between hosts.

mod hosts;
mod log_normal;
mod sampler;

pub use sampler::LatencySampler;

use crate::fields::declare;
use crate::units::Duration;

declare! {
    /// The one-way delay of a message.
    ///
    /// `Uniform`, `LogNormal` and `Gamma` are drawn anew for each message; the others depend on where sender and receiver are. Where hosts are
    /// read from a file, each node is at one of them, drawn from the seed; all hosts are used once before any is used twice.
    #[derive(Clone, PartialEq)]
    pub enum Latency {
        /// A message arrives at the moment it is sent, before the next search.
        Zero,
        /// The same for all messages.
        Constant(#[example("50ms")] Duration),
        /// A delay between two bounds, all equally likely.
        Uniform {
            /// The shortest delay.
            #[example("20ms")]
            min: Duration,
            /// The longest delay, at least `min`.
            #[example("200ms")]
            max: Duration,
        },
        /// Log-normal: half of the messages take less than the median.
        LogNormal {
            /// The delay that half of the messages stay below.
            #[limits(above(0.0).or("without delays choose latency: Zero"))]
            #[example("80ms")]
            median: Duration,
            /// The standard deviation of the logarithm of the delay.
            #[limits(between(0.0, 10.0))]
            #[example(0.6)]
            sigma: f64,
        },
        /// A gamma distribution.
        Gamma {
            /// The mean delay.
            #[limits(above(0.0).or("without delays choose latency: Zero"))]
            #[example("80ms")]
            mean: Duration,
            /// The shape of the gamma distribution; 1 is exponential.
            #[limits(between(0.01, 10_000.0))]
            #[example(2.0)]
            shape: f64,
        },
        /// The mean latencies between the regions of the nodes by the built-in table, 73 ms on average.
        Regions {
            /// What each message's delay is multiplied by.
            #[serde(default)]
            #[example(LogNormal(sigma: 0.1))]
            jitter: Jitter,
        },
        /// Measured between hosts: a file, plain or `.gz`, with a line per host and a number per host in each, separated by commas, tabs or
        /// blanks, from the line's host to the column's. `#` begins a comment.
        Matrix {
            /// The file with the latencies between hosts.
            #[limits(naming("the name of a file"))]
            #[example("data/latency.csv")]
            path: String,
            /// What the numbers of the file count.
            #[example(Milliseconds)]
            unit: Unit,
            /// Whether a number is one way or a round trip.
            #[example(RoundTrip)]
            measures: Measures,
            /// What becomes of failed measurements: negative numbers, NaN and missing numbers. From a host to itself they count as 0.
            #[serde(default)]
            #[example(Fill)]
            missing: Missing,
            /// What each message's delay is multiplied by.
            #[serde(default)]
            #[example(LogNormal(sigma: 0.1))]
            jitter: Jitter,
        },
        /// Coordinates of hosts: lines `host x y … h height` separated by blanks, the height optional. A latency is the Euclidean distance
        /// plus both heights. `#` begins a comment.
        Vivaldi {
            /// The file with the coordinates of hosts.
            #[limits(naming("the name of a file"))]
            #[example("data/coordinates.txt")]
            path: String,
            /// What the numbers of the file count.
            #[example(Milliseconds)]
            unit: Unit,
            /// Whether a number is one way or a round trip.
            #[example(RoundTrip)]
            measures: Measures,
            /// What each message's delay is multiplied by.
            #[serde(default)]
            #[example(LogNormal(sigma: 0.1))]
            jitter: Jitter,
        },
    }
}

declare! {
    /// What the numbers of a file count.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Unit {
        /// Seconds.
        Seconds,
        /// Thousandths of a second.
        Milliseconds,
        /// Millionths of a second.
        Microseconds,
    }
}

declare! {
    /// What was measured.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Measures {
        /// From sender to receiver.
        OneWay,
        /// There and back: one way is half of it.
        RoundTrip,
    }
}

declare! {
    /// What becomes of negative numbers and NaN, which stand for a measurement that failed.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Missing {
        /// The file is refused.
        #[default]
        Refuse,
        /// The number of the other direction takes its place, or if that is missing too, the median of the host's other numbers.
        Fill,
    }
}

declare! {
    /// What each message's delay is multiplied by, on average 1.
    #[derive(Clone, Copy, PartialEq, Default)]
    pub enum Jitter {
        /// All messages between two places take the same time.
        #[default]
        NoJitter,
        /// Log-normal with a mean of 1. Servers vary by about 0.11, personal devices by 0.85.
        LogNormal {
            /// The standard deviation of the logarithm of the factor.
            #[limits(between(0.0, 10.0))]
            #[example(0.1)]
            sigma: f64,
        },
    }
}

impl Unit {
    /// The length of one unit in seconds.
    pub fn secs(self) -> f64 {
        match self {
            Unit::Seconds => 1.0,
            Unit::Milliseconds => 1e-3,
            Unit::Microseconds => 1e-6,
        }
    }
}

impl Measures {
    /// The share of the measured time that one way takes.
    pub fn one_way(self) -> f64 {
        match self {
            Measures::OneWay => 1.0,
            Measures::RoundTrip => 0.5,
        }
    }
}
