//! Who is connected, and how: when people search, how long they stay, how long messages travel, whom a node picks.
//!
//! Closed enums (their RON spelling is the variant) say what a scenario wants; [`Network::load`] reads their files and makes them ready to
//! draw from. Every draw is a function of seed, node and number: nothing here keeps state or knows what travels.

mod absence;
mod arrivals;
mod attackers;
mod churn;
mod daily_cycle;
mod faults;
mod files;
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
pub use load::{Means, Network, Where};
pub use peers::{Fanout, PeerPool, Peers, sample as sample_peers, sample_biased};
pub use regions::{Region, Regions, region_of};

/// Kolmogorov–Smirnov of draws against `cdf` at the 99.9 % point, 1.95 / √n.
#[cfg(test)]
#[track_caller]
fn ks(draws: &mut [f64], cdf: impl Fn(f64) -> f64) {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs());
    let distance = draws.iter().enumerate().map(gap).fold(0.0, f64::max);
    assert!(distance < 1.95 / n.sqrt(), "KS distance {distance}");
}
