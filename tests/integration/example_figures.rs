//! One figure of each kind with likely numbers, and a page that shows them all.

use rankguard::report::draw::{SCRIPT, STYLE, html, sparkline};
use rankguard::report::{Axis, Bar, Bars, Colour, Figure, HeatMap, Interval, Intervals, Lines, Mark, Plot, Series, Stroke, Unit};

const HOUR: f64 = 3.6e12;

/// An axis over the range of its data.
pub fn axis(label: &str, unit: Unit) -> Axis {
    Axis { label: label.into(), unit, range: None, is_logarithmic: false }
}

/// A line without a band.
pub fn series(name: &str, colour: Colour, stroke: Stroke, points: Vec<(f64, Option<f64>)>) -> Series {
    Series { name: name.into(), colour, stroke, points, band: Vec::new(), is_step: false }
}

/// A figure without remarks.
pub fn figure(id: &str, title: &str, caption: &str, plot: Plot) -> Figure {
    Figure { id: id.into(), title: title.into(), caption: caption.into(), plot, notes: Vec::new() }
}

/// A wave between −1 and 1 that looks like chance and is none.
pub fn wave(i: usize, k: usize) -> f64 {
    let x = (i * 7919 + k * 104_729 + i * i * 31) % 2003;
    x as f64 / 1001.5 - 1.0
}

/// A curve that rises from `from` to `to`, over three days in steps of an hour.
fn rising(from: f64, to: f64, noise: f64, k: usize) -> Vec<(f64, Option<f64>)> {
    let height = |i: usize| to - (to - from) / (1.0 + (i * i) as f64 / 90.0) + noise * wave(i, k);
    (0..=72).map(|i| (i as f64 * HOUR, Some(height(i)))).collect()
}

/// Lines with a band, a gap, marks and a second scale.
pub fn accuracy() -> Figure {
    let mut mean = series("honest nodes", Colour::Honest, Stroke::Solid, rising(0.2, 0.54, 0.004, 1));
    mean.band = mean.points.iter().map(|(x, y)| (*x, y.unwrap_or(0.0) - 0.05, y.unwrap_or(0.0) + 0.04)).collect();
    let mut worst = series("worst 5\u{202f}%", Colour::Honest, Stroke::Thin, rising(0.19, 0.47, 0.006, 2));
    for point in &mut worst.points[30..34] {
        point.1 = None;
    }
    let flat = |y: f64| vec![(0.0, Some(y)), (72.0 * HOUR, Some(y))];
    let lines = Lines {
        x: axis("virtual time", Unit::Time),
        second: Some(("sessions".into(), (0..=72).map(|i| (f64::from(i) * HOUR, f64::from(i * 1400 + i * i * 8))).collect())),
        y: Axis { range: Some((0.1, 0.6)), ..axis("nDCG@10", Unit::Number) },
        series: vec![
            mean,
            worst,
            series("Oracle", Colour::Reference, Stroke::Dashed, rising(0.2, 0.55, 0.0, 3)),
            series("None", Colour::Reference, Stroke::Dotted, rising(0.2, 0.31, 0.0, 4)),
            series("random", Colour::Reference, Stroke::Dashed, flat(0.2)),
        ],
        is_stacked: false,
        marks: vec![
            Mark { at: 20.0 * HOUR, label: "region eu is cut off".into() },
            Mark { at: 26.0 * HOUR, label: "a crowd leaves".into() },
            Mark { at: 31.0 * HOUR, label: "it is back".into() },
            Mark { at: 70.0 * HOUR, label: "drift".into() },
        ],
    };
    let title = "Honest nodes reach nDCG@10 0.540 although 20 of 100 nodes send poisoned models";
    figure("accuracy-over-time", title, "Mean over honest nodes; the band holds 90 % of them.", Plot::Lines(lines))
}

