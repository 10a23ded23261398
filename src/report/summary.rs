//! The table at the end of a run.

use crate::network::Bandwidth;
use crate::record::{CurveRow, RowCounts, Table};
use crate::run::{Finished, Load, NetworkFinished};
use crate::scenario::Scenario;
use crate::timeline::{Loss, Tally};
use crate::units::{self, Extent, count, counted};
use std::path::Path;
use std::time::Duration;

/// What a run came to, where its results are and how to open them.
pub fn summary(scenario: &Scenario, finished: &Finished, rows: &RowCounts, folder: &Path, wall: Duration, threads: usize) -> String {
    let Finished { tally, last, phases, .. } = finished;
    let share = |alpha: Option<f64>| alpha.map_or("–".into(), |alpha| format!("{alpha:.3}"));
    let by_sender = |honest, malicious| format!("honest senders {}   malicious senders {}", share(honest), share(malicious));
    let mut lines = vec![
        format!("{} · {} · seed {}", scenario.name, what(scenario), scenario.seed),
        line(
            &format!("nDCG@{}", scenario.ndcg_cutoff),
            format!(
                "at the end: mean {:.4}   sd {:.4}   worst 5 % {:.4}   random {:.4}",
                last.ndcg_mean, last.ndcg_sd, last.ndcg_worst5, last.ndcg_random
            ),
        ),
        line(
            "",
            format!(
                "over {}, after {} and {} of virtual time",
                counted(last.evaluated as u64, "honest node"),
                counted(tally.searches, "search"),
                finished.now
            ),
        ),
    ];
    lines.extend(scenario.dataset.caution().map(|caution| line("data", caution)));
    lines.extend([
        line("α", format!("whole run: {}", by_sender(finished.alpha_honest, finished.alpha_malicious))),
        line("", format!("between the last two evaluations: {}", by_sender(last.alpha_honest, last.alpha_malicious))),
    ]);
    lines.extend(content(last));
    lines.push(line("messages", messages(tally)));
    lines.extend(deserted(scenario, tally));
    lines.extend(times(scenario, tally));
    if finished.n_implausible > 0 {
        let limit = scenario.weight_limit();
        let held = if limit.is_finite() { format!("NaN, ∞ or weights beyond {limit:e}") } else { "NaN or ∞".into() };
        lines.push(line("implausible", format!("{} with {held}, rejected", counted(finished.n_implausible, "received model"))));
    }
    let seconds = |d: Duration| format!("{:.2} s", d.as_secs_f64());
    lines.extend([
        line(
            "time",
            format!(
                "{} with {}   timeline {}   searching {}   judging {}   evaluation {}   recording {}",
                seconds(wall),
                counted(threads as u64, "thread"),
                seconds(phases.timeline),
                seconds(phases.searching),
                seconds(phases.judging),
                seconds(phases.evaluation),
                seconds(phases.recording)
            ),
        ),
        line("fingerprint", finished.fingerprint.clone()),
        line("results", format!("{} ({})", folder.display(), counted(rows.values().sum(), "row"))),
    ]);
    lines.extend(query(rows, folder).map(|query| line("open them", query)));
    lines.join("\n") + "\n"
}

/// What honest models are made of, where that was followed.
fn content(last: &CurveRow) -> Option<String> {
    let (exposure, pull) = last.exposure.zip(last.pull)?;
    let age = last.age_ns.map_or(String::new(), |ns| {
        // To the second: the rest is noise between nodes.
        format!("   mean age of what was learned {}", units::Duration::from_secs(ns as u64 / 1_000_000_000))
    });
    Some(line("content", format!("at the end: exposure {exposure:.3}   pull {pull:.3}{age}")))
}

