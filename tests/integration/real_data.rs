//! Tests on real data, in the folder that `RANKGUARD_DATA` names or in `data`. Without the data they are skipped.

use crate::support::{finish, plan, scenario};
use rankguard::corpus::{Corpus, Dataset, Normalize};
use rankguard::timeline::{Action, Step, Timeline};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Real data of this name, or a message that the test is skipped.
pub fn real(what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("RANKGUARD_DATA").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), PathBuf::from);
    let path = data.join(what);
    if !path.exists() {
        // Written directly, since the macros' output of a test that passes is not shown.
        let _ = writeln!(io::stderr(), "skipped: {} does not exist; RANKGUARD_DATA may name another folder than data", path.display());
        return None;
    }
    Some(path)
}

/// Fold 1 of MQ2008, its parts joined as they are: gzip files may be concatenated.
fn mq2008() -> Option<Corpus> {
    let parts = real("MQ2008")?;
    let fold = TempDir::new().expect("a temporary folder");
    let join = |names: &[&str]| -> Vec<u8> { names.iter().flat_map(|name| std::fs::read(parts.join(name)).expect("a part")).collect() };
    std::fs::write(fold.path().join("train.txt.gz"), join(&["S1.txt.gz", "S2.txt.gz", "S3.txt.gz"])).expect("a file");
    std::fs::write(fold.path().join("test.txt.gz"), join(&["S5.txt.gz"])).expect("a file");
    let path = fold.path().display().to_string();
    let dataset = Dataset::Letor { path, normalize: Normalize::AsIs, features: None, grades: None };
    Some(Corpus::load(&dataset).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn mq2008_reads_whole() {
    let Some(corpus) = mq2008() else { return };
    assert_eq!((corpus.train.n_documents(), corpus.test.n_documents()), (9_630, 2_874));
    assert_eq!((corpus.train.n_queries(), corpus.test.n_queries()), (471, 156));
    assert_eq!((corpus.train.n_features(), corpus.n_grades), (46, 3));
}

#[test]
fn on_mq2008_rankguard_stands_near_oracle_and_none_falls_below_random() {
    let Some(corpus) = mq2008() else { return };
    let [oracle, rankguard, none] = ["Oracle", "RankGuard(kappa: 4.0)", "Undefended"].map(|defense| {
        let rounds = [("nodes", "100"), ("malicious_share", "0.2"), ("stop", "Sessions(6000)"), ("evaluate_every", "Sessions(6000)")];
        finish(&scenario(&[&rounds[..], &[("defense", defense)]].concat()), &corpus, 2).0.last
    });
    assert!(none.ndcg_mean < none.ndcg_random - 0.1, "None {}", none.ndcg_mean);
    assert!((oracle.ndcg_mean - rankguard.ndcg_mean).abs() < 0.02, "Oracle {}, RankGuard {}", oracle.ndcg_mean, rankguard.ndcg_mean);
    assert!(rankguard.ndcg_mean > rankguard.ndcg_random + 0.15);
}

/// The steps of a network of 100 nodes with this field for one virtual hour.
fn hour(field: (&str, &str)) -> Vec<Step> {
    let scenario = scenario(&[("nodes", "100"), ("stop", "Time(\"1h\")"), field]);
    let (mut timeline, mut steps) = (Timeline::new(plan(&scenario)), Vec::new());
    while timeline.advance(1000, &mut steps) {}
    steps
}

#[track_caller]
fn check_latency(file: &str, rest: &str, low_ms: f64, high_ms: f64) {
    let Some(path) = real(&format!("traces/latency/{file}")) else { return };
    let kind = if file.contains("vivaldi") { "Vivaldi" } else { "Matrix" };
    let steps = hour(("latency", &format!("{kind}(path: {:?}, {rest})", path.display().to_string())));
    let delay = |step: &Step| match step.action {
        Action::Receive { sent, .. } => Some((step.at.0 - sent.0) as f64 / 1e6),
        _ => None,
    };
    let delays: Vec<f64> = steps.iter().filter_map(delay).collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    assert!((low_ms..high_ms).contains(&mean), "{file}: {mean} ms one way");
}

#[test]
fn measured_latencies_load() {
    check_latency("cities227_one_way_ms.csv", "unit: Milliseconds, measures: OneWay, missing: Fill", 65.0, 77.0);
    check_latency("devices99_rtt_s.tsv", "unit: Seconds, measures: RoundTrip", 100.0, 170.0);
    check_latency("planetlab490_rtt_ms.tsv.gz", "unit: Milliseconds, measures: RoundTrip", 30.0, 120.0);
    check_latency("king1740_vivaldi.syscoord", "unit: Milliseconds, measures: RoundTrip", 30.0, 130.0);
}

#[test]
fn a_matrix_with_failed_measurements_says_where() {
    let Some(path) = real("traces/latency/cities227_one_way_ms.csv") else { return };
    let latency = format!("Matrix(path: {:?}, unit: Milliseconds, measures: OneWay)", path.display().to_string());
    let message = scenario(&[("latency", &latency)]).resolve().expect_err("it has negative entries").to_string();
    assert!(message.contains("cities227_one_way_ms.csv:15:") && message.contains("say missing: Fill"), "{message}");
}

#[test]
fn phones_come_and_go_as_measured() {
    let Some(path) = real("traces/churn/stunner_smartphones_100_one_week_per_user.csv.gz") else { return };
    for phase in ["Start", "Random"] {
        let churn = format!("Trace(path: {:?}, phase: {phase}, end: Loop)", path.display().to_string());
        let scenario = scenario(&[("nodes", "576"), ("stop", "Time(\"1h\")"), ("churn", &churn)]);
        let means = scenario.network().expect("it loads").means();
        assert!((means.availability - 0.2433).abs() < 0.001, "{}", means.availability);
        let steps = hour(("churn", &churn));
        assert!(steps.iter().filter(|step| matches!(step.action, Action::Presence { .. })).count() > 120, "{phase}");
    }
}
