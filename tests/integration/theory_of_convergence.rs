//! The paper's effective in-degree and the spread of models, computed a second time from other tables of the same runs.

use rankguard::paper::{Stretch, THEOREM_NOTE, Theory, theory_figures, theory_of, theory_rows};
use rankguard::record::{CurveRow, Reader, ReceiptRow, read_models};
use rankguard::report::Plot;
use rankguard::run::{Job, job};
use rankguard::scenario::Scenario;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A short run of the paper's setting with few nodes, which keeps its receipts and models.
fn run(root: &Path, name: &str, changes: &[&str]) -> PathBuf {
    let common = [
        "nodes=20",
        "stop=Sessions(600)",
        "evaluate_every=Sessions(100)",
        "dataset=Synthetic(like: Mq2007, train_queries: 20, test_queries: 5)",
        "record=(models: Every(evaluations: 1))",
    ];
    let set: Vec<String> = common.iter().chain(changes).map(ToString::to_string).collect();
    let text = include_bytes!("../../scenarios/paper/detached.ron");
    let world = Scenario::read_from(&text[..], "detached.ron", &set).and_then(|scenario| scenario.resolve()).expect("it is valid");
    let folder = root.join(name);
    job(&world, Job::into(&folder)).expect("it runs");
    folder
}

const NO_ATTACK: [&str; 3] = ["attack=NoAttack", "malicious_share=0.0", "malicious_aggregate=None"];

fn of(folders: &[PathBuf]) -> Theory {
    theory_of(folders).expect("everything was recorded")
}

#[test]
fn weights_are_those_of_the_curve_and_distances_those_of_the_models() {
    let root = TempDir::new().expect("a folder");
    let folder = run(root.path(), "ipm", &["attack=Ipm(form: Step, epsilon: 10.0)", "defense=RankGuard(kappa: 4.0)"]);
    let theory = of(std::slice::from_ref(&folder));
    let [run] = &theory.runs[..] else { panic!("one run") };
    assert_eq!((run.attack.as_str(), run.defense.as_str(), run.n_nodes, run.n_honest), ("IPM", "RankGuard", 20, 16));
    let curve: Vec<CurveRow> = Reader::open(&folder).and_then(|table| table.rows(..)?.collect()).expect("a curve");
    assert_eq!(run.intervals.len() + 1, curve.len());
    for (part, row) in run.intervals.iter().zip(&curve[1..]) {
        let (honest, malicious) = (row.alpha_honest.expect("some came"), row.alpha_malicious.unwrap_or(0.0));
        assert!((part.honest.weights.mean() - honest).abs() < 1e-12 && (part.malicious.mean() - malicious).abs() < 1e-12);
        // â of all judgements is the mean of both, by their numbers.
        let (n_honest, n_malicious) = (part.honest.weights.n as f64, part.malicious.n as f64);
        let mean = (honest * n_honest + malicious * n_malicious) / (n_honest + n_malicious);
        assert!((part.assumed.weights.mean() - mean).abs() < 1e-12);
        assert_eq!(part.to, row.sessions);
    }
    let receipts: Vec<ReceiptRow> = Reader::open(&folder).and_then(|table| table.rows(..)?.collect()).expect("receipts");
    let judged: Vec<f64> = receipts.iter().filter(|row| !row.receiver_malicious && !row.noop).map(|row| row.alpha).collect();
    // 1/(s* + 1) is the mean sum of the squared weights of all merges.
    let squares = judged.iter().map(|alpha| (1.0 - alpha).powi(2) + alpha.powi(2)).sum::<f64>() / judged.len() as f64;
    let whole = &run.whole.assumed;
    assert_eq!(whole.weights.n, judged.len() as u64);
    assert!((whole.weights.effective_in_degree().expect("some came") - (1.0 / squares - 1.0)).abs() < 1e-12);

    let malicious: Vec<i32> = receipts.iter().filter(|row| row.sender_malicious).map(|row| row.sender).collect();
    let models = read_models(&folder, Some(6)).expect("models");
    let honest: Vec<Vec<f32>> = models.into_iter().filter(|(node, _)| !malicious.contains(node)).map(|(_, theta)| theta).collect();
    assert_eq!(honest.len(), 16);
    // The mean squared distance from the mean is half of that of two models.
    let apart = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    let pairs: f64 = honest.iter().flat_map(|a| honest.iter().map(|b| apart(a, b))).sum();
    let measured = run.intervals[5].measured.expect("it is finite");
    assert!((measured.spread / (pairs / 2.0 / 256.0) - 1.0).abs() < 1e-4, "{measured:?}");
    assert!(run.intervals.iter().all(|part| part.assumed.distance.is_none()), "there is nothing to compare with");
}

