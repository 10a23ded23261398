//! Networks with churn, faults, retries and limited links all at once: every message is accounted for, and threads change nothing.

use crate::support::{corpus, finish, plan, scenario};
use crate::timeline_traces::show;
use proptest::prelude::*;

use rankguard::scenario::Scenario;
use rankguard::timeline::{Action, Step, Timeline};
use std::collections::{BTreeMap, BTreeSet};

fn steps(scenario: &Scenario) -> (Timeline, Vec<Step>) {
    let (mut timeline, mut steps) = (Timeline::new(plan(scenario)), Vec::new());
    while timeline.advance(100, &mut steps) {}
    (timeline, steps)
}

/// What every timeline keeps, whatever its scenario.
fn assert_sound((timeline, steps): &(Timeline, Vec<Step>), is_fifo: bool) {
    let tally = timeline.tally();
    assert!(tally.is_conserved() && steps.is_sorted_by(|a, b| a.at <= b.at && a.number < b.number));
    let (mut online, mut slots, mut last) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    let mut n_received = 0;
    for step in steps {
        match step.action {
            Action::Presence { node, online: true, .. } => assert!(online.insert(node), "{}", show(step)),
            Action::Presence { node, online: false, .. } => assert!(online.remove(&node) || step.at.0 == 0, "{}", show(step)),
            Action::Search { node, slot, .. } | Action::Broadcast { node, slot, .. } => {
                assert!(online.contains(&node), "{}", show(step));
                slot.into_iter().for_each(|slot| assert!(slots.insert(slot), "{}", show(step)));
            }
            Action::Craft { slot, .. } => {
                slots.insert(slot);
            }
            Action::Receive { node, from, sent, slot } => {
                n_received += 1;
                assert!(online.contains(&node) && slots.contains(&slot) && sent <= step.at, "{}", show(step));
                let before = last.insert((from, node), sent);
                assert!(!is_fifo || before <= Some(sent), "{} overtook", show(step));
            }
            Action::Forget { slot } => {
                slots.remove(&slot);
            }
            Action::Reset { node, .. } => assert!(online.contains(&node), "{}", show(step)),
            Action::Fault { .. } | Action::Wait { .. } | Action::Lose { .. } | Action::Evaluate { .. } => {}
        }
    }
    assert_eq!(n_received, tally.delivered);
    let comes_after = |since| steps.iter().find(|step| step.at > since && matches!(step.action, Action::Presence { online: true, .. }));
    assert_eq!(tally.deserted.and_then(comes_after), None, "nobody comes back to a deserted network");
}

/// Many of the things that can go wrong, at the scale of minutes.
pub const TROUBLES: [[(&str, &str); 5]; 3] = [
    [
        ("absence", "(messages: Mailbox(at_most: 4, age: \"5min\"), timers: CaughtUp, state: ModelLost, identity: Same)"),
        ("bandwidth", "Limited(upload: \"200bit/s\", download: \"400bit/s\", sharing: Fair)"),
        ("order", "FifoPerLink"),
        ("duplicates", "0.1"),
        ("faults", "[(at: \"3min\", what: Partition(Shares([0.5]))), (at: \"8min\", what: Heal)]"),
    ],
    [
        ("absence", "(messages: Retry(every: \"1min\", at_most: 3), in_flight: Cut, timers: Paused, state: AllLost, identity: New)"),
        ("bandwidth", "Limited(upload: \"200bit/s\", download: \"400bit/s\")"),
        ("bursts", "GilbertElliott(good: \"2min\", bad: \"30s\", loss_in_bad: 0.7)"),
        ("duplicates", "0.2"),
        (
            "faults",
            "[(at: \"3min\", what: Hold(Random(0.3))), (at: \"9min\", what: Release), (at: \"12min\", what: Lossy(times: 4.0, lasts: \"3min\"))]",
        ),
    ],
    [
        ("absence", "(state: AllLost)"),
        ("order", "FifoPerLink"),
        ("bursts", "GilbertElliott(good: \"2min\", bad: \"30s\", loss_in_bad: 0.7)"),
        ("duplicates", "0.3"),
        (
            "faults",
            "[(at: \"2min\", what: Crash(who: Random(0.4), restart_after: \"4min\")), (at: \"5min\", what: Slow(times: 9.0, lasts: \"5min\")), \
                    (at: \"7min\", what: OneWay(from: Nodes([0, 1, 2]), to: All))]",
        ),
    ],
];

