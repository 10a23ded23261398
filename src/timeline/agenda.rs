//! What a node will do next, and the counters that address its draws.

use super::post::BETWEEN;
use crate::network::ArrivalSampler;
use crate::units::{Duration, VirtualTime};

/// One node's counters, its next search, and its broadcasts before it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Agenda {
    pub n_periods: u64,
    /// How often it has searched: the number of its next search in all draws.
    pub n_searches: u64,
    /// How many messages it has sent: the order of those that arrive together.
    pub n_messages: u64,
    /// Number and moment of its next search, whether or not it will be there, and the moment of the one before.
    pub nth_search: u64,
    pub next_search: VirtualTime,
    last_search: VirtualTime,
    /// How many broadcasts between these two searches are over.
    pub n_between_done: u32,
    /// Whether it has ever been there, how often it left and came back, and how many messages reached it.
    pub was_there: bool,
    pub n_left: u32,
    pub n_returns: u32,
    pub n_received: u32,
    /// When it left last, and how long it was away in all before its last return.
    pub left: VirtualTime,
    pub away: Duration,
}

impl Agenda {
    /// The node's own clock, which stands still while it is away.
    pub fn own_time(&self, now: VirtualTime, is_online: bool) -> VirtualTime {
        VirtualTime(if is_online { now.0 } else { self.left.0 } - self.away.ns())
    }

    /// The next search is over or missed; the one after it is at `next`.
    pub fn turn_page(&mut self, next: VirtualTime) {
        self.nth_search += 1;
        self.last_search = self.next_search;
        self.next_search = next;
        self.n_between_done = 0;
    }

    /// The next of `n` broadcasts that are evenly spaced between two searches, if one is left. There is none before the first search
    /// nor after the last.
    pub fn next_between(&self, n: u32) -> Option<VirtualTime> {
        if self.nth_search == 0 || self.n_between_done >= n || self.next_search == ArrivalSampler::NEVER {
            return None;
        }
        let gap = u128::from(self.next_search.0 - self.last_search.0);
        let part = gap * (u128::from(self.n_between_done) + 1) / (u128::from(n) + 1);
        Some(VirtualTime(self.last_search.0 + part as u64))
    }

    /// The number of the next of `n` broadcasts between two searches. It depends on neither windows nor absences, and no search has it.
    pub fn between_number(&self, n: u32) -> u64 {
        let before = u128::from(self.nth_search - 1) * u128::from(n) + u128::from(self.n_between_done);
        BETWEEN | (before % u128::from(BETWEEN)) as u64
    }

    /// Leaves out the broadcasts that were to be before `now`.
    pub fn skip_between(&mut self, n: u32, now: VirtualTime) {
        // By halving, because `n` may be billions.
        let (mut done, mut rest) = (self.n_between_done, n.saturating_sub(self.n_between_done));
        while rest > 0 {
            let agenda = Self { n_between_done: done + rest / 2, ..*self };
            if agenda.next_between(n).is_some_and(|at| at < now) {
                (done, rest) = (agenda.n_between_done + 1, rest - rest / 2 - 1);
            } else {
                rest /= 2;
            }
        }
        self.n_between_done = done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_clock_stands_still_while_away() {
        let agenda = Agenda { left: VirtualTime(50), away: Duration::from_ns(20), ..Agenda::default() };
        assert_eq!((agenda.own_time(VirtualTime(70), false), agenda.own_time(VirtualTime(70), true)), (VirtualTime(30), VirtualTime(50)));
    }

    #[test]
    fn broadcasts_are_evenly_spaced_between_searches() {
        let mut agenda = Agenda { next_search: VirtualTime(100), ..Agenda::default() };
        assert_eq!(agenda.next_between(3), None, "not before the first search");
        agenda.turn_page(VirtualTime(200));
        let mut moments = Vec::new();
        while let Some(at) = agenda.next_between(3) {
            moments.push(at.0);
            agenda.n_between_done += 1;
        }
        assert_eq!(moments, [125, 150, 175]);
        assert_eq!(agenda.between_number(3), BETWEEN | 3);
        agenda.turn_page(VirtualTime(300));
        assert_eq!(agenda.between_number(3), BETWEEN | 3, "of the next page");
        agenda.skip_between(3, VirtualTime(250));
        assert_eq!(agenda.next_between(3), Some(VirtualTime(250)));
    }

    #[test]
    fn billions_of_broadcasts_are_left_out_at_once() {
        for (now, rate) in [(0, 3), (149, 3), (150, 3), (151, 3), (999, 3), (150, 0), (150, 1), (163, 99), (150, 7)] {
            let mut agenda = Agenda { nth_search: 1, last_search: VirtualTime(100), next_search: VirtualTime(200), ..Agenda::default() };
            let mut one_by_one = agenda;
            while one_by_one.next_between(rate).is_some_and(|at| at < VirtualTime(now)) {
                one_by_one.n_between_done += 1;
            }
            agenda.skip_between(rate, VirtualTime(now));
            assert_eq!(agenda.n_between_done, one_by_one.n_between_done, "{rate} until {now}");
        }
        let mut agenda = Agenda { nth_search: 1, next_search: VirtualTime(u64::MAX / 2), ..Agenda::default() };
        agenda.skip_between(u32::MAX, VirtualTime(u64::MAX / 4));
        assert_eq!(agenda.n_between_done, u32::MAX / 2);
    }
}
