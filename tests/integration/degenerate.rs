//! The round-robin scenario of the simulator is the paper's loop.

use crate::reference;
use crate::support::{corpus, finish, scenario};
use rankguard::adversary::{self, Attack, LieZ, Population, craft};
use rankguard::corpus::ClickTable;
use rankguard::network::{Fanout, sample_peers};
use rankguard::node::{Node, Received, Scratch};
use rankguard::rng::Seed;
use rankguard::run::{Snapshot, TestSet, protocol};
use rankguard::scenario::Scenario;
use rankguard::units::NodeId;

pub const DEFENSES: [&str; 15] = [
    "RankGuard(kappa: 4.0)",
    "RankGuard(kappa: 4.0, calibrate: true)",
    "RankGuardRand(kappa: 4.0, share: 0.2)",
    "FlTrust",
    "ZenoPs()",
    "Cs()",
    "Gts()",
    "Cwtm()",
    "Krum()",
    "Median",
    "GeometricMedian",
    "Ubar()",
    "Undefended",
    "Oracle",
    "Local",
];

pub const RANKERS: [&str; 2] = ["Linear(eta: 0.1)", "Neural(eta: 0.1)"];

pub const ATTACKS: [&str; 8] = [
    "Flip",
    "Lie(z: Majority)",
    "Lie(z: OneMinusBeta, knowledge: AtDelivery)",
    "Ipm(form: Step, epsilon: 10.0)",
    "Ipm(form: NegatedModel, epsilon: 2.0)",
    "Adapt(kappa: 4.0)",
    "Shrink(c: 0.3)",
    "Noise(sd: 0.2)",
];

/// Rounds and nodes, nested, with immediate delivery: nothing of the simulator but what a node does.
fn plain_loop(scenario: &Scenario) -> Vec<Vec<f32>> {
    let (corpus, seed) = (corpus(), Seed(scenario.seed));
    let protocol = protocol(scenario, &corpus);
    let honest = scenario.users.table(3).expect("three grades");
    let poison = ClickTable::poison(3).expect("three grades");
    let is_malicious = adversary::malicious(seed, scenario.nodes, scenario.malicious_share);
    let mut nodes: Vec<Node> = (0..scenario.nodes).map(|id| Node::fresh(NodeId(id), true, &protocol)).collect();
    let fanout = Fanout::Log2.of(scenario.nodes);
    for round in 0..30 {
        for sender in 0..nodes.len() {
            let crafts = is_malicious[sender] && scenario.attack.crafts().is_some();
            if !crafts {
                nodes[sender].on_search(&protocol, if is_malicious[sender] { &poison } else { &honest });
            }
            let id = NodeId(sender as u32);
            let models: Vec<&[f32]> = nodes.iter().zip(&is_malicious).filter(|(_, m)| !**m).map(|(node, _)| node.theta()).collect();
            let population = Population::of(&models);
            let z = LieZ::value(if let Attack::Lie { z, .. } = scenario.attack { z } else { LieZ::Value(0.0) }, scenario.nodes, 3);
            for (i, peer) in sample_peers(seed, id, round, fanout, scenario.nodes - 1).enumerate() {
                let receiver = if (peer as usize) < sender { peer as usize } else { peer as usize + 1 };
                if !is_malicious[receiver] {
                    let made = (round, round * u64::from(fanout) + i as u64);
                    let known = Some((&population, z.expect("it exists")));
                    let sent = match crafts {
                        true => craft(scenario.attack, id, made, &nodes[receiver], &protocol, &honest, known).theta,
                        false => nodes[sender].theta().to_vec(),
                    };
                    let received = [Received { theta: &sent, is_malicious: is_malicious[sender] }];
                    nodes[receiver].on_receive(&protocol, &received, &mut Scratch::default());
                }
            }
        }
    }
    nodes.iter().map(|node| node.theta().to_vec()).collect()
}

#[test]
fn thirty_rounds_give_the_plain_loops_models_bit_for_bit() {
    for ranker in RANKERS {
        for defense in DEFENSES {
            same_as_plain_loop(ranker, "Flip", defense);
        }
    }
}

#[test]
fn thirty_rounds_of_any_attack_give_the_plain_loops_models_bit_for_bit() {
    for attack in ATTACKS {
        for defense in ["RankGuard(kappa: 4.0)", "Undefended", "Gts()"] {
            same_as_plain_loop(RANKERS[0], attack, defense);
        }
        same_as_plain_loop(RANKERS[1], attack, "RankGuard(kappa: 4.0)");
    }
}

fn same_as_plain_loop(ranker: &str, attack: &str, defense: &str) {
    let scenario = scenario(&[("ranker", ranker), ("defense", defense), ("attack", attack)]);
    let (_, rows) = finish(&scenario, &corpus(), 2);
    let models: Vec<Vec<f32>> = rows.models.into_iter().map(|row| row.theta).collect();
    let honest = |models: Vec<Vec<f32>>| -> Vec<Vec<f32>> {
        models.into_iter().zip(adversary::malicious(Seed(1), 12, 0.25)).filter(|(_, m)| !m).map(|(theta, _)| theta).collect()
    };
    assert!(honest(models) == honest(plain_loop(&scenario)), "{attack} against {defense}, {ranker}");
}

#[test]
fn thirty_rounds_agree_with_the_formulas_in_f64() {
    for (ranker, defense) in
        RANKERS.iter().flat_map(|ranker| ["RankGuard(kappa: 4.0)", "Undefended", "Oracle"].map(|defense| (*ranker, defense)))
    {
        let (scenario, corpus) = (scenario(&[("ranker", ranker), ("defense", defense)]), corpus());
        let (finished, rows) = finish(&scenario, &corpus, 2);
        let reference = reference::mean_ndcg(&scenario, &corpus, 30);
        assert!(
            (finished.last.ndcg_mean - reference).abs() < 0.005,
            "{ranker}, {defense}: {} against {reference}",
            finished.last.ndcg_mean
        );
        // The rows say the same as the models they come from.
        let honest: Vec<&[f32]> = rows.models.iter().filter(|row| !row.malicious).map(|row| row.theta.as_slice()).collect();
        let form = scenario.ranker.form(corpus.train.n_features());
        let again = TestSet::new(&corpus.test, 10).evaluate(&Snapshot::of(form, honest.iter().copied()));
        let last = rows.evaluations.iter().filter(|row| row.evaluation == 3).map(|row| row.ndcg);
        assert_eq!(last.collect::<Vec<_>>(), again);
    }
}
