//! What to simulate: a RON file, read, checked and filled in.

mod brackets;
mod canonical;
mod check;
mod estimate;
mod explain;
mod hints;
mod identity;
mod locate;
pub(crate) mod parse;
mod replace;
mod resolve;
#[cfg(test)]
mod shipped;
mod source;
mod written;

pub use check::{MAX_NODES, MAX_SHOWN};
pub use estimate::{DataSize, Estimate, Memory, Room};

use crate::adversary::{Attack, MaliciousAggregate};
use crate::corpus::{Dataset, Users};
use crate::error::Result;
use crate::network::{
    Absence, Arrivals, Attackers, Bandwidth, Bursts, Churn, Crowd, Fanout, Fault, Latency, Means, Network, Nodes, PeerPool, Peers, Regions,
    Sequence,
};
use crate::node::{Defense, Keep, Ranker};
use crate::record::Record;
use crate::rng::Seed;
use crate::units::Extent;
use serde::{Deserialize, Serialize};

/// One experiment. What the paper states has no default here: a scenario says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Letters, digits, `-`, `_` and `.`: results go to `out/<name>`.
    pub name: String,
    pub seed: u64,
    pub nodes: u32,
    /// β: the share of nodes that are malicious, rounded to whole nodes and drawn from the seed.
    pub malicious_share: f64,
    /// Searches of the whole network, malicious turns included, or virtual time.
    pub stop: Extent,
    pub evaluate_every: Extent,
    pub dataset: Dataset,
    /// k: how many results a user sees.
    pub shown: u32,
    pub ndcg_cutoff: u32,
    pub users: Users,
    pub ranker: Ranker,
    pub defense: Defense,
    pub attack: Attack,
    /// Required with an attack: the paper's text and its figures contradict each other here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malicious_aggregate: Option<MaliciousAggregate>,
    /// What malicious nodes do with time; the paper's do nothing special.
    #[serde(default)]
    pub attackers: Attackers,
    /// Where nodes live: for whatever asks for it.
    #[serde(default)]
    pub regions: Regions,
    pub arrivals: Arrivals,
    #[serde(default = "zero_latency")]
    pub latency: Latency,
    /// Probability that a message is lost on its way.
    #[serde(default)]
    pub loss: f64,
    #[serde(default)]
    pub bursts: Bursts,
    #[serde(default)]
    pub bandwidth: Bandwidth,
    #[serde(default)]
    pub order: Sequence,
    /// Probability that the network delivers a message twice.
    #[serde(default)]
    pub duplicates: f64,
    #[serde(default = "always_online")]
    pub churn: Churn,
    /// Nodes that come for the first time, or go, together.
    #[serde(default)]
    pub crowds: Vec<Crowd>,
    /// What an absence means for messages, searches, models and identities.
    #[serde(default)]
    pub absence: Absence,
    #[serde(default)]
    pub faults: Vec<Fault>,
    #[serde(default = "paper_peers")]
    pub peers: Peers,
    // CHOICE(history): the paper's nodes keep every session.
    #[serde(default = "unlimited")]
    pub history: Keep,
    /// A received model with a weight beyond this is rejected. See [`Scenario::weight_limit`] for what is meant where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_limit: Option<f64>,
    #[serde(default)]
    pub start: Start,
    #[serde(default)]
    pub record: Record,
}

/// The models that nodes begin with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Start {
    /// Small random weights, independent per node: 0.01 × a unit vector, or normal with the standard deviation 1 / fan-in (neural).
    #[default]
    Fresh,
    /// The `models` table of an earlier run, as of its last recorded evaluation or a given one. Every node needs a row.
    Models {
        /// The result folder of that run.
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evaluation: Option<u32>,
    },
}

impl Scenario {
    /// The network, ready to draw from: the files that the scenario names for it are read.
    ///
    /// # Errors
    /// If one cannot be read or says what cannot be, or what all of them say comes to more than can be run.
    pub fn network(&self) -> Result<Network> {
        let nodes = Nodes { seed: Seed(self.seed), n_nodes: self.nodes, regions: &self.regions };
        let network = Network::load(&self.arrivals, &self.latency, &self.churn, nodes)?;
        if let Extent::Time(end) = self.stop {
            network.arrivals.check_begin(end)?;
        }
        if self.means().is_none() {
            self.check_files(network.means())?;
        }
        Ok(network)
    }

    /// What the network is like on average, unless a file has to say it.
    pub fn means(&self) -> Option<Means> {
        Means::without_files(&self.arrivals, &self.latency, &self.churn, &self.regions)
    }
}

fn zero_latency() -> Latency {
    Latency::Zero
}

fn always_online() -> Churn {
    Churn::AlwaysOnline
}

fn paper_peers() -> Peers {
    Peers { among: PeerPool::All, fanout: Fanout::Log2 }
}

fn unlimited() -> Keep {
    Keep::Unlimited
}
