//! Plans that are made and extended.

use super::*;
use crate::sweep::file::tests::read;
use crate::sweep::manifest;

const AXES: &str = "axes: [Axis(defense: [RankGuard(kappa: 4.0), FlTrust]), Axis(loss: [0.1, 0.2])], seeds: List([1, 2])";

fn plan(fields: &str, tasks: u32) -> Plan {
    read(fields).and_then(|file| file.plan(Some(tasks))).unwrap_or_else(|error| panic!("{error}"))
}

/// The runs of each task: `RankGuard-0.1-seed-1 …`.
fn show(plan: &Plan) -> Vec<String> {
    plan.tasks.iter().map(|task| task.runs.iter().map(|run| run.name.clone()).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn runs_are_ordered_by_combination_and_seed() {
    let plan = plan(AXES, 1);
    let expect = "RankGuard-0.1-seed-1 RankGuard-0.1-seed-2 RankGuard-0.2-seed-1 RankGuard-0.2-seed-2 \
        FlTrust-0.1-seed-1 FlTrust-0.1-seed-2 FlTrust-0.2-seed-1 FlTrust-0.2-seed-2";
    assert_eq!(show(&plan), [expect]);
    assert_eq!(
        plan.runs().next().map(|run| run.labels.clone()),
        Some(vec![("defense".into(), "RankGuard".into()), ("loss".into(), "0.1".into())])
    );
    assert!(plan.memory > 0.0 && plan.disk > 0.0 && plan.tasks[0].cost > 0.0);
}

#[test]
fn a_run_has_its_own_scenario() {
    let plan = plan(AXES, 3);
    for run in plan.runs() {
        let scenario = plan.scenario(run).expect("it is checked");
        assert_eq!((scenario.name.as_str(), scenario.seed), (run.name.as_str(), run.seed));
        assert!(run.name.contains(&format!("-{}-", scenario.loss)), "{}", run.name);
    }
    assert_eq!(plan.task(1).map(|task| task.id.as_str()), Ok("t00001"));
    for number in [0, 4] {
        let error = plan.task(number).expect_err("there are three").to_string();
        assert_eq!(error, format!("there is no task {number}; the tasks of test are 1 to 3"));
    }
}

#[test]
fn equal_files_give_equal_manifests_that_read_back() {
    let text = manifest::text(&plan(AXES, 3));
    assert_eq!(text, manifest::text(&plan(&AXES.replace("4.0", "4 /* κ */"), 3)));
    let folder = tempfile::tempdir().expect("a folder");
    plan(AXES, 3).write(folder.path()).expect("it writes");
    assert_eq!(Plan::read(folder.path()), Ok(plan(AXES, 3)));
}

#[test]
fn a_manifest_stays_small() {
    let defense = (0..100).map(|n| format!("RankGuard(kappa: {n})")).collect::<Vec<_>>().join(", ");
    let large = plan(&format!("axes: [Axis(defense: [{defense}])], seeds: Range(first: 1, count: 100)"), 500);
    assert_eq!(large.runs().count(), 10_000);
    let bytes = manifest::text(&large).len();
    assert!(bytes < 300_000, "{bytes}");
}

/// The plan of AXES, extended by `fields`: the old tasks stay, and these runs are new.
#[track_caller]
fn extends(fields: &str, expect: &[&str]) {
    let old = plan(AXES, 2);
    let new = read(fields).and_then(|file| file.extend(old.clone(), Some(2))).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(new.tasks[..2], old.tasks[..]);
    assert_eq!(show(&new)[2..], *expect);
}

#[test]
fn new_runs_come_in_new_tasks() {
    extends(AXES, &[]);
    extends(
        &AXES.replace("[1, 2]", "[3, 1, 2]").replace("[0.1, 0.2]", "[0.2, 0.1]"),
        &["RankGuard-0.2-seed-3 FlTrust-0.1-seed-3", "RankGuard-0.1-seed-3 FlTrust-0.2-seed-3"],
    );
    extends(&AXES.replace("FlTrust", "Krum, FlTrust"), &["Krum-0.1-seed-1 Krum-0.2-seed-1", "Krum-0.1-seed-2 Krum-0.2-seed-2"]);
    // The planned value keeps its short label, although two values have this name now.
    extends(
        &AXES.replace("FlTrust", "RankGuard(kappa: 8.0), FlTrust").replace("0.1, 0.2", "0.2, 0.1"),
        &["RankGuard-kappa-8.0-0.2-seed-1 RankGuard-kappa-8.0-0.1-seed-1", "RankGuard-kappa-8.0-0.2-seed-2 RankGuard-kappa-8.0-0.1-seed-2"],
    );
}

#[test]
fn fewer_skipped_combinations_are_more_runs() {
    let old = plan(&format!("{AXES}, skip: [(defense: \"FlTrust\", loss: \"0.2\")]"), 2);
    let new = read(AXES).and_then(|file| file.extend(old.clone(), Some(1))).expect("it is longer");
    assert_eq!(new.tasks[..2], old.tasks[..]);
    assert_eq!(show(&new)[2..], ["FlTrust-0.2-seed-1 FlTrust-0.2-seed-2"]);
}

/// The plan of AXES cannot become that of `fields`.
#[track_caller]
fn refuse(fields: &str, expect: &str) {
    let error = read(fields).and_then(|file| file.extend(plan(AXES, 2), Some(2))).expect_err(fields);
    assert!(error.to_string().contains(expect) && error.exit_code() == 2, "{error}");
}

#[test]
fn another_sweep_is_told_by_its_differences() {
    refuse(
        &format!("set: (nodes: 50, weight_limit: 3), {AXES}"),
        "base: nodes was 100 and is 50\n  base: weight_limit was not given and is 3.0",
    );
    refuse(&AXES.replace("RankGuard(kappa: 4.0), ", ""), "defense lacks RankGuard");
    refuse(&AXES.replace("4.0", "5.0"), "defense lacks RankGuard");
    refuse(&AXES.replace("[1, 2]", "[2, 3]"), "seeds lack 1");
    refuse(&AXES.replace("loss: [0.1", "loss: [(\"few\", 0.1)"), "loss: the label 0.1 has become few");
    refuse(&AXES.replace("Axis(loss: [0.1, 0.2])", "Axis(duplicates: [0.1])"), "axes were defense, loss and are defense, duplicates");
    refuse("seeds: List([1, 2])", "axes were defense, loss and are none");
    refuse(&format!("{AXES}, skip: [(loss: \"0.1\")]"), "skip leaves out RankGuard-0.1-seed-1 and 3 more\n");
    let other_size = read(AXES).and_then(|file| file.extend(plan(AXES, 2), Some(3))).expect_err("tasks stay").to_string();
    assert!(other_size.contains("\n  tasks were 2 in all and are 3 in all\n"), "{other_size}");
}

#[test]
fn no_two_runs_share_a_name() {
    let fields = "axes: [Axis(loss: [(\"a\", 0.1), (\"a-b\", 0.2)]), Axis(duplicates: [(\"b-c\", 0.1), (\"c\", 0.2)])]";
    let error = read(fields).and_then(|file| file.plan(None)).expect_err("it is refused").to_string();
    assert_eq!(error, "sweep.ron: (a, b-c) and (a-b, c) would both be called a-b-c-seed-1; give other labels");
}
