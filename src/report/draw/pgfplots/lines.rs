//! Lines and panels for pgfplots.

use super::super::super::{Axis, Lines, Series, Stroke};
use super::super::scale::Range;
use super::super::series::{x_values, y_values};
use super::{NUMBERS, colour, measured, tex};

/// One plot over the whole width, with its legend below.
pub fn of_lines(lines: &Lines, csv: &str) -> String {
    let ranges = ranges(&[lines]);
    let options = axes(lines, &ranges, (true, true));
    let body = plots(lines, csv, 0, &ranges, true);
    format!("\\begin{{axis}}[width=\\linewidth, height=0.5\\linewidth, {options}]\n{body}\\end{{axis}}\n")
}

/// Small multiples that share their axes; the first of the last row has the legend of all.
pub fn of_panels(panels: &[(String, Lines)], csv: &str) -> String {
    let ranges = ranges(&panels.iter().map(|(_, lines)| lines).collect::<Vec<_>>());
    let columns = panels.len().clamp(1, 3);
    let (rows, width) = (panels.len().div_ceil(columns), 1.0 / columns as f64 + 0.03);
    let ends = "xticklabels at=edge bottom, yticklabels at=edge left, horizontal sep=10pt, vertical sep=26pt";
    let size = format!("width={width:.3}\\linewidth, height={width:.3}\\linewidth");
    let mut body = format!("\\begin{{groupplot}}[group style={{group size={columns} by {rows}, {ends}}}, {size}]\n");
    let mut first = 0;
    for (i, (title, lines)) in panels.iter().enumerate() {
        let (is_left, is_last) = (i % columns == 0, i / columns + 1 == rows);
        let options = axes(lines, &ranges, (is_last, is_left));
        let plots = plots(lines, csv, first, &ranges, is_left && is_last);
        body += &format!("\\nextgroupplot[title={{{}}}, {options}]\n{plots}", tex(title));
        first += lines.series.len();
    }
    body + "\\end{groupplot}\n"
}

/// The ranges of both axes over all plots.
fn ranges(plots: &[&Lines]) -> (Range, Range) {
    let nothing = Axis { label: String::new(), unit: super::Unit::Number, range: None, is_logarithmic: false };
    let (x, y) = plots.first().map_or((nothing.clone(), nothing), |lines| (lines.x.clone(), lines.y.clone()));
    let all_y = plots.iter().flat_map(|lines| y_values(lines));
    (Range::exact(&x, plots.iter().flat_map(|lines| x_values(lines))), Range::rounded(&y, all_y))
}

/// Options of the axes, with their labels if they are at an edge.
fn axes(lines: &Lines, (x, y): &(Range, Range), (has_x, has_y): (bool, bool)) -> String {
    let log = |axis: &Axis, name: &str| if axis.is_logarithmic { format!("{name}mode=log, ") } else { String::new() };
    let stacked = if lines.is_stacked { "stack plots=y, area style, " } else { "" };
    let [(x_label, _), (y_label, factor)] = [measured(&lines.x, x), measured(&lines.y, y)];
    let label = |name: &str, label: String, is_shown: bool| if is_shown { format!("{name}label={{{label}}}, ") } else { String::new() };
    format!(
        "{}{}{stacked}ymin={}, ymax={}, {}{}unbounded coords=jump, ymajorgrids, axis lines=left, {NUMBERS}, legend columns=3, \
         legend style={{at={{(0,-0.25)}}, anchor=north west, draw=none}}, legend cell align=left",
        log(&lines.x, "x"),
        log(&lines.y, "y"),
        y.low * factor,
        y.high * factor,
        label("x", x_label, has_x),
        label("y", y_label, has_y),
    )
}

fn plots(lines: &Lines, csv: &str, first: usize, (x, y): &(Range, Range), has_legend: bool) -> String {
    let factors = (measured(&lines.x, x).1, measured(&lines.y, y).1);
    let plot = |(i, series): (usize, &Series)| {
        let name = if has_legend { format!("\\addlegendentry{{{}}}\n", tex(&series.name)) } else { String::new() };
        plot(series, csv, first + i, factors, lines.is_stacked) + &name
    };
    lines.series.iter().enumerate().map(plot).collect()
}

/// A band, if there is one, and the line on it.
fn plot(series: &Series, csv: &str, n: usize, (fx, fy): (f64, f64), is_stacked: bool) -> String {
    let colour = colour(series.colour);
    let table = |column: &str| {
        format!("table[col sep=comma, percent is letter=true, x expr=\\thisrow{{x}}*{fx:e}, y expr=\\thisrow{{{column}}}*{fy:e}] {{{csv}}}")
    };
    let edge = |column: &str| format!("\\addplot[draw=none, forget plot, only={n}, name path={column}{n}] {};\n", table(column));
    let band = if series.band.is_empty() || is_stacked {
        String::new()
    } else {
        format!("{}{}\\addplot[{colour}, opacity=0.16, forget plot] fill between[of=low{n} and high{n}];\n", edge("low"), edge("high"))
    };
    let step = if series.is_step { ", const plot" } else { "" };
    let area = if is_stacked { format!(", fill={colour}, fill opacity=0.6") } else { String::new() };
    let end = if is_stacked { " \\closedcycle" } else { "" };
    format!("{band}\\addplot[{colour}, {}{step}{area}, only={n}] {}{end};\n", stroke(series.stroke), table("y"))
}

fn stroke(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "thick",
        Stroke::Thin => "thin",
        Stroke::Dashed => "dashed",
        Stroke::Dotted => "dotted, thick",
    }
}
