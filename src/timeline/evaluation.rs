//! When the models are evaluated, and when the run ends.

use super::context::Context;
use super::event::Event;
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
        if matches!(ctx.plan.evaluate_every, Extent::Sessions(every) if n_searches.is_multiple_of(every)) {
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
        if let Extent::Time(every) = ctx.plan.evaluate_every
            && !is_last
            && !ctx.is_running_out()
        {
            self.schedule_evaluation(ctx, ctx.now.after(every));
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
