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

/// How long a window should take. Between two windows a run can be written down, and it must end soon after a signal.
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
    /// How many steps the next window has, unless an evaluation ends it. Results do not depend on it.
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
    pub n_steps: usize,
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
        // The first windows tell how long steps take.
        let size = FIRST.min(window_size(world.scenario().nodes));
        Self { world, timeline, planner, first_joins, is_over: false, has_reached_end: false, size, evaluated, steps: Vec::new() }
    }

    /// Chooses the size of the next window by the time that one of `n_steps` steps took.
    pub fn adapt(&mut self, n_steps: usize, took: Duration) {
        self.size = next_size(self.size, n_steps, took).min(window_size(self.world.scenario().nodes));
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
            n_steps: self.steps.len(),
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

/// As many steps as take a second, if `n_steps` took so long; at most four times as many as before, because later steps may take longer.
fn next_size(size: usize, n_steps: usize, took: Duration) -> usize {
    let fitting = n_steps as f64 * LONG.as_secs_f64() / took.as_secs_f64().max(1e-9);
    (fitting as usize).min(4 * size).max(SHORTEST)
}

/// The most steps of a window: eight per node, more in small networks and fewer in very large ones.
fn window_size(n_nodes: u32) -> usize {
    (8 * n_nodes as usize).clamp(WINDOW.0, WINDOW.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_come_to_take_a_second_and_stay_so_also_if_some_are_cut_short() {
        let speed = 1_000_000.0;
        let time = |n_steps: usize| Duration::from_secs_f64(n_steps as f64 / speed);
        let (mut sizes, mut planned) = (vec![FIRST], FIRST);
        for nth in 0..40 {
            // An evaluation ends every fifth window early.
            let n_steps = if nth % 5 == 4 { planned / 100 } else { planned };
            planned = sizes[nth];
            sizes.push(next_size(sizes[nth], n_steps, time(n_steps)));
        }
        assert!(sizes[..5].is_sorted() && sizes[1] == 4 * FIRST, "{sizes:?}");
        assert!(sizes[10..].iter().all(|size| (999_000..=1_000_000).contains(size)), "{sizes:?}");
    }

    #[test]
    fn windows_become_shorter_at_once_if_steps_take_longer() {
        assert_eq!(next_size(1 << 20, 1 << 20, Duration::from_secs(4)), 1 << 18);
        assert_eq!(next_size(1 << 20, 10, Duration::from_secs(4)), SHORTEST);
        assert_eq!(next_size(1 << 20, 1 << 20, Duration::ZERO), 1 << 22);
    }
}
