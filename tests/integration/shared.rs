//! Real data, where it is at hand: in `../shared`, which is not part of the project.

use crate::support::{finish, scenario};
use rankguard::corpus::{Corpus, Dataset, Normalize};
use rankguard::rng::Seed;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder with real data, or a message that the test is skipped.
fn shared(what: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(what);
    if !path.exists() {
        println!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

/// Fold 1 of MQ2008, its parts joined as they are: gzip files may be concatenated.
fn mq2008() -> Option<Corpus> {
    let parts = shared("MQ2008")?;
    let fold = TempDir::new().expect("a temporary folder");
    let join = |names: &[&str]| -> Vec<u8> { names.iter().flat_map(|name| std::fs::read(parts.join(name)).expect("a part")).collect() };
    std::fs::write(fold.path().join("train.txt.gz"), join(&["S1.txt.gz", "S2.txt.gz", "S3.txt.gz"])).expect("a file");
    std::fs::write(fold.path().join("test.txt.gz"), join(&["S5.txt.gz"])).expect("a file");
    let path = fold.path().display().to_string();
    let dataset = Dataset::Letor { path, normalize: Normalize::AsIs, features: None, grades: None };
    Some(Corpus::load(&dataset, Seed(1)).unwrap_or_else(|e| panic!("{e}")))
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
