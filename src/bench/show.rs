//! Rows as text and as JSON.

use super::shape::QUIET;
use super::{Bounds, Group, PAPER, Published, Row, paper, threads};
use crate::instructions::Instructions;
use crate::machine;
use crate::units::{count, scaled};
use serde::Serialize;

/// Everything that was measured, with the machine.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The name of the processor, if the machine tells it.
    pub processor: Option<String>,
    /// The number of cores that the program may use.
    pub cores: usize,
    /// The instruction set in use.
    pub instructions: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The speeds of one core.
    pub bounds: Bounds,
    /// How many times as much as one thread two threads do that only compute: about 2 if nothing else runs on two cores.
    pub quietness: f64,
    /// What was measured.
    pub rows: Vec<Row>,
    /// The paper's table of running times.
    pub paper: &'static [Published],
}

impl Report {
    /// A report without rows.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            processor: machine::processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            instructions: Instructions::in_use().name(),
            version: env!("CARGO_PKG_VERSION"),
            bounds,
            quietness: threads::quietness(),
            rows: Vec::new(),
            paper: &PAPER,
        }
    }

    /// The machine and its bounds.
    pub fn head(&self) -> String {
        let processor = self.processor.as_deref().unwrap_or("unknown processor");
        let busy = if self.quietness < QUIET { "; the machine is busy, so look at ratios only" } else { "" };
        let threads = format!("two threads that only compute do {:.2} × as much as one{busy}", self.quietness);
        format!("{processor}, {} cores; {threads}\n{}", self.cores, self.bounds.show())
    }
}

/// The rows of one group, with a block for each kind of work.
pub fn table(rows: &[Row], bounds: &Bounds) -> String {
    let mut kinds: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match kinds.iter_mut().find(|kind| kind[0].what == row.what) {
            Some(kind) => kind.push(row),
            None => kinds.push(vec![row]),
        }
    }
    kinds.iter().map(|rows| block(rows, bounds)).collect::<Vec<String>>().join("\n")
}

/// Sizes that follow from others; only peers need them.
const HIDDEN: [&str; 2] = ["rows", "pairs"];

/// One kind of work: a heading, then a line for each size.
fn block(rows: &[&Row], bounds: &Bounds) -> String {
    let first = rows[0];
    let sizes: Vec<&str> = first.size.iter().map(|(name, _)| *name).filter(|name| !HIDDEN.contains(name)).collect();
    let in_peak = rows.iter().any(|row| row.flops_per_second > 0.0);
    let head = sizes.iter().map(|size| size.to_string()).chain(["time".into(), "bound".into(), compared(first).into()]);
    let mut lines: Vec<Vec<String>> = vec![head.chain(in_peak.then(|| "of peak".into())).collect()];
    for row in rows {
        let line = sizes.iter().map(|size| count(row.size(size).unwrap_or(0))).chain([
            time(row.seconds),
            time(row.bound_seconds),
            comparison(row),
        ]);
        lines.push(line.chain(in_peak.then(|| percent(row.flops_per_second / bounds.flops_per_second))).collect());
    }
    format!("{} · {}, per {}; bound: {}\n{}", first.group.name(), first.what, first.per, first.bound, aligned(&lines))
}

/// What the last column compares: threads are told as a gain, everything else as times of the bound.
fn compared(row: &Row) -> &'static str {
    if row.group == Group::Threads { "gain" } else { "ratio" }
}

fn comparison(row: &Row) -> String {
    if row.group == Group::Threads { format!("{:.2}", 1.0 / row.ratio) } else { format!("{:.2}", row.ratio) }
}

/// The paper's table of running times next to the rows of the same rule, ranker and history, for documents like those of WEB30K of which
/// one model at a time is judged. Empty if no row fits.
pub fn runtime_table(rows: &[Row]) -> String {
    let ours = |rule: &str, ranker: &str, history: u64| {
        let what = format!("{rule} {ranker}");
        let fits = |row: &&Row| {
            row.what == what && [("d", 136), ("history", history), ("waiting", 1)].iter().all(|(k, v)| row.size(k) == Some(*v))
        };
        rows.iter().find(fits).map(|row| row.seconds)
    };
    let mut lines =
        vec![["rule", "ranker", "history", "paper", "here", "paper/here", "rule/RankGuard paper", "here"].map(String::from).to_vec()];
    for row in &PAPER {
        let Some(seconds) = ours(row.rule, row.ranker, row.history) else { continue };
        let times =
            |seconds: f64, rankguard: Option<f64>| rankguard.map_or(String::new(), |rankguard| format!("{:.1}", seconds / rankguard));
        lines.push(vec![
            row.rule.into(),
            row.ranker.into(),
            count(row.history),
            time(row.seconds),
            time(seconds),
            count((row.seconds / seconds).round() as u64),
            times(row.seconds, paper::seconds("RankGuard", row.ranker, row.history)),
            times(seconds, ours("RankGuard", row.ranker, row.history)),
        ]);
    }
    match lines.len() {
        1 => String::new(),
        _ => format!("the paper's running times (WEB30K, on its authors' machine) and those here, per model\n{}", aligned(&lines)),
    }
}

/// A time with three digits.
fn time(seconds: f64) -> String {
    scaled(seconds * 1e12, &["ps", "ns", "µs", "ms", "s"])
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Lines whose cells end in the same columns.
fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let pad = |(cell, width): (&String, &usize)| format!("  {}{cell}", " ".repeat(width - cell.chars().count()));
    lines.iter().map(|line| line.iter().zip(&widths).map(pad).collect::<String>() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { flops_per_second: 1e11, near: 1e11, far: 3e10, memory: 1e10 };

    fn row(group: Group, what: &str, history: u64, seconds: f64) -> Row {
        Row {
            group,
            what: what.into(),
            size: [("d", 136), ("history", history), ("waiting", 1), ("rows", 9)].into(),
            per: "model",
            seconds,
            bound: "product".into(),
            bound_seconds: 1e-5,
            ratio: seconds / 1e-5,
            flops_per_second: 5e10,
        }
    }

    #[test]
    fn rows_of_one_kind_stand_below_each_other() {
        let rows = [row(Group::Judge, "RankGuard linear", 100, 2e-5), row(Group::Judge, "RankGuard linear", 1000, 1.5e-4)];
        let expect = "judge · RankGuard linear, per model; bound: product
    d  history  waiting     time    bound  ratio  of peak
  136      100        1  20.0 µs  10.0 µs   2.00     50 %
  136    1,000        1   150 µs  10.0 µs  15.00     50 %
";
        assert_eq!(table(&rows, &BOUNDS), expect);
    }

    #[test]
    fn threads_are_told_as_a_gain() {
        let text = table(&[row(Group::Threads, "run", 100, 5e-6)], &BOUNDS);
        assert!(text.contains("gain") && text.contains(" 2.00 "), "{text}");
    }

    #[test]
    fn the_paper_stands_next_to_what_was_measured_and_nothing_else() {
        assert_eq!(runtime_table(&[row(Group::Judge, "Krum linear", 100, 1e-5)]), "");
        let text = runtime_table(&[row(Group::Judge, "RankGuard linear", 100, 1e-5), row(Group::Judge, "FLTrust linear", 100, 1e-4)]);
        let expect = "  rule  ranker  history    paper     here  paper/here  rule/RankGuard paper  here
  RankGuard  linear      100  12.0 ms  10.0 µs       1,200                   1.0   1.0
    FLTrust  linear      100   669 ms   100 µs       6,690                  55.8  10.0
";
        assert!(text.ends_with(&expect["  rule".len()..]), "{text}");
    }
}
