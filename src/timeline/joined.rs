//! Who has ever joined: nobody sends to a node that does not exist yet.

use super::habit::Habit;
use super::presence::Presence;
use crate::units::NodeId;

/// The nodes that have ever joined. A node with a first join exists from that moment on; any other exists from the start, even if churn
/// has it begin offline.
#[derive(Debug)]
pub(super) struct Joined {
    n_nodes: u32,
    /// `None` once everybody has joined. Positions are node numbers then, so that a network draws the peers that it would draw if all had
    /// been there from the start.
    some: Option<Presence>,
}

impl Joined {
    pub fn new(habits: &[Habit]) -> Self {
        let n_nodes = habits.len() as u32;
        let mut some = Presence::nobody_of(n_nodes);
        for node in (0..n_nodes).map(NodeId).filter(|node| habits[node.idx()].first_join.is_none()) {
            some.join(node);
        }
        Self { n_nodes, some: Some(some).filter(|some| some.n_online() < n_nodes) }
    }

    /// `node` comes for the first time.
    pub fn note(&mut self, node: NodeId) {
        let some = self.some.as_mut().expect("somebody had not joined yet");
        some.join(node);
        if some.n_online() == self.n_nodes {
            self.some = None;
        }
    }

    pub fn n(&self) -> u32 {
        self.some.as_ref().map_or(self.n_nodes, Presence::n_online)
    }

    /// The `i`-th of those who have joined, other than `node`, which has joined itself.
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
        let others: Vec<u32> = (0..joined.n() - 1).map(|i| joined.other(NodeId(node), i).0).collect();
        assert_eq!(others, expect);
    }

    #[test]
    fn newcomers_are_nobody_before_they_come() {
        let late = Habit { first_join: Some(VirtualTime(5)), ..Habit::default() };
        let mut joined = Joined::new(&[late, Habit::default(), late, Habit::default()]);
        check(&joined, 1, &[3]);
        joined.note(NodeId(2));
        check(&joined, 1, &[3, 2]);
        joined.note(NodeId(0));
        check(&joined, 1, &[0, 2, 3]);
        check(&Joined::new(&[Habit::default(); 3]), 1, &[0, 2]);
    }
}
