//! How well nodes rank: over time, over sessions, and node by node.

use super::super::figure::{Axis, Colour, Figure, Lines, Plot, Series, Stroke, Unit};
use super::axes::{axis, over_time, range, series};
use super::findings::accuracy as accuracy_finding;
use super::profile::profile;
use super::section::{Block, Section};
use super::story::Story;
use super::tables::{not_shown, sampled};
use super::words::{some_of, time};
use crate::record::{CurveRow, Table};

pub fn accuracy(story: &Story) -> Section {
    let mut blocks: Vec<Block> = Vec::new();
    if story.has_time() {
        blocks.push(by_time(story).into());
        blocks.extend(by_sessions(story).map(Block::from));
    } else if let Some(last) = story.last() {
        blocks.push(Block::Remark(format!("One moment was evaluated ({}), so nothing is drawn over time.", time(last.at_ns as f64))));
    } else {
        blocks.push(Block::Remark(not_shown(story.run, Table::Curve, "accuracy, weights and messages over time")));
    }
    match profile(story) {
        Some(figure) => blocks.push(figure.into()),
        None if story.spread.is_none() => blocks.push(Block::Remark(not_shown(story.run, Table::Evaluations, "the spread over nodes"))),
        None => {}
    }
    Section::new("accuracy", "How well honest nodes rank", blocks)
}

/// The y axis of all figures of nDCG over a run.
fn ndcg_axis(story: &Story) -> Axis {
    let values = story.curve.iter().flat_map(|point| [point.ndcg_mean, point.ndcg_worst5, point.ndcg_random]);
    let nodes = story.spread.iter().flat_map(|spread| &spread.moments).flat_map(|nodes| [nodes.quantile(0.05), nodes.quantile(0.95)]);
    Axis { range: range(values.chain(nodes.flatten()).chain([0.0]), 0.1), ..axis(story.ndcg(), Unit::Number) }
}

fn by_time(story: &Story) -> Figure {
    let lines = over_time(&story.clock, ndcg_axis(story), curves(story, |point| point.at_ns as f64));
    Figure {
        id: "accuracy-over-time".into(),
        title: accuracy_finding(&story.curve).unwrap_or_else(|| "Accuracy over time".into()),
        caption: caption(story),
        plot: Plot::Lines(lines),
        notes: notes(story).into_iter().chain(story.clock.note.clone()).collect(),
    }
}

/// The same over the searches of the network; only if they do not simply follow the clock.
fn by_sessions(story: &Story) -> Option<Figure> {
    story.clock.sessions.as_ref()?;
    let x = axis("searches of the whole network", Unit::Count);
    let (series, marks) = (curves(story, |point| point.sessions as f64), story.clock.marks_by_sessions());
    Some(Figure {
        id: "accuracy-over-sessions".into(),
        title: "Accuracy by what was searched".into(),
        caption: format!(
            "The same {} by the number of searches that the network had made. Learning is paid in searches, not in hours.",
            story.ndcg()
        ),
        plot: Plot::Lines(Lines { x, second: None, y: ndcg_axis(story), series, is_stacked: false, marks }),
        notes: Vec::new(),
    })
}

fn curves(story: &Story, x: fn(&CurveRow) -> f64) -> Vec<Series> {
    let points = |value: fn(&CurveRow) -> f64| story.curve.iter().map(|point| (x(point), Some(value(point)))).collect();
    let mean = Series { band: band(story, x), ..series("mean", Colour::Honest, Stroke::Solid, points(|point| point.ndcg_mean)) };
    let worst = series("worst 5 %", Colour::Honest, Stroke::Thin, points(|point| point.ndcg_worst5));
    let random = series("random", Colour::Reference, Stroke::Dashed, points(|point| point.ndcg_random));
    vec![mean, worst, random]
}

/// The middle 90 % of the nodes if single nodes were recorded, else the mean ± sd.
fn band(story: &Story, x: fn(&CurveRow) -> f64) -> Vec<(f64, f64, f64)> {
    let of_nodes = |point: &CurveRow| {
        let nodes = story.spread.as_ref()?.at(point.evaluation)?;
        Some((x(point), nodes.quantile(0.05)?, nodes.quantile(0.95)?))
    };
    let by_sd = |point: &CurveRow| (x(point), point.ndcg_mean - point.ndcg_sd, point.ndcg_mean + point.ndcg_sd);
    match story.spread {
        Some(_) => story.curve.iter().filter_map(of_nodes).collect(),
        None => story.curve.iter().map(by_sd).collect(),
    }
}

fn caption(story: &Story) -> String {
    let band = match story.spread {
        Some(_) => "the band holds the middle 90 % of them (5–95 %)",
        None => "the band is the mean ± one standard deviation over them",
    };
    let n =
        story.last().map_or(String::new(), |last| some_of(last.evaluated.max(0) as u64, last.evaluated_of.max(0) as u64, "honest node"));
    format!(
        "{} of the rankers of honest nodes on test queries that nobody searches for. The line is the mean over the nodes (n = {n} at the end), {band}, \
         the thin line is the mean of the worst 5 %, and the dashed line is what a random ranking would have. Higher is better.",
        story.ndcg()
    )
}

fn notes(story: &Story) -> Vec<String> {
    let one_in = story.spread.as_ref().map_or(1, |spread| spread.one_in);
    sampled(one_in, Table::Evaluations).into_iter().collect()
}
