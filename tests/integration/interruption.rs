//! Signals at any moment of a run: the program ends soon and says so, and leaves a checkpoint to go on from, or nothing.
//!
//! Bounds are generous, because other tests run at the same time; what they are there to tell apart takes minutes.
#![cfg(unix)]

use crate::command_line::{Desk, SCENARIO, text};
use crate::support;
use rankguard::error::Kind;
use rankguard::record::NullRecorder;
use rankguard::run::{Params, Progress, Watch, run};
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(20);
const SAID: &str = "said.txt";

/// Each turn and each test query takes long, and so does the whole.
fn large_models() -> String {
    let synthetic = "Synthetic(like: Web30k, train_queries: 30, test_queries: 100)";
    SCENARIO
        .replace("Letor(path: \"data\", normalize: AsIs)", synthetic)
        .replace("nodes: 10", "nodes: 60")
        .replace("Linear(eta: 0.1)", "Neural(eta: 0.1, hidden: 2048)")
        .replace("Sessions(200)", "Sessions(20000)")
        .replace("Sessions(50)", "Sessions(5000)")
}

/// What it says goes to a file, so that it can be read while it goes on.
fn start(desk: &Desk, arguments: &[&str]) -> Child {
    let said = File::create(desk.path().join(SAID)).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
    command.args(arguments).current_dir(desk.path()).stdout(Stdio::null()).stderr(said).spawn().expect("the program starts")
}

fn signal(child: &Child, name: &str) {
    Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill is there");
}

/// A closed terminal, unless the tests themselves are deaf to that and so is what they start.
fn hangup() -> &'static str {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    if ignored.is_some_and(|ignored| ignored & 1 == 1) { "-TERM" } else { "-HUP" }
}

fn said(desk: &Desk) -> String {
    text(&fs::read(desk.path().join(SAID)).expect("a file"))
}

#[track_caller]
fn wait_until(child: &mut Child, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it ended before it began");
        assert!(begun.elapsed() < Duration::from_secs(100), "it never came to that");
        sleep(Duration::from_millis(10));
    }
}

/// It ends soon with exit code 75 and says so once. It leaves a checkpoint and says how to go on, or else no result, no staging and no lock.
#[track_caller]
fn ends_soon(mut child: Child, desk: &Desk) {
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if begun.elapsed() < SOON => sleep(Duration::from_millis(10)),
            None => {
                child.kill().expect("it is ours");
                panic!("it goes on after {SOON:?}: {}", said(desk));
            }
        }
    };
    let said = said(desk);
    assert_eq!((status.code(), said.matches("error: interrupted").count()), (Some(75), 1), "{said}");
    match desk.path().join("out/.small.staging/checkpoint").exists() {
        true => assert!(said.contains("; go on with `rankguard resume out/small`"), "{said}"),
        false => assert!(!desk.path().join("out").exists(), "something was left: {said}"),
    }
    fs::remove_dir_all(desk.path().join("out")).ok();
}

#[test]
fn a_run_ends_in_the_middle_of_an_evaluation_and_shows_how_far_that_is() {
    let desk = Desk::new();
    desk.write("large.ron", large_models());
    let mut child = start(&desk, &["run", "large.ron", "--progress", "plain"]);
    wait_until(&mut child, || said(&desk).contains("evaluated on") && said(&desk).contains(" queries"));
    signal(&child, "-INT");
    ends_soon(child, &desk);
}

#[test]
fn a_run_ends_in_the_middle_of_its_turns_and_shows_how_many_there_are() {
    let desk = Desk::new();
    // A test set of two queries is soon evaluated.
    desk.write("large.ron", large_models().replace("test_queries: 100", "test_queries: 2"));
    let mut child = start(&desk, &["run", "large.ron", "--progress", "plain"]);
    wait_until(&mut child, || said(&desk).contains(" turns"));
    signal(&child, "-TERM");
    ends_soon(child, &desk);
}

