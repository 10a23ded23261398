//! When attackers act: stale models, broadcasts between searches, windows, bursts and biased peers, in networks small enough to follow.

use crate::support::{corpus, finish, plan, scenario, world};
use proptest::prelude::*;
use rankguard::ltr::linear::interpolate;
use rankguard::record::MemoryRecorder;
use rankguard::timeline::Timeline;

/// Two nodes, one of them malicious, in turns a second apart; every model after every turn. Evaluation k holds the models after turn k.
fn duel(changes: &[(&str, &str)]) -> (MemoryRecorder, Vec<[Vec<f32>; 2]>) {
    let two = [
        ("nodes", "2"),
        ("malicious_share", "0.5"),
        ("arrivals", "RoundRobin(period: \"2s\")"),
        ("stop", "Sessions(30)"),
        ("evaluate_every", "Sessions(1)"),
        ("defense", "Undefended"),
        ("record", "(models: Every(evaluations: 1))"),
    ];
    let (_, rows) = finish(&scenario(&[&two[..], changes].concat()), &corpus(), 1);
    let after = rows.models.chunks_exact(2).map(|two| [two[0].theta.clone(), two[1].theta.clone()]).collect();
    (rows, after)
}

fn half_and_half(own: &[f32], other: &[f32]) -> Vec<f32> {
    let mut merged = own.to_vec();
    interpolate(&mut merged, other, 0.5);
    merged
}

#[test]
fn a_stale_attacker_sends_what_it_was() {
    let (rows, after) = duel(&[("attack", "Stale(age: \"4s\")")]);
    let v = rows.models.iter().position(|row| row.malicious).expect("one of two");
    let u = 1 - v;
    for turn in 1..=30usize {
        let (before, now) = (&after[turn - 1], &after[turn]);
        if (turn - 1) % 2 == v {
            // Its model as of four seconds ago, after everything of that moment: the first one while it is younger than that.
            assert_eq!(now[u], half_and_half(&before[u], &after[turn.saturating_sub(4)][v]), "turn {turn}");
        } else {
            // It merges half and half although malicious nodes never aggregate by the scenario.
            assert_eq!(now[v], half_and_half(&before[v], &now[u]), "turn {turn}");
        }
    }
    let stale: Vec<_> = rows.receipts.iter().filter(|row| row.sender_malicious).collect();
    assert!(stale.iter().all(|row| row.exposure == Some(0.0)), "what it learned is honest");
    assert!(stale.iter().all(|row| row.age_ns.is_none_or(|age| age >= 4_000_000_000)), "its content is as old as it says");
    assert!(stale.iter().any(|row| row.age_ns.is_some()));
}

#[test]
fn a_stale_attacker_merges_half_and_half_whatever_the_defence() {
    for defense in ["RankGuard(kappa: 4.0)", "Gts()", "Local", "FlTrust", "Oracle"] {
        let (rows, after) = duel(&[("attack", "Stale(age: \"4s\")"), ("defense", defense)]);
        let v = rows.models.iter().position(|row| row.malicious).expect("one of two");
        for turn in (1..=30usize).filter(|turn| (turn - 1) % 2 != v) {
            assert_eq!(after[turn][v], half_and_half(&after[turn - 1][v], &after[turn][1 - v]), "{defense}, turn {turn}");
        }
    }
}

#[test]
fn between_its_searches_an_attacker_sends_the_model_it_has() {
    let (rows, after) = duel(&[("attackers", "(rate: 1)")]);
    let v = rows.models.iter().position(|row| row.malicious).expect("one of two");
    let u = 1 - v;
    // Two seconds between two searches of the attacker, and a broadcast midway, at the moment of the other's search: in the order of nodes.
    for turn in (4..=30usize).filter(|turn| (turn - 1) % 2 == u) {
        assert_eq!(after[turn][v], after[turn - 1][v], "it learns nothing by sending");
    }
    let from_attacker = rows.receipts.iter().filter(|row| row.sender_malicious).count();
    let searches = rows.searches.iter().filter(|row| row.malicious).count();
    assert!(searches == 15 && (29..=30).contains(&from_attacker), "{searches} searches, {from_attacker} receipts");
    assert_eq!(rows.searches.len(), 30, "a broadcast is not a session");
}

#[test]
fn out_of_their_windows_attackers_learn_honestly_or_keep_silent() {
    let windows = |meanwhile| format!("(active: Windows(first: \"10s\", on: \"6s\", off: \"4s\", meanwhile: {meanwhile}))");
    let is_open = |at_ns: i64| at_ns >= 10_000_000_000 && (at_ns / 1_000_000_000 - 10) % 10 < 6;
    for attack in ["Shrink(c: 0.5)", "Flip", "Stale(age: \"4s\")"] {
        let (rows, after) = duel(&[("attack", attack), ("attackers", &windows("Honest"))]);
        let v = rows.models.iter().position(|row| row.malicious).expect("one of two");
        for row in rows.searches.iter().filter(|row| row.malicious) {
            assert!(row.sent == 1 && (row.query >= 0 || is_open(row.at_ns)), "{attack} at {}", row.at_ns);
            let turn = (row.at_ns / 1_000_000_000) as usize;
            if !is_open(row.at_ns) {
                let merged = half_and_half(&after[turn - 1][1 - v], &after[turn][v]);
                assert_eq!(after[turn][1 - v], merged, "{attack}: its own model, as it is, at {turn}");
            }
        }
        let (rows, _) = duel(&[("attack", attack), ("attackers", &windows("Silent"))]);
        let attacker = rows.searches.iter().filter(|row| row.malicious);
        assert!(attacker.clone().count() == 15 && attacker.clone().all(|row| (row.sent == 1) == is_open(row.at_ns)), "{attack}");
    }
}

