//! The performance profile: the share of nodes with at least a given nDCG, at three moments.

use super::super::figure::{Axis, Colour, Figure, Lines, Mark, Plot, Series, Stroke, Unit};
use super::axes::{axis, range, series};
use super::spread::Nodes;
use super::story::Story;
use super::tables::sampled;
use super::words::{n_of, three, time};
use crate::record::Table;

/// Steps of the horizontal axis.
const STEPS: u32 = 60;

/// The figure; `None` if single nodes were not recorded, or fewer than two.
pub fn profile(story: &Story) -> Option<Figure> {
    let spread = story.spread.as_ref()?;
    let moments = three_moments(&spread.moments);
    let last = moments.last().filter(|last| last.n > 1)?;
    let ndcg = story.ndcg();
    Some(Figure {
        id: "performance-profile".into(),
        title: format!("Half of the honest nodes end with {ndcg} of at least {}", three(last.quantile(0.5)?)),
        caption: format!(
            "Performance profile: the share of honest nodes whose {ndcg} is at least x ({} at the end). A line further to the right is better, a steeper one means \
             that nodes are more alike.",
            n_of(last.n as u64)
        ),
        plot: Plot::Lines(lines(story, &moments)?),
        notes: sampled(spread.one_in, Table::Evaluations).into_iter().collect(),
    })
}

fn lines(story: &Story, moments: &[&Nodes]) -> Option<Lines> {
    let random = story.last().map(|point| point.ndcg_random);
    let ends = moments.iter().flat_map(|nodes| [nodes.quantile(0.0), nodes.quantile(1.0)]).flatten();
    let (low, high) = range(ends.chain(random), 0.02)?;
    let grid: Vec<f64> = (0..=STEPS).map(|nth| low + (high - low) * f64::from(nth) / f64::from(STEPS)).collect();
    let strokes = [Stroke::Solid, Stroke::Dotted, Stroke::Thin];
    Some(Lines {
        x: axis(story.ndcg(), Unit::Number),
        second: None,
        y: Axis { range: Some((0.0, 1.0)), ..axis("share of honest nodes", Unit::Share) },
        series: moments.iter().rev().zip(strokes).map(|(nodes, stroke)| line(nodes, stroke, &grid)).collect(),
        is_stacked: false,
        marks: random.map(|at| Mark { at, label: "random".into() }).into_iter().collect(),
    })
}

fn line(nodes: &Nodes, stroke: Stroke, grid: &[f64]) -> Series {
    let when = if nodes.at_ns == 0 { "at the start".into() } else { format!("after {}", time(nodes.at_ns as f64)) };
    series(when, Colour::Honest, stroke, grid.iter().map(|ndcg| (*ndcg, Some(nodes.share_from(*ndcg)))).collect())
}

/// Early, half-way, and at the end.
fn three_moments(all: &[Nodes]) -> Vec<&Nodes> {
    let Some(last) = all.len().checked_sub(1) else { return Vec::new() };
    let mut places = vec![last / 10, last / 2, last];
    places.dedup();
    places.into_iter().map(|place| &all[place]).collect()
}
