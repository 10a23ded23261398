//! The front of a run: the timeline advances by a window, and its turns are planned. No model is needed for that, so the front may be one
//! window ahead of learning.

use super::Progress;
use crate::learn::{Planner, Window};
use crate::measure::{EvaluatedNodes, FirstJoins, Moment, Traffic, fault_rows, presence_rows};
use crate::pulse::Stopwatch;
use crate::record::{FaultRow, NodeRow, PresenceRow};
use crate::timeline::{Action, Step, Timeline};
use crate::units::{NodeId, VirtualTime};
use crate::world::World;
use std::time::Duration;

/// The fewest and the most steps of a usual window. Many models should wait together in an inbox, so windows grow with the network; few enough
/// steps should fit into memory.
const WINDOW: (usize, usize) = (1 << 15, 1 << 22);

/// The steps of the first window, and the fewest of a window whose steps take long.
const FIRST: usize = 1 << 12;
const SHORTEST: usize = 1 << 8;

/// How long a window should take at most. Between two windows a run can be written down, and it must end soon after a signal.
const LONG: Duration = Duration::from_millis(1000);

/// The timeline with everything that follows from its steps alone.
pub(super) struct Ahead<'a> {
    pub world: &'a World,
    pub timeline: Timeline,
    pub planner: Planner<'a>,
    pub first_joins: FirstJoins,
    pub is_over: bool,
    /// Whether the last window ended because the next event is not before the end that was asked for.
    pub has_reached_end: bool,
    /// How many steps a window has, unless an evaluation ends it. Results do not depend on it.
    size: usize,
    evaluated: EvaluatedNodes,
    steps: Vec<Step>,
}

/// A window that waits to be learned from.
pub(super) struct PlannedWindow {
    pub turns: Window,
    pub presence: Vec<PresenceRow>,
    pub faults: Vec<FaultRow>,
    /// The evaluation that ends the window.
    pub evaluation: Option<PlannedEvaluation>,
    /// How far the run is when the window is over.
    pub progress: Progress,
    /// The time that the timeline and the plan took.
    pub time: Duration,
}

/// An evaluation, as far as the timeline knows it.
pub(super) struct PlannedEvaluation {
    pub moment: Moment,
    pub is_last: bool,
    /// The honest nodes that have ever joined and are evaluated, and whether each is online.
    pub nodes: Vec<(NodeId, bool)>,
    /// The number of honest nodes that have ever joined.
    pub n_honest: usize,
    pub traffic: Traffic,
}

impl<'a> Ahead<'a> {
    pub fn begin(world: &'a World) -> Self {
        Self::with(world, Timeline::new(world.plan().clone()), Planner::begin(world), FirstJoins::of(world.scenario().nodes))
    }

    pub fn with(world: &'a World, timeline: Timeline, planner: Planner<'a>, first_joins: FirstJoins) -> Self {
        let evaluated = EvaluatedNodes::of(world.roles().honest(), world.scenario().evaluate.nodes.size(), world.plan().seed);
        // The first window tells how long steps take.
        let size = FIRST.min(window_size(world.scenario().nodes));
        Self { world, timeline, planner, first_joins, is_over: false, has_reached_end: false, size, evaluated, steps: Vec::new() }
    }

    /// Chooses the size of windows by the time that the last one took: as long as they may be, at most twice as long as before.
    pub fn adapt(&mut self, took: Duration) {
        let change = (LONG.as_secs_f64() / took.as_secs_f64().max(1e-9)).clamp(0.5, 2.0);
        self.size = ((self.size as f64 * change) as usize).clamp(SHORTEST, window_size(self.world.scenario().nodes));
    }

    /// The next window, if the run is not over. It has only events before `end`.
    pub fn window(&mut self, end: VirtualTime) -> Option<PlannedWindow> {
        if self.is_over {
            return None;
        }
        let clock = Stopwatch::start();
        self.steps.clear();
        self.is_over = !self.timeline.advance_before(end, self.size, &mut self.steps);
        self.has_reached_end = !self.is_over && self.timeline.has_none_before(end);
        self.first_joins.note(&self.steps);
        let turns = self.planner.plan(&self.steps);
        let scenario = self.world.scenario();
        Some(PlannedWindow {
            turns,
            presence: presence_rows(&self.steps, scenario.record.presence),
            faults: fault_rows(&self.steps, scenario.record.faults, &scenario.faults),
            evaluation: self.evaluation(),
            progress: Progress::new(scenario.stop, &self.timeline),
            time: clock.elapsed(),
        })
    }

    /// The evaluation at the end of the steps, if there is one.
    fn evaluation(&self) -> Option<PlannedEvaluation> {
        let Step { number, at, action } = *self.steps.last()?;
        let Action::Evaluate { nth, n_searches, is_last } = action else { return None };
        let evaluated = self.planner.honest().filter(|node| self.evaluated.has(*node));
        Some(PlannedEvaluation {
            moment: Moment { step: number, at, nth, n_searches },
            is_last,
            nodes: evaluated.map(|node| (node, self.timeline.is_online(node))).collect(),
            n_honest: self.planner.honest().count(),
            traffic: Traffic::of(&self.timeline),
        })
    }

    /// The rows of the table `nodes`.
    pub fn node_rows(&self) -> Vec<NodeRow> {
        self.first_joins.rows(self.world.plan(), self.world.roles(), self.world.scenario().record.nodes)
    }
}

/// Eight steps per node: most messages wait until their receiver searches, few until the window ends.
fn window_size(n_nodes: u32) -> usize {
    (8 * n_nodes as usize).clamp(WINDOW.0, WINDOW.1)
}
