//! Who is online.

use crate::units::NodeId;

/// The nodes online, with constant-time membership, change, and access by position.
#[derive(Debug, Clone)]
pub struct Presence {
    online: Vec<NodeId>,
    /// Where each node stands in `online`.
    position: Vec<Option<u32>>,
}

impl Presence {
    pub fn nobody_of(n_nodes: u32) -> Self {
        Self { online: Vec::new(), position: vec![None; n_nodes as usize] }
    }

    pub fn is_online(&self, node: NodeId) -> bool {
        self.position[node.idx()].is_some()
    }

    pub fn n_online(&self) -> u32 {
        self.online.len() as u32
    }

    /// # Panics
    /// If the node is online.
    pub fn join(&mut self, node: NodeId) {
        assert!(!self.is_online(node), "{node} joined twice");
        self.position[node.idx()] = Some(self.online.len() as u32);
        self.online.push(node);
    }

    /// # Panics
    /// If the node is offline.
    pub fn leave(&mut self, node: NodeId) {
        let position = self.position[node.idx()].take().expect("only a node that is online can leave") as usize;
        self.online.swap_remove(position);
        if let Some(moved) = self.online.get(position) {
            self.position[moved.idx()] = Some(position as u32);
        }
    }

    /// The `i`-th online node.
    pub fn at(&self, i: u32) -> NodeId {
        self.online[i as usize]
    }

    /// The `i`-th online node other than `node`, which is online itself.
    pub fn other(&self, node: NodeId, i: u32) -> NodeId {
        let own = self.position[node.idx()].expect("only a node that is online looks for peers");
        self.online[(i + u32::from(i >= own)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_all_who_are_online_but_oneself() {
        let mut presence = Presence::nobody_of(5);
        for node in [0, 3, 4, 1] {
            presence.join(NodeId(node));
        }
        presence.leave(NodeId(0));
        let mut others: Vec<u32> = (0..presence.n_online() - 1).map(|i| presence.other(NodeId(3), i).0).collect();
        others.sort_unstable();
        assert_eq!(others, [1, 4]);
        assert!(!presence.is_online(NodeId(0)) && !presence.is_online(NodeId(2)));
    }
}
