//! Evaluations of a sample of nodes and queries, and at other intervals at the end of a run. Nothing else in the run changes.

use crate::support::{corpus, finish, scenario};
use rankguard::record::MemoryRecorder;
use rankguard::run::Finished;
use std::collections::BTreeSet;

const RECORD: (&str, &str) = ("record", "(models: Every(evaluations: 1))");

fn run(changes: &[(&str, &str)]) -> (Finished, MemoryRecorder) {
    finish(&scenario(&[&[RECORD], changes].concat()), &corpus(), 2)
}

/// The nodes of each evaluation.
fn nodes(rows: &MemoryRecorder) -> Vec<BTreeSet<i32>> {
    let of = |evaluation| rows.evaluations.iter().filter(|row| row.evaluation == evaluation).map(|row| row.node).collect();
    rows.curve.iter().map(|row| of(row.evaluation)).collect()
}

#[test]
fn a_sample_of_everything_is_everything() {
    let (all, all_rows) = run(&[]);
    let (same, same_rows) = run(&[("evaluate", "(nodes: Sample(9), queries: Sample(40))")]);
    assert!(all.fingerprint == same.fingerprint && all_rows == same_rows);
    assert!(all_rows.curve.iter().all(|row| row.evaluated == row.evaluated_of && row.queries == row.queries_of && row.queries > 30));
}

#[test]
fn a_thinned_run_is_the_same_run() {
    let (full, full_rows) = run(&[]);
    for (evaluate, n_nodes, n_queries) in
        [("(nodes: Sample(4))", 4, None), ("(nodes: Sample(1), queries: Sample(7))", 1, Some(7)), ("(queries: Sample(1))", 9, Some(1))]
    {
        let (thinned, rows) = run(&[("evaluate", evaluate)]);
        assert_eq!(thinned.fingerprint, full.fingerprint, "{evaluate}");
        assert!(rows.searches == full_rows.searches && rows.receipts == full_rows.receipts, "{evaluate}");
        assert!(rows.models == full_rows.models, "{evaluate}: models are kept whether evaluated or not");
        for row in &rows.curve {
            assert_eq!((row.evaluated, row.evaluated_of, row.queries_of), (n_nodes, 9, full_rows.curve[0].queries), "{evaluate}");
            assert_eq!(row.queries, n_queries.unwrap_or(row.queries_of), "{evaluate}");
        }
    }
}

#[test]
fn more_evaluations_at_the_end_change_no_model() {
    let (_, full) = run(&[]);
    let (_, rows) = run(&[("evaluate", "(last: (evaluations: 30, every: Sessions(1)))")]);
    let last = |rows: &MemoryRecorder| rows.models.iter().rev().take(12).map(|row| row.theta.clone()).collect::<Vec<_>>();
    let weights =
        |rows: &MemoryRecorder| rows.receipts.iter().map(|row| (row.receiver, row.sender, row.alpha.to_bits())).collect::<Vec<_>>();
    assert!(rows.curve.len() > full.curve.len() + 20 && last(&rows) == last(&full) && weights(&rows) == weights(&full));
    let end = |rows: &MemoryRecorder| rows.evaluations.iter().rev().take(9).map(|row| row.ndcg.to_bits()).collect::<Vec<_>>();
    assert_eq!(end(&rows), end(&full));
}

#[test]
fn the_same_nodes_are_evaluated_every_time_with_the_figures_of_a_full_evaluation() {
    let (_, full) = run(&[]);
    let (_, rows) = run(&[("evaluate", "(nodes: Sample(4))")]);
    let nodes = nodes(&rows);
    assert!(nodes.len() == 4 && nodes.iter().all(|sample| sample.len() == 4 && *sample == nodes[0]), "{nodes:?}");
    assert!(rows.evaluations.iter().all(|row| full.evaluations.contains(row)));
    for row in &rows.curve {
        let values: Vec<f64> = rows.evaluations.iter().filter(|of| of.evaluation == row.evaluation).map(|of| of.ndcg).collect();
        assert!((row.ndcg_mean - values.iter().sum::<f64>() / 4.0).abs() < 1e-15);
        assert_eq!(row.ndcg_random, full.curve[0].ndcg_random, "all queries are ranked");
    }
    let others: BTreeSet<_> =
        (1..9).map(|seed| self::nodes(&run(&[("evaluate", "(nodes: Sample(4))"), ("seed", &seed.to_string())]).1)[0].clone()).collect();
    assert!(others.len() > 4, "the seed draws the sample: {others:?}");
}

#[test]
fn sampled_queries_have_their_own_random_ranking() {
    let random = |n: u32| run(&[("evaluate", &format!("(queries: Sample({n}))"))]).1.curve[0].ndcg_random;
    assert!(random(1) != random(2) && random(2) != random(40));
}

#[test]
fn sampled_newcomers_are_left_out_until_they_join() {
    let newcomers = [
        ("arrivals", "Poisson(every: \"1min\")"),
        ("crowds", "[Join(at: \"10min\", share: 0.5, within: \"10min\")]"),
        ("stop", "Time(\"30min\")"),
        ("evaluate_every", "Time(\"5min\")"),
    ];
    let (_, full) = run(&newcomers);
    let (_, rows) = run(&[&newcomers[..], &[("evaluate", "(nodes: Sample(6))")]].concat());
    let (all, sampled) = (nodes(&full), nodes(&rows));
    let chosen = sampled.last().expect("an evaluation");
    assert_eq!(chosen.len(), 6);
    for ((all, sampled), row) in all.iter().zip(&sampled).zip(&rows.curve) {
        assert_eq!(*sampled, all & chosen);
        assert_eq!((row.evaluated as usize, row.evaluated_of as usize), (sampled.len(), all.len()));
    }
    assert!(sampled[0].len() < 6);
}

#[test]
fn the_last_evaluations_come_at_their_own_moments() {
    let sessions = |every: &str, last: &str| -> Vec<i64> {
        let (_, rows) = run(&[("evaluate_every", every), ("evaluate", last)]);
        rows.curve.iter().map(|row| row.sessions).collect()
    };
    assert_eq!(sessions("Sessions(100)", "(last: (evaluations: 3, every: Sessions(12)))"), [0, 100, 200, 300, 336, 348, 360]);
    assert_eq!(sessions("Sessions(112)", "(last: (evaluations: 3, every: Sessions(12)))"), [0, 112, 224, 336, 348, 360]);
    assert_eq!(
        sessions("Sessions(7)", "(last: (evaluations: 9, every: Sessions(100)))"),
        [0, 7, 14, 21, 28, 35, 42, 49, 56, 60, 160, 260, 360]
    );

    let minutes = |every: &str, last: &str| -> Vec<i64> {
        let (_, rows) = run(&[("stop", "Time(\"30min\")"), ("evaluate_every", every), ("evaluate", last)]);
        assert!(rows.curve.iter().all(|row| row.at_ns % 60_000_000_000 == 0));
        rows.curve.iter().map(|row| row.at_ns / 60_000_000_000).collect()
    };
    assert_eq!(minutes("Time(\"12min\")", "()"), [0, 12, 24, 30]);
    assert_eq!(minutes("Time(\"12min\")", "(last: (evaluations: 4, every: Time(\"2min\")))"), [0, 12, 24, 26, 28, 30]);
    assert_eq!(minutes("Time(\"11min\")", "(last: (evaluations: 4, every: Time(\"2min\")))"), [0, 11, 22, 24, 26, 28, 30]);
    assert_eq!(minutes("Time(\"11min\")", "(last: (evaluations: 99, every: Time(\"10min\")))"), [0, 10, 20, 30]);
}
