//! Judging received models, by rule, ranker, number of features, length of the history and number of models that wait together: the paper's
//! table of running times, and more.
//!
//! A node that has just searched judges models of other nodes, so it also computes the margins of its own model anew. Every call begins
//! with the same node.

use super::bounds::TileProduct;
use super::desk::{self, RANKERS, RULES, SHAPES};
use super::{Effort, Group, Meter, Subject, replay};
use crate::corpus::{ClickTable, Corpus, Split};
use crate::ltr::ModelShape;
use crate::ltr::kernel::{BATCH, TILE, tiles};
use crate::node::{Node, Protocol, Received, Scratch};
use crate::units::NodeId;
use crate::world::World;

/// The histories by which models are judged, in sessions.
const HISTORIES: [u64; 3] = [100, 1_000, 10_000];

/// The numbers of models that wait together.
const WAITING: [usize; 3] = [1, 4, 7];

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) {
    let shapes = if effort == Effort::Quick { &SHAPES[1..2] } else { &SHAPES[..] };
    for &shape in shapes {
        // Enough documents that no cache holds them all.
        let corpus = desk::corpus(shape, effort.choose(300, 2_000, 5_000), 1);
        for (name, ranker) in RANKERS {
            let worlds = RULES.map(|(rule, defense)| (rule, desk::pair(ranker, defense)));
            Bench::new(name, &worlds, &corpus).measure(effort, meter);
        }
    }
    let widths: Vec<usize> = (1..=BATCH).collect();
    measure_widths(effort.choose(&widths[3..], &widths, &widths), effort, meter);
}

/// Measures how the time of a model depends on the number of models that wait, while the margins of the own model are known.
pub(super) fn measure_widths(widths: &[usize], effort: Effort, meter: &mut impl Meter) {
    let corpus = desk::corpus(SHAPES[1], 300, 1);
    let worlds = [("RankGuard, own margins known,", desk::pair(RANKERS[0].1, RULES[0].1))];
    let bench = Bench::new(RANKERS[0].0, &worlds, &corpus);
    let ((rule, protocol), inbox) = (&bench.protocols[0], bench.inbox());
    let mut node = bench.node();
    bench.learn(&mut node, effort.choose(300, 1_000, 1_000));
    let documents = Documents::of(&node, protocol.train, protocol.shape());
    for &waiting in widths {
        let mut scratch = Scratch::default();
        node.on_receive(protocol, &inbox[..waiting], &mut scratch);
        let subject = bench.subject(rule, &documents, waiting, waiting);
        let mut product = documents.product(waiting);
        let work = |(): &mut ()| _ = node.on_receive(protocol, &inbox[..waiting], &mut scratch);
        meter.measure(&subject, || (), work, || product.run(&documents.tiles));
    }
}

/// The rules of one ranker on one set of documents.
struct Bench<'a> {
    ranker: &'static str,
    /// The first rule keeps what all of them need of the history.
    protocols: Vec<(&'static str, Protocol<'a>)>,
    users: ClickTable,
    models: Vec<Vec<f32>>,
}

