//! Faults that happen at given moments: partitions, crashes, and times of slow or lossy links.

use super::regions::{Region, Regions, region_of};
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};
use rand::seq::index;
use serde::{Deserialize, Serialize};

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub at: Duration,
    pub what: What,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum What {
    /// No message gets from one group to another. It takes the place of the partition before.
    Partition(Groups),
    /// No message gets from the ones to the others; the other way round it does. It adds to what stands.
    OneWay { from: Who, to: Who },
    /// All partitions end, one-way ones too.
    Heal,
    /// Messages from or to these nodes wait where they would arrive.
    Hold(Who),
    /// All that is held arrives, in the order in which it would have.
    Release,
    /// They leave at once, whatever churn has planned, and are down for `restart_after`, or until a restart.
    Crash {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restart_after: Option<Duration>,
    },
    /// Whoever of them is down comes back, if churn lets it.
    Restart(Who),
    /// All nodes of a region are down.
    Dark { region: Region, lasts: Duration },
    /// Delays of what is sent meanwhile are multiplied.
    Slow { times: f64, lasts: Duration },
    /// The probability of loss of what is sent meanwhile is multiplied.
    Lossy { times: f64, lasts: Duration },
}

/// Whom a fault concerns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Who {
    All,
    Nodes(Vec<u32>),
    /// A share of all nodes, drawn from the seed for this fault.
    Random(f64),
    Region(Region),
}

/// Who is separated from whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Groups {
    /// By number; those who are not named form one more group.
    Nodes(Vec<Vec<u32>>),
    /// Shares of all nodes, drawn from the seed for this fault; the rest forms one more group.
    Shares(Vec<f64>),
}

impl What {
    /// How long the fault lasts, if it ends by itself.
    pub fn lasts(&self) -> Option<Duration> {
        match self {
            What::Crash { restart_after, .. } => *restart_after,
            What::Dark { lasts, .. } | What::Slow { lasts, .. } | What::Lossy { lasts, .. } => Some(*lasts),
            What::Partition(_) | What::OneWay { .. } | What::Heal | What::Hold(_) | What::Release | What::Restart(_) => None,
        }
    }

    /// The name of the fault in messages and traces.
    pub fn name(&self) -> &'static str {
        match self {
            What::Partition(_) => "partition",
            What::OneWay { .. } => "one-way",
            What::Heal => "heal",
            What::Hold(_) => "hold",
            What::Release => "release",
            What::Crash { .. } => "crash",
            What::Restart(_) => "restart",
            What::Dark { .. } => "dark",
            What::Slow { .. } => "slow",
            What::Lossy { .. } => "lossy",
        }
    }
}

impl Who {
    /// The nodes that the `nth` fault concerns, in ascending order. `side` separates two draws of one fault.
    pub fn nodes(&self, seed: Seed, nth: u32, side: u64, n_nodes: u32, regions: &Regions) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = match self {
            Who::All => (0..n_nodes).map(NodeId).collect(),
            Who::Nodes(nodes) => nodes.iter().copied().map(NodeId).collect(),
            Who::Random(share) => shuffled(seed, nth, side, n_nodes).take(whole(*share, n_nodes)).collect(),
            Who::Region(region) => (0..n_nodes).map(NodeId).filter(|&node| region_of(seed, node, regions) == *region).collect(),
        };
        nodes.sort_unstable();
        nodes
    }
}

impl Groups {
    /// The group of every node in the `nth` fault. Nodes without a group are group 0.
    pub fn by_node(&self, seed: Seed, nth: u32, n_nodes: u32) -> Vec<u32> {
        let mut groups = vec![0; n_nodes as usize];
        match self {
            Groups::Nodes(named) => {
                for (group, nodes) in (1..).zip(named) {
                    nodes.iter().for_each(|&node| groups[node as usize] = group);
                }
            }
            Groups::Shares(shares) => {
                let mut order = shuffled(seed, nth, 0, n_nodes);
                for (group, share) in (1..).zip(shares) {
                    order.by_ref().take(whole(*share, n_nodes)).for_each(|node| groups[node.idx()] = group);
                }
            }
        }
        groups
    }
}

/// A share of `n_nodes`, rounded to whole nodes.
pub fn whole(share: f64, n_nodes: u32) -> usize {
    (share * f64::from(n_nodes)).round() as usize
}

/// All nodes in an order drawn for the `nth` fault.
fn shuffled(seed: Seed, nth: u32, side: u64, n_nodes: u32) -> impl Iterator<Item = NodeId> {
    let n = n_nodes as usize;
    index::sample(&mut seed.rng(Purpose::FaultNodes, nth.into(), side), n, n).into_iter().map(|i| NodeId(i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_nodes_and_the_rest_is_a_group() {
        let groups = Groups::Shares(vec![0.5, 0.2]).by_node(Seed(1), 0, 10);
        let size = |group| groups.iter().filter(|&&g| g == group).count();
        assert_eq!([size(0), size(1), size(2)], [3, 5, 2]);
        assert_ne!(groups, Groups::Shares(vec![0.5, 0.2]).by_node(Seed(1), 1, 10), "every fault draws its own");
        assert_eq!(Groups::Nodes(vec![vec![3], vec![0, 1]]).by_node(Seed(1), 0, 4), [2, 2, 0, 1]);
    }

    #[test]
    fn random_nodes_are_distinct_and_as_many_as_said() {
        let nodes = |side| Who::Random(0.3).nodes(Seed(1), 4, side, 20, &Regions::Uniform);
        let mut distinct = nodes(0);
        distinct.dedup();
        assert!(distinct.len() == 6 && nodes(0) == nodes(0) && nodes(0) != nodes(1));
        let everywhere: usize =
            Region::ALL.iter().map(|&region| Who::Region(region).nodes(Seed(1), 0, 0, 50, &Regions::Uniform).len()).sum();
        assert_eq!(everywhere, 50);
    }
}
