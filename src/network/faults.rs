//! Faults that happen at given moments: partitions, crashes, and times of slow or lossy links.

use super::regions::{Region, Regions, region_of};
use crate::fields::declare;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};
use rand::seq::index;

declare! {
    /// One entry of the list of faults.
    ///
    /// At one moment faults come before everything else, in the order of the list, and those that end before those that begin. Each is a row
    /// of the table `faults` when it begins, and another when it ends by itself. Peers are drawn without knowledge of partitions and holds.
    #[derive(Clone, PartialEq)]
    pub struct Fault {
        /// When it happens, before the end of the run.
        #[example("2h")]
        pub at: Duration,
        /// What happens.
        #[example(Crash(who: Random(0.1), restart_after: "10min"))]
        pub what: What,
    }
}

declare! {
    /// What happens.
    #[derive(Clone, PartialEq)]
    pub enum What {
        /// A message that arrives while its sender and its receiver are in different groups is lost. A second partition takes the place of
        /// the first.
        Partition(#[example(Shares([0.5]))] Groups),
        /// Messages from some nodes that arrive at others are lost; the other way round they are not. It adds to other partitions.
        OneWay {
            /// Whose messages do not get through.
            #[example(Nodes([0, 1]))]
            from: Who,
            /// Whom these messages do not reach.
            #[example(Nodes([2, 3]))]
            to: Who,
        },
        /// All partitions end, also one-way ones. Messages that were sent before get through if they arrive afterwards.
        Heal,
        /// Messages from or to these nodes wait where they would arrive.
        Hold(#[example(Nodes([0, 1]))] Who),
        /// All held messages arrive now, in the order in which they would have arrived, and are treated like other messages that arrive.
        Release,
        /// These nodes leave at once, and are down whatever churn has planned. At the restart they are online or offline as churn has it by
        /// then.
        Crash {
            /// Whom it concerns.
            #[example(Random(0.1))]
            who: Who,
            /// How long they are down; without it they are down until a `Restart`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[limits(above(0.0))]
            #[example("10min")]
            restart_after: Option<Duration>,
        },
        /// The nodes among these that are down restart now, unless churn has them offline.
        Restart(#[example(All)] Who),
        /// All nodes of a region are down.
        Dark {
            /// Which region.
            #[example(London)]
            region: Region,
            /// How long it lasts.
            #[limits(above(0.0))]
            #[example("1h")]
            lasts: Duration,
        },
        /// The latencies of messages that are sent meanwhile are multiplied. Several such faults multiply.
        Slow {
            /// What latencies are multiplied by.
            #[limits(between(1e-6, 1e6))]
            #[example(5.0)]
            times: f64,
            /// How long it lasts.
            #[limits(above(0.0))]
            #[example("1h")]
            lasts: Duration,
        },
        /// The probability of loss of messages that are sent meanwhile is multiplied, up to 1.
        Lossy {
            /// What the probability is multiplied by.
            #[limits(between(1e-6, 1e6))]
            #[example(5.0)]
            times: f64,
            /// How long it lasts.
            #[limits(above(0.0))]
            #[example("1h")]
            lasts: Duration,
        },
    }
}

declare! {
    /// Whom a fault concerns.
    #[derive(Clone, PartialEq)]
    pub enum Who {
        /// Everybody.
        All,
        /// These nodes, by number from 0.
        Nodes(#[example([3, 5])] Vec<u32>),
        /// A share of all nodes, drawn from the seed for this fault.
        Random(
            #[limits(above(0.0).at_most(1.0))]
            #[example(0.1)]
            f64
        ),
        /// All nodes of a region.
        Region(#[example(London)] Region),
    }
}

declare! {
    /// Who is separated from whom.
    #[derive(Clone, PartialEq)]
    pub enum Groups {
        /// Lists of nodes by number; nodes that are not named form one more group.
        Nodes(#[example([[0, 1], [2, 3]])] Vec<Vec<u32>>),
        /// Shares of all nodes, drawn from the seed for this fault; the rest forms one more group.
        Shares(
            #[limits(above(0.0).at_most(1.0))]
            #[example([0.5])]
            Vec<f64>
        ),
    }
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
