//! Many tasks of a cluster that begin at once: they share a data set with its cache, and take the cores and the memory that their job was given.

use crate::command_line::{Desk, fingerprint, text};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

fn program(desk: &Desk, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
    command.args(arguments).current_dir(desk.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The names of the files beside the data.
fn beside_data(desk: &Desk) -> Vec<String> {
    let name = |path: std::path::PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    desk.files("data").into_iter().map(name).collect()
}

const TEXTS_AND_CACHES: [&str; 4] = ["test.txt", "test.txt.rgcache", "train.txt", "train.txt.rgcache"];

#[test]
fn eight_runs_that_begin_at_once_agree_and_leave_one_cache_per_text() {
    let desk = Desk::new();
    desk.write("data/train.txt.rgcache.77-of-a-killed-run", "half a cache");
    let begin = |n: usize| program(&desk, &["run", "small.ron", "--out", &format!("out/{n}")]).spawn().expect("it starts");
    let runs: Vec<_> = (0..8).map(begin).collect();
    let finish = |run: std::process::Child| {
        let output = run.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        fingerprint(&text(&output.stdout))
    };
    let fingerprints: BTreeSet<String> = runs.into_iter().map(finish).collect();
    assert_eq!(fingerprints.len(), 1, "{fingerprints:?}");
    assert_eq!(beside_data(&desk), TEXTS_AND_CACHES);
}

#[test]
fn a_cache_that_was_cut_off_is_made_anew() {
    let desk = Desk::new();
    let first = desk.succeeds(&["run", "small.ron"]);
    let cache = desk.path().join("data/train.txt.rgcache");
    let whole = fs::read(&cache).expect("there is a cache");
    fs::write(&cache, &whole[..whole.len() / 2]).expect("it is cut");
    assert_eq!(fingerprint(&desk.succeeds(&["run", "small.ron"])), fingerprint(&first));
    assert!(fs::read(&cache).expect("there is a cache") == whole, "it is whole again");
    assert_eq!(beside_data(&desk), TEXTS_AND_CACHES);
}

#[test]
fn a_job_takes_the_cores_that_it_was_given() {
    let desk = Desk::new();
    let run = |variable: &str, value: &str, arguments: &[&str]| {
        let output = program(&desk, &[&["run", "small.ron"][..], arguments].concat()).env(variable, value).output().expect("it starts");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for (variable, value, arguments, code, words) in [
        ("HQ_CPUS", "4,5,6", &[][..], 0, "with 3 threads"),
        ("HQ_CPUS", "4,5,6", &["--threads", "1"], 0, "with 1 thread"),
        ("HQ_CPUS", "all", &[], 2, "HQ_CPUS=all: is no list of cores"),
    ] {
        let (ended, told) = run(variable, value, arguments);
        assert!(ended == Some(code) && told.contains(words), "{variable}={value} {arguments:?}: {told}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_needs_more_than_its_jobs_memory_is_refused() {
    let desk = Desk::new();
    let run = |megabytes: &str| {
        program(&desk, &["run", "small.ron", "--quiet", "--set", "nodes=20000"]).env("SLURM_MEM_PER_NODE", megabytes).output()
    };
    let refused = run("1").expect("it starts");
    let told = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && told.contains("of memory are needed") && told.contains("are available"), "{told}");
    assert!(!desk.path().join("out").exists(), "something was left");
    assert_eq!(run("1000").expect("it starts").status.code(), Some(0));
}