/// The troubles among nodes that come and go, with other fields of the test's.
pub fn troubled(troubles: &[(&'static str, &'static str)], changes: &[(&'static str, &'static str)]) -> Scenario {
    let asynchronous = [
        ("arrivals", "Poisson(every: \"1min\")"),
        ("latency", "LogNormal(median: \"20s\", sigma: 1.0)"),
        ("loss", "0.05"),
        ("churn", "Alternating(online: Exponential(mean: \"10min\"), offline: Exponential(mean: \"4min\"))"),
    ];
    scenario(&[&asynchronous, troubles, changes].concat())
}

#[test]
fn troubles_are_the_same_on_any_number_of_threads_and_however_often_models_are_looked_at() {
    for troubles in TROUBLES {
        for attack in ["Flip", "Stale(age: \"3min\")", "Noise(sd: 0.1, knowledge: AtDelivery)"] {
            let changes = [("attack", attack), ("malicious_aggregate", "Always")];
            let run = |threads| finish(&troubled(&troubles, &changes), &corpus(), threads);
            let ((one, rows), (more, more_rows)) = (run(1), run(4));
            assert!(one.fingerprint == more.fingerprint && rows == more_rows, "{attack} {troubles:?}");
            let models =
                |every| finish(&troubled(&troubles, &[&changes[..], &[("evaluate_every", every)]].concat()), &corpus(), 2).1.models;
            assert!(models("Sessions(1)").iter().map(|m| &m.theta).eq(models("Sessions(1000)").iter().map(|m| &m.theta)), "{attack}");
        }
    }
}

#[test]
fn two_defences_live_in_the_same_troubled_network() {
    for troubles in TROUBLES {
        let network = |defense| steps(&troubled(&troubles, &[("defense", defense)]));
        let (one, other) = (network("RankGuard(kappa: 4.0)"), network("Local"));
        assert!(one.0.fingerprint() == other.0.fingerprint() && one.1 == other.1);
    }
}

#[test]
fn troubles_leave_rows() {
    let (finished, rows) = finish(&troubled(&TROUBLES[1], &[]), &corpus(), 2);
    let faults: Vec<_> = rows.faults.iter().map(|row| (row.fault, row.what, row.begins, row.concerned)).collect();
    assert_eq!(faults, [(0, "hold", true, 4), (1, "release", true, 12), (2, "lossy", true, 12), (2, "lossy", false, 12)]);
    let tally = &finished.tally;
    assert_eq!(rows.outcomes.iter().map(|row| row.messages as u64).sum::<u64>(), tally.sent + tally.duplicated);
    assert!(rows.presence.iter().any(|row| row.life > 0 && row.online));
    let quantiles = |quantity| rows.histograms.iter().filter(|row| row.quantity == quantity).collect::<Vec<_>>();
    for quantity in ["delay", "transfer"] {
        let quantiles = quantiles(quantity);
        assert!(quantiles.len() == 13 && quantiles.is_sorted_by(|a, b| a.quantile < b.quantile && a.value_ns <= b.value_ns));
        assert!(quantiles.iter().all(|row| row.count as u64 == tally.delivered));
    }
}

