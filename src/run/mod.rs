//! Connects the two planes: a loop takes steps from the timeline, lets the data plane execute them, and hands rows to a recorder.
//!
//! [`run()`] simulates a [`World`] and hands rows to a recorder. [`job()`] does what `rankguard run` does: it claims a result folder,
//! reads the documents, runs, and publishes the results whole.
//!
//! ```
//! use rankguard::corpus::Corpus;
//! use rankguard::record::MemoryRecorder;
//! use rankguard::run::{Params, run};
//! use rankguard::scenario::Scenario;
//!
//! let world = Scenario::parse(
//!     r#"(
//!         name: "tiny", seed: 1, nodes: 8, malicious_share: 0.25, stop: Sessions(80), evaluate_every: Sessions(40),
//!         dataset: Synthetic(like: Mq2007, train_queries: 20, test_queries: 10), shown: 10, ndcg_cutoff: 10,
//!         users: Perfect, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0),
//!         attack: Flip, malicious_aggregate: Never, arrivals: Poisson(every: "10min"),
//!     )"#,
//!     "tiny.ron",
//! )?
//! .resolve()?;
//! let corpus = Corpus::load(&world.scenario().dataset)?;
//! let mut rows = MemoryRecorder::default();
//! let finished = run(&world, Params::new(&corpus, &mut rows))?;
//! assert_eq!(rows.searches.len(), 80);
//! assert_eq!(rows.curve.len(), 3); // at the start, after 40 searches, and at the end
//! assert!(finished.tally.is_conserved());
//! # Ok::<(), rankguard::error::Error>(())
//! ```

mod describe;
mod interrupt;
mod job;
mod network;
mod progress;
#[cfg(test)]
mod saved_state;

pub use crate::pulse::Stage;
pub use interrupt::Interrupt;
pub use job::{FinishedJob, Job, job};
pub use network::{Load, NetworkFinished, run_network};
pub use progress::{Phases, Progress, Watch};

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::learn::{self, Alphas, Learning};
use crate::measure::{
    self, Evaluated, EvaluatedNodes, Moment, Snapshot, TestSet, curve_row, evaluation_rows, fault_rows, histogram_rows, outcome_rows,
    presence_rows,
};
use crate::pulse::{Pulse, Stopwatch};
use crate::record::{CurveRow, ModelRow, Recorder, Rows, Sampling};
use crate::timeline::{Action, Step, Tally, Timeline};
use crate::units::{NodeId, VirtualTime};
use crate::world::World;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Steps taken from the timeline at a time: enough for lanes to run side by side, and few enough to keep in memory.
const WINDOW: usize = 1 << 15;

/// How to run a world. Of these settings only the documents can change a row or the fingerprint.
pub struct Params<'a> {
    /// The documents that are searched.
    pub corpus: &'a Corpus,
    /// Receives the rows.
    pub recorder: &'a mut (dyn Recorder + Send),
    /// How many threads learn side by side.
    pub threads: usize,
    /// Ends the run soon after it is set: within a turn of a node, or a test query of an evaluation.
    pub stop: Option<&'a AtomicBool>,
    /// A listener that hears how far the run is, and may stop it.
    pub watch: Option<&'a mut Watch<'a>>,
}

impl<'a> Params<'a> {
    /// A run on one thread, without a listener.
    pub fn new(corpus: &'a Corpus, recorder: &'a mut (dyn Recorder + Send)) -> Self {
        Self { corpus, recorder, threads: 1, stop: None, watch: None }
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Finished {
    /// Counts of events and messages.
    pub tally: Tally,
    /// The moment at which the run ended, in virtual time.
    pub now: VirtualTime,
    /// The last evaluation.
    pub last: CurveRow,
    /// Mean weight that honest nodes gave to models of honest senders, over the whole run.
    pub alpha_honest: Option<f64>,
    /// Mean weight that honest nodes gave to models of malicious senders, over the whole run.
    pub alpha_malicious: Option<f64>,
    /// The number of received models that were not finite, or had a weight beyond the limit.
    pub n_implausible: u64,
    /// A hash of everything that happened; equal runs have equal fingerprints.
    pub fingerprint: String,
    /// The real time spent in each phase.
    pub phases: Phases,
}

/// Runs a world to its end.
///
/// # Errors
/// If the documents do not fit the world, a recorder fails, or the run is stopped.
pub fn run(world: &World, params: Params) -> Result<Finished> {
    let Params { corpus, recorder, threads, stop, watch } = params;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::failed(format!("threads cannot be started: {e}")))?;
    let never = AtomicBool::new(false);
    let mut ignore = |_: &Progress| ControlFlow::Continue(());
    let watch: &mut Watch = match watch {
        Some(watch) => watch,
        None => &mut ignore,
    };
    // The whole loop runs inside the pool, so that no thread must be woken to enter it for every level.
    pool.install(|| Run::begin(world, corpus)?.finish(recorder, stop.unwrap_or(&never), watch))
}

/// A run between two windows of steps.
struct Run<'a> {
    world: &'a World,
    test: TestSet<'a>,
    evaluated: EvaluatedNodes,
    timeline: Timeline,
    learning: Learning<'a>,
    measured: measure::State,
    last: Option<CurveRow>,
    phases: Phases,
}

