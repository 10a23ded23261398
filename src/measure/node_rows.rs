//! The table `nodes`: who everybody is, and when they first came.

use crate::adversary::Roles;
use crate::network::{Network, Regions, region_of};
use crate::record::{NodeRow, Sampling};
use crate::rng::Seed;
use crate::timeline::{Action, Step};
use crate::units::{NodeId, VirtualTime};
use std::borrow::Cow;

/// The first join of every node so far.
#[derive(Debug, Default)]
pub(crate) struct FirstJoins(Vec<Option<VirtualTime>>);

impl FirstJoins {
    pub fn of(n_nodes: u32) -> Self {
        Self(vec![None; n_nodes as usize])
    }

    pub fn note(&mut self, steps: &[Step]) {
        for step in steps {
            if let Action::Presence { node, online: true, .. } = step.action {
                self.0[node.idx()].get_or_insert(step.at);
            }
        }
    }

    /// A row per node, or as many as are kept.
    pub fn rows(&self, seed: Seed, cast: &Roles, network: &Network, regions: &Regions, sampling: Sampling) -> Vec<NodeRow> {
        let rates = network.arrivals.rates();
        let row = |node: NodeId| NodeRow {
            node: node.0 as i32,
            malicious: cast.is_malicious(node),
            plays: cast.attack(node).map(|attack| match attack.name() {
                Cow::Borrowed(name) => name,
                Cow::Owned(_) => "mix", // which no single node plays
            }),
            region: region_of(seed, node, regions).name(),
            host: network.latency.host(node).map(|host| host as i32),
            rate: rates[node.idx()],
            first_join_ns: self.0[node.idx()].map(|at| at.0 as i64),
        };
        cast.nodes().filter(|node| sampling.keeps(node.0.into())).map(row).collect()
    }
}
