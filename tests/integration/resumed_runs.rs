//! Runs that are killed or stopped at random moments and resumed each time: every file is the same, byte for byte, as that of a run that
//! nothing disturbed.
#![cfg(unix)]

use crate::command_line::text;
use crate::lockstep_rounds::{ATTACKS, DEFENSES, RANKERS};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// Everything that can be under way: absences, mailboxes, queues of bandwidth, bursts, copies, faults.
pub const BUSY: &str = r#"(
    name: "busy", seed: 3, nodes: 40, malicious_share: 0.2, stop: Sessions(60000), evaluate_every: Sessions(2000),
    dataset: Synthetic(like: Mq2007, train_queries: 60, test_queries: 20), shown: 10, ndcg_cutoff: 10,
    users: Navigational, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0), attack: Flip, malicious_aggregate: Never,
    attackers: (rate: 1), arrivals: Poisson(every: "1min"), latency: LogNormal(median: "20s", sigma: 1.0), loss: 0.02, duplicates: 0.05,
    bursts: GilbertElliott(good: "10min", bad: "30s", loss_in_bad: 0.5), bandwidth: Limited(upload: "100kbit/s", download: "500kbit/s"),
    churn: Alternating(online: Exponential(mean: "20min"), offline: Exponential(mean: "5min")),
    absence: (messages: Mailbox(at_most: 3, age: "5min"), timers: Paused, state: ModelLost), history: Last(60),
    faults: [(at: "20min", what: Partition(Shares([0.5]))), (at: "40min", what: Heal), (at: "50min", what: Crash(who: Random(0.3), restart_after: "10min"))],
    record: (models: Every(evaluations: 3)),
)"#;

/// The same with messages that are sent again, and histories that grow.
fn with_retries() -> String {
    BUSY.replace("Mailbox(at_most: 3, age: \"5min\")", "Retry(every: \"20s\", at_most: 4)").replace("history: Last(60),", "")
}

/// Small enough for hundreds of runs.
fn small(defense: &str, ranker: &str, attack: &str) -> String {
    BUSY.replace("RankGuard(kappa: 4.0)", defense)
        .replace("Linear(eta: 0.1)", &ranker.replace("Neural(eta: 0.1)", "Neural(eta: 0.1, hidden: 4)"))
        .replace("attack: Flip", &format!("attack: {attack}"))
        .replace("attackers: (rate: 1), ", "")
        .replace("nodes: 40", "nodes: 20")
        .replace("Sessions(60000)", "Sessions(1000)")
        .replace("Sessions(2000)", "Sessions(200)")
}

/// The newest checkpoint, and the one before it.
const CHECKPOINTS: [&str; 2] = ["checkpoint", "checkpoint.previous"];

/// A folder to run a scenario in, and numbers that decide when it is disturbed.
pub struct Desk {
    folder: TempDir,
    draw: u64,
}

impl Desk {
    pub fn new(scenario: &str, seed: u64) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("busy.ron"), scenario).expect("a file");
        Self { folder, draw: seed }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.draw = self.draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.draw >> 33) % below
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
        command.args(arguments).args(["--quiet"]).current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    pub fn finish(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Begins the run, or goes on with it, writing it down all the time.
    fn go_on(&mut self) -> Command {
        let threads = (1 + self.draw(2)).to_string();
        // A kill while the newest checkpoint is put in its place leaves the one before it alone.
        let staging = fs::read_dir(self.folder.path().join("out/.busy.staging")).into_iter().flatten().flatten();
        let begun = staging.into_iter().any(|file| CHECKPOINTS.iter().any(|name| file.file_name() == *name));
        let what: &[&str] = if begun { &["resume", "out/busy"] } else { &["run", "busy.ron"] };
        self.command(&[what, &["--threads", &threads, "--checkpoint", "5ms"]].concat())
    }

    /// Lets the run go on for a moment and sends it a signal. Returns whether it was still going on.
    fn disturb(&mut self, signal: &str, at_most: u64) -> bool {
        let pause = 5 + self.draw(at_most);
        let child = self.go_on().spawn().expect("the program starts");
        sleep(Duration::from_millis(pause));
        Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status().expect("kill is there");
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), None | Some(0 | 75)), "after {pause} ms: {said}");
        output.status.code() != Some(0)
    }

    /// Disturbs the run `n` times and lets it end. A run that ends before is begun again. Every end must be the same as `whole`.
    #[track_caller]
    fn disturbed(&mut self, signal: &str, n: u32, at_most: u64, whole: &BTreeMap<String, Vec<u8>>, which: &str) {
        let (mut n_disturbed, mut n_whole) = (0, 0);
        while n_disturbed < n && n_whole < 30 {
            if self.disturb(signal, at_most) {
                n_disturbed += 1;
            } else {
                self.ended(whole, which);
                n_whole += 1;
            }
        }
        let end = self.go_on().output().expect("the program starts");
        assert!(end.status.success(), "{which}: {}", text(&end.stderr));
        self.ended(whole, which);
        assert!(n_disturbed > 0, "{which}: it was never disturbed");
    }

    /// Compares the results and removes them.
    #[track_caller]
    fn ended(&self, whole: &BTreeMap<String, Vec<u8>>, which: &str) {
        let out = self.folder.path().join("out");
        assert!(!out.join(".busy.staging").exists(), "{which}: something was left");
        same(&files(&out.join("busy")), whole, which);
        fs::remove_dir_all(out).expect("it is ours");
    }

    fn undisturbed(&self) -> BTreeMap<String, Vec<u8>> {
        let done = self.finish(&["run", "busy.ron", "--out", "whole", "--checkpoint", "never"]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        files(&self.folder.path().join("whole"))
    }
}

