//! Every answer for people has a twin for programs: one JSON document on standard output with the same figures.

use crate::command_line::{Desk, text};
use crate::sweeps::{self, DEFENSES, plan};
use rankguard::record::Table;
use rankguard::results::Results;
use serde_json::Value;

/// The document that a command prints, and nothing else on standard output.
#[track_caller]
fn json(desk: &Desk, arguments: &[&str]) -> Value {
    let output = desk.run(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|problem| panic!("{problem}: {}", text(&output.stdout)))
}

/// The document of a command of a sweep that ends with this code.
#[track_caller]
fn of_sweep(desk: &sweeps::Desk, arguments: &str, code: i32) -> Value {
    let output = desk.start(arguments).wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|problem| panic!("{problem}: {}", text(&output.stdout)))
}

/// The same document without the time that it took.
fn timeless(mut document: Value) -> Value {
    document.as_object_mut().and_then(|all| all.remove("time")).expect("it took some time");
    document
}

#[test]
fn the_summary_of_a_run_has_the_figures_of_its_manifest_and_repeats() {
    let desk = Desk::new();
    let run = json(&desk, &["run", "small.ron"]);
    let manifest = Results::open(&desk.path().join("out/small")).expect("it opens").manifest;
    assert_eq!((run["name"].as_str(), run["seed"].as_u64(), run["results"].as_str()), (Some("small"), Some(1), Some("out/small")));
    assert_eq!((run["fingerprint"].as_str(), run["run_id"].as_str()), (Some(&*manifest.fingerprint), Some(&*manifest.run_id)));
    assert_eq!((run["ndcg"]["mean"].as_f64(), run["ndcg"]["cutoff"].as_u64()), (Some(manifest.summary.ndcg_mean), Some(10)));
    assert_eq!(run["rows"]["curve"].as_u64(), manifest.rows.get("curve").copied());
    assert_eq!((run["traffic"]["searches"].as_u64(), run["malicious"].as_u64()), (Some(200), Some(2)));
    assert_eq!(timeless(run), timeless(json(&desk, &["run", "small.ron", "--threads", "1"])));
    desk.refuses_call(&["run", "small.ron", "--json", "--quiet"], &["cannot be used with"]);

    let network = json(&desk, &["run", "small.ron", "--timeline-only"]);
    assert_eq!((network["traffic"]["searches"].as_u64(), network["nodes"].as_u64()), (Some(200), Some(10)));
    let fork = json(&desk, &["fork", "out/small", "--at", "5min", "--set", "defense=Undefended", "--out", "out/fork"]);
    assert_eq!((fork["defense"].as_str(), fork["results"].as_str()), (Some("None"), Some("out/fork")));
}

#[test]
fn a_check_holds_the_scenario_its_cost_and_warnings() {
    let desk = Desk::new();
    let check = json(&desk, &["check", "small.ron", "--set", "defense.kappa=8"]);
    assert_eq!(
        (check["name"].as_str(), check["scenario"]["nodes"].as_u64(), &check["warnings"]),
        (Some("small"), Some(10), &Value::Array(vec![]))
    );
    assert!(
        check["expected"]["rows"]["curve"].as_f64() == Some(5.0) && check["expected"]["memory"]["models"].as_f64() > Some(0.0),
        "{check}"
    );
    desk.write("again.ron", check["text"].as_str().expect("a text"));
    assert_eq!(json(&desk, &["check", "again.ron"]), check, "the text is the scenario");
}

#[test]
fn figures_are_objects_with_the_values_of_the_csv() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    let figures = json(&desk, &["figures", "out/small"]);
    let csv = text(&desk.run(&["figures", "out/small"]).stdout);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (head, row) = (lines.next().expect("a head"), lines.next().expect("a row"));
    for (name, value) in head.iter().zip(row) {
        let other = &figures[0][*name];
        match (other.as_f64(), value.parse::<f64>()) {
            (Some(other), Ok(value)) => assert!((other - value).abs() <= 1e-15 * value.abs(), "{name}: {other} is not {value}"),
            _ => assert_eq!(other.as_str().unwrap_or_default(), value, "{name}"),
        }
    }
}

#[test]
fn references_are_lists() {
    let desk = Desk::new();
    let schema = json(&desk, &["schema"]);
    let tables = schema["tables"].as_array().expect("tables");
    assert_eq!((tables.len(), schema["first_columns"][0]["name"].as_str()), (Table::ALL.len(), Some("run_id")));
    let text_of_schema = text(&desk.run(&["schema"]).stdout);
    for column in tables.iter().flat_map(|table| table["columns"].as_array().expect("columns")) {
        assert!(text_of_schema.contains(column["meaning"].as_str().expect("a meaning")), "{column}");
    }
    let fields = json(&desk, &["fields"]);
    let of = |path: &str| fields.as_array().expect("a list").iter().find(|field| field["path"] == path).expect("it is listed").clone();
    assert_eq!((of("nodes")["is_required"].as_bool(), of("loss")["default"].as_str()), (Some(true), Some("0.0")));
    let one = json(&desk, &["fields", "LogNormal"]);
    assert!(one.as_array().is_some_and(|found| !found.is_empty() && found.iter().all(|field| field["choice"] == "LogNormal")), "{one}");
    desk.refuses_call(&["fields", "latencyy", "--json"], &["did you mean `latency`?"]);
    let data = json(&desk, &["data", "inspect", "data"]);
    assert_eq!((data["files"][0]["queries"].as_u64(), data["files"][1]["documents"].as_u64()), (Some(20), Some(100)));
    assert!(data["files"][0]["warnings"].is_array() && data["warnings"].as_array().is_some_and(Vec::is_empty), "{data}");
}

#[test]
fn sweeps_tell_programs_what_was_done_and_what_is_missing() {
    let desk = sweeps::Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    let early = of_sweep(&desk, "sweep collect s --json", 1);
    assert_eq!((early["is_written"].as_bool(), early["missing_tasks"].as_array().map(Vec::len)), (Some(false), Some(2)));
    let some = of_sweep(&desk, "sweep run s --task 1 --json", 0);
    assert_eq!((some["task"].as_u64(), some["runs"]["done"].as_u64(), some["runs"]["all"].as_u64()), (Some(1), Some(2), Some(2)));
    let rest = of_sweep(&desk, "sweep run s --json", 0);
    assert_eq!((rest["runs"]["done"].as_u64(), rest["runs"]["done_before"].as_u64()), (Some(2), Some(2)));
    assert_eq!(of_sweep(&desk, "sweep status s --json", 0)["tasks"]["done"].as_u64(), Some(2));
    let collected = of_sweep(&desk, "sweep collect s --json", 0);
    assert_eq!(
        (collected["runs"].as_u64(), collected["is_complete"].as_bool(), collected["rows"]["runs"].as_u64()),
        (Some(4), Some(true), Some(4))
    );

    desk.write("broken", &plan(&[("dataset", &[sweeps::SYNTHETIC, sweeps::MISSING])], 1..2, 1));
    let failed = of_sweep(&desk, "sweep run broken --json", 1);
    assert_eq!((failed["runs"]["failed"].as_u64(), failed["runs"]["done"].as_u64()), (Some(1), Some(1)));
    assert!(failed["failures"][0]["message"].as_str().is_some_and(|message| message.contains("nowhere")), "{failed}");
}
