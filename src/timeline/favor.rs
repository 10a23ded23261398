//! A biased peer sampler: some nodes are drawn more often than others.

use super::habit::Habit;
use super::presence::Presence;
use crate::network::{PeerPool, Peers, sample_biased};
use crate::rng::Seed;
use crate::units::NodeId;

/// Candidates in two groups, those who are preferred and those who are not.
pub(super) struct Favor {
    times: f64,
    pool: PeerPool,
    is_favored: Vec<bool>,
    favored: Presence,
    others: Presence,
}

impl Favor {
    /// `None` where everybody is drawn alike.
    pub fn new(times: f64, pool: PeerPool, habits: &[Habit]) -> Option<Self> {
        if times == 1.0 {
            return None;
        }
        let n = habits.len() as u32;
        let is_favored = habits.iter().map(|habit| habit.is_favored).collect();
        let mut favor = Self { times, pool, is_favored, favored: Presence::nobody_of(n), others: Presence::nobody_of(n) };
        if pool == PeerPool::All {
            let from_the_start = (0..n).map(NodeId).filter(|node| habits[node.idx()].first_join.is_none());
            from_the_start.for_each(|node| favor.group(node).join(node));
        }
        Some(favor)
    }

    /// `node` is there, or no longer.
    pub fn note(&mut self, node: NodeId, is_online: bool) {
        match self.pool {
            PeerPool::All => {}
            PeerPool::Online if is_online => self.group(node).join(node),
            PeerPool::Online => self.group(node).leave(node),
        }
    }

    /// `node` comes for the first time.
    pub fn note_first_join(&mut self, node: NodeId) {
        match self.pool {
            PeerPool::All => self.group(node).join(node),
            PeerPool::Online => {}
        }
    }

    /// Whether `node` draws with the bias; those who are preferred do not.
    pub fn binds(&self, node: NodeId) -> bool {
        !self.is_favored[node.idx()]
    }

    /// The peers for the `nth` broadcast of `node`, to whom the bias applies.
    pub fn draw(&self, seed: Seed, node: NodeId, nth: u64, peers: Peers, n_nodes: u32) -> Vec<NodeId> {
        let (n_favored, n_others) = (self.favored.n_online(), self.others.n_online() - 1);
        sample_biased(seed, node, nth, peers.fanout.of(n_nodes), self.times, n_favored, n_others)
            .into_iter()
            .map(|(is_favored, i)| if is_favored { self.favored.at(i) } else { self.others.other(node, i) })
            .collect()
    }

    fn group(&mut self, node: NodeId) -> &mut Presence {
        if self.is_favored[node.idx()] { &mut self.favored } else { &mut self.others }
    }
}
