//! Messages that find their receiver away: they are lost, are sent again, or wait in a mailbox.

use super::Transit;
use super::message::MessageId;
use crate::network::Unreached;
use crate::timeline::context::Context;
use crate::timeline::event::Event;
use crate::timeline::presence::Presence;
use crate::timeline::step::{Loss, Wait};
use crate::units::NodeId;

/// Separates the counters of expiries and retries from those of the arrivals of the same messages.
pub(super) const APART: u64 = 1 << 63;

impl Transit {
    /// The receiver is away.
    pub(super) fn miss(&mut self, ctx: &mut Context, presence: &Presence, id: MessageId) {
        let message = *self.messages.get(id);
        match ctx.plan.absence.messages {
            Unreached::Lost => self.lose_quietly(ctx, id, Loss::Offline),
            // A copy that the network made is never sent again.
            Unreached::Retry { at_most, .. } if message.n_retries >= at_most || message.is_copy => self.lose(ctx, id, Loss::Offline),
            Unreached::Retry { every, .. } => {
                self.wait(ctx, id, Wait::Retry);
                self.schedule_retry(ctx, presence, id, every);
            }
            Unreached::Mailbox { at_most, age } => {
                self.wait(ctx, id, Wait::Mailbox);
                ctx.schedule(Event::Expire(id), ctx.now.after(age), message.from.0, message.counter() | APART);
                if let Some(oldest) = self.mailboxes.insert(message.to, id, at_most) {
                    ctx.cancel(Event::Expire(oldest));
                    self.lose(ctx, oldest, Loss::Overflow);
                }
            }
        }
    }

    /// The message has reached its maximal age in its receiver's mailbox, and is lost.
    pub fn expire(&mut self, ctx: &mut Context, id: MessageId) {
        self.mailboxes.remove(self.messages.get(id).to, id);
        self.lose(ctx, id, Loss::Expired);
    }

    /// `node` is back. The messages in its mailbox are delivered in order, except those that were sent to an earlier identity.
    pub fn empty_mailbox(&mut self, ctx: &mut Context, presence: &Presence, node: NodeId) {
        for id in self.mailboxes.empty(node) {
            ctx.cancel(Event::Expire(id));
            if self.messages.get(id).life == presence.life(ctx.plan, node) {
                self.deliver(ctx, id);
            } else {
                self.lose(ctx, id, Loss::Identity);
            }
        }
    }
}