/// What a network came to without anybody who learns.
pub fn network_summary(scenario: &Scenario, finished: &NetworkFinished, wall: Duration) -> String {
    let tally = &finished.tally;
    let load =
        |load: &Load| format!("mean {:.1}   min {}   median {}   p99 {}   max {}", load.mean, load.min, load.median, load.p99, load.max);
    let rate = tally.events as f64 / wall.as_secs_f64().max(1e-9);
    let mut lines = vec![
        format!("{} · network of {} · seed {}", scenario.name, counted(scenario.nodes.into(), "node"), scenario.seed),
        line("searches", format!("{}   skipped {}   in {} of virtual time", count(tally.searches), count(tally.skipped), finished.now)),
        line("online", format!("{:.1} % of all nodes' time", 100.0 * finished.online_share)),
        line("messages", messages(tally)),
    ];
    lines.extend(deserted(scenario, tally));
    lines.extend(times(scenario, tally));
    lines.extend([
        line("sent", format!("per node: {}", load(&finished.sent))),
        line("received", format!("per node: {}", load(&finished.received))),
        line("time", format!("{:.2} s   {}   {rate:.0} events/s", wall.as_secs_f64(), counted(tally.events, "event"))),
        line("fingerprint", finished.fingerprint.clone()),
    ]);
    lines.join("\n") + "\n"
}

/// A run that everybody has left is not what was asked for.
fn deserted(scenario: &Scenario, tally: &Tally) -> Option<String> {
    let since = tally.deserted?;
    let so = match scenario.stop {
        Extent::Sessions(n) => format!("the run ended after {} of {} sessions", count(tally.searches), count(n)),
        Extent::Time(_) => "nobody searched after that".into(),
    };
    Some(line("deserted", format!("all nodes had left for good after {since}: {so}")))
}

/// How long messages took.
fn times(scenario: &Scenario, tally: &Tally) -> Vec<String> {
    let text = |of: &dyn Fn(f64) -> crate::units::Duration| format!("median {}   p95 {}   p99 {}", of(0.5), of(0.95), of(0.99));
    let mut lines = vec![line("delay", text(&|q| tally.delay_quantile(q)))];
    if scenario.bandwidth != Bandwidth::Unlimited {
        lines.push(line("transfer", text(&|q| tally.transfer_quantile(q))));
    }
    lines
}

/// What became of all messages of the whole run; the usual reasons of loss in any case, others where there are any.
fn messages(tally: &Tally) -> String {
    let usual = [Loss::Transit, Loss::Offline];
    let reasons: Vec<String> = Loss::ALL
        .into_iter()
        .filter(|why| usual.contains(why) || tally.lost_by(*why) > 0)
        .map(|why| format!("{} {}", why.words(), count(tally.lost_by(why))))
        .collect();
    let some = |n: u64, words: &str| if n > 0 { format!("   {words} {}", count(n)) } else { String::new() };
    format!(
        "whole run: sent {}{}{}   delivered {}   lost {} ({})   undelivered {}",
        count(tally.sent),
        some(tally.retries, "again"),
        some(tally.duplicated, "duplicated"),
        count(tally.delivered),
        count(tally.lost()),
        reasons.join(", "),
        count(tally.in_flight)
    )
}

fn line(title: &str, text: String) -> String {
    format!("  {title:<12} {text}")
}

/// Who stands against whom, in a few words.
fn what(scenario: &Scenario) -> String {
    let n_malicious = scenario.n_malicious();
    let against = match n_malicious {
        0 => format!("{}, none malicious", counted(scenario.nodes.into(), "node")),
        m => format!("{} by {m} of {}", scenario.attack.name(), counted(scenario.nodes.into(), "node")),
    };
    format!("{} · {against}", scenario.defense.name())
}

/// One line for DuckDB that shows the most telling table there is.
fn query(rows: &RowCounts, folder: &Path) -> Option<String> {
    let table = [
        Table::Curve,
        Table::Evaluations,
        Table::Receipts,
        Table::Searches,
        Table::Presence,
        Table::Histograms,
        Table::Faults,
        Table::Models,
        Table::Nodes,
        Table::Runs,
    ]
    .into_iter()
    .find(|table| rows.contains_key(table.name()))?;
    let columns = match table {
        Table::Curve => "evaluation, sessions, ndcg_mean, ndcg_worst5, alpha_honest, alpha_malicious",
        Table::Evaluations => "evaluation, avg(ndcg), stddev(ndcg)",
        _ => "*",
    };
    let group = if table == Table::Evaluations { " GROUP BY ALL ORDER BY evaluation" } else { "" };
    Some(format!("duckdb -c \"SELECT {columns} FROM '{}/{}/*.parquet'{group}\"", folder.display(), table.name()))
}
