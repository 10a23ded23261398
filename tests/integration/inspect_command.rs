//! `rankguard inspect` from outside: the worst nodes against the tables themselves, a node's life, and what is not known.

use crate::command_line::{Desk, text};
use crate::sweeps::{self, DEFENSES, plan};
use rankguard::record::{EvaluationRow, PresenceRow, ReceiptRow, SearchRow};
use rankguard::results::Results;
use serde_json::Value;

fn inspect(desk: &Desk, arguments: &[&str]) -> String {
    let output = desk.run(&[&["inspect"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn json(desk: &Desk, arguments: &[&str]) -> Value {
    serde_json::from_str(&inspect(desk, &[arguments, &["--json"]].concat())).expect("one document")
}

#[test]
fn the_worst_nodes_are_those_of_the_last_evaluation_with_figures_of_all_tables() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet", "--set", "defense=Undefended"]);
    let found = json(&desk, &["out/small", "--worst", "3"]);
    let results = Results::open(&desk.path().join("out/small")).expect("it opens");
    let last = results.curve().expect("a curve").last().expect("an evaluation").evaluation;
    let rows = results.rows::<EvaluationRow>().expect("evaluations");
    let mut end: Vec<&EvaluationRow> = rows.iter().filter(|row| row.evaluation == last).collect();
    end.sort_by(|a, b| a.ndcg.total_cmp(&b.ndcg).then(a.node.cmp(&b.node)));
    let receipts = results.rows::<ReceiptRow>().expect("receipts");
    assert_eq!((found["n_evaluated"].as_u64(), found["worst"].as_array().map(Vec::len)), (Some(8), Some(3)));
    for (worst, row) in found["worst"].as_array().expect("a list").iter().zip(&end) {
        let figures = &worst["figures"];
        assert_eq!((figures["node"].as_i64(), figures["ndcg"].as_f64()), (Some(row.node.into()), Some(row.ndcg)));
        let received =
            |malicious| receipts.iter().filter(|r| r.receiver == row.node && r.sender_malicious == malicious).collect::<Vec<_>>();
        assert_eq!(figures["received_honest"].as_f64(), Some(received(false).len() as f64));
        let alphas: Vec<f64> = received(true).iter().map(|receipt| receipt.alpha).collect();
        let mean = (!alphas.is_empty()).then(|| alphas.iter().sum::<f64>() / alphas.len() as f64);
        assert!((figures["alpha_malicious"].as_f64().unwrap_or(-1.0) - mean.unwrap_or(-1.0)).abs() < 1e-12);
        // Uptime once more: the time between each join and the leave after it.
        let presence: Vec<PresenceRow> =
            results.rows::<PresenceRow>().expect("presence").into_iter().filter(|p| p.node == row.node).collect();
        let ends = presence.iter().map(|p| p.at_ns).skip(1).chain([results.run().expect("a run").end_ns]);
        let online: i64 = presence.iter().zip(ends).filter(|(p, _)| p.online).map(|(p, end)| end - p.at_ns).sum();
        let share = online as f64 / results.run().expect("a run").end_ns as f64;
        assert!((figures["uptime"].as_f64().expect("presence is recorded") - share).abs() < 1e-12);
    }
    let loudest = receipts
        .iter()
        .filter(|r| r.sender_malicious && !r.receiver_malicious && !r.noop)
        .max_by(|a, b| a.alpha.total_cmp(&b.alpha).then(b.step.cmp(&a.step)));
    let loudest = loudest.expect("somebody attacks");
    assert_eq!((found["loudest"]["step"].as_i64(), found["loudest"]["alpha"].as_f64()), (Some(loudest.step), Some(loudest.alpha)));
    assert_eq!(found["loudest"]["plays"], "FLIP");
    let shown = inspect(&desk, &["out/small"]);
    for words in [
        "worst nodes",
        "what sets them apart",
        "nothing that was recorded stands out",
        "and other models came in between",
        "next: rankguard inspect out/small --node",
    ] {
        assert!(shown.contains(words), "`{words}` is not in\n{shown}");
    }
}

#[test]
fn a_life_holds_every_event_of_its_node_in_order() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet", "--set", "stop=Sessions(1000)"]);
    let life = json(&desk, &["out/small", "--node", "3"]);
    let events = life["events"].as_array().expect("a list");
    let results = Results::open(&desk.path().join("out/small")).expect("it opens");
    let counts = [
        ("search", results.rows::<SearchRow>().expect("searches").iter().filter(|row| row.node == 3).count()),
        ("receipt", results.rows::<ReceiptRow>().expect("receipts").iter().filter(|row| row.receiver == 3).count()),
        ("evaluation", results.rows::<EvaluationRow>().expect("evaluations").iter().filter(|row| row.node == 3).count()),
        ("join", results.rows::<PresenceRow>().expect("presence").iter().filter(|row| row.node == 3 && row.online).count()),
    ];
    for (kind, expect) in counts {
        assert_eq!(events.iter().filter(|event| event["event"] == kind).count(), expect, "{kind}");
    }
    assert!(events.is_sorted_by_key(|event| event["step"].as_i64()) && events.is_sorted_by_key(|event| event["at_ns"].as_i64()));
    let (short, whole) = (inspect(&desk, &["out/small", "--node", "3"]), inspect(&desk, &["out/small", "--node", "3", "--all"]));
    assert_eq!(whole.lines().count(), events.len() + 1, "{whole}");
    assert!(short.lines().count() < whole.lines().count() && short.contains("events are shown; --all shows every one"), "{short}");
    assert!(whole.contains("receives from") && whole.contains("evaluation 20: nDCG "), "{whole}");
}

#[test]
fn what_was_not_recorded_is_named_with_its_remedy() {
    let desk = Desk::new();
    let record = "record=(receipts: Nothing, presence: OneIn(3))";
    desk.succeeds(&["run", "small.ron", "--quiet", "--set", record]);
    let shown = inspect(&desk, &["out/small"]);
    for words in [
        "weight, is unknown: receipts was not recorded; record: (receipts: All) keeps it",
        "uptime rests on a sample of presence (OneIn(3)); record: (presence: All) keeps all",
        "no honest node weighed one",
    ] {
        assert!(shown.contains(words), "`{words}` is not in\n{shown}");
    }
    assert!(inspect(&desk, &["out/small", "--node", "0"]).contains("note: what it received is unknown"), "{shown}");
    desk.refuses_call(&["inspect", "out/small", "--node", "10"], &["out/small: has no node 10; its 10 nodes are numbered from 0 to 9"]);
    desk.refuses_call(&["inspect", "out/nobody"], &["out/nobody/manifest.ron: cannot be read"]);
    desk.succeeds(&["run", "small.ron", "--quiet", "--overwrite", "--set", "record=(evaluations: Nothing)"]);
    desk.refuses_call(&["inspect", "out/small"], &["holds no evaluations; run the scenario with record: (evaluations: All)"]);
}

#[test]
fn a_run_of_a_sweep_is_named_by_its_folder_and_name() {
    let desk = sweeps::Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("inspect s", 2, &["s: is a sweep that was not collected"]);
    desk.call("sweep collect s", 0, &[]);
    let refused = desk.call("inspect s", 2, &["s: is a sweep of 4 runs; name one of them, such as s/"]);
    let name = refused.trim().rsplit("such as ").next().expect("a name").to_string();
    let shown = desk.call(&format!("inspect {name}"), 0, &["worst nodes", "RankGuard · FLIP · seed 1"]);
    assert!(shown.contains(&format!("next: rankguard inspect {name} --node ")), "{shown}");
    desk.call(&format!("inspect {name}x"), 2, &["the sweep has no collected run of this name; did you mean "]);
    desk.call(&format!("inspect {name} --node 0 --all"), 0, &["receives from"]);
}
