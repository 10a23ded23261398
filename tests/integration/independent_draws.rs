//! The draws of a search depend on nothing else: its peers, its losses and its delays stay the same whatever others send or when they join.

use crate::support::{plan, scenario};
use rankguard::timeline::{Action, Step, Timeline};
use rankguard::units::{NodeId, VirtualTime};
use std::collections::{BTreeMap, BTreeSet};

fn steps(changes: &[(&str, &str)]) -> Vec<Step> {
    let (mut timeline, mut steps) = (Timeline::new(plan(&scenario(changes))), Vec::new());
    while timeline.advance(100, &mut steps) {}
    steps
}

/// All that the draws of one search decide.
#[derive(Debug, PartialEq, Default)]
struct Drawn {
    n_sent: u32,
    n_lost: u32,
    /// Who got its messages when, and which draws made them.
    received: Vec<(NodeId, VirtualTime)>,
    crafted: Vec<(NodeId, u64, u64)>,
}

/// By searcher and moment, without silent searches and those whose messages may be under way at the end.
fn searches(changes: &[(&str, &str)]) -> BTreeMap<(NodeId, VirtualTime), Drawn> {
    let mut drawn: BTreeMap<_, Drawn> = BTreeMap::new();
    for step in steps(changes) {
        match step.action {
            Action::Search { node, conduct, n_sent, n_lost, .. } if !conduct.is_silent() && step.at.0 < 50 * MINUTE => {
                drawn.insert((node, step.at), Drawn { n_sent, n_lost, ..Drawn::default() });
            }
            Action::Receive { node, from, sent, .. } => {
                drawn.entry((from, sent)).and_modify(|drawn| drawn.received.push((node, step.at)));
            }
            Action::Craft { node, from, draws, broadcast, .. } => {
                drawn.entry((from, step.at)).and_modify(|drawn| drawn.crafted.push((node, draws, broadcast)));
            }
            _ => {}
        }
    }
    drawn
}

const MINUTE: u64 = 60_000_000_000;

const NETWORK: [(&str, &str); 7] = [
    ("arrivals", "Poisson(every: \"1min\")"),
    ("latency", "Regions(jitter: LogNormal(sigma: 0.8))"),
    ("loss", "0.1"),
    ("bursts", "GilbertElliott(good: \"5min\", bad: \"1min\", loss_in_bad: 0.5)"),
    ("duplicates", "0.1"),
    ("attack", "Noise(sd: 0.1)"),
    ("stop", "Time(\"1h\")"),
];

#[test]
fn what_attackers_send_besides_and_when_they_pause_moves_no_draw_of_a_search() {
    let churn = "Alternating(online: Exponential(mean: \"10min\"), offline: Exponential(mean: \"4min\"))";
    let retry = ("absence", "(messages: Retry(every: \"30s\", at_most: 3))");
    let windows = |meanwhile: &str, rate: u32| {
        format!("(rate: {rate}, active: Windows(first: \"3min\", on: \"4min\", off: \"3min\", meanwhile: {meanwhile}))")
    };
    for peers in ["(among: All, fanout: Log2)", "(among: Online, fanout: Fixed(9))"] {
        let with =
            |attackers: &str| searches(&[&NETWORK[..], &[("churn", churn), retry, ("peers", peers), ("attackers", attackers)]].concat());
        let plain = with("()");
        assert!(plain.len() > 350 && plain.values().any(|drawn| drawn.n_lost > 0));
        for attackers in ["(rate: 1)", "(rate: 7)", &windows("Silent", 0), &windows("Silent", 2)] {
            let other = with(attackers);
            assert!(other.len() > 300, "{attackers}");
            for (search, drawn) in &other {
                assert_eq!(Some(drawn), plain.get(search), "{search:?} with {attackers} and {peers}");
            }
        }
        // In a pause an honest face makes nothing for single receivers; all else is drawn as ever.
        for (search, drawn) in &with(&windows("Honest", 2)) {
            let as_ever = &plain[search];
            assert!(drawn.received == as_ever.received && drawn.n_lost == as_ever.n_lost, "{search:?}");
            assert!(drawn.crafted.is_empty() || drawn.crafted == as_ever.crafted, "{search:?}");
        }
    }
}

