//! The table `nodes`: the role and place of each node, and its first join.

use crate::adversary::Roles;
use crate::network::region_of;
use crate::record::{NodeRow, Sampling};
use crate::timeline::{Action, Plan, Step};
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The first join of every node so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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

    /// The rows of all nodes that are kept.
    pub fn rows(&self, plan: &Plan, roles: &Roles, sampling: Sampling) -> Vec<NodeRow> {
        let rates = plan.network.arrivals.rates();
        let row = |node: NodeId| NodeRow {
            node: node.0 as i32,
            malicious: roles.is_malicious(node),
            plays: roles.attack(node).map(|attack| match attack.name() {
                Cow::Borrowed(name) => name,
                Cow::Owned(_) => "mix", // no single node plays a mix
            }),
            region: region_of(plan.seed, node, &plan.regions).name(),
            host: plan.network.latency.host(node).map(|host| host as i32),
            rate: rates[node.idx()],
            first_join_ns: self.0[node.idx()].map(|at| at.0 as i64),
        };
        roles.nodes().filter(|node| sampling.keeps(node.0.into())).map(row).collect()
    }
}
