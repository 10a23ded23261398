//! Progress for other programs: a JSON object per line, for every evaluation once, also across an interruption.
#![cfg(unix)]

use crate::command_line::{Desk, text};
use crate::sweeps::{self, DEFENSES, plan};
use rankguard::record::CurveRow;
use rankguard::results::Results;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

fn lines(said: &str) -> Vec<Value> {
    said.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn evaluations(lines: &[Value]) -> Vec<i64> {
    lines.iter().filter(|line| line["event"] == "evaluation").map(|line| line["evaluation"].as_i64().expect("a number")).collect()
}

#[test]
fn every_evaluation_is_a_line_with_its_figures() {
    let desk = Desk::new();
    let output = desk.run(&["run", "small.ron", "--progress", "json", "--json"]);
    let lines = lines(&text(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("the summary alone");
    let curve: Vec<CurveRow> = Results::open(&desk.path().join("out/small")).and_then(|results| results.curve()).expect("a curve");
    assert_eq!(evaluations(&lines), [0, 1, 2, 3, 4]);
    for (line, row) in lines.iter().zip(&curve) {
        let numbers = ["ndcg", "ndcg_worst5", "done"].map(|name| line[name].as_f64().expect("a number"));
        let expect = [row.ndcg_mean, row.ndcg_worst5, row.sessions as f64 / 200.0];
        assert!(numbers.iter().zip(expect).all(|(number, expect)| (number - expect).abs() < 1e-12), "{line}");
        assert_eq!((line["at_ns"].as_i64(), line["sessions"].as_i64()), (Some(row.at_ns), Some(row.sessions)));
    }
    let end = lines.last().expect("an end");
    assert_eq!((end["event"].as_str(), end["is_finished"].as_bool(), end["done"].as_f64()), (Some("end"), Some(true), Some(1.0)));
}

#[test]
fn a_run_without_evaluations_tells_every_tenth() {
    let output = Desk::new().run(&["run", "small.ron", "--timeline-only", "--progress", "json"]);
    let lines = lines(&text(&output.stderr));
    assert!(evaluations(&lines).is_empty() && lines.last().is_some_and(|line| line["event"] == "end"), "{}", text(&output.stderr));
}

#[test]
fn an_interrupted_run_goes_on_telling() {
    let desk = Desk::new();
    desk.scenario("Sessions(200)", "Sessions(40000)");
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
        command.current_dir(desk.path()).stderr(Stdio::piped()).stdout(Stdio::null());
        command
    };
    let mut child = program().args(["run", "small.ron", "--progress", "json"]).spawn().expect("it starts");
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut first = String::new();
    while evaluations(&lines(&first)).len() < 3 && said.read_line(&mut first).expect("it tells") > 0 {}
    Command::new("kill").arg(child.id().to_string()).status().expect("kill is there");
    said.read_to_string(&mut first).expect("it tells");
    assert_eq!(child.wait().expect("it ends").code(), Some(75), "{first}");
    let first = lines(&first);
    assert_eq!(first.last().map(|line| (&line["event"], &line["is_finished"])), Some((&"end".into(), &false.into())));
    let rest = program().args(["resume", "out/small", "--progress", "json"]).output().expect("it goes on");
    let rest = lines(&text(&rest.stderr));
    let mut all = [evaluations(&first), evaluations(&rest)].concat();
    assert!(evaluations(&first).len() > 2 && !evaluations(&rest).is_empty());
    all.dedup();
    assert_eq!(all, (0..=800).collect::<Vec<_>>(), "each once, but for the one at the border");
}

#[test]
fn a_sweep_tells_of_every_run() {
    let desk = sweeps::Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    let said = desk.call("sweep run s --progress json", 0, &[]);
    let last = lines(&said).pop().expect("a line");
    assert_eq!((last["runs"]["done"].as_u64(), last["done"].as_f64()), (Some(4), Some(1.0)));
}
