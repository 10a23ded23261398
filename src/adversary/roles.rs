//! Assigns the attack of a scenario to nodes, once for the whole run.

use super::Attack;
use crate::rng::{Purpose, Seed};
use crate::units::NodeId;
use rand::seq::index;

/// The role of every node: honest, or one attack. None of the attacks is a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Roles {
    attacks: Vec<Attack>,
    /// For each node, the index of its attack in `attacks`; `None` if it is honest.
    roles: Vec<Option<u32>>,
    n_malicious: u32,
}

impl Roles {
    /// Draws the malicious nodes, and the part of a mix that each of them plays, from the seed.
    pub fn new(seed: Seed, n_nodes: u32, share: f64, attack: &Attack) -> Self {
        let is_malicious = malicious(seed, n_nodes, share);
        let nodes: Vec<usize> = (0..is_malicious.len()).filter(|&node| is_malicious[node]).collect();
        let mut roles = vec![None; is_malicious.len()];
        let (attacks, sizes) = match attack {
            Attack::Mix(parts) => {
                let shares: Vec<f64> = parts.iter().map(|part| part.share).collect();
                (parts.iter().map(|part| part.attack.clone()).collect(), part_sizes(nodes.len() as u32, &shares))
            }
            single => (vec![single.clone()], vec![nodes.len() as u32]),
        };
        // CHOICE(mix): parts are drawn from all malicious nodes, not cut off in the order of nodes.
        let mut order = index::sample(&mut seed.rng(Purpose::Roles, 0, 0), nodes.len(), nodes.len()).into_iter();
        for (role, size) in (0u32..).zip(sizes) {
            order.by_ref().take(size as usize).for_each(|i| roles[nodes[i]] = Some(role));
        }
        Self { attacks, roles, n_malicious: nodes.len() as u32 }
    }

    /// Whether `node` is malicious.
    pub fn is_malicious(&self, node: NodeId) -> bool {
        self.roles[node.idx()].is_some()
    }

    /// The attack that `node` plays; `None` if it is honest.
    pub fn attack(&self, node: NodeId) -> Option<&Attack> {
        self.role(node).map(|role| &self.attacks[role])
    }

    /// The index in [`Roles::attacks`] of the attack that `node` plays; `None` if it is honest.
    pub fn role(&self, node: NodeId) -> Option<usize> {
        self.roles[node.idx()].map(|role| role as usize)
    }

    /// All attacks that nodes play.
    pub fn attacks(&self) -> &[Attack] {
        &self.attacks
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.roles.len() as u32).map(NodeId)
    }

    /// The honest nodes.
    pub fn honest(&self) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(|&node| !self.is_malicious(node))
    }

    /// The z of `node` if it plays LIE, otherwise 0. All malicious nodes count for it, whatever they play.
    pub fn lie_z(&self, node: NodeId) -> f64 {
        match self.attack(node) {
            Some(Attack::Lie { z, .. }) => z.value(self.roles.len() as u32, self.n_malicious).unwrap_or(0.0),
            _ => 0.0,
        }
    }
}

/// Whether each of `n_nodes` nodes is malicious. [`n_malicious`] of them are, drawn from the seed.
pub fn malicious(seed: Seed, n_nodes: u32, share: f64) -> Vec<bool> {
    let mut is_malicious = vec![false; n_nodes as usize];
    let mut rng = seed.rng(Purpose::Malicious, 0, 0);
    for node in index::sample(&mut rng, n_nodes as usize, n_malicious(n_nodes, share) as usize) {
        is_malicious[node] = true;
    }
    is_malicious
}

/// The number of malicious nodes: βn, rounded to the nearest whole number.
pub fn n_malicious(n_nodes: u32, share: f64) -> u32 {
    (share * f64::from(n_nodes)).round() as u32
}

/// Divides `m` nodes among shares by largest remainder, into whole numbers that add up to `m`. Of equal remainders the first wins.
pub fn part_sizes(m: u32, shares: &[f64]) -> Vec<u32> {
    let quotas: Vec<f64> = shares.iter().map(|share| share * f64::from(m)).collect();
    let mut sizes: Vec<u32> = quotas.iter().map(|quota| quota.floor() as u32).collect();
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by(|&a, &b| (quotas[b] - quotas[b].floor()).total_cmp(&(quotas[a] - quotas[a].floor())));
    let left = m.saturating_sub(sizes.iter().sum()) as usize;
    by_remainder.iter().cycle().take(left).for_each(|&part| sizes[part] += 1);
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::{LieZ, Part};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_malicious_set_has_the_rounded_size_and_follows_the_seed() {
        for (n, share, want) in [(100, 0.2, 20), (10, 0.25, 3), (3, 0.1, 0), (1, 0.0, 0), (5, 0.5, 3)] {
            assert_eq!(malicious(Seed(1), n, share).iter().filter(|&&m| m).count(), want, "{share} of {n}");
        }
        assert_eq!(malicious(Seed(1), 100, 0.2), malicious(Seed(1), 100, 0.2));
        assert_ne!(malicious(Seed(1), 100, 0.2), malicious(Seed(2), 100, 0.2));
    }

    #[test]
    fn parts_by_largest_remainder() {
        for (m, shares, want) in [
            (20, &[0.5, 0.5][..], &[10, 10][..]),
            (3, &[0.5, 0.5], &[2, 1]),
            (10, &[0.15, 0.85], &[2, 8]),
            (100, &[0.29, 0.71], &[29, 71]),
            (7, &[0.2, 0.3, 0.5], &[1, 2, 4]),
            (2, &[0.1, 0.9], &[0, 2]),
        ] {
            assert_eq!(part_sizes(m, shares), want, "{m} by {shares:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_add_up(m in 0u32..5_000, weights in prop::collection::vec(0.01f64..1.0, 2..6)) {
            let total: f64 = weights.iter().sum();
            let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let sizes = part_sizes(m, &shares);
            prop_assert_eq!(sizes.iter().sum::<u32>(), m);
            for (size, share) in sizes.iter().zip(shares) {
                prop_assert!((f64::from(*size) - share * f64::from(m)).abs() < 1.0 + 1e-9);
            }
        }
    }

    #[test]
    fn a_mix_casts_the_same_malicious_nodes_in_all_its_parts() {
        let lie = Attack::Lie { z: LieZ::OneMinusBeta, knowledge: Default::default(), survey: Default::default() };
        let mix = Attack::Mix(vec![Part { share: 0.75, attack: Attack::Flip }, Part { share: 0.25, attack: lie.clone() }]);
        let (cast, alone) = (Roles::new(Seed(1), 100, 0.2, &mix), Roles::new(Seed(1), 100, 0.2, &Attack::Flip));
        let count = |role| cast.nodes().filter(|&node| cast.role(node) == role).count();
        assert_eq!([count(None), count(Some(0)), count(Some(1))], [80, 15, 5]);
        assert!(cast.nodes().all(|node| cast.is_malicious(node) == alone.is_malicious(node)));
        let liar = cast.nodes().find(|&node| cast.attack(node) == Some(&lie)).expect("five of them");
        assert!((cast.lie_z(liar) - 0.8416212335729136).abs() < 1e-12, "all twenty count");
        assert_ne!(Roles::new(Seed(2), 100, 0.2, &mix), cast);
        // Parts are spread over the malicious nodes, not cut off in their order.
        let roles: Vec<usize> = cast.nodes().filter_map(|node| cast.role(node)).collect();
        assert!(!roles.is_sorted());
    }
}
