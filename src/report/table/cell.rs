//! The cells of a table: the figures of runs that differ in nothing but their seeds.

use super::super::Published;
use super::super::metric::Metric;
use super::entry::Entry;
use super::layout::{Layout, Position};
use super::{Line, Shape, Spread};
use crate::error::{Error, Result};
use crate::math;
use serde::Serialize;

/// The figure of runs that differ in nothing but their seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// As people read it, such as `0.719(2)`.
    pub text: String,
    /// The mean over runs; `None` if no run has the figure.
    pub mean: Option<f64>,
    /// The standard deviation that was asked for; `None` if one run has none over seeds.
    pub sd: Option<f64>,
    /// Runs with the figure.
    pub n: usize,
    /// All runs.
    pub runs: usize,
    /// Its place among the cells that it competes with.
    pub place: Option<Place>,
    /// Whether these are runs under another attack, which the defence does not notice.
    pub is_stand_in: bool,
    /// The defence's name.
    #[serde(skip)]
    pub(super) defense: String,
    #[serde(skip)]
    pub(super) has_attack: bool,
}

/// The best cells have a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// No other is better.
    Best,
    /// Only the best are better.
    Second,
}

/// All lines with their cells, without places.
pub fn lines(entries: &[Entry], layout: &Layout, shape: &Shape) -> Vec<Line> {
    let positions: Vec<Position> = (0..entries.len()).map(|nth| layout.position(nth)).collect();
    let cell = |line: &[String], column: &String| {
        let here = positions.iter().zip(entries).filter(|(position, _)| position.line == line && position.column == *column);
        let runs: Vec<&Entry> = here.map(|(_, entry)| entry).collect();
        (!runs.is_empty()).then(|| Cell::of(&runs, shape))
    };
    let line = |labels: Vec<String>| Line {
        cells: layout.column.order.iter().map(|column| cell(&labels, column)).collect(),
        published: Vec::new(),
        labels,
    };
    let mut lines: Vec<Line> = layout.lines(entries.len()).into_iter().map(line).collect();
    stand_in(&mut lines, layout);
    let counts: Vec<(usize, usize)> = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|cell| (cell.n, cell.runs)).collect();
    let is_even = counts.iter().all(|count| *count == counts[0]);
    for cell in lines.iter_mut().flat_map(|line| line.cells.iter_mut().flatten()) {
        cell.text = cell.shown(shape.value, is_even);
    }
    lines
}

impl Cell {
    fn of(runs: &[&Entry], shape: &Shape) -> Self {
        let values: Vec<f64> = runs.iter().filter_map(|run| run.value).collect();
        let (mean, over_seeds) = math::mean_sd(&values);
        let across_nodes = math::mean_sd(&runs.iter().map(|run| run.node_sd).collect::<Vec<_>>()).0;
        let sd = match shape.spread {
            Spread::Seeds => (values.len() > 1).then_some(over_seeds),
            Spread::Nodes => Some(across_nodes),
            Spread::None => None,
        };
        Self {
            text: String::new(),
            mean: (!values.is_empty()).then_some(mean),
            sd,
            n: values.len(),
            runs: runs.len(),
            place: None,
            is_stand_in: false,
            defense: runs[0].defense.name.clone(),
            has_attack: runs[0].has_attack,
        }
    }

    /// Mean, deviation, and the number of runs if it is not the same everywhere.
    fn shown(&self, metric: Metric, is_even: bool) -> String {
        let count = match (self.n == self.runs, is_even) {
            (false, _) => format!(" {}/{}", self.n, self.runs),
            (true, false) => format!(" n={}", self.n),
            (true, true) => String::new(),
        };
        let figure = match (self.mean, self.sd, metric) {
            (None, _, _) => "–".into(),
            (Some(mean), Some(sd), Metric::Bytes | Metric::TimeTo(_)) => format!("{} ± {}", metric.show(mean), metric.show(sd)),
            (Some(mean), Some(sd), _) => bracketed(mean, sd),
            (Some(mean), None, _) => metric.show(mean),
        };
        figure + &count
    }
}

