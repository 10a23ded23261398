//! Models with weights that are NaN, infinite or huge: no rule is broken by them.

use crate::lockstep_rounds::{DEFENSES, RANKERS};
use crate::support::{corpus, finish, scenario, world};
use rankguard::node::{Node, Outcome, Reason, Received, Scratch, Verdict};
use rankguard::scenario::Scenario;
use rankguard::units::NodeId;

/// A node that has searched thirty times receives `models`, all from malicious senders; says its largest weight then, and the verdicts.
fn receive(ranker: &str, defense: &str, limit: &str, models: impl Fn(&[f32]) -> Vec<Vec<f32>>) -> (f32, Vec<Verdict>) {
    receive_in(&scenario(&[("ranker", ranker), ("defense", defense), ("weight_limit", limit)]), models)
}

fn receive_in(scenario: &Scenario, models: impl Fn(&[f32]) -> Vec<Vec<f32>>) -> (f32, Vec<Verdict>) {
    let corpus = corpus();
    let protocol = world(scenario).protocol(&corpus);
    let users = scenario.users.table(3).expect("three grades");
    let mut node = Node::fresh(NodeId(0), true, &protocol);
    for _ in 0..30 {
        node.on_search(&protocol, &users, &mut Scratch::default());
    }
    let models = models(node.theta());
    let inbox: Vec<Received> = models.iter().map(|theta| Received { theta, is_malicious: true }).collect();
    let verdicts = node.on_receive(&protocol, &inbox, &mut Scratch::default());
    assert!(node.theta().iter().all(|w| w.is_finite()), "{:?}", scenario.defense);
    (node.theta().iter().fold(0.0, |most, w| w.abs().max(most)), verdicts)
}

fn times(theta: &[f32], factor: f32) -> Vec<f32> {
    theta.iter().map(|w| w * factor).collect()
}

#[test]
fn what_is_not_finite_or_too_large_is_rejected_by_every_rule() {
    for ranker in RANKERS {
        for defense in DEFENSES {
            for (bad, reason) in [
                (f32::NAN, Reason::NotFinite),
                (f32::INFINITY, Reason::NotFinite),
                (f32::NEG_INFINITY, Reason::NotFinite),
                (1e30, Reason::TooLarge),
                (-1.1e6, Reason::TooLarge),
            ] {
                let spoilt = |own: &[f32]| own.iter().enumerate().map(|(i, &w)| if i == 3 { bad } else { w }).collect();
                let (most, verdicts) = receive(ranker, defense, "1e6", |own| vec![spoilt(own)]);
                let expect = if defense == "Local" { Outcome::Discarded } else { Outcome::Rejected(reason) };
                assert_eq!(verdicts[0].outcome, expect, "{defense}, {bad}");
                assert!(most < 10.0, "{defense}, {bad}: {most}");
            }
        }
    }
}

#[test]
fn undefended_nodes_merge_weights_of_any_size_but_nothing_that_is_not_finite() {
    let heavy = |defense: &str| {
        let changes = [("ranker", RANKERS[0]), ("defense", defense)];
        let (most, verdicts) = receive_in(&scenario(&changes), |own| vec![vec![1e7; own.len()]]);
        (most, verdicts[0].outcome)
    };
    let (most, outcome) = heavy("Undefended");
    assert!(outcome == Outcome::Merged && (4.9e6..5.1e6).contains(&most), "{outcome:?} {most:e}");
    for defense in DEFENSES.into_iter().filter(|defense| !matches!(*defense, "Undefended" | "Local")) {
        let (most, outcome) = heavy(defense);
        assert!(outcome == Outcome::Rejected(Reason::TooLarge) && most < 10.0, "{defense}: {outcome:?} {most:e}");
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let (most, verdicts) = receive_in(&scenario(&[("defense", "Undefended")]), |own| vec![vec![bad; own.len()]]);
        assert!(verdicts[0].outcome == Outcome::Rejected(Reason::NotFinite) && most < 10.0);
    }
}

#[test]
fn without_a_limit_one_huge_model_is_bounded_by_rules_that_measure_lengths_and_places() {
    // Three ordinary models fill the pool of four with the huge one.
    let pool = |huge: f32| move |own: &[f32]| vec![times(own, 0.9), times(own, 1.1), times(own, 0.8), times(own, huge)];
    for defense in DEFENSES {
        let most = [-1e30, 1e30].map(|huge| receive(RANKERS[0], defense, "inf", pool(huge)).0).into_iter().fold(0.0, f32::max);
        // RankGuard's weight is small but never 0, and a little of 1e30 is a lot.
        let is_swamped = defense == "Undefended" || defense.starts_with("RankGuard");
        assert!(if is_swamped { most > 1e10 } else { most < 10.0 }, "{defense}: {most:e}");
    }
}

#[test]
fn nothing_overflows_though_all_models_are_huge() {
    for ranker in RANKERS {
        for defense in DEFENSES {
            for huge in [1e30, 3e37, 2e38] {
                receive(ranker, defense, "inf", |own| [-huge, huge, huge, -huge, huge].map(|factor| times(own, factor)).to_vec());
            }
        }
    }
}

#[test]
fn a_whole_run_stands_under_huge_models() {
    for defense in DEFENSES {
        let run = |attack, share| {
            let changes = [("attack", attack), ("defense", defense), ("malicious_share", share)];
            finish(&scenario(&changes), &corpus(), 2).0
        };
        let huge = run("Ipm(form: NegatedModel, epsilon: 1e30)", "0.25");
        // Undefended nodes take whatever is finite, as the paper's do.
        let is_limited = defense != "Undefended";
        assert_eq!(huge.last.ndcg_mean > 0.9, is_limited, "{defense}: {}", huge.last.ndcg_mean);
        assert!(huge.last.ndcg_mean.is_finite() && (huge.n_implausible > 0 || matches!(defense, "Local" | "Undefended")), "{defense}");
    }
}
