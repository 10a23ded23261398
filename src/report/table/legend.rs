//! What a reader of a table should know: what its figures are, which evaluations they come from, what its marks mean.

use super::super::Published;
use super::super::caution::cautions;
use super::super::metric::{Metric, Moment};
use super::cell::{Cell, Place};
use super::entry::{Entry, Window};
use super::layout::Layout;
use super::ranking::REFERENCE;
use super::{Line, Shape, Spread};
use crate::units::{count, counted};
use std::collections::BTreeSet;

/// The figure in words, and when it is taken.
pub fn meaning(entries: &[Entry], shape: &Shape) -> String {
    let cutoffs: BTreeSet<u32> = entries.iter().map(|entry| entry.ndcg_cutoff).collect();
    let measure = cutoffs.first().filter(|_| cutoffs.len() == 1).map_or("nDCG".into(), |cutoff| format!("nDCG@{cutoff}"));
    let what = match shape.value {
        Metric::Ndcg => format!("{measure} of honest nodes on the test queries"),
        value => value.words(),
    };
    match shape.at {
        Moment::Last(last) => format!("{what}, averaged over {last}"),
        at => format!("{what}, {at}"),
    }
}

/// All notes below a table.
pub fn notes(
    entries: &[Entry],
    lines: &[Line],
    layout: &Layout,
    shape: &Shape,
    published: Option<&Published>,
    remarks: Vec<String>,
) -> Vec<String> {
    let cells: Vec<&Cell> = lines.iter().flat_map(|line| line.cells.iter().flatten()).collect();
    let star = "*: of runs under another attack, everything else being equal; Oracle and Local do not notice which".to_string();
    let mut notes = vec![format!("{}:", meaning(entries, shape))];
    notes.extend(windows(entries));
    notes.extend(brackets(&cells, shape));
    notes.extend(counts(&cells));
    notes.extend(marks(&cells, layout, shape));
    notes.extend(cells.iter().any(|cell| cell.is_stand_in).then_some(star));
    notes.extend(published.map(|published| format!("{}: in brackets what its authors give as spread", published.name)));
    notes.extend(remarks);
    notes.extend(versions(entries));
    notes.extend(cautions(entries.iter().map(|entry| &entry.dataset)).into_iter().filter(|line| !line.is_empty()));
    notes
}

/// Which evaluations the figures come from, a line for each case.
fn windows(entries: &[Entry]) -> Vec<String> {
    let mut windows: Vec<(Window, usize)> = Vec::new();
    for Window { from, to, n, sessions } in entries.iter().map(|entry| entry.window) {
        match windows.iter_mut().find(|(window, _)| (window.from, window.to, window.n) == (from, to, n)) {
            Some((window, n_runs)) => {
                window.sessions = (window.sessions.0.min(sessions.0), window.sessions.1.max(sessions.1));
                *n_runs += 1;
            }
            None => windows.push((Window { from, to, n, sessions }, 1)),
        }
    }
    windows.iter().map(|(window, n_runs)| format!("  {}: {}", counted(*n_runs as u64, "run"), window.show())).collect()
}

impl Window {
    fn show(&self) -> String {
        let evaluations = match self.n {
            1 => format!("evaluation {}", self.to),
            n => format!("evaluations {}–{} ({n} of them)", self.from, self.to),
        };
        let sessions = match self.sessions {
            (from, to) if from == to => count(to as u64),
            (from, to) => format!("{}–{}", count(from as u64), count(to as u64)),
        };
        format!("{evaluations}, after {sessions} sessions")
    }
}

/// What stands in brackets.
fn brackets(cells: &[&Cell], shape: &Shape) -> Option<String> {
    let form = if matches!(shape.value, Metric::Bytes | Metric::TimeTo(_)) { "a ± b" } else { "0.719(2)" };
    let unit = if form == "a ± b" { "" } else { ", in units of the last digit" };
    let over = match shape.spread {
        Spread::Seeds if cells.iter().any(|cell| cell.sd.is_some()) => "the standard deviation over seeds",
        Spread::Nodes => "the standard deviation across nodes, averaged over seeds",
        Spread::Seeds | Spread::None => return None,
    };
    Some(format!("{form}: the mean over seeds and {over}{unit}"))
}

/// How many runs there are in a cell.
fn counts(cells: &[&Cell]) -> Vec<String> {
    let numbers: BTreeSet<(usize, usize)> = cells.iter().map(|cell| (cell.n, cell.runs)).collect();
    let seeds = match numbers.first() {
        Some((n, runs)) if numbers.len() == 1 && n == runs => match n {
            1 => "n = 1: each cell is a single run".into(),
            n => format!("n = {n}: the runs of a cell differ in their seeds alone"),
        },
        _ => "n: runs in a cell, which differ in their seeds alone".into(),
    };
    let missing = "2/3: only two of three runs have this figure; the mean is theirs, and the cell is not ranked".to_string();
    [seeds].into_iter().chain(numbers.iter().any(|(n, runs)| n < runs).then_some(missing)).collect()
}

/// What the places mean, if there are any.
fn marks(cells: &[&Cell], layout: &Layout, shape: &Shape) -> Option<String> {
    cells.iter().find(|cell| cell.place == Some(Place::Best))?;
    let among = if layout.competing_lines().is_some() { "defence for each column" } else { "of each line" };
    let direction = if shape.value.larger_is_better() == Some(true) { "larger" } else { "smaller" };
    let unranked = cells.iter().any(|cell| cell.defense == REFERENCE);
    let unranked = if unranked { "; Oracle, which knows who is malicious, is not ranked" } else { "" };
    Some(format!("marked: best and second best {among} by printed mean ({direction} is better){unranked}"))
}

fn versions(entries: &[Entry]) -> Option<String> {
    let versions: BTreeSet<&str> = entries.iter().map(|entry| entry.version.as_str()).collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    (versions.len() > 1).then(|| format!("these are runs of several versions of the program: {}", versions.join(", ")))
}
