//! The numbers of a figure as tables below it. The script of a page reads them too, to say what lies below its cursor.

use super::super::{Bars, Figure, HeatMap, Intervals, Lines, Mark, Plot, Series, Unit};
use super::escape::escape;
use super::numbers::{time_in, value};
use super::path::tenth;
use super::scale::{Range, usable};
use super::series::x_values;

/// Longer tables are thinned evenly; the comma-separated values have every row.
const MOST_ROWS: usize = 120;

/// The tables of a figure within an element that opens, and a remark if rows were left out.
pub fn html(figure: &Figure) -> String {
    let (tables, is_thinned) = match &figure.plot {
        Plot::Lines(lines) => of_lines(lines, "", MOST_ROWS),
        Plot::Panels(panels) => of_panels(panels),
        Plot::Intervals(intervals) => (of_intervals(intervals), false),
        Plot::HeatMap(map) => (of_heat_map(map), false),
        Plot::Bars(bars) => (of_bars(bars), false),
    };
    let note = "<p class=\"note\">Evenly spaced rows; the file of comma-separated values has all.</p>\n";
    let note = if is_thinned { note } else { "" };
    format!("<details class=\"numbers\"><summary>Numbers</summary>\n{note}{tables}</details>\n")
}

fn of_panels(panels: &[(String, Lines)]) -> (String, bool) {
    let most = (2 * MOST_ROWS / panels.len().max(1)).clamp(12, MOST_ROWS);
    let tables: Vec<(String, bool)> = panels.iter().map(|(title, lines)| of_lines(lines, title, most)).collect();
    (tables.iter().map(|(table, _)| table.as_str()).collect(), tables.iter().any(|(_, is_thinned)| *is_thinned))
}

/// A row for each x of any series; a column for each series, with its band in brackets.
fn of_lines(lines: &Lines, title: &str, most: usize) -> (String, bool) {
    let range = Range::exact(&lines.x, x_values(lines));
    let grid = grid(lines);
    let kept = evenly(grid.len(), most);
    let columns: Vec<Vec<String>> = lines.series.iter().map(|series| column(series, lines.y.unit, &grid)).collect();
    let row = |i: &usize| {
        let cells: String = columns.iter().map(|column| format!("<td>{}", column[*i])).collect();
        let place = range.fraction(grid[*i]).unwrap_or(0.0);
        format!("<tr data-x=\"{}\"><th>{}{cells}\n", tenth(place * 1000.0), at(lines.x.unit, grid[*i], &range))
    };
    let rows: String = kept.iter().map(row).collect();
    let names = lines.series.iter().map(|series| series.name.as_str());
    let head = head([lines.x.label.as_str()].into_iter().chain(names));
    (format!("{}{}", table(title, &head, &rows), marks(&lines.marks, lines.x.unit, &range)), kept.len() < grid.len())
}

/// All x, in order.
fn grid(lines: &Lines) -> Vec<f64> {
    let mut grid: Vec<f64> = x_values(lines).filter(|x| usable(*x)).collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    grid
}

/// Numbers of rows, evenly spaced, the first and the last among them.
fn evenly(n: usize, most: usize) -> Vec<usize> {
    if n <= most { (0..n).collect() } else { (0..most).map(|i| i * (n - 1) / (most - 1)).collect() }
}

/// The cells of a series at every x.
fn column(series: &Series, unit: Unit, grid: &[f64]) -> Vec<String> {
    let mut cells = vec![(None, None); grid.len()];
    let place = |x: f64| grid.binary_search_by(|other| other.total_cmp(&x)).ok();
    for (x, y) in &series.points {
        if let Some(i) = place(*x) {
            cells[i].0 = *y;
        }
    }
    for (x, low, high) in &series.band {
        if let Some(i) = place(*x) {
            cells[i].1 = Some((*low, *high));
        }
    }
    cells.into_iter().map(|(y, band)| cell(unit, y, band)).collect()
}

fn cell(unit: Unit, y: Option<f64>, band: Option<(f64, f64)>) -> String {
    let y = y.map(|y| value(unit, y)).unwrap_or_default();
    let band = band.map(|(low, high)| format!("({} … {})", value(unit, low), value(unit, high))).unwrap_or_default();
    [y, band].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A value of the horizontal axis in the unit of its labels.
fn at(unit: Unit, x: f64, range: &Range) -> String {
    if unit == Unit::Time { time_in(x, range.time_unit()) } else { value(unit, x) }
}

fn marks(marks: &[Mark], unit: Unit, range: &Range) -> String {
    if marks.is_empty() {
        return String::new();
    }
    let item = |mark: &Mark| format!("<li>{}: {}\n", at(unit, mark.at, range), escape(&mark.label));
    format!("<ul class=\"marks\">\n{}</ul>\n", marks.iter().map(item).collect::<String>())
}

fn of_intervals(intervals: &Intervals) -> String {
    let unit = intervals.x.unit;
    let row = |row: &super::super::Interval| {
        let ends = row.interval.map_or(["–".into(), "–".into()], |(low, high)| [low, high].map(|v| value(unit, v)));
        let cells = [value(unit, row.mean), ends[0].clone(), ends[1].clone(), row.dots.len().to_string(), escape(&row.text)];
        format!("<tr><th>{}<td>{}\n", escape(&row.label), cells.join("<td>"))
    };
    let head = head(["", intervals.x.label.as_str(), "from", "to", "pairs", ""].into_iter());
    table("", &head, &intervals.rows.iter().map(row).collect::<String>())
}

fn of_heat_map(map: &HeatMap) -> String {
    let row = |(label, cells): (&String, &Vec<Option<f64>>)| {
        let cells: String = cells.iter().map(|cell| format!("<td>{}", cell.map_or("–".into(), |v| value(map.value.unit, v)))).collect();
        format!("<tr><th>{}{cells}\n", escape(label))
    };
    let corner = format!("{} \\ {}", map.rows.0, map.columns.0);
    let head = head([corner.as_str()].into_iter().chain(map.columns.1.iter().map(String::as_str)));
    table(&map.value.label, &head, &map.rows.1.iter().zip(&map.cells).map(row).collect::<String>())
}

fn of_bars(bars: &Bars) -> String {
    let row = |bar: &super::super::Bar| format!("<tr><th>{}<td>{}\n", escape(&bar.label), value(bars.y.unit, bar.value));
    let head = head([bars.x.as_str(), bars.y.label.as_str()].into_iter());
    table("", &head, &bars.bars.iter().map(row).collect::<String>())
}

fn head<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("<th>{}", escape(name))).collect()
}

/// Ends of cells and rows may be left out in HTML, which saves a third of a long table.
fn table(caption: &str, head: &str, rows: &str) -> String {
    let caption = if caption.is_empty() { String::new() } else { format!("<caption>{}</caption>", escape(caption)) };
    format!("<div class=\"scroll\"><table>{caption}<thead><tr>{head}<tbody>\n{rows}</table></div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_keep_their_ends() {
        assert_eq!(evenly(3, 120), [0, 1, 2]);
        let kept = evenly(100_000, 120);
        assert_eq!((kept.len(), kept[0], kept[119]), (120, 0, 99_999));
        assert_eq!(evenly(0, 120), [0; 0]);
    }

    #[test]
    fn cells_have_their_band_in_brackets() {
        assert_eq!(cell(Unit::Number, Some(0.54), Some((0.4, 0.6))), "0.540 (0.400 … 0.600)");
        assert_eq!(cell(Unit::Number, None, Some((0.4, 0.6))), "(0.400 … 0.600)");
        assert_eq!(cell(Unit::Number, None, None), "");
    }
}
