//! The part of a scenario that the timeline needs. It never changes during a run.

use super::behaviour::Behaviour;
use crate::network::{Absence, Bandwidth, Bursts, Crowded, Fault, Network, Peers, Regions, Sequence};
use crate::rng::Seed;
use crate::units::Extent;
use std::sync::Arc;

/// Everything that decides when things happen. Two timelines of equal plans produce equal steps.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Every random number of the timeline is addressed under this seed.
    pub seed: Seed,
    /// The size of the network.
    pub n_nodes: u32,
    /// The number of searches, or the moment, at which the run ends.
    pub stop: Extent,
    /// The number of searches, or the time, between two evaluations.
    pub evaluate_every: Extent,
    /// The evaluations at the end of the run, if they have an interval of their own.
    pub evaluate_last: Option<LastEvaluations>,
    /// When nodes search, come and go, and how long messages travel.
    pub network: Arc<Network>,
    /// Probability that a message is lost on its way.
    pub loss: f64,
    /// Whether losses come in bursts.
    pub bursts: Bursts,
    /// How fast nodes send and receive.
    pub bandwidth: Bandwidth,
    /// The size of a message in bytes; it matters if bandwidth is limited.
    pub message_bytes: u64,
    /// Whether a message may overtake another.
    pub order: Sequence,
    /// Probability that the network delivers a message twice.
    pub duplicates: f64,
    /// What an absence means for messages, timers, models and identities.
    pub absence: Absence,
    /// The timed list of faults.
    pub faults: Vec<Fault>,
    /// How the nodes are spread over the earth.
    pub regions: Regions,
    /// By node: its first join and its absences with a crowd. The list is empty if the scenario has no crowds.
    pub crowded: Vec<Crowded>,
    /// Whom a node sends to, and how many receive one broadcast.
    pub peers: Peers,
    /// By node: how it differs from an ordinary node.
    pub behaviours: Vec<Behaviour>,
    /// How many times likelier a favored node is drawn as a peer than any other node.
    pub peer_bias: f64,
}

/// The last `n` evaluations of a run, `every` apart. The end of the run and both intervals are in the same unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastEvaluations {
    /// How many there are, at least one.
    pub n: u32,
    /// The number of searches, or the time, between two of them.
    pub every: Extent,
}