#[test]
fn undefended_nodes_have_an_in_degree_of_one_and_agree_as_expected() {
    let root = TempDir::new().expect("a folder");
    let with = |more: &str| NO_ATTACK.into_iter().chain([more]).map(String::from).collect::<Vec<_>>();
    let run = |name: &str, changes: Vec<String>| run(root.path(), name, &changes.iter().map(String::as_str).collect::<Vec<_>>());
    let none = run("none", with("defense=Undefended"));
    let guarded = run("guarded", with("defense=RankGuard(kappa: 4.0)"));
    let flip = run("flip", vec!["attack=Flip".into(), "defense=Undefended".into()]);
    let oracle = run("oracle", vec!["attack=Flip".into(), "defense=Oracle".into()]);
    let theory = of(&[none, guarded, flip, oracle]);
    // Whoever attacks, every α is ½ under None, and s* does not see the attack.
    let (n, s) = theory.undefended().expect("two runs are undefended");
    assert!(n > 5_000 && s == 1.0, "{n} {s}");
    let [none, guarded, flip, oracle] = &theory.runs[..] else { panic!("four runs") };
    for part in &none.intervals {
        let relative = part.measured.expect("it is finite").relative;
        assert!((part.assumed.distance.expect("it is known") / relative - 1.0).abs() < 1e-9, "it agrees with itself");
        assert_eq!(part.assumed, part.honest);
    }
    // The theorem's column forgets who sent a model: Oracle mixes fully among honest nodes.
    assert_eq!(oracle.whole.honest.weights.effective_in_degree(), Some(1.0));
    assert!(oracle.whole.assumed.weights.effective_in_degree().is_some_and(|s| s < 0.9));
    assert_eq!(oracle.whole.malicious.mean(), 0.0);
    assert_eq!(flip.whole.assumed.constant, none.whole.assumed.constant);
    // RankGuard merges less, so that more of the spread is left.
    let left = |part: &Stretch| part.honest.constant.expect("some came");
    assert!(left(&guarded.whole) > left(&none.whole), "{guarded:?}");

    let rows = theory_rows(&theory);
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    assert_eq!(rows[1][..3], ["no attack", "None", "1"]);
    let figures = theory_figures(&theory);
    assert_eq!(figures.iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>(), ["effective-in-degree", "consensus-distance"]);
    for (figure, n_panels) in figures.iter().zip([1 + 3, 4]) {
        assert!(figure.notes.contains(&THEOREM_NOTE.to_string()));
        assert!(matches!(&figure.plot, Plot::Panels(panels) if panels.len() == n_panels), "{}", figure.id);
    }
    let json = serde_json::to_value(&theory).expect("it is data");
    assert_eq!(json["runs"][0]["whole"]["assumed"]["weights"]["effective_in_degree"], 1.0);
}

#[test]
fn what_cannot_be_computed_is_said() {
    let root = TempDir::new().expect("a folder");
    let refused = |folder: PathBuf| theory_of(&[folder]).expect_err("something is missing").to_string();
    let pooled = run(root.path(), "pooled", &["attack=Flip", "defense=Cwtm()"]);
    assert!(refused(pooled).contains("its rule pools models"));
    let last = run(root.path(), "last", &["attack=Flip", "record=(models: Last)"]);
    assert!(refused(last).contains("models of fewer than two evaluations"));
    let unrecorded = run(root.path(), "unrecorded", &["attack=Flip", "record=(receipts: Nothing, models: Every(evaluations: 1))"]);
    assert!(refused(unrecorded).contains("receipts"));
}
