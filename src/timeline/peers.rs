//! Draws the receivers of a broadcast.

use super::Plan;
use super::biased_peers::BiasedPeers;
use super::presence::Presence;
use crate::network::{PeerPool, sample_peers};
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// Draws the peers of every broadcast. Only the biased sampler has a state; the unbiased one asks [`Presence`] for the candidates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PeerSampler {
    biased: Option<BiasedPeers>,
}

impl PeerSampler {
    pub fn new(plan: &Plan) -> Self {
        Self { biased: BiasedPeers::new(plan) }
    }

    /// The peers for broadcast number `broadcast` of `node`, in the order in which they are drawn.
    pub fn draw(&self, plan: &Plan, presence: &Presence, node: NodeId, broadcast: u64) -> Vec<NodeId> {
        if let Some(peers) = self.biased.as_ref().and_then(|biased| biased.draw(plan, node, broadcast)) {
            return peers;
        }
        let fanout = plan.peers.fanout.of(plan.n_nodes);
        let sample = |n_candidates| sample_peers(plan.seed, node, broadcast, fanout, n_candidates);
        match plan.peers.among {
            PeerPool::All => sample(presence.joined().len() - 1).map(|i| presence.joined().other(node, i)).collect(),
            PeerPool::Online => sample(presence.n_online() - 1).map(|i| presence.online().other(node, i)).collect(),
        }
    }

    /// `node` came online or went offline.
    pub fn note_presence(&mut self, plan: &Plan, node: NodeId, is_online: bool) {
        if let Some(biased) = &mut self.biased {
            biased.note_presence(plan, node, is_online);
        }
    }

    /// `node` joined for the first time. From now on others may draw it.
    pub fn note_first_join(&mut self, plan: &Plan, node: NodeId) {
        if let Some(biased) = &mut self.biased {
            biased.note_first_join(plan, node);
        }
    }
}
