//! Messages that find their receiver away.

use super::Timeline;
use crate::network::{Identity, State, Timers, Unreached};
use crate::timeline::event::Event;
use crate::timeline::post::Message;
use crate::timeline::step::{Action, Loss, Step, Wait};
use crate::units::{Duration, NodeId, VirtualTime};

/// Keeps the orders of events apart that are about the same message or node.
pub(super) const APART: u64 = 1 << 63;

impl Timeline {
    /// The receiver is away: the message is lost, or waits.
    pub(super) fn miss(&mut self, place: u32, steps: &mut Vec<Step>) {
        let message = self.post.message(place);
        match self.plan.absence.messages {
            Unreached::Lost => self.lose_quietly(place, Loss::Offline, steps),
            // The network's copies are nobody's to send again.
            Unreached::Retry { at_most, .. } if message.n_retries >= at_most || message.is_copy => self.lose(place, Loss::Offline, steps),
            Unreached::Retry { every, .. } => {
                self.wait(place, Wait::Retry, steps);
                self.put_retry(place, every);
            }
            Unreached::Mailbox { at_most, age } => {
                self.wait(place, Wait::Mailbox, steps);
                self.put(Event::Expire(place), self.now.after(age), message.from.0, message.counter() | APART);
                if let Some(oldest) = self.waiting.post(message.to, place, at_most) {
                    self.queue.cancel(&Event::Expire(oldest));
                    self.lose(oldest, Loss::Overflow, steps);
                }
            }
        }
    }

    pub(super) fn expire(&mut self, place: u32, steps: &mut Vec<Step>) {
        self.waiting.drop(self.post.message(place).to, place);
        self.lose(place, Loss::Expired, steps);
    }

    /// `node` is back: what waited for it is delivered in order.
    pub(super) fn empty_mailbox(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        for place in self.waiting.empty(node) {
            self.queue.cancel(&Event::Expire(place));
            if self.post.message(place).life == self.life(node) {
                self.hand_over(place, steps);
            } else {
                self.lose(place, Loss::Identity, steps);
            }
        }
    }

    /// Once more, if the sender is there; otherwise as timers go.
    pub(super) fn retry(&mut self, place: u32, steps: &mut Vec<Step>) {
        let Message { from, due, n_retries, .. } = self.post.message(place);
        let Unreached::Retry { every, at_most } = self.plan.absence.messages else { unreachable!("nobody sends again") };
        let is_there = self.presence.is_online(from);
        match self.plan.absence.timers {
            Timers::Skipped if !is_there => {
                self.post.change(place).n_retries += 1;
                if n_retries + 1 < at_most { self.put_retry(place, every) } else { self.lose(place, Loss::Offline, steps) }
            }
            Timers::WhenBack | Timers::Paused | Timers::CaughtUp if !is_there => self.waiting.park(from, place),
            Timers::Paused if self.own_time(from) < due => self.put_retry_at_due(place),
            Timers::Skipped | Timers::WhenBack | Timers::Paused | Timers::CaughtUp => {
                let message = self.post.change(place);
                message.n_retries += 1;
                message.n_left = self.agendas[from.idx()].n_left;
                let message = self.post.message(place);
                self.tally.retries += 1;
                if self.is_lost(from, message.address()) {
                    self.upload_in_vain(from);
                    self.lose(place, Loss::Transit, steps);
                } else {
                    self.depart(place);
                }
            }
        }
    }

    /// `node` is back: what it was to send again is due, or goes on waiting.
    pub(super) fn resume_retries(&mut self, node: NodeId) {
        for place in self.waiting.unpark(node) {
            match self.plan.absence.timers {
                Timers::Paused => self.put_retry_at_due(place),
                Timers::Skipped | Timers::WhenBack | Timers::CaughtUp => self.put_retry_event(place, self.now),
            }
        }
    }

    /// What `node`, back again, no longer knows.
    pub(super) fn forget_state(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        let state = self.plan.absence.state;
        if state != State::Kept {
            let nth = self.agendas[node.idx()].n_returns;
            self.emit(steps, Action::Reset { node, nth, history_lost: state == State::AllLost });
        }
    }

    /// How often `node` has become somebody else.
    pub(super) fn life(&self, node: NodeId) -> u32 {
        match self.plan.absence.identity {
            Identity::Same => 0,
            Identity::New => self.agendas[node.idx()].n_returns,
        }
    }

    fn put_retry(&mut self, place: u32, every: Duration) {
        let from = self.post.message(place).from;
        self.post.change(place).due = self.own_time(from).after(every);
        if self.plan.absence.timers == Timers::Paused && !self.presence.is_online(from) {
            self.waiting.park(from, place);
        } else {
            self.put_retry_event(place, self.now.after(every));
        }
    }

    fn put_retry_at_due(&mut self, place: u32) {
        let Message { from, due, .. } = self.post.message(place);
        let left = Duration::from_ns(due.0 - self.own_time(from).0);
        self.put_retry_event(place, self.now.after(left));
    }

    fn put_retry_event(&mut self, place: u32, at: VirtualTime) {
        let message = self.post.message(place);
        self.put(Event::Retry(place), at, message.from.0, message.counter() | APART);
    }

    fn own_time(&self, node: NodeId) -> VirtualTime {
        self.agendas[node.idx()].own_time(self.now, self.presence.is_online(node))
    }

    pub(super) fn wait(&mut self, place: u32, how: Wait, steps: &mut Vec<Step>) {
        let Message { from, to, sent, .. } = self.post.message(place);
        self.emit(steps, Action::Wait { from, to, sent, how });
    }
}
