//! What is measured on: documents shaped like the public sets, worlds of one line of difference, and nodes that have learned.

use crate::corpus::{ClickTable, Corpus, Shape, Split, synthetic};
use crate::node::{Node, Protocol, Scratch};
use crate::rng::Seed;
use crate::scenario::Scenario;
use crate::units::NodeId;
use crate::world::World;
use ndarray::Array2;

/// The shapes of documents by which judging is measured: d = 46, 136 and 700.
pub const SHAPES: [Shape; 3] = [Shape::Mq2007, Shape::Web30k, Shape::Yahoo];

/// The rankers by name, as scenarios write them.
pub const RANKERS: [(&str, &str); 2] = [("linear", "Linear(eta: 0.1)"), ("neural", "Neural(eta: 0.1)")];

/// The rules of the paper's table of running times by name, as scenarios write them.
pub const RULES: [(&str, &str); 3] = [("RankGuard", "RankGuard(kappa: 4.0)"), ("FLTrust", "FlTrust"), ("ZenoPS", "ZenoPs()")];

/// The number of different queries. More queries are copies, which lie elsewhere in memory; making new ones would take longer than measuring.
const DIFFERENT: u32 = 200;

/// Documents of a shape, with so many queries to search and to evaluate on.
pub fn corpus(shape: Shape, n_train: u32, n_test: u32) -> Corpus {
    let made = synthetic::generate(shape, n_train.min(DIFFERENT), n_test.min(DIFFERENT), Seed(1));
    let [train, test] = [(&made.train, n_train), (&made.test, n_test)].map(|(split, n)| repeated(split, n as usize));
    Corpus { train, test, n_grades: made.n_grades }
}

fn repeated(split: &Split, n_queries: usize) -> Split {
    let (mut features, mut grades, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for query in (0..n_queries).map(|q| split.query(q % split.n_queries())) {
        features.extend_from_slice(query.rows());
        grades.extend_from_slice(query.grades);
        starts.push(grades.len() as u32);
    }
    let shape = (grades.len(), split.n_features());
    Split::new(Array2::from_shape_vec(shape, features).expect("whole rows"), grades, starts)
}

/// A world with the given fields instead of its own.
pub fn world(changes: &[(&str, String)]) -> World {
    let mut fields: Vec<(&str, String)> = [
        ("name", "\"bench\""),
        ("seed", "1"),
        ("nodes", "2"),
        ("malicious_share", "0"),
        ("stop", "Sessions(1)"),
        ("evaluate_every", "Sessions(1000000000)"),
        ("shown", "10"),
        ("ndcg_cutoff", "10"),
        ("dataset", "Synthetic(like: Web30k, train_queries: 1, test_queries: 1)"),
        ("users", "Perfect"),
        ("ranker", RANKERS[0].1),
        ("defense", RULES[0].1),
        ("attack", "NoAttack"),
        ("arrivals", "RoundRobin(period: \"1min\")"),
    ]
    .map(|(name, value)| (name, value.to_string()))
    .into();
    for (name, value) in changes {
        fields.retain(|(field, _)| field != name);
        fields.push((name, value.clone()));
    }
    let lines: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value},")).collect();
    let world = Scenario::parse(&format!("({})", lines.concat()), "bench.ron").and_then(|scenario| scenario.resolve());
    world.unwrap_or_else(|error| panic!("a scenario of the bench is wrong: {error}"))
}

/// A world of two nodes with this ranker and rule.
pub fn pair(ranker: &str, defense: &str) -> World {
    world(&[("ranker", ranker.into()), ("defense", defense.into())])
}

/// How its users click on these documents.
pub fn users(world: &World, corpus: &Corpus) -> ClickTable {
    world.honest_clicks(corpus).expect("there is a table for every shape's grades")
}

/// Lets a node search until it has done so `n` times.
pub fn learn(node: &mut Node, n: u64, protocol: &Protocol, users: &ClickTable) {
    let mut scratch = Scratch::default();
    while node.n_searches() < n {
        node.on_search(protocol, users, &mut scratch);
    }
}

/// Models of `n` other nodes, each after so many searches.
pub fn models(n: u32, n_searches: u64, protocol: &Protocol, users: &ClickTable) -> Vec<Vec<f32>> {
    let model = |id: u32| {
        let mut node = Node::fresh(NodeId(id), false, protocol);
        learn(&mut node, n_searches, protocol, users);
        node.theta().to_vec()
    };
    (1..=n).map(model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_queries_fill_a_large_split() {
        let corpus = corpus(Shape::Mq2007, DIFFERENT + 3, 2);
        assert_eq!((corpus.train.n_queries(), corpus.test.n_queries()), (DIFFERENT as usize + 3, 2));
        let [first, copy] = [1, DIFFERENT as usize + 1].map(|q| corpus.train.query(q));
        assert!(first.rows() == copy.rows() && first.grades == copy.grades && first.rows().as_ptr() != copy.rows().as_ptr());
    }

    #[test]
    fn worlds_take_every_ranker_and_rule() {
        for (_, ranker) in RANKERS {
            for (_, rule) in RULES {
                assert_eq!(pair(ranker, rule).scenario().nodes, 2);
            }
        }
    }
}
