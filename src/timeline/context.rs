//! The context in which a process works.

use super::Plan;
use super::behaviour::Behaviour;
use super::event::Event;
use super::queue::{EventQueue, Order};
use super::step::{Action, Step};
use super::tally::Tally;
use crate::units::{Extent, NodeId, VirtualTime};

/// The plan, the moment, and the places where a process leaves its results: future events, steps, and counts.
pub(super) struct Context<'a> {
    pub plan: &'a Plan,
    pub now: VirtualTime,
    pub queue: &'a mut EventQueue<Event>,
    pub tally: &'a mut Tally,
    /// Receives the emitted steps.
    pub steps: &'a mut Vec<Step>,
    /// How many steps were emitted since the start.
    pub n_steps: &'a mut u64,
}

impl<'a> Context<'a> {
    /// Puts an event into the queue. `origin` and `counter` order it among the events of its moment and rank.
    pub fn schedule(&mut self, event: Event, at: VirtualTime, origin: u32, counter: u64) {
        self.queue.push(event, Order { at, rank: event.rank(), origin, counter });
    }

    /// Removes an event from the queue, if it is pending.
    pub fn cancel(&mut self, event: Event) {
        self.queue.cancel(&event);
    }

    /// Appends a step that happens now.
    pub fn emit(&mut self, action: Action) {
        self.steps.push(Step { number: *self.n_steps, at: self.now, action });
        *self.n_steps += 1;
    }

    pub fn behaviour(&self, node: NodeId) -> &'a Behaviour {
        &self.plan.behaviours[node.idx()]
    }

    /// Whether all nodes have left for good before the run has had its number of searches. Pending events still take place, no periodic
    /// event is added, and the run ends when the queue is empty.
    pub fn is_running_out(&self) -> bool {
        self.tally.deserted.is_some() && matches!(self.plan.stop, Extent::Sessions(_))
    }
}
