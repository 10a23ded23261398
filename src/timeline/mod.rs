//! When: a virtual clock that decides who does what at which moment, in a total order, and says so in steps.
//!
//! Searches, joins and leaves, and messages on their way are events; what comes out are [`Step`]s. No weight, click or document is
//! ever seen here: the same network runs under every defence. Nothing here knows ranking.

mod clock;
mod presence;
mod queue;
mod step;
mod tally;

pub use clock::Timeline;
pub use queue::{EventQueue, Order};
pub use step::{Action, Slot, Step};
pub use tally::Tally;

use crate::network::{Arrivals, Churn, Latency, Peers};
use crate::rng::Seed;
use crate::units::Extent;

/// What the timeline needs to know of a scenario.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: Seed,
    pub n_nodes: u32,
    pub stop: Extent,
    pub evaluate_every: Extent,
    pub arrivals: Arrivals,
    pub latency: Latency,
    /// Probability that a message is lost on its way.
    pub loss: f64,
    pub churn: Churn,
    pub peers: Peers,
    /// Whose messages are made one by one, and when.
    pub crafting: Option<Crafting>,
}

/// Some nodes do not broadcast one model but make each message for its receiver.
#[derive(Debug, Clone)]
pub struct Crafting {
    /// By node.
    pub by: Vec<bool>,
    pub when: CraftTime,
}

/// The moment whose state a crafted message knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CraftTime {
    Send,
    Delivery,
}
