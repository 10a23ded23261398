//! `rankguard compare`: figures of pairs against the tables that they come from, and runs that cannot be compared.

use crate::command_line::Desk;
use crate::sweeps::{self, DEFENSES, plan};
use rankguard::record::{CurveRow, SearchRow};
use rankguard::results::{RunResults, runs};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::path::Path;

/// The 97.5 % quantile of Student's t with 3 degrees of freedom, from a table.
const T3: f64 = 3.182_446_305_284;

/// A collected sweep over defence and attack with four seeds, in `s`.
fn swept() -> sweeps::Desk {
    let desk = sweeps::Desk::new();
    desk.write("s", &plan(&[DEFENSES, ("attack", &["Flip", "Lie(z: Majority)"])], 1..5, 4));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &[]);
    desk
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|problem| panic!("{problem} in\n{text}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The figures of a run at its end, from its tables: nDCG, the worst 5 %, and what honest users saw since the evaluation before.
fn figures(folder: &Path, defense: &str, attack: &str, seed: u64) -> [f64; 3] {
    let runs: Vec<RunResults<IgnoredAny>> = runs(folder).expect("it opens");
    let is_it =
        |run: &&RunResults<IgnoredAny>| run.seed == seed && run.labels.iter().map(|(_, label)| label.as_str()).eq([defense, attack]);
    let run = runs.iter().find(is_it).expect("the run is there");
    let curve: Vec<CurveRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let searches: Vec<SearchRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let [.., before, last] = &curve[..] else { panic!("two evaluations") };
    let seen: Vec<f64> =
        searches.iter().filter(|row| row.step > before.step && !row.malicious && row.query >= 0).map(|row| row.ndcg).collect();
    [last.ndcg_mean, last.ndcg_worst5, seen.iter().sum::<f64>() / seen.len() as f64]
}

#[test]
fn differences_are_those_of_the_tables() {
    let desk = swept();
    let asked = "compare s --by defense --metric ndcg --metric worst5 --metric online --json";
    let answer = json(&desk.call(asked, 0, &[]));
    let contrasts = answer["contrasts"].as_array().expect("a list");
    assert_eq!((contrasts.len(), &answer["by"], &answer["level"]), (6, &json("[\"defense\"]"), &json("0.95")));
    for (nth, contrast) in contrasts.iter().enumerate() {
        let attack = contrast["setting"]["attack"].as_str().expect("a setting");
        let pairs = contrast["pairs"].as_array().expect("pairs");
        assert_eq!(pairs.iter().map(|pair| pair["seed"].as_u64()).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
        let mut differences = Vec::new();
        for pair in pairs {
            let figure = |defense| figures(&desk.path("s"), defense, attack, pair["seed"].as_u64().expect("a seed"))[nth % 3];
            let (one, two) = (figure("RankGuard"), figure("Undefended"));
            assert!((number(&pair["baseline"]) - one).abs() < 1e-12 && (number(&pair["other"]) - two).abs() < 1e-12, "{pair}");
            differences.push(two - one);
        }
        let mean = differences.iter().sum::<f64>() / 4.0;
        let sd = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
        let paired = &contrast["paired"];
        for (value, expect) in [(&paired["mean"], mean), (&paired["low"], mean - T3 * sd / 2.0), (&paired["high"], mean + T3 * sd / 2.0)] {
            assert!((number(value) - expect).abs() < 1e-10, "{value} is not {expect}");
        }
        let better = differences.iter().filter(|d| **d > 0.0).count() as f64 / 4.0;
        assert_eq!(number(&contrast["improvement"]), better);
        assert!(number(&contrast["p_holm"]) >= number(&contrast["p"]));
        assert!(contrast["sentence"].as_str().is_some_and(|sentence| sentence.contains("(4 paired seeds)")), "{contrast}");
    }
}

#[test]
fn what_else_varies_makes_comparisons_of_its_own() {
    let desk = swept();
    let words = [
        "defense: RankGuard(kappa: 4.0, when_undecided: 0.5, empty_sessions: Count, calibrate: false) → Undefended",
        "everything else is equal: 8 nodes, malicious_share 0.25, Perfect users",
        "RankGuard → Undefended, attack: Flip\n",
        "RankGuard → Undefended, attack: Lie\n",
        "by seed 1: ",
        "Data: synthetic, shaped like MQ2007",
        "next: rankguard report s",
    ];
    desk.call("compare s --by defense", 0, &words);
    desk.call("compare s --by defense --baseline Undefended", 0, &["Undefended → RankGuard, attack: Lie"]);
    desk.call("compare s --by attack", 0, &["Flip → Lie, defense: Undefended"]);
    // All four combinations, three of them against the first.
    let both = json(&desk.call("compare s --by defense,attack --metric bytes --json", 0, &[]));
    assert_eq!(both["contrasts"].as_array().map(Vec::len), Some(3));
    let labels: Vec<&Value> = both["contrasts"].as_array().into_iter().flatten().map(|contrast| &contrast["other"]["label"]).collect();
    assert_eq!(labels, ["RankGuard · Lie", "Undefended · Flip", "Undefended · Lie"]);
    // A rule changes nothing about messages.
    desk.call("compare s --by defense --metric delivered", 0, &["Undefended and RankGuard are equal in every seed (4 paired seeds)"]);
    let never = ["Undefended never reaches an nDCG of 0.999 in 4 of 4 runs", "no mean", "it is earlier in 50 % of pairs", "1: – → –"];
    desk.call("compare s --by defense --metric time-to:0.999", 0, &never);
    desk.call("compare s", 2, &["the runs differ in several ways", "--by defense", "  attack: Flip | Lie("]);
    desk.call("compare s --by nodes", 2, &["all runs have the same nodes, nodes 8"]);
    desk.call("compare s --by defence", 2, &["--by defence: no run has such a field or axis", "  defense: "]);
    desk.call("compare s --by defense --baseline None", 2, &["--baseline None: there is no such side", "RankGuard | Undefended"]);
    desk.call("compare s --by defense --level 95", 2, &["the level is 95; choose one between 0 and 1"]);
    desk.call("compare s --by defense --metric nDCG", 2, &["choose one of ndcg, worst5"]);
    desk.call("compare s --by defense --at 7d", 2, &["ended before 1w of virtual time"]);
}

#[test]
fn fields_that_an_axis_changes_together_are_one_side() {
    let desk = sweeps::Desk::new();
    let sweep = r#"(name: "zip", base: "base.ron", seeds: Range(first: 1, count: 3), axes: [Zip(name: "place", values: [
        ("near", (latency: Constant("10ms"), loss: 0.0)), ("far", (latency: Constant("20s"), loss: 0.1)),
        ("lossy", (latency: Constant("10ms"), loss: 0.5))])])"#;
    std::fs::write(desk.path("zip.ron"), sweep).expect("it writes");
    std::fs::write(desk.path("base.ron"), sweeps::BASE).expect("it writes");
    desk.call("sweep plan zip.ron --out z", 0, &[]);
    desk.call("sweep run z --quiet", 0, &[]);
    desk.call("sweep collect z", 0, &[]);
    let words = [
        "place near → place far\n",
        "place near → place lossy\n",
        "place: near → far; latency: Constant(\"10ms\") → Constant(\"20s\"); loss: 0.0 → 0.1",
    ];
    desk.call("compare z", 0, &words);
    desk.call("compare z --by place --baseline lossy", 0, &["place lossy → place near"]);
    // The fields themselves are not equal otherwise, except where one of them is.
    desk.call("compare z --by latency", 2, &["they also differ in\n  loss: 0.0 | 0.1 | 0.5", "--by latency,loss"]);
    desk.call("compare z --by loss", 0, &["loss 0.0 → loss 0.5", "there is no run of loss 0.1 to compare"]);
}

