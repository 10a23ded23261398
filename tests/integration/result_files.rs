//! Result folders and what they say: ownership, manifests, identities, joins between tables, and the summary of a run.

use crate::command_line::{Desk, fingerprint};
use crate::support::{corpus, finish, scenario};
use rankguard::record::{Cell, CurveRow, ReceiptRow, Table, TableReader, check_axes};
use rankguard::results::Results;
use rankguard::run::{Job, job};
use std::collections::BTreeSet;
use std::fs::{self, File};

#[path = "../../src/build.rs"]
#[allow(dead_code, reason = "its main is for cargo")]
mod build;

#[test]
fn a_note_in_a_result_folder_survives_a_rerun() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    for note in ["out/small/note.txt", "out/small/curve/note.txt", "out/small/plots/curve.svg"] {
        desk.write(note, "mine");
    }
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    desk.scenario("loss: 0.01,", "loss: 0.01, record: (curve: Nothing),");
    desk.succeeds(&["run", "small.ron", "--quiet", "--overwrite"]);
    for note in ["out/small/note.txt", "out/small/curve/note.txt", "out/small/plots/curve.svg"] {
        assert_eq!(fs::read_to_string(desk.path().join(note)).expect(note), "mine");
    }
    assert!(!desk.path().join("out/small/curve/part-00000.parquet").exists(), "a table that is not recorded any more is ours to remove");
}

/// Changes a text under the same size and time, as `cp -p` does.
fn change_silently(desk: &Desk, name: &str, part: &str, by: &str) {
    let path = desk.path().join(name);
    let (before, modified) = (fs::read_to_string(&path).expect("a text"), fs::metadata(&path).and_then(|m| m.modified()).expect("a time"));
    let after = before.replace(part, by);
    assert!(before != after && before.len() == after.len());
    fs::write(&path, after).expect("it writes");
    File::options().write(true).open(&path).and_then(|file| file.set_modified(modified)).expect("the time is put back");
}

#[test]
fn results_of_changed_data_are_made_anew_and_never_replaced_silently() {
    let desk = Desk::new();
    let first = desk.succeeds(&["run", "small.ron"]);
    change_silently(&desk, "data/train.txt", "1:1.00", "1:0.00");
    desk.refuses_call(&["run", "small.ron"], &["out/small", "of other data", "--overwrite"]);
    let second = desk.succeeds(&["run", "small.ron", "--overwrite"]);
    assert_ne!(fingerprint(&first), fingerprint(&second), "the cache of the text before was not used");
}

#[test]
fn only_the_very_same_results_are_replaced_without_a_word() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet", "--out", "there"]);
    for (part, by) in [("name: \"small\"", "name: \"other\""), ("loss: 0.01,", "loss: 0.01, record: (receipts: Nothing),")] {
        desk.scenario(part, by);
        desk.refuses_call(
            &["run", "small.ron", "--out", "there"],
            &["holds this run under another name, with other tables", "--overwrite"],
        );
    }
}

fn json(desk: &Desk, folder: &str) -> serde_json::Value {
    let text = fs::read_to_string(desk.path().join(folder).join("manifest.json")).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn a_manifest_says_what_was_run_on_which_data_by_which_program() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    let manifest = json(&desk, "out/small");
    assert_eq!(manifest["program_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["commit"], env!("RANKGUARD_COMMIT"));
    assert_eq!(manifest["scenario"]["nodes"], 10);
    let data = manifest["inputs"]["data_hash"].as_str().expect("a hash").to_string();
    assert!(data.len() == 17 && data.starts_with('d'), "{data}");
    desk.write(
        "data/train.txt",
        fs::read(desk.path().join("data/train.txt")).expect("a text").iter().chain(b"\n").copied().collect::<Vec<_>>(),
    );
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    assert_eq!(json(&desk, "out/small")["inputs"]["data_hash"], data, "a blank line is no other data");
}

#[test]
fn a_manifest_and_what_check_prints_can_be_run_again() {
    let desk = Desk::new();
    let first = desk.succeeds(&["run", "small.ron"]);
    let again = desk.succeeds(&["run", "out/small/manifest.ron", "--out", "again"]);
    desk.write("checked.ron", desk.succeeds(&["check", "small.ron"]));
    let checked = desk.succeeds(&["run", "checked.ron", "--out", "checked"]);
    assert!([&again, &checked].iter().all(|run| fingerprint(run) == fingerprint(&first)));
    desk.scenario("Alternating(online: Exponential(mean: \"20min\"), offline: Exponential(mean: \"10min\"))", "Kad");
    desk.write("checked.ron", desk.succeeds(&["check", "small.ron"]));
    desk.succeeds(&["check", "checked.ron"]);
}

fn column<C: Cell + 'static>(desk: &Desk, folder: &str, table: Table, name: &str) -> Vec<C> {
    let table = TableReader::open(&desk.path().join(folder), table).expect("the table is there");
    table.column(name, ..).and_then(Iterator::collect).expect("it reads")
}

/// The different values of a column.
fn values<C: Cell + Ord + 'static>(desk: &Desk, folder: &str, table: Table, name: &str) -> BTreeSet<C> {
    column(desk, folder, table, name).into_iter().collect()
}

