//! `rankguard report`: pages of real runs, from one node to hundreds of runs, say what is there and what is not.

use crate::support::text;
use crate::sweeps::{Desk, SYNTHETIC, plan};
use rankguard::record::{CurveRow, EvaluationRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow};
use rankguard::results::{RunResults, runs};
use serde::de::IgnoredAny;
use std::fs;

/// Elements without an end, and elements whose end may be left out.
const VOID: [&str; 4] = ["meta", "br", "input", "hr"];
const OPEN_ENDED: [&str; 9] = ["p", "li", "tr", "td", "th", "thead", "tbody", "dt", "dd"];

/// Fails if a tag is not closed, or if the page asks for anything outside of itself.
#[track_caller]
fn is_whole(html: &str) {
    let mut open: Vec<String> = Vec::new();
    for (tag, name) in tags(html) {
        if tag.starts_with('/') {
            while open.last().is_some_and(|last| *last != name && OPEN_ENDED.contains(&last.as_str())) {
                open.pop();
            }
            assert_eq!(open.pop().as_deref(), Some(name.as_str()), "<{tag}> closes nothing");
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    let html = html.replace("http://www.w3.org/2000/svg", "the name of SVG");
    for outside in ["http://", "https://", " src=", "<link", "@import", "<img", "<iframe", "fetch("] {
        assert!(!html.contains(outside), "{outside} in the page: {}", around(&html, outside));
    }
    assert!(html.split("url(").skip(1).all(|place| place.starts_with('#')), "a url leads outside of the page");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<meta name=\"generator\" content=\"rankguard "), "{}", &html[..300]);
}

/// The tags of a page with their names, without scripts, styles and declarations.
fn tags(html: &str) -> Vec<(String, String)> {
    let (mut found, mut rest) = (Vec::new(), html);
    while let Some(at) = rest.find('<') {
        let tag = rest[at + 1..].split('>').next().expect("a tag ends").to_string();
        let name: String = tag.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        rest = &rest[at + 1..];
        if ["script", "style"].contains(&name.as_str()) && !tag.starts_with('/') {
            rest = &rest[rest.find(&format!("</{name}")).expect("it ends")..];
        }
        if !name.is_empty() {
            found.push((tag, name));
        }
    }
    found
}

fn around(html: &str, part: &str) -> String {
    let at = html.find(part).unwrap_or(0);
    html[at.saturating_sub(80)..].chars().take(200).collect()
}

