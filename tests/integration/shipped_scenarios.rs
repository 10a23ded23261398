//! All scenarios under scenarios/ run, and learning pays on their synthetic data.

use crate::support::{finish, world};
use rankguard::corpus::{Corpus, Dataset, Shape};
use rankguard::node::Defense;
use rankguard::record::{Models, Record, Sampling};
use rankguard::run::run_network;
use rankguard::scenario::Scenario;
use rankguard::units::Extent;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Whether a file is a sweep, which names the scenario that it varies.
fn is_sweep(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains("\n    base: "))
}

fn shipped() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("scenarios are readable") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                // Sweeps are no scenarios.
                _ if path.ends_with("scenarios/sweeps") => {}
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "ron" && !is_sweep(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn every_shipped_scenario_runs_a_little() {
    assert!(shipped().len() >= 2);
    for path in shipped() {
        let mut scenario = Scenario::read(&path).unwrap_or_else(|e| panic!("{e}"));
        scenario.stop = Extent::Sessions(300);
        scenario.evaluate_every = Extent::Sessions(100);
        if let Dataset::Synthetic { train_queries, test_queries, .. } = &mut scenario.dataset {
            (*train_queries, *test_queries) = (40, 10);
        }
        // Crowds, faults and attackers that come later than that are left out: no run may name a time that never comes.
        if let Err(error) = scenario.resolve() {
            assert!(error.to_string().lines().all(|line| line.contains("but the run ends after about")), "{error}");
            (scenario.attackers, scenario.crowds, scenario.faults) = (Default::default(), vec![], vec![]);
        }
        let corpus = Corpus::load(&scenario.dataset).expect("its data is at hand");
        let (finished, rows) = finish(&scenario, &corpus, 2);
        assert_eq!(finished.tally.searches, 300, "{}", path.display());
        assert!(rows.evaluations.iter().all(|row| (0.0..=1.0).contains(&row.ndcg)), "{}", path.display());
    }
}

#[test]
fn conservation_holds_in_every_shipped_scenario() {
    for path in shipped() {
        let scenario = Scenario::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let network = run_network(&world(&scenario), &mut |_| ControlFlow::Continue(())).expect("nobody interrupts it");
        assert!(network.tally.is_conserved() && network.tally.delivered > 0, "{}", path.display());
    }
}

/// Rounds of the paper with perfect users on synthetic data; says the random, the local and the shared nDCG@10.
fn gaps(shape: Shape) -> (f64, f64, f64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/paper/round-robin.ron");
    let scenario = Scenario {
        dataset: Dataset::Synthetic { like: shape, train_queries: 2_000, test_queries: 500, seed: 1 },
        evaluate_every: Extent::Sessions(30_000),
        record: Record { receipts: Sampling::Nothing, searches: Sampling::Nothing, models: Models::Nothing, ..Record::default() },
        ..Scenario::read(&path).expect("it is shipped")
    };
    let corpus = Corpus::load(&scenario.dataset).expect("it is made");
    let last = |defense| finish(&Scenario { defense, ..scenario.clone() }, &corpus, 2).0.last;
    let (local, oracle) = (last(Defense::Local), last(Defense::Oracle));
    (local.ndcg_random, local.ndcg_mean, oracle.ndcg_mean)
}

#[test]
fn on_synthetic_data_learning_pays_and_sharing_pays_more() {
    for shape in [Shape::Web30k, Shape::Mq2007, Shape::Yahoo, Shape::Istella] {
        let (random, local, oracle) = gaps(shape);
        assert!(local - random >= 0.03 && oracle - local >= 0.03, "{shape:?}: random {random:.3}, local {local:.3}, oracle {oracle:.3}");
    }
}
