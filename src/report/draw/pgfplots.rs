//! A figure for LaTeX: a short file for pgfplots that reads the comma-separated values beside it.

mod lines;

use super::super::{Axis, Bars, Colour, Figure, HeatMap, Intervals, Plot, Unit};
use super::scale::Range;

/// Rows of one series only.
const FILTER: &str = "\\pgfplotsset{only/.style={x filter/.append code={\\ifnum\\thisrow{n}=#1\\relax\\else\\def\\pgfmathresult{}\\fi}}}\n";

/// Numbers at ticks without powers of ten.
const NUMBERS: &str = "scaled ticks=false, tick label style={/pgf/number format/fixed, /pgf/number format/precision=3}";

/// A `tikzpicture` that reads the file `csv_name`, which [`super::csv()`] writes. It needs pgfplots with its libraries `fillbetween` and
/// `groupplots`; the first lines say so.
pub fn pgfplots(figure: &Figure, csv_name: &str) -> String {
    let body = match &figure.plot {
        Plot::Lines(lines) => lines::of_lines(lines, csv_name),
        Plot::Panels(panels) => lines::of_panels(panels, csv_name),
        Plot::Intervals(intervals) => of_intervals(intervals, csv_name),
        Plot::HeatMap(map) => of_heat_map(map, csv_name),
        Plot::Bars(bars) => of_bars(bars, csv_name),
    };
    let title = figure.title.replace(|c: char| c.is_control(), " ");
    format!(
        "% {title}\n% Preamble: \\usepackage{{pgfplots}} \\usepgfplotslibrary{{fillbetween,groupplots}} \\pgfplotsset{{compat=1.16}}\n\
         {}{FILTER}\\begin{{tikzpicture}}\n{body}\\end{{tikzpicture}}\n",
        colours()
    )
}

/// Names for the colours of the style, so that a document can change them in one place.
fn colours() -> String {
    let named = [
        ("honest", "0072B2"),
        ("malicious", "D55E00"),
        ("reference", "767676"),
        ("n0", "009E73"),
        ("n1", "C98800"),
        ("n2", "C0649A"),
        ("n3", "3A9BD6"),
        ("n4", "9C9000"),
        ("n5", "222222"),
        ("n6", "4F46B0"),
        ("n7", "8B5A2B"),
        ("n8", "882255"),
    ];
    named.iter().map(|(name, code)| format!("\\definecolor{{rg-{name}}}{{HTML}}{{{code}}}\n")).collect()
}

/// The label of an axis with the unit in which values are shown, and the factor that leads there from the file.
fn measured(axis: &Axis, range: &Range) -> (String, f64) {
    let label = tex(&axis.label);
    match axis.unit {
        Unit::Time => {
            let (name, length) = range.time_unit();
            (format!("{label} ({})", tex(name)), 1e9 / length)
        }
        Unit::Share => (format!("{label} (\\%)"), 100.0),
        Unit::Number | Unit::Count | Unit::Bytes => (label, 1.0),
    }
}

fn of_intervals(intervals: &Intervals, csv: &str) -> String {
    let ticks: Vec<String> = (0..intervals.rows.len()).map(|n| n.to_string()).collect();
    let labels: Vec<String> = intervals.rows.iter().map(|row| format!("{{{}}}", tex(&row.label))).collect();
    let range = Range::exact(&intervals.x, intervals.rows.iter().map(|row| row.mean));
    let (label, factor) = measured(&intervals.x, &range);
    let select = |kind: &str| {
        format!(
            "x filter/.append code={{\\edef\\kind{{\\thisrow{{kind}}}}\\edef\\wanted{{{kind}}}\\ifx\\kind\\wanted\\else\\def\\pgfmathresult{{}}\\fi}}"
        )
    };
    let source =
        |by: &str| format!("table[col sep=comma, percent is letter=true, x expr=\\thisrow{{x}}*{factor:e}, y expr=\\thisrow{{n}}+{by}");
    let error = format!(
        "x error plus expr=(\\thisrow{{high}}-\\thisrow{{x}})*{factor:e}, x error minus expr=(\\thisrow{{x}}-\\thisrow{{low}})*{factor:e}"
    );
    format!(
        "\\begin{{axis}}[width=0.7\\linewidth, y dir=reverse, ytick={{{}}}, yticklabels={{{}}}, yticklabel style={{text width=4cm, align=right}}, xlabel={{{label}}}, {NUMBERS}, \
         xmajorgrids, extra x ticks={{0}}, extra x tick labels={{}}, extra x tick style={{grid style={{black}}}}]\n\
         \\addplot[only marks, mark=*, mark size=1.2pt, rg-honest, opacity=0.35, {}] {}] {{{csv}}};\n\
         \\addplot[only marks, mark=*, rg-honest, {}, error bars/.cd, x dir=both, x explicit] {}, {error}] {{{csv}}};\n\\end{{axis}}\n",
        ticks.join(","),
        labels.join(","),
        select("pair"),
        source("0.2"),
        select("mean"),
        source("0"),
    )
}

