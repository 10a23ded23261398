//! Every attack against every defence, in plain networks and with attackers that choose their time.

use crate::lockstep_rounds::{ATTACKS, DEFENSES, RANKERS, TIMING};
use crate::support::{corpus, finish, scenario};

/// Everything that can separate the moment of sending from that of delivery.
const SLOW: [(&str, &str); 4] = [
    ("arrivals", "Poisson(every: \"1min\")"),
    ("latency", "LogNormal(median: \"30s\", sigma: 1.0)"),
    ("loss", "0.05"),
    ("churn", "Alternating(online: Exponential(mean: \"10min\"), offline: Exponential(mean: \"3min\"))"),
];

/// Twenty rounds: the same on one thread and two, every message accounted for, everything finite.
#[track_caller]
fn survives(name: &str, changes: &[(&str, &str)]) {
    let scenario = scenario(&[&SLOW[..], &[("stop", "Sessions(240)")], changes].concat());
    let (one, rows) = finish(&scenario, &corpus(), 1);
    let (two, _) = finish(&scenario, &corpus(), 2);
    assert_eq!(one.fingerprint, two.fingerprint, "{name}");
    assert!(one.tally.is_conserved() && rows.receipts.len() as u64 == one.tally.delivered, "{name}");
    assert!(rows.models.iter().filter(|row| !row.malicious).all(|row| row.theta.iter().all(|w| w.is_finite())), "{name}");
    let is_share = |share: f64| (-1e-12..=1.0 + 1e-12).contains(&share);
    assert!(rows.receipts.iter().all(|row| is_share(row.alpha) && row.exposure.is_none_or(is_share)), "{name}");
    assert!(rows.evaluations.iter().all(|row| row.exposure.is_none_or(is_share) && row.age_ns.is_none_or(|age| age >= 0)), "{name}");
}

#[test]
fn every_attack_meets_every_defence_of_linear_rankers() {
    everyone_meets("Linear(eta: 0.1)");
}

#[test]
fn every_attack_meets_every_defence_of_neural_rankers() {
    // Few units, because ADAPT's time grows with them.
    everyone_meets("Neural(eta: 0.1, hidden: 6)");
}

fn everyone_meets(ranker: &str) {
    for attack in ATTACKS {
        for defense in DEFENSES {
            for users in ["Perfect", "Navigational", "Informational"] {
                let name = format!("{attack} against {defense}, {users}, {ranker}");
                survives(&name, &[("attack", attack), ("defense", defense), ("users", users), ("ranker", ranker)]);
            }
        }
    }
}

#[test]
fn attackers_at_any_time_meet_every_defence() {
    for (attack, attackers) in TIMING {
        for defense in DEFENSES {
            let name = format!("{attack} {attackers} against {defense}");
            survives(&name, &[("attack", attack), ("attackers", attackers), ("defense", defense)]);
        }
    }
}

#[test]
fn without_delay_looking_early_or_late_is_the_same() {
    for attack in ["Lie(z: Majority", "Ipm(form: Step, epsilon: 10.0", "Shrink(c: 0.3", "Noise(sd: 0.2"] {
        let run = |knowledge: &str| {
            let attack = format!("{attack}, knowledge: {knowledge})");
            finish(&scenario(&[("attack", attack.as_str())]), &corpus(), 2).0.fingerprint
        };
        assert_eq!(run("AtSend"), run("AtDelivery"), "{attack}");
    }
}

#[test]
fn with_delay_it_is_not() {
    let run = |knowledge: &str| {
        let attack = format!("Shrink(c: 0.3, knowledge: {knowledge})");
        finish(&scenario(&[&SLOW[..], &[("attack", attack.as_str())]].concat()), &corpus(), 2).0.fingerprint
    };
    assert_ne!(run("AtSend"), run("AtDelivery"));
}

#[test]
fn oracle_keeps_all_exposure_out_and_none_does_not() {
    let exposure = |defense| finish(&scenario(&[("defense", defense)]), &corpus(), 1).0.last.exposure;
    assert_eq!((exposure("Oracle"), exposure("Local")), (Some(0.0), Some(0.0)));
    assert!(exposure("Undefended") > Some(0.3));
    assert!(exposure("RankGuard(kappa: 4.0)") < Some(0.1));
}

