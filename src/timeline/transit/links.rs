//! The state of connections: present transfers, bad spells, and the last arrival between two nodes.

use super::bandwidth::Shared;
use crate::network::{Bandwidth, Bursts, Sequence, Sharing};
use crate::rng::Seed;
use crate::timeline::Plan;
use crate::units::{Duration, NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The connections of all nodes, by node. Lists that the scenario does not need are empty.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Links {
    /// When the queues of uploads and downloads will be empty.
    pub upload_free: Vec<VirtualTime>,
    pub download_free: Vec<VirtualTime>,
    pub uploads: Vec<Shared>,
    pub downloads: Vec<Shared>,
    spells: Vec<Spell>,
    /// By sender and receiver: the last arrival of a message on its way.
    last_arrivals: BTreeMap<(NodeId, NodeId), VirtualTime>,
    /// How many of these were in the future when the map was last cleaned; 0 if messages may overtake each other.
    n_useful: usize,
}

/// The present state of one sender's connection, and when it ends. The seed determines the whole sequence of states.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Spell {
    nth: u32,
    is_bad: bool,
    until: VirtualTime,
}

impl Links {
    pub fn new(plan: &Plan) -> Self {
        let n = plan.n_nodes as usize;
        let mut links = Self::default();
        match plan.bandwidth {
            Bandwidth::Unlimited => {}
            Bandwidth::Limited { sharing: Sharing::FirstCome, .. } => {
                links.upload_free = vec![VirtualTime(0); n];
                links.download_free = vec![VirtualTime(0); n];
            }
            Bandwidth::Limited { sharing: Sharing::Fair, .. } => {
                links.uploads = vec![Shared::default(); n];
                links.downloads = vec![Shared::default(); n];
            }
        }
        if plan.bursts != Bursts::Never {
            links.spells = first_spells(plan.seed, plan.n_nodes, &plan.bursts);
        }
        links.n_useful = if plan.order == Sequence::FifoPerLink { 1 << 16 } else { 0 };
        links
    }

    /// Whether the connection of `sender` is in a bad spell at `now`. Calls come in the order of time.
    pub fn is_bad(&mut self, seed: Seed, sender: NodeId, now: VirtualTime, bursts: &Bursts) -> bool {
        let Some(spell) = self.spells.get_mut(sender.idx()) else { return false };
        while spell.until <= now {
            spell.nth += 1;
            spell.is_bad = !spell.is_bad;
            spell.until = spell.until.after(bursts.period(seed, sender, spell.nth.into(), spell.is_bad));
        }
        spell.is_bad
    }

    /// The arrival of a message that would arrive at `at`. If messages keep their order, it is not before earlier messages between the same
    /// nodes.
    pub fn in_line(&mut self, from: NodeId, to: NodeId, at: VirtualTime, now: VirtualTime) -> VirtualTime {
        if self.n_useful == 0 {
            return at;
        }
        if self.last_arrivals.len() > 2 * self.n_useful {
            // Messages that have arrived delay no other message.
            self.last_arrivals.retain(|_, arrival| *arrival > now);
            self.n_useful = self.last_arrivals.len().max(1 << 16);
        }
        let last = self.last_arrivals.entry((from, to)).or_insert(at);
        *last = (*last).max(at);
        *last
    }
}

/// Every sender's first spell.
fn first_spells(seed: Seed, n_nodes: u32, bursts: &Bursts) -> Vec<Spell> {
    let first = |node| {
        let is_bad = bursts.begins_bad(seed, node);
        Spell { nth: 0, is_bad, until: VirtualTime(bursts.period(seed, node, 0, is_bad).ns()) }
    };
    (0..n_nodes).map(|node| first(NodeId(node))).collect()
}

/// Adds a transfer of length `takes` to a queue that will be empty at `free`. Returns the end of the transfer.
pub(super) fn queue_up(free: &mut VirtualTime, now: VirtualTime, takes: Duration) -> VirtualTime {
    *free = (*free).max(now).after(takes);
    *free
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURSTS: Bursts = Bursts::GilbertElliott { good: Duration::from_secs(90), bad: Duration::from_secs(10), loss_in_bad: 0.5 };

    fn links() -> Links {
        Links { spells: first_spells(Seed(1), 400, &BURSTS), n_useful: 1 << 16, ..Links::default() }
    }

    #[test]
    fn spells_do_not_depend_on_who_asked_before() {
        let (mut often, mut rarely) = (links(), links());
        let at = |s: u64| VirtualTime(s * 1_000_000_000);
        for s in 0..500 {
            let (node, asked) = (NodeId((s % 7) as u32), often.is_bad(Seed(1), NodeId((s % 7) as u32), at(s), &BURSTS));
            if s % 50 == 0 {
                assert_eq!(rarely.is_bad(Seed(1), node, at(s), &BURSTS), asked);
            }
        }
    }

    #[test]
    fn a_tenth_of_the_time_is_bad_and_spells_have_their_length() {
        let (mut links, mut n_bad, mut n_begins) = (links(), 0, 0);
        for node in (0..400).map(NodeId) {
            let mut was_bad = true;
            for s in 0..2_000u64 {
                let is_bad = links.is_bad(Seed(1), node, VirtualTime(s * 1_000_000_000), &BURSTS);
                n_bad += u32::from(is_bad);
                n_begins += u32::from(is_bad && !was_bad);
                was_bad = is_bad;
            }
        }
        // 800,000 seconds, about 8,000 spells of 10 s on average; five standard errors of both are below 7 %.
        let share = f64::from(n_bad) / 800_000.0;
        assert!((share - 0.1).abs() < 0.007, "{share}");
        // Seen every second, a spell of length x begins with probability 1 − e^(−1/10) too short to be seen: 7,600 of 8,000 are.
        assert!((7_000..8_100).contains(&n_begins), "{n_begins}");
    }

    #[test]
    fn nobody_overtakes_on_one_link() {
        let mut links = links();
        let mut arrive = |from, to, at| links.in_line(NodeId(from), NodeId(to), VirtualTime(at), VirtualTime(0)).0;
        assert_eq!([arrive(0, 1, 50), arrive(0, 1, 20), arrive(0, 2, 20), arrive(1, 0, 20), arrive(0, 1, 60)], [50, 50, 20, 20, 60]);
    }

    #[test]
    fn queues_serve_in_order() {
        let (mut free, takes) = (VirtualTime(0), Duration::from_ns(10));
        let at = [5, 6, 30].map(|now| queue_up(&mut free, VirtualTime(now), takes).0);
        assert_eq!(at, [15, 25, 40]);
    }
}
