//! The progress of a run, and the time that it spends in each phase.

use crate::pulse::Stage;
use crate::record::CurveRow;
use crate::timeline::Timeline;
use crate::units::{Extent, VirtualTime};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Duration;

/// A listener that hears how far a run is, and decides whether it goes on.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a;

/// How far a run is. A listener hears it after every window of steps, and about every half second within one.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The share of the run that is done, from 0 to 1.
    pub done: f64,
    /// The virtual clock.
    pub now: VirtualTime,
    /// Searches so far.
    pub n_searches: u64,
    /// Events so far.
    pub n_events: u64,
    /// The last evaluation. A resumed run begins with the last one before it was interrupted.
    pub evaluation: Option<LastEvaluation>,
    /// The current stage.
    pub stage: Stage,
}

/// The last evaluation of a run in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastEvaluation {
    /// Its number, from 0.
    pub evaluation: i32,
    /// Virtual time in nanoseconds.
    pub at_ns: i64,
    /// Searches of the whole network until then.
    pub sessions: i64,
    /// Mean nDCG of the evaluated honest nodes.
    pub ndcg: f64,
    /// Mean nDCG of the worst 5 % of them.
    pub ndcg_worst5: f64,
}

impl LastEvaluation {
    pub(super) fn of(row: &CurveRow) -> Self {
        let &CurveRow { evaluation, at_ns, sessions, ndcg_mean: ndcg, ndcg_worst5, .. } = row;
        Self { evaluation, at_ns, sessions, ndcg, ndcg_worst5 }
    }
}

impl Progress {
    pub(super) fn new(stop: Extent, timeline: &Timeline) -> Self {
        let (now, tally) = (timeline.now(), timeline.tally());
        let done = match stop {
            Extent::Sessions(n) => tally.searches as f64 / n as f64,
            Extent::Time(until) => now.0 as f64 / until.ns() as f64,
        };
        Self { done, now, n_searches: tally.searches, n_events: tally.events, evaluation: None, stage: Stage::Window }
    }
}

/// The time spent in each phase, summed over threads.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Phases {
    /// Making steps.
    pub timeline: Duration,
    /// Searches, and crafting messages.
    pub searching: Duration,
    /// Judging and merging received models.
    pub judging: Duration,
    /// Ranking the test queries.
    pub evaluation: Duration,
    /// Handing rows over.
    pub recording: Duration,
}
