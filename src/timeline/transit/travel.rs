//! A message's way: out of its sender's upload, through the network, and as far as its receiver's download.

use super::message::{Message, MessageId};
use super::{Conditions, Transit};
use crate::network::{Bandwidth, Bursts};
use crate::rng::Purpose;
use crate::timeline::context::Context;
use crate::timeline::event::Event;
use crate::units::{Duration, NodeId, VirtualTime};

impl Transit {
    /// Whether the network loses a message of `from`, whose draws are at `address`.
    pub(super) fn is_lost(&mut self, ctx: &Context, met: Conditions, from: NodeId, address: u64) -> bool {
        let (seed, bursts) = (ctx.plan.seed, &ctx.plan.bursts);
        let probability = match *bursts {
            Bursts::GilbertElliott { loss_in_bad, .. } if self.links.is_bad(seed, from, ctx.now, bursts) => loss_in_bad,
            Bursts::Never | Bursts::GilbertElliott { .. } => ctx.plan.loss,
        } * met.faults.loss_times();
        probability > 0.0 && seed.uniform(Purpose::Loss, from.0.into(), address) < probability
    }

    /// The message leaves its sender: at once, or after its upload. If it left the upload now, it would travel for `delay`.
    pub(super) fn depart(&mut self, ctx: &mut Context, met: Conditions, id: MessageId, delay: Duration) {
        match ctx.plan.bandwidth {
            Bandwidth::Unlimited => self.travel(ctx, met, id, ctx.now, delay),
            Bandwidth::Limited { upload, sharing, .. } => self.upload(ctx, met, id, upload, sharing, delay),
        }
    }

    /// The message enters the network at `out` and travels for `delay`. The network may duplicate it.
    pub(super) fn travel(&mut self, ctx: &mut Context, met: Conditions, id: MessageId, out: VirtualTime, delay: Duration) {
        self.travel_once(ctx, id, out.after(delay));
        if ctx.plan.duplicates > 0.0 {
            self.duplicate(ctx, met, id, out);
        }
    }

    fn travel_once(&mut self, ctx: &mut Context, id: MessageId, at: VirtualTime) {
        let message = self.messages.get(id);
        let (from, to, counter) = (message.from, message.to, message.counter());
        let at = self.links.in_line(from, to, at, ctx.now);
        let event = if ctx.plan.bandwidth == Bandwidth::Unlimited { Event::Delivery(id) } else { Event::Reach(id) };
        ctx.schedule(event, at, from.0, counter);
    }

    fn duplicate(&mut self, ctx: &mut Context, met: Conditions, id: MessageId, out: VirtualTime) {
        let message = *self.messages.get(id);
        if ctx.plan.seed.uniform(Purpose::Duplicate, message.from.0.into(), message.address()) < ctx.plan.duplicates {
            self.messages.take_slot(Some(message.slot));
            let copy = self.messages.insert(Message { is_copy: true, ..message });
            ctx.tally.duplicated += 1;
            ctx.tally.in_flight += 1;
            let delay = self.delay(ctx, met, copy);
            self.travel_once(ctx, copy, out.after(delay));
        }
    }

    /// The message is at its receiver's download. If the receiver is offline, the message arrives without a download.
    pub fn reach(&mut self, ctx: &mut Context, met: Conditions, id: MessageId) {
        match ctx.plan.bandwidth {
            Bandwidth::Limited { download, sharing, .. } if met.presence.is_online(self.messages.get(id).to) => {
                self.download(ctx, id, download, sharing)
            }
            Bandwidth::Unlimited | Bandwidth::Limited { .. } => self.arrive(ctx, met, id),
        }
    }

    /// How long the message would travel if it entered the network now.
    pub(super) fn delay(&self, ctx: &Context, met: Conditions, id: MessageId) -> Duration {
        let message = self.messages.get(id);
        let [delay, ..] = delays(ctx, met, message.from, &[(message.to, message.address())]);
        delay
    }
}

/// Messages of one sender whose delays are drawn together.
pub(super) const N_AT_ONCE: usize = 16;

/// How long messages of `from` would travel if they entered the network now. Each is given by its receiver and the address of its draws.
pub(super) fn delays(ctx: &Context, met: Conditions, from: NodeId, messages: &[(NodeId, u64)]) -> [Duration; N_AT_ONCE] {
    let mut delays = [Duration::ZERO; N_AT_ONCE];
    ctx.plan.network.latency.delays(ctx.plan.seed, from, messages, &mut delays);
    let times = met.faults.delay_times();
    if times == 1.0 { delays } else { delays.map(|delay| Duration::from_secs_f64(delay.secs() * times)) }
}