impl<'a> Run<'a> {
    fn begin(world: &'a World, corpus: &'a Corpus) -> Result<Self> {
        let learning = Learning::begin(world, corpus)?;
        let (scenario, seed) = (world.scenario(), world.plan().seed);
        let test = TestSet::new(&corpus.test, scenario.ndcg_cutoff as usize);
        Ok(Self {
            world,
            test: match scenario.evaluate.queries.size() {
                Some(n) => test.sampled(n, seed),
                None => test,
            },
            evaluated: EvaluatedNodes::of(world.roles().honest(), scenario.evaluate.nodes.size(), seed),
            timeline: Timeline::new(world.plan().clone()),
            learning,
            measured: measure::State::new(world.scenario().nodes),
            last: None,
            phases: Phases::default(),
        })
    }

    fn finish(mut self, recorder: &mut (dyn Recorder + Send), stop: &AtomicBool, watch: &mut Watch) -> Result<Finished> {
        let progress = Mutex::new(self.progress());
        let mut tell = |stage| watch(&Progress { stage, ..*progress.lock().expect("nothing panics here") });
        let pulse = Pulse::new(stop, &mut tell);
        let mut steps = Vec::new();
        loop {
            let more = self.window(&mut steps, recorder, &pulse)?;
            *progress.lock().expect("nothing panics here") = self.progress();
            pulse.window();
            if pulse.is_stopped() {
                return Err(self.interrupted());
            }
            if !more {
                return self.end(recorder);
            }
        }
    }

