//! Algorithm 1 of the paper: the actions of one node when its user searches and when models arrive.
//!
//! A node sees its own model, its own history and the models that it is given. It knows neither time nor queue nor other nodes.
//!
//! ```
//! # use rankguard::{corpus::Corpus, error::Error, scenario::Scenario};
//! use rankguard::node::{Node, Received, Scratch};
//! use rankguard::units::NodeId;
//!
//! # let set = ["dataset=Synthetic(like: Mq2007, train_queries: 20, test_queries: 10)".into()];
//! # let world = Scenario::read_from(&include_bytes!("../../scenarios/quickstart.ron")[..], "quickstart.ron", &set)?.resolve()?;
//! # let corpus = Corpus::load(&world.scenario().dataset)?;
//! let (protocol, users) = (world.protocol(&corpus), world.honest_clicks(&corpus)?);
//! let mut u = Node::fresh(NodeId(0), true, &protocol);
//! let mut v = Node::fresh(NodeId(1), true, &protocol);
//! let mut scratch = Scratch::default();
//! (0..5).for_each(|_| _ = u.on_search(&protocol, &users, &mut scratch));
//! (0..50).for_each(|_| _ = v.on_search(&protocol, &users, &mut scratch));
//!
//! // u weighs the model of v by how well it explains the five sessions of u.
//! let verdicts = u.on_receive(&protocol, &[Received { theta: v.theta(), is_malicious: false }], &mut scratch);
//! assert!(verdicts[0].n_judged == 5 && (0.0..1.0).contains(&verdicts[0].alpha), "{verdicts:?}");
//! # Ok::<(), Error>(())
//! ```

pub mod defend;
mod history;
mod rehearsal;
mod restart;

pub use defend::{CountSketch, Defense, EmptySessions, Mix, Outcome, PoolSize, Reason, Rule, Scratch, Verdict};
pub use history::{Documents, History, HistoryRows, Keep, Session, SessionEvidence, Sessions};
pub use rehearsal::Rehearsal;

use crate::corpus::{ClickTable, Split};
use crate::fields::declare;
use crate::ltr::{ModelShape, Ndcg, pdgd};
use crate::rng::{Pcg64, Purpose, RngExt, Seed, uniform};
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

declare! {
    /// The model that ranks. It learns by PDGD.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Ranker {
        /// f(d) = θᵀd.
        Linear {
            /// The learning rate η.
            // For features between 1e-10 and 1e10, useful learning rates are well within these limits.
            #[limits(between(1e-12, 1e6).or("smaller steps vanish in rounding, larger ones overflow, and nothing would be learned"))]
            #[example(0.1)]
            eta: f64,
            /// The factor by which η is multiplied after every session of the node.
            #[serde(default = "no_decay")]
            #[limits(between(0.01, 1.0).or("a smaller one ends learning with the first session"))]
            #[example(0.999)]
            decay: f64,
        },
        /// f(d) = w₂ᵀ σ(W₁ᵀd + b₁): one hidden layer of sigmoid units. All weights are gossiped and merged as one vector.
        Neural {
            /// The learning rate η.
            #[limits(between(1e-12, 1e6).or("smaller steps vanish in rounding, larger ones overflow, and nothing would be learned"))]
            #[example(0.1)]
            eta: f64,
            /// The factor by which η is multiplied after every session of the node.
            #[serde(default = "no_decay")]
            #[limits(between(0.01, 1.0).or("a smaller one ends learning with the first session"))]
            #[example(0.999)]
            decay: f64,
            /// The number of hidden units; the paper's reference code has 64. Judging and evaluating cost about this many times as much as
            /// with a linear model, so evaluate less often.
            #[serde(default = "sixty_four")]
            #[limits(between(1.0, 65_536.0))]
            #[example(64)]
            hidden: u32,
        },
    }
}

impl Ranker {
    /// The initial learning rate η.
    pub fn eta(self) -> f64 {
        match self {
            Ranker::Linear { eta, .. } | Ranker::Neural { eta, .. } => eta,
        }
    }

