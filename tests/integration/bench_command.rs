//! `rankguard bench` prints what it measures and writes it as JSON. No test looks at a time.

use crate::command_line::Desk;
use serde_json::Value;

#[test]
fn a_group_is_printed_next_to_its_bound_and_written_as_json() {
    let desk = Desk::new();
    let told = desk.run(&["bench", "--quick", "--group", "parse", "--group", "record", "--json", "bench.json"]);
    let text = String::from_utf8(told.stdout).expect("text");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    for words in ["cores", "multiply and add", "bound: newline scan", "ratio", "a run with all its tables"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("judge"), "only the chosen groups are measured: {text}");

    let json: Value = serde_json::from_slice(&std::fs::read(desk.path().join("bench.json")).expect("it is written")).expect("JSON");
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let [seconds, bound, ratio] = ["seconds", "bound_seconds", "ratio"].map(|name| row[name].as_f64().expect("a number"));
        assert!(seconds > 0.0 && (ratio - seconds / bound).abs() <= 1e-9 * ratio, "{row}");
    }
    assert!(json["bounds"]["flops_per_second"].as_f64().is_some_and(|speed| speed > 1e8));
    assert_eq!(json["paper"].as_array().map(Vec::len), Some(18));
}

#[test]
fn judging_stands_next_to_the_paper() {
    let told = Desk::new().run(&["bench", "--quick", "--group", "judge"]);
    let text = String::from_utf8(told.stdout).expect("text");
    let (_, table) = text.split_once("the paper's running times").unwrap_or_else(|| panic!("{text}"));
    for rule in ["RankGuard  linear      100", "FLTrust  linear      100", "ZenoPS  linear      100"] {
        assert!(table.contains(rule), "{rule}: {text}");
    }
}

#[test]
fn the_case_for_peers_holds_inputs_and_results() {
    let desk = Desk::new();
    assert!(desk.run(&["bench", "--export", "case.json"]).status.success());
    let json: Value = serde_json::from_slice(&std::fs::read(desk.path().join("case.json")).expect("it is written")).expect("JSON");
    let length = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(length(&json["rankguard"]["alpha"]), length(&json["received"]));
    assert_eq!(length(&json["evidence"]), length(&json["sessions"]));
}

#[test]
fn an_unknown_group_is_refused_with_the_known_ones() {
    let told = Desk::new().run(&["bench", "--group", "speed"]);
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("the groups are judge, search, evaluation"));
}
