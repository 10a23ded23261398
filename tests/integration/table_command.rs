//! `rankguard table` from outside: where runs stand, what is averaged, and how it is written.

use crate::command_line::{Desk, SCENARIO, text};
use crate::result_files::run;
use crate::support::golden;
use crate::sweeps;

fn table(desk: &Desk, results: &[Vec<String>], more: &[&str]) -> String {
    let results = results.concat();
    let arguments: Vec<&str> = ["table"].into_iter().chain(results.iter().map(String::as_str)).chain(more.iter().copied()).collect();
    let output = desk.run(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

const MARKDOWN: [&str; 2] = ["--format", "markdown"];

#[test]
fn a_cell_holds_nothing_but_seeds_of_one_experiment() {
    let desk = Desk::new();
    let none = run(&desk, "none", &["1", "2", "3"], &["defense=Undefended"]);
    let meek = run(&desk, "meek", &["1"], &["defense=RankGuard(kappa: 0.0)"]);
    let strict = run(&desk, "strict", &["1"], &["defense=RankGuard(kappa: 4.0)", "name=\"other\"", "record=(receipts: Nothing)"]);
    let more = run(&desk, "more", &["2"], &["defense=RankGuard(kappa: 4.0)"]);
    let all = [none.clone(), meek, strict, more];
    let shown = table(&desk, &all, &MARKDOWN);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "| users | attack | RankGuard(kappa: 0.0) | RankGuard(kappa: 4.0) | None |", "{shown}");
    let cells: Vec<&str> = lines[2].split(" | ").collect();
    assert!(cells[2].contains("n=1") && cells[3].contains("n=2") && cells[4].contains("n=3") && cells[4].contains('('), "{shown}");
    assert!(lines[3].is_empty(), "one line: {shown}");

    let by_kappa = table(&desk, &all, &["--cols", "defense.kappa", "--format", "markdown"]);
    assert!(by_kappa.starts_with("| users | attack | defense | 0.0 | 4.0 | – |"), "{by_kappa}");
    assert!(
        by_kappa.contains("| perfect | FLIP | RankGuard | _0.")
            && by_kappa.contains("| perfect | FLIP | None |  |  | 0.")
            && by_kappa.contains("best_ of each line"),
        "{by_kappa}"
    );

    let many = run(&desk, "many", &["1"], &["defense=Undefended", "malicious_share=0.4"]);
    let shown = table(&desk, &[none.clone(), many.clone()], &MARKDOWN);
    assert!(shown.starts_with("| malicious_share | users | attack | None |"), "{shown}");
    assert!(shown.contains("\n| 0.2 | perfect | FLIP | ") && shown.contains("\n| 0.4 | perfect | FLIP | "), "{shown}");
    let words = ["none-1 and many-1 would share a cell", "malicious_share (0.2 and 0.4)", "--rows attack,malicious_share"];
    desk.refuses_call(&["table", &none[0], &many[0], "--rows", "attack"], &words);
    let chosen = table(&desk, &[none, many], &["--rows", "attack,seed", "--cols", "malicious_share", "--format", "markdown"]);
    let heads: Vec<String> = chosen.lines().map(|line| line.split(" | ").take(2).collect::<Vec<_>>().join(" | ")).collect();
    assert_eq!(heads[..5], ["| attack | seed", "|---|---|---|---|", "| FLIP | 1", "| FLIP | 2", "| FLIP | 3"], "{chosen}");
}

#[test]
fn an_oracle_stands_in_under_attacks_but_not_for_peace() {
    let desk = Desk::new();
    let flip = run(&desk, "flip", &["1"], &["defense=Oracle"]);
    let shrink = run(&desk, "shrink", &["1"], &["defense=Undefended", "attack=Shrink(c: 0.5)"]);
    desk.write(
        "peace.ron",
        SCENARIO.replace("0.2,", "0.0,").replace("attack: Flip", "attack: NoAttack").replace("malicious_aggregate: Never,", ""),
    );
    desk.succeeds(&["run", "peace.ron", "--quiet", "--out", "peace", "--set", "defense=Oracle"]);
    let shown = table(&desk, &[flip, shrink, vec!["peace".into()]], &MARKDOWN);
    let line = |part: &str| shown.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in\n{shown}")).to_string();
    assert!(line("| Shrink |").contains("* |") && line("*: ").contains("another attack"), "{shown}");
    assert!(!line("| FLIP |").contains('*') && line("| no attack |").contains("| 0.0 |"), "{shown}");
    assert!(!line("| no attack |").contains('*'), "{shown}");
}

#[test]
fn a_run_that_is_given_twice_counts_once() {
    let desk = Desk::new();
    let one = run(&desk, "one", &["1"], &[]);
    let two = run(&desk, "two", &["1"], &["name=\"again\""]);
    let shown = table(&desk, &[one, two], &[]);
    assert!(shown.contains("n = 1: each") && shown.contains("two-1 is the same run as one-1 and is not counted again"), "{shown}");
}

#[test]
fn a_table_says_what_it_averages() {
    let desk = Desk::new();
    let runs = run(&desk, "run", &["1", "2"], &["evaluate_every=Sessions(20)"]);
    let shown = table(&desk, std::slice::from_ref(&runs), &[]);
    for words in [
        "averaged over the last 3 % of each run",
        "2 runs: evaluation 10, after 200 sessions",
        "the mean over seeds and the standard deviation over seeds",
        "n = 2: the runs of a cell differ in their seeds alone",
    ] {
        assert!(shown.contains(words), "`{words}` is not in\n{shown}");
    }
    let shown = table(&desk, std::slice::from_ref(&runs), &["--last", "20%"]);
    assert!(shown.contains("2 runs: evaluations 8–10 (3 of them), after 160–200 sessions"), "{shown}");
    let shown = table(&desk, std::slice::from_ref(&runs), &["--at", "sessions:100", "--sd", "nodes"]);
    assert!(shown.contains("after 100 sessions:\n  2 runs: evaluation 5, ") && shown.contains("across nodes"), "{shown}");
    desk.refuses_call(&["table", &runs[0], "--last", "10"], &["run-1: has 11 recorded evaluations", "first half", "such as 3%"]);
    desk.refuses_call(&["table", &runs[0], "--last", "60%"], &["up to 50%"]);
    desk.refuses_call(&["table", &runs[0], "--at", "sessions:900"], &["run-1: ended before 900 sessions"]);
    desk.refuses_call(&["table", &runs[0], "--at", "end", "--last", "3%"], &["cannot be used with"]);
    desk.refuses_call(&["table", &runs[0], "--sd", "nodes", "--value", "auc"], &["no spread across nodes for auc", "--sd seeds"]);
    desk.refuses_call(&["table", &runs[0], "--rows", "latencyy"], &["`latencyy`: no run has", "did you mean `latency`?"]);
    desk.refuses_call(&["table", &runs[0], "--rows", "attack,attack"], &["`attack` is given twice"]);
    desk.refuses_call(&["table", &runs[0], "--value", "ndgc"], &["choose one of ndcg, worst5"]);
}

/// The folder of a collected sweep: three defences, two attacks, three seeds.
fn sweep(desk: &sweeps::Desk) {
    let defenses = ("defense", &["RankGuard(kappa: 4.0)", "Oracle", "Undefended"][..]);
    let attacks = ("attack", &["Flip", "Shrink(c: 0.5)"][..]);
    let latencies = ("latency", &["near|Constant(\"10ms\")", "far|Constant(\"1h\")"][..]);
    desk.write("s", &sweeps::plan(&[defenses, attacks, latencies], 1..4, 12));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &[]);
}

