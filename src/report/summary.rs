//! The summary that is printed at the end of a run.

use super::line;
use super::traffic::Traffic;
use crate::record::{CurveRow, RowCounts, RunRow, Table};
use crate::results::Manifest;
use crate::units::{self, VirtualTime, count, counted};
use std::path::Path;
use std::time::Duration;

/// What a summary tells of a run beside its row of `runs` and its manifest: what was compared, and figures that no file keeps or that the
/// scenario may not record.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<'a> {
    /// The defence, by its name.
    pub defense: &'a str,
    /// The attack, by its name.
    pub attack: &'a str,
    /// The last evaluation.
    pub last: &'a CurveRow,
    /// How many documents nDCG looks at.
    pub ndcg_cutoff: u32,
    /// A caution about the data, if it needs one.
    pub caution: Option<String>,
    /// Searches and messages.
    pub traffic: Traffic,
    /// Received models that were rejected because they were not finite or beyond the limit.
    pub n_implausible: u64,
    /// The limit of weights; infinity if there is none.
    pub weight_limit: f64,
    /// How long the run took.
    pub wall: Duration,
    /// Worker threads.
    pub threads: usize,
    /// The time spent in each phase, summed over threads.
    pub phases: Vec<(&'static str, Duration)>,
}

/// The outcome of a run, the folder of its results, and how to open them.
pub fn summary<S>(run: &RunRow, manifest: &Manifest<S>, outcome: &Outcome, folder: &Path) -> String {
    let mut lines = vec![format!("{} · {} · seed {}", run.name, contest(run, outcome), manifest.seed)];
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
    lines.extend(further(&manifest.rows, folder));
    lines.join("\n") + "\n"
}

/// The commands that look further, if they can: results in an object store are no folder.
fn further(rows: &RowCounts, folder: &Path) -> Option<String> {
    let folder = folder.display().to_string();
    let has = |table: Table| rows.contains_key(table.name());
    let inspect = has(Table::Evaluations).then(|| format!("rankguard inspect {folder}"));
    let others = has(Table::Curve).then(|| format!("rankguard report {folder}   rankguard compare {folder} OTHER"));
    let commands: Vec<String> = inspect.into_iter().chain(others).collect();
    (!commands.is_empty() && !folder.contains("://")).then(|| line("look further", commands.join("   ")))
}

/// The defence and the attack, in a few words.
fn contest(run: &RunRow, &Outcome { defense, attack, .. }: &Outcome) -> String {
    let nodes = counted(run.n_nodes as u64, "node");
    let against = match run.n_malicious {
        0 => format!("{nodes}, none malicious"),
        m => format!("{attack} by {m} of {nodes}"),
    };
    format!("{defense} · {against}")
}

fn quality(run: &RunRow, Outcome { last, ndcg_cutoff, .. }: &Outcome) -> [String; 2] {
    let CurveRow { ndcg_mean, ndcg_sd, ndcg_worst5, ndcg_random, .. } = last;
    let ndcg = format!("at the end: mean {ndcg_mean:.4}   sd {ndcg_sd:.4}   worst 5 % {ndcg_worst5:.4}   random {ndcg_random:.4}");
    let (nodes, searches) = (evaluated(last), counted(run.n_sessions as u64, "search"));
    let end = VirtualTime(run.end_ns as u64);
    [line(&format!("nDCG@{ndcg_cutoff}"), ndcg), line("", format!("over {nodes}, after {searches} and {end} of virtual time"))]
}

