//! Figures of the tables, computed a second time from other rows or from the models: α, AUC, provenance, exposure and pull.

use crate::support::{corpus, finish, scenario, world};
use rankguard::corpus::Split;
use rankguard::node::{History, Node, Received, Scratch};
use rankguard::record::{CurveRow, MemoryRecorder};
use rankguard::units::NodeId;

/// The weights that honest receivers gave within an interval, to honest and to malicious senders, from the rows of receipts alone.
fn weights(rows: &MemoryRecorder, (from, to): (&CurveRow, &CurveRow)) -> [Vec<f64>; 2] {
    let mut given = [Vec::new(), Vec::new()];
    for (i, row) in rows.receipts.iter().enumerate().filter(|(_, row)| from.step < row.step && row.step <= to.step) {
        if row.receiver_malicious || row.outcome == "buffered" {
            continue;
        }
        // A pool is the row that filled it and those of the same receiver that were buffered before.
        let before = rows.receipts[..i].iter().rev().filter(|other| other.receiver == row.receiver);
        let n_before = row.weights.len().saturating_sub(1);
        let pool = before.filter(|other| other.outcome == "buffered").take(n_before).collect::<Vec<_>>().into_iter().rev().chain([row]);
        let alone = [row.alpha];
        let weights = if row.weights.is_empty() { &alone[..] } else { &row.weights[..] };
        for (weight, of) in weights.iter().zip(pool).filter(|(_, of)| !of.noop) {
            given[usize::from(of.sender_malicious)].push(*weight);
        }
    }
    given
}

/// Every pair of an honest and a malicious weight, ties counting half.
fn auc([honest, malicious]: &[Vec<f64>; 2]) -> f64 {
    let wins = honest.iter().flat_map(|h| malicious.iter().map(move |m| if h > m { 1.0 } else { f64::from(u8::from(h == m)) / 2.0 }));
    wins.sum::<f64>() / (honest.len() * malicious.len()) as f64
}

#[test]
fn alphas_and_auc_are_those_of_the_receipts() {
    // Under IPM's step many messages change nothing: what is left out must be those and no others.
    for defense in ["Cs()", "Gts()", "Cwtm()", "Krum()", "Median", "Ubar()", "RankGuard(kappa: 4.0)", "FlTrust", "Undefended"] {
        let changes = [("attack", "Ipm(form: Step, epsilon: 10.0)"), ("defense", defense), ("users", "Navigational")];
        let (_, rows) = finish(&scenario(&changes), &corpus(), 2);
        assert!(rows.receipts.iter().any(|row| row.noop && !row.receiver_malicious), "{defense}: something to leave out");
        for pair in rows.curve.windows(2) {
            let given = weights(&rows, (&pair[0], &pair[1]));
            let mean = |kind: usize| given[kind].iter().sum::<f64>() / given[kind].len() as f64;
            for (got, want) in [(pair[1].alpha_honest, mean(0)), (pair[1].alpha_malicious, mean(1)), (pair[1].auc, auc(&given))] {
                assert!(got.is_some_and(|got| (got - want).abs() < 1e-12), "{defense}: {got:?}, not {want}");
            }
        }
    }
}

