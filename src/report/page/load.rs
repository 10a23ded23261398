//! How the work is spread over nodes: histograms of what each node received and searched.

use super::super::figure::{Bar, Bars, Colour, Figure, Plot, Unit};
use super::axes::axis;
use super::section::{Block, Section};
use super::story::Story;
use super::tables::{not_shown, sampled};
use super::words::{grouped, percent};
use crate::record::Table;

/// A histogram has at most this many bars.
const MOST_BARS: u64 = 20;

pub fn load(story: &Story) -> Section {
    let mut blocks: Vec<Block> = Vec::new();
    match &story.facts.receipts {
        Some(receipts) if receipts.nodes.iter().any(|node| node.n() > 0) => {
            let counts: Vec<u64> = receipts.nodes.iter().map(|node| node.n()).collect();
            let mut figure = histogram("received-per-node", "received models", &counts, Colour::Nth(0));
            figure.notes.extend(sampled(receipts.one_in, Table::Receipts));
            blocks.push(figure.into());
        }
        Some(_) => blocks.push(Block::Remark("No node received a model.".into())),
        None => blocks.push(Block::Remark(not_shown(story.run, Table::Receipts, "what each node received and how it judged it"))),
    }
    match &story.facts.searches {
        Some(counts) => blocks.push(histogram("searches-per-node", "searches", counts, Colour::Nth(3)).into()),
        None => blocks.push(Block::Remark(not_shown(story.run, Table::Searches, "the searches of each node"))),
    }
    Section::new("load", "How the work is spread", blocks)
}

fn histogram(id: &str, what: &str, counts: &[u64], colour: Colour) -> Figure {
    let ((width, bins), mut sorted) = (bins(counts), counts.to_vec());
    sorted.sort_unstable();
    let at = |share: f64| sorted.get(((sorted.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(0);
    let (median, most) = (at(0.5), at(1.0));
    let bars = bins.iter().map(|(label, n)| Bar { label: label.clone(), value: *n as f64, colour }).collect();
    Figure {
        id: id.into(),
        title: format!("Median of {what} per node {}, most {}", grouped(median), grouped(most)),
        caption: format!(
            "How many of the {} nodes had so many {what}, malicious nodes included. The busiest tenth had {} of all.",
            grouped(counts.len() as u64),
            percent(busiest_tenth(&sorted))
        ),
        plot: Plot::Bars(Bars {
            x: if width == 1 { format!("{what} per node") } else { format!("{what} per node, in steps of {}", grouped(width)) },
            y: axis("nodes", Unit::Count),
            bars,
        }),
        notes: Vec::new(),
    }
}

/// The share of the whole that the busiest tenth of the nodes has, at least one node.
fn busiest_tenth(sorted: &[u64]) -> f64 {
    let (n, total) = (sorted.len().div_ceil(10), sorted.iter().sum::<u64>());
    sorted.iter().rev().take(n).sum::<u64>() as f64 / total.max(1) as f64
}

/// The width of bins, 1, 2 or 5 times a power of ten, and the lower end of each bin with the number of nodes in it.
fn bins(counts: &[u64]) -> (u64, Vec<(String, u64)>) {
    let (Some(low), Some(high)) = (counts.iter().min(), counts.iter().max()) else { return (1, Vec::new()) };
    let width = width((high - low) / MOST_BARS + 1);
    let first = low / width;
    let mut numbers = vec![0; (high / width - first + 1) as usize];
    for count in counts {
        numbers[(count / width - first) as usize] += 1;
    }
    let label = |nth: usize| grouped((first + nth as u64) * width);
    (width, numbers.into_iter().enumerate().map(|(nth, n)| (label(nth), n)).collect())
}

/// The next of 1, 2, 5, 10, 20, 50, …
fn width(least: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 5] {
            if power.saturating_mul(step) >= least {
                return power.saturating_mul(step);
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_in_one_bin() {
        let labels = |counts: &[u64]| bins(counts).1.into_iter().map(|(label, n)| format!("{label}:{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(&[3, 3, 5]), "3:2 4:0 5:1");
        assert_eq!(labels(&[7]), "7:1");
        assert_eq!(labels(&[]), "");
        assert_eq!(
            labels(&[95, 99, 100, 124]),
            "94:1 96:0 98:1 100:1 102:0 104:0 106:0 108:0 110:0 112:0 114:0 116:0 118:0 120:0 122:0 124:1"
        );
        let many: Vec<u64> = (0..100_000).map(|nth| nth * 7 % 12_345).collect();
        let (_, bins) = bins(&many);
        assert!(bins.len() as u64 <= MOST_BARS + 2 && bins.iter().map(|(_, n)| n).sum::<u64>() == 100_000, "{}", bins.len());
    }

    #[test]
    fn widths_are_round() {
        assert_eq!([1, 2, 3, 6, 11, 49, 51, 101].map(width), [1, 2, 5, 10, 20, 50, 100, 200]);
        assert_eq!(width(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_busiest_tenth_is_at_least_one_node() {
        assert_eq!((busiest_tenth(&[1, 1, 2]), busiest_tenth(&[]), busiest_tenth(&[0, 0])), (0.5, 0.0, 0.0));
    }
}
