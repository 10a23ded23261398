//! Measures how long a node takes to judge one received model, by rule, ranker and length of the history, as the paper's table of running
//! times does.
//!
//! The data is shaped like WEB30K. A node that has searched n times receives the model of another such node. Every round begins with the
//! same state.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use rankguard::corpus::Corpus;
use rankguard::node::{Node, Protocol, Received, Scratch};
use rankguard::scenario::Scenario;
use rankguard::units::NodeId;

const RANKERS: [&str; 2] = ["Linear(eta: 0.1)", "Neural(eta: 0.1)"];
const DEFENSES: [&str; 3] = ["RankGuard(kappa: 4.0)", "FlTrust", "ZenoPs()"];

fn scenario(ranker: &str, defense: &str) -> Scenario {
    let text = format!(
        "(name: \"bench\", seed: 1, nodes: 2, malicious_share: 0, stop: Sessions(1), evaluate_every: Sessions(1), shown: 10, ndcg_cutoff: 10, \
         dataset: Synthetic(like: Web30k, train_queries: 300, test_queries: 1), users: Perfect, ranker: {ranker}, defense: {defense}, \
         attack: NoAttack, arrivals: RoundRobin(period: \"1min\"))"
    );
    Scenario::parse(&text, "bench.ron").expect("it is right")
}

fn learned(id: u32, n_sessions: usize, protocol: &Protocol, scenario: &Scenario, corpus: &Corpus) -> Node {
    let users = scenario.users.table(corpus.n_grades).expect("five grades");
    let (mut node, mut scratch) = (Node::fresh(NodeId(id), true, protocol), Scratch::default());
    for _ in 0..n_sessions {
        node.on_search(protocol, &users, &mut scratch);
    }
    node
}

fn judge(c: &mut Criterion) {
    for ranker in RANKERS {
        for defense in DEFENSES {
            let scenario = scenario(ranker, defense);
            let corpus = Corpus::load(&scenario.dataset).expect("it is made");
            let protocol = scenario.resolve().expect("it is right").protocol(&corpus);
            let mut group = c.benchmark_group(format!("judge/{ranker}/{defense}"));
            group.sample_size(10);
            for n_sessions in [100, 1000] {
                let node = learned(0, n_sessions, &protocol, &scenario, &corpus);
                let other = learned(1, n_sessions, &protocol, &scenario, &corpus);
                let inbox = [Received { theta: other.theta(), is_malicious: false }];
                let mut scratch = Scratch::default();
                group.bench_function(BenchmarkId::from_parameter(n_sessions), |b| {
                    b.iter_batched_ref(|| node.clone(), |node| node.on_receive(&protocol, &inbox, &mut scratch), BatchSize::LargeInput)
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, judge);
criterion_main!(benches);
