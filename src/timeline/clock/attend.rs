//! Who comes and goes, and what each node does next while it is there.

use super::Timeline;
use super::send::Sent;
use crate::network::{ArrivalSampler, Away, Crowded, Timers, first_change, next_change};
use crate::timeline::event::Event;
use crate::timeline::habit::Conduct;
use crate::timeline::step::{Action, Step};
use crate::units::{Duration, Extent, NodeId, VirtualTime};

impl Timeline {
    pub(super) fn begin(&mut self, node: NodeId) {
        let habit = self.habit(node);
        let (is_online, left) = match habit.first_join {
            Some(moment) => (false, Some(Duration::from_ns(moment.0))),
            None if habit.never_leaves => (true, None),
            None => self.plan.network.churn.start(self.plan.seed, node),
        };
        if is_online {
            self.note_presence(node, true);
            self.agendas[node.idx()].was_there = true;
        }
        let by_churn = left.map(|left| VirtualTime(left.ns()));
        self.put_change(node, is_online, first_change(self.absences(node), is_online, by_churn));
        self.agendas[node.idx()].next_search = self.plan.network.arrivals.next(self.plan.seed, node, 0, VirtualTime(0));
        if is_online {
            self.put_search(node);
        }
    }

    /// Churn has `node` leave.
    pub(super) fn leave(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        match self.faults.is_down(node) {
            true => self.faults.note_churn(node, false),
            false => self.go(node, steps),
        }
        self.next_period(node, false);
        self.note_if_deserted();
    }

    /// Churn has `node` join.
    pub(super) fn join(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        match self.faults.is_down(node) {
            true => self.faults.note_churn(node, true),
            false => self.come(node, steps),
        }
        self.next_period(node, true);
    }

    pub(super) fn go(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        self.note_presence(node, false);
        // What it had planned goes with it; whether that moment falls into the absence shows when it is back.
        self.queue.cancel(&Event::Search(node));
        self.queue.cancel(&Event::Broadcast(node));
        let agenda = &mut self.agendas[node.idx()];
        agenda.left = self.now;
        agenda.n_left += 1;
        self.emit(steps, Action::Presence { node, online: false, life: self.life(node) });
        self.break_off_uploads(node, steps);
    }

    pub(super) fn come(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        self.note_presence(node, true);
        let agenda = &mut self.agendas[node.idx()];
        let is_return = std::mem::replace(&mut agenda.was_there, true);
        // Whoever comes for the first time has missed nothing before.
        let is_new = !is_return && self.plan.habits[node.idx()].first_join.is_some();
        agenda.n_returns += u32::from(is_return);
        agenda.away = Duration::from_ns(agenda.away.ns() + (self.now.0 - agenda.left.0));
        self.emit(steps, Action::Presence { node, online: true, life: self.life(node) });
        if is_new {
            self.note_first_join(node);
        }
        if is_return {
            self.forget_state(node, steps);
        }
        self.empty_mailbox(node, steps);
        self.resume_retries(node);
        match self.plan.absence.timers {
            Timers::Skipped => self.skip_missed(node),
            Timers::WhenBack | Timers::CaughtUp if is_new => self.skip_missed(node),
            Timers::WhenBack => self.skip_between(node),
            Timers::Paused | Timers::CaughtUp => {}
        }
        self.put_search(node);
        self.put_between(node);
    }

    /// Leaves out what was to be before this moment.
    fn skip_missed(&mut self, node: NodeId) {
        while self.agendas[node.idx()].next_search < self.now {
            self.tally.skipped += 1;
            self.turn_page(node);
        }
        self.skip_between(node);
    }

    fn skip_between(&mut self, node: NodeId) {
        let n_between = self.habit(node).n_between;
        self.agendas[node.idx()].skip_between(n_between, self.now);
    }

    fn note_presence(&mut self, node: NodeId, is_online: bool) {
        self.note_online_time();
        if is_online {
            self.presence.join(node)
        } else {
            self.presence.leave(node)
        }
        if let Some(favor) = &mut self.favor {
            favor.note(node, is_online);
        }
    }

    /// From now on others may draw `node` as a peer.
    fn note_first_join(&mut self, node: NodeId) {
        self.joined.note(node);
        if let Some(favor) = &mut self.favor {
            favor.note_first_join(node);
        }
    }