#[test]
fn rows_of_every_table_name_their_run_and_join_with_it() {
    let desk = Desk::new();
    let mut ids = BTreeSet::new();
    for seed in ["1", "2"] {
        desk.succeeds(&["run", "small.ron", "--quiet", "--seed", seed, "--out", seed]);
        let run_id = json(&desk, seed)["run_id"].as_str().expect("a name").to_string();
        for table in Table::ALL.iter().copied().filter(|table| ![Table::Models, Table::Faults].contains(table)) {
            let (runs, seeds) = (values::<String>(&desk, seed, table, "run_id"), values::<i64>(&desk, seed, table, "seed"));
            let expect = (BTreeSet::from([run_id.clone()]), BTreeSet::from([seed.parse().expect("a number")]));
            assert_eq!((runs, seeds), expect, "{}", table.name());
            let names = ["defense", "attack", "users"].map(|name| values::<String>(&desk, seed, table, name));
            assert_eq!(names, ["RankGuard", "FLIP", "Perfect"].map(|name| BTreeSet::from([name.to_string()])), "{}", table.name());
            let shares: Vec<f64> = column(&desk, seed, table, "malicious_share");
            assert!(shares.iter().all(|share| *share == 0.2), "{}: {shares:?}", table.name());
        }
        let run = Results::open(&desk.path().join(seed)).and_then(|results| results.run()).expect("it reads");
        assert!(run.defense_spelled.starts_with("RankGuard(kappa: 4.0"), "{}", run.defense_spelled);
        assert!(run.scenario.contains("kappa: 4.0") && run.scenario.contains(&format!("seed: {seed},")), "{}", run.scenario);
        ids.insert(run_id);
    }
    assert_eq!(ids.len(), 2);
}

#[test]
fn any_field_of_a_scenario_may_be_an_axis() {
    let fields = scenario(&[]).fields();
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).filter(|name| !["name", "seed"].contains(name)).collect();
    assert!(names.contains(&"history") && names.contains(&"malicious_aggregate"), "{names:?}");
    for table in Table::ALL {
        let taken: Vec<String> =
            table.own_fields().iter().map(|field| field.name().clone()).filter(|name| names.contains(&name.as_str())).collect();
        assert!(taken.is_empty(), "{}: {taken:?}", table.name());
    }
    assert_eq!(check_axes(names), Ok(()));
}

#[test]
fn a_run_of_a_sweep_has_a_column_for_each_axis() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = scenario(&[]).resolve().expect("it is good");
    let axes = |axes: &[(&str, &str)]| axes.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect::<Vec<_>>();
    let run = |name: &str, labels: &[(&str, &str)]| job(&world, Job { axes: axes(labels), ..Job::into(folder.path().join(name)) });
    let (alone, swept) = (run("alone", &[]), run("swept", &[("defense", "guard"), ("history", "all")]));
    let [alone, swept] = [alone, swept].map(|done| done.expect("it runs").manifest);
    assert!(alone.run_id == swept.run_id && alone.fingerprint == swept.fingerprint && alone.result_id != swept.result_id);
    let curve = Results::open(&folder.path().join("swept")).and_then(|results| results.table::<CurveRow>()).expect("it opens");
    for (name, label) in [("defense", "guard"), ("history", "all"), ("attack", "FLIP")] {
        let labels: BTreeSet<String> = curve.column(name, ..).and_then(Iterator::collect).expect("it reads");
        assert_eq!(labels, BTreeSet::from([label.to_string()]), "{name}");
    }
    assert_eq!(curve.rows(..).map(Iterator::count), Ok(alone.rows["curve"] as usize), "rows are read without the columns of axes");
    let refused = run("taken", &[("step", "1")]).err().map(|problem| problem.to_string()).expect("every table has steps");
    assert!(refused.contains("the axis `step` is named like a column") && !folder.path().join("taken").exists(), "{refused}");
}

#[test]
fn results_are_read_by_type() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    let results = Results::open(&desk.path().join("out/small")).expect("it is there");
    let curve: Vec<CurveRow> = results.curve().expect("it was recorded");
    assert_eq!(curve.iter().map(|row| row.sessions).collect::<Vec<_>>(), [0, 50, 100, 150, 200]);
    assert_eq!(curve.last().map(|row| row.ndcg_mean), Some(results.manifest.summary.ndcg_mean));
    let receipts = results.table::<ReceiptRow>().expect("it was recorded");
    assert_eq!(receipts.n_rows(), results.manifest.rows["receipts"]);
    let some: Vec<ReceiptRow> = receipts.rows(10..20).and_then(Iterator::collect).expect("it reads");
    let alphas: Vec<f64> = receipts.column("alpha", 10..20).and_then(Iterator::collect).expect("it reads");
    assert_eq!(some.iter().map(|row| row.alpha).collect::<Vec<_>>(), alphas);
    assert!(alphas.len() == 10 && some.iter().all(|row| row.at_ns >= row.sent_ns));
}

