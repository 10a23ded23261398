//! Which nodes have ever joined. A node that has never joined does not exist yet for others.

use super::behaviour::Behaviour;
use super::node_set::NodeSet;
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// The nodes that have ever joined. A node with a first join exists from that moment on. All other nodes exist from the start, even if
/// churn begins with an absence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Joined {
    n_nodes: u32,
    /// `None` once all nodes have joined. Positions are then node numbers, so that the network draws the same peers as if all nodes had
    /// joined at the start.
    some: Option<NodeSet>,
}

impl Joined {
    pub fn new(behaviours: &[Behaviour]) -> Self {
        let n_nodes = behaviours.len() as u32;
        let mut some = NodeSet::empty(n_nodes);
        for node in (0..n_nodes).map(NodeId).filter(|node| behaviours[node.idx()].first_join.is_none()) {
            some.insert(node);
        }
        Self { n_nodes, some: Some(some).filter(|some| some.len() < n_nodes) }
    }

    /// `node` joins for the first time.
    pub fn insert(&mut self, node: NodeId) {
        let some = self.some.as_mut().expect("somebody had not joined yet");
        some.insert(node);
        if some.len() == self.n_nodes {
            self.some = None;
        }
    }

    pub fn len(&self) -> u32 {
        self.some.as_ref().map_or(self.n_nodes, NodeSet::len)
    }

    /// The `i`-th node that has joined, other than `node`, which has joined itself.
    pub fn other(&self, node: NodeId, i: u32) -> NodeId {
        match &self.some {
            Some(some) => some.other(node, i),
            None => NodeId(i + u32::from(i >= node.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::VirtualTime;

    #[track_caller]
    fn check(joined: &Joined, node: u32, expect: &[u32]) {
        let others: Vec<u32> = (0..joined.len() - 1).map(|i| joined.other(NodeId(node), i).0).collect();
        assert_eq!(others, expect);
    }

    #[test]
    fn newcomers_do_not_exist_before_they_join() {
        let late = Behaviour { first_join: Some(VirtualTime(5)), ..Behaviour::default() };
        let mut joined = Joined::new(&[late, Behaviour::default(), late, Behaviour::default()]);
        check(&joined, 1, &[3]);
        joined.insert(NodeId(2));
        check(&joined, 1, &[3, 2]);
        joined.insert(NodeId(0));
        check(&joined, 1, &[0, 2, 3]);
        check(&Joined::new(&[Behaviour::default(); 3]), 1, &[0, 2]);
    }
}