    fn decay(self) -> f64 {
        match self {
            Ranker::Linear { decay, .. } | Ranker::Neural { decay, .. } => decay,
        }
    }

    /// The shape of its models on data with `n_features` features.
    pub fn shape(self, n_features: usize) -> ModelShape {
        match self {
            Ranker::Linear { .. } => ModelShape::Linear { n_features },
            Ranker::Neural { hidden, .. } => ModelShape::Neural { n_features, hidden: hidden as usize },
        }
    }
}

/// The settings that all nodes of a run share.
#[derive(Debug)]
pub struct Protocol<'a> {
    /// The seed of the run.
    pub seed: Seed,
    /// The queries that users search for.
    pub train: &'a Split,
    /// k: the number of documents that a user is shown.
    pub k: usize,
    /// The measure of a shown list.
    pub ndcg: Ndcg,
    /// The ideal DCG of each training query.
    pub ideals: Vec<f64>,
    /// The kind of model and how it learns.
    pub ranker: Ranker,
    /// The rule by which nodes judge received models.
    pub defense: Defense,
    /// How much of its own past a node keeps.
    pub keep: Keep,
    /// The size of a pool, for rules that pool received models.
    pub pool: PoolSize,
    /// The sketch by which SketchGuard compares models; `None` under every other rule.
    pub sketch: Option<CountSketch>,
    /// The largest weight of a received model that is not rejected.
    pub weight_limit: f64,
    /// Whether nodes keep the documents of their history even if their rule does not need them.
    pub keeps_documents: bool,
    /// Whether nodes copy the documents of their history, or refer to those in `train`.
    pub copies_documents: bool,
}

/// One participant: θ_u, Q_u and how often it has acted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Node {
    id: NodeId,
    theta: Vec<f32>,
    history: History,
    /// Received models that wait until the pool is full.
    pool: Vec<Vec<f32>>,
    /// The change that a replay of the history would make to θ. It is computed when needed, and dropped when θ or the history changes.
    reference: Option<Vec<f64>>,
    eta: f64,
    n_searches: u64,
    n_receipts: u64,
}

/// The figures of one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// The index of the query.
    pub query: u32,
    /// The number of its documents.
    pub n_candidates: u32,
    /// The number of clicks.
    pub n_clicks: u32,
    /// The number of preferences that the clicks gave.
    pub n_pairs: u32,
    /// The nDCG of the list that the user saw; 0 if the query has no relevant document.
    pub ndcg: f64,
}

/// A model that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// θ_v: the weights of the model.
    pub theta: &'a [f32],
    /// Whether its sender is malicious. Only the Oracle may read this.
    pub is_malicious: bool,
}

impl<'a> Protocol<'a> {
    /// The ideal DCG of each training query.
    pub fn ideals(train: &Split, ndcg: &Ndcg) -> Vec<f64> {
        train.queries().map(|query| ndcg.ideal(query.grades)).collect()
    }

    /// The shape of all models.
    pub fn shape(&self) -> ModelShape {
        self.ranker.shape(self.train.n_features())
    }
}

impl Node {
    /// A node that begins with a small random model. `judges` tells whether it will judge received models by its history.
    pub fn fresh(id: NodeId, judges: bool, protocol: &Protocol) -> Self {
        Self::with_model(id, fresh_model(id, 0, protocol), judges, protocol)
    }

    /// A node that begins with a given model.
    pub fn with_model(id: NodeId, theta: Vec<f32>, judges: bool, protocol: &Protocol) -> Self {
        let keeps_documents = judges && (protocol.keeps_documents || protocol.defense.judges_by_history());
        let documents = match (keeps_documents, protocol.copies_documents) {
            (false, _) => Documents::Unkept,
            (true, true) => Documents::Copied(Vec::new()),
            (true, false) => Documents::Referenced,
        };
        let history = History::new(protocol.shape(), protocol.keep, documents);
        Self { id, theta, history, pool: Vec::new(), reference: None, eta: protocol.ranker.eta(), n_searches: 0, n_receipts: 0 }
    }

