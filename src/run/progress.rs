//! How far a run is, and where its time goes.

use crate::pulse::Stage;
use crate::record::CurveRow;
use crate::timeline::Timeline;
use crate::units::{Extent, VirtualTime};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Duration;

/// Is told how far a run is, and says whether it goes on.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a;

/// Told after every window of steps, and about every half second within one.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// 0 to 1.
    pub done: f64,
    /// The virtual clock.
    pub now: VirtualTime,
    /// Searches so far.
    pub n_searches: u64,
    /// Events so far.
    pub n_events: u64,
    /// Mean nDCG of the honest nodes at the last evaluation.
    pub ndcg: Option<f64>,
    /// What is being done at the moment.
    pub stage: Stage,
}

impl Progress {
    pub(super) fn new(stop: Extent, timeline: &Timeline, last: Option<&CurveRow>) -> Self {
        let (now, tally) = (timeline.now(), timeline.tally());
        let done = match stop {
            Extent::Sessions(n) => tally.searches as f64 / n as f64,
            Extent::Time(until) => now.0 as f64 / until.ns() as f64,
        };
        Self {
            done,
            now,
            n_searches: tally.searches,
            n_events: tally.events,
            ndcg: last.map(|curve| curve.ndcg_mean),
            stage: Stage::Window,
        }
    }
}

/// Time spent in each phase. Searching and judging are summed over threads; the run waited for the others as long as they say.
#[derive(Debug, Clone, Copy, Default, Serialize)]
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
