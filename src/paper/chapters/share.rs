//! RankGuard by the share of malicious nodes: a figure and a table for each data set.

use super::super::claims::signed;
use super::super::document::{Part, Table};
use super::super::found::{OnData, Values, difference, interval, ndcg};
use super::{named, slug, with};
use crate::report::{Axis, Colour, Figure, Lines, Plot, Series, Stroke, USERS, Unit, three};

const SHARES: [&str; 5] = ["0.1", "0.2", "0.3", "0.4", "0.5"];
const ATTACKS: [&str; 3] = ["FLIP", "LIE", "IPM"];

/// All data sets.
pub fn share(all: &[OnData]) -> Vec<Part> {
    with(all, "share")
        .flat_map(|data| [figure(data), Some(Part::text(introduction(data))), Some(Part::Table(table(data)))])
        .flatten()
        .collect()
}

fn introduction(data: &OnData) -> String {
    format!(
        "**{}**. Differences of nDCG@10 from no attack, with 95 % intervals over paired seeds, for the paper's share (0.2) and the largest (0.5).",
        named(data)
    )
}

fn values(data: &OnData, sweep: &str, users: &str, attack: &str, share: &str) -> Values {
    let threat = if share == "0" { "no attack".into() } else { format!("{attack} {share}") };
    data.values("share", sweep, &[("users", users), ("threat", &threat)], ndcg)
}

fn table(data: &OnData) -> Table {
    let mut rows = Vec::new();
    for sweep in data.sweeps_of("share") {
        for users in USERS {
            for attack in ATTACKS {
                let calm = values(data, sweep, users, attack, "0");
                let cell = |share: &str| {
                    difference(&calm, &values(data, sweep, users, attack, share))
                        .map_or("–".into(), |interval| format!("{} ± {}", signed(interval.mean), three(interval.half_width())))
                };
                let level = super::super::found::mean(&calm).map_or("–".into(), three);
                rows.push(vec![sweep.into(), users.into(), attack.into(), level, cell("0.2"), cell("0.5")]);
            }
        }
    }
    let head = ["reading", "users", "attack", "no attack", "β = 0.2", "β = 0.5"].map(String::from).to_vec();
    Table { head, rows, n_words: 3 }
}

fn figure(data: &OnData) -> Option<Part> {
    let axis = |label: &str, unit| Axis { label: label.into(), unit, range: None, is_logarithmic: false };
    let mut panels = Vec::new();
    let mut highest: f64 = 0.0;
    for sweep in data.sweeps_of("share") {
        for users in USERS {
            let line = |(nth, attack): (usize, &&str)| {
                let at = |share: &&str| {
                    let values: Vec<f64> = values(data, sweep, users, attack, share).into_values().collect();
                    let x: f64 = share.parse().ok()?;
                    (!values.is_empty()).then(|| (x, values.iter().sum::<f64>() / values.len() as f64, interval(&values)))
                };
                let found: Vec<_> = ["0"].iter().chain(&SHARES).filter_map(at).collect();
                let points = found.iter().map(|(x, mean, _)| (*x, Some(*mean))).collect();
                let band = found.iter().filter_map(|(x, _, interval)| interval.map(|i| (*x, i.low, i.high))).collect();
                let (colour, stroke) = (Colour::Nth(nth), Stroke::Solid);
                (found.len() > 1).then(|| Series { name: attack.to_string(), colour, stroke, points, band, is_step: false })
            };
            let series: Vec<Series> = ATTACKS.iter().enumerate().filter_map(line).collect();
            highest = series.iter().flat_map(|series| &series.points).filter_map(|(_, y)| *y).fold(highest, f64::max);
            panels.push((format!("{users}, {sweep}"), series));
        }
    }
    let y = Axis { range: Some((0.0, (highest * 10.0 + 0.2).ceil() / 10.0)), ..axis("nDCG@10", Unit::Number) };
    let lines = |series| Lines {
        x: axis("share of malicious nodes", Unit::Share),
        second: None,
        y: y.clone(),
        series,
        is_stacked: false,
        marks: Vec::new(),
    };
    let panels: Vec<(String, Lines)> =
        panels.into_iter().filter(|(_, series)| !series.is_empty()).map(|(title, series)| (title, lines(series))).collect();
    let notes = data.caution.iter().map(|caution| format!("Data: {caution}.")).collect();
    let caption = "Mean nDCG@10 of honest nodes at the end under RankGuard; means over seeds with 95 % intervals by Student's t. The paper finds no difference up to a half \
                   under perfect users."
        .into();
    let title = format!("RankGuard by the share of malicious nodes: {}", named(data));
    let id = format!("share-{}", slug(&data.label));
    (!panels.is_empty()).then(|| Part::Figure(Box::new(Figure { id, title, caption, plot: Plot::Panels(panels), notes })))
}