/// 0.719(2): a mean, and a deviation in units of its last digit.
pub fn bracketed(mean: f64, sd: f64) -> String {
    format!("{mean:.3}({:.0})", sd * 1e3)
}

/// No attack changes Oracle and Local. Their runs under one attack stand in under the others.
fn stand_in(lines: &mut [Line], layout: &Layout) {
    let (Some(attack), true) = (layout.row("attack"), layout.column.field == "defense") else { return };
    let same_but_attack = |a: &[String], b: &[String]| a.iter().zip(b).enumerate().all(|(nth, (a, b))| nth == attack || a == b);
    let before = lines.to_vec();
    for line in lines.iter_mut().filter(|line| line.cells.iter().flatten().any(|cell| cell.has_attack)) {
        let alike: Vec<&Line> = before.iter().filter(|other| same_but_attack(&other.labels, &line.labels)).collect();
        for (column, cell) in line.cells.iter_mut().enumerate().filter(|(_, cell)| cell.is_none()) {
            let fits = |cell: &&Cell| cell.has_attack && matches!(cell.defense.as_str(), "Oracle" | "Local");
            let other = alike.iter().find_map(|other| other.cells[column].as_ref().filter(fits));
            *cell = other.map(|other| Cell { is_stand_in: true, ..other.clone() });
        }
    }
}

/// Puts published figures below the lines.
///
/// # Errors
/// The table is not shaped like the published one.
pub fn put_beside(lines: &mut [Line], layout: &Layout, entries: &[Entry], published: &Published, shape: &Shape) -> Result<()> {
    let (Some(users), Some(attack), "defense", Metric::Ndcg) =
        (layout.row("users"), layout.row("attack"), layout.column.field.as_str(), shape.value)
    else {
        let wanted = "--beside: published figures are nDCG by users, attack and defence";
        return Err(Error::input(format!("{wanted}; keep users and attack in lines, the defence in columns, and --value ndcg")));
    };
    let nth = |of: &dyn Fn(usize) -> bool| (0..entries.len()).find(|nth| of(*nth));
    for line in lines {
        let first =
            nth(&|nth| layout.rows[users].labels[nth] == line.labels[users] && layout.rows[attack].labels[nth] == line.labels[attack]);
        let names = first.map(|nth| (entries[nth].users.name.as_str(), entries[nth].attack.name.as_str()));
        let figure = |column: &String| {
            let defense = nth(&|nth| layout.column.labels[nth] == *column).map(|nth| entries[nth].defense.name.as_str());
            names.zip(defense).and_then(|((users, attack), defense)| published.figure(users, attack, defense))
        };
        line.published = layout.column.order.iter().map(figure).collect();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_stands_in_units_of_the_last_digit() {
        for (mean, sd, expect) in [(0.7191, 0.0016, "0.719(2)"), (0.259, 0.0001, "0.259(0)"), (-0.5, 0.0316, "-0.500(32)")] {
            assert_eq!(bracketed(mean, sd), expect);
        }
    }

    #[test]
    fn a_cell_tells_how_many_runs_it_holds_where_that_differs() {
        let cell = Cell {
            text: String::new(),
            mean: Some(0.5),
            sd: Some(0.01),
            n: 3,
            runs: 3,
            place: None,
            is_stand_in: false,
            defense: "CS".into(),
            has_attack: true,
        };
        assert_eq!(cell.shown(Metric::Ndcg, true), "0.500(10)");
        assert_eq!(cell.shown(Metric::Ndcg, false), "0.500(10) n=3");
        let some = Cell { n: 2, ..cell.clone() };
        assert_eq!((some.shown(Metric::Auc, true), some.shown(Metric::Auc, false)), ("0.500(10) 2/3".into(), "0.500(10) 2/3".into()));
        let never = Cell { mean: None, sd: None, n: 0, ..cell.clone() };
        assert_eq!(never.shown(Metric::TimeTo(0.5), true), "– 0/3");
        let time = Cell { mean: Some(5400.0), sd: Some(60.0), ..cell };
        assert_eq!(time.shown(Metric::TimeTo(0.5), true), "90min ± 1min");
    }
}
