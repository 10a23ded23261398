//! Decides the fate of a message at its receiver: it is delivered, held, lost, or missed.

use super::message::{Message, MessageId, MessageKind};
use super::{Conditions, Transit};
use crate::network::{Bandwidth, InFlight, Knowledge};
use crate::timeline::context::Context;
use crate::timeline::step::{Action, Loss, Slot, Step, Wait};
use crate::units::Duration;

impl Transit {
    /// Decides the fate of a message that has reached its receiver.
    pub fn arrive(&mut self, ctx: &mut Context, met: Conditions, id: MessageId) {
        let Conditions { presence, faults } = met;
        let Message { from, to, n_left, life, .. } = *self.messages.get(id);
        if faults.holds(from, to) {
            self.wait(ctx, id, Wait::Held);
            self.held.push(id);
        } else if ctx.plan.absence.in_flight == InFlight::Cut && presence.n_left(from) != n_left {
            self.lose(ctx, id, Loss::Cut);
        } else if faults.separates(from, to) {
            self.lose(ctx, id, Loss::Partition);
        } else if presence.life(ctx.plan, to) != life {
            self.lose(ctx, id, Loss::Identity);
        } else if presence.is_online(to) {
            self.deliver(ctx, id);
        } else {
            self.miss(ctx, presence, id);
        }
    }

    /// All held messages arrive, in the order in which they would have arrived.
    pub fn release_held(&mut self, ctx: &mut Context, met: Conditions) {
        for id in std::mem::take(&mut self.held) {
            self.arrive(ctx, met, id);
        }
    }

    /// Counts the messages that were delivered in these steps. If each were counted at its delivery, every delivery in a large network would
    /// wait for its receiver's number to come from memory; here many of them come at once.
    pub fn count_received(&mut self, steps: &[Step]) {
        for step in steps {
            if let Action::Receive { node, .. } = step.action {
                self.n_received[node.idx()] += 1;
            }
        }
    }

    /// The receiver gets the message.
    pub(super) fn deliver(&mut self, ctx: &mut Context, id: MessageId) {
        let message = self.messages.remove(id);
        ctx.tally.in_flight -= 1;
        match message.kind {
            MessageKind::PushedModel => self.deliver_model(ctx, message),
        }
    }

    fn deliver_model(&mut self, ctx: &mut Context, message: Message) {
        let Message { from, to, sent, slot, crafted, transfer_ns, .. } = message;
        // A message and its copy share one model, which is crafted when the first of them arrives.
        if crafted == Some(Knowledge::AtDelivery) && (ctx.plan.duplicates == 0.0 || self.messages.craft(slot)) {
            message.craft(ctx);
        }
        let transfer = (ctx.plan.bandwidth != Bandwidth::Unlimited).then_some(Duration::from_ns(transfer_ns));
        ctx.tally.deliver(Duration::from_ns(ctx.now.0 - sent.0), transfer);
        ctx.emit(Action::Receive { node: to, from, sent, slot });
        self.release_slot(ctx, slot);
    }

    /// The message will never be delivered.
    pub(super) fn lose(&mut self, ctx: &mut Context, id: MessageId, why: Loss) {
        let Message { from, to, sent, .. } = *self.messages.get(id);
        ctx.emit(Action::Lose { from, to, sent, why });
        self.lose_quietly(ctx, id, why);
    }

    /// The same, but without a step.
    pub(super) fn lose_quietly(&mut self, ctx: &mut Context, id: MessageId, why: Loss) {
        let slot = self.messages.remove(id).slot;
        ctx.tally.in_flight -= 1;
        ctx.tally.lose(1, why);
        self.release_slot(ctx, slot);
    }

    /// The message stays undelivered for now.
    pub(super) fn wait(&mut self, ctx: &mut Context, id: MessageId, how: Wait) {
        let Message { from, to, sent, .. } = *self.messages.get(id);
        ctx.emit(Action::Wait { from, to, sent, how });
    }

    fn release_slot(&mut self, ctx: &mut Context, slot: Slot) {
        if self.messages.release_slot(slot) {
            ctx.emit(Action::Forget { slot });
        }
    }
}
