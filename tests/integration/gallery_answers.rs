//! The script that answers the questions of the gallery.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn desk() -> TempDir {
    let desk = TempDir::new().expect("a temporary folder");
    let lines: String = (0..120).map(|i| format!("{} qid:{} 1:{:.1} 2:0.{}\n", i % 3, i / 10, (i % 3) as f64 / 2.0, i % 7)).collect();
    std::fs::create_dir(desk.path().join("data")).expect("a folder");
    for name in ["data/train.txt", "data/test.txt"] {
        std::fs::write(desk.path().join(name), &lines).expect("a file");
    }
    desk
}

#[test]
fn a_question_of_the_gallery_is_answered_on_ten_paired_seeds() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3 to run scenarios/answers with");
        return;
    }
    let desk = desk();
    let out = desk.path().join("answers").display().to_string();
    let short = ["--set", "stop=Sessions(300)", "--set", "nodes=12", "--set", "evaluate_every=Sessions(100)", "--out", &out];
    let output = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/answers"))
        .args([&["kad", "--mq2008", &desk.path().join("data").display().to_string()], &short[..]].concat())
        .env("RANKGUARD", env!("CARGO_BIN_EXE_rankguard"))
        .output()
        .expect("python3 is there");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let answers = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = answers.lines().filter(|line| line.contains(" | synthetic | ") || line.contains(" | MQ2008 | ")).collect();
    assert_eq!(lines.len(), 4, "two changes on two data sets:\n{answers}");
    assert!(lines[0].starts_with("| always online | synthetic | 0."), "{answers}");
    assert!(lines.iter().all(|line| line.contains(" ± ") || line.contains("none larger than ")), "{answers}");
    assert!(answers.contains(" comparisons of this page are one family"), "{answers}");
}