#[test]
fn a_second_signal_changes_nothing() {
    let desk = Desk::new();
    desk.write("large.ron", large_models());
    let mut child = start(&desk, &["run", "large.ron", "--progress", "none"]);
    wait_until(&mut child, || desk.path().join("out/.small.staging/new/curve").exists());
    signal(&child, "-USR1");
    signal(&child, "-INT");
    signal(&child, "-TERM");
    ends_soon(child, &desk);
}

#[test]
fn data_that_is_being_made_is_given_up() {
    let desk = Desk::new();
    let synthetic = "Synthetic(like: Istella, train_queries: 2000, test_queries: 1)";
    desk.write("large.ron", large_models().replace("Synthetic(like: Web30k, train_queries: 30, test_queries: 100)", synthetic));
    for pause in [0, 100] {
        let mut child = start(&desk, &["run", "large.ron"]);
        wait_until(&mut child, || desk.path().join("out/.small.staging/new").exists());
        sleep(Duration::from_millis(pause));
        signal(&child, hangup());
        ends_soon(child, &desk);
    }
}

#[test]
fn data_that_is_being_read_is_given_up_with_its_unfinished_cache() {
    let desk = Desk::new();
    let line = |i: usize| format!("{} qid:{} 1:0.5 2:0.25 3:{}\n", i % 3, i / 20, i % 97);
    desk.write("data/train.txt", (0..1_000_000).map(line).collect::<String>());
    for pause in [0, 20, 60, 200] {
        let mut child = start(&desk, &["run", "small.ron", "--set", "stop=Sessions(100000000)", "--progress", "none", "--force"]);
        wait_until(&mut child, || desk.path().join("out/.small.staging/new").exists());
        sleep(Duration::from_millis(pause));
        signal(&child, "-INT");
        ends_soon(child, &desk);
        let left = fs::read_dir(desk.path().join("data")).expect("it lists").map(|entry| entry.expect("an entry").path());
        let odd: Vec<_> = left.filter(|path| path.extension().is_none_or(|end| end != "txt" && end != "rgcache")).collect();
        assert!(odd.is_empty(), "{odd:?}");
    }
}

#[test]
fn a_network_alone_is_given_up() {
    let desk = Desk::new();
    let huge = ["--set", "nodes=300000", "--set", "stop=Time(\"3d\")", "--set", "evaluate_every=Time(\"1d\")"];
    for pause in [200, 3_000] {
        let child = start(&desk, &[&["run", "small.ron", "--timeline-only", "--progress", "none"][..], &huge].concat());
        sleep(Duration::from_millis(pause));
        signal(&child, "-INT");
        ends_soon(child, &desk);
    }
}

#[test]
fn a_library_run_stops_when_it_is_told_to() {
    let (world, corpus) = (support::world(&support::scenario(&[])), support::corpus());
    let run = |stop: bool, watch: &mut Watch| {
        let stop = AtomicBool::new(stop);
        run(&world, Params { stop: Some(&stop), watch: Some(watch), ..Params::new(&corpus, &mut NullRecorder) })
    };
    let (go_on, mut broken_off) = (&mut |_: &Progress| ControlFlow::Continue(()), 0);
    assert!(run(false, go_on).is_ok());
    assert!(run(true, go_on).is_err_and(|error| error.to_string().starts_with("interrupted at ")));
    let break_off = &mut |_: &Progress| {
        broken_off += 1;
        ControlFlow::Break(())
    };
    assert!(run(false, break_off).is_err_and(|error| error.kind() == Kind::Interrupted && error.exit_code() == 75));
    assert_eq!(broken_off, 1);
}

/// `nohup rankguard run …` and a terminal that is closed.
#[test]
#[cfg(target_os = "linux")]
fn a_hangup_that_is_ignored_stays_ignored() {
    let desk = Desk::new();
    let run = format!("trap '' HUP; exec {} run small.ron --set 'stop=Sessions(20000)'", env!("CARGO_BIN_EXE_rankguard"));
    let mut command = Command::new("sh");
    let mut child =
        command.args(["-c", &run]).current_dir(desk.path()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("sh is there");
    wait_until(&mut child, || desk.path().join("out").exists());
    signal(&child, "-HUP");
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(0));
    assert!(desk.path().join("out/small/manifest.ron").exists());
}
