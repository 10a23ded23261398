//! When the models are evaluated, and when the run ends.

use super::context::Context;
use super::event::Event;
use super::plan::{LastEvaluations, Plan};
use super::step::Action;
use crate::units::{Extent, VirtualTime};
use serde::{Deserialize, Serialize};

/// The evaluations so far, and how far the run is from its end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Evaluations {
    n_done: u32,
    is_scheduled: bool,
    last: Option<VirtualTime>,
    /// No further search takes place. Messages that arrive at this very moment are still delivered.
    pub is_stopping: bool,
    /// No further step follows.
    pub is_over: bool,
}

impl Evaluations {
    /// Schedules the evaluation at the beginning, and the end of the run if the plan gives its moment.
    pub fn begin(ctx: &mut Context) -> Self {
        let mut evaluations = Self::default();
        evaluations.schedule_evaluation(ctx, VirtualTime(0));
        if let Extent::Time(stop) = ctx.plan.stop {
            ctx.schedule(Event::Stop, VirtualTime(stop.ns()), 0, 0);
        }
        evaluations
    }

    /// Counts a search. Its number may bring an evaluation or the end of the run.
    pub fn note_search(&mut self, ctx: &mut Context) {
        let n_searches = ctx.tally.searches;
        if matches!(ctx.plan.evaluate_every, Extent::Sessions(_)) && next(ctx.plan, n_searches - 1) == n_searches {
            self.schedule_evaluation(ctx, ctx.now);
        }
        if matches!(ctx.plan.stop, Extent::Sessions(stop) if n_searches == stop) {
            self.is_stopping = true;
            ctx.schedule(Event::Stop, ctx.now, 0, 0);
        }
    }

    /// Emits an evaluation and schedules the next one.
    pub fn evaluate(&mut self, ctx: &mut Context) {
        self.is_scheduled = false;
        self.last = Some(ctx.now);
        // If no event is pending, the run is over. The evaluation at the beginning is nevertheless never the last one.
        let is_end = matches!(ctx.plan.stop, Extent::Time(stop) if stop.ns() == ctx.now.0) || ctx.queue.is_empty();
        let is_last = self.is_stopping || (is_end && ctx.now > VirtualTime(0));
        ctx.emit(Action::Evaluate { nth: self.n_done, n_searches: ctx.tally.searches, is_last });
        self.n_done += 1;
        if matches!(ctx.plan.evaluate_every, Extent::Time(_)) && !is_last && !ctx.is_running_out() {
            self.schedule_evaluation(ctx, VirtualTime(next(ctx.plan, ctx.now.0)));
        }
    }

    /// Ends the run. Its last step is an evaluation.
    pub fn finish(&mut self, ctx: &mut Context) {
        self.is_stopping = true;
        let is_evaluated = self.last == Some(ctx.now) && ctx.now > VirtualTime(0);
        if !is_evaluated {
            self.evaluate(ctx);
        }
        self.is_over = true;
        assert!(ctx.tally.is_conserved(), "messages were lost track of: {:?}", ctx.tally);
    }

    fn schedule_evaluation(&mut self, ctx: &mut Context, at: VirtualTime) {
        if !self.is_scheduled {
            self.is_scheduled = true;
            ctx.schedule(Event::Evaluate, at, 0, self.n_done.into());
        }
    }
}

/// The first moment after `done` at which the plan evaluates, in searches or in nanoseconds.
fn next(plan: &Plan, done: u64) -> u64 {
    next_of(plan.evaluate_every, plan.evaluate_last, plan.stop, done)
}

/// The last evaluations are at `stop` and at whole intervals before it. Before the first of them, evaluations are at the multiples of `every`.
fn next_of(every: Extent, last: Option<LastEvaluations>, stop: Extent, done: u64) -> u64 {
    let multiple = (done / amount(every) + 1).saturating_mul(amount(every));
    let Some(LastEvaluations { n, every }) = last else { return multiple };
    let (every, stop) = (amount(every), amount(stop));
    // The evaluation at the beginning is none of them.
    let first = stop - every * u64::from(n - 1).min((stop - 1) / every);
    if done < first { multiple.min(first) } else { done.saturating_add(every - (done - first) % every) }
}

fn amount(extent: Extent) -> u64 {
    match extent {
        Extent::Sessions(n) => n,
        Extent::Time(time) => time.ns(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;
    use proptest::prelude::*;

    /// The moments after the beginning and up to the end.
    fn moments(every: u64, last: Option<(u32, u64)>, stop: u64, unit: fn(u64) -> Extent) -> Vec<u64> {
        let last = last.map(|(n, every)| LastEvaluations { n, every: unit(every) });
        let next = |done: &u64| Some(next_of(unit(every), last, unit(stop), *done)).filter(|moment| *moment <= stop);
        std::iter::successors(next(&0), next).collect()
    }

    #[track_caller]
    fn check(every: u64, last: Option<(u32, u64)>, stop: u64, expect: &[u64]) {
        assert_eq!(moments(every, last, stop, Extent::Sessions), expect);
        assert_eq!(moments(every, last, stop, |ns| Extent::Time(Duration::from_ns(ns))), expect);
    }

    #[test]
    fn the_last_evaluations_have_an_interval_of_their_own() {
        check(30, None, 100, &[30, 60, 90]); // the end of the run brings its own evaluation
        check(30, Some((3, 10)), 100, &[30, 60, 80, 90, 100]);
        check(40, Some((3, 10)), 100, &[40, 80, 90, 100]); // 80 is a moment of both
        check(30, Some((3, 4)), 100, &[30, 60, 90, 92, 96, 100]);
        check(7, Some((2, 30)), 100, &[7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 100]); // the last ones may be the rarer ones
        check(30, Some((1, 10)), 100, &[30, 60, 90, 100]);
        check(1000, Some((2, 1)), 100, &[99, 100]);
    }

    #[test]
    fn last_evaluations_that_fill_the_run_leave_its_beginning_alone() {
        check(30, Some((10, 10)), 100, &[10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        check(30, Some((11, 10)), 100, &[10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        check(7, Some((1_000_000, 30)), 100, &[7, 10, 40, 70, 100]);
        check(30, Some((5, 100)), 100, &[30, 60, 90, 100]);
        check(30, Some((5, u64::MAX)), 100, &[30, 60, 90, 100]);
    }

    proptest! {
        #[test]
        fn the_schedule_is_what_its_definition_says(every in 1u64..50, n in 1u32..20, dense in 1u64..50, stop in 1u64..300) {
            let last: Vec<u64> = (0..u64::from(n)).filter_map(|k| stop.checked_sub(k * dense)).filter(|moment| *moment > 0).collect();
            let first = *last.last().expect("the end is one of them");
            let mut want: Vec<u64> = (1..first).filter(|moment| moment.is_multiple_of(every)).chain(last).collect();
            want.sort_unstable();
            prop_assert_eq!(moments(every, Some((n, dense)), stop, Extent::Sessions), want);
        }
    }
}
