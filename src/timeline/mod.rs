//! When: a virtual clock that decides who does what at which moment, in a total order, and says so in steps.
//!
//! Searches, joins and leaves, and messages on their way are events; what comes out are [`Step`]s. No weight, click or document is
//! ever seen here: the same network runs under every defence. Nothing here knows ranking.

mod agenda;
mod clock;
mod event;
mod favor;
mod habit;
mod post;
mod presence;
mod queue;
mod step;
mod tally;

pub use clock::Timeline;
pub use habit::{Conduct, CraftTime, Habit, Windows};
pub use queue::{EventQueue, Order};
pub use step::{Action, Slot, Step};
pub use tally::Tally;

use crate::network::{Crowded, Missed, Network, Peers};
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
    /// What becomes of a search that falls into an absence.
    pub missed: Missed,
    /// Probability that a message is lost on its way.
    pub loss: f64,
    /// By node, or nothing: who comes for the first time or goes with a crowd.
    pub crowded: Vec<Crowded>,
    pub peers: Peers,
    /// By node.
    pub habits: Vec<Habit>,
    /// How many times likelier others draw a favored node than one who is not.
    pub peer_bias: f64,
}