impl<'a> Bench<'a> {
    fn new(ranker: &'static str, worlds: &[(&'static str, World)], corpus: &'a Corpus) -> Self {
        let protocols: Vec<(&str, Protocol)> = worlds.iter().map(|(rule, world)| (*rule, world.protocol(corpus))).collect();
        let users = desk::users(&worlds[0].1, corpus);
        let models = desk::models(BATCH as u32, 20, &protocols[0].1, &users);
        Self { ranker, protocols, users, models }
    }

    fn shape(&self) -> ModelShape {
        self.protocols[0].1.shape()
    }

    fn node(&self) -> Node {
        Node::fresh(NodeId(0), true, &self.protocols[0].1)
    }

    fn learn(&self, node: &mut Node, n_sessions: u64) {
        desk::learn(node, n_sessions, &self.protocols[0].1, &self.users);
    }

    fn inbox(&self) -> Vec<Received<'_>> {
        self.models.iter().map(|theta| Received { theta, is_malicious: false }).collect()
    }

    fn measure(&self, effort: Effort, meter: &mut impl Meter) {
        let mut node = self.node();
        for n_sessions in HISTORIES.into_iter().filter(|&n| self.is_short(false, n, 1, effort)) {
            self.learn(&mut node, n_sessions);
            let documents = Documents::of(&node, self.protocols[0].1.train, self.shape());
            for (rule, protocol) in &self.protocols {
                let replays = protocol.defense.rankguard().is_none();
                for waiting in WAITING.into_iter().filter(|&waiting| self.is_short(replays, n_sessions, waiting, effort)) {
                    match replays {
                        false => self.rankguard(&node, protocol, waiting, &documents, meter),
                        true => replay::measure(rule, self.ranker, &node, protocol, &self.inbox()[..waiting], meter),
                    }
                }
            }
        }
    }

    /// Whether judging is short enough to be measured: it grows with the history, the weights and the models that wait.
    fn is_short(&self, replays: bool, n_sessions: u64, waiting: usize, effort: Effort) -> bool {
        let work = n_sessions * self.shape().n_weights() as u64 * waiting as u64;
        let most = if replays { effort.choose(2, 30, 100) } else { effort.choose(10, 150, 400) };
        work <= most * 1_000_000
    }

    fn rankguard(&self, node: &Node, protocol: &Protocol, waiting: usize, documents: &Documents, meter: &mut impl Meter) {
        let (inbox, mut scratch) = (self.inbox(), Scratch::default());
        // The own model is scored once. If models are neural, a merge changes its scores, and it is scored anew for the next one.
        let n_products = if self.shape().is_linear() { waiting + 1 } else { 2 * waiting };
        let subject = self.subject("RankGuard", documents, waiting, n_products);
        let mut product = documents.product(n_products);
        let work = |node: &mut Node| _ = node.on_receive(protocol, &inbox[..waiting], &mut scratch);
        meter.measure(&subject, || node.clone(), work, || product.run(&documents.tiles));
    }

    fn subject(&self, rule: &str, documents: &Documents, waiting: usize, n_products: usize) -> Subject {
        let linear = documents.n_units == 1;
        Subject {
            group: Group::Judge,
            what: format!("{rule} {}", self.ranker),
            size: documents.size(waiting),
            per: "model",
            pieces: waiting as f64,
            bound: if linear { "bare product with all models to score" } else { "two bare products with the hidden units" }.into(),
            bound_times: if linear { 1.0 } else { n_products as f64 },
            flops: 2.0 * (documents.n_rows * documents.d * documents.n_units * n_products) as f64,
        }
    }
}

/// The documents of a history, laid out as in [`History`](crate::node::History).
struct Documents {
    d: usize,
    n_sessions: usize,
    n_rows: usize,
    n_pairs: usize,
    /// The number of weighted sums of features that a model needs for a document: its hidden units, or 1.
    n_units: usize,
    tiles: Vec<[f32; TILE]>,
}

impl Documents {
    fn of(node: &Node, train: &Split, shape: ModelShape) -> Self {
        let d = shape.n_features();
        let (mut rows, mut n_pairs) = (Vec::new(), 0);
        for session in node.history().evidence(train) {
            rows.extend(session.documents);
            n_pairs += session.preferences.len();
        }
        let n_units = match shape {
            ModelShape::Linear { .. } => 1,
            ModelShape::Neural { hidden, .. } => hidden,
        };
        Self { d, n_sessions: node.history().len(), n_rows: rows.len() / d, n_pairs, n_units, tiles: tiles(&rows, d) }
    }

    fn size(&self, waiting: usize) -> Vec<(&'static str, u64)> {
        let sizes = [("d", self.d), ("history", self.n_sessions), ("waiting", waiting), ("rows", self.n_rows), ("pairs", self.n_pairs)];
        sizes.map(|(name, size)| (name, size as u64)).into()
    }

    /// The product with linear models, or with the hidden units of one neural model.
    fn product(&self, n_models: usize) -> TileProduct {
        TileProduct::new(&self.tiles, self.d, if self.n_units == 1 { n_models } else { self.n_units })
    }
}
