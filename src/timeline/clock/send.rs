//! Messages: whom they go to, when they are made, and what becomes of them.

use super::Timeline;
use crate::network::{InFlight, PeerPool, sample_peers};
use crate::timeline::Plan;
use crate::timeline::habit::{Conduct, CraftTime};
use crate::timeline::post::{Message, draws_of};
use crate::timeline::step::{Action, Loss, Slot, Step, Wait};
use crate::units::{Duration, NodeId, VirtualTime};

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
    /// Sends to freshly drawn peers. `turn` is the number of this broadcast, by which all its draws are addressed.
    pub(super) fn broadcast(&mut self, node: NodeId, turn: u64) -> Sent {
        let habit = self.habit(node);
        let crafted = habit.crafts.filter(|_| habit.conduct(self.now) == Conduct::Own);
        let fanout = self.plan.peers.fanout.of(self.plan.n_nodes);
        let mut sent = Sent::default();
        for to in self.draw_peers(node, turn) {
            let draws = draws_of(turn, sent.n_sent, fanout);
            let nth = self.agendas[node.idx()].n_messages;
            self.agendas[node.idx()].n_messages += 1;
            sent.n_sent += 1;
            if self.is_lost(node, draws) {
                sent.n_lost += 1;
                self.upload_in_vain(node);
                continue;
            }
            // A broadcast is one model for all its receivers; crafted messages have a model each.
            let slot = self.post.take_slot(sent.slot());
            let message = Message {
                from: node,
                to,
                sent: self.now,
                slot,
                nth,
                turn,
                draws,
                crafted,
                life: self.life(to),
                n_left: self.agendas[node.idx()].n_left,
                n_retries: 0,
                is_copy: false,
                transfer: Duration::ZERO,
                due: VirtualTime(0),
            };
            sent.messages.push(message);
            let place = self.post.put(message);
            self.tally.in_flight += 1;
            self.depart(place);
        }
        self.tally.sent += u64::from(sent.n_sent);
        self.tally.lose(sent.n_lost.into(), Loss::Transit);
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
            PeerPool::All => sample_peers(seed, node, turn, fanout, self.joined.n() - 1).map(|i| self.joined.other(node, i)).collect(),
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
        let Message { from, to, slot, draws, turn, .. } = message;
        self.emit(steps, Action::Craft { node: to, from, slot, nth: draws, turn });
    }

    /// The message is where its receiver should be.
    pub(super) fn arrive(&mut self, place: u32, steps: &mut Vec<Step>) {
        let Message { from, to, n_left, life, .. } = self.post.message(place);
        if self.faults.holds(from, to) {
            self.wait(place, Wait::Held, steps);
            self.faults.keep(place);
        } else if self.plan.absence.in_flight == InFlight::Cut && self.agendas[from.idx()].n_left != n_left {
            self.lose(place, Loss::Cut, steps);
        } else if self.faults.separates(from, to) {
            self.lose(place, Loss::Partition, steps);
        } else if self.life(to) != life {
            self.lose(place, Loss::Identity, steps);
        } else if self.presence.is_online(to) {
            self.hand_over(place, steps);
        } else {
            self.miss(place, steps);
        }
    }

    pub(super) fn hand_over(&mut self, place: u32, steps: &mut Vec<Step>) {
        let message @ Message { from, to, sent, slot, crafted, transfer, .. } = self.post.take(place);
        self.tally.in_flight -= 1;
        // Of a message and its copy the first to arrive is made; the other is the same.
        if crafted == Some(CraftTime::Delivery) && (self.plan.duplicates == 0.0 || self.post.make(slot)) {
            self.craft(message, steps);
        }
        self.tally.deliver(Duration::from_ns(self.now.0 - sent.0), transfer);
        self.agendas[to.idx()].n_received += 1;
        self.emit(steps, Action::Receive { node: to, from, sent, slot });
        self.release(slot, steps);
    }

    pub(super) fn lose(&mut self, place: u32, why: Loss, steps: &mut Vec<Step>) {
        let Message { from, to, sent, .. } = self.post.message(place);
        self.emit(steps, Action::Lose { from, to, sent, why });
        self.lose_quietly(place, why, steps);
    }

    pub(super) fn lose_quietly(&mut self, place: u32, why: Loss, steps: &mut Vec<Step>) {
        let slot = self.post.take(place).slot;
        self.tally.in_flight -= 1;
        self.tally.lose(1, why);
        self.release(slot, steps);
    }

    fn release(&mut self, slot: Slot, steps: &mut Vec<Step>) {
        if self.post.release(slot) {
            self.emit(steps, Action::Forget { slot });
        }
    }
}