/// The nodes that were evaluated, and the queries if they are a sample.
fn evaluated(last: &CurveRow) -> String {
    let some_of = |n: i32, of: i32, noun| {
        if n < of { format!("{} of {}", count(n as u64), counted(of as u64, noun)) } else { counted(of as u64, noun) }
    };
    let nodes = some_of(last.evaluated, last.evaluated_of, "honest node");
    if last.queries < last.queries_of { format!("{nodes} on {}", some_of(last.queries, last.queries_of, "query")) } else { nodes }
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

/// How much of honest models comes from malicious nodes, if that was recorded.
fn content(last: &CurveRow) -> Option<String> {
    let (exposure, pull) = last.exposure.zip(last.pull)?;
    let age = last.age_ns.map_or(String::new(), |ns| {
        // Fractions of a second are noise between nodes.
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

/// One line for DuckDB that shows the most informative recorded table.
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

#[cfg(test)]
mod tests {
    use super::super::traffic::tests::traffic;
    use super::*;
    use crate::record::SCHEMA_VERSION;
    use crate::record::samples::Sample;
    use crate::results::{Inputs, Messages, Summary};

    fn last() -> CurveRow {
        let (exposure, pull, age_ns) = (Some(0.03), Some(-0.5), Some(3_600_000_000_001));
        let (ndcg_mean, ndcg_sd, ndcg_worst5, ndcg_random) = (0.5, 0.25, 0.125, 0.0625);
        let (evaluated, evaluated_of) = (8, 8);
        CurveRow {
            evaluated,
            evaluated_of,
            ndcg_mean,
            ndcg_sd,
            ndcg_worst5,
            ndcg_random,
            exposure,
            pull,
            age_ns,
            ..CurveRow::sample(&mut || 7)
        }
    }

    fn manifest(tables: &[&str]) -> Manifest<()> {
        Manifest {
            program_version: "0.1.0".into(),
            commit: "unknown".into(),
            schema_version: SCHEMA_VERSION,
            run_id: "r1".into(),
            result_id: "o1".into(),
            seed: 3,
            inputs: Inputs { data_hash: "d1".into(), files: Default::default() },
            rows: tables.iter().map(|table| (table.to_string(), 600)).collect(),
            fingerprint: "f1".into(),
            messages: Messages::default(),
            summary: Summary {
                ndcg_mean: 0.5,
                ndcg_sd: 0.25,
                ndcg_worst5: 0.125,
                ndcg_random: 0.0625,
                alpha_honest: Some(0.75),
                alpha_malicious: None,
                last_alpha_honest: Some(0.5),
                last_alpha_malicious: Some(0.0),
                deserted_ns: None,
            },
            scenario: (),
        }
    }

    fn show(n_malicious: i32, tables: &[&str], n_implausible: u64, weight_limit: f64) -> String {
        let run =
            RunRow { name: "kad".into(), n_nodes: 10, n_malicious, n_sessions: 1000, end_ns: 60_000_000_000, ..RunRow::sample(&mut || 7) };
        let outcome = Outcome {
            defense: "CS",
            attack: "FLIP",
            last: &last(),
            ndcg_cutoff: 10,
            caution: None,
            traffic: traffic(),
            n_implausible,
            weight_limit,
            wall: Duration::from_millis(1500),
            threads: 2,
            phases: vec![("timeline", Duration::from_millis(20)), ("recording", Duration::from_secs(1))],
        };
        summary(&run, &manifest(tables), &outcome, Path::new("out/kad"))
    }

    #[test]
    fn a_summary_says_what_was_run_what_came_out_and_where_it_is() {
        let expect = "\
kad · CS · FLIP by 2 of 10 nodes · seed 3
  nDCG@10      at the end: mean 0.5000   sd 0.2500   worst 5 % 0.1250   random 0.0625
               over 8 honest nodes, after 1,000 searches and 1min of virtual time
  α            whole run: honest senders 0.750   malicious senders –
               between the last two evaluations: honest senders 0.500   malicious senders 0.000
  content      at the end: exposure 0.030   pull -0.500   mean age of what was learned 1h
  messages     whole run: sent 5,000   delivered 4,990   lost 7 (on the way 7, receiver offline 0)   undelivered 3
  delay        median 50ms   p95 95ms   p99 99ms
  time         1.50 s with 2 threads   timeline 0.02 s   recording 1.00 s
  fingerprint  f1
  results      out/kad (1,200 rows)
  open them    duckdb -c \"SELECT evaluation, avg(ndcg), stddev(ndcg) FROM 'out/kad/evaluations/*.parquet' GROUP BY ALL ORDER BY evaluation\"
  look further rankguard inspect out/kad
";
        assert_eq!(show(2, &["runs", "evaluations"], 0, 1e6), expect);
    }

    #[test]
    fn a_thinned_evaluation_is_said() {
        let check = |evaluated, queries, expect| {
            let row = CurveRow { evaluated, evaluated_of: 8_000, queries, queries_of: 6_983, ..last() };
            assert_eq!(super::evaluated(&row), expect);
        };
        check(8_000, 6_983, "8,000 honest nodes");
        check(1_000, 6_983, "1,000 of 8,000 honest nodes");
        check(8_000, 500, "8,000 honest nodes on 500 of 6,983 queries");
        check(1_000, 500, "1,000 of 8,000 honest nodes on 500 of 6,983 queries");
    }

    #[test]
    fn a_summary_adapts_to_the_run() {
        let lines = |text: String| text.lines().map(String::from).collect::<Vec<_>>();
        let peace = lines(show(0, &["curve"], 1, 1e6));
        assert_eq!(peace[0], "kad · CS · 10 nodes, none malicious · seed 3");
        assert!(peace.contains(&"  implausible  1 received model with NaN, ∞ or weights beyond 1e6, rejected".to_string()), "{peace:?}");
        assert!(peace.iter().any(|line| line.contains("ndcg_worst5, alpha_honest, alpha_malicious FROM 'out/kad/curve/")), "{peace:?}");
        let further = "  look further rankguard report out/kad   rankguard compare out/kad OTHER";
        assert_eq!(peace.last().map(String::as_str), Some(further));
        let limitless = lines(show(0, &["runs"], 2, f64::INFINITY));
        assert!(limitless.contains(&"  implausible  2 received models with NaN or ∞, rejected".to_string()), "{limitless:?}");
        assert!(limitless.last().is_some_and(|line| line.ends_with("SELECT * FROM 'out/kad/runs/*.parquet'\"")), "{limitless:?}");
    }
}
