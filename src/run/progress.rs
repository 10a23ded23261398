//! How far a run is, and where its time goes. The only place of the simulation that looks at a real clock, and nothing depends on it.

use crate::record::CurveRow;
use crate::timeline::Timeline;
use crate::units::{Extent, VirtualTime};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Told after every window of steps, and about every half second within one.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// 0 to 1.
    pub done: f64,
    pub now: VirtualTime,
    pub n_searches: u64,
    pub n_events: u64,
    /// Mean nDCG of the honest nodes at the last evaluation.
    pub ndcg: Option<f64>,
    pub stage: Stage,
}

/// What is being done since the last window was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The window is over.
    Window,
    /// Turns of nodes.
    Turns { done: u64, of: u64 },
    /// Test queries of an evaluation.
    Queries { done: u64, of: u64 },
}

impl Stage {
    pub(crate) fn set_done(&mut self, n: u64) {
        match self {
            Stage::Window => {}
            Stage::Turns { done, of } | Stage::Queries { done, of } => *done = n.min(*of),
        }
    }
}

impl Progress {
    pub(crate) fn new(stop: Extent, timeline: &Timeline, last: Option<&CurveRow>) -> Self {
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

/// Time spent per phase. Searching and judging are summed over threads, the others are as long as the run waited for them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Phases {
    pub timeline: Duration,
    pub searching: Duration,
    pub judging: Duration,
    pub evaluation: Duration,
    pub recording: Duration,
}

pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "measures the program, not the simulated world")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
