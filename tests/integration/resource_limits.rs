//! Runs that need too much memory, disk, rows or threads are refused before they begin, with figures.

use crate::command_line::{Desk, SCENARIO, text};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Refused soon, with these words, and nothing is written.
#[track_caller]
fn refuse(arguments: &[&str], words: &[&str]) {
    let desk = Desk::new();
    let begun = Instant::now();
    desk.refuses_call(arguments, words);
    assert!(begun.elapsed() < Duration::from_secs(10), "it took {:?}", begun.elapsed());
    assert!(!desk.path().join("out").exists(), "something was left");
}

const NO_MACHINE: [&str; 4] = ["--set", "nodes=2000000", "--set", "ranker=Neural(eta: 0.1, hidden: 65536)"];

#[test]
fn what_no_machine_can_hold_is_refused_before_it_begins() {
    let synthetic = ["--set", "dataset=Synthetic(like: Istella, train_queries: 10, test_queries: 10)"];
    let words = ["small.ron with", "TB of memory are needed (models", "are available", "pass --force"];
    if cfg!(target_os = "linux") {
        refuse(&[&["run", "small.ron"][..], &NO_MACHINE, &synthetic].concat(), &words[1..]);
        // Of other data the size is not known yet, but that of the nodes alone is too much.
        refuse(&[&["run", "small.ron"][..], &NO_MACHINE].concat(), &["of memory are needed", "pass --force"]);
        refuse(&["run", "small.ron", "--timeline-only", "--set", "nodes=2147483647"], &["about 644 GB of memory are needed (network"]);
    }
}

#[test]
fn more_rows_or_events_than_anybody_wants_need_force() {
    let often = ["--set", "nodes=1000", "--set", "stop=Time(\"300d\")", "--set", "evaluate_every=Time(\"10d\")"];
    refuse(
        &[&["run", "small.ron"][..], &often].concat(),
        &["billion rows would be written", "in receipts", "receipts: OneIn(1000)", "pass --force"],
    );
    let rate = ["--set", "attackers=(rate: 4294967295)", "--set", "record=(receipts: Nothing)"];
    refuse(&[&["run", "small.ron"][..], &rate].concat(), &["billion searches, messages", "would take days", "pass --force"]);
    refuse(&[&["run", "small.ron", "--timeline-only"][..], &rate].concat(), &["would take days"]);
    // `check` knows it and says it.
    let desk = Desk::new();
    let checked = desk.run(&[&["check", "small.ron"][..], &often].concat());
    assert_eq!(checked.status.code(), Some(0));
    assert!(text(&checked.stderr).contains("rows would be written") && text(&checked.stderr).contains("run refuses it without --force"));
}

#[test]
fn a_network_of_billions_is_checked_without_its_memory() {
    let (desk, begun) = (Desk::new(), Instant::now());
    let checked = desk.run(&["check", "small.ron", "--set", "nodes=2000000000"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).contains("nodes: 2000000000,") && begun.elapsed() < Duration::from_secs(10));
    if cfg!(target_os = "linux") {
        assert!(text(&checked.stderr).contains("of memory are needed"), "{}", text(&checked.stderr));
    }
}

#[test]
fn a_network_alone_needs_no_models_to_begin_with() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--timeline-only", "--set", "start=Models(path: \"out/nowhere\")"]);
    desk.refuses_call(
        &["run", "small.ron", "--set", "start=Models(path: \"out/nowhere\")"],
        &["out/nowhere: cannot be read", "start.path"],
    );
    assert!(!desk.path().join("out").exists(), "something was left");
}

#[test]
#[cfg(unix)]
fn whoever_insists_may_begin() {
    let desk = Desk::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
    let arguments = ["run", "small.ron", "--force", "--set", "nodes=1000", "--set", "stop=Time(\"300d\")"];
    let mut child = command.args(arguments).current_dir(desk.path()).stderr(Stdio::null()).spawn().expect("the program starts");
    while !desk.path().join("out/.small.staging/new/receipts").exists() {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it was refused");
        std::thread::sleep(Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert_eq!(child.wait().expect("it ends").code(), Some(75));
}

#[test]
fn threads_are_bounded() {
    refuse(&["run", "small.ron", "--threads", "100000"], &["--threads 100000: at most", "cores"]);
    refuse(&["run", "small.ron", "--threads", "0"], &["--threads"]);
}

#[test]
#[cfg(target_os = "linux")]
fn scenarios_without_an_end_are_not_read() {
    refuse(&["run", "/dev/zero"], &["/dev/zero: cannot be read: it is a device or a pipe; name a regular file"]);
    refuse(&["check", "/dev/zero"], &["/dev/zero"]);
    refuse(&["table", "out", "--beside", "/dev/zero", "--dataset", "A"], &["/dev/zero"]);
    refuse(
        &["run", "small.ron", "--set", "churn=Trace(path: \"/dev/zero\", phase: Start, end: Loop)"],
        &["/dev/zero: cannot be read", "churn.path"],
    );
    let desk = Desk::new();
    Command::new("mkfifo").arg(desk.path().join("pipe.ron")).status().expect("mkfifo is there");
    desk.refuses_call(&["run", "pipe.ron"], &["pipe.ron: cannot be read: it is a device or a pipe"]);
    desk.write("large.ron", SCENARIO.to_owned() + &" ".repeat(20_000_000));
    desk.refuses_call(&["run", "large.ron"], &["large.ron: cannot be read: at most 16.0 MB are read, and it holds 20.0 MB"]);
}

#[test]
fn a_run_never_replaces_the_folder_one_is_in() {
    let desk = Desk::new();
    let inside = desk.path().join("empty/inside");
    std::fs::create_dir_all(&inside).expect("folders");
    for out in [".", "..", "../inside", "/"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
        let output = command.args(["run", "../../small.ron", "--out", out]).current_dir(&inside).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{out}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("as --out") || out == "/", "{}", text(&output.stderr));
    }
    let entries = |path: &std::path::Path| std::fs::read_dir(path).expect("it lists").count();
    assert_eq!((entries(&inside), entries(&desk.path().join("empty"))), (0, 1));
}

#[test]
fn a_network_alone_that_says_nothing_is_refused() {
    refuse(&["run", "small.ron", "--timeline-only", "--quiet"], &["--timeline-only", "--quiet"]);
}

#[test]
fn no_estimate_is_less_than_nothing_or_no_number() {
    let desk = Desk::new();
    for set in [
        "attackers=(active: Windows(first: \"0s\", on: \"1ns\", off: \"1h\", meanwhile: Silent))",
        "attackers=(join: Burst(at: \"1s\", within: \"1s\"))",
        "record=(histograms: OneIn(4294967295), outcomes: OneIn(4294967295), faults: OneIn(1))",
        "loss=1.0",
        "loss=-0.0",
    ] {
        let checked = desk.succeeds(&["check", "small.ron", "--set", set]);
        assert!(["-0", "NaN", "inf"].iter().all(|wrong| !checked.contains(wrong)), "{checked}");
    }
    for table in ["faults", "histograms", "outcomes"] {
        refuse(&["check", "small.ron", "--set", &format!("record=({table}: OneIn(0))")], &[&format!("record.{table} is OneIn(0)")]);
    }
}
