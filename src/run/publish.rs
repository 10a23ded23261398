//! The back of a run: the rows of a window that was learned from go to the recorder in step order, and models are evaluated on a copy. This
//! may be one window behind learning.

use super::ahead::PlannedEvaluation;
use crate::error::{Error, Result};
use crate::learn::{Lane, Learned, Learning};
use crate::measure::{self, Evaluated, Moment, Snapshot, TestSet, Traffic, curve_row, evaluation_rows};
use crate::pulse::{Pulse, Stopwatch};
use crate::record::{CurveRow, FaultRow, ModelRow, PresenceRow, Record, Recorder, Rows, Sampling};
use crate::units::NodeId;
use crate::world::World;
use rayon::prelude::*;
use std::time::Duration;

/// Takes rows and copies of models from learning to the recorder.
pub(super) struct Publisher<'a> {
    record: &'a Record,
    test: TestSet<'a>,
    pub measured: measure::State,
    pub last: Option<CurveRow>,
    /// The time spent in handing rows over.
    pub recording: Duration,
}

/// A window that was learned from.
pub(super) struct LearnedWindow {
    pub learned: Learned,
    pub presence: Vec<PresenceRow>,
    pub faults: Vec<FaultRow>,
    pub evaluation: Option<Look>,
    pub n_steps: usize,
    /// The time that it took to plan the window or to learn from it, whichever was longer.
    pub took: Duration,
}

/// Copies of all that an evaluation needs of the nodes.
pub(super) struct Look {
    moment: Moment,
    traffic: Traffic,
    nodes: Vec<Evaluated>,
    n_honest: usize,
    snapshot: Snapshot,
    models: Vec<ModelRow>,
}

impl Look {
    /// Looks at the nodes as they are at the moment of the evaluation.
    pub fn at(learning: &Learning, planned: PlannedEvaluation, record: &Record) -> Self {
        let PlannedEvaluation { moment, is_last, nodes, n_honest, traffic } = planned;
        let lane = |node: NodeId| &learning.lanes()[node.idx()];
        let models: Vec<&[f32]> = nodes.iter().map(|(node, _)| lane(*node).theta()).collect();
        Self {
            snapshot: Snapshot::of(learning.shape(), models.into_iter()),
            nodes: nodes.into_par_iter().map(|(node, is_online)| evaluated(node, is_online, lane(node), moment)).collect(),
            models: model_rows(learning, record, moment.nth, is_last),
            n_honest,
            moment,
            traffic,
        }
    }
}

impl<'a> Publisher<'a> {
    pub fn new(world: &'a World, test: TestSet<'a>, measured: measure::State) -> Self {
        Self { record: &world.scenario().record, test, measured, last: None, recording: Duration::ZERO }
    }

    /// Hands over the rows of a window, and those of the evaluation that ends it.
    ///
    /// # Errors
    /// If the recorder fails, or the run is stopped.
    pub fn publish(&mut self, window: LearnedWindow, recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let clock = Stopwatch::start();
        let LearnedWindow { learned, presence, faults, evaluation, .. } = window;
        let [searches, receipts] = learned.orders();
        self.measured.add(learned.given);
        let record = self.record;
        recorder.record_in_order(Rows::Searches(learned.searches), &searches)?;
        recorder.record_in_order(Rows::Receipts(learned.receipts), &receipts)?;
        give(recorder, record.presence, Rows::Presence(presence))?;
        give(recorder, record.faults, Rows::Faults(faults))?;
        self.recording += clock.elapsed();
        evaluation.map_or(Ok(()), |look| self.evaluate(look, recorder, pulse))
    }

    fn evaluate(&mut self, look: Look, recorder: &mut (dyn Recorder + Send), pulse: &Pulse) -> Result<()> {
        let Look { moment, traffic, mut nodes, n_honest, snapshot, models } = look;
        let ndcg = self.test.evaluate_unless_stopped(&snapshot, pulse).ok_or_else(|| Error::interrupted("interrupted"))?;
        nodes.iter_mut().zip(ndcg).for_each(|(of, ndcg)| of.ndcg = ndcg);

        let clock = Stopwatch::start();
        let alphas = std::mem::take(&mut self.measured.since_evaluation);
        let curve = curve_row(moment, &nodes, self.test.coverage(n_honest), &alphas, traffic);
        let record = self.record;
        give(recorder, record.evaluations, Rows::Evaluations(evaluation_rows(moment, &nodes, record.evaluations)))?;
        recorder.record(Rows::Models(models))?;
        let kept = if record.curve.keeps(moment.nth.into()) { vec![curve.clone()] } else { vec![] };
        give(recorder, record.curve, Rows::Curve(kept))?;
        self.last = Some(curve);
        self.recording += clock.elapsed();
        Ok(())
    }
}

/// A node as it is at the moment of an evaluation. Its nDCG is still to be found.
fn evaluated(node: NodeId, is_online: bool, lane: &Lane, moment: Moment) -> Evaluated {
    let provenance = lane.provenance();
    Evaluated {
        node,
        is_online,
        n_searches: lane.n_searches(),
        ndcg: f64::NAN,
        content: provenance.and_then(|provenance| provenance.content(lane.theta())),
        age_ns: provenance.and_then(|provenance| provenance.age_ns(moment.at)),
    }
}

fn model_rows(learning: &Learning, record: &Record, nth: u32, is_last: bool) -> Vec<ModelRow> {
    let lanes = (0..).zip(learning.lanes()).filter(|(node, _)| record.models.keeps(nth, *node, is_last));
    let row = |(node, lane): (u32, &Lane)| ModelRow {
        evaluation: nth as i32,
        node: node as i32,
        malicious: lane.is_malicious(),
        theta: lane.theta().to_vec(),
    };
    lanes.map(row).collect()
}

pub(super) fn give(recorder: &mut (dyn Recorder + Send), sampling: Sampling, rows: Rows) -> Result<()> {
    if sampling == Sampling::Nothing || rows.is_empty() { Ok(()) } else { recorder.record(rows) }
}
