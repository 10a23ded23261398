//! A biased peer sampler: favored nodes are drawn more often than others.

use super::Plan;
use super::node_set::NodeSet;
use crate::network::{PeerPool, sample_biased};
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// All nodes that can be drawn, in two groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BiasedPeers {
    favored: NodeSet,
    others: NodeSet,
}

impl BiasedPeers {
    /// `None` if all nodes are equally likely to be drawn.
    pub fn new(plan: &Plan) -> Option<Self> {
        if plan.peer_bias == 1.0 {
            return None;
        }
        let mut peers = Self { favored: NodeSet::empty(plan.n_nodes), others: NodeSet::empty(plan.n_nodes) };
        if plan.peers.among == PeerPool::All {
            let from_the_start = (0..plan.n_nodes).map(NodeId).filter(|node| plan.behaviours[node.idx()].first_join.is_none());
            from_the_start.for_each(|node| peers.group(plan, node).insert(node));
        }
        Some(peers)
    }

    /// `node` came online or went offline.
    pub fn note_presence(&mut self, plan: &Plan, node: NodeId, is_online: bool) {
        match plan.peers.among {
            PeerPool::All => {}
            PeerPool::Online if is_online => self.group(plan, node).insert(node),
            PeerPool::Online => self.group(plan, node).remove(node),
        }
    }

    /// `node` joined for the first time.
    pub fn note_first_join(&mut self, plan: &Plan, node: NodeId) {
        match plan.peers.among {
            PeerPool::All => self.group(plan, node).insert(node),
            PeerPool::Online => {}
        }
    }

    /// The peers for broadcast number `broadcast` of `node`; `None` for a favored node, because those draw without a bias.
    pub fn draw(&self, plan: &Plan, node: NodeId, broadcast: u64) -> Option<Vec<NodeId>> {
        if plan.behaviours[node.idx()].is_favored {
            return None;
        }
        let (n_favored, n_others) = (self.favored.len(), self.others.len() - 1);
        let fanout = plan.peers.fanout.of(plan.n_nodes);
        let drawn = sample_biased(plan.seed, node, broadcast, fanout, plan.peer_bias, n_favored, n_others);
        let peer = |(is_favored, i)| if is_favored { self.favored.at(i) } else { self.others.other(node, i) };
        Some(drawn.into_iter().map(peer).collect())
    }

    fn group(&mut self, plan: &Plan, node: NodeId) -> &mut NodeSet {
        if plan.behaviours[node.idx()].is_favored { &mut self.favored } else { &mut self.others }
    }
}
