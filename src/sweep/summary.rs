//! A plan in a few lines for people, and the same as data for programs.

use super::folder::Planned;
use super::plan::{Axis, Plan};
use crate::units::{count, counted, size};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The plan of a sweep in numbers.
#[derive(Debug, Serialize)]
pub struct PlanSummary {
    /// What the sweep is called.
    pub name: String,
    /// All runs.
    pub runs: usize,
    /// All tasks.
    pub tasks: usize,
    /// Runs that were not planned before.
    pub new_runs: usize,
    /// Tasks that were not planned before.
    pub new_tasks: usize,
    /// What varies, with the labels of its values.
    pub axes: Vec<AxisSummary>,
    /// The number of different seeds.
    pub seeds: usize,
    /// Estimated CPU seconds of all runs.
    pub cpu_seconds: f64,
    /// Estimated bytes of memory of the largest run.
    pub memory_bytes: f64,
    /// Estimated bytes of all results.
    pub disk_bytes: f64,
    /// The command to go on with.
    pub next: String,
}

/// An axis and the labels of its values.
#[derive(Debug, Serialize)]
pub struct AxisSummary {
    /// The field, or the given name.
    pub name: String,
    /// The labels.
    pub labels: Vec<String>,
}

impl PlanSummary {
    /// The summary of a plan for a folder; `dir` is that folder as a shell takes it.
    pub fn of(planned: &Planned, dir: &str) -> Self {
        let Planned { plan, n_before, .. } = planned;
        let axis =
            |axis: &Axis| AxisSummary { name: axis.name.clone(), labels: axis.values.iter().map(|value| value.label.clone()).collect() };
        Self {
            name: plan.name.clone(),
            runs: plan.runs().count(),
            tasks: plan.tasks.len(),
            new_runs: plan.tasks[*n_before..].iter().map(|task| task.runs.len()).sum(),
            new_tasks: plan.tasks.len() - n_before,
            axes: plan.axes.iter().map(axis).collect(),
            seeds: seeds(plan).len(),
            cpu_seconds: plan.tasks.iter().map(|task| task.cost).sum(),
            memory_bytes: plan.memory,
            disk_bytes: plan.disk,
            next: format!("rankguard sweep run {dir}"),
        }
    }

    /// The summary for people.
    pub fn text(&self, plan: &Plan) -> String {
        let of = |n: usize, noun: &str| counted(n as u64, noun);
        let mut text = format!("sweep {}: {} in {}", self.name, of(self.runs, "run"), of(self.tasks, "task"));
        if self.new_tasks > 0 && self.new_tasks < self.tasks {
            let _ = write!(text, ", of which {} in {} are new", of(self.new_runs, "run"), of(self.new_tasks, "task"));
        }
        let seeds = seeds(plan);
        let seeds = match (seeds.first(), seeds.last()) {
            (Some(first), Some(last)) if seeds.len() > 1 => format!("{}, from {first} to {last}", count(seeds.len() as u64)),
            (first, _) => first.map_or(String::new(), ToString::to_string),
        };
        let mut lines: Vec<(&str, String)> = self.axes.iter().map(|axis| (axis.name.as_str(), some(&axis.labels))).collect();
        lines.push(("seeds", seeds));
        lines.push(("CPU time", format!("about {}", time(self.cpu_seconds))));
        lines.push(("memory", format!("about {} for the largest run", size(self.memory_bytes))));
        lines.push(("disk", format!("about {}", size(self.disk_bytes))));
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        lines.iter().fold(text, |text, (name, value)| text + &format!("\n  {name:<width$}  {value}"))
    }
}

/// The first labels of an axis.
fn some(labels: &[String]) -> String {
    const SHOWN: usize = 10;
    match labels.len() {
        n if n > SHOWN => format!("{} and {} more", labels[..SHOWN].join(", "), n - SHOWN),
        _ => labels.join(", "),
    }
}

fn seeds(plan: &Plan) -> BTreeSet<u64> {
    plan.runs().map(|run| run.seed).collect()
}

/// Seconds for people.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{} s", s.ceil()),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{} h", count((s / 3_600.0).round() as u64)),
    }
}

/// A path as a shell takes it.
pub fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:@%=,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::tests::read;

    #[test]
    fn a_plan_is_told_in_a_few_lines() {
        let root = tempfile::tempdir().expect("a folder");
        let fields = "axes: [Axis(defense: [RankGuard(kappa: 4.0), FlTrust])], seeds: Range(first: 3, count: 4), tasks: 2";
        let planned = read(fields).and_then(|file| Planned::new(&file, root.path(), None)).expect("it is planned");
        let summary = PlanSummary::of(&planned, "out/x");
        let text = summary.text(&planned.plan);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["sweep test: 8 runs in 2 tasks", "  defense   RankGuard, FlTrust", "  seeds     4, from 3 to 6"]);
        assert!(lines[3].starts_with("  CPU time  about ") && lines[4].starts_with("  memory    about ") && lines.len() == 6, "{text}");
        assert_eq!((summary.new_runs, summary.seeds, summary.next.as_str()), (8, 4, "rankguard sweep run out/x"));
    }

    #[test]
    fn long_axes_are_shown_by_their_beginning() {
        let labels = |n: u32| (1..=n).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!((some(&labels(3)), some(&labels(12))), ("1, 2, 3".into(), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more".into()));
    }

    #[test]
    fn times_are_short() {
        for (seconds, expect) in [(0.2, "1 s"), (119.5, "120 s"), (600.0, "10 min"), (8_000_000.0, "2,222 h")] {
            assert_eq!(time(seconds), expect);
        }
    }

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        for (path, expect) in
            [("out/a-1", "out/a-1"), ("my out", "'my out'"), ("it's $HOME", "'it'\\''s $HOME'"), ("", "''"), ("a\"b", "'a\"b'")]
        {
            assert_eq!(shell_quoted(Path::new(path)), expect);
        }
    }
}