/// The words of a page, without its tags, and with plain spaces.
fn words(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html.split_once("</head>").map_or(html, |(_, body)| body));
    rest = rest.split_once("<script>").map_or(rest, |(body, _)| body);
    while let Some((before, after)) = rest.split_once('<') {
        text += before;
        text.push(' ');
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    text.replace('\u{202f}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The page of a small run, which is checked for being whole.
#[track_caller]
fn page(desk: &Desk, name: &str, changes: &[(&str, &str)]) -> String {
    page_at(desk, &format!("{name}.ron"), name, changes)
}

/// The same with its own name for the scenario's file.
#[track_caller]
fn page_at(desk: &Desk, scenario: &str, folder: &str, changes: &[(&str, &str)]) -> String {
    let mut fields = vec![("dataset", SYNTHETIC), ("record", "()")];
    fields.extend(changes);
    fs::write(desk.path(scenario), text(&fields)).expect("it writes");
    desk.call(&format!("run {scenario} --out {folder} --quiet"), 0, &[]);
    desk.call(&format!("report {folder}"), 0, &[&format!("{folder}.report.html (")]);
    let html = fs::read_to_string(desk.path(&format!("{folder}.report.html"))).expect("it is there");
    is_whole(&html);
    assert!(html.len() < 500_000, "{} bytes", html.len());
    html
}

#[track_caller]
fn says(html: &str, parts: &[&str]) {
    let words = words(html);
    for part in parts {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
}

#[track_caller]
fn shows(html: &str, figures: &[&str]) {
    for figure in figures {
        assert!(html.contains(&format!("<figure id=\"{figure}\"")), "no figure {figure}");
    }
}

#[track_caller]
fn shows_not(html: &str, figures: &[&str]) {
    for figure in figures {
        assert!(!html.contains(&format!("<figure id=\"{figure}\"")), "there is a figure {figure}");
    }
}

const CHURN: (&str, &str) = ("churn", "Alternating(online: Weibull(shape: 0.6, scale: \"20min\"), offline: Exponential(mean: \"10min\"))");
const POISSON: (&str, &str) = ("arrivals", "Poisson(every: \"2min\")");

#[test]
fn the_numbers_of_a_page_are_those_of_the_tables() {
    let desk = Desk::new();
    let html = page(&desk, "kad", &[CHURN, POISSON, ("loss", "0.05"), ("latency", "LogNormal(median: \"80ms\", sigma: 0.6)")]);
    let run: RunResults<IgnoredAny> = runs(&desk.path("kad")).expect("it opens").remove(0);
    let curve: Vec<CurveRow> = run.curve().expect("it reads");
    let last = curve.last().expect("an evaluation");
    let three = |v: f64| format!("{v:.3}").replace('-', "−");
    says(&html, &[&format!("9 honest nodes at nDCG@10 {}", three(last.ndcg_mean)), "while 3 of 12 nodes attack by FLIP", "One seed (1)"]);
    says(&html, &[&format!("sd over nodes {} · worst 5 % {} · n = 9", three(last.ndcg_sd), three(last.ndcg_worst5))]);
    says(&html, &["synthetic, shaped like MQ2007", &run.fingerprint, &run.run_id, "rankguard run kad/manifest.ron --out out/again"]);

    let outcomes = run.table::<OutcomeRow>().and_then(|table| table.all()).expect("it reads");
    let lost = outcomes.iter().filter(|row| !row.outcome.contains("delivered")).max_by_key(|row| row.messages).expect("some");
    says(&html, &[&format!("most lost: {} {}", lost.outcome, lost.messages)]);

    // A node's uptime, nDCG and receipts, computed in another way.
    let nodes: Vec<NodeRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let node = nodes.iter().find(|row| !row.malicious).expect("an honest node").node;
    let presence: Vec<PresenceRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let mut online = 0;
    for (nth, row) in presence.iter().enumerate().filter(|(_, row)| row.node == node && row.online) {
        let until =
            presence[nth + 1..].iter().find(|later| later.node == node && !later.online).map_or(run.row.end_ns, |later| later.at_ns);
        online += until - row.at_ns;
    }
    let share = format!("{:.1} %", online as f64 / run.row.end_ns as f64 * 100.0);
    let evaluations: Vec<EvaluationRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let end = evaluations.iter().rev().find(|row| row.node == node).expect("it was evaluated");
    let receipts: Vec<ReceiptRow> = run.table().and_then(|table| table.all()).expect("it reads");
    let alphas: Vec<f64> = receipts.iter().filter(|row| row.receiver == node && !row.sender_malicious).map(|row| row.alpha).collect();
    let mean = alphas.iter().sum::<f64>() / alphas.len() as f64;
    says(&html, &[&format!("{node} honest {} ", three(end.ndcg)), &format!("Online for {share} of the run")]);
    says(&html, &[&format!("{} from honest senders with mean α {}", alphas.len(), three(mean))]);
}

#[test]
fn a_run_with_every_table_shows_every_figure() {
    let desk = Desk::new();
    let faults = "[(at: \"30min\", what: Partition(Shares([0.5]))), (at: \"40min\", what: Heal)]";
    let html = page(&desk, "all", &[CHURN, POISSON, ("faults", faults), ("latency", "LogNormal(median: \"80ms\", sigma: 0.6)")]);
    shows(
        &html,
        &["accuracy-over-time", "accuracy-over-sessions", "performance-profile", "alpha-over-time", "exposure-over-time", "pull-over-time"],
    );
    shows(&html, &["nodes-online", "joins-and-leaves", "messages-over-time", "messages-by-outcome", "delays", "age-over-time"]);
    shows(&html, &["received-per-node", "searches-per-node"]);
    says(&html, &["partition (12 nodes)", "heal (12 nodes)", "Half of the honest nodes end with nDCG@10 of at least"]);
    assert!(!words(&html).contains("Not shown"), "{}", words(&html));
    let again = page(&desk, "all", &[CHURN, POISSON, ("faults", faults), ("latency", "LogNormal(median: \"80ms\", sigma: 0.6)")]);
    assert!(html == again, "the same results give the same bytes");
}

#[test]
fn what_was_not_recorded_is_said_with_the_line_that_keeps_it() {
    let nothing = "(evaluations: Nothing, receipts: Nothing, searches: Nothing, presence: Nothing, faults: Nothing, histograms: Nothing, outcomes: Nothing, nodes: Nothing)";
    let desk = Desk::new();
    let html = page(&desk, "curve", &[("record", nothing)]);
    shows(&html, &["accuracy-over-time", "alpha-over-time", "messages-over-time", "nodes-online"]);
    shows_not(&html, &["performance-profile", "received-per-node", "delays", "messages-by-outcome", "joins-and-leaves"]);
    says(&html, &["the band is the mean ± one standard deviation"]);
    for table in ["evaluations", "receipts", "searches", "presence", "histograms", "outcomes", "nodes"] {
        says(&html, &[&format!("record: ({table}: All)")]);
    }

    let html = page(&desk, "bare", &[("record", &nothing.replace("(eval", "(curve: Nothing, eval"))]);
    says(&html, &["honest nodes end at nDCG@10", "record: (curve: All)"]);
    shows_not(&html, &["accuracy-over-time", "alpha-over-time", "nodes-online"]);
}

#[test]
fn samples_are_said_to_be_samples() {
    let desk = Desk::new();
    let html = page(&desk, "some", &[("record", "(evaluations: OneIn(2), receipts: OneIn(3), presence: OneIn(2), curve: OneIn(2))")]);
    says(&html, &["one in 2 rows of the table evaluations", "one in 3 rows of the table receipts", "(one in 3 was recorded)"]);
    says(&html, &["kept only one in 2 rows of the table presence"]);
}

#[test]
fn small_and_quiet_networks_have_pages() {
    let desk = Desk::new();
    let alone =
        page(&desk, "alone", &[("nodes", "1"), ("malicious_share", "0.0"), ("attack", "NoAttack"), ("malicious_aggregate", "None")]);
    says(&alone, &["1 honest node", "no node is malicious", "No message was sent.", "No node received a model."]);
    shows(&alone, &["accuracy-over-time"]);
    shows_not(&alone, &["alpha-over-time", "exposure-over-time", "performance-profile", "messages-over-time", "received-per-node"]);

    let calm = page(&desk, "calm", &[("malicious_share", "0.0"), ("attack", "NoAttack"), ("malicious_aggregate", "None")]);
    says(&calm, &["no node is malicious", "nothing tells senders apart", "Every delivered message took 0 s.", "Nobody joined or left"]);
    shows(&calm, &["alpha-over-time", "age-over-time"]);
    shows_not(&calm, &["auc-over-time", "exposure-over-time", "pull-over-time"]);

    let late = page(&desk, "late", &[("latency", "Constant(\"30d\")")]);
    says(&late, &["No model was received", "Most frequent end of a message: undelivered"]);
    shows_not(&late, &["alpha-over-time", "delays", "received-per-node"]);

    let once = page(&desk, "once", &[("record", "(curve: OneIn(2), evaluations: OneIn(1000))")]);
    says(&once, &["One moment was evaluated"]);
    shows_not(&once, &["accuracy-over-time", "performance-profile", "messages-over-time"]);
}

#[test]
fn what_users_write_is_text() {
    let desk = Desk::new();
    fs::create_dir(desk.path("a'b\"c")).expect("a folder");
    // A scenario's name is checked, but the folder and the files that it names are not.
    page_at(&desk, "evil.ron", "a'b\"c/evil", &[]);
    let html = fs::read_to_string(desk.path("a'b\"c/evil.report.html")).expect("it is there");
    assert!(html.contains("a&#39;b&quot;c/evil"), "{}", around(&html, "evil"));

    let labels: (&str, &[&str]) = ("defense", &["<b onload=\"x\">'|RankGuard(kappa: 4.0)", "</script>|Undefended"]);
    desk.write("s", &plan(&[labels], 1..4, 2));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &[]);
    desk.call("report s", 0, &["s.report.html"]);
    let html = fs::read_to_string(desk.path("s.report.html")).expect("it is there");
    is_whole(&html);
    assert!(!html.contains("<b onload"), "{}", around(&html, "<b onload"));
}

#[test]
fn only_a_report_is_replaced() {
    let desk = Desk::new();
    page(&desk, "kad", &[]);
    desk.call("report kad", 0, &["kad.report.html"]);
    fs::write(desk.path("notes.html"), "<p>mine</p>").expect("it writes");
    desk.call("report kad --out notes.html", 2, &["notes.html: is no report of this program", "choose another --out"]);
    assert_eq!(fs::read_to_string(desk.path("notes.html")).expect("it is there"), "<p>mine</p>");
    desk.call("report nowhere", 2, &["nowhere"]);
    desk.call("report kad --out nowhere/page.html", 1, &["nowhere/page.html"]);
}

#[test]
fn figures_are_written_as_drawings_and_numbers() {
    let desk = Desk::new();
    let html = page(&desk, "kad", &[CHURN, POISSON]);
    desk.call("report kad --figures figures", 0, &["figures (", "each as .svg, .csv and .tex"]);
    let n_figures = html.matches("<figure id=").count();
    assert_eq!(desk.bytes("figures").len(), 3 * n_figures);
    let csv = fs::read_to_string(desk.path("figures/accuracy-over-time.csv")).expect("it is there");
    let run: RunResults<IgnoredAny> = runs(&desk.path("kad")).expect("it opens").remove(0);
    let last = run.curve().expect("it reads").last().expect("an evaluation").ndcg_mean;
    assert!(csv.contains(&last.to_string()), "{last} is not in {csv}");
    let svg = fs::read_to_string(desk.path("figures/accuracy-over-time.svg")).expect("it is there");
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let tex = fs::read_to_string(desk.path("figures/accuracy-over-time.tex")).expect("it is there");
    assert!(tex.contains("accuracy-over-time.csv"), "{tex}");
}

#[test]
fn a_sweep_has_curves_maps_differences_and_a_table() {
    let desk = Desk::new();
    let defenses: (&str, &[&str]) = ("defense", &["RankGuard(kappa: 4.0)", "Oracle", "Undefended"]);
    let losses: (&str, &[&str]) = ("loss", &["none|0.0", "half|0.5"]);
    desk.write("s", &plan(&[defenses, losses], 1..5, 6));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &[]);
    desk.call("report s --figures figures", 0, &["s.report.html (", "3 figures"]);
    let html = fs::read_to_string(desk.path("s.report.html")).expect("it is there");
    is_whole(&html);
    shows(&html, &["accuracy-by-experiment", "heat-map-1", "paired-differences"]);
    says(
        &html,
        &[
            "s · 24 runs",
            "Apart from Oracle, ",
            "in 2 of 2 settings",
            "4 seeds per experiment. 24 runs of 6 experiments.",
            "Differences from RankGuard",
        ],
    );
    says(
        &html,
        &["synthetic, shaped like MQ2007", "bands are 95 % intervals of the mean by Student", "(n = 4 in every cell)", "All 24 runs"],
    );
    assert!(
        html.contains("<mark>    defense: ") && html.contains("<mark>    loss: ") && !html.contains("<mark>    nodes"),
        "what differs is marked"
    );

    // A cell of the table: the mean over seeds of nDCG over the last 3 % of each run, here its last evaluation.
    let all: Vec<RunResults<IgnoredAny>> = runs(&desk.path("s")).expect("it opens");
    let label = |run: &RunResults<IgnoredAny>, axis: &str| run.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| label.clone());
    let is_here = |run: &&RunResults<IgnoredAny>| {
        label(run, "defense").as_deref() == Some("Undefended") && label(run, "loss").as_deref() == Some("half")
    };
    let ends: Vec<f64> = all.iter().filter(is_here).map(|run| run.curve().expect("it reads").last().expect("a row").ndcg_mean).collect();
    let mean = ends.iter().sum::<f64>() / 4.0;
    let sd = (ends.iter().map(|end| (end - mean) * (end - mean)).sum::<f64>() / 3.0).sqrt();
    // The 97.5 % quantile of Student's t with three degrees of freedom.
    says(&html, &[&format!("{mean:.3} ± {:.3}", 3.182_446 * sd / 2.0)]);

    desk.call("report s --baseline Undefended --out other.html", 0, &[]);
    says(&fs::read_to_string(desk.path("other.html")).expect("it is there"), &["Differences from Undefended"]);
}

