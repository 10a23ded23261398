//! Searches, compared with reading the documents of as many random queries from memory.
//!
//! The queries take more room than most caches have, and every call searches for other ones.

use super::bounds::read;
use super::desk::{self, RANKERS, SHAPES};
use super::{Effort, Group, Meter, Subject};
use crate::corpus::{Corpus, Split};
use crate::node::Node;
use crate::rng::{Purpose, Seed};
use crate::units::NodeId;
use std::hint::black_box;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) {
    let shapes = if effort == Effort::Quick { &SHAPES[1..2] } else { &SHAPES[..] };
    for &shape in shapes {
        let corpus = desk::corpus(shape, effort.choose(500, 5_000, 5_000), 1);
        for (name, ranker) in RANKERS {
            searches(name, ranker, &corpus, if name == "linear" { 500 } else { 50 }, meter);
        }
    }
}

fn searches(name: &str, ranker: &str, corpus: &Corpus, n_searches: u64, meter: &mut impl Meter) {
    let world = desk::pair(ranker, "Local");
    let (protocol, users) = (world.protocol(corpus), desk::users(&world, corpus));
    let train = &corpus.train;
    let subject = Subject {
        group: Group::Search,
        what: name.into(),
        size: vec![("d", train.n_features() as u64), ("documents", (train.n_documents() / train.n_queries()) as u64)],
        per: "search",
        pieces: n_searches as f64,
        bound: "read as many queries' documents".into(),
        bound_times: 1.0,
        flops: 0.0,
    };
    let (mut n_nodes, mut n_reads) = (0, 0);
    meter.measure(
        &subject,
        || {
            n_nodes += 1;
            Node::fresh(NodeId(n_nodes), false, &protocol)
        },
        |node| desk::learn(node, n_searches, &protocol, &users),
        || {
            n_reads += 1;
            (0..n_searches).for_each(|nth| read_any(train, n_reads, nth));
        },
    );
}

/// Reads the documents of a random query.
fn read_any(split: &Split, stream: u64, nth: u64) {
    let q = Seed(2).uniform(Purpose::Query, stream, nth) * split.n_queries() as f64;
    black_box(read(split.query(q as usize).rows()));
}
