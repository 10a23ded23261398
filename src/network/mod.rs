//! The network: when people search, how long they stay, how long their messages travel, and to whom they send.
//!
//! A scenario chooses among closed enums, such as [`Latency`]; the variant is its spelling in RON. [`Network::load`] reads the files that
//! they name and returns samplers. Each of `arrivals`, `churn` and `latency` is a folder with the enum of its models, their means, their
//! sampler and the reader of their files: a new model is added there and nowhere else. Every draw is a function of seed, node and number, so
//! this module keeps no state, and it does not know what a message contains.
//!
//! ```
//! use rankguard::network::{Arrivals, Churn, Latency, Network, Nodes, Regions};
//! use rankguard::rng::Seed;
//! use rankguard::units::{Duration, NodeId, VirtualTime};
//!
//! let arrivals = Arrivals::RoundRobin { period: Duration::from_secs(60) };
//! let latency = Latency::Uniform { min: Duration::from_secs(1), max: Duration::from_secs(3) };
//! let nodes = Nodes { seed: Seed(1), n_nodes: 3, regions: &Regions::Uniform };
//! let network = Network::load(&arrivals, &latency, &Churn::Kad, nodes)?;
//!
//! // The second of three nodes searches first after two thirds of the period.
//! assert_eq!(network.arrivals.next(Seed(1), NodeId(1), 0, VirtualTime(0)), VirtualTime(40_000_000_000));
//! // A message has the same delay whenever it is asked for.
//! let delay = || network.latency.delay(Seed(1), NodeId(0), NodeId(2), 0);
//! assert!((1.0..3.0).contains(&delay().secs()) && delay() == delay());
//! // Nodes of this kind are online a fifth of the time.
//! assert!((network.means().availability - 0.21).abs() < 0.01);
//! # Ok::<(), rankguard::error::Error>(())
//! ```

mod absence;
mod arrivals;
mod attackers;
mod churn;
mod daily_cycle;
mod faults;
mod files;
mod gamma;
mod latency;
mod links;
mod load;
mod peers;
mod regions;

pub use absence::{Absence, Identity, InFlight, State, Timers, Unreached};
pub use arrivals::{ArrivalSampler, Arrivals, Rates, Sittings};
pub use attackers::{Active, Attackers, Join, Knowledge, Meanwhile};
pub use churn::{Away, Churn, ChurnSampler, Crowd, Crowded, Durations, End, Periods, Phase, crowded, first_change, next_change};
pub use daily_cycle::{Day, Zones};
pub use faults::{Fault, Groups, What, Who, whole};
pub use latency::{Jitter, Latency, LatencySampler, Measures, Missing, Unit};
pub use links::{Bandwidth, Bursts, Sequence, Sharing};
pub use load::{Means, Network, Nodes};
pub use peers::{Fanout, PeerPool, Peers, sample as sample_peers, sample_biased};
pub use regions::{Region, Regions, region_of};

/// Tests draws against the distribution `cdf` by Kolmogorov and Smirnov at the 99.9 % point, 1.95 / √n.
#[cfg(test)]
#[track_caller]
fn ks(draws: &mut [f64], cdf: impl Fn(f64) -> f64) {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs());
    let distance = draws.iter().enumerate().map(gap).fold(0.0, f64::max);
    assert!(distance < 1.95 / n.sqrt(), "KS distance {distance}");
}
