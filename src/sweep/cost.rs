//! What a run is expected to cost. It is right to an order of magnitude: enough to balance tasks and to ask a cluster for memory.
//!
//! The time is a sum of counts, from [`Estimate`], times seconds that were measured with one thread for 136 features (README, "Speed"):
//! judging a model by a history, replaying a history, a step of ADAPT, searching, evaluating a document, and an event. All but the last grow with the number
//! of features, and with the hidden units of a neural ranker.

use super::documents::Documents;
use crate::scenario::{DataSize, Estimate, Scenario};

/// CPU seconds per received model, session of the history and feature, if models are scored on the history.
const JUDGE: f64 = 3e-10;
/// The same if sessions are replayed.
const REPLAY: f64 = 1.2e-8;
/// CPU seconds per message that ADAPT makes, step of its optimisation, session of the victim's history and feature.
const ADAPT: f64 = 6.5e-9;
/// CPU seconds per search, document of the query and feature.
const SEARCH: f64 = 2e-10;
/// CPU seconds per evaluated model, test document and feature.
const EVALUATE: f64 = 1.5e-11;
/// CPU seconds per received model and weight: it is copied, compared and merged.
const MERGE: f64 = 1e-9;
/// CPU seconds per search, message, change of presence and row.
const EVENT: f64 = 1e-6;
/// CPU seconds per byte of documents that are made or read.
const LOAD: f64 = 4e-9;
/// CPU seconds that every run takes.
const BEGIN: f64 = 0.05;

/// The expected cost of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// CPU seconds.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Bytes on the disk.
    pub disk: f64,
}

impl Cost {
    /// The cost of a checked scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let documents = Documents::of(&scenario.dataset);
        let size = DataSize { features: documents.features, bytes: documents.bytes as usize };
        let estimate = Estimate::of(scenario, Some(size));
        let memory = estimate.memory.map_or(estimate.network, |memory| memory.total());
        Self { seconds: seconds(scenario, &documents, &estimate), memory, disk: estimate.disk }
    }
}

fn seconds(scenario: &Scenario, documents: &Documents, estimate: &Estimate) -> f64 {
    let n_weights = scenario.ranker.shape(documents.features).n_weights() as f64;
    let honest = f64::from(scenario.nodes - scenario.n_malicious());
    let received = estimate.delivered * honest / f64::from(scenario.nodes);
    let evaluated = estimate.evaluations * f64::from(scenario.evaluate.nodes.of(scenario.nodes - scenario.n_malicious()));
    let rows: f64 = estimate.rows.iter().map(|(_, rows)| rows).sum();
    let judging = received * n_weights * (per_session(scenario) * history(scenario, estimate) + MERGE * pool(scenario));
    let crafted = estimate.sent * f64::from(scenario.n_malicious()) / f64::from(scenario.nodes) * honest / f64::from(scenario.nodes);
    let crafting = crafted * n_weights * ADAPT * scenario.attack.optimisation_steps() * history(scenario, estimate);
    let searching = estimate.searches * SEARCH * documents.per_query * n_weights;
    let evaluating = evaluated * EVALUATE * documents.n_test * n_weights;
    let events = EVENT * (estimate.searches + estimate.between + estimate.sent + estimate.delivered + estimate.changes + rows);
    BEGIN + LOAD * documents.bytes + judging + crafting + searching + evaluating + events
}

/// CPU seconds for one weight of a received model and one session of the history.
fn per_session(scenario: &Scenario) -> f64 {
    match (scenario.defense.judges_by_history(), scenario.defense.replays_history()) {
        (_, true) => REPLAY,
        (true, false) => JUDGE,
        (false, false) => 0.0,
    }
}

/// The mean length of a history over the run.
fn history(scenario: &Scenario, estimate: &Estimate) -> f64 {
    let at_end = estimate.searches / f64::from(scenario.nodes);
    scenario.history.at_most().map_or(at_end / 2.0, |most| (at_end / 2.0).min(most.into()))
}

/// How many models a received one is compared with.
fn pool(scenario: &Scenario) -> f64 {
    match scenario.defense.pools() {
        true => scenario.defense.pool_size(scenario.nodes, scenario.n_malicious()).models as f64,
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::good;

    /// The scenario with these fields costs about `times` as much time as without them.
    #[track_caller]
    fn check(fields: &[(&str, &str)], times: f64) {
        let set: Vec<String> = fields.iter().map(|(field, value)| format!("{field}={value}")).collect();
        let changed = Scenario::read_from(good().canonical().as_bytes(), "x.ron", &set).expect("it is right");
        let ratio = Cost::of(&changed).seconds / Cost::of(&good()).seconds;
        assert!((ratio / times - 1.0).abs() < 0.3, "{ratio}");
    }

    #[test]
    fn time_grows_with_the_work() {
        check(&[], 1.0);
        check(&[("history", "Last(1)"), ("weight_limit", "1e6")], 0.71);
        check(&[("defense", "FlTrust")], 5.6);
        check(&[("attack", "Adapt()")], 52.0);
        check(&[("ranker", "Neural(eta: 0.1, hidden: 64)")], 19.0);
    }

    #[test]
    fn memory_is_known_even_if_the_data_is_not() {
        let cost = |dataset: &str| {
            let set = [format!("dataset={dataset}")];
            Cost::of(&Scenario::read_from(good().canonical().as_bytes(), "x.ron", &set).expect("it is right"))
        };
        assert!(cost("Letor(path: \"no/such\", normalize: AsIs)").memory > 1e8);
    }
}
