//! Tests that the whole state of a run can be saved between two windows and read back, and that the run goes on the same to the last bit.

use super::checkpoint::Saved;
use super::*;
use crate::record::{MemoryRecorder, RecorderState};
use crate::scenario::Scenario;

/// Twelve nodes for an hour, with messages that are late, lost and repeated, and absences that cost models.
fn scenario(changes: &[&str]) -> Scenario {
    let text = r#"(
        name: "saved", seed: 3, nodes: 12, malicious_share: 0.25, stop: Sessions(240), evaluate_every: Sessions(30),
        dataset: Synthetic(like: Mq2007, train_queries: 20, test_queries: 5), shown: 10, ndcg_cutoff: 10,
        users: Perfect, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0),
        attack: Flip, malicious_aggregate: Never, arrivals: Poisson(every: "1min"),
        latency: LogNormal(median: "40s", sigma: 1.0), loss: 0.05, duplicates: 0.1,
        churn: Alternating(online: Exponential(mean: "5min"), offline: Exponential(mean: "2min")),
        absence: (messages: Mailbox(at_most: 3, age: "5min"), state: ModelLost), record: (models: Last),
    )"#;
    let mut scenario = Scenario::parse(text, "saved.ron").unwrap_or_else(|error| panic!("{error}"));
    for change in changes {
        scenario =
            Scenario::read_from(scenario.canonical().as_bytes(), "saved.ron", &[change.to_string()]).unwrap_or_else(|e| panic!("{e}"));
    }
    scenario
}

impl<'a> Run<'a> {
    /// The same run from the bytes of its state.
    fn reborn(self, corpus: &'a Corpus) -> Self {
        let bytes = self.state(Duration::ZERO, RecorderState::default()).map(|state| postcard::to_allocvec(&state));
        let bytes = bytes.expect("a state can be taken").expect("a state is plain data");
        let saved: Saved = postcard::from_bytes(&bytes).expect("and reads back");
        Self::resume(self.ahead.world, corpus, saved).expect("it fits as before")
    }
}

/// Rows and fingerprint of a run that is written down after every window, or never.
fn outcome(world: &World, corpus: &Corpus, is_saved: bool) -> (String, MemoryRecorder, usize) {
    let (never, mut tell) = (AtomicBool::new(false), |_| ControlFlow::Continue(()));
    let pulse = Pulse::new(&never, &mut tell);
    let (mut rows, mut n_windows) = (MemoryRecorder::default(), 0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let fingerprint = pool.install(|| {
        let mut run = Run::begin(world, corpus).expect("it fits");
        while !run.is_over() {
            run.move_on(Some(VirtualTime(u64::MAX)), &mut rows, &pulse).expect("memory never fails");
            n_windows += 1;
            if is_saved {
                while !run.is_settled() {
                    run.move_on(None, &mut rows, &pulse).expect("memory never fails");
                }
                run = run.reborn(corpus);
            }
        }
        run.end(&mut rows).expect("memory never fails").fingerprint
    });
    (fingerprint, rows, n_windows)
}

#[test]
fn a_run_goes_on_from_its_bytes() {
    let neural = "ranker=Neural(eta: 0.1, hidden: 4)";
    let windows = "attackers=(active: Windows(first: \"2min\", on: \"3min\", off: \"2min\", meanwhile: Honest), rate: 1)";
    for changes in [
        &[][..],
        &[windows],
        &[neural, "defense=Krum"],
        &["attack=Stale(age: \"3min\")", "history=Last(5)"],
        &["attack=Lie(z: Majority, survey: Every(\"4min\"))", "defense=Gts(center: Own)"],
        &[
            "attack=Ipm(form: Step, epsilon: 2.0, knowledge: AtDelivery)",
            "defense=FlTrust",
            "bandwidth=Limited(upload: \"200kbit/s\", download: \"1Mbit/s\")",
        ],
        &["defense=Sentinel", "malicious_aggregate=Always"],
        &["defense=SketchGuard(gamma: 1.5, horizon: 4)", neural],
        &["attack=Mix([(share: 0.5, attack: Flip), (share: 0.5, attack: Shrink(c: 0.5))])", "malicious_aggregate=Always"],
    ] {
        let world = scenario(changes).resolve().unwrap_or_else(|error| panic!("{error}"));
        let corpus = Corpus::load(&world.scenario().dataset).expect("it is made");
        let (whole, saved) = (outcome(&world, &corpus, false), outcome(&world, &corpus, true));
        assert!(whole.2 >= 8 && whole.1.receipts.len() > 100, "{changes:?}: {} windows, {} receipts", whole.2, whole.1.receipts.len());
        assert!((&whole.0, &whole.1) == (&saved.0, &saved.1), "{changes:?}");
    }
}
