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

mod ahead;
mod checkpoint;
mod describe;
mod fork;
mod interrupt;
mod job;
mod network;
mod progress;
mod publish;
#[cfg(test)]
mod saved_state;

pub use crate::pulse::Stage;
pub use checkpoint::Every;
pub use fork::{CHANGEABLE, Fork, check_fork};
pub use interrupt::{Flags, Interrupt, Stopping};
pub use job::{FinishedJob, Interrupted, Job, job};
pub use network::{Load, NetworkFinished, run_network};
pub use progress::{LastEvaluation, Phases, Progress, Watch};

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::learn::Learning;
use crate::measure::{self, TestSet, histogram_rows, outcome_rows};
use crate::pulse::{Pulse, Stopwatch};
use crate::record::{CurveRow, Record, Recorder, Rows};
use crate::timeline::Tally;
use crate::units::VirtualTime;
use crate::world::World;
use ahead::{Ahead, PlannedWindow};
use checkpoint::{Keeper, Saved};
use publish::{LearnedWindow, Look, Publisher, give};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

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
    drive(world, params, None, None)
}

/// Runs a world to its end, from the beginning or from a saved state, and lets a keeper write it down meanwhile.
fn drive(world: &World, params: Params, saved: Option<Saved>, keeper: Option<Keeper>) -> Result<Finished> {
    let Params { corpus, recorder, threads, stop, watch } = params;
    let pool = pool(threads)?;
    let never = AtomicBool::new(false);
    let mut ignore = |_: &Progress| ControlFlow::Continue(());
    let watch: &mut Watch = match watch {
        Some(watch) => watch,
        None => &mut ignore,
    };
    // The whole loop runs inside the pool, so that no thread must be woken to enter it.
    pool.install(|| {
        let run = match saved {
            Some(saved) => Run::resume(world, corpus, saved)?,
            None => Run::begin(world, corpus)?,
        };
        run.finish(recorder, keeper, stop.unwrap_or(&never), watch)
    })
}

/// The threads that a run uses.
fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::failed(format!("threads cannot be started: {e}")))
}

/// A run. Three windows are under way at a time: while one is learned from, the next is planned, and the rows of the one before are
/// published and its models evaluated. None of the three needs what another is doing.
struct Run<'a> {
    ahead: Ahead<'a>,
    planned: Option<PlannedWindow>,
    learning: Learning<'a>,
    learned: Option<LearnedWindow>,
    publisher: Publisher<'a>,
    progress: Progress,
    phases: Phases,
    /// The time spent in evaluations before the run was resumed.
    evaluated_before: Duration,
}

impl<'a> Run<'a> {
    fn begin(world: &'a World, corpus: &'a Corpus) -> Result<Self> {
        Ok(Self::with(Ahead::begin(world), Learning::begin(world, corpus)?, measure::State::default(), corpus))
    }

    fn with(ahead: Ahead<'a>, learning: Learning<'a>, measured: measure::State, corpus: &'a Corpus) -> Self {
        let scenario = ahead.world.scenario();
        let whole = TestSet::new(&corpus.test, scenario.ndcg_cutoff as usize);
        let test = match scenario.evaluate.queries.size() {
            Some(n) => whole.sampled(n, ahead.world.plan().seed),
            None => whole,
        };
        Self {
            progress: Progress::new(scenario.stop, &ahead.timeline),
            publisher: Publisher::new(ahead.world, test, measured),
            ahead,
            planned: None,
            learning,
            learned: None,
            phases: Phases::default(),
            evaluated_before: Duration::ZERO,
        }
    }

    fn finish(
        mut self,
        recorder: &mut (dyn Recorder + Send),
        mut keeper: Option<Keeper>,
        stop: &AtomicBool,
        watch: &mut Watch,
    ) -> Result<Finished> {
        let progress = Mutex::new(self.progress);
        let mut tell = |stage| watch(&Progress { stage, ..*progress.lock().expect("nothing panics here") });
        let pulse = Pulse::new(stop, &mut tell);
        if let Some(keeper) = &mut keeper {
            keeper.begin(&self);
        }
        while !self.is_over() {
            let end = keeper.as_ref().map_or(VirtualTime(u64::MAX), Keeper::end);
            match keeper.as_mut().filter(|keeper| keeper.is_due(&self)) {
                None => self.move_on(Some(end), recorder, &pulse)?,
                Some(keeper) if self.is_settled() => {
                    keeper.save(&mut self, recorder)?;
                    if keeper.is_leaving() {
                        return Err(Error::interrupted(format!("interrupted at {} of virtual time", self.progress.now)));
                    }
                }
                Some(_) => self.move_on(None, recorder, &pulse)?,
            }
            *progress.lock().expect("nothing panics here") = self.progress;
            pulse.window();
            if pulse.is_stopped() {
                return Err(self.interrupted());
            }
        }
        self.end(recorder)
    }