/// A desk with single runs: `guard-N` and `none-N` for these seeds.
fn single(guarded: &[u64], undefended: &[u64]) -> Desk {
    let desk = Desk::new();
    for (name, defense, seeds) in [("guard", "RankGuard(kappa: 4.0)", guarded), ("none", "Undefended", undefended)] {
        for seed in seeds {
            run(&desk, &format!("{name}-{seed}"), *seed, &[&format!("defense={defense}")]);
        }
    }
    desk
}

fn run(desk: &Desk, out: &str, seed: u64, set: &[&str]) {
    let (seed, set) = (seed.to_string(), set.iter().flat_map(|set| ["--set", set]));
    let arguments: Vec<&str> = ["run", "small.ron", "--quiet", "--seed", &seed, "--out", out].into_iter().chain(set).collect();
    desk.succeeds(&arguments);
}

#[track_caller]
fn says(text: &str, words: &[&str]) {
    let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?} are not in:\n{text}");
}

#[test]
fn single_runs_are_paired_by_their_seeds() {
    let desk = single(&[1, 2, 3, 4], &[2, 3, 4, 5]);
    let all = ["guard-1", "guard-2", "guard-3", "guard-4", "none-2", "none-3", "none-4", "none-5"];
    let text = desk.succeeds(&[&["compare"][..], &all].concat());
    says(&text, &["RankGuard → Undefended\n", "(3 paired seeds)", "only RankGuard has seed 1", "only Undefended has seed 5"]);
    assert!(!text.contains("Data:"), "the data is real");
    let text = desk.succeeds(&["compare", "guard-2", "guard-3", "none-2", "none-3", "none-3"]);
    says(&text, &["2 pairs of runs are too few for an interval; run both with at least 3 seeds", "none-3 is the same run as none-3"]);
    assert!(!text.contains("interval -") && !text.contains("unpaired"), "{text}");
    desk.refuses_call(
        &["compare", "guard-1", "none-2"],
        &["RankGuard and Undefended share no seed (RankGuard has seed 1, Undefended has seed 2)"],
    );
    desk.refuses_call(&["compare", "guard-1", "guard-2"], &["nothing to compare", "differ in their seeds alone"]);
    desk.refuses_call(&["compare", "guard-1", "nowhere"], &["nowhere"]);
}

