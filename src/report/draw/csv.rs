//! The numbers of a figure as comma-separated values: every one of them, with all their digits, one row per point.

use super::super::{Axis, Bars, Figure, HeatMap, Intervals, Lines, Plot, Unit};
use std::collections::BTreeMap;

/// All numbers of a figure. Times are in seconds, and a missing number is `NaN`.
///
/// Lines have the columns `n,series,x,y,low,high`, where n counts the series from 0, and panels one named `panel` before them. Names have
/// semicolons for commas and single quotes for double ones, so that readers without quoting understand every row.
pub fn csv(figure: &Figure) -> String {
    match &figure.plot {
        Plot::Lines(lines) => format!("n,series,x,y,low,high\n{}", of_lines(lines, "", 0)),
        Plot::Panels(panels) => of_panels(panels),
        Plot::Intervals(intervals) => of_intervals(intervals),
        Plot::HeatMap(map) => of_heat_map(map),
        Plot::Bars(bars) => of_bars(bars),
    }
}

/// A number as it is written: times in seconds.
pub fn number(axis: &Axis, v: f64) -> String {
    let v = if axis.unit == Unit::Time { v / 1e9 } else { v };
    if v.is_finite() { v.to_string() } else { "NaN".into() }
}

fn of_panels(panels: &[(String, Lines)]) -> String {
    let mut first = 0;
    let mut rows = String::from("panel,n,series,x,y,low,high\n");
    for (title, lines) in panels {
        rows += &of_lines(lines, &format!("{},", name(title)), first);
        first += lines.series.len();
    }
    rows
}

/// Points and bands of each series, joined by their x.
fn of_lines(lines: &Lines, before: &str, first: usize) -> String {
    let mut rows = String::new();
    for (n, series) in lines.series.iter().enumerate() {
        for (x, [y, low, high]) in joined(&series.points, &series.band) {
            let numbers = [y, low, high].map(|v| number(&lines.y, v)).join(",");
            rows += &format!("{before}{},{},{},{numbers}\n", first + n, name(&series.name), number(&lines.x, x));
        }
    }
    rows
}

/// The points in their order, each with the band at its x; then what the band has beside them.
fn joined(points: &[(f64, Option<f64>)], band: &[(f64, f64, f64)]) -> Vec<(f64, [f64; 3])> {
    let mut bands: BTreeMap<u64, (f64, f64, f64)> = band.iter().map(|entry| (entry.0.to_bits(), *entry)).collect();
    let mut rows: Vec<(f64, [f64; 3])> = Vec::new();
    for (x, y) in points {
        let (_, low, high) = bands.remove(&x.to_bits()).unwrap_or((*x, f64::NAN, f64::NAN));
        rows.push((*x, [y.unwrap_or(f64::NAN), low, high]));
    }
    rows.extend(bands.into_values().map(|(x, low, high)| (x, [f64::NAN, low, high])));
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows
}

/// One row for the mean of each line, with its interval, and one for each of its dots.
fn of_intervals(intervals: &Intervals) -> String {
    let mut rows = String::from("n,label,kind,x,low,high\n");
    for (n, row) in intervals.rows.iter().enumerate() {
        let (low, high) = row.interval.unwrap_or((f64::NAN, f64::NAN));
        let numbers = [row.mean, low, high].map(|v| number(&intervals.x, v)).join(",");
        rows += &format!("{n},{},mean,{numbers}\n", name(&row.label));
        for dot in &row.dots {
            rows += &format!("{n},{},pair,{},NaN,NaN\n", name(&row.label), number(&intervals.x, *dot));
        }
    }
    rows
}

fn of_heat_map(map: &HeatMap) -> String {
    let mut rows = String::from("row,column,row_label,column_label,value\n");
    for (row, row_label) in map.rows.1.iter().enumerate() {
        for (column, column_label) in map.columns.1.iter().enumerate() {
            let v = map.cells.get(row).and_then(|cells| cells.get(column).copied().flatten()).unwrap_or(f64::NAN);
            rows += &format!("{row},{column},{},{},{}\n", name(row_label), name(column_label), number(&map.value, v));
        }
    }
    rows
}

fn of_bars(bars: &Bars) -> String {
    let row = |(n, bar): (usize, &super::super::Bar)| format!("{n},{},{}\n", name(&bar.label), number(&bars.y, bar.value));
    format!("n,label,value\n{}", bars.bars.iter().enumerate().map(row).collect::<String>())
}

/// A name without what separates columns and rows.
fn name(text: &str) -> String {
    let plain = |c: char| match c {
        ',' => ';',
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_meet_their_band() {
        let rows = joined(&[(1.0, Some(5.0)), (2.0, None)], &[(1.0, 4.0, 6.0), (1.5, 3.0, 7.0)]);
        let shown: Vec<String> = rows.iter().map(|(x, rest)| format!("{x} {rest:?}")).collect();
        assert_eq!(shown, ["1 [5.0, 4.0, 6.0]", "1.5 [NaN, 3.0, 7.0]", "2 [NaN, NaN, NaN]"]);
    }

    #[test]
    fn names_never_break_a_row() {
        assert_eq!(name("a, \"b\"\nc"), "a; 'b' c");
    }

    #[test]
    fn times_are_in_seconds() {
        let axis = |unit| Axis { label: String::new(), unit, range: None, is_logarithmic: false };
        assert_eq!(number(&axis(Unit::Time), 1.5e9), "1.5");
        assert_eq!(number(&axis(Unit::Number), 0.1), "0.1");
        assert_eq!(number(&axis(Unit::Number), f64::INFINITY), "NaN");
    }
}
