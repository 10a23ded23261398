//! A set of nodes from which one can be picked by position.

use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// A set of nodes with constant-time membership, change, and access by position.
///
/// Positions depend on the order of all insertions and removals, and nodes are drawn by position. The order is therefore part of the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct NodeSet {
    members: Vec<NodeId>,
    /// By node: its index in `members`, or 0 if it is not a member.
    positions: Vec<u32>,
    /// By node, 64 to a word: whether it is a member. Every message asks for its receiver, and these bits stay in the cache.
    is_member: Vec<u64>,
}

impl NodeSet {
    /// An empty set, which can hold each of `n_nodes` nodes.
    pub fn empty(n_nodes: u32) -> Self {
        let n_nodes = n_nodes as usize;
        Self { members: Vec::new(), positions: vec![0; n_nodes], is_member: vec![0; n_nodes.div_ceil(64)] }
    }

    pub fn contains(&self, node: NodeId) -> bool {
        self.is_member[node.idx() / 64] >> (node.idx() % 64) & 1 == 1
    }

    pub fn len(&self) -> u32 {
        self.members.len() as u32
    }

    /// # Panics
    /// If the node is a member.
    pub fn insert(&mut self, node: NodeId) {
        assert!(!self.contains(node), "{node} joined twice");
        self.flip(node);
        self.positions[node.idx()] = self.members.len() as u32;
        self.members.push(node);
    }

    /// # Panics
    /// If the node is not a member.
    pub fn remove(&mut self, node: NodeId) {
        assert!(self.contains(node), "only a member can leave");
        self.flip(node);
        // A node that is gone leaves no trace, so that equal sets are written down alike.
        let position = std::mem::take(&mut self.positions[node.idx()]);
        self.members.swap_remove(position as usize);
        if let Some(moved) = self.members.get(position as usize) {
            self.positions[moved.idx()] = position;
        }
    }

    /// The `i`-th member.
    pub fn at(&self, i: u32) -> NodeId {
        self.members[i as usize]
    }

    /// The `i`-th member other than `node`, which is a member itself.
    pub fn other(&self, node: NodeId, i: u32) -> NodeId {
        assert!(self.contains(node), "only a member looks for others");
        let own = self.positions[node.idx()];
        self.members[(i + u32::from(i >= own)) as usize]
    }

    fn flip(&mut self, node: NodeId) {
        self.is_member[node.idx() / 64] ^= 1 << (node.idx() % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_all_members_but_oneself() {
        let mut set = NodeSet::empty(5);
        for node in [0, 3, 4, 1] {
            set.insert(NodeId(node));
        }
        set.remove(NodeId(0));
        let mut others: Vec<u32> = (0..set.len() - 1).map(|i| set.other(NodeId(3), i).0).collect();
        others.sort_unstable();
        assert_eq!(others, [1, 4]);
        assert!(!set.contains(NodeId(0)) && !set.contains(NodeId(2)));
    }
}
