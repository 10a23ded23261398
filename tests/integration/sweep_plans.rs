//! `rankguard sweep plan` as a user meets it.

use super::command_line::{Desk, SCENARIO};
use std::fs;
use std::process::Output;

const SWEEP: &str = r#"(
    name: "robustness",
    base: "scenarios/small.ron",
    set: (record: (receipts: Nothing)),
    axes: [
        Axis(defense: [RankGuard(kappa: 4.0), FlTrust, Undefended]),
        Axis(attack: [("flip", Flip), ("lie", Lie(z: Majority))]),
        Zip(name: "place", values: [
            ("near", (latency: Constant("10ms"), churn: AlwaysOnline)),
            ("far", (latency: Constant("1s"), churn: Kad)),
        ]),
    ],
    seeds: Range(first: 1, count: 5),
    skip: [(defense: "FlTrust", attack: "lie")],
    tasks: 4,
)
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("sweeps/scenarios/small.ron", SCENARIO);
    desk.write("sweeps/robustness.ron", SWEEP);
    desk
}

/// Plans the sweep with one piece of its text replaced.
fn plan(desk: &Desk, part: &str, by: &str, options: &[&str]) -> Output {
    assert!(SWEEP.contains(part), "{part}");
    desk.write("sweeps/robustness.ron", SWEEP.replace(part, by));
    desk.run(&[&["sweep", "plan", "sweeps/robustness.ron", "--out", "plans/r"], options].concat())
}

/// What was printed, after the program ended with this code.
#[track_caller]
fn printed(output: &Output, code: i32) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    format!("{out}{err}")
}

fn manifest(desk: &Desk) -> String {
    fs::read_to_string(desk.path().join("plans/r/manifest.ron")).expect("it is there")
}

#[test]
fn a_plan_is_made_once() {
    let desk = desk();
    let text = printed(&plan(&desk, "", "", &[]), 0);
    for line in [
        "sweep robustness: 50 runs in 4 tasks",
        "  defense   RankGuard, FlTrust, Undefended",
        "  attack    flip, lie",
        "  place     near, far",
        "  seeds     5, from 1 to 5",
        "planned in plans/r; next: rankguard sweep run plans/r",
    ] {
        assert!(text.lines().any(|l| l == line), "no {line} in\n{text}");
    }
    let first = manifest(&desk);
    let again = printed(&plan(&desk, "", "", &[]), 0);
    assert!(again.ends_with("nothing to do: all of this is planned in plans/r; next: rankguard sweep run plans/r\n"), "{again}");
    // What was written out is the same sweep, wherever it is.
    let written = desk.run(&["sweep", "plan", "plans/r/sweep.ron", "--out", "plans/r"]);
    assert!(printed(&written, 0).contains("nothing to do"));
    let elsewhere = desk.run(&["sweep", "plan", "plans/r/sweep.ron", "--out", "plans/copy"]);
    assert!(printed(&elsewhere, 0).contains("planned in plans/copy"));
    assert_eq!((manifest(&desk), fs::read_to_string(desk.path().join("plans/copy/manifest.ron")).ok()), (first.clone(), Some(first)));
}

#[test]
fn a_plan_grows_and_keeps_its_tasks() {
    let desk = desk();
    printed(&plan(&desk, "", "", &[]), 0);
    let tasks = |manifest: &str| manifest.lines().filter(|line| line.contains("id: \"t0")).map(String::from).collect::<Vec<_>>();
    let before = tasks(&manifest(&desk));
    assert_eq!(before.len(), 4);
    let text = printed(&plan(&desk, "FlTrust, Undefended", "Krum, FlTrust, Undefended", &["--tasks", "2"]), 0);
    assert!(text.contains("70 runs in 6 tasks, of which 20 runs in 2 tasks are new"), "{text}");
    let after = tasks(&manifest(&desk));
    assert_eq!((&after[..4], after.len()), (&before[..], 6));
    // What was planned before stays the same sweep, whichever number of tasks it asked for.
    for options in [&[][..], &["--tasks", "2"]] {
        assert!(printed(&plan(&desk, "FlTrust, Undefended", "Krum, FlTrust, Undefended", options), 0).contains("nothing to do"));
    }
}