fn judged() -> Figure {
    let falling = (0..=72).map(|i| (f64::from(i) * HOUR, Some(0.5 / (1.0 + f64::from(i) / 3.0)))).collect();
    let lines = Lines {
        x: axis("virtual time", Unit::Time),
        second: None,
        y: Axis { range: Some((0.0, 1.0)), ..axis("weight α of received models", Unit::Number) },
        series: vec![
            series("honest senders", Colour::Honest, Stroke::Solid, rising(0.5, 0.86, 0.02, 5)),
            series("malicious senders", Colour::Malicious, Stroke::Solid, falling),
        ],
        is_stacked: false,
        marks: Vec::new(),
    };
    figure(
        "alpha-over-time",
        "Malicious models get no weight after the first day",
        "Mean weight by role of the sender.",
        Plot::Lines(lines),
    )
}

fn defences() -> Figure {
    let names = ["Oracle", "Local", "RankGuard", "FLTrust", "ZenoPS", "GTS", "CS", "CWTM", "None"];
    let line = |(n, name): (usize, &&str)| series(name, Colour::Nth(n), Stroke::Solid, rising(0.2, 0.56 - 0.03 * n as f64, 0.004, n));
    let lines = Lines {
        x: axis("virtual time", Unit::Time),
        second: None,
        y: axis("nDCG@10", Unit::Number),
        series: names.iter().enumerate().map(line).collect(),
        is_stacked: false,
        marks: Vec::new(),
    };
    figure("defences", "RankGuard stays within 0.060 of the Oracle", "One line per defence, mean of ten seeds.", Plot::Lines(lines))
}

fn messages() -> Figure {
    let counts = |height: f64, k: usize| (0..=72).map(|i| (i as f64 * HOUR, Some((height * (1.3 + wave(i, k) * 0.3)).round()))).collect();
    let mut stack = vec![
        series("delivered", Colour::Nth(0), Stroke::Solid, counts(9000.0, 1)),
        series("receiver away", Colour::Nth(1), Stroke::Solid, counts(2100.0, 2)),
        series("lost", Colour::Nth(2), Stroke::Solid, counts(300.0, 3)),
        series("cut off", Colour::Nth(3), Stroke::Solid, counts(60.0, 4)),
    ];
    for line in &mut stack {
        line.is_step = true;
    }
    let lines = Lines {
        x: axis("virtual time", Unit::Time),
        second: None,
        y: axis("messages per hour", Unit::Count),
        series: stack,
        is_stacked: true,
        marks: Vec::new(),
    };
    figure("messages", "Four of five messages arrive", "Messages by what became of them.", Plot::Lines(lines))
}

fn delays() -> Figure {
    let tail = |scale: f64| (0..40).map(|i| (scale * 1e6 * 1.3f64.powi(i), Some(1.0 / (1.0 + 0.004 * 1.42f64.powi(i))))).collect();
    let lines = Lines {
        x: Axis { is_logarithmic: true, ..axis("delay", Unit::Time) },
        second: None,
        y: Axis { range: Some((0.0, 1.0)), ..axis("share of messages with a longer delay", Unit::Share) },
        series: vec![
            series("within a region", Colour::Nth(0), Stroke::Solid, tail(1.0)),
            series("between regions", Colour::Nth(1), Stroke::Dashed, tail(9.0)),
        ],
        is_stacked: false,
        marks: Vec::new(),
    };
    figure("delays", "Half of the messages need less than a second", "Both axes of time are logarithmic.", Plot::Lines(lines))
}

/// Small multiples.
pub fn panels() -> Figure {
    let panel = |(k, attack): (usize, &str)| {
        let lines = Lines {
            x: axis("virtual time", Unit::Time),
            second: None,
            y: axis("nDCG@10", Unit::Number),
            series: vec![
                series("RankGuard", Colour::Nth(2), Stroke::Solid, rising(0.2, 0.54 - 0.01 * k as f64, 0.004, k)),
                series("None", Colour::Nth(8), Stroke::Solid, rising(0.2, 0.45 - 0.06 * k as f64, 0.008, k + 9)),
                series("random", Colour::Reference, Stroke::Dashed, vec![(0.0, Some(0.2)), (72.0 * HOUR, Some(0.2))]),
            ],
            is_stacked: false,
            marks: vec![Mark { at: 20.0 * HOUR, label: "cut".into() }],
        };
        (attack.to_string(), lines)
    };
    let attacks = ["no attack", "FLIP", "LIE", "IPM", "ADAPT"];
    let plot = Plot::Panels(attacks.into_iter().enumerate().map(panel).collect());
    figure("attacks", "RankGuard holds under every attack", "One panel per attack.", plot)
}

