//! Makes the plan of the timeline from a scenario.

use crate::adversary::{Attack, Roles};
use crate::corpus::{Dataset, synthetic};
use crate::network::{Attackers, Network, crowded};
use crate::rng::Seed;
use crate::scenario::Scenario;
use crate::timeline::{Behaviour, LastEvaluations, Plan};
use crate::units::NodeId;
use std::sync::Arc;

/// The size of a message without its model, in bytes.
const HEADER_BYTES: u64 = 64;

/// The plan of a scenario with this network and these roles.
pub(super) fn plan(scenario: &Scenario, network: Network, roles: &Roles) -> Plan {
    let seed = Seed(scenario.seed);
    let crowded = crowded(seed, scenario.nodes, &scenario.crowds);
    let behaviour = |node: NodeId| {
        let own = roles.attack(node).map_or(Behaviour::default(), |attack| behaviour(attack, &scenario.attackers, seed, node));
        // Attackers that join in a burst do not join with a crowd.
        let first_join = own.first_join.or(crowded.get(node.idx()).and_then(|crowded| crowded.first_join));
        Behaviour { first_join, ..own }
    };
    Plan {
        seed,
        n_nodes: scenario.nodes,
        stop: scenario.stop,
        evaluate_every: scenario.evaluate_every,
        evaluate_last: scenario.evaluate.last.map(|last| LastEvaluations { n: last.evaluations, every: last.every }),
        network: Arc::new(network),
        loss: scenario.loss,
        bursts: scenario.bursts,
        bandwidth: scenario.bandwidth,
        message_bytes: message_bytes(scenario, declared_features(scenario)),
        order: scenario.order,
        duplicates: scenario.duplicates,
        absence: scenario.absence,
        faults: scenario.faults.clone(),
        regions: scenario.regions.clone(),
        peers: scenario.peers,
        behaviours: roles.nodes().map(behaviour).collect(),
        crowded,
        peer_bias: scenario.attackers.peer_bias,
    }
}

/// The size of a message: its model, and a header with the sender and the time.
// CHOICE(message-size): weights are sent as they are, four bytes each.
pub(crate) fn message_bytes(scenario: &Scenario, n_features: usize) -> u64 {
    HEADER_BYTES + 4 * scenario.ranker.shape(n_features).n_weights() as u64
}

/// The number of features as far as it is known before the documents are read.
fn declared_features(scenario: &Scenario) -> usize {
    match &scenario.dataset {
        Dataset::Synthetic { like, .. } => synthetic::outline(*like).n_features,
        // If bandwidth is limited, the check has made sure that the scenario gives the number.
        Dataset::Letor { features, .. } => features.unwrap_or(0) as usize,
    }
}

/// How the attacker `node` differs from an ordinary node.
fn behaviour(attack: &Attack, attackers: &Attackers, seed: Seed, node: NodeId) -> Behaviour {
    Behaviour {
        crafts: attack.crafts(),
        n_between: attackers.rate,
        never_leaves: attackers.always_online,
        first_join: attackers.join.moment(seed, node),
        active: attackers.active,
        is_favored: true,
    }
}