fn of_heat_map(map: &HeatMap, csv: &str) -> String {
    let list = |labels: &[String]| labels.iter().map(|label| format!("{{{}}}", tex(label))).collect::<Vec<_>>().join(",");
    let ticks = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let range = Range::exact(&map.value, map.cells.iter().flatten().flatten().copied());
    let (label, factor) = measured(&map.value, &range);
    format!(
        "\\begin{{axis}}[width=0.8\\linewidth, y dir=reverse, enlargelimits=false, axis on top, xlabel={{{}}}, ylabel={{{}}}, xtick={{{}}}, \
         xticklabels={{{}}}, x tick label style={{rotate=30, anchor=north east}}, ytick={{{}}}, yticklabels={{{}}}, colormap={{blues}}{{rgb255=(243,247,251) rgb255=(8,51,97)}}, colorbar, \
         colorbar style={{ylabel={{{label}}}}}]\n\\addplot[matrix plot*, mesh/cols={}, point meta=explicit] table[col sep=comma, \
         percent is letter=true, x=column, y=row, meta expr=\\thisrow{{value}}*{factor:e}] {{{csv}}};\n\\end{{axis}}\n",
        tex(&map.columns.0),
        tex(&map.rows.0),
        ticks(map.columns.1.len()),
        list(&map.columns.1),
        ticks(map.rows.1.len()),
        list(&map.rows.1),
        map.columns.1.len().max(1),
    )
}

fn of_bars(bars: &Bars, csv: &str) -> String {
    let labels: Vec<String> = bars.bars.iter().map(|bar| format!("{{{}}}", tex(&bar.label))).collect();
    let ticks: Vec<String> = (0..bars.bars.len()).map(|n| n.to_string()).collect();
    let range = Range::rounded(&bars.y, bars.bars.iter().map(|bar| bar.value));
    let (label, factor) = measured(&bars.y, &range);
    let mut body = format!(
        "\\begin{{axis}}[width=\\linewidth, height=0.5\\linewidth, ybar, bar shift=0pt, xtick={{{}}}, xticklabels={{{}}}, x tick label \
         style={{rotate=30, anchor=north east, text width=3cm, align=right}}, xlabel={{{}}}, ylabel={{{label}}}, ymajorgrids, {NUMBERS}{}]\n",
        ticks.join(","),
        labels.join(","),
        tex(&bars.x),
        if bars.y.is_logarithmic { ", ymode=log" } else { "" },
    );
    for (n, bar) in bars.bars.iter().enumerate() {
        let colour = colour(bar.colour);
        body += &format!(
            "\\addplot[fill={colour}, draw=none, only={n}] table[col sep=comma, percent is letter=true, x=n, y expr=\\thisrow{{value}}*{factor:e}] {{{csv}}};\n"
        );
    }
    body + "\\end{axis}\n"
}

fn colour(colour: Colour) -> String {
    format!("rg-{}", super::canvas::colour(colour))
}

/// A text as LaTeX sets it, letter by letter.
fn tex(text: &str) -> String {
    let of = |c: char| match c {
        '%' | '&' | '#' | '_' | '$' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        '<' => "\\textless{}".into(),
        '>' => "\\textgreater{}".into(),
        '±' => "\\ensuremath{\\pm}".into(),
        '−' => "\\ensuremath{-}".into(),
        '≥' => "\\ensuremath{\\ge}".into(),
        '≤' => "\\ensuremath{\\le}".into(),
        'α' => "\\ensuremath{\\alpha}".into(),
        'κ' => "\\ensuremath{\\kappa}".into(),
        'η' => "\\ensuremath{\\eta}".into(),
        'µ' => "\\ensuremath{\\mu}".into(),
        '\u{202f}' | '\u{2009}' => "\\,".into(),
        c if c.is_control() => " ".into(),
        c => c.to_string(),
    };
    text.chars().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::numbers::TIME_UNITS;
    use super::*;

    #[test]
    fn no_name_is_a_command() {
        assert_eq!(tex("worst 5\u{202f}% \\input{x} α_1"), "worst 5\\,\\% \\textbackslash{}input\\{x\\} \\ensuremath{\\alpha}\\_1");
    }

    #[test]
    fn colours_are_those_of_the_style() {
        for line in colours().lines() {
            let (name, code) = line.trim_end_matches('}').rsplit_once('{').expect("a code");
            let name = name.split(['{', '}']).nth(1).expect("a name").trim_start_matches("rg-");
            let rule = format!("--{name}: #{};", code.to_lowercase());
            assert!(super::super::STYLE.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn every_unit_of_time_has_a_name_in_latex() {
        assert!(TIME_UNITS.iter().all(|(name, _)| tex(name).is_ascii()));
    }
}