#[test]
fn broadcasts_between_searches_draw_their_own_peers() {
    let changes = [&NETWORK[..2], &[("attackers", "(rate: 2)"), ("stop", "Time(\"1h\")")]].concat();
    let mut searching = BTreeSet::new();
    let (mut by_search, mut between) = (BTreeMap::new(), BTreeMap::new());
    for step in steps(&changes) {
        match step.action {
            Action::Search { node, .. } => {
                searching.insert((node, step.at));
            }
            Action::Receive { node, from, sent, .. } => {
                let kind = if searching.contains(&(from, sent)) { &mut by_search } else { &mut between };
                kind.entry((from, sent)).or_insert_with(BTreeSet::new).insert(node);
            }
            _ => {}
        }
    }
    // Four of eleven peers: 330 sets of peers, and about two hundred broadcasts between searches, of which few draw the set before them.
    let same =
        between.iter().filter(|((from, sent), peers)| by_search.range(..(*from, *sent)).next_back().is_some_and(|(_, p)| p == *peers));
    assert!(between.len() > 200 && same.count() < 10);
}

/// Networks in which some nodes come for the first time later.
const NEWCOMERS: [[(&str, &str); 2]; 4] = [
    [("crowds", "[Join(at: \"10min\", share: 0.5, within: \"20min\")]"), ("attackers", "()")],
    [("crowds", "[Join(at: \"10min\", share: 0.9), Leave(at: \"5min\", share: 0.5, back_after: \"10min\")]"), ("attackers", "(rate: 2)")],
    [("crowds", "[]"), ("attackers", "(always_online: true, join: Burst(at: \"10min\", within: \"5min\"))")],
    [
        ("crowds", "[Join(at: \"10min\", share: 0.3, within: \"20min\")]"),
        ("attackers", "(peer_bias: 5.0, join: Burst(at: \"20min\", within: \"5min\"))"),
    ],
];

#[test]
fn nobody_sends_to_a_node_before_its_first_join() {
    let churn = "Alternating(online: Exponential(mean: \"10min\"), offline: Exponential(mean: \"4min\"))";
    for newcomers in NEWCOMERS {
        for churn in ["AlwaysOnline", churn] {
            // With so large a mailbox every message is seen: it arrives, waits, or both.
            let mailbox = ("absence", "(messages: Mailbox(at_most: 1000, age: \"2h\"))");
            let network = [("arrivals", "Poisson(every: \"1min\")"), ("stop", "Time(\"1h\")"), ("churn", churn), mailbox];
            let changes = [&network[..], &newcomers].concat();
            let behaviours = plan(&scenario(&changes)).behaviours;
            let mut joined: BTreeMap<NodeId, VirtualTime> =
                (0..12).map(NodeId).filter(|node| behaviours[node.idx()].first_join.is_none()).map(|node| (node, VirtualTime(0))).collect();
            let n_first = joined.len();
            let mut n_messages = 0;
            for step in steps(&changes) {
                match step.action {
                    Action::Presence { node, online: true, .. } => {
                        joined.entry(node).or_insert(step.at);
                    }
                    Action::Receive { node: to, sent, .. } | Action::Wait { to, sent, .. } => {
                        n_messages += 1;
                        assert!(joined.get(&to).is_some_and(|joined| *joined <= sent), "{newcomers:?}: {to} at {sent}");
                    }
                    Action::Search { n_sent, .. } => assert_eq!(n_sent, 4.min(joined.len() as u32 - 1), "{newcomers:?} at {}", step.at),
                    _ => {}
                }
            }
            assert!(n_first < 12 && joined.len() == 12 && n_messages > 1000, "{newcomers:?}");
        }
    }
}

#[test]
fn those_who_begin_offline_exist() {
    // A fifth of the nodes is there at the start; the others are drawn all the same, and their mailboxes fill.
    let changes = [("churn", "Kad"), ("arrivals", "Poisson(every: \"1min\")"), ("stop", "Time(\"5min\")")];
    let mailbox = [("absence", "(messages: Mailbox(at_most: 1000, age: \"2h\"))")];
    let waits = steps(&[&changes[..], &mailbox].concat()).iter().filter(|step| matches!(step.action, Action::Wait { .. })).count();
    assert!(waits > 10, "{waits}");
}

#[test]
fn once_everybody_has_joined_peers_are_those_of_a_network_without_newcomers() {
    let network = [("arrivals", "Poisson(every: \"1min\")"), ("stop", "Time(\"1h\")"), ("latency", "Gamma(mean: \"5s\", shape: 0.5)")];
    let crowds = [("crowds", "[Join(at: \"10min\", share: 0.5, within: \"10min\")]")];
    let behaviours = plan(&scenario(&[&network[..], &crowds].concat())).behaviours;
    let later = |changes: &[(&str, &str)]| {
        let mut all = searches(changes);
        all.retain(|(node, at), _| at.0 > 20 * MINUTE && behaviours[node.idx()].first_join.is_none());
        all
    };
    assert_eq!(later(&[&network[..], &crowds].concat()), later(&network));
}
