//! A broadcast: one message to each peer.

use super::message::{Message, MessageKind, draws_of};
use super::travel::{N_AT_ONCE, delays};
use super::{Conditions, Transit};
use crate::network::Knowledge;
use crate::timeline::behaviour::Conduct;
use crate::timeline::context::Context;
use crate::timeline::step::{Action, Loss, Slot};
use crate::units::{Duration, NodeId, VirtualTime};

/// The messages of one broadcast.
#[derive(Default)]
pub struct Sent {
    /// The slot of the one model that all peers receive; `None` if no message leaves, or if messages are crafted one by one.
    pub slot: Option<Slot>,
    pub n_sent: u32,
    /// How many of these will never arrive.
    pub n_lost: u32,
    /// The messages that are crafted when they are sent.
    crafted: Vec<Message>,
}

impl Sent {
    fn note(&mut self, message: Message) {
        match message.crafted {
            None => self.slot = Some(message.slot),
            Some(Knowledge::AtSend) => self.crafted.push(message),
            Some(Knowledge::AtDelivery) => {}
        }
    }

    /// Emits a step for each message that is crafted when it is sent.
    pub fn craft(&self, ctx: &mut Context) {
        self.crafted.iter().for_each(|message| message.craft(ctx));
    }
}

/// A message before it is sent.
struct Addressed {
    from: NodeId,
    to: NodeId,
    broadcast: u64,
    draws: u64,
    crafted: Option<Knowledge>,
    delay: Duration,
}

impl Message {
    /// A model that `from` pushes to `to` now. The caller fills in its numbers.
    fn pushed(ctx: &Context, met: Conditions, from: NodeId, to: NodeId, slot: Slot) -> Self {
        Self {
            kind: MessageKind::PushedModel,
            from,
            to,
            sent: ctx.now,
            slot,
            number: 0,
            broadcast: 0,
            draws: 0,
            crafted: None,
            life: met.presence.life(ctx.plan, to),
            n_left: met.presence.n_left(from),
            n_retries: 0,
            is_copy: false,
            transfer_ns: 0,
            due: VirtualTime(0),
        }
    }

    /// Emits a step in which the sender crafts the message for its receiver alone.
    pub fn craft(&self, ctx: &mut Context) {
        let Message { from, to, slot, draws, broadcast, .. } = *self;
        ctx.emit(Action::Craft { node: to, from, slot, draws, broadcast });
    }
}

impl Transit {
    /// `node` sends its model to `peers`. All random draws are addressed by the number of the broadcast.
    pub fn broadcast(&mut self, ctx: &mut Context, met: Conditions, node: NodeId, broadcast: u64, peers: Vec<NodeId>) -> Sent {
        let behaviour = ctx.behaviour(node);
        let crafted = behaviour.crafts.filter(|_| behaviour.conduct(ctx.now) == Conduct::Own);
        let fanout = ctx.plan.peers.fanout.of(ctx.plan.n_nodes);
        let mut sent = Sent::default();
        for peers in peers.chunks(N_AT_ONCE) {
            let mut messages = [(node, 0); N_AT_ONCE];
            for ((message, i), to) in messages.iter_mut().zip(sent.n_sent..).zip(peers) {
                *message = (*to, draws_of(broadcast, i, fanout));
            }
            let messages = &messages[..peers.len()];
            for (&(to, draws), delay) in messages.iter().zip(delays(ctx, met, node, messages)) {
                self.send(ctx, met, Addressed { from: node, to, broadcast, draws, crafted, delay }, &mut sent);
            }
        }
        ctx.tally.sent += u64::from(sent.n_sent);
        ctx.tally.lose(sent.n_lost.into(), Loss::Transit);
        sent
    }

    /// One message of a broadcast leaves its sender, unless the network loses it.
    fn send(&mut self, ctx: &mut Context, met: Conditions, addressed: Addressed, sent: &mut Sent) {
        let Addressed { from, to, broadcast, draws, crafted, delay } = addressed;
        let number = self.n_sent[from.idx()];
        self.n_sent[from.idx()] += 1;
        sent.n_sent += 1;
        if self.is_lost(ctx, met, from, draws) {
            sent.n_lost += 1;
            return self.upload_in_vain(ctx, from);
        }
        // A broadcast is one model for all its receivers; crafted messages have a model each.
        let slot = self.messages.take_slot(sent.slot);
        let message = Message { number, broadcast, draws, crafted, ..Message::pushed(ctx, met, from, to, slot) };
        sent.note(message);
        let id = self.messages.insert(message);
        ctx.tally.in_flight += 1;
        self.depart(ctx, met, id, delay);
    }
}
