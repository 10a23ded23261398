//! When: a virtual clock that decides who does what at which moment, in a total order, and says so in steps.
//!
//! ArrivalSampler, joins and leaves, and messages on their way are events; what comes out are [`Step`]s. No weight, click or document is
//! ever seen here: the same network runs under every defence. Nothing here knows ranking.

mod agenda;
mod bandwidth;
mod clock;
mod event;
mod faults;
mod favor;
mod habit;
mod joined;
mod links;
mod post;
mod presence;
mod queue;
mod step;
mod tally;
mod waiting;

pub use clock::Timeline;
pub use habit::{Conduct, CraftTime, Habit, Windows};
pub use post::BETWEEN;
pub use queue::{EventQueue, Order};
pub use step::{Action, Loss, Slot, Step, Wait};
pub use tally::Tally;

use crate::network::{Absence, Bandwidth, Bursts, Crowded, Fault, Network, Peers, Regions, Sequence};
use crate::rng::Seed;
use crate::units::Extent;
use std::sync::Arc;

/// What the timeline needs to know of a scenario.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: Seed,
    pub n_nodes: u32,
    pub stop: Extent,
    pub evaluate_every: Extent,
    /// When nodes search, come and go, and how long messages travel.
    pub network: Arc<Network>,
    /// Probability that a message is lost on its way.
    pub loss: f64,
    pub bursts: Bursts,
    pub bandwidth: Bandwidth,
    /// What a message has to carry; matters where bandwidth is limited.
    pub message_bytes: u64,
    pub order: Sequence,
    /// Probability that the network delivers a message twice.
    pub duplicates: f64,
    pub absence: Absence,
    pub faults: Vec<Fault>,
    pub regions: Regions,
    /// By node, or nothing: who comes for the first time or goes with a crowd.
    pub crowded: Vec<Crowded>,
    pub peers: Peers,
    /// By node.
    pub habits: Vec<Habit>,
    /// How many times likelier others draw a favored node than one who is not.
    pub peer_bias: f64,
}