/// A forest plot.
pub fn differences() -> Figure {
    let row = |label: &str, mean: f64, half: f64, k: usize| Interval {
        label: label.into(),
        mean,
        interval: Some((mean - half, mean + half)),
        dots: (0..10).map(|i| mean + 2.2 * half * wave(i, k)).collect(),
        text: format!("{mean:.3} ± {half:.3}, n = 10"),
    };
    let rows = vec![
        row("without churn", 0.026, 0.009, 1),
        row("constant delay of 10 ms instead of what was measured", 0.003, 0.007, 2),
        row("two regions", -0.012, 0.005, 3),
        Interval { label: "one seed only".into(), mean: 0.01, interval: None, dots: vec![0.01], text: "0.010, n = 1".into() },
    ];
    let caption = "Dots are pairs of runs with one seed; a hollow mean has an interval that holds 0.";
    let plot = Plot::Intervals(Intervals { x: axis("difference of nDCG@10", Unit::Number), rows });
    figure("differences", "Without churn nodes rank better by 0.026 ± 0.009", caption, plot)
}

/// A heat map of which one cell is missing.
pub fn heat_map() -> Figure {
    let columns: Vec<String> = ["no churn", "weekly churn", "daily churn", "kad", "gnutella, as it was measured"].map(String::from).into();
    let rows: Vec<String> = ["0 %", "10 %", "20 %", "30 %"].map(String::from).into();
    let cell = |r: usize, c: usize| (r * 5 + c != 13).then_some(0.55 - 0.04 * r as f64 - 0.015 * c as f64 * (1.0 + r as f64 / 2.0));
    let cells = (0..4).map(|r| (0..5).map(|c| cell(r, c)).collect()).collect();
    let map = HeatMap {
        columns: ("churn".into(), columns),
        rows: ("malicious nodes".into(), rows),
        value: axis("nDCG@10 at the end", Unit::Number),
        cells,
    };
    figure("churn-and-malice", "Churn costs more where more nodes are malicious", "Mean of ten seeds.", Plot::HeatMap(map))
}

/// Bars with long labels.
pub fn bars() -> Figure {
    let bar = |label: &str, value: f64, colour| Bar { label: label.into(), value, colour };
    let bars = vec![
        bar("delivered", 812_345.0, Colour::Honest),
        bar("the receiver was away", 151_200.0, Colour::Reference),
        bar("lost on the way", 20_120.0, Colour::Reference),
        bar("dropped because the mailbox of the receiver was full", 901.0, Colour::Reference),
    ];
    let plot = Plot::Bars(Bars { x: "what became of a message".into(), y: axis("messages", Unit::Count), bars });
    figure("outcomes", "Messages by outcome", "All messages of the run.", plot)
}

fn histogram() -> Figure {
    let bar = |i: usize| Bar {
        label: format!("{:.2}", 0.3 + 0.01 * i as f64),
        value: (40.0 * (-((i as f64 - 14.0) / 5.0).powi(2)).exp()).round(),
        colour: Colour::Honest,
    };
    let plot = Plot::Bars(Bars { x: "nDCG@10".into(), y: axis("nodes", Unit::Count), bars: (0..24).map(bar).collect() });
    figure("nodes-by-accuracy", "Most nodes are alike", "Honest nodes at the end.", plot)
}