/// All files of a result but its times.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).expect("it lists").map(|entry| entry.expect("an entry").path()));
        } else if path.file_name().is_some_and(|name| name != "timing.ron") {
            let name = path.strip_prefix(folder).expect("it lies below").display().to_string();
            found.insert(name, fs::read(&path).expect("it reads"));
        }
    }
    found
}

#[track_caller]
fn same(got: &BTreeMap<String, Vec<u8>>, want: &BTreeMap<String, Vec<u8>>, which: &str) {
    assert_eq!(got.keys().collect::<Vec<_>>(), want.keys().collect::<Vec<_>>(), "{which}");
    let differing: Vec<&String> = want.keys().filter(|name| got[*name] != want[*name]).collect();
    assert!(differing.is_empty(), "{which}: {differing:?} differ");
}

#[test]
fn a_run_that_is_killed_fifty_times_is_the_same() {
    let mut desk = Desk::new(BUSY, 1);
    let whole = desk.undisturbed();
    desk.disturbed("-KILL", 50, 120, &whole, "killed");
}

#[test]
fn a_run_that_is_stopped_fifty_times_is_the_same() {
    let mut desk = Desk::new(&with_retries(), 3);
    let whole = desk.undisturbed();
    desk.disturbed("-TERM", 40, 120, &whole, "stopped");
    desk.disturbed("-KILL", 10, 120, &whole, "killed");
}

/// Every defence with both rankers, each under some attack; all attacks with `RANKGUARD_KILLS=all`.
#[test]
fn every_defence_ranker_and_attack_survives_kills() {
    let all = std::env::var("RANKGUARD_KILLS").is_ok_and(|kills| kills == "all");
    for (nth, defense) in DEFENSES.iter().enumerate() {
        for (which, ranker) in RANKERS.iter().enumerate() {
            for attack in (0..if all { ATTACKS.len() } else { 1 }).map(|other| ATTACKS[(nth + 5 * which + other) % ATTACKS.len()]) {
                let mut desk = Desk::new(&small(defense, ranker, attack), nth as u64);
                let whole = desk.undisturbed();
                desk.disturbed("-KILL", 3, 60, &whole, &format!("{defense} {ranker} {attack}"));
            }
        }
    }
}

/// A damaged checkpoint is told, and the one before it is used.
#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_it_is_used() {
    let mut desk = Desk::new(BUSY, 5);
    let whole = desk.undisturbed();
    let staging = desk.folder.path().join("out/.busy.staging");
    while !staging.join("checkpoint.previous").exists() {
        assert!(desk.disturb("-KILL", 200), "it was never written down twice");
    }
    let newest = fs::read(staging.join("checkpoint")).expect("it is there");
    fs::write(staging.join("checkpoint"), &newest[..newest.len() / 2]).expect("it writes");
    let resumed = desk.finish(&["resume", "out/busy"]);
    let said = text(&resumed.stderr);
    assert!(resumed.status.success(), "{said}");
    assert!(said.contains("checkpoint: is damaged") && said.contains("the checkpoint before it is used"), "{said}");
    same(&files(&desk.folder.path().join("out/busy")), &whole, "from the one before");
}

#[test]
fn without_a_sound_checkpoint_or_with_other_data_nothing_is_resumed() {
    let mut desk = Desk::new(BUSY, 6);
    let staging = desk.folder.path().join("out/.busy.staging");
    while !staging.join("checkpoint.previous").exists() {
        assert!(desk.disturb("-KILL", 200), "it was never written down twice");
    }
    for name in ["checkpoint", "checkpoint.previous"] {
        fs::write(staging.join(name), "rubbish").expect("it writes");
    }
    let resumed = desk.finish(&["resume", "out/busy"]);
    let said = text(&resumed.stderr);
    assert!(resumed.status.code() == Some(2) && said.matches("is no checkpoint").count() == 2, "{said}");
    let begun = desk.finish(&["run", "busy.ron", "--overwrite"]);
    assert!(begun.status.success() && !staging.exists(), "{}", text(&begun.stderr));
}

/// The same command goes on in scratch, and the results are where they were asked for.
#[test]
fn a_run_in_scratch_goes_on_with_the_same_command_and_moves_when_it_is_done() {
    let mut desk = Desk::new(&BUSY.replace("Sessions(60000)", "Sessions(20000)"), 7);
    let whole = desk.undisturbed();
    let arguments = ["run", "busy.ron", "--scratch", "fast", "--checkpoint", "5ms"];
    for _ in 0..4 {
        let child = desk.command(&arguments).spawn().expect("the program starts");
        sleep(Duration::from_millis(60 + desk.draw(100)));
        Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status().expect("kill is there");
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert!(output.status.success() || said.contains("the same command goes on with it") || said.contains("no results"), "{said}");
    }
    let done = desk.finish(&arguments);
    assert!(done.status.success(), "{}", text(&done.stderr));
    same(&files(&desk.path().join("out/busy")), &whole, "from scratch");
    assert!(files(&desk.path().join("fast")).is_empty(), "something was left");
    let other = desk.finish(&["run", "busy.ron", "--scratch", "fast", "--set", "seed=9"]);
    assert!(other.status.code() == Some(2) && text(&other.stderr).contains("holds results of another"), "{}", text(&other.stderr));
}
