//! Crowds: many nodes that join for the first time together, or leave together.

use crate::fields::declare;
use crate::network::faults::whole;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};
use rand::seq::index;

declare! {
    /// A share of the nodes that comes or goes together.
    ///
    /// The members of a crowd are drawn from the seed among all nodes; each comes or goes at a moment drawn uniformly from `within` after
    /// `at`. Crowds do not change the first join of attackers in a `Burst`, nor do they move attackers that are `always_online`.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Crowd {
        /// The nodes of the crowd join for the first time. Before that they do not exist: nobody sends to them, they are not evaluated, and
        /// LIE does not see them. No node joins twice.
        Join {
            /// When a crowd comes, before the end of the run.
            #[example("2d")]
            at: Duration,
            /// The share of the nodes in the crowd; those of all `Join`s sum to at most 1.
            #[limits(above(0.0).at_most(1.0))]
            #[example(0.3)]
            share: f64,
            /// How long it takes until the whole crowd has come. A crowd that comes over days is a stream of newcomers.
            #[serde(default)]
            #[example("10min")]
            within: Duration,
        },
        /// All nodes of the crowd that are online leave, and the whole crowd stays away until its absence ends.
        Leave {
            /// When a crowd goes, before the end of the run.
            #[example("4d")]
            at: Duration,
            /// The share of the nodes in the crowd.
            #[limits(above(0.0).at_most(1.0))]
            #[example(0.5)]
            share: f64,
            /// How long it takes until the whole crowd has gone.
            #[serde(default)]
            #[example("5min")]
            within: Duration,
            /// How long each node of the crowd stays away; without it they stay away for good.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[limits(above(0.0))]
            #[example("6h")]
            back_after: Option<Duration>,
        },
    }
}

/// The effect of a scenario's crowds on one node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Crowded {
    /// The node is absent until this moment, if it joins in a crowd.
    pub first_join: Option<VirtualTime>,
    /// When crowds take the node away.
    pub absences: Vec<Away>,
}

/// A time of absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Away {
    /// The first moment of the absence.
    pub from: VirtualTime,
    /// The moment of the return, or `None` if the absence never ends.
    pub until: Option<VirtualTime>,
}

impl Crowd {
    /// The share of the nodes that belong to this crowd.
    pub fn share(&self) -> f64 {
        match *self {
            Crowd::Join { share, .. } | Crowd::Leave { share, .. } => share,
        }
    }

    /// The earliest moment at which a node of this crowd comes or goes.
    pub fn at(&self) -> Duration {
        match *self {
            Crowd::Join { at, .. } | Crowd::Leave { at, .. } => at,
        }
    }

    /// When `node` comes or goes with this crowd, the `nth` of the scenario.
    fn moment(&self, seed: Seed, nth: usize, node: NodeId) -> VirtualTime {
        let (Crowd::Join { at, within, .. } | Crowd::Leave { at, within, .. }) = *self;
        let later = seed.uniform(Purpose::Crowd, node.0.into(), nth as u64) * within.ns() as f64;
        VirtualTime(at.ns()).after(Duration::from_ns(later as u64))
    }

    /// The mean share of time, over all nodes of the network, that this crowd makes nodes absent in a run of `seconds`.
    pub fn absent_share(&self, seconds: f64) -> f64 {
        let middle = |at: Duration, within: Duration| (at.secs() + 0.5 * within.secs()).min(seconds);
        let absent = match *self {
            Crowd::Join { at, within, .. } => middle(at, within),
            Crowd::Leave { at, within, back_after, .. } => {
                (seconds - middle(at, within)).min(back_after.map_or(f64::INFINITY, Duration::secs))
            }
        };
        self.share() * absent / seconds
    }
}

/// The effect of a scenario's crowds on each node; empty if there are no crowds.
pub fn crowded(seed: Seed, n_nodes: u32, crowds: &[Crowd]) -> Vec<Crowded> {
    let mut nodes = vec![Crowded::default(); if crowds.is_empty() { 0 } else { n_nodes as usize }];
    // All crowds of newcomers are taken from one shuffled list, and each crowd that leaves from a separate list.
    let mut newcomers = shuffled(seed, n_nodes, 0).into_iter();
    for (nth, crowd) in crowds.iter().enumerate() {
        let n = whole(crowd.share(), n_nodes);
        match *crowd {
            Crowd::Join { .. } => newcomers.by_ref().take(n).for_each(|node| {
                nodes[node.idx()].first_join = Some(crowd.moment(seed, nth, node));
            }),
            Crowd::Leave { back_after, .. } => shuffled(seed, n_nodes, 1 + nth as u64).into_iter().take(n).for_each(|node| {
                let from = crowd.moment(seed, nth, node);
                nodes[node.idx()].absences.push(Away { from, until: back_after.map(|pause| from.after(pause)) });
            }),
        }
    }
    nodes
}

/// All nodes in the `nth` random order.
fn shuffled(seed: Seed, n_nodes: u32, nth: u64) -> Vec<NodeId> {
    let mut rng = seed.rng(Purpose::Crowd, u64::MAX, nth);
    index::sample(&mut rng, n_nodes as usize, n_nodes as usize).into_iter().map(|i| NodeId(i as u32)).collect()
}

/// The first change of a node's presence, if churn alone would change it at `by_churn`. An absence may begin with the run.
pub fn first_change(absences: &[Away], is_online: bool, by_churn: Option<VirtualTime>) -> Option<VirtualTime> {
    if is_online { leave(absences.iter(), by_churn) } else { not_within(absences, by_churn?) }
}

