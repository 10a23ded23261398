//! A table as comma-separated values: a line per cell with unrounded figures, which every tool can group and turn as it likes.

use super::super::figures::quoted;
use super::cell::{Cell, Place};
use super::{Line, SideBySide};

pub fn show(table: &SideBySide) -> String {
    let mut head: Vec<String> = table.rows.iter().chain([&table.column]).map(|field| quoted(field)).collect();
    head.extend(["metric", "mean", "sd", "n", "runs", "place", "stand_in"].map(String::from));
    if table.published.is_some() {
        head.extend(["published_mean", "published_sd"].map(String::from));
    }
    let mut lines = vec![head.join(",")];
    for line in &table.lines {
        lines.extend((0..table.columns.len()).filter_map(|column| self::line(table, line, column)));
    }
    lines.join("\n") + "\n"
}

/// A line for a column, if there are runs or published figures.
fn line(table: &SideBySide, line: &Line, column: usize) -> Option<String> {
    let theirs = line.published.get(column).copied().flatten();
    let cell = line.cells[column].as_ref();
    if cell.is_none() && theirs.is_none() {
        return None;
    }
    let mut values: Vec<String> = line.labels.iter().chain([&table.columns[column]]).map(|label| quoted(label)).collect();
    values.push(table.metric.clone());
    values.extend(cell.map_or_else(|| ["", "", "0", "0", "", "false"].map(String::from), figures));
    if table.published.is_some() {
        values.extend([number(theirs.map(|(mean, _)| mean)), number(theirs.map(|(_, sd)| sd))]);
    }
    Some(values.join(","))
}

fn figures(cell: &Cell) -> [String; 6] {
    let place = match cell.place {
        Some(Place::Best) => "best",
        Some(Place::Second) => "second",
        None => "",
    };
    [number(cell.mean), number(cell.sd), cell.n.to_string(), cell.runs.to_string(), place.into(), cell.is_stand_in.to_string()]
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