    /// How far the run is between two windows.
    fn progress(&self) -> Progress {
        Progress { evaluation: self.progress.evaluation, ..Progress::new(self.ahead.world.scenario().stop, &self.ahead.timeline) }
    }

    fn is_over(&self) -> bool {
        self.ahead.is_over && self.is_settled()
    }

    /// Whether every window that was begun is published.
    fn is_settled(&self) -> bool {
        self.planned.is_none() && self.learned.is_none()
    }

    /// Moves each window that is under way one stage further, and begins the next one, with events before `begins_until`, if that is given.
    fn move_on(&mut self, begins_until: Option<VirtualTime>, recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let (planned, learned) = (self.planned.take(), self.learned.take());
        let Self { ahead, learning, publisher, .. } = self;
        let record = &ahead.world.scenario().record;
        let progress = planned.as_ref().map(|window| window.progress);
        let plan = || begins_until.and_then(|end| ahead.window(end));
        let learn = || planned.map_or(Some(None), |window| learn(learning, window, record, pulse).map(Some));
        let publish = || learned.map_or(Ok(()), |window| publisher.publish(window, recorder, pulse));
        let (planned, (learned, published)) = rayon::join(plan, || rayon::join(learn, publish));
        if pulse.is_stopped() {
            return Err(self.interrupted());
        }
        published?;
        self.learned = learned.flatten();
        self.planned = planned;
        self.note(progress);
        self.phases.evaluation = self.evaluated_before + pulse.evaluating();
        Ok(())
    }

    fn note(&mut self, progress: Option<Progress>) {
        let evaluation = self.publisher.last.as_ref().map(LastEvaluation::of);
        self.progress = Progress { evaluation, ..progress.unwrap_or(self.progress) };
        if let Some(window) = &self.planned {
            self.phases.timeline += window.time;
        }
        if let Some(LearnedWindow { learned, n_steps, took, .. }) = &self.learned {
            self.ahead.adapt(*n_steps, *took);
            self.phases.searching += learned.searching;
            self.phases.judging += learned.judging;
        }
        self.phases.recording = self.publisher.recording;
    }

    /// Hands over the rows about the run as a whole.
    fn end(self, recorder: &mut (dyn Recorder + Send)) -> Result<Finished> {
        let (tally, scenario) = (self.ahead.timeline.tally(), self.ahead.world.scenario());
        let record = &scenario.record;
        give(recorder, record.histograms, Rows::Histograms(histogram_rows(tally, scenario.bandwidth, record.histograms)))?;
        give(recorder, record.outcomes, Rows::Outcomes(outcome_rows(tally, record.outcomes)))?;
        give(recorder, record.nodes, Rows::Nodes(self.ahead.node_rows()))?;
        let totals = &self.publisher.measured.totals;
        Ok(Finished {
            tally: tally.clone(),
            now: self.ahead.timeline.now(),
            alpha_honest: totals.honest(),
            alpha_malicious: totals.malicious(),
            n_implausible: totals.n_implausible,
            fingerprint: self.fingerprint(),
            phases: self.phases,
            last: self.publisher.last.expect("a run ends with an evaluation"),
        })
    }

    fn interrupted(&self) -> Error {
        Error::interrupted(format!("interrupted at {} of virtual time", self.progress.now))
    }

    /// A 64-bit hash of everything that happened: the timeline's events, then each lane's steps and final models in node order.
    fn fingerprint(&self) -> String {
        let hash = self.learning.lanes().iter().fold(self.ahead.timeline.fingerprint(), |hash, lane| {
            let hash = xxh3_64_with_seed(&lane.fingerprint().to_le_bytes(), hash);
            lane.models().fold(hash, |hash, theta| xxh3_64_with_seed(bytemuck::cast_slice(theta), hash))
        });
        format!("f{hash:016x}")
    }
}

/// Learns from a window, and looks at the nodes if an evaluation ends it. Returns `None` if the run is stopped meanwhile.
fn learn(learning: &mut Learning, window: PlannedWindow, record: &Record, pulse: &Pulse) -> Option<LearnedWindow> {
    let clock = Stopwatch::start();
    let PlannedWindow { turns, presence, faults, evaluation, n_steps, time, .. } = window;
    let learned = learning.learn(&turns, pulse)?;
    let evaluation = evaluation.map(|planned| Look::at(learning, planned, record));
    Some(LearnedWindow { learned, presence, faults, evaluation, n_steps, took: time.max(clock.elapsed()) })
}
