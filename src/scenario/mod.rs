//! The description of an experiment: a RON file that is read, checked, and printed with every default filled in.
//!
//! [`Scenario`] declares the fields; their types stand next to the models that they configure. A mistake is reported with its place and the
//! nearest valid name. This module knows how an experiment is described, but not how it is run: the module `world` makes it ready to run.
//!
//! ```
//! use rankguard::scenario::Scenario;
//!
//! let text = include_str!("../../scenarios/quickstart.ron");
//! let scenario = Scenario::parse(text, "quickstart.ron")?;
//! assert_eq!(Scenario::parse(&scenario.canonical(), "canonical")?, scenario);
//!
//! let mistake = Scenario::parse(&text.replace("nodes:", "nodse:"), "quickstart.ron").expect_err("no field is called so");
//! assert!(mistake.to_string().contains("did you mean `nodes`?"), "{mistake}");
//! # Ok::<(), rankguard::error::Error>(())
//! ```

mod brackets;
mod canonical;
mod check;
mod defaults;
mod estimate;
mod evaluate;
mod experiment;
mod explain;
mod locate;
pub(crate) mod parse;
pub mod reference;
mod replace;
pub(crate) mod ron_text;
#[cfg(test)]
mod shipped;
mod source;
mod template;
mod written;

pub use check::{MAX_NODES, MAX_SHOWN};
pub use estimate::{DataSize, Estimate, Memory, Room};
pub use evaluate::{Evaluate, LastEvaluations, Sample};
pub use template::{FieldText, Misfit, Template, top_level};

use crate::adversary::{Attack, MaliciousAggregate};
use crate::corpus::{Dataset, Users};
use crate::error::Result;
use crate::fields::declare;
use crate::network::{
    Absence, Arrivals, Attackers, Bandwidth, Bursts, Churn, Crowd, Fanout, Fault, Latency, Means, Network, Nodes, PeerPool, Peers, Regions,
    Sequence,
};
use crate::node::{Defense, HistoryRows, Keep, Ranker};
use crate::record::Record;
use crate::rng::Seed;
use crate::units::Extent;

