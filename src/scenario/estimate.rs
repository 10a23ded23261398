//! The expected cost of a run, computed before it begins: events, rows and memory.
//!
//! These are means, not bounds: they tell minutes from days and megabytes from terabytes. Real time depends on the machine and is not estimated.

mod limits;
mod show;
mod traffic;

use super::{Scenario, Start};
use crate::corpus::synthetic::{self, Outline};
use crate::corpus::{Corpus, Dataset};
use crate::network::{Bandwidth, Means};
use crate::node::Keep;
use crate::record::{Models, Sampling};
use crate::units::Extent;
pub use limits::Room;
use serde::{Serialize, Serializer};
use traffic::Traffic;

/// Expected numbers of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The length of the run in seconds of virtual time.
    pub seconds: f64,
    /// Searches of all nodes, malicious ones included. Searches that fall into an absence do not take place and are not counted.
    pub searches: f64,
    /// Broadcasts of attackers between their searches.
    pub between: f64,
    /// Messages that are sent.
    pub sent: f64,
    /// Messages that are delivered.
    pub delivered: f64,
    /// Joins and leaves.
    pub changes: f64,
    /// Evaluations, including the first and the last.
    pub evaluations: f64,
    /// Rows per table, in the order of the scenario's `record`.
    #[serde(serialize_with = "by_table")]
    pub rows: [(&'static str, f64); 11],
    /// Bytes of memory that the network takes by itself.
    pub network: f64,
    /// Bytes that the tables take on the disk.
    pub disk: f64,
    /// The memory by its uses; `None` while the size of the data is unknown.
    pub memory: Option<Memory>,
}

fn by_table<S: Serializer>(rows: &[(&'static str, f64); 11], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(rows.iter().copied())
}

/// The memory of a run by its uses, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Memory {
    /// Timers, presence and messages in transit. A run of the network alone needs nothing else.
    pub network: f64,
    /// The documents.
    pub dataset: f64,
    /// The models of all nodes, in transit, and in pools.
    pub models: f64,
    /// The histories of all nodes.
    pub history: f64,
    /// Whether the histories hold copies of their documents.
    pub copies_documents: bool,
    /// The figures that an evaluation holds at a time.
    pub evaluation: f64,
}

/// The size of a data set, as far as an estimate needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataSize {
    /// Features per document.
    pub features: usize,
    /// Bytes of memory that all documents take.
    pub bytes: usize,
}

impl Estimate {
    /// The estimate of a checked scenario. `data` is the size of loaded data. Without it, the size of synthetic data is estimated from its
    /// shape, and for other data the memory stays unknown. Means that only a trace file knows are guessed; [`Estimate::with`] takes them as given.
    pub fn of(scenario: &Scenario, data: Option<DataSize>) -> Self {
        let unknown = Means { pause: 3_600.0, delay: 0.0, availability: 1.0, changes_per_second: 0.0 };
        Self::with(scenario, data, scenario.means().unwrap_or(unknown))
    }

    /// The same estimate with the known means of the network.
    pub fn with(scenario: &Scenario, data: Option<DataSize>, means: Means) -> Self {
        let traffic @ Traffic { seconds, searches, between, sent, delivered, changes, .. } = Traffic::of(scenario, means);
        let evaluations = evaluations(scenario, seconds, searches);
        let data = data.or_else(|| DataSize::of_synthetic(&scenario.dataset));
        let memory = data.map(|data| memory(scenario, data, &traffic, means.delay));
        let network = network(scenario, &traffic, means.delay);
        let rows = [("", 0.0); 11];
        let mut estimate = Self { seconds, searches, between, sent, delivered, changes, evaluations, rows, network, disk: 0.0, memory };
        estimate.rows = estimate.count_rows(scenario);
        let n_weights = data.map_or(0, |data| scenario.ranker.shape(data.features).n_weights());
        estimate.disk = limits::disk(&estimate.rows, n_weights);
        estimate
    }

    /// Whether histories hold copies of their documents. While the size of the data is unknown, they refer to them.
    pub fn copies_documents(&self) -> bool {
        self.memory.is_some_and(|memory| memory.copies_documents)
    }

    fn count_rows(&self, scenario: &Scenario) -> [(&'static str, f64); 11] {
        let record = &scenario.record;
        let evaluated = f64::from(scenario.evaluate.nodes.of(scenario.nodes - scenario.n_malicious()));
        [
            ("evaluations", kept(record.evaluations, self.evaluations * evaluated)),
            ("receipts", kept(record.receipts, self.delivered)),
            ("searches", kept(record.searches, self.searches)),
            ("presence", kept(record.presence, f64::from(scenario.nodes) + self.changes)),
            (
                "faults",
                kept(record.faults, scenario.faults.iter().map(|fault| 1.0 + f64::from(u8::from(fault.what.lasts().is_some()))).sum()),
            ),
            ("curve", kept(record.curve, self.evaluations)),
            ("histograms", kept(record.histograms, if scenario.bandwidth == Bandwidth::Unlimited { 13.0 } else { 26.0 })),
            ("outcomes", kept(record.outcomes, 9.0)),
            ("nodes", kept(record.nodes, f64::from(scenario.nodes))),
            ("models", models_kept(scenario, self.evaluations)),
            ("runs", 1.0),
        ]
    }
}

impl Memory {
    /// Each use with its name, without the total.
    fn parts(&self) -> [(&'static str, f64); 5] {
        let histories = if self.copies_documents { "histories, copied" } else { "histories" };
        [
            ("network", self.network),
            ("data set", self.dataset),
            ("models", self.models),
            (histories, self.history),
            ("evaluation", self.evaluation),
        ]
    }

    /// The sum of all uses, in bytes.
    pub fn total(&self) -> f64 {
        self.network + self.dataset + self.models + self.history + self.evaluation
    }
}

impl DataSize {
    /// The size of a loaded corpus.
    pub fn of(corpus: &Corpus) -> Self {
        Self { features: corpus.train.n_features(), bytes: corpus.train.bytes() + corpus.test.bytes() }
    }

    fn of_synthetic(dataset: &Dataset) -> Option<Self> {
        let Dataset::Synthetic { like, train_queries, test_queries, .. } = dataset else { return None };
        let Outline { n_features: features, documents_per_query, .. } = synthetic::outline(*like);
        let queries = (train_queries + test_queries) as usize;
        // Features as f32, a grade, and where each query begins.
        Some(Self { features, bytes: queries * (documents_per_query * (features * 4 + 1) + 4) })
    }
}

/// The number of evaluations: at the beginning, after every interval, and the last ones.
fn evaluations(scenario: &Scenario, seconds: f64, searches: f64) -> f64 {
    let intervals = |length: f64, every: Extent| match every {
        Extent::Sessions(every) => searches * length / every as f64,
        Extent::Time(every) => seconds * length / every.secs(),
    };
    let (n_last, begin) = scenario.evaluate.last.map_or((1.0, 1.0), |last| {
        let n = f64::from(last.evaluations).min(intervals(1.0, last.every).ceil());
        (n, 1.0 - (n - 1.0) / intervals(1.0, last.every))
    });
    // Rounding must not add an interval that ends where the last evaluations begin.
    let before = (intervals(begin, scenario.evaluate_every) - 1e-6).ceil() - 1.0;
    1.0 + before.max(0.0) + n_last
}

fn kept(sampling: Sampling, rows: f64) -> f64 {
    match sampling {
        Sampling::All => rows,
        Sampling::OneIn(n) => rows / f64::from(n.max(1)),
        Sampling::Nothing => 0.0,
    }
}

fn models_kept(scenario: &Scenario, evaluations: f64) -> f64 {
    let all = f64::from(scenario.nodes);
    match &scenario.record.models {
        Models::Nothing => 0.0,
        Models::Last => all,
        Models::Every { evaluations: every, nodes } => {
            let times = (evaluations / f64::from(*every)).ceil();
            times * if nodes.is_empty() { all } else { nodes.len() as f64 }
        }
    }
}

fn memory(scenario: &Scenario, data: DataSize, traffic: &Traffic, delay: f64) -> Memory {
    let nodes = f64::from(scenario.nodes);
    let model = scenario.ranker.shape(data.features).n_weights() as f64 * 4.0;
    // If a table asks for provenance, a second vector is carried beside every model.
    let carried = if scenario.record.asks_for_provenance() { 2.0 } else { 1.0 };
    // Each node has its own model, the model that it sent last (which waits in inboxes), and its copy in the snapshot of an evaluation if it is
    // evaluated.
    // Models in transit, older versions of attackers, full pools and the models that a run begins with come on top.
    let in_flight = (traffic.broadcasts / traffic.seconds * delay).min(traffic.broadcasts);
    let pool = if scenario.defense.pools() {
        nodes * scenario.defense.pool_size(scenario.nodes, scenario.n_malicious()).models as f64
    } else {
        0.0
    };
    let initial = if scenario.start == Start::Fresh { 0.0 } else { nodes };
    let (history, copies_documents) = history(scenario, traffic.searches, data.features as f64 * 4.0);
    // The figures of a model, its row, and its sums over the queries.
    let evaluated = f64::from(scenario.evaluate.nodes.of(scenario.nodes));
    let evaluation = evaluated * 384.0;
    Memory {
        network: network(scenario, traffic, delay),
        dataset: data.bytes as f64,
        models: (carried * (2.0 * nodes + in_flight + traffic.versions(scenario) + pool) + evaluated + initial) * model,
        history,
        copies_documents,
        evaluation,
    }
}

/// About 300 bytes per node, measured with a million nodes that come and go over limited connections, and about 120 per message in transit.
fn network(scenario: &Scenario, traffic: &Traffic, delay: f64) -> f64 {
    let under_way = (traffic.sent / traffic.seconds * delay).min(traffic.sent);
    300.0 * f64::from(scenario.nodes) + 120.0 * under_way
}

/// The bytes of all histories, and whether these hold copies of their documents.
///
/// A session takes 20 bytes, and 4 for each shown document. Rules that judge by the history also keep about 15 pairs of 12 bytes per session,
/// and about 9 documents of `document` bytes if these are copied.
fn history(scenario: &Scenario, searches: f64, document: f64) -> (f64, bool) {
    let nodes = f64::from(scenario.nodes);
    let kept = match scenario.history {
        Keep::Unlimited => searches / nodes,
        Keep::Last(n) => (searches / nodes).min(f64::from(n)),
    };
    let (sessions, shown) = (nodes * kept, 20.0 + 4.0 * f64::from(scenario.shown));
    if !scenario.defense.judges_by_history() && !scenario.attack.reads_history() {
        return (sessions * shown, false);
    }
    let copies = scenario.history_rows.copies(sessions * 9.0 * document);
    (sessions * (shown + 15.0 * 12.0 + if copies { 9.0 * document } else { 0.0 }), copies)
}

#[cfg(test)]
mod tests;
