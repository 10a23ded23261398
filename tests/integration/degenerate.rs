//! The round-robin scenario of the simulator is the paper's loop.

use crate::reference;
use crate::support::{corpus, finish, scenario};
use rankguard::adversary;
use rankguard::corpus::ClickTable;
use rankguard::network::{Fanout, sample_peers};
use rankguard::node::{Node, Received, Scratch};
use rankguard::rng::Seed;
use rankguard::run::{Snapshot, TestSet, protocol};
use rankguard::scenario::Scenario;
use rankguard::units::NodeId;

const DEFENSES: [&str; 5] = ["RankGuard(kappa: 4.0)", "RankGuardRand(kappa: 4.0, share: 0.2)", "Undefended", "Oracle", "Local"];

/// Rounds and nodes, nested, with immediate delivery: nothing of the simulator but what a node does.
fn plain_loop(scenario: &Scenario) -> Vec<Vec<f32>> {
    let (corpus, seed) = (corpus(), Seed(scenario.seed));
    let protocol = protocol(scenario, &corpus);
    let honest = scenario.users.table(3).expect("three grades");
    let poison = ClickTable::poison(3).expect("three grades");
    let is_malicious = adversary::malicious(seed, scenario.nodes, scenario.malicious_share);
    let mut nodes: Vec<Node> = (0..scenario.nodes).map(|id| Node::fresh(NodeId(id), true, &protocol)).collect();
    for round in 0..30 {
        for sender in 0..nodes.len() {
            nodes[sender].on_search(&protocol, if is_malicious[sender] { &poison } else { &honest });
            let sent = nodes[sender].theta().to_vec();
            let fanout = Fanout::Log2.of(scenario.nodes);
            for peer in sample_peers(Seed(scenario.seed), NodeId(sender as u32), round, fanout, scenario.nodes - 1) {
                let receiver = if (peer as usize) < sender { peer as usize } else { peer as usize + 1 };
                if !is_malicious[receiver] {
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
    for defense in DEFENSES {
        let scenario = scenario(&[("defense", defense)]);
        let (_, rows) = finish(&scenario, &corpus(), 2);
        let models: Vec<Vec<f32>> = rows.models.into_iter().map(|row| row.theta).collect();
        assert!(models == plain_loop(&scenario), "{defense}");
    }
}

#[test]
fn thirty_rounds_agree_with_the_formulas_in_f64() {
    for defense in ["RankGuard(kappa: 4.0)", "Undefended", "Oracle"] {
        let (scenario, corpus) = (scenario(&[("defense", defense)]), corpus());
        let (finished, rows) = finish(&scenario, &corpus, 2);
        let reference = reference::mean_ndcg(&scenario, &corpus, 30);
        assert!((finished.last.ndcg_mean - reference).abs() < 0.005, "{defense}: {} against {reference}", finished.last.ndcg_mean);
        // The rows say the same as the models they come from.
        let honest: Vec<&[f32]> = rows.models.iter().filter(|row| !row.malicious).map(|row| row.theta.as_slice()).collect();
        let again = TestSet::new(&corpus.test, 10).evaluate(&Snapshot::of(honest.iter().copied()));
        let last = rows.evaluations.iter().filter(|row| row.evaluation == 3).map(|row| row.ndcg);
        assert_eq!(last.collect::<Vec<_>>(), again);
    }
}
