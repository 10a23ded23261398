//! A sender sends a missed message again.

use super::message::{Message, MessageId};
use super::missed::APART;
use super::{Conditions, Transit};
use crate::network::{Timers, Unreached};
use crate::timeline::context::Context;
use crate::timeline::event::Event;
use crate::timeline::presence::Presence;
use crate::timeline::step::Loss;
use crate::units::{Duration, NodeId, VirtualTime};

impl Transit {
    /// The message is due to be sent again. If its sender is offline, the scenario's timers decide.
    pub fn retry(&mut self, ctx: &mut Context, met: Conditions, id: MessageId) {
        let presence = met.presence;
        let Message { from, due, .. } = *self.messages.get(id);
        let is_online = presence.is_online(from);
        match ctx.plan.absence.timers {
            Timers::Skipped if !is_online => self.skip_retry(ctx, presence, id),
            Timers::WhenBack | Timers::Paused | Timers::CaughtUp if !is_online => self.postpone(from, id),
            Timers::Paused if presence.own_time(ctx.now, from) < due => self.schedule_retry_at_due(ctx, presence, id),
            Timers::Skipped | Timers::WhenBack | Timers::Paused | Timers::CaughtUp => self.send_again(ctx, met, id),
        }
    }

    /// `node` is back. Each message that it has to send again is due now, or waits further.
    pub fn resume_retries(&mut self, ctx: &mut Context, presence: &Presence, node: NodeId) {
        for id in self.postponed.remove(&node).unwrap_or_default() {
            match ctx.plan.absence.timers {
                Timers::Paused => self.schedule_retry_at_due(ctx, presence, id),
                Timers::Skipped | Timers::WhenBack | Timers::CaughtUp => self.schedule_retry_at(ctx, id, ctx.now),
            }
        }
    }

    pub(super) fn schedule_retry(&mut self, ctx: &mut Context, presence: &Presence, id: MessageId, every: Duration) {
        let message = self.messages.get_mut(id);
        let from = message.from;
        message.due = presence.own_time(ctx.now, from).after(every);
        if ctx.plan.absence.timers == Timers::Paused && !presence.is_online(from) {
            self.postpone(from, id);
        } else {
            self.schedule_retry_at(ctx, id, ctx.now.after(every));
        }
    }

    fn send_again(&mut self, ctx: &mut Context, met: Conditions, id: MessageId) {
        let message = self.messages.get_mut(id);
        message.n_retries += 1;
        message.n_left = met.presence.n_left(message.from);
        let (from, address) = (message.from, message.address());
        ctx.tally.retries += 1;
        if self.is_lost(ctx, met, from, address) {
            self.upload_in_vain(ctx, from);
            self.lose(ctx, id, Loss::Transit);
        } else {
            let delay = self.delay(ctx, met, id);
            self.depart(ctx, met, id, delay);
        }
    }

    /// This attempt falls into an absence of the sender. It does not take place, but counts as one.
    fn skip_retry(&mut self, ctx: &mut Context, presence: &Presence, id: MessageId) {
        let Unreached::Retry { every, at_most } = ctx.plan.absence.messages else { unreachable!("nobody sends again") };
        let message = self.messages.get_mut(id);
        message.n_retries += 1;
        if message.n_retries < at_most { self.schedule_retry(ctx, presence, id, every) } else { self.lose(ctx, id, Loss::Offline) }
    }

    /// The message waits for the return of its sender.
    fn postpone(&mut self, from: NodeId, id: MessageId) {
        self.postponed.entry(from).or_default().push(id);
    }

    fn schedule_retry_at_due(&mut self, ctx: &mut Context, presence: &Presence, id: MessageId) {
        let Message { from, due, .. } = *self.messages.get(id);
        let left = Duration::from_ns(due.0 - presence.own_time(ctx.now, from).0);
        self.schedule_retry_at(ctx, id, ctx.now.after(left));
    }

    fn schedule_retry_at(&mut self, ctx: &mut Context, id: MessageId, at: VirtualTime) {
        let message = *self.messages.get(id);
        ctx.schedule(Event::Retry(id), at, message.from.0, message.counter() | APART);
    }
}