#[test]
fn a_lost_model_begins_anew() {
    // n1 of two is away for a while; a fresh model is no longer than 0.01.
    let two = [
        ("nodes", "2"),
        ("malicious_share", "0.0"),
        ("attack", "NoAttack"),
        ("arrivals", "RoundRobin(period: \"2s\")"),
        ("stop", "Sessions(40)"),
        ("evaluate_every", "Time(\"1s\")"),
        ("defense", "Local"),
        ("record", "(models: Every(evaluations: 1))"),
        ("faults", "[(at: \"20500ms\", what: Crash(who: Nodes([1]), restart_after: \"6s\"))]"),
    ];
    for (state, n_history) in [("Kept", 10), ("ModelLost", 10), ("AllLost", 0)] {
        let absence = format!("(state: {state})");
        let (_, rows) = finish(&scenario(&[&two[..], &[("absence", absence.as_str())]].concat()), &corpus(), 1);
        let norm = |second: usize| rows.models[2 * second + 1].theta.iter().map(|w| f64::from(w * w)).sum::<f64>().sqrt();
        assert!(norm(26) > 0.02 && (norm(27) < 0.011) == (state != "Kept"), "{state}: {} {}", norm(26), norm(27));
        let row = rows.evaluations.iter().find(|row| row.node == 1 && row.at_ns == 27_000_000_000).expect("a row");
        assert_eq!(row.age_ns.is_none_or(|age| age < 1_000_000_000), state != "Kept", "{state}: {:?}", row.age_ns);
        // Under a rule that judges by history the next receipt says how much of it is left.
        let judging = [("absence", absence.as_str()), ("defense", "RankGuard(kappa: 4.0)")];
        let (_, rows) = finish(&scenario(&[&two[..], &judging].concat()), &corpus(), 1);
        let after = rows.receipts.iter().find(|row| row.receiver == 1 && row.at_ns > 26_000_000_000).expect("it receives");
        assert_eq!(after.judged_sessions, n_history, "{state}");
    }
}

#[test]
fn what_does_not_matter_changes_nothing() {
    // Nobody is ever away, nothing is limited, nothing goes wrong: the paper's rounds, to the last bit.
    let rounds = finish(&scenario(&[]), &corpus(), 2).0.fingerprint;
    let degenerate = [
        ("latency", "Zero"),
        ("loss", "0.0"),
        ("bursts", "Never"),
        ("bandwidth", "Unlimited"),
        ("order", "AsTheyCome"),
        ("duplicates", "0.0"),
        ("churn", "AlwaysOnline"),
        ("absence", "(messages: Lost, in_flight: Delivered, timers: Skipped, state: Kept, identity: Same)"),
        ("faults", "[]"),
    ];
    assert_eq!(finish(&scenario(&degenerate), &corpus(), 2).0.fingerprint, rounds);
    for messages in ["Retry(every: \"1s\", at_most: 3)", "Mailbox(at_most: 3, age: \"1h\")"] {
        let absence = format!("(messages: {messages}, in_flight: Cut, timers: Paused, state: AllLost, identity: New)");
        let changes = [("absence", absence.as_str()), ("order", "FifoPerLink")];
        assert_eq!(finish(&scenario(&changes), &corpus(), 2).0.fingerprint, rounds, "{messages}");
    }
}

/// One of these.
fn one_of(choices: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(choices)
}

fn faults() -> impl Strategy<Value = String> {
    let what = one_of(&[
        "Partition(Nodes([[0, 1], [2, 3, 4]]))",
        "Partition(Shares([0.3, 0.3]))",
        "OneWay(from: Nodes([0, 5]), to: Random(0.5))",
        "OneWay(from: Region(Tokyo), to: All)",
        "Heal",
        "Heal",
        "Hold(Random(0.3))",
        "Hold(All)",
        "Release",
        "Release",
        "Crash(who: Random(0.5), restart_after: \"30ns\")",
        "Crash(who: Nodes([1, 2]))",
        "Restart(All)",
        "Dark(region: London, lasts: \"25ns\")",
        "Slow(times: 4.0, lasts: \"20ns\")",
        "Lossy(times: 5.0, lasts: \"20ns\")",
    ]);
    let fault = (0u64..100, what).prop_map(|(at, what)| format!("(at: \"{at}ns\", what: {what})"));
    proptest::collection::vec(fault, 0..8).prop_map(|faults| format!("[{}]", faults.join(", ")))
}

