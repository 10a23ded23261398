//! Where the two planes meet: the timeline says what happens, the lanes do it, the rows leave.

mod describe;
mod network;
mod progress;
mod pulse;

pub use describe::{manifest, run_row};
pub use network::{Load, NetworkFinished, run_network};
pub use progress::{Phases, Progress, Stage};
pub(crate) use progress::Stopwatch;
pub(crate) use pulse::Pulse;
pub use pulse::Watch;

use crate::adversary::Attack;
use crate::corpus::{ClickTable, Corpus};
use crate::error::{Error, Result};
use crate::network::{Active, Meanwhile, Network};
use crate::node::{Defense, Node, Scratch};
use crate::record::{CurveRow, EvaluationRow, ModelRow, Recorder, Rows, Sampling};
use crate::rng::Seed;
use crate::scenario::Scenario;
use crate::timeline::{Action, Step, Tally, Timeline};
use crate::units::{NodeId, VirtualTime};
use crate::learn::{Lane, Rules, Window, execute};
use crate::measure::{Alphas, Content, FirstJoins, Snapshot, TestSet, Totals, curve_of, timeline_rows as rows};
use crate::world::{plan, protocol, roles};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Steps taken from the timeline at a time: long enough for lanes to run side by side, short enough to hold.
const WINDOW: usize = 1 << 15;

/// What a run came to.
#[derive(Debug)]
pub struct Finished {
    pub tally: Tally,
    pub now: VirtualTime,
    /// The last evaluation.
    pub last: CurveRow,
    /// Mean α by kind of sender over the whole run, at honest receivers.
    pub alpha_honest: Option<f64>,
    pub alpha_malicious: Option<f64>,
    /// Received models that were not finite, or beyond the limit.
    pub n_implausible: u64,
    pub fingerprint: String,
    pub phases: Phases,
}

/// Runs a checked scenario. `initial` holds a model per node where the run does not begin afresh; `watch` is told of progress and may
/// break the run off. Rows and fingerprint do not depend on `threads`.
pub fn run(
    scenario: &Scenario,
    corpus: &Corpus,
    initial: Option<Vec<Vec<f32>>>,
    threads: usize,
    recorder: &mut (dyn Recorder + Send),
    watch: &mut Watch,
) -> Result<Finished> {
    run_until(&AtomicBool::new(false), scenario, corpus, initial, threads, recorder, watch)
}

/// The same, broken off soon after `stop` is set: within a turn of a node, or a test query of an evaluation, whichever is going on.
pub fn run_until(
    stop: &AtomicBool,
    scenario: &Scenario,
    corpus: &Corpus,
    initial: Option<Vec<Vec<f32>>>,
    threads: usize,
    recorder: &mut (dyn Recorder + Send),
    watch: &mut Watch,
) -> Result<Finished> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::failed(format!("threads cannot be started: {e}")))?;
    // The whole loop runs inside the pool, so that handing work to its threads wakes nobody twice.
    pool.install(|| Run::new(scenario, corpus, initial)?.finish(recorder, stop, watch))
}

