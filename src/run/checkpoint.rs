//! The checkpoints of a run: everything that it carries from one window to the next, and when this is written down.

use super::Run;
use super::ahead::Ahead;
use super::progress::Phases;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::learn::{self, Learning, PlanState, Planner};
use crate::measure::{self, FirstJoins};
use crate::pulse::Stopwatch;
use crate::record::{Recorder, RecorderState, SavedRows};
use crate::timeline::{self, Timeline};
use crate::units::{Extent, VirtualTime};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a run is written down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Every {
    /// After this much real time.
    Wall(Duration),
    /// After this many searches, or this much virtual time.
    Virtual(Extent),
    /// Only when the run is interrupted.
    Never,
}

impl Every {
    /// The pause between two checkpoints unless the user asks for another.
    pub const USUAL: Self = Self::Wall(Duration::from_secs(600));
}

/// Everything that a run carries from one window to the next. It is written from references and read back as values.
#[derive(Serialize, Deserialize)]
pub(super) struct State<T, P, F, L, M> {
    pub timeline: T,
    pub planner: P,
    pub first_joins: F,
    pub learning: L,
    pub measured: M,
    /// The last row of the curve.
    pub last: SavedRows,
    pub is_over: bool,
    pub phases: Phases,
    /// How long the run took so far.
    pub wall: Duration,
    /// The rows that are in no file yet.
    pub recorder: RecorderState,
}

/// A state as it is read back.
pub(super) type Saved = State<timeline::State, PlanState, FirstJoins, learn::State, measure::State>;

impl<'a> Run<'a> {
    /// Goes on from a state that was saved.
    ///
    /// # Errors
    /// If the documents do not fit the world, or the state was damaged.
    pub(super) fn resume(world: &'a World, corpus: &'a Corpus, saved: Saved) -> Result<Self> {
        let timeline = Timeline::resume(world.plan().clone(), saved.timeline);
        let planner = Planner::resume(world.roles(), saved.planner);
        let mut ahead = Ahead::with(world, timeline, planner, saved.first_joins);
        ahead.is_over = saved.is_over;
        let mut run = Self::with(ahead, Learning::resume(world, corpus, saved.learning)?, saved.measured, corpus);
        run.publisher.last = saved.last.curve()?;
        run.phases = saved.phases;
        run.publisher.recording = saved.phases.recording;
        run.evaluated_before = saved.phases.evaluation;
        run.note(None);
        Ok(run)
    }

    /// The state between two windows, and a request to the recorder for its own.
    pub(super) fn state(
        &self,
        wall: Duration,
        recorder: RecorderState,
    ) -> Result<State<&timeline::State, &PlanState, &FirstJoins, &learn::State, &measure::State>> {
        assert!(self.is_settled(), "a state is taken between two windows");
        Ok(State {
            timeline: self.ahead.timeline.state(),
            planner: self.ahead.planner.state(),
            first_joins: &self.ahead.first_joins,
            learning: self.learning.state(),
            measured: &self.publisher.measured,
            last: SavedRows::of_curve(self.publisher.last.as_ref())?,
            is_over: self.ahead.is_over,
            phases: self.phases,
            wall,
            recorder,
        })
    }
}

/// Stores states.
pub(super) trait Store: Send {
    /// Replaces the newest checkpoint.
    fn replace(&mut self, run: &Run, wall: Duration, recorder: RecorderState) -> Result<()>;
    /// Keeps one more.
    fn keep(&mut self, run: &Run, wall: Duration, recorder: RecorderState) -> Result<()>;
}

/// Decides when a run is written down.
pub(super) struct Keeper<'a> {
    pub store: &'a mut dyn Store,
    pub every: Every,
    /// Whether all checkpoints are kept that are not due to an interruption.
    pub keeps_all: bool,
    /// Asks the run to be written down and to end.
    pub leave: &'a AtomicBool,
    /// How long the run had taken before it was resumed.
    pub wall_before: Duration,
    clock: Stopwatch,
    since_last: Stopwatch,
    /// The searches or the virtual time in nanoseconds at which the next one is due.
    next: u64,
}

impl<'a> Keeper<'a> {
    pub fn new(store: &'a mut dyn Store, every: Every, keeps_all: bool, leave: &'a AtomicBool, wall_before: Duration) -> Self {
        let (clock, since_last) = (Stopwatch::start(), Stopwatch::start());
        Self { store, every, keeps_all, leave, wall_before, clock, since_last, next: 0 }
    }

    /// The moment before which the next window must end.
    pub fn end(&self) -> VirtualTime {
        match self.every {
            Every::Virtual(Extent::Time(_)) => VirtualTime(self.next),
            Every::Virtual(Extent::Sessions(_)) | Every::Wall(_) | Every::Never => VirtualTime(u64::MAX),
        }
    }

    /// Counts from where the run begins or goes on.
    pub fn begin(&mut self, run: &Run) {
        self.next = self.first_after(run);
    }

    fn first_after(&self, run: &Run) -> u64 {
        let (now, step) = match self.every {
            Every::Virtual(Extent::Sessions(n)) => (run.ahead.timeline.tally().searches, n.max(1)),
            Every::Virtual(Extent::Time(pause)) => (run.ahead.timeline.now().0, pause.ns().max(1)),
            Every::Wall(_) | Every::Never => return 0,
        };
        (now - now % step).saturating_add(step)
    }

    /// Whether windows under way should be finished, so that the run can be written down.
    pub fn is_due(&self, run: &Run) -> bool {
        self.is_leaving()
            || match self.every {
                Every::Wall(pause) => self.since_last.elapsed() >= pause,
                Every::Virtual(Extent::Sessions(_)) => run.ahead.timeline.tally().searches >= self.next,
                Every::Virtual(Extent::Time(_)) => run.ahead.has_reached_end,
                Every::Never => false,
            }
    }

    pub fn is_leaving(&self) -> bool {
        self.leave.load(Ordering::SeqCst)
    }

    /// Writes the run down.
    pub fn save(&mut self, run: &mut Run, recorder: &mut (dyn Recorder + Send)) -> Result<()> {
        let wall = self.wall_before + self.clock.elapsed();
        let recorder = recorder.state()?;
        if self.keeps_all && !self.is_leaving() {
            self.store.keep(run, wall, recorder.clone())?;
        }
        self.store.replace(run, wall, recorder)?;
        self.since_last = Stopwatch::start();
        self.next = match self.every {
            Every::Virtual(Extent::Time(pause)) if run.ahead.has_reached_end => self.next.saturating_add(pause.ns()),
            _ => self.first_after(run),
        };
        run.ahead.has_reached_end = false;
        Ok(())
    }
}
