//! A run is a pure function of scenario, data and seed: threads, records and evaluations change nothing, and golden fingerprints stay.

use crate::lockstep_rounds::{ATTACKS, DEFENSES, RANKERS, TIMING};
use crate::support::{corpus, finish, golden, plan, scenario};
use rankguard::instructions::Instructions;
use rankguard::rng::Seed;
use rankguard::timeline::{Loss, Plan, Timeline};

/// Everything at once: Poisson searches, log-normal delays, losses, churn, a sliding history.
const ASYNCHRONOUS: [(&str, &str); 6] = [
    ("arrivals", "Poisson(every: \"1min\")"),
    ("latency", "LogNormal(median: \"20s\", sigma: 1.0)"),
    ("loss", "0.05"),
    ("churn", "Alternating(online: Weibull(shape: 0.6, scale: \"10min\"), offline: LogNormal(median: \"3min\", sigma: 1.0))"),
    ("history", "Last(9)"),
    ("evaluate_every", "Time(\"7min\")"),
];

fn with(changes: &[(&'static str, &'static str)]) -> rankguard::scenario::Scenario {
    scenario(&[&ASYNCHRONOUS, changes].concat())
}

#[test]
fn any_number_of_threads_gives_the_same_rows_and_fingerprint() {
    for defense in ["RankGuard(kappa: 4.0)", "RankGuardRand(kappa: 4.0, share: 0.2)", "Undefended", "Oracle", "Local"] {
        let scenario = with(&[("defense", defense)]);
        let (one, rows) = finish(&scenario, &corpus(), 1);
        for threads in [2, 8] {
            let (more, more_rows) = finish(&scenario, &corpus(), threads);
            assert_eq!(one.fingerprint, more.fingerprint, "{defense} with {threads} threads");
            assert!(rows == more_rows, "{defense} with {threads} threads");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_whatever_attackers_do_with_time() {
    let alone = ATTACKS[8..].iter().map(|attack| (*attack, "()"));
    for (attack, attackers) in alone.chain(TIMING) {
        let scenario = with(&[("attack", attack), ("attackers", attackers)]);
        let (one, rows) = finish(&scenario, &corpus(), 1);
        for threads in [2, 8] {
            let (more, more_rows) = finish(&scenario, &corpus(), threads);
            assert!(one.fingerprint == more.fingerprint && rows == more_rows, "{attack} {attackers} with {threads} threads");
        }
    }
}

#[test]
fn copied_and_referenced_documents_give_the_same_rows_and_fingerprint() {
    let rules = ["RankGuard(kappa: 4.0)", "RankGuard(kappa: 4.0, calibrate: true)", "RankGuardRand(kappa: 4.0, share: 0.2)", "Ubar()"];
    for (defense, ranker) in rules.iter().flat_map(|rule| RANKERS.map(|ranker| (*rule, ranker))) {
        let changes = [("defense", defense), ("ranker", ranker), ("attack", "Adapt()")];
        let with = |rows| finish(&with(&[&changes[..], &[("history_rows", rows)]].concat()), &corpus(), 2);
        let ((copied, copied_rows), (referenced, referenced_rows)) = (with("Copied"), with("Referenced"));
        assert!(copied.fingerprint == referenced.fingerprint && copied_rows == referenced_rows, "{defense}, {ranker}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_rows_and_fingerprint() {
    for ranker in RANKERS {
        for defense in DEFENSES {
            let scenario = with(&[("defense", defense), ("ranker", ranker)]);
            let outcomes = Instructions::ALL.map(|set| {
                set.use_at_most();
                finish(&scenario, &corpus(), 2)
            });
            let [(first, rows), others @ ..] = &outcomes;
            for (other, other_rows) in others {
                assert!(first.fingerprint == other.fingerprint && rows == other_rows, "{ranker}, {defense}");
            }
        }
    }
}

#[test]
fn another_seed_gives_another_run() {
    assert_ne!(finish(&with(&[]), &corpus(), 1).0.fingerprint, finish(&with(&[("seed", "2")]), &corpus(), 1).0.fingerprint);
}

#[test]
fn what_is_recorded_does_not_change_the_run() {
    let little = with(&[("record", "(receipts: OneIn(3), searches: Nothing, evaluations: OneIn(2), models: Nothing)")]);
    let ((all, all_rows), (some, some_rows)) = (finish(&with(&[]), &corpus(), 2), finish(&little, &corpus(), 2));
    assert_eq!(all.fingerprint, some.fingerprint);
    assert!(some_rows.searches.is_empty() && some_rows.models.is_empty());
    assert!(some_rows.receipts.len() * 2 < all_rows.receipts.len() && !some_rows.receipts.is_empty());
    assert!(some_rows.receipts.iter().all(|row| all_rows.receipts.contains(row)));
    assert_eq!(all_rows.curve, some_rows.curve);
}

#[test]
fn how_often_models_are_looked_at_does_not_change_them() {
    // An evaluation empties every inbox: judging early or late, together or alone, must give the same bits.
    for (attack, attackers) in [("Flip", "()"), ("Stale(age: \"5min\")", "()")].into_iter().chain(TIMING) {
        let changes = [("attack", attack), ("attackers", attackers)];
        let models = |every| finish(&with(&[&changes[..], &[("evaluate_every", every)]].concat()), &corpus(), 2).1.models;
        let (often, rarely) = (models("Sessions(1)"), models("Sessions(1000)"));
        assert!(often.iter().map(|row| &row.theta).eq(rarely.iter().map(|row| &row.theta)), "{attack} {attackers}");
    }
}

#[test]
fn rows_come_in_step_order_and_add_up() {
    let (finished, rows) = finish(&with(&[]), &corpus(), 2);
    assert!(rows.receipts.is_sorted_by(|a, b| a.step < b.step && a.at_ns <= b.at_ns));
    assert!(rows.searches.is_sorted_by(|a, b| a.step < b.step && a.at_ns <= b.at_ns));
    assert!(rows.presence.is_sorted_by(|a, b| a.step < b.step && a.at_ns <= b.at_ns));
    let tally = &finished.tally;
    assert!(
        tally.is_conserved()
            && tally.lost_by(Loss::Offline) > 0
            && tally.lost_by(Loss::Transit) > 0
            && tally.skipped > 0
            && tally.in_flight > 0
    );
    assert_eq!(rows.searches.len(), 360);
    assert_eq!(rows.searches.iter().map(|row| row.sent as u64).sum::<u64>(), tally.sent);
    assert_eq!(rows.searches.iter().map(|row| row.lost as u64).sum::<u64>(), tally.lost_by(Loss::Transit));
    assert_eq!(rows.receipts.len() as u64, tally.delivered);
    assert_eq!(rows.evaluations.len(), rows.curve.len() * 9);
}

/// The steps of a scenario's network, with their fingerprint.
fn timeline(plan: Plan) -> (u64, Vec<rankguard::timeline::Step>) {
    let (mut timeline, mut steps) = (Timeline::new(plan), Vec::new());
    while timeline.advance(100, &mut steps) {}
    (timeline.fingerprint(), steps)
}

#[test]
fn two_defences_live_in_the_same_network() {
    for (_, attackers) in [("", "()")].into_iter().chain(TIMING) {
        let network = |defense| timeline(plan(&with(&[("defense", defense), ("attackers", attackers)])));
        assert!(network("RankGuard(kappa: 4.0)") == network("Local"), "{attackers}");
    }
    let rankguard = timeline(plan(&with(&[])));
    let other_seed = Plan { seed: Seed(99), ..plan(&with(&[])) };
    assert_ne!(rankguard.0, timeline(other_seed).0);
}

#[test]
fn fingerprints_stay_what_they_were() {
    // Whatever moves one of these moves results: the changes section of the README says why.
    let line = |ranker: &'static str, attack: &'static str, defense: &'static str| {
        let (finished, _) = finish(&with(&[("ranker", ranker), ("attack", attack), ("defense", defense)]), &corpus(), 2);
        format!("{} {ranker} {attack} {defense}\n", finished.fingerprint)
    };
    let mut lines = String::new();
    for ranker in RANKERS {
        lines.extend(DEFENSES.iter().map(|defense| line(ranker, "Flip", defense)));
        lines.extend(ATTACKS.iter().map(|attack| line(ranker, attack, "RankGuard(kappa: 4.0)")));
    }
    lines.extend(TIMING.iter().map(|(attack, attackers)| {
        let (finished, _) = finish(&with(&[("attack", attack), ("attackers", attackers)]), &corpus(), 2);
        format!("{} {attack} {attackers}\n", finished.fingerprint)
    }));
    golden("fingerprints.txt", &lines);
}