#[test]
fn attackers_make_nothing_for_each_other_and_flag_what_changes_nothing() {
    let (_, rows) = finish(&scenario(&[("attack", "Ipm(form: Step, epsilon: 10.0)"), ("users", "Navigational")]), &corpus(), 1);
    let among_attackers = rows.receipts.iter().filter(|row| row.receiver_malicious && row.sender_malicious);
    assert!(among_attackers.clone().count() > 0 && among_attackers.clone().all(|row| row.outcome == "ignored"));
    let to_honest: Vec<_> = rows.receipts.iter().filter(|row| !row.receiver_malicious && row.sender_malicious).collect();
    assert!(to_honest.iter().any(|row| row.noop) && to_honest.iter().any(|row| !row.noop));
    assert!(rows.searches.iter().all(|row| row.malicious == (row.query == -1)));
}

#[test]
fn a_model_that_is_not_finite_never_spreads() {
    // −ε θ grows without bound among the undefended until it overflows.
    for ranker in RANKERS {
        for defense in DEFENSES {
            let attack =
                [("attack", "Ipm(form: NegatedModel, epsilon: 1e30)"), ("defense", defense), ("ranker", ranker), ("weight_limit", "inf")];
            let (finished, rows) = finish(&scenario(&attack), &corpus(), 1);
            assert!(rows.models.iter().all(|row| row.theta.iter().all(|w| w.is_finite())), "{defense}, {ranker}");
            assert!((0.0..=1.0).contains(&finished.last.ndcg_mean), "{defense}, {ranker}");
        }
        let attack = [("attack", "Ipm(form: NegatedModel, epsilon: 1e300)"), ("ranker", ranker)];
        let (finished, rows) = finish(&scenario(&attack), &corpus(), 1);
        let not_finite = rows.receipts.iter().filter(|row| row.reason == Some("not finite")).count() as u64;
        assert!(not_finite > 0 && not_finite == finished.n_implausible);
    }
}

#[test]
fn rules_with_thresholds_reject_for_their_own_reasons_and_merge_with_their_own_weights() {
    for (defense, reasons, weights) in [
        ("Balance(gamma: 0.8, own_weight: 0.75)", &["too far"][..], 0.25..=0.25),
        ("SketchGuard(width: 8)", &["too far"], 0.5..=0.5),
        ("ZenoPlusPlus()", &["wrong direction", "zero norm"], 1e-6..=1.0),
        ("Sentinel()", &["dissimilar"], 1e-6..=0.5),
        ("Sentinel(least_similarity: -1.0, least_trust: 0.8)", &["high loss"], 4.0 / 9.0..=0.5),
    ] {
        let (_, rows) = finish(&scenario(&[("defense", defense)]), &corpus(), 1);
        let judged: Vec<_> = rows.receipts.iter().filter(|row| !row.receiver_malicious).collect();
        let mut found: Vec<_> = judged.iter().filter_map(|row| row.reason).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, reasons, "{defense}");
        let mut merged = judged.iter().filter(|row| row.outcome == "merged").peekable();
        assert!(merged.peek().is_some() && merged.all(|row| weights.contains(&row.alpha)), "{defense}");
    }
}

#[test]
fn a_pools_row_tells_every_weight_and_whether_its_last_model_was_trimmed() {
    for defense in ["Gts()", "Krum()"] {
        let (_, rows) = finish(&scenario(&[("defense", defense)]), &corpus(), 1);
        let pooled: Vec<_> = rows.receipts.iter().filter(|row| row.outcome == "pooled").collect();
        assert!(pooled.iter().all(|row| row.weights.len() == 4), "{defense}: ⌈log₂ 12⌉ models");
        assert!(pooled.iter().all(|row| (row.reason == Some("trimmed")) == (row.weights[3] == 0.0)), "{defense}");
        assert!(pooled.iter().any(|row| row.reason.is_some()) && pooled.iter().any(|row| row.reason.is_none()), "{defense}");
    }
}