#[test]
fn single_folders_of_several_runs_are_compared_too() {
    let desk = Desk::new();
    let with = |desk: &Desk, name: &str, defense: &str| page(desk, name, &[("defense", defense), ("name", &format!("\"{name}\""))]);
    with(&desk, "guard", "RankGuard(kappa: 4.0)");
    with(&desk, "bare", "Undefended");
    desk.call("report guard bare guard", 0, &["guard.report.html"]);
    let html = fs::read_to_string(desk.path("guard.report.html")).expect("it is there");
    is_whole(&html);
    says(&html, &["One seed: differences between runs may be chance.", "guard is the same run as guard and is not counted again"]);
    says(&html, &["1 pair of runs is too few for an interval"]);
    // Twice the same run is one run.
    desk.call("report bare bare", 0, &["bare.report.html"]);
    says(&fs::read_to_string(desk.path("bare.report.html")).expect("it is there"), &["One seed (1)"]);
}

#[test]
fn hundreds_of_runs_stay_small_and_are_listed() {
    let desk = Desk::new();
    let losses: Vec<String> = (0..20).map(|nth| format!("l{nth}|0.{nth:02}")).collect();
    let losses: Vec<&str> = losses.iter().map(String::as_str).collect();
    let defenses: (&str, &[&str]) = ("defense", &["RankGuard(kappa: 4.0)", "Undefended"]);
    desk.write("s", &plan(&[defenses, ("loss", &losses)], 1..6, 50));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &["200 runs"]);
    desk.call("report s", 0, &["s.report.html"]);
    let html = fs::read_to_string(desk.path("s.report.html")).expect("it is there");
    is_whole(&html);
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    says(&html, &["All 200 runs", "Only the first 12 of 20 combinations are drawn", "s/Undefended-l19-seed-5"]);
}