struct Run<'a> {
    scenario: &'a Scenario,
    rules: Rules<'a>,
    test: TestSet<'a>,
    timeline: Timeline,
    network: Arc<Network>,
    first_joins: FirstJoins,
    lanes: Vec<Mutex<Lane>>,
    /// One per thread.
    scratches: Vec<Mutex<Scratch>>,
    window: Window,
    /// α since the last evaluation, and over the whole run.
    alphas: Alphas,
    all_alphas: Totals,
    phases: Phases,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, corpus: &'a Corpus, initial: Option<Vec<Vec<f32>>>) -> Result<Self> {
        let rules = rules(scenario, corpus)?;
        let plan = plan(scenario)?;
        let waiting: Vec<bool> = plan.behaviours.iter().map(|behaviour| behaviour.first_join.is_some()).collect();
        Ok(Self {
            lanes: lanes(scenario, &rules, initial),
            scenario,
            test: TestSet::new(&corpus.test, scenario.ndcg_cutoff as usize),
            network: plan.network.clone(),
            first_joins: FirstJoins::of(scenario.nodes),
            timeline: Timeline::new(plan),
            scratches: std::iter::repeat_with(Mutex::default).take(rayon::current_num_threads()).collect(),
            window: Window::new(rules.cast.clone(), waiting),
            alphas: Alphas::default(),
            all_alphas: Totals::default(),
            phases: Phases::default(),
            rules,
        })
    }

    fn finish(mut self, recorder: &mut (dyn Recorder + Send), stop: &AtomicBool, watch: &mut Watch) -> Result<Finished> {
        let pulse = Pulse::new(stop, watch, Progress::new(self.scenario.stop, &self.timeline, None));
        let mut steps = Vec::new();
        let mut last = None;
        loop {
            steps.clear();
            let clock = Stopwatch::start();
            let more = self.timeline.advance(WINDOW, &mut steps);
            self.phases.timeline += clock.elapsed();

            self.first_joins.note(&steps);
            self.learn(&steps, recorder, &pulse)?;
            if let Some(Step { number, at, action: Action::Evaluate { nth, n_searches, is_last } }) = steps.last().copied() {
                last = Some(self.evaluate((number, at), nth, n_searches, is_last, recorder, &pulse)?);
            }
            pulse.window(Progress::new(self.scenario.stop, &self.timeline, last.as_ref()));
            if pulse.is_stopped() {
                return Err(self.interrupted());
            }
            if !more {
                break;
            }
        }
        let histograms = rows::histograms(self.timeline.tally(), self.scenario);
        let record = &self.scenario.record;
        give(recorder, record.histograms, Rows::Histograms(histograms))?;
        give(recorder, record.outcomes, Rows::Outcomes(rows::outcomes(self.timeline.tally(), record.outcomes)))?;
        let seed = Seed(self.scenario.seed);
        let nodes = self.first_joins.rows(seed, &self.rules.cast, &self.network, &self.scenario.regions, record.nodes);
        give(recorder, record.nodes, Rows::Nodes(nodes))?;
        Ok(Finished {
            tally: self.timeline.tally().clone(),
            now: self.timeline.now(),
            last: last.expect("a run ends with an evaluation"),
            alpha_honest: self.all_alphas.honest(),
            alpha_malicious: self.all_alphas.malicious(),
            n_implausible: self.all_alphas.n_implausible,
            fingerprint: self.fingerprint(),
            phases: self.phases,
        })
    }

    /// Executes one window of steps and hands its rows over in step order.
    fn learn(&mut self, steps: &[Step], recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let levels = self.window.plan(steps);
        let done = execute(levels, &self.lanes, &self.scratches, &self.rules, pulse).ok_or_else(|| self.interrupted())?;
        self.all_alphas.add(done.alphas.totals());
        self.alphas.append(done.alphas);
        self.phases.searching += done.searching;
        self.phases.judging += done.judging;

        let clock = Stopwatch::start();
        let record = &self.scenario.record;
        give(recorder, record.searches, Rows::Searches(done.searches))?;
        give(recorder, record.receipts, Rows::Receipts(done.receipts))?;
        give(recorder, record.presence, Rows::Presence(rows::presence(steps, record.presence)))?;
        give(recorder, record.faults, Rows::Faults(rows::faults(steps, record.faults, &self.scenario.faults)))?;
        self.phases.recording += clock.elapsed();
        Ok(())
    }

    /// nDCG of every honest node that has ever joined, on a snapshot of their models.
    fn evaluate(
        &mut self,
        (step, at): (u64, VirtualTime),
        nth: u32,
        n_searches: u64,
        is_last: bool,
        recorder: &mut (dyn Recorder + Send),
        pulse: &Pulse,
    ) -> Result<CurveRow> {
        let clock = Stopwatch::start();
        let lanes: Vec<_> = self.lanes.iter().map(|lane| lane.lock().expect("no lane panicked")).collect();
        let honest: Vec<usize> = self.window.honest().map(NodeId::idx).collect();
        let snapshot = Snapshot::of(self.rules.protocol.form(), honest.iter().map(|&i| lanes[i].theta()));
        pulse.begin(Stage::Queries { done: 0, of: self.test.n_queries() as u64 });
        let ndcg = self.test.evaluate_unless(&snapshot, &|| pulse.is_stopped(), &|| pulse.beat()).ok_or_else(|| self.interrupted())?;
        self.phases.evaluation += clock.elapsed();

        let clock = Stopwatch::start();
        let content: Vec<Option<Content>> =
            honest.iter().map(|&node| lanes[node].provenance().and_then(|provenance| provenance.content(lanes[node].theta()))).collect();
        let ages: Vec<Option<i64>> =
            honest.iter().map(|&node| lanes[node].provenance().and_then(|provenance| provenance.age_ns(at))).collect();
        let record = &self.scenario.record;
        let tally = self.timeline.tally();
        let since = self.alphas.totals();
        let curve = CurveRow {
            step: step as i64,
            evaluation: nth as i32,
            at_ns: at.0 as i64,
            sessions: n_searches as i64,
            evaluated: honest.len() as i32,
            online_nodes: self.timeline.n_online() as i32,
            alpha_honest: since.honest(),
            alpha_malicious: since.malicious(),
            auc: self.alphas.auc(),
            exposure: mean(content.iter().flatten().map(|content| content.exposure)),
            pull: mean(content.iter().flatten().map(|content| content.pull)),
            age_ns: mean(ages.iter().flatten().map(|&age| age as f64)).map(|age| age as i64),
            sent: tally.sent as i64,
            delivered: tally.delivered as i64,
            lost: tally.lost() as i64,
            ..curve_of(&ndcg, self.test.random())
        };
        let rows = honest.iter().enumerate().filter(|&(_, &node)| record.evaluations.keeps(u64::from(nth) << 32 | node as u64));
        let rows = rows.map(|(i, &node)| EvaluationRow {
            step: step as i64,
            evaluation: nth as i32,
            at_ns: at.0 as i64,
            node: node as i32,
            online: self.timeline.is_online(NodeId(node as u32)),
            searches: lanes[node].n_searches() as i32,
            ndcg: ndcg[i],
            exposure: content[i].map(|content| content.exposure),
            pull: content[i].map(|content| content.pull),
            age_ns: ages[i],
        });
        give(recorder, record.evaluations, Rows::Evaluations(rows.collect()))?;
        let models = (0..lanes.len()).filter(|&node| record.models.keeps(nth, node as u32, is_last)).map(|node| ModelRow {
            evaluation: nth as i32,
            node: node as i32,
            malicious: lanes[node].is_malicious,
            theta: lanes[node].theta().to_vec(),
        });
        recorder.record(Rows::Models(models.collect()))?;
        let kept = if record.curve.keeps(nth.into()) { vec![curve.clone()] } else { vec![] };
        give(recorder, record.curve, Rows::Curve(kept))?;
        self.alphas = Alphas::default();
        self.phases.recording += clock.elapsed();
        Ok(curve)
    }

    fn interrupted(&self) -> Error {
        Error::failed(format!("interrupted at {} of virtual time; no results were written", self.timeline.now()))
    }

    /// Everything that happened, in 64 bits: the timeline's events, then each lane's steps and final model in node order.
    fn fingerprint(&self) -> String {
        let hash = self.lanes.iter().fold(self.timeline.fingerprint(), |hash, lane| {
            let lane = lane.lock().expect("no lane panicked");
            let hash = xxh3_64_with_seed(&lane.fingerprint().to_le_bytes(), hash);
            lane.models().fold(hash, |hash, theta| xxh3_64_with_seed(bytemuck::cast_slice(theta), hash))
        });
        format!("f{hash:016x}")
    }
}