fn few_bars() -> Figure {
    let bar = |(n, label): (usize, &str)| Bar { label: label.into(), value: 0.54 - 0.09 * n as f64, colour: Colour::Nth(n) };
    let bars = ["Oracle", "RankGuard", "FLTrust", "None"].into_iter().enumerate().map(bar).collect();
    let plot = Plot::Bars(Bars { x: "defence".into(), y: axis("nDCG@10", Unit::Number), bars });
    figure("defences-at-the-end", "Defences at the end", "Mean of ten seeds.", plot)
}

/// One figure of each kind, and some variants.
pub fn all() -> Vec<Figure> {
    vec![accuracy(), judged(), defences(), messages(), delays(), panels(), differences(), heat_map(), bars(), histogram(), few_bars()]
}

/// A page with a strip, all figures, a table of nodes of which one has a life, and a table like the paper's.
pub fn page() -> String {
    let stat = |k: usize, label: &str, value: &str, small: &str, colour: Colour| {
        let values: Vec<Option<f64>> = rising(0.2, 0.54, 0.01, k).into_iter().map(|(_, y)| y).collect();
        let spark = sparkline(&values, colour);
        format!("<div class=stat><span class=value>{value}</span><span class=label>{label}</span>{spark}<small>{small}</small></div>\n")
    };
    let strip = [
        stat(1, "nDCG@10 at the end", "0.540", "sd 0.021 over nodes, worst 5 %: 0.471", Colour::Honest),
        stat(2, "α to honest senders", "0.861", "malicious: 0.004", Colour::Honest),
        stat(3, "AUC", "0.998", "α tells honest from malicious", Colour::Nth(0)),
        stat(4, "exposure", "0.012", "part of models from malicious nodes", Colour::Malicious),
        stat(5, "delivered", "82.5 %", "most are lost because the receiver is away", Colour::Nth(0)),
        stat(6, "time online", "61.0 %", "mean over nodes", Colour::Reference),
    ];
    let node = |n: usize| {
        let cells = format!("<td>0.{}<td>{}<td>{}\u{202f}%<td>eu", 540 - n * 37 % 91, 100 + n * 53 % 97, 90 - n);
        format!("<tr data-node={n}><th>{n}{cells}</tr>\n")
    };
    let nodes: String = (0..12).map(node).collect();
    let life = Figure { id: "life-of-3".into(), ..judged() };
    let figures: String = all().iter().map(html).collect();
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>Figures</title>\n\
         <style>{STYLE}</style>\n<header><h1>RankGuard keeps 80 honest nodes at nDCG@10 0.540 (random 0.200) while 20 of 100 nodes send \
         poisoned models.</h1><p>Synthetic data, one seed: differences between runs may be chance.</p></header>\n\
         <nav><ul><li><a href=\"#accuracy-over-time\">Accuracy</a><li><a href=\"#messages\">Network</a><li><a href=\"#nodes\">Nodes</a></ul></nav>\n\
         <div class=strip>\n{}</div>\n{figures}<h2 id=nodes>Nodes</h2>\n<div class=scroll><table class=\"nodes sortable\"><thead><tr><th>node\
         <th>nDCG@10<th>searches<th>online<th>region</thead><tbody>\n{nodes}</tbody></table></div>\n<template id=node-3>{}</template>\n\
         <h2>Table</h2><div class=scroll><table class=\"paper sortable\"><thead><tr><th>attack<th>Oracle<th>RankGuard<th>None</thead><tbody>\
         <tr><th>FLIP<td class=best>0.551<td class=second>0.540<td>0.312<tr><th>LIE<td class=best>0.551<td class=second>0.533<td>0.401</table></div>\n\
         <p class=missing>There is no table <code>receipts</code>: <code>record: (receipts: All)</code> would have kept it.</p>\n\
         <h2>Scenario</h2><pre class=scenario>(\n    nodes: 100,\n<mark>    defense: RankGuard(kappa: 4.0),</mark>\n)</pre>\n\
         <script>{SCRIPT}</script>\n",
        strip.concat(),
        html(&life)
    )
}