fn absences() -> impl Strategy<Value = String> {
    (
        one_of(&["Lost", "Retry(every: \"7ns\", at_most: 3)", "Mailbox(at_most: 3, age: \"20ns\")", "Mailbox(at_most: 100, age: \"1us\")"]),
        one_of(&["Delivered", "Cut"]),
        one_of(&["Skipped", "WhenBack", "Paused", "CaughtUp"]),
        one_of(&["Kept", "ModelLost", "AllLost"]),
        one_of(&["Same", "New"]),
    )
        .prop_map(|(messages, in_flight, timers, state, identity)| {
            format!("(messages: {messages}, in_flight: {in_flight}, timers: {timers}, state: {state}, identity: {identity})")
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Nanoseconds between everything, so that most of it falls together.
    #[test]
    fn conservation_holds_in_any_network(
        seed in 0u64..1_000,
        every in 1u64..40,
        faults in faults(),
        absence in absences(),
        churn in one_of(&["AlwaysOnline", "Alternating(online: Exponential(mean: \"40ns\"), offline: Exponential(mean: \"20ns\"))",
            "Alternating(online: Pareto(min: \"9ns\", shape: 1.5), offline: LogNormal(median: \"20ns\", sigma: 1.0))"]),
        crowds in one_of(&["[]", "[Leave(at: \"0ns\", share: 0.6, within: \"5ns\", back_after: \"30ns\"), Join(at: \"20ns\", share: 0.4)]",
            "[Leave(at: \"0ns\", share: 1.0)]", "[Leave(at: \"90ns\", share: 1.0)]", "[Join(at: \"50ns\", share: 0.4, within: \"20ns\")]",
            "[Join(at: \"20ns\", share: 0.3), Leave(at: \"60ns\", share: 0.7, within: \"10ns\", back_after: \"40ns\"), Leave(at: \"150ns\", share: 0.5)]"]),
        latency in one_of(&["Zero", "Constant(\"5ns\")", "Uniform(min: \"0ns\", max: \"30ns\")", "Gamma(mean: \"9ns\", shape: 0.5)"]),
        bandwidth in one_of(&[
            "Unlimited",
            "Limited(upload: \"1000Gbit/s\", download: \"3000Gbit/s\")",
            "Limited(upload: \"1000Gbit/s\", download: \"3000Gbit/s\", sharing: Fair)",
            "Limited(upload: \"1000Gbit/s\", download: \"3000Gbit/s\", spread: 1.0, sharing: Fair)",
        ]),
        bursts in one_of(&["Never", "GilbertElliott(good: \"30ns\", bad: \"10ns\", loss_in_bad: 0.8)"]),
        order in one_of(&["AsTheyCome", "FifoPerLink"]),
        duplicates in one_of(&["0.0", "0.2", "1.0"]),
        (attack, attackers) in (one_of(&["Flip", "Noise(sd: 0.1, knowledge: AtDelivery)", "Shrink(c: 0.5)"]), one_of(&["()", "(rate: 2, always_online: true)"])),
        among in one_of(&["(among: All, fanout: Log2)", "(among: Online, fanout: Fixed(3))"]),
    ) {
        let changes = [
            ("seed", seed.to_string()),
            ("arrivals", format!("Poisson(every: \"{every}ns\", rates: LogNormal(sigma: {}))", seed % 3)),
            ("faults", faults),
            ("absence", absence.clone()),
            ("churn", churn.into()),
            ("crowds", crowds.into()),
            ("latency", latency.into()),
            ("loss", "0.05".into()),
            ("bandwidth", bandwidth.into()),
            ("bursts", bursts.into()),
            ("order", order.into()),
            ("duplicates", duplicates.into()),
            ("attack", attack.into()),
            ("attackers", attackers.into()),
            ("peers", among.into()),
            ("stop", "Time(\"200ns\")".into()),
        ];
        let changes: Vec<(&str, &str)> = changes.iter().map(|(field, value)| (*field, value.as_str())).collect();
        // A download that goes on while its receiver is away may end after what waited in the mailbox is handed over.
        let waits = absence.contains("Retry") || (absence.contains("Mailbox") && bandwidth != "Unlimited");
        let is_fifo = order == "FifoPerLink" && duplicates == "0.0" && !waits;
        assert_sound(&steps(&scenario(&changes)), is_fifo);
    }
}
