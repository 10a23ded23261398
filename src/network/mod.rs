//! Who is connected, and how: when people search, how long they stay, how long messages travel, whom a node picks.
//!
//! Closed enums (their RON spelling is the variant) with sample functions. Nothing here keeps state or knows what travels.

mod absence;
mod arrivals;
mod churn;
mod faults;
mod latency;
mod links;
mod peers;
mod regions;

pub use absence::{Absence, Identity, InFlight, State, Timers, Unreached};
pub use arrivals::Arrivals;
pub use churn::{Churn, Length};
pub use faults::{Fault, Groups, What, Who, whole};
pub use latency::Latency;
pub use links::{Bandwidth, Bursts, Sequence, Sharing};
pub use peers::{Fanout, PeerPool, Peers, sample as sample_peers, sample_biased};
pub use regions::{Region, Regions, region_of};