#[test]
fn every_node_says_who_it_is() {
    let mix = "Mix([(share: 0.5, attack: Flip), (share: 0.5, attack: Shrink(c: 0.5))])";
    let crowd = "[Join(at: \"2min\", share: 0.25)]";
    let scenario = scenario(&[
        ("nodes", "16"),
        ("attack", mix),
        ("crowds", crowd),
        ("arrivals", "Poisson(every: \"1min\", rates: Zipf(exponent: 1.0))"),
    ]);
    let (_, rows) = finish(&scenario, &corpus(), 2);
    let count = |plays: Option<&str>| rows.nodes.iter().filter(|row| row.plays == plays).count();
    assert_eq!((rows.nodes.len(), count(None), count(Some("FLIP")), count(Some("Shrink"))), (16, 12, 2, 2));
    assert!(rows.nodes.iter().all(|row| row.malicious == row.plays.is_some() && row.host.is_none() && !row.region.is_empty()));
    assert!((rows.nodes.iter().map(|row| row.rate).sum::<f64>() - 16.0).abs() < 1e-9);
    assert!(rows.searches.iter().all(|row| row.malicious == rows.nodes[row.node as usize].malicious));
    let joins = |at: i64| rows.nodes.iter().filter(|row| row.first_join_ns == Some(at)).count();
    assert_eq!((joins(0), joins(120_000_000_000)), (12, 4));
}

/// A checkout made of files alone, and its commit.
#[track_caller]
fn commit(files: &[(&str, &str)], root: &str, expect: Option<&str>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("inside")).and_then(|()| fs::write(path, content)).expect("it writes");
    }
    let head = build::Head::of(&folder.path().join(root));
    assert!(head.iter().flat_map(|head| &head.watched).all(|file| file.exists()), "cargo would build anew every time");
    assert_eq!(head.and_then(|head| head.commit).as_deref(), expect);
}

#[test]
fn the_commit_is_found_wherever_git_keeps_it() {
    let (a, b) = ("a".repeat(40), "b".repeat(64));
    let line = format!("{a}\n");
    let packed = format!("# pack-refs with: peeled fully-peeled sorted\n{b} refs/heads/old-main\n{a} refs/heads/main\n");
    let main = (".git/HEAD", "ref: refs/heads/main\n");
    commit(&[main, (".git/refs/heads/main", &line)], "", Some(&a));
    commit(&[main, (".git/packed-refs", &packed), (".git/refs/heads/.keep", "")], "", Some(&a));
    commit(&[main, (".git/packed-refs", &packed)], "", Some(&a));
    commit(&[(".git/HEAD", &b)], "", Some(&b));
    let worktree = [
        ("tree/.git", "gitdir: ../.git/worktrees/tree\n"),
        (".git/worktrees/tree/HEAD", "ref: refs/heads/side/line\n"),
        (".git/worktrees/tree/commondir", "../..\n"),
        (".git/refs/heads/side/line", &line),
    ];
    commit(&worktree, "tree", Some(&a));
    commit(&[main], "", None);
    commit(&[("src/lib.rs", "")], "", None);
    commit(&[main, (".git/refs/heads/main", &line), ("vendor/lib.rs", "")], "vendor", None);
}

#[test]
fn the_program_knows_the_commit_of_this_checkout() {
    let head = build::Head::of(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
    let commit = head.and_then(|head| head.commit).unwrap_or_else(|| "unknown".into());
    assert_eq!(env!("RANKGUARD_COMMIT"), commit);
}

/// Runs the small scenario with these fields for each seed; results go to folders that begin with `name`.
pub fn run(desk: &Desk, name: &str, seeds: &[&str], fields: &[&str]) -> Vec<String> {
    let folder = |seed: &&str| {
        let folder = format!("{name}-{seed}");
        let set = fields.iter().flat_map(|field| ["--set", field]);
        let arguments: Vec<&str> = ["run", "small.ron", "--quiet", "--seed", seed, "--out", &folder].into_iter().chain(set).collect();
        desk.succeeds(&arguments);
        folder
    };
    seeds.iter().map(folder).collect()
}

#[test]
fn a_summary_says_over_what_each_figure_is_taken() {
    let desk = Desk::new();
    let summary = desk.succeeds(&["run", "small.ron"]);
    for words in [
        "nDCG@10      at the end: mean ",
        "over 8 honest nodes, after 200 searches and ",
        "α            whole run: honest senders ",
        "between the last two evaluations: honest senders ",
        "messages     whole run: sent ",
    ] {
        assert!(summary.contains(words), "`{words}` is not in\n{summary}");
    }
}