#[test]
fn another_sweep_is_refused_with_its_differences() {
    let desk = desk();
    printed(&plan(&desk, "", "", &[]), 0);
    let before = manifest(&desk);
    for (part, by, expect) in [
        ("count: 5", "count: 4", "  seeds lack 5\n"),
        ("FlTrust, Undefended", "FlTrust", "  defense lacks Undefended\n"),
        ("record: (receipts: Nothing)", "nodes: 20", "  base: nodes was 10 and is 20\n"),
        ("tasks: 4", "tasks: 5", "  tasks were 4 in all and are 5 in all\n"),
        ("\"robustness\"", "\"other\"", "  name was robustness and is other\n"),
        ("attack: \"lie\")", "attack: \"lie\"), (place: \"far\")", "  skip leaves out RankGuard-flip-far-seed-1 and 24 more\n"),
    ] {
        let message = printed(&plan(&desk, part, by, &[]), 2);
        assert!(message.contains("plans/r: another sweep is planned there:\n") && message.contains(expect), "{message}");
        assert!(message.contains("choose another --out"), "{message}");
    }
    assert_eq!(manifest(&desk), before);
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_written() {
    let desk = desk();
    for (part, by, expect) in [
        ("kappa: 4.0", "kapa: 4.0", "sweeps/robustness.ron:6:34: unknown field `kapa`; did you mean `kappa`?\n"),
        ("Axis(attack", "Axis(atack", "sweeps/robustness.ron:7:14: unknown field `atack`; did you mean `attack`?\n"),
        ("place\", values", "place\", value", "sweeps/robustness.ron:8:9: Zip needs a name and labelled values"),
        ("scenarios/small", "scenarios/smal", "sweeps/scenarios/smal.ron: cannot be read"),
        ("(\"flip\", Flip)", "NoAttack", "sweeps/robustness.ron: with defense RankGuard, attack NoAttack, place near: "),
    ] {
        let message = printed(&plan(&desk, part, by, &[]), 2);
        assert!(message.contains(expect), "{message}");
    }
    assert!(!desk.path().join("plans").exists());
}

#[test]
fn fields_of_the_base_can_be_set_and_belong_to_the_plan() {
    let desk = desk();
    printed(&plan(&desk, "", "", &["--set", "nodes=20"]), 0);
    assert!(manifest(&desk).contains("nodes: 20"));
    assert!(printed(&plan(&desk, "", "", &["--set", "nodes=20"]), 0).contains("nothing to do"));
    for (set, expect) in [
        ("nodes=30", "base: nodes was 20 and is 30\n"),
        ("nodes=0", "--set nodes=0: nodes is 0; it must be between 1 and"),
        ("defense=Krum", "`defense` varies on the axis `defense` of sweeps/robustness.ron; change its values there"),
        ("churn=Kad", "`churn` varies on the axis `place` of"),
        ("seed=3", "`seeds` of the sweep file gives the seed of every run"),
        ("name=\"x\"", "every run gets a name from its labels"),
    ] {
        let message = printed(&plan(&desk, "", "", &["--set", set]), 2);
        assert!(message.contains(expect), "{message}");
    }
}

#[test]
fn a_dry_run_shows_the_plan_alone() {
    let desk = desk();
    assert!(printed(&plan(&desk, "", "", &["--dry-run"]), 0).contains("nothing was written; next: "));
    let json = printed(&plan(&desk, "", "", &["--dry-run", "--json", "--tasks", "7"]), 0);
    let plan: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!((plan["runs"].as_u64(), plan["new_tasks"].as_u64(), plan["seeds"].as_u64()), (Some(50), Some(7), Some(5)));
    assert_eq!(plan["axes"][1]["labels"], serde_json::json!(["flip", "lie"]));
    assert!(["cpu_seconds", "memory_bytes", "disk_bytes"].iter().all(|name| plan[*name].as_f64().is_some_and(|n| n > 0.0)), "{json}");
    assert!(!desk.path().join("plans").exists());
}

#[test]
fn every_planned_run_is_a_scenario_that_runs() {
    let desk = desk();
    printed(&plan(&desk, "", "", &[]), 0);
    let plan = rankguard::sweep::Plan::read(&desk.path().join("plans/r")).expect("it is planned");
    assert_eq!(plan.runs().count(), 50);
    for run in plan.runs() {
        let scenario = plan.scenario(run).expect("it is checked");
        assert_eq!((scenario.name.as_str(), scenario.seed), (run.name.as_str(), run.seed));
    }
    let run = plan.runs().find(|run| run.name == "Undefended-lie-far-seed-3").expect("it is planned");
    let scenario = plan.scenario(run).expect("it is checked").canonical();
    for line in ["defense: Undefended,", "attack: Lie(z: Majority", "churn: Kad,", "weight_limit: inf,", "seed: 3,"] {
        assert!(scenario.contains(line), "no {line} in\n{scenario}");
    }
    desk.write("planned.ron", scenario);
    printed(&desk.run(&["run", "planned.ron", "--quiet"]), 0);
}