/// The next change of a node's presence after `now`, if churn alone would change it at `by_churn`.
pub fn next_change(absences: &[Away], now: VirtualTime, is_online: bool, by_churn: Option<VirtualTime>) -> Option<VirtualTime> {
    if is_online {
        return leave(absences.iter().filter(|absence| absence.from > now), by_churn);
    }
    // A node that has just left with a crowd returns at the end of that absence. Another node returns by churn, but not during an absence.
    match absences.iter().find(|absence| absence.from == now) {
        Some(absence) => not_within(absences, absence.until?),
        None => not_within(absences, by_churn?),
    }
}

/// The next leave: with a crowd or by churn, whichever is earlier.
fn leave<'a>(absences: impl Iterator<Item = &'a Away>, by_churn: Option<VirtualTime>) -> Option<VirtualTime> {
    absences.map(|absence| absence.from).chain(by_churn).min()
}

/// The moment `back`, put off to the end of the absences that it falls into.
fn not_within(absences: &[Away], mut back: VirtualTime) -> Option<VirtualTime> {
    while let Some(absence) = absences.iter().find(|a| a.from <= back && a.until.is_none_or(|until| back < until)) {
        back = absence.until?;
    }
    Some(back)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn crowds_have_their_size_and_time() {
        let join = |at| Crowd::Join { at, share: 0.3, within: HOUR };
        let leave = Crowd::Leave { at: HOUR, share: 0.5, within: Duration::ZERO, back_after: Some(HOUR) };
        let nodes = crowded(Seed(1), 1000, &[join(HOUR), join(Duration::ZERO), leave]);
        let joins: Vec<f64> = nodes.iter().filter_map(|node| node.first_join).map(|at| Duration::from_ns(at.0).secs() / 3600.0).collect();
        assert_eq!((joins.len(), joins.iter().filter(|&&hour| hour >= 1.0).count()), (600, 300), "no node comes in two crowds");
        assert!(joins.iter().all(|hour| (0.0..2.0).contains(hour)));
        crate::network::ks(&mut joins.into_iter().filter(|&hour| hour < 1.0).collect::<Vec<_>>(), |x| x);
        let gone: Vec<&Crowded> = nodes.iter().filter(|node| !node.absences.is_empty()).collect();
        assert_eq!(gone.len(), 500);
        let hour = |n: u64| VirtualTime(n * HOUR.ns());
        assert!(gone.iter().all(|node| node.absences == [Away { from: hour(1), until: Some(hour(2)) }]));
        assert_eq!(crowded(Seed(1), 1000, &[]), []);
    }

    #[test]
    fn crowds_overrule_churn() {
        let absence = |from, until: Option<u64>| Away { from: VirtualTime(from), until: until.map(VirtualTime) };
        let absences = [absence(10, Some(20)), absence(18, Some(30)), absence(50, None)];
        let next = |now, is_online, by_churn: Option<u64>| {
            next_change(&absences, VirtualTime(now), is_online, by_churn.map(VirtualTime)).map(|at| at.0)
        };
        assert_eq!(next(0, true, Some(5)), Some(5));
        assert_eq!(next(0, true, Some(15)), Some(10));
        assert_eq!(next(0, true, None), Some(10));
        assert_eq!(next(10, false, Some(12)), Some(30), "one absence runs into the next");
        assert_eq!(next(10, false, None), Some(30));
        assert_eq!(next(5, false, Some(9)), Some(9));
        assert_eq!(next(5, false, Some(15)), Some(30));
        assert_eq!(next(5, false, Some(35)), Some(35));
        assert_eq!(next(30, true, None), Some(50));
        assert_eq!(next(50, false, Some(60)), None);
        assert_eq!(next(5, false, Some(55)), None);
    }

    #[test]
    fn an_absence_may_begin_with_the_run() {
        let absence = |from, until: Option<u64>| Away { from: VirtualTime(from), until: until.map(VirtualTime) };
        let first = |until, is_online, by_churn: Option<u64>| {
            first_change(&[absence(0, until)], is_online, by_churn.map(VirtualTime)).map(|at| at.0)
        };
        assert_eq!(first(Some(20), true, Some(5)), Some(0), "a node that is online leaves at once");
        assert_eq!(first(None, true, None), Some(0));
        assert_eq!(first(Some(20), false, Some(5)), Some(20), "a node that is offline does not return before the end");
        assert_eq!(first(Some(20), false, Some(25)), Some(25), "and the end alone does not bring it back");
        assert_eq!(first(None, false, Some(25)), None);
        assert_eq!(first_change(&[absence(9, None)], true, Some(VirtualTime(5))), Some(VirtualTime(5)));
    }

    #[test]
    fn time_taken_away_is_counted() {
        let at = HOUR;
        assert_eq!(Crowd::Join { at, share: 0.5, within: HOUR }.absent_share(6.0 * 3600.0), 0.125);
        assert_eq!(Crowd::Leave { at, share: 0.5, within: Duration::ZERO, back_after: None }.absent_share(2.0 * 3600.0), 0.25);
        assert_eq!(Crowd::Leave { at, share: 1.0, within: Duration::ZERO, back_after: Some(HOUR) }.absent_share(4.0 * 3600.0), 0.25);
    }
}
