//! Who deviates, and how.

use crate::corpus::ClickTable;
use crate::node::{Node, Protocol, Search};
use crate::rng::{Purpose, Seed};
use rand::seq::index;
use serde::{Deserialize, Serialize};

/// What malicious nodes do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Attack {
    NoAttack,
    /// Learns from inverted clicks and sends that model.
    Flip,
}

/// Whether malicious nodes merge what they receive, by the run's rule. The paper does not say; a scenario with an attack must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaliciousAggregate {
    Never,
    Always,
    /// Only under rules that pool several models.
    PooledOnly,
}

impl MaliciousAggregate {
    /// Whether a malicious node merges under a rule that does (or does not) pool.
    pub fn merges(self, rule_pools: bool) -> bool {
        match self {
            MaliciousAggregate::Never => false,
            MaliciousAggregate::Always => true,
            MaliciousAggregate::PooledOnly => rule_pools,
        }
    }
}

/// Which of `n_nodes` nodes are malicious: ⌊βn⌉ of them, drawn from the seed.
pub fn malicious(seed: Seed, n_nodes: u32, share: f64) -> Vec<bool> {
    let mut is_malicious = vec![false; n_nodes as usize];
    let mut rng = seed.rng(Purpose::Malicious, 0, 0);
    for node in index::sample(&mut rng, n_nodes as usize, n_malicious(n_nodes, share) as usize) {
        is_malicious[node] = true;
    }
    is_malicious
}

/// ⌊βn⌉.
pub fn n_malicious(n_nodes: u32, share: f64) -> u32 {
    (share * f64::from(n_nodes)).round() as u32
}

impl Attack {
    /// As the paper and the summaries call it.
    pub fn name(&self) -> &'static str {
        match self {
            Attack::NoAttack => "no attack",
            Attack::Flip => "FLIP",
        }
    }

    /// A malicious node's turn. FLIP is an ordinary search by a user who clicks on what is not relevant.
    pub fn turn(&self, node: &mut Node, protocol: &Protocol, honest: &ClickTable, poison: &ClickTable) -> Search {
        match self {
            Attack::NoAttack => node.on_search(protocol, honest),
            Attack::Flip => node.on_search(protocol, poison),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_malicious_set_has_the_rounded_size_and_follows_the_seed() {
        for (n, share, want) in [(100, 0.2, 20), (10, 0.25, 3), (3, 0.1, 0), (1, 0.0, 0), (5, 0.5, 3)] {
            assert_eq!(malicious(Seed(1), n, share).iter().filter(|&&m| m).count(), want, "{share} of {n}");
        }
        assert_eq!(malicious(Seed(1), 100, 0.2), malicious(Seed(1), 100, 0.2));
        assert_ne!(malicious(Seed(1), 100, 0.2), malicious(Seed(2), 100, 0.2));
    }
}