#[test]
fn a_sweep_stands_in_every_format() {
    let desk = sweeps::Desk::new();
    sweep(&desk);
    for format in ["text", "markdown", "latex", "csv"] {
        let shown = desk.call(&format!("table s --rows latency,attack --format {format}"), 0, &[]);
        golden(&format!("table/{format}.txt"), &shown);
    }
    let turned = desk.call(
        "table s --rows latency,defense --value exposure --sd none",
        0,
        &["best and ² second best defence for each column", "smaller is better"],
    );
    assert!(turned.starts_with("latency  defense    FLIP"), "{turned}");
    let far =
        desk.call("table s --rows attack --cols latency", 2, &["would share a cell, but differ in defense (", "--rows attack,defense"]);
    assert!(far.starts_with("error: s/"), "{far}");
}

#[test]
fn json_has_the_figures_of_the_tables_unrounded() {
    let desk = sweeps::Desk::new();
    sweep(&desk);
    let json: serde_json::Value = serde_json::from_str(&desk.call("table s --json", 0, &[])).expect("one document");
    assert_eq!((&json["rows"], &json["column"]), (&serde_json::json!(["latency", "users", "attack"]), &"defense".into()));
    assert_eq!(json["columns"], serde_json::json!(["Oracle", "RankGuard", "None"]));
    let figures = desk.call("figures s", 0, &[]);
    let head: Vec<&str> = figures.lines().next().expect("a head").split(',').collect();
    let column = |name: &str| head.iter().position(|other| *other == name).expect("a column");
    let mean = |defense: &str, attack: &str, latency: &str| {
        let rows = figures.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let fits = |row: &Vec<&str>| (row[column("defense")], row[column("attack")], row[column("latency")]) == (defense, attack, latency);
        let values: Vec<f64> = rows.filter(fits).map(|row| row[column("ndcg_mean")].parse().expect("a number")).collect();
        assert_eq!(values.len(), 3);
        values.iter().sum::<f64>() / 3.0
    };
    let lines = json["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 4);
    for line in lines {
        let labels: Vec<&str> = line["labels"].as_array().expect("labels").iter().map(|label| label.as_str().expect("text")).collect();
        let attack = if labels[2] == "FLIP" { "Flip" } else { "Shrink" };
        for (cell, defense) in line["cells"].as_array().expect("cells").iter().zip(["Oracle", "RankGuard", "Undefended"]) {
            let expect = mean(defense, attack, labels[0]);
            assert!((cell["mean"].as_f64().expect("a number") - expect).abs() < 1e-12, "{cell} is not {expect}");
            assert_eq!((&cell["n"], cell["place"].is_null()), (&3.into(), defense == "Oracle"), "{cell}");
        }
    }
}