/// t from the formulas in f64: X from the remembered sessions, both models at the scale that explains these best.
fn calibrated_t(history: &History, train: &Split, own: &[f32], received: &[f32]) -> f64 {
    let sessions: Vec<Vec<(f64, f64, f64)>> = history
        .evidence(train)
        .map(|session| {
            let d = own.len();
            let score = |document: usize, theta: &[f32]| -> f64 {
                session.documents[document * d..][..d].iter().zip(theta).map(|(&x, &w)| f64::from(x) * f64::from(w)).sum()
            };
            let margin = |winner, loser, theta: &[f32]| score(winner, theta) - score(loser, theta);
            session.preferences.iter().map(|&(w, l, rho)| (rho, margin(w, l, own), margin(w, l, received))).collect()
        })
        .collect();
    let log_sigmoid = |x: f64| if x < 0.0 { x - x.exp().ln_1p() } else { -(-x).exp().ln_1p() };
    // The best scale by a golden section on its logarithm: the sum is unimodal in it.
    let best = |which: fn(&(f64, f64, f64)) -> f64| {
        let total = |log_tau: f64| -> f64 { sessions.iter().flatten().map(|p| p.0 * log_sigmoid(log_tau.exp() * which(p))).sum() };
        let (mut low, mut high) = (1e-3f64.ln(), 1e3f64.ln());
        let share = (5f64.sqrt() - 1.0) / 2.0;
        for _ in 0..200 {
            let (a, b) = (high - share * (high - low), low + share * (high - low));
            if total(a) > total(b) { high = b } else { low = a }
        }
        (0.5 * (low + high)).exp()
    };
    let (tau_u, tau_v) = (best(|p| p.1), best(|p| p.2));
    let x: Vec<f64> = sessions
        .iter()
        .map(|session| session.iter().map(|&(rho, u, v)| rho * (log_sigmoid(tau_v * v) - log_sigmoid(tau_u * u))).sum())
        .collect();
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let sd = (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    n.sqrt() * mean / sd
}

#[test]
fn calibration_asks_only_the_sessions_that_are_remembered() {
    let changes = [("defense", "RankGuard(kappa: 4.0, calibrate: true)"), ("history", "Last(9)")];
    let (scenario, corpus) = (scenario(&changes), corpus());
    let protocol = world(&scenario).protocol(&corpus);
    let users = scenario.users.table(3).expect("three grades");
    let mut nodes: Vec<Node> = (0..2).map(|id| Node::fresh(NodeId(id), true, &protocol)).collect();
    let (mut checked, mut scratch) = (0, Scratch::default());
    for round in 0..60 {
        nodes.iter_mut().for_each(|node| {
            node.on_search(&protocol, &users, &mut scratch);
        });
        let sent = nodes[1].theta().to_vec();
        let own = nodes[0].theta().to_vec();
        let want = calibrated_t(nodes[0].history(), &corpus.train, &own, &sent);
        let verdict = &nodes[0].on_receive(&protocol, &[Received { theta: &sent, is_malicious: false }], &mut scratch)[0];
        if round >= 2 {
            let t = verdict.t.expect("enough sessions");
            assert!((t - want).abs() < 1e-3 * want.abs().max(1.0), "round {round}: t = {t}, not {want}");
            assert_eq!(verdict.n_judged, (round + 1).min(9));
            checked += 1;
        }
    }
    assert_eq!(checked, 58);
}

#[test]
fn a_received_model_equal_to_the_own_one_is_undecided() {
    for defense in ["RankGuard(kappa: 4.0)", "RankGuard(kappa: 4.0, calibrate: true)", "RankGuardRand(kappa: 4.0, share: 0.5)"] {
        let (scenario, corpus) = (scenario(&[("defense", defense)]), corpus());
        let protocol = world(&scenario).protocol(&corpus);
        let users = scenario.users.table(3).expect("three grades");
        let mut nodes: Vec<Node> = (0..3).map(|id| Node::fresh(NodeId(id), true, &protocol)).collect();
        let mut scratch = Scratch::default();
        for _ in 0..40 {
            nodes.iter_mut().for_each(|node| {
                node.on_search(&protocol, &users, &mut scratch);
            });
            // Merges let the margins round otherwise than those of fresh scores.
            for sender in [1, 2] {
                let sent = nodes[sender].theta().to_vec();
                nodes[0].on_receive(&protocol, &[Received { theta: &sent, is_malicious: false }], &mut scratch);
            }
            let own = nodes[0].theta().to_vec();
            let verdict = &nodes[0].on_receive(&protocol, &[Received { theta: &own, is_malicious: true }], &mut scratch)[0];
            assert_eq!((verdict.t, verdict.alpha), (None, 0.5), "{defense}");
            assert_eq!(nodes[0].theta(), own, "{defense}");
            // At its best scale a smaller copy is the same model, too.
            let smaller: Vec<f32> = own.iter().map(|w| 0.3 * w).collect();
            let mut judge = nodes[0].clone();
            let verdict = &judge.on_receive(&protocol, &[Received { theta: &smaller, is_malicious: true }], &mut scratch)[0];
            let may_tell = !defense.contains("calibrate");
            assert!(verdict.t.is_some() == may_tell || nodes[0].history().len() <= 2, "{defense}: {:?}", verdict.t);
        }
    }
}

#[test]
fn receipts_tell_how_many_sessions_a_model_was_judged_by() {
    #[track_caller]
    fn check(defense: &str, judged: impl Fn(usize) -> usize) {
        let (_, rows) = finish(&scenario(&[("defense", defense)]), &corpus(), 1);
        for row in rows.receipts.iter().filter(|row| !row.receiver_malicious && row.outcome != "buffered") {
            let searches = rows.searches.iter().filter(|search| search.node == row.receiver && search.step < row.step).count();
            assert_eq!(row.judged_sessions as usize, judged(searches), "{defense} after {searches}");
        }
    }
    check("RankGuard(kappa: 4.0)", |n| n);
    check("RankGuardRand(kappa: 4.0, share: 0.2)", |n| n.div_ceil(5).max(2).min(n));
    check("FlTrust", |n| n);
    check("Ubar()", |n| n);
    check("Gts()", |_| 0);
    check("Undefended", |_| 0);
}

#[test]
fn provenance_is_followed_only_where_a_table_asks_and_changes_nothing() {
    let nothing = "(evaluations: Nothing, receipts: Nothing, curve: Nothing)";
    let (without, _) = finish(&scenario(&[("record", nothing)]), &corpus(), 1);
    let (with, rows) = finish(&scenario(&[]), &corpus(), 1);
    assert_eq!((without.last.exposure, without.last.pull, without.last.age_ns), (None, None, None));
    assert_eq!(without.fingerprint, with.fingerprint);
    assert!(with.last.exposure.is_some());
    // The curve's means are over the rows of evaluations.
    let last: Vec<_> = rows.evaluations.iter().filter(|row| row.evaluation == with.last.evaluation).collect();
    let mean = |of: Vec<Option<f64>>| of.iter().map(|v| v.expect("a value")).sum::<f64>() / of.len() as f64;
    let close = |a: Option<f64>, b: f64| (a.expect("a value") - b).abs() < 1e-12 * b.abs().max(1.0);
    assert!(close(with.last.exposure, mean(last.iter().map(|row| row.exposure).collect())));
    assert!(close(with.last.pull, mean(last.iter().map(|row| row.pull).collect())));
}

#[test]
fn a_flip_attacker_that_poses_as_honest_has_a_model_for_each_face() {
    let windows = "(active: Windows(first: \"10min\", on: \"5min\", off: \"5min\", meanwhile: Honest))";
    let (_, rows) = finish(&scenario(&[("attackers", windows), ("defense", "Undefended")]), &corpus(), 1);
    let minute = 60_000_000_000;
    let attacks = |at_ns: i64| at_ns >= 10 * minute && (at_ns / minute) % 10 < 5;
    let from_attackers: Vec<_> = rows.receipts.iter().filter(|row| row.sender_malicious).collect();
    let (attacking, posing): (Vec<_>, Vec<_>) = from_attackers.into_iter().partition(|row| attacks(row.sent_ns));
    assert!(attacking.len() > 50 && posing.len() > 50);
    assert!(posing.iter().all(|row| row.exposure == Some(0.0)), "the honest face knows nothing of the other");
    // Of the poisoned model only the random beginning, 0.01 long, is honest: nothing that the node learned while it posed.
    let taught = attacking.iter().filter(|row| row.sent_ns > 12 * minute);
    assert!(
        taught.clone().count() > 20 && taught.clone().all(|row| row.exposure > Some(0.8)),
        "{:?}",
        taught.map(|row| row.exposure).collect::<Vec<_>>()
    );
}

#[test]
fn exposure_and_pull_tell_who_was_harmed() {
    let run = |defense| finish(&scenario(&[("defense", defense)]), &corpus(), 1).0.last;
    let (none, rankguard, oracle) = (run("Undefended"), run("RankGuard(kappa: 4.0)"), run("Oracle"));
    assert!(none.exposure > Some(0.3) && none.pull < Some(-0.3), "{:?} {:?}", none.exposure, none.pull);
    assert!(rankguard.exposure < Some(0.1) && rankguard.ndcg_mean > none.ndcg_mean + 0.1);
    assert_eq!((oracle.exposure, oracle.pull), (Some(0.0), Some(0.0)));
}