    /// Runs one session: draws a query and a ranking by the own model, gets clicks, takes a PDGD step, and adds the session to the history.
    pub fn on_search(&mut self, protocol: &Protocol, users: &ClickTable, scratch: &mut Scratch) -> Search {
        let (node, nth) = (self.id.0.into(), self.n_searches);
        let draw = |purpose| protocol.seed.rng(purpose, node, nth);
        let q = draw(Purpose::Query).random_range(0..protocol.train.n_queries() as u32);
        let query = protocol.train.query(q as usize);
        let rehearsal = &mut scratch.rehearsal;
        self.rehearse(protocol, q, users, &mut draw(Purpose::Ranking), &mut draw(Purpose::Clicks), rehearsal);
        let Rehearsal { ranking, clicks, preferences, gradient, .. } = &*rehearsal;
        if !preferences.is_empty() {
            pdgd::step(&mut self.theta, self.eta, gradient);
        }
        self.reference = None;
        self.history.push(q, ranking, clicks, preferences, query);
        self.eta *= protocol.ranker.decay();
        self.n_searches += 1;
        let ideal = protocol.ideals[q as usize];
        Search {
            query: q,
            n_candidates: query.n_documents() as u32,
            n_clicks: clicks.iter().filter(|&&clicked| clicked).count() as u32,
            n_pairs: preferences.len() as u32,
            ndcg: if ideal > 0.0 { protocol.ndcg.dcg(ranking.iter().map(|&d| query.grades[d as usize])) / ideal } else { 0.0 },
        }
    }

    /// Completes a node that was read from a checkpoint, which leaves copies of documents out.
    pub fn restore_documents(&mut self, train: &Split) {
        self.history.restore_documents(train);
    }

    /// Counts a turn in which the node does not search.
    pub fn skip_search(&mut self) -> Search {
        self.n_searches += 1;
        Search { query: 0, n_candidates: 0, n_clicks: 0, n_pairs: 0, ndcg: 0.0 }
    }

    /// Plays a search for query `q` through without learning or remembering anything.
    pub fn rehearse(
        &self,
        protocol: &Protocol,
        q: u32,
        users: &ClickTable,
        ranking_rng: &mut Pcg64,
        click_rng: &mut Pcg64,
        rehearsal: &mut Rehearsal,
    ) {
        let (query, shape) = (protocol.train.query(q as usize), protocol.shape());
        rehearsal.score(query, shape, &self.theta);
        rehearsal.tie_unless_finite();
        rehearsal.draw(query, protocol.k, users, ranking_rng, click_rng);
        rehearsal.derive(query, shape, &self.theta);
    }

    /// Judges models in the order of their arrival, and merges each as the defence says.
    ///
    /// Between two searches the history does not change, so models that wait together are scored together. The outcome is the same, to the
    /// last bit, as if each had been handled on arrival.
    pub fn on_receive(&mut self, protocol: &Protocol, inbox: &[Received], scratch: &mut Scratch) -> Vec<Verdict> {
        let first = self.n_receipts;
        self.n_receipts += inbox.len() as u64;
        let id = self.id;
        let subset_rng = move |i: usize| protocol.seed.rng(Purpose::Subset, id.0.into(), first + i as u64);
        let mut judge = defend::Judge {
            protocol,
            theta: &mut self.theta,
            history: &mut self.history,
            pool: &mut self.pool,
            reference: &mut self.reference,
            eta: self.eta,
            n_searches: self.n_searches,
            scratch,
        };
        judge.receive(inbox, subset_rng)
    }

    /// θ_u: the weights of the own model.
    pub fn theta(&self) -> &[f32] {
        &self.theta
    }

    /// Q_u: the past sessions.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The number of turns so far, with or without a search.
    pub fn n_searches(&self) -> u64 {
        self.n_searches
    }
}

/// The `nth` small random model of a node.
fn fresh_model(id: NodeId, nth: u64, protocol: &Protocol) -> Vec<f32> {
    let mut rng = protocol.seed.rng(Purpose::Init, id.0.into(), nth);
    protocol.shape().initial(|| uniform(&mut rng))
}

fn no_decay() -> f64 {
    1.0
}

fn sixty_four() -> u32 {
    64
}