    /// Runs one window: the timeline advances, lanes learn, and an evaluation may follow. Returns whether there will be more windows.
    fn window(&mut self, steps: &mut Vec<Step>, recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<bool> {
        steps.clear();
        let clock = Stopwatch::start();
        let more = self.timeline.advance(WINDOW, steps);
        self.phases.timeline += clock.elapsed();

        self.measured.first_joins.note(steps);
        self.learn(steps, recorder, pulse)?;
        if let Some(Step { number, at, action: Action::Evaluate { nth, n_searches, is_last } }) = steps.last().copied() {
            self.evaluate(Moment { step: number, at, nth, n_searches }, is_last, recorder, pulse)?;
        }
        Ok(more)
    }

    /// Executes the steps and hands their rows over in step order.
    fn learn(&mut self, steps: &[Step], recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let learned = self.learning.learn(steps, pulse).ok_or_else(|| self.interrupted())?;
        self.measured.add(learned.alphas);
        self.phases.searching += learned.searching;
        self.phases.judging += learned.judging;

        let clock = Stopwatch::start();
        let scenario = self.world.scenario();
        let record = &scenario.record;
        give(recorder, record.searches, Rows::Searches(learned.searches))?;
        give(recorder, record.receipts, Rows::Receipts(learned.receipts))?;
        give(recorder, record.presence, Rows::Presence(presence_rows(steps, record.presence)))?;
        give(recorder, record.faults, Rows::Faults(fault_rows(steps, record.faults, &scenario.faults)))?;
        self.phases.recording += clock.elapsed();
        Ok(())
    }

    /// Evaluates a snapshot of the models of the honest nodes that have ever joined, or of a sample of them, and hands over the rows.
    fn evaluate(&mut self, moment: Moment, is_last: bool, recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let clock = Stopwatch::start();
        let lanes = self.learning.lanes();
        let coverage = self.test.coverage(self.learning.honest().count());
        let honest: Vec<NodeId> = self.learning.honest().filter(|node| self.evaluated.has(*node)).collect();
        let snapshot = Snapshot::of(self.learning.shape(), honest.iter().map(|node| lanes[node.idx()].theta()));
        let ndcg = self.test.evaluate_unless_stopped(&snapshot, pulse).ok_or_else(|| self.interrupted())?;
        self.phases.evaluation += clock.elapsed();

        let clock = Stopwatch::start();
        let nodes: Vec<Evaluated> = honest.iter().zip(ndcg).map(|(&node, ndcg)| self.evaluated(node, ndcg, moment.at)).collect();
        let (alphas, tally, n_online) = (&self.measured.since_evaluation, self.timeline.tally(), self.timeline.n_online());
        let curve = curve_row(moment, &nodes, coverage, alphas, tally, n_online);
        let record = &self.world.scenario().record;
        give(recorder, record.evaluations, Rows::Evaluations(evaluation_rows(moment, &nodes, record.evaluations)))?;
        recorder.record(Rows::Models(self.model_rows(moment.nth, is_last)))?;
        let kept = if record.curve.keeps(moment.nth.into()) { vec![curve.clone()] } else { vec![] };
        give(recorder, record.curve, Rows::Curve(kept))?;
        self.measured.since_evaluation = Alphas::default();
        self.last = Some(curve);
        self.phases.recording += clock.elapsed();
        Ok(())
    }

    fn evaluated(&self, node: NodeId, ndcg: f64, at: VirtualTime) -> Evaluated {
        let lane = &self.learning.lanes()[node.idx()];
        let provenance = lane.provenance();
        Evaluated {
            node,
            is_online: self.timeline.is_online(node),
            n_searches: lane.n_searches(),
            ndcg,
            content: provenance.and_then(|provenance| provenance.content(lane.theta())),
            age_ns: provenance.and_then(|provenance| provenance.age_ns(at)),
        }
    }

    fn model_rows(&self, nth: u32, is_last: bool) -> Vec<ModelRow> {
        let models = &self.world.scenario().record.models;
        let lanes = (0..).zip(self.learning.lanes()).filter(|(node, _)| models.keeps(nth, *node, is_last));
        let row = |(node, lane): (u32, &learn::Lane)| ModelRow {
            evaluation: nth as i32,
            node: node as i32,
            malicious: lane.is_malicious(),
            theta: lane.theta().to_vec(),
        };
        lanes.map(row).collect()
    }

    /// Hands over the rows about the run as a whole.
    fn end(self, recorder: &mut (dyn Recorder + Send)) -> Result<Finished> {
        let (tally, scenario) = (self.timeline.tally(), self.world.scenario());
        let record = &scenario.record;
        give(recorder, record.histograms, Rows::Histograms(histogram_rows(tally, scenario.bandwidth, record.histograms)))?;
        give(recorder, record.outcomes, Rows::Outcomes(outcome_rows(tally, record.outcomes)))?;
        give(recorder, record.nodes, Rows::Nodes(self.measured.first_joins.rows(self.world.plan(), self.world.roles(), record.nodes)))?;
        Ok(Finished {
            tally: tally.clone(),
            now: self.timeline.now(),
            alpha_honest: self.measured.totals.honest(),
            alpha_malicious: self.measured.totals.malicious(),
            n_implausible: self.measured.totals.n_implausible,
            fingerprint: self.fingerprint(),
            phases: self.phases,
            last: self.last.expect("a run ends with an evaluation"),
        })
    }

    fn progress(&self) -> Progress {
        Progress::new(self.world.scenario().stop, &self.timeline, self.last.as_ref())
    }

    fn interrupted(&self) -> Error {
        Error::interrupted(format!("interrupted at {} of virtual time; no results were written", self.timeline.now()))
    }

    /// A 64-bit hash of everything that happened: the timeline's events, then each lane's steps and final models in node order.
    fn fingerprint(&self) -> String {
        let hash = self.learning.lanes().iter().fold(self.timeline.fingerprint(), |hash, lane| {
            let hash = xxh3_64_with_seed(&lane.fingerprint().to_le_bytes(), hash);
            lane.models().fold(hash, |hash, theta| xxh3_64_with_seed(bytemuck::cast_slice(theta), hash))
        });
        format!("f{hash:016x}")
    }
}

fn give(recorder: &mut (dyn Recorder + Send), sampling: Sampling, rows: Rows) -> Result<()> {
    if sampling == Sampling::Nothing || rows.is_empty() { Ok(()) } else { recorder.record(rows) }
}
