//! The progress of a run, and the time that it spends in each phase.

use crate::pulse::Stage;
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
    /// Mean nDCG of the honest nodes at the last evaluation.
    pub ndcg: Option<f64>,
    /// The current stage.
    pub stage: Stage,
}

impl Progress {
    pub(super) fn new(stop: Extent, timeline: &Timeline) -> Self {
        let (now, tally) = (timeline.now(), timeline.tally());
        let done = match stop {
            Extent::Sessions(n) => tally.searches as f64 / n as f64,
            Extent::Time(until) => now.0 as f64 / until.ns() as f64,
        };
        Self { done, now, n_searches: tally.searches, n_events: tally.events, ndcg: None, stage: Stage::Window }
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