#[test]
fn a_usual_limit_of_weights_is_no_difference_and_any_other_is() {
    let desk = single(&[1], &[1]);
    desk.succeeds(&["compare", "guard-1", "none-1", "--by", "defense"]);
    run(&desk, "limited", 1, &["defense=Undefended", "weight_limit=10"]);
    let words = ["also differ in\n  weight_limit: as usual | 10.0", "--by defense,weight_limit"];
    desk.refuses_call(&["compare", "guard-1", "limited", "--by", "defense"], &words);
    says(&desk.succeeds(&["compare", "guard-1", "limited"]), &["; weight_limit: as usual → 10.0"]);
}

#[test]
fn parameters_inside_a_field_are_compared() {
    let desk = single(&[1, 2, 3], &[1]);
    (1..4).for_each(|seed| run(&desk, &format!("steep-{seed}"), seed, &["defense.kappa=8"]));
    let all = ["none-1", "guard-1", "guard-2", "guard-3", "steep-1", "steep-2", "steep-3"];
    let text = desk.succeeds(&[&["compare", "--by", "defense.kappa"][..], &all].concat());
    says(&text, &["defense.kappa: 4.0 → 8.0\n", "defense.kappa 4.0 → defense.kappa 8.0", "(3 paired seeds)"]);
}

#[test]
fn runs_that_saw_different_data_are_refused() {
    let desk = single(&[1], &[]);
    let lines: String = (0..200).map(|i| format!("{} qid:{} 1:{:.2} 2:0.5 3:0.5\n", i % 3, i / 10, (i % 7) as f64 / 7.0)).collect();
    desk.write("data/train.txt", lines);
    run(&desk, "none-1", 1, &["defense=Undefended"]);
    let words = ["guard-1 and none-1: the content of the data differs", "run one again on the other's data, or compare the data itself"];
    desk.refuses_call(&["compare", "guard-1", "none-1"], &words);
    run(&desk, "guard-again", 1, &[]);
    desk.refuses_call(&["compare", "guard-1", "guard-again", "none-1", "--by", "defense"], &["leave one of them out"]);
}

#[test]
fn one_run_with_two_outcomes_is_refused_and_two_versions_are_told() {
    let desk = single(&[1], &[1]);
    for (name, from, to) in
        [("other", "fingerprint: \"f", "fingerprint: \"f0"), ("older", "program_version: \"", "program_version: \"0.0-")]
    {
        run(&desk, name, 1, &[]);
        let manifest = desk.path().join(name).join("manifest.ron");
        let text = std::fs::read_to_string(&manifest).expect("it reads");
        assert!(text.contains(from), "{text}");
        std::fs::write(&manifest, text.replace(from, to)).expect("it writes");
    }
    desk.refuses_call(&["compare", "guard-1", "other", "none-1"], &["are one run with different outcomes", "leave one of them out"]);
    says(&desk.succeeds(&["compare", "older", "none-1"]), &["runs of several versions of the program: 0.0-0.1.0, 0.1.0"]);
}

#[test]
fn a_figure_that_was_not_recorded_is_named_with_its_line() {
    let desk = single(&[1], &[]);
    run(&desk, "none-1", 1, &["defense=Undefended", "record=(searches: Nothing)"]);
    desk.refuses_call(&["compare", "guard-1", "none-1", "--metric", "online"], &["none-1: holds no searches", "record: (searches: All)"]);
    desk.succeeds(&["compare", "guard-1", "none-1", "--metric", "ndcg"]);
}

#[test]
fn a_fork_is_compared_with_its_own_past_only() {
    let desk = single(&[1], &[1]);
    for (out, at) in [("forked", "10min"), ("later", "15min")] {
        desk.succeeds(&["fork", "guard-1", "--at", at, "--set", "defense=Undefended", "--out", out, "--quiet"]);
    }
    says(&desk.succeeds(&["compare", "guard-1", "forked"]), &["RankGuard → Undefended", "1 pair of runs is too few"]);
    desk.succeeds(&["fork", "guard-1", "--at", "10min", "--set", "defense=Oracle", "--out", "oracle", "--quiet"]);
    desk.succeeds(&["compare", "oracle", "forked"]);
    desk.refuses_call(&["compare", "oracle", "later"], &["oracle and later: a fork is involved, and they do not share their past"]);
    desk.refuses_call(&["compare", "guard-1", "none-1", "forked"], &["none-1 and forked have the same fields and the same seed"]);
}
