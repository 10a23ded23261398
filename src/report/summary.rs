//! The table at the end of a run.

use super::line;
use super::traffic::Traffic;
use crate::record::{CurveRow, RowCounts, RunRow, Table};
use crate::results::Manifest;
use crate::units::{self, VirtualTime, counted};
use std::path::Path;
use std::time::Duration;

/// What a run tells beside its row of `runs` and its manifest: figures that no file keeps, or that a scenario may leave unrecorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<'a> {
    /// The last evaluation.
    pub last: &'a CurveRow,
    /// How many documents nDCG looks at.
    pub ndcg_cutoff: u32,
    /// What a reader must know about the data, if anything.
    pub caution: Option<String>,
    /// Searches and messages.
    pub traffic: Traffic,
    /// Received models that were rejected because they were not finite or beyond the limit.
    pub n_implausible: u64,
    /// That limit; infinity where there is none.
    pub weight_limit: f64,
    /// How long the run took.
    pub wall: Duration,
    /// Worker threads.
    pub threads: usize,
    /// Where the time went, summed over threads.
    pub phases: Vec<(&'static str, Duration)>,
}

/// What a run came to, where its results are and how to open them.
pub fn summary<S>(run: &RunRow, manifest: &Manifest<S>, outcome: &Outcome, folder: &Path) -> String {
    let mut lines = vec![format!("{} · {} · seed {}", run.name, contest(run), manifest.seed)];
    lines.extend(quality(run, outcome));
    lines.extend(outcome.caution.clone().map(|caution| line("data", caution)));
    lines.extend(alphas(manifest));
    lines.extend(content(outcome.last));
    lines.extend(outcome.traffic.lines());
    lines.extend(implausible(outcome));
    lines.extend([
        line("time", times(outcome)),
        line("fingerprint", manifest.fingerprint.clone()),
        line("results", format!("{} ({})", folder.display(), counted(manifest.rows.values().sum(), "row"))),
    ]);
    lines.extend(query(&manifest.rows, folder).map(|query| line("open them", query)));
    lines.join("\n") + "\n"
}

/// The defence and the attack, in a few words.
fn contest(run: &RunRow) -> String {
    let nodes = counted(run.n_nodes as u64, "node");
    let against = match run.n_malicious {
        0 => format!("{nodes}, none malicious"),
        m => format!("{} by {m} of {nodes}", run.attack),
    };
    format!("{} · {against}", run.defense)
}

fn quality(run: &RunRow, Outcome { last, ndcg_cutoff, .. }: &Outcome) -> [String; 2] {
    let CurveRow { ndcg_mean, ndcg_sd, ndcg_worst5, ndcg_random, .. } = last;
    let ndcg = format!("at the end: mean {ndcg_mean:.4}   sd {ndcg_sd:.4}   worst 5 % {ndcg_worst5:.4}   random {ndcg_random:.4}");
    let (nodes, searches) = (counted(last.evaluated as u64, "honest node"), counted(run.n_sessions as u64, "search"));
    let end = VirtualTime(run.end_ns as u64);
    [line(&format!("nDCG@{ndcg_cutoff}"), ndcg), line("", format!("over {nodes}, after {searches} and {end} of virtual time"))]
}

fn alphas<S>(Manifest { summary, .. }: &Manifest<S>) -> [String; 2] {
    let share = |alpha: Option<f64>| alpha.map_or("–".into(), |alpha| format!("{alpha:.3}"));
    let by_sender = |honest, malicious| format!("honest senders {}   malicious senders {}", share(honest), share(malicious));
    let last = by_sender(summary.last_alpha_honest, summary.last_alpha_malicious);
    [
        line("α", format!("whole run: {}", by_sender(summary.alpha_honest, summary.alpha_malicious))),
        line("", format!("between the last two evaluations: {last}")),
    ]
}

/// How much of honest models comes from malicious nodes, where that was followed.
fn content(last: &CurveRow) -> Option<String> {
    let (exposure, pull) = last.exposure.zip(last.pull)?;
    let age = last.age_ns.map_or(String::new(), |ns| {
        // To the second: the rest is noise between nodes.
        format!("   mean age of what was learned {}", units::Duration::from_secs(ns as u64 / 1_000_000_000))
    });
    Some(line("content", format!("at the end: exposure {exposure:.3}   pull {pull:.3}{age}")))
}

fn implausible(&Outcome { n_implausible, weight_limit, .. }: &Outcome) -> Option<String> {
    let held = if weight_limit.is_finite() { format!("NaN, ∞ or weights beyond {weight_limit:e}") } else { "NaN or ∞".into() };
    (n_implausible > 0).then(|| line("implausible", format!("{} with {held}, rejected", counted(n_implausible, "received model"))))
}

fn times(Outcome { wall, threads, phases, .. }: &Outcome) -> String {
    let seconds = |d: &Duration| format!("{:.2} s", d.as_secs_f64());
    let phases: Vec<String> = phases.iter().map(|(phase, time)| format!("   {phase} {}", seconds(time))).collect();
    format!("{} with {}{}", seconds(wall), counted(*threads as u64, "thread"), phases.concat())
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
