//! Whom a node sends its model to.

use crate::rng::{Purpose, Seed};
use crate::units::NodeId;
use rand::seq::index;
use serde::{Deserialize, Serialize};

/// A fresh uniform sample without replacement for every broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peers {
    pub among: PeerPool,
    pub fanout: Fanout,
}

/// Who may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerPool {
    /// All other nodes, online or not: a message to an absent one is lost.
    All,
    /// The other nodes that are online when the message is sent.
    Online,
}

/// How many peers a broadcast reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fanout {
    /// ⌈log₂ n⌉ of the network's size, the paper's.
    Log2,
    Fixed(u32),
}

impl Fanout {
    pub fn of(self, n_nodes: u32) -> u32 {
        match self {
            Fanout::Log2 => n_nodes.next_power_of_two().trailing_zeros(),
            Fanout::Fixed(fanout) => fanout,
        }
    }
}

/// Positions below `n_candidates` of the peers for the `nth` broadcast of `node`, in the order they are drawn.
pub fn sample(seed: Seed, node: NodeId, nth: u64, fanout: u32, n_candidates: u32) -> impl Iterator<Item = u32> {
    let amount = fanout.min(n_candidates) as usize;
    let mut rng = seed.rng(Purpose::Peers, node.0.into(), nth);
    index::sample(&mut rng, n_candidates as usize, amount).into_iter().map(|i| i as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_sends_to_seven_of_a_hundred() {
        let fanout = |n| Fanout::Log2.of(n);
        assert_eq!([fanout(1), fanout(2), fanout(3), fanout(64), fanout(65), fanout(100)], [0, 1, 2, 6, 7, 7]);
    }

    #[test]
    fn samples_are_distinct_and_uniform() {
        let mut counts = [0u32; 20];
        for nth in 0..10_000 {
            let mut drawn: Vec<u32> = sample(Seed(1), NodeId(0), nth, 5, 20).collect();
            drawn.iter().for_each(|&i| counts[i as usize] += 1);
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 5);
        }
        // χ² with 19 degrees of freedom at 99.9 %: 43.8; drawing without replacement only makes it smaller.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 2_500.0).powi(2) / 2_500.0).sum();
        assert!(chi2 < 43.8, "χ² = {chi2}");
    }

    #[test]
    fn a_small_network_reaches_everyone() {
        let mut drawn: Vec<u32> = sample(Seed(1), NodeId(0), 0, 7, 3).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, [0, 1, 2]);
    }
}
