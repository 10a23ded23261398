//! Messages: whom they go to, when they are made, and what becomes of them.

use super::Timeline;
use crate::network::{PeerPool, sample_peers};
use crate::rng::Purpose;
use crate::timeline::Plan;
use crate::timeline::event::Event;
use crate::timeline::habit::{Conduct, CraftTime};
use crate::timeline::post::Message;
use crate::timeline::step::{Action, Slot, Step};
use crate::units::{Duration, NodeId};

/// What left in one broadcast.
#[derive(Default)]
pub(super) struct Sent {
    /// Those under way.
    messages: Vec<Message>,
    pub n_sent: u32,
    /// Of these, how many will never arrive.
    pub n_lost: u32,
}

impl Sent {
    /// Where the one model is kept that all receive, if there is one and anyone does.
    pub fn slot(&self) -> Option<Slot> {
        self.messages.first().filter(|message| message.crafted.is_none()).map(|message| message.slot)
    }
}

impl Timeline {
    /// Sends to freshly drawn peers.
    pub(super) fn broadcast(&mut self, node: NodeId) -> Sent {
        let Plan { seed, loss, .. } = self.plan;
        let habit = self.habit(node);
        let crafted = habit.crafts.filter(|_| habit.conduct(self.now) == Conduct::Own);
        let turn = self.agendas[node.idx()].n_broadcasts;
        self.agendas[node.idx()].n_broadcasts += 1;
        let mut sent = Sent::default();
        for to in self.draw_peers(node, turn) {
            let nth = self.agendas[node.idx()].n_messages;
            self.agendas[node.idx()].n_messages += 1;
            sent.n_sent += 1;
            if loss > 0.0 && seed.uniform(Purpose::Loss, node.0.into(), nth) < loss {
                sent.n_lost += 1;
                continue;
            }
            // A broadcast is one model for all its receivers; crafted messages have a model each.
            let slot = self.post.take_slot(sent.slot());
            let message = Message { from: node, to, sent: self.now, slot, nth, turn, crafted };
            sent.messages.push(message);
            let place = self.post.put(message);
            self.put(Event::Delivery(place), self.now.after(self.plan.network.delays.delay(seed, node, to, nth)), node.0, nth);
        }
        self.tally.sent += u64::from(sent.n_sent);
        self.tally.lost_in_transit += u64::from(sent.n_lost);
        self.tally.in_flight += sent.messages.len() as u64;
        sent
    }

    /// The peers for broadcast `turn` of `node`, in the order they are drawn.
    fn draw_peers(&self, node: NodeId, turn: u64) -> Vec<NodeId> {
        let Plan { seed, n_nodes, peers, .. } = self.plan;
        if let Some(favor) = self.favor.as_ref().filter(|favor| favor.binds(node)) {
            return favor.draw(seed, node, turn, peers, n_nodes);
        }
        let fanout = peers.fanout.of(n_nodes);
        match peers.among {
            PeerPool::All => sample_peers(seed, node, turn, fanout, n_nodes - 1).map(|i| NodeId(i + u32::from(i >= node.0))).collect(),
            PeerPool::Online => {
                sample_peers(seed, node, turn, fanout, self.presence.n_online() - 1).map(|i| self.presence.other(node, i)).collect()
            }
        }
    }

    pub(super) fn craft_at_send(&mut self, sent: &Sent, steps: &mut Vec<Step>) {
        for message in sent.messages.iter().filter(|message| message.crafted == Some(CraftTime::Send)) {
            self.craft(*message, steps);
        }
    }

    fn craft(&mut self, message: Message, steps: &mut Vec<Step>) {
        let Message { from, to, slot, nth, turn, .. } = message;
        self.emit(steps, Action::Craft { node: to, from, slot, nth, turn });
    }

    pub(super) fn arrive(&mut self, place: u32, steps: &mut Vec<Step>) {
        let message @ Message { from, to, sent, slot, crafted, .. } = self.post.take(place);
        self.tally.in_flight -= 1;
        if self.presence.is_online(to) {
            if crafted == Some(CraftTime::Delivery) {
                self.craft(message, steps);
            }
            self.tally.deliver(Duration::from_ns(self.now.0 - sent.0));
            self.emit(steps, Action::Receive { node: to, from, sent, slot });
        } else {
            self.tally.lost_offline += 1;
        }
        if self.post.release(slot) {
            self.emit(steps, Action::Forget { slot });
        }
    }
}