fn rules<'a>(scenario: &Scenario, corpus: &'a Corpus) -> Result<Rules<'a>> {
    let cast = Arc::new(roles(scenario));
    let plays = |wanted: fn(&Attack) -> bool| cast.attacks().iter().any(wanted);
    let poison =
        plays(|attack| *attack == Attack::Flip).then(|| click_table(ClickTable::poison(corpus.n_grades), "attack", corpus.n_grades));
    // Attackers that send what is stale merge everything, but within the limit that all other nodes have.
    let weight_limit = Some(scenario.weight_limit());
    let undefended = || protocol(&Scenario { defense: Defense::Undefended, weight_limit, ..scenario.clone() }, corpus);
    Ok(Rules {
        honest_clicks: click_table(scenario.users.table(corpus.n_grades), "users", corpus.n_grades)?,
        poison_clicks: poison.transpose()?,
        undefended: plays(|attack| attack.age().is_some()).then(undefended),
        protocol: protocol(scenario, corpus),
        tracks_provenance: scenario.record.asks_for_provenance(),
        flips_at_times: matches!(scenario.attackers.active, Active::Windows { meanwhile: Meanwhile::Honest, .. }),
        record: scenario.record.clone(),
        cast,
    })
}

/// A lane per node. Attackers merge what they receive if the scenario says so; those that send what is stale do so in any case.
fn lanes(scenario: &Scenario, rules: &Rules, initial: Option<Vec<Vec<f32>>>) -> Vec<Mutex<Lane>> {
    let malicious_merge = scenario.malicious_aggregate.is_some_and(|aggregate| aggregate.merges(scenario.defense.pools()));
    let mut initial = initial.map(Vec::into_iter);
    let lane = |id: NodeId| {
        let attack = rules.cast.attack(id);
        let judges = attack.is_none_or(|attack| malicious_merge && attack.age().is_none());
        let node = match initial.as_mut().and_then(Iterator::next) {
            Some(theta) => Node::with_model(id, theta, judges, &rules.protocol),
            None => Node::fresh(id, judges, &rules.protocol),
        };
        Mutex::new(Lane::new(node, attack, judges, rules))
    };
    rules.cast.nodes().map(lane).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn give(recorder: &mut (dyn Recorder + Send), sampling: Sampling, rows: Rows) -> Result<()> {
    if sampling == Sampling::Nothing || rows.is_empty() { Ok(()) } else { recorder.record(rows) }
}

fn click_table(table: Option<ClickTable>, field: &str, n_grades: u8) -> Result<ClickTable> {
    table.ok_or_else(|| {
        Error::input(format!(
            "{field}: there is no click table for data with {n_grades} grades; named users and FLIP know 2, 3 and 5: \
             set dataset.grades, or use users: Custom with {n_grades} probabilities"
        ))
    })
}
