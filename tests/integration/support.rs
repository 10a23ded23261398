//! Small scenarios, corpora and golden files that all other tests share.

use ndarray::Array2;
use rankguard::corpus::{Corpus, Split};
use rankguard::record::MemoryRecorder;
use rankguard::rng::{Purpose, Seed, uniform};
use rankguard::run::{Finished, Params, run};
use rankguard::scenario::Scenario;
use rankguard::timeline::Plan;
use rankguard::world::World;
use std::path::Path;

/// A scenario of 12 nodes in rounds, 3 of them malicious, with the given fields instead of its own.
pub fn scenario(changes: &[(&str, &str)]) -> Scenario {
    Scenario::parse(&text(changes), "test.ron").expect("a test's scenario is right")
}

/// The same as it is written.
pub fn text(changes: &[(&str, &str)]) -> String {
    let mut fields = vec![
        ("name", "\"test\""),
        ("seed", "1"),
        ("nodes", "12"),
        ("malicious_share", "0.25"),
        ("stop", "Sessions(360)"),
        ("evaluate_every", "Sessions(120)"),
        ("dataset", "Synthetic(like: Mq2007, train_queries: 1, test_queries: 1)"),
        ("shown", "10"),
        ("ndcg_cutoff", "10"),
        ("users", "Perfect"),
        ("ranker", "Linear(eta: 0.1)"),
        ("defense", "RankGuard(kappa: 4.0)"),
        ("attack", "Flip"),
        ("malicious_aggregate", "Never"),
        ("arrivals", "RoundRobin(period: \"1min\")"),
        ("record", "(models: Last)"),
    ];
    for (name, value) in changes {
        fields.retain(|(field, _)| field != name);
        fields.push((name, value));
    }
    let lines: Vec<String> = fields.iter().map(|(name, value)| format!("    {name}: {value},\n")).collect();
    format!("(\n{})\n", lines.concat())
}

/// The world that it describes.
pub fn world(scenario: &Scenario) -> World {
    scenario.resolve().unwrap_or_else(|error| panic!("a test's scenario is right: {error}"))
}

/// Its network's plan.
pub fn plan(scenario: &Scenario) -> Plan {
    Plan::clone(world(scenario).plan())
}

/// A quarter of the features tell the three grades, with noise; the rest say nothing.
pub fn corpus() -> Corpus {
    Corpus { train: split(60, 1), test: split(40, 2), n_grades: 3 }
}

fn split(n_queries: u32, salt: u64) -> Split {
    let d = 12;
    let mut rng = Seed(salt).rng(Purpose::SyntheticWorld, 0, 0);
    let (mut features, mut grades, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for q in 0..n_queries {
        for _ in 0..8 + q % 9 {
            let u = uniform(&mut rng);
            let grade = u8::from(u > 0.6) + u8::from(u > 0.85);
            grades.push(grade);
            for f in 0..d {
                let signal = if f % 4 == 0 { f32::from(grade) * 0.25 } else { 0.0 };
                features.push(signal + 0.5 * uniform(&mut rng) as f32);
            }
        }
        starts.push(grades.len() as u32);
    }
    Split::new(Array2::from_shape_vec((grades.len(), d), features).expect("whole rows"), grades, starts)
}

/// Compares with a text under tests/golden, or rewrites it with UPDATE_GOLDEN=1.
#[track_caller]
pub fn golden(name: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, got).expect("golden files are writable");
    }
    let want = std::fs::read_to_string(&path).expect("run with UPDATE_GOLDEN=1 to make it");
    assert!(got == want, "{name} moved:\n{got}");
}

/// Runs to the end in memory.
pub fn finish(scenario: &Scenario, corpus: &Corpus, threads: usize) -> (Finished, MemoryRecorder) {
    let mut rows = MemoryRecorder::default();
    let finished = run(&world(scenario), Params { threads, ..Params::new(corpus, &mut rows) }).expect("the run succeeds");
    (finished, rows)
}
