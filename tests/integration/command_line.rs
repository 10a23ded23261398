//! The program as a user meets it, in separate processes: exit codes, messages and files. Other files take their `Desk` from here.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder to work in, with a small scenario and a small data set.
pub struct Desk(TempDir);

pub const SCENARIO: &str = r#"(
    name: "small",
    seed: 1,
    nodes: 10,
    malicious_share: 0.2,
    stop: Sessions(200),
    evaluate_every: Sessions(50),
    dataset: Letor(path: "data", normalize: AsIs),
    shown: 10,
    ndcg_cutoff: 10,
    users: Perfect,
    ranker: Linear(eta: 0.1),
    defense: RankGuard(kappa: 4.0),
    attack: Flip,
    malicious_aggregate: Never,
    arrivals: Poisson(every: "1min"),
    latency: LogNormal(median: "80ms", sigma: 0.5),
    loss: 0.01,
    churn: Alternating(online: Exponential(mean: "20min"), offline: Exponential(mean: "10min")),
)
"#;

impl Desk {
    pub fn new() -> Self {
        let desk = Self(TempDir::new().expect("a temporary folder"));
        desk.write("small.ron", SCENARIO);
        let lines: Vec<String> = (0..300)
            .map(|i| {
                format!(
                    "{} qid:{} 1:{:.2} 2:{:.2} 3:0.5 # doc {i}\n",
                    i * 7 % 3,
                    i / 10,
                    (i * 7 % 3) as f64 / 2.0,
                    (i * 31 % 17) as f64 / 17.0
                )
            })
            .collect();
        desk.write("data/train.txt", lines[..200].concat());
        desk.write("data/test.txt", lines[200..].concat());
        desk
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_rankguard")).args(arguments).current_dir(self.path()).output().expect("the program starts")
    }

    /// The scenario with one piece of its text replaced.
    pub fn scenario(&self, part: &str, by: &str) {
        assert!(SCENARIO.contains(part), "{part}");
        self.write("small.ron", SCENARIO.replace(part, by));
    }

    /// Runs the scenario, expects a refusal with these words, and nothing written.
    #[track_caller]
    fn refuses(&self, words: &[&str]) {
        self.refuses_call(&["run", "small.ron"], words);
        assert!(!self.path().join("out").exists(), "something was written");
    }