    pub(super) fn search(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        if self.is_stopping {
            return;
        }
        assert!(self.presence.is_online(node), "{node} searched while offline");
        self.tally.searches += 1;
        let conduct = self.habit(node).conduct(self.now);
        // A silent search has its number too, so that those after it draw what they draw in any case.
        let turn = self.agendas[node.idx()].n_searches;
        self.agendas[node.idx()].n_searches += 1;
        let sent = if conduct == Conduct::Silent { Sent::default() } else { self.broadcast(node, turn) };
        self.emit(steps, Action::Search { node, conduct, slot: sent.slot(), n_sent: sent.n_sent, n_lost: sent.n_lost });
        self.craft_at_send(&sent, steps);
        self.turn_page(node);
        if self.plan.absence.timers == Timers::WhenBack {
            // A search that was missed and made up for leaves others behind.
            self.skip_missed(node);
        }
        self.put_search(node);
        self.put_between(node);
        let n_searches = self.tally.searches;
        if matches!(self.plan.evaluate_every, Extent::Sessions(every) if n_searches.is_multiple_of(every)) {
            self.put_evaluation(self.now);
        }
        if matches!(self.plan.stop, Extent::Sessions(stop) if n_searches == stop) {
            // No further search, but what arrives at this very moment still does.
            self.is_stopping = true;
            self.put(Event::Stop, self.now, 0, 0);
        }
    }

    /// Sends without a search, unless the node does not act in its own way just now.
    pub(super) fn send_between(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        if self.is_stopping {
            return;
        }
        assert!(self.presence.is_online(node), "{node} sent while offline");
        let habit = self.habit(node);
        if habit.conduct(self.now) == Conduct::Own {
            let sent = self.broadcast(node, self.agendas[node.idx()].between_number(habit.n_between));
            self.emit(steps, Action::Broadcast { node, slot: sent.slot(), n_sent: sent.n_sent, n_lost: sent.n_lost });
            self.craft_at_send(&sent, steps);
        }
        self.agendas[node.idx()].n_between_done += 1;
        self.put_between(node);
    }

    fn next_period(&mut self, node: NodeId, is_online: bool) {
        if self.is_running_out() {
            return;
        }
        let never_leaves = self.habit(node).never_leaves;
        let agenda = &mut self.agendas[node.idx()];
        agenda.n_periods += 1;
        let length = self.plan.network.churn.period(self.plan.seed, node, agenda.n_periods, is_online, self.now);
        let by_churn = length.filter(|_| !never_leaves).map(|length| self.now.after(length));
        self.put_change(node, is_online, next_change(self.absences(node), self.now, is_online, by_churn));
    }

    /// The absences of crowds that concern `node`.
    fn absences(&self, node: NodeId) -> &[Away] {
        match self.plan.crowded.get(node.idx()) {
            Some(Crowded { absences, .. }) if !self.habit(node).never_leaves => absences,
            Some(_) | None => &[],
        }
    }

    fn put_change(&mut self, node: NodeId, is_online: bool, at: Option<VirtualTime>) {
        if let Some(at) = at {
            let event = if is_online { Event::Leave(node) } else { Event::Join(node) };
            self.put(event, at, node.0, self.agendas[node.idx()].n_periods);
        }
    }

    fn turn_page(&mut self, node: NodeId) {
        let agenda = &mut self.agendas[node.idx()];
        let next = self.plan.network.arrivals.next(self.plan.seed, node, agenda.nth_search + 1, agenda.next_search);
        agenda.turn_page(next);
    }

    fn put_search(&mut self, node: NodeId) {
        let agenda = self.agendas[node.idx()];
        if !self.is_stopping && agenda.next_search < ArrivalSampler::NEVER {
            self.put(Event::Search(node), self.real_time(node, agenda.next_search), node.0, agenda.nth_search);
        }
    }

    /// When `node`, which is online, does what it has planned for `at`.
    fn real_time(&self, node: NodeId, at: VirtualTime) -> VirtualTime {
        match self.plan.absence.timers {
            Timers::Skipped => at,
            Timers::Paused => at.after(self.agendas[node.idx()].away),
            Timers::WhenBack | Timers::CaughtUp => at.max(self.now),
        }
    }

    fn put_between(&mut self, node: NodeId) {
        let agenda = self.agendas[node.idx()];
        if let Some(at) = agenda.next_between(self.habit(node).n_between).filter(|_| !self.is_stopping) {
            self.put(Event::Broadcast(node), self.real_time(node, at), node.0, agenda.nth_search - 1);
        }
    }
}
