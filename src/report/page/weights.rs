//! How nodes judged what they received: α over time, how well it tells senders apart, and what came into models nevertheless.

use super::super::figure::{Axis, Colour, Figure, Plot, Series, Stroke, Unit};
use super::axes::{axis, has_values, over_time, range, series};
use super::findings;
use super::section::{Block, Section};
use super::story::Story;
use super::words::percent;
use crate::record::CurveRow;

pub fn weights(story: &Story) -> Section {
    let mut blocks: Vec<Block> = Vec::new();
    if story.has_time() {
        blocks.extend([alpha(story), auc(story), exposure(story), pull(story)].into_iter().flatten().map(Block::from));
        if story.last().is_some_and(|last| last.delivered == 0) {
            blocks.push(Block::Remark("No model was received, so none was judged.".into()));
        } else if story.n_malicious() == 0 {
            blocks.push(Block::Remark("No node is malicious: nothing tells senders apart, and no model is exposed.".into()));
        }
    }
    Section::new("weights", "How received models were judged", blocks)
}

fn alpha(story: &Story) -> Option<Figure> {
    let honest = story.over_time(|point| point.alpha_honest);
    let malicious = story.over_time(|point| point.alpha_malicious);
    let mut lines = Vec::new();
    for (name, colour, stroke, points) in
        [("honest senders", Colour::Honest, Stroke::Solid, honest), ("malicious senders", Colour::Malicious, Stroke::Solid, malicious)]
    {
        lines.extend(has_values(&points).then(|| series(name, colour, stroke, points)));
    }
    let y = Axis { range: top(story, |point| [point.alpha_honest, point.alpha_malicious]), ..axis("mean α", Unit::Number) };
    (!lines.is_empty()).then(|| Figure {
        id: "alpha-over-time".into(),
        title: findings::weights(&story.curve).unwrap_or_else(|| "Weight of received models".into()),
        caption: "Mean weight α that honest nodes gave to received models since the previous evaluation, by the kind of sender. 0 ignores a model, 1 takes it \
                  over. A defence works if malicious senders stay low and honest ones do not."
            .into(),
        plot: Plot::Lines(over_time(&story.clock, y, lines)),
        notes: Vec::new(),
    })
}

/// From 0 to the largest value, rounded up.
fn top<const N: usize>(story: &Story, values: impl Fn(&CurveRow) -> [Option<f64>; N]) -> Option<(f64, f64)> {
    range(story.curve.iter().flat_map(|point| values(point).into_iter().flatten().collect::<Vec<_>>()).chain([0.0]), 0.05)
}

fn auc(story: &Story) -> Option<Figure> {
    let points = story.over_time(|point| point.auc);
    let last = story.last()?.auc;
    has_values(&points).then(|| Figure {
        id: "auc-over-time".into(),
        title: last.map_or("How well α tells senders apart".into(), |auc| {
            format!("At the end α ranks an honest sender above a malicious one in {} of the pairs", percent(auc))
        }),
        caption: "Area under the ROC curve (AUC) of α since the previous evaluation: how often a model of an honest sender got more weight than one of a \
                  malicious sender. 0.5 is blind guessing, 1 tells all apart."
            .into(),
        plot: Plot::Lines(over_time(
            &story.clock,
            Axis { range: Some((0.0, 1.0)), ..axis("AUC", Unit::Number) },
            vec![series("AUC of α", Colour::Nth(2), Stroke::Solid, points), guessing(story)],
        )),
        notes: Vec::new(),
    })
}

fn guessing(story: &Story) -> Series {
    series("guessing", Colour::Reference, Stroke::Dashed, story.over_time(|_| Some(0.5)))
}

fn exposure(story: &Story) -> Option<Figure> {
    let points = story.over_time(|point| point.exposure);
    let last = story.last().filter(|_| story.n_malicious() > 0)?;
    has_values(&points).then(|| Figure {
        id: "exposure-over-time".into(),
        title: last.exposure.map_or("Exposure".into(), |exposure| format!("At the end {} of what honest models hold comes from malicious nodes", percent(exposure))),
        caption: "Exposure: how much of the evaluated honest models malicious nodes put in, |M| / (|M| + |H|) where a model is θ = H + M. Lower is better.".into(),
        plot: Plot::Lines(over_time(
            &story.clock,
            Axis { range: top(story, |point| [point.exposure]), ..axis("exposure", Unit::Number) },
            vec![series("exposure", Colour::Malicious, Stroke::Solid, points)],
        )),
        notes: Vec::new(),
    })
}

fn pull(story: &Story) -> Option<Figure> {
    let points = story.over_time(|point| point.pull);
    let last = story.last().filter(|_| story.n_malicious() > 0)?;
    has_values(&points).then(|| Figure {
        id: "pull-over-time".into(),
        title: last.pull.map_or("Pull".into(), findings::pull),
        caption: "Pull: which way the malicious part of honest models works, ⟨M, H⟩ / |H|². Below 0 it works against what honest nodes taught; below −1 it \
                  outweighs that."
            .into(),
        plot: Plot::Lines(over_time(
            &story.clock,
            axis("pull", Unit::Number),
            vec![
                series("pull", Colour::Malicious, Stroke::Solid, points),
                series("none", Colour::Reference, Stroke::Dashed, story.over_time(|_| Some(0.0))),
            ],
        )),
        notes: Vec::new(),
    })
}
