//! Synthetic data is the same for all seeds of a run, and every figure that rests on it says so.

use crate::support::text;
use std::process::Command;
use tempfile::TempDir;

const CAUTION: &str = "synthetic, shaped like MQ2007 (made so that learning together helps and honest rankers are recognisable; \
                       not comparable with the real set)";

fn desk() -> TempDir {
    let desk = TempDir::new().expect("a temporary folder");
    let dataset = ("dataset", "Synthetic(like: Mq2007, train_queries: 20, test_queries: 20)");
    std::fs::write(desk.path().join("made.ron"), text(&[dataset, ("stop", "Sessions(24)"), ("record", "()")])).expect("a file");
    let real = ("dataset", "Letor(path: \".\", normalize: AsIs)");
    std::fs::write(desk.path().join("real.ron"), text(&[real, ("stop", "Sessions(24)"), ("record", "()")])).expect("a file");
    let lines: String = (0..40).map(|i| format!("{} qid:{} 1:0.{} 2:0.{}\n", i % 3, i / 5, i % 7, i % 9)).collect();
    for name in ["train.txt", "test.txt"] {
        std::fs::write(desk.path().join(name), &lines).expect("a file");
    }
    desk
}

#[track_caller]
fn rankguard(desk: &TempDir, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rankguard")).args(arguments).current_dir(desk.path()).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a random ranking gets: a fact about the test queries alone.
fn random(summary: &str) -> &str {
    let (_, rest) = summary.split_once("random ").expect(summary);
    rest.split_whitespace().next().expect(summary)
}

#[test]
fn the_seed_of_a_run_changes_the_run_and_not_the_world() {
    let desk = desk();
    let one = rankguard(&desk, &["run", "made.ron"]);
    let two = rankguard(&desk, &["run", "made.ron", "--seed", "2"]);
    assert_eq!(random(&one), random(&two));
    assert_ne!(one.lines().nth(1), two.lines().nth(1), "other seeds are other runs");
    let other = "dataset=Synthetic(like: Mq2007, train_queries: 20, test_queries: 20, seed: 2)";
    assert_ne!(random(&one), random(&rankguard(&desk, &["run", "made.ron", "--out", "other", "--set", other])));
}

#[test]
fn figures_from_synthetic_data_say_so() {
    let desk = desk();
    assert!(rankguard(&desk, &["run", "made.ron", "--out", "made"]).contains(&format!("data         {CAUTION}\n")));
    assert!(rankguard(&desk, &["table", "made"]).contains(&format!("\nData: {CAUTION}.\n")));
    let real = rankguard(&desk, &["run", "real.ron", "--out", "real"]);
    assert!(!real.contains("synthetic") && !rankguard(&desk, &["table", "real"]).contains("synthetic"), "{real}");
}