declare! {
    /// One experiment. Settings that the paper states have no default, so that every scenario shows them.
    #[derive(Clone, PartialEq)]
    pub struct Scenario {
        /// What the experiment is called.
        #[limits(text(check::is_name, "1 to 100 letters, digits, `-`, `_` and `.`, the first not a `.`").or("results go to `out/<name>`"))]
        #[example("quickstart")]
        pub name: String,
        /// Where all random draws come from, except synthetic documents: same seed, same run.
        #[example(1)]
        pub seed: u64,
        /// How many nodes the network has. One node is centralised learning.
        #[limits(between(1.0, MAX_NODES as f64))]
        #[example(100)]
        pub nodes: u32,
        /// The share β of nodes that are malicious, rounded to whole nodes and drawn from the seed. It is 0 exactly when `attack` is `NoAttack`.
        #[limits(at_least(0.0).below(1.0))]
        #[example(0.2)]
        pub malicious_share: f64,
        /// How long the run is, in searches of the whole network or in virtual time. Searches of malicious nodes count; searches that are
        /// skipped in an absence do not.
        #[example(Sessions(30000))]
        pub stop: Extent,
        /// How often all honest models are evaluated, in searches or in virtual time; also at the beginning and at the end.
        #[example(Sessions(100))]
        pub evaluate_every: Extent,
        /// Whether evaluations are thinned, and how often models are evaluated at the end.
        #[serde(default)]
        #[example((nodes: Sample(1000), queries: Sample(500)))]
        pub evaluate: Evaluate,
        /// The documents that are searched.
        #[example(Synthetic(like: Web30k, train_queries: 2000, test_queries: 300))]
        pub dataset: Dataset,
        /// How many results k a user sees.
        #[limits(between(1.0, MAX_SHOWN as f64))]
        #[example(10)]
        pub shown: u32,
        /// How many results nDCG looks at.
        #[limits(between(1.0, 100.0))]
        #[example(10)]
        pub ndcg_cutoff: u32,
        /// How honest users click.
        #[example(Perfect)]
        pub users: Users,
        /// What ranks, and how it learns.
        #[example(Linear(eta: 0.1))]
        pub ranker: Ranker,
        /// How honest nodes judge the models they receive.
        #[example(RankGuard(kappa: 4.0))]
        pub defense: Defense,
        /// What malicious nodes do.
        #[example(Flip)]
        pub attack: Attack,
        /// Whether malicious nodes merge what they receive. It is required with an attack: the paper's text and its figures contradict each
        /// other here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[example(Never)]
        pub malicious_aggregate: Option<MaliciousAggregate>,
        /// When and how often malicious nodes act; by default like other nodes, as in the paper.
        #[serde(default)]
        #[example((rate: 3, always_online: true))]
        pub attackers: Attackers,
        /// How nodes are spread over the world, for latencies, hours and faults that ask for it.
        #[serde(default)]
        #[example(Weights([(London, 2.0), (Tokyo, 1.0)]))]
        pub regions: Regions,
        /// When users search.
        #[example(Poisson(every: "10min"))]
        pub arrivals: Arrivals,
        /// How long a message travels.
        #[serde(default = "zero_latency")]
        #[example(LogNormal(median: "80ms", sigma: 0.6))]
        pub latency: Latency,
        /// The probability that a message is lost on its way.
        #[serde(default)]
        #[limits(between(0.0, 1.0))]
        #[example(0.001)]
        pub loss: f64,
        /// Whether losses come in bursts.
        #[serde(default)]
        #[example(GilbertElliott(good: "10min", bad: "10s", loss_in_bad: 0.5))]
        pub bursts: Bursts,
        /// How fast nodes send and receive.
        #[serde(default)]
        #[example(Limited(upload: "5Mbit/s", download: "20Mbit/s"))]
        pub bandwidth: Bandwidth,
        /// Whether a message may overtake an earlier one.
        #[serde(default)]
        #[example(FifoPerLink)]
        pub order: Sequence,
        /// The probability that the network delivers a message twice. The copy has its own delay, and its receiver judges it like any other
        /// message. Sent and duplicated messages add up to delivered, lost and undelivered ones.
        #[serde(default)]
        #[limits(between(0.0, 1.0))]
        #[example(0.01)]
        pub duplicates: f64,
        /// Whether nodes come and go.
        #[serde(default = "always_online")]
        #[example(Alternating(online: Weibull(shape: 0.6, scale: "2h"), offline: Exponential(mean: "3h")))]
        pub churn: Churn,
        /// Crowds of nodes that join for the first time together, or leave together.
        #[serde(default)]
        #[example([Join(at: "2d", share: 0.3, within: "10min"), Leave(at: "4d", share: 0.5)])]
        pub crowds: Vec<Crowd>,
        /// What an absence means for messages, searches, models and identities.
        #[serde(default)]
        #[example((messages: Mailbox(at_most: 10, age: "1h"), timers: Paused))]
        pub absence: Absence,
        /// What goes wrong, and when.
        #[serde(default)]
        #[example([(at: "2h", what: Partition(Shares([0.5]))), (at: "4h", what: Heal)])]
        pub faults: Vec<Fault>,
        /// Whom a node sends its model to after a search.
        #[serde(default = "paper_peers")]
        #[example((among: Online, fanout: Fixed(5)))]
        pub peers: Peers,
        /// How much of its own past a node keeps to judge by.
        // CHOICE(history): the paper's nodes keep every session.
        #[serde(default = "unlimited")]
        #[example(Last(200))]
        pub history: Keep,
        /// Whether histories hold copies of their documents. Results are the same to the last bit; copies judge faster and take more memory.
        #[serde(default)]
        #[example(Referenced)]
        pub history_rows: HistoryRows,
        /// The largest weight of a received model that is not rejected. By default it is 1e6, far above what learning on normalised features
        /// gives (weights around 1 to 100), and `inf`, no limit, for `defense: Undefended`; data with raw features may need another. Manifests
        /// and the output of `check` contain the limit: if you change the defence in one of them, change the limit too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[limits(above(0.0).or("a limit of inf takes models of any size"))]
        #[example(1e6)]
        pub weight_limit: Option<f64>,
        /// The models that nodes begin with.
        #[serde(default)]
        #[example(Models(path: "out/pretrained"))]
        pub start: Start,
        /// Which rows are kept.
        #[serde(default)]
        #[example((receipts: OneIn(10)))]
        pub record: Record,
    }
}

declare! {
    /// The models that nodes begin with.
    #[derive(Clone, PartialEq, Eq, Default)]
    pub enum Start {
        /// Small random weights, independent per node: 0.01 × a unit vector, or normal with the standard deviation 1 / fan-in (neural).
        #[default]
        Fresh,
        /// The `models` table of an earlier run. Every node needs a row with finite weights.
        Models {
            /// The result folder of an earlier run.
            #[limits(naming("the result folder of an earlier run"))]
            #[example("out/pretrained")]
            path: String,
            /// Which evaluation of that run; by default the last recorded.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[example(300)]
            evaluation: Option<u32>,
        },
    }
}

impl Scenario {
    /// Makes the network ready to draw from, and reads the files that the scenario names for it.
    ///
    /// # Errors
    /// Fails if a file is unreadable or invalid, or if the run would be longer than any machine can simulate.
    pub fn network(&self) -> Result<Network> {
        let nodes = Nodes { seed: Seed(self.seed), n_nodes: self.nodes, regions: &self.regions };
        let network = Network::load(&self.arrivals, &self.latency, &self.churn, nodes)?;
        if let Extent::Time(end) = self.stop {
            network.arrivals.check_begin(end)?;
        }
        if self.means().is_none() {
            self.check_files(network.means())?;
        }
        Ok(network)
    }

    /// The means of the network; `None` if they are only known once a file is read.
    pub fn means(&self) -> Option<Means> {
        Means::without_files(&self.arrivals, &self.latency, &self.churn, &self.regions)
    }
}

fn zero_latency() -> Latency {
    Latency::Zero
}

fn always_online() -> Churn {
    Churn::AlwaysOnline
}

fn paper_peers() -> Peers {
    Peers { among: PeerPool::All, fanout: Fanout::Log2 }
}

fn unlimited() -> Keep {
    Keep::Unlimited
}