#[test]
fn a_sleeper_that_never_wakes_is_an_honest_node() {
    // Searches are five seconds apart, and the one window opens for a second between two of the last: an honest node in all but name.
    let windows = "(active: Windows(first: \"1796s\", on: \"1s\", off: \"1h\", meanwhile: Honest))";
    let defense = ("defense", "RankGuard(kappa: 4.0)");
    let asleep = scenario(&[("malicious_aggregate", "Always"), defense, ("attack", "Shrink(c: 0.5)"), ("attackers", windows)]);
    let honest = scenario(&[("malicious_share", "0.0"), ("attack", "NoAttack"), ("defense", "RankGuard(kappa: 4.0)")]);
    let models = |scenario| finish(scenario, &corpus(), 2).1.models.into_iter().map(|row| row.theta).collect::<Vec<_>>();
    assert!(models(&asleep) == models(&honest));
}

#[test]
fn nobody_malicious_is_there_before_a_burst_nor_away_after_it() {
    let churn = ("churn", "Alternating(online: Exponential(mean: \"5min\"), offline: Exponential(mean: \"5min\"))");
    let burst = ("attackers", "(always_online: true, join: Burst(at: \"10min\", within: \"1min\"))");
    let scenario = scenario(&[churn, burst]);
    let (_, rows) = finish(&scenario, &corpus(), 2);
    let world = world(&scenario);
    let roles = world.roles();
    for node in roles.nodes().filter(|&node| roles.is_malicious(node)) {
        let changes: Vec<_> = rows.presence.iter().filter(|row| row.node == node.0 as i32).collect();
        assert_eq!(changes.iter().map(|row| row.online).collect::<Vec<_>>(), [false, true]);
        assert!((600_000_000_000..660_000_000_000).contains(&changes[1].at_ns));
    }
    assert!(rows.receipts.iter().filter(|row| row.sender_malicious).all(|row| row.sent_ns >= 600_000_000_000));
}

#[test]
fn a_biased_sampler_raises_what_attackers_receive() {
    // Of the eleven others of an honest node three are malicious: 3·4 of 3·4 + 8 first picks fall on them.
    let received = |bias| {
        let changes = [("attackers", bias), ("stop", "Sessions(2400)"), ("peers", "(among: All, fanout: Fixed(1))"), ("defense", "Local")];
        let (_, rows) = finish(&scenario(&changes), &corpus(), 2);
        let honest: Vec<_> = rows.receipts.iter().filter(|row| !row.sender_malicious).collect();
        honest.iter().filter(|row| row.receiver_malicious).count() as f64 / honest.len() as f64
    };
    // 1,800 draws: four standard errors are 0.047.
    assert!((received("(peer_bias: 4.0)") - 12.0 / 20.0).abs() < 0.047);
    assert!((received("()") - 3.0 / 11.0).abs() < 0.047);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Nanoseconds between everything, so that most of it falls together: nothing is put into the queue twice, nobody acts while away, and
    /// no message is lost track of.
    #[test]
    fn any_habits_make_a_timeline(
        seed in 0u64..1_000,
        rate in 0u32..5,
        every in 1u64..40,
        (first, on, off) in (0u64..20, 1u64..30, 1u64..30),
        (at, within) in (0u64..20, 0u64..30),
        (online, offline) in (1u64..60, 1u64..60),
        choice in 0u32..64,
    ) {
        let is = |bit: u32| choice >> bit & 1 == 1;
        let meanwhile = if is(0) { "Silent" } else { "Honest" };
        let active = format!("Windows(first: \"{first}ns\", on: \"{on}ns\", off: \"{off}ns\", meanwhile: {meanwhile})");
        let join = format!("Burst(at: \"{at}ns\", within: \"{within}ns\")");
        let (active, join) = (if is(1) { &active } else { "Always" }, if is(2) { &join } else { "WithOthers" });
        let attackers = format!("(rate: {rate}, always_online: {}, active: {active}, join: {join}, peer_bias: 2.0)", is(3));
        let churn = format!("Alternating(online: Exponential(mean: \"{online}ns\"), offline: Exponential(mean: \"{offline}ns\"))");
        let scenario = scenario(&[
            ("seed", &seed.to_string()),
            ("attackers", &attackers),
            ("attack", if is(4) { "Noise(sd: 0.1, knowledge: AtDelivery)" } else { "Flip" }),
            ("peers", if is(5) { "(among: Online, fanout: Log2)" } else { "(among: All, fanout: Log2)" }),
            ("arrivals", &format!("Poisson(every: \"{every}ns\")")),
            ("latency", "Uniform(min: \"0ns\", max: \"9ns\")"),
            ("churn", &churn),
            ("stop", "Sessions(300)"),
        ]);
        let (mut timeline, mut steps) = (Timeline::new(plan(&scenario)), Vec::new());
        while timeline.advance(100, &mut steps) {}
        prop_assert_eq!(timeline.tally().searches, 300);
        prop_assert!(timeline.tally().is_conserved() && steps.is_sorted_by(|a, b| a.at <= b.at && a.number < b.number));
    }
}