    #[track_caller]
    pub fn refuses_call(&self, arguments: &[&str], words: &[&str]) {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        for word in words {
            assert!(message.contains(word), "`{word}` is not in:\n{message}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }

    /// Runs the scenario and gives its summary.
    #[track_caller]
    pub fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    pub fn files(&self, folder: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        found
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn fingerprint(summary: &str) -> String {
    let line = summary.lines().find(|line| line.trim_start().starts_with("fingerprint")).expect(summary);
    line.split_whitespace().last().expect("a value").to_owned()
}

#[test]
fn a_run_leaves_its_tables_and_nothing_else() {
    let desk = Desk::new();
    let summary = desk.succeeds(&["run", "small.ron"]);
    for word in ["nDCG@10", "worst 5 %", "honest senders", "delivered", "fingerprint", "duckdb -c"] {
        assert!(summary.contains(word), "{summary}");
    }
    let names: Vec<String> =
        desk.files("out").iter().map(|path| path.strip_prefix(desk.path()).expect("inside").display().to_string()).collect();
    let tables = ["curve", "evaluations", "faults", "histograms", "nodes", "outcomes", "presence", "receipts", "runs", "searches"]
        .map(|table| format!("out/small/{table}/part-00000.parquet"));
    let mut expected = tables.to_vec();
    expected.extend(["manifest.ron", "manifest.json", "timing.ron"].map(|name| format!("out/small/{name}")));
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn a_network_alone_prints_and_leaves_nothing() {
    let desk = Desk::new();
    let summary = desk.succeeds(&["run", "small.ron", "--timeline-only"]);
    for word in ["network of 10 nodes", "online", "delivered", "receiver offline", "delay", "per node: mean", "fingerprint"] {
        assert!(summary.contains(word), "{summary}");
    }
    assert!(!desk.path().join("out").exists());
    desk.refuses_call(&["run", "small.ron", "--timeline-only", "--out", "there"], &["--timeline-only", "--out"]);
}

#[test]
fn a_run_that_everybody_leaves_says_so_and_keeps_its_results() {
    let desk = Desk::new();
    desk.scenario("loss: 0.01,", "loss: 0.01, crowds: [Leave(at: \"0s\", share: 1.0)],");
    let sentence = "all nodes had left for good after 0s: the run ended after 0 of 200 sessions";
    for arguments in [&["run", "small.ron"][..], &["run", "small.ron", "--timeline-only"]] {
        let summary = desk.succeeds(arguments);
        assert!(summary.contains(sentence), "{summary}");
    }
    let manifest = fs::read_to_string(desk.path().join("out/small/manifest.ron")).expect("the results are there");
    assert!(manifest.contains("deserted_ns: Some(0)"), "{manifest}");
    desk.write("small.ron", SCENARIO);
    assert!(!desk.succeeds(&["run", "small.ron", "--overwrite"]).contains("deserted"));
}

#[test]
fn a_search_log_in_unix_time_is_refused_or_begins_where_it_is_told_to() {
    let log = |more: &str| {
        let desk = Desk::new();
        let lines: Vec<String> = (0..500).map(|i| format!("user{},{}\n", i % 7, 1_700_000_060 + i)).collect();
        desk.write("log.csv", lines.concat());
        desk.write(
            "small.ron",
            SCENARIO
                .replace("Poisson(every: \"1min\")", &format!("Trace(path: \"log.csv\", unit: Seconds, {more})"))
                .replace("stop: Sessions(200)", "stop: Time(\"1h\")"),
        );
        desk
    };
    log("").refuses(&["log.csv:1:7: the first search, at 1700000060, is", "arrivals.begin: 1700000060"]);
    log("repeat: \"10min\"")
        .refuses(&["log.csv:1:7: the time 1700000060 is not within arrivals.repeat, 10min", "arrivals.begin: 1700000060"]);
    log("begin: 1700000061").refuses(&["log.csv:1:7: the time 1700000060 is not between 1700000061"]);
    let desk = log("begin: 1700000000");
    assert!(!desk.succeeds(&["run", "small.ron", "--timeline-only"]).contains("searches     0 "));
    desk.succeeds(&["check", "small.ron"]);
}

#[test]
fn separate_processes_and_any_threads_give_the_same_bytes() {
    let desk = Desk::new();
    let runs: Vec<String> =
        ["1", "2", "8"].map(|threads| desk.succeeds(&["run", "small.ron", "--threads", threads, "--out", threads])).into();
    assert!(runs.iter().all(|run| fingerprint(run) == fingerprint(&runs[0])));
    for file in desk.files("1").iter().filter(|file| !file.ends_with("timing.ron")) {
        let twin = |threads: &str| desk.path().join(threads).join(file.strip_prefix(desk.path().join("1")).expect("inside"));
        assert!(fs::read(file).expect("a file") == fs::read(twin("2")).expect("a file"), "{}", file.display());
        assert!(fs::read(file).expect("a file") == fs::read(twin("8")).expect("a file"), "{}", file.display());
    }
    assert_ne!(fingerprint(&desk.succeeds(&["run", "small.ron", "--seed", "2"])), fingerprint(&runs[0]));
    assert!(desk.path().join("out/small-seed-2/manifest.ron").exists());
}

#[test]
fn a_rerun_replaces_its_own_results_but_not_another_scenarios() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    desk.scenario("seed: 1", "seed: 5");
    desk.refuses_call(&["run", "small.ron"], &["out/small", "holds results of another", "--overwrite"]);
    assert_eq!(desk.succeeds(&["run", "small.ron", "--overwrite", "--quiet"]), "");
    desk.write("mine/notes.txt", "keep me");
    desk.refuses_call(&["run", "small.ron", "--out", "mine", "--overwrite"], &["mine", "manifest.ron"]);
    assert!(desk.path().join("mine/notes.txt").exists());
}

#[test]
fn a_run_can_start_from_the_models_of_another() {
    let desk = Desk::new();
    desk.scenario("loss: 0.01,", "loss: 0.01, record: (models: Last),");
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    let start = |nodes: &str| {
        SCENARIO
            .replace("\"small\"", "\"next\"")
            .replace("nodes: 10", nodes)
            .replace("loss: 0.01,", "loss: 0.01, start: Models(path: \"out/small\"),")
    };
    desk.write("next.ron", start("nodes: 10"));
    let (first, second) = (desk.succeeds(&["check", "next.ron"]), desk.succeeds(&["run", "next.ron"]));
    assert!(first.contains("out/small") && second.contains("nDCG@10"));
    desk.write("next.ron", start("nodes: 11"));
    desk.refuses_call(&["run", "next.ron", "--overwrite"], &["models of 10 nodes", "has 11"]);
    desk.write("next.ron", start("nodes: 10").replace("out/small", "out/nowhere"));
    desk.refuses_call(&["run", "next.ron", "--overwrite"], &["out/nowhere"]);
}

#[test]
fn check_schema_inspect_and_help_teach() {
    let desk = Desk::new();
    let check = desk.succeeds(&["check", "small.ron"]);
    for word in ["history: Unlimited", "decay: 1.0", "searches", "memory"] {
        assert!(check.contains(word), "{check}");
    }
    let schema = desk.succeeds(&["schema"]);
    for word in ["evaluations", "receipts", "alpha_malicious", "theta", "nullable"] {
        assert!(schema.contains(word), "{schema}");
    }
    let inspect = desk.succeeds(&["data", "inspect", "data"]);
    for word in ["queries", "documents", "grades", "constant"] {
        assert!(inspect.contains(word), "{inspect}");
    }
    assert!(desk.succeeds(&["fields"]).contains("sigma: number, between 0 and 10; it must be given"));
    assert!(desk.succeeds(&["fields", "ranker.decay"]).contains("by default 1.0"));
    let unknown = desk.run(&["fields", "latncy"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `latency`?"));
    assert!(desk.succeeds(&["--help"]).contains("scenarios/quickstart.ron"));
    assert!(desk.succeeds(&["run", "--help"]).contains("--overwrite"));
}

#[test]
fn wrong_scenarios_are_refused_with_their_place_and_remedy() {
    let desk = Desk::new();
    for (part, by, words) in [
        ("kappa:", "kapa:", &["small.ron:13:", "kapa", "did you mean `kappa`"][..]),
        ("nodes: 10", "nodes: many", &["small.ron:4:", "nodes"]),
        ("malicious_share: 0.2", "malicious_share: 1.0", &["small.ron:5:22: malicious_share is 1"]),
        ("nodes: 10", "nodes: 0", &["small.ron:4:12: nodes is 0"]),
        ("median: \"80ms\"", "median: \"-80ms\"", &["negative"]),
        ("path: \"data\"", "path: \"nowhere\"", &["nowhere"]),
        ("loss: 0.01", "loss: 1.5", &["loss is 1.5"]),
        ("sigma: 0.5", "sigma: 1e308", &["small.ron:17:47: latency.sigma is 1e308; it must be between 0 and 10"]),
        ("eta: 0.1", "eta: 1e308", &["small.ron:12:25: ranker.eta is 1e308", "nothing would be learned"]),
    ] {
        desk.scenario(part, by);
        desk.refuses(words);
    }
    desk.write("small.ron", SCENARIO.replace("nodes: 10", "nodes: 0").replace("loss: 0.01", "loss: -1.0"));
    desk.refuses(&["nodes is 0", "loss is -1"]);
    desk.refuses_call(&["run", "missing.ron"], &["missing.ron"]);
    desk.refuses_call(&["run"], &["Usage"]);
}

#[test]
fn paths_are_relative_to_the_current_folder_and_told_in_full() {
    let desk = Desk::new();
    let here = desk.path().canonicalize().expect("it is there");
    for (part, by, missing) in [
        ("path: \"data\"", "path: \"nowhere\"", "nowhere"),
        ("loss: 0.01,", "loss: 0.01, start: Models(path: \"out/none\"),", "out/none"),
        ("LogNormal(median: \"80ms\", sigma: 0.5)", "Matrix(path: \"m.csv\", unit: Seconds, measures: OneWay)", "m.csv"),
    ] {
        desk.scenario(part, by);
        desk.refuses_call(&["run", "small.ron"], &[&format!("{missing}: "), &format!("looked for {}", here.join(missing).display())]);
    }
    desk.refuses_call(&["run", "none.ron"], &[&format!("looked for {}", here.join("none.ron").display())]);
    // Neither the scenario's folder nor its name moves them.
    desk.write("deep/inside/small.ron", SCENARIO);
    desk.succeeds(&["run", "deep/inside/small.ron", "--quiet"]);
}

#[test]
fn a_scenario_comes_from_standard_input() {
    let desk = Desk::new();
    let pipe = |arguments: &[&str], text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rankguard"))
            .args(arguments)
            .current_dir(desk.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A reader that has seen enough closes the pipe.
        let _ = child.stdin.take().expect("a pipe").write_all(text.as_bytes());
        child.wait_with_output().expect("it ends")
    };
    let piped = pipe(&["run", "-", "--set", "defense.kappa=8"], SCENARIO);
    assert_eq!(piped.status.code(), Some(0), "{}", text(&piped.stderr));
    let from_file = desk.succeeds(&["run", "small.ron", "--set", "defense=RankGuard(kappa: 8.0)", "--out", "other"]);
    assert_eq!(fingerprint(&text(&piped.stdout)), fingerprint(&from_file));
    assert!(text(&pipe(&["check", "-"], SCENARIO).stdout).contains("name: \"small\","));
    for (scenario, words) in [
        (SCENARIO.replace("kappa", "kapa"), "<stdin>:13:24: unknown field `kapa`"),
        (SCENARIO.replace("nodes: 10", "nodes: 0"), "<stdin>:4:12: nodes is 0"),
        (String::new(), "<stdin>: holds no scenario"),
        (" ".repeat(17 << 20), "<stdin>: cannot be read: at most 16.0 MB are read"),
    ] {
        let refused = pipe(&["check", "-"], &scenario);
        assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains(words), "{}", text(&refused.stderr));
    }
}

#[test]
fn fields_inside_others_are_set_on_the_command_line() {
    let desk = Desk::new();
    let checked = desk.succeeds(&["check", "small.ron", "--set", "churn.online.mean=\"5min\"", "--set", "defense=Krum", "--set", "loss=0"]);
    for line in ["online: Exponential(mean: \"5min\")", "defense: Krum(assumed: ShareOfNodes),", "loss: 0.0,"] {
        assert!(checked.contains(line), "no {line} in\n{checked}");
    }
    desk.refuses_call(
        &["check", "small.ron", "--set", "defense.kapa=8"],
        &["--set defense.kapa=8: unknown field `kapa`; did you mean `kappa`?"],
    );
    desk.refuses_call(&["run", "small.ron", "--set", "attack.c=8"], &["--set attack.c=8: attack is Flip, which has no field `c`"]);
}

#[test]
fn wrong_data_is_refused_with_its_line() {
    for (content, words) in [
        (&b"0 qid:1 1:0.5\n1 qid:1 2:abc\n"[..], &["data/train.txt:2:", "2:abc"][..]),
        (b"0 qid:1 1:0.5\n1 qid:1 2:NaN\n", &["data/train.txt:2:"]),
        (b"0 qid:1 1:0.5\n9 qid:1 2:1\n", &["data/train.txt:2:", "9", "grades"]),
        (b"", &["data/train.txt", "empty"]),
        (b"\x00\x01\x02\xff\xfe", &["data/train.txt", "not text"]),
    ] {
        let desk = Desk::new();
        desk.write("data/train.txt", content);
        desk.refuses(words);
    }
    let desk = Desk::new();
    fs::remove_file(desk.path().join("data/train.txt")).expect("it was there");
    desk.refuses(&["data", "train.txt"]);
}

#[test]
fn an_unwritable_place_is_refused_before_anything_runs() {
    let desk = Desk::new();
    desk.write("taken", "a file where a folder should be");
    desk.refuses_call(&["run", "small.ron", "--out", "taken/inside"], &["taken"]);
    desk.refuses_call(&["run", "small.ron", "--out", "taken"], &["taken"]);
    assert_eq!(fs::read_to_string(desk.path().join("taken")).expect("untouched"), "a file where a folder should be");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_checkpoint_and_says_so() {
    let desk = Desk::new();
    desk.write("small.ron", SCENARIO.replace("Sessions(200)", "Sessions(2000000)").replace("Sessions(50)", "Sessions(10000)"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_rankguard"))
        .args(["run", "small.ron", "--progress", "none"])
        .current_dir(desk.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let staging = desk.path().join("out/.small.staging");
    while !staging.join("new/curve").exists() {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(75), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("interrupted at ") && said.contains("; go on with `rankguard resume out/small`"), "{said}");
    assert!(staging.join("checkpoint").exists() && !staging.join("lock").exists(), "nothing was left");

    let again = desk.run(&["run", "small.ron"]);
    let said = text(&again.stderr);
    assert!(again.status.code() == Some(2) && said.contains("holds an interrupted run of this scenario"), "{said}");
    let other = text(&desk.run(&["run", "small.ron", "--set", "seed=2"]).stderr);
    assert!(other.contains("holds an interrupted run of another scenario; go on with"), "{other}");
    let over = desk.run(&["run", "small.ron", "--overwrite", "--set", "stop=Sessions(100)", "--quiet"]);
    assert!(over.status.success() && !staging.exists(), "{}", text(&over.stderr));
    let nothing = desk.run(&["resume", "out/small"]);
    assert_eq!((nothing.status.code(), text(&nothing.stdout).as_str()), (Some(0), "out/small: is done; there is nothing to go on with\n"));
}

#[test]
fn plain_progress_is_lines_and_quiet_is_silent() {
    let desk = Desk::new();
    let output = desk.run(&["run", "small.ron"]);
    assert!(text(&output.stderr).lines().count() >= 3, "{}", text(&output.stderr));
    let output = desk.run(&["run", "small.ron", "--quiet"]);
    assert!(output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn fields_are_set_on_the_command_line_and_results_stand_side_by_side() {
    let desk = Desk::new();
    for (defense, folder) in [("Undefended", "out/none"), ("Oracle", "out/oracle"), ("Krum()", "out/krum")] {
        let done = desk.run(&["run", "small.ron", "--quiet", "--out", folder, "--set", &format!("defense={defense}")]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    desk.write("theirs.csv", "dataset,users,attack,defense,mean,sd\nA,perfect,FLIP,None,0.147,0.002\nA,perfect,-,Oracle,0.464,0.002\n");
    let beside = ["--last", "2", "--sd", "nodes", "--format", "markdown", "--beside", "theirs.csv", "--dataset", "A"];
    let table = desk.run(&[&["table", "out/none", "out/oracle", "out/krum"][..], &beside].concat());
    let text = String::from_utf8(table.stdout).expect("it is text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "| users | attack | Oracle | None | Krum |");
    assert!(lines[2].starts_with("| perfect | FLIP | 1.000(0) | ") && lines[4].is_empty(), "{text}");
    assert_eq!(lines[3], "|  | published, A | 0.464(2) | 0.147(2) |  |");

    let missing = desk.run(&["table", "out/nobody"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("out/nobody/manifest.ron: cannot be read"));
    let wrong = desk.run(&["check", "small.ron", "--set", "defense=Undefendet"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `Undefended`?"));
}
