//! Which nodes are listed, and which are told about one by one: all of a small network, and the telling ones of a large one.

use super::story::Story;
use super::words::{grouped, list};
use std::collections::BTreeSet;

/// Networks of up to this many nodes are listed whole.
const ALL_LISTED: usize = 300;
/// Networks of up to this many nodes are told about whole.
const ALL_TOLD: usize = 100;

/// How many nodes of each sort are taken.
struct Numbers {
    worst: usize,
    best: usize,
    typical: usize,
    exposed: usize,
    malicious: usize,
}

const LISTED: Numbers = Numbers { worst: 60, best: 20, typical: 20, exposed: 20, malicious: 20 };
const TOLD: Numbers = Numbers { worst: 20, best: 5, typical: 5, exposed: 5, malicious: 0 };

/// Nodes in increasing order, and words that say which of them are missing.
pub struct Choice {
    pub nodes: Vec<i32>,
    pub words: Option<String>,
}

/// The nodes of the list.
pub fn listed(story: &Story) -> Choice {
    choose(story, ALL_LISTED, &LISTED, "Of {all} nodes the list has")
}

/// The nodes whose lives are told.
pub fn told(story: &Story) -> Choice {
    choose(story, ALL_TOLD, &TOLD, "Lives are told of")
}

fn choose(story: &Story, all: usize, numbers: &Numbers, opening: &str) -> Choice {
    let nodes: Vec<i32> = story.facts.nodes.iter().map(|row| row.node).collect();
    if nodes.len() <= all {
        return Choice { nodes, words: None };
    }
    let sorts = sorts(story, numbers);
    let there = sorts.iter().filter(|(_, nodes)| !nodes.is_empty());
    let words: Vec<String> = there.map(|(sort, nodes)| format!("{} {sort}", nodes.len())).collect();
    let opening = opening.replace("{all}", &grouped(nodes.len() as u64));
    let chosen: BTreeSet<i32> = sorts.into_iter().flat_map(|(_, nodes)| nodes).collect();
    Choice { nodes: chosen.into_iter().collect(), words: Some(format!("{opening} the {} ones.", list(&words))) }
}

/// Nodes of each sort. Without evaluations there is no telling which are the worst, and the first ones are taken.
fn sorts(story: &Story, numbers: &Numbers) -> [(&'static str, Vec<i32>); 6] {
    let by_ndcg = ranked(story, |node| story.facts.end(node).map(|end| end.ndcg));
    let by_exposure = ranked(story, |node| story.facts.end(node).and_then(|end| end.exposure).filter(|exposure| *exposure > 0.0));
    let of_kind = |malicious: bool| story.facts.nodes.iter().filter(move |row| row.malicious == malicious).map(|row| row.node);
    let highest = |nodes: &[i32], n: usize| nodes[nodes.len().saturating_sub(n)..].to_vec();
    let middle = by_ndcg.len().saturating_sub(numbers.typical) / 2;
    let n_honest = if by_ndcg.is_empty() { numbers.worst } else { 0 };
    [
        ("worst", by_ndcg.iter().take(numbers.worst).copied().collect()),
        ("best", highest(&by_ndcg, numbers.best)),
        ("most typical", by_ndcg.iter().skip(middle).take(numbers.typical).copied().collect()),
        ("most exposed", highest(&by_exposure, numbers.exposed)),
        ("first honest", of_kind(false).take(n_honest).collect()),
        ("first malicious", of_kind(true).take(numbers.malicious).collect()),
    ]
}

/// Nodes that have a value, in increasing order of it.
fn ranked(story: &Story, value: impl Fn(i32) -> Option<f64>) -> Vec<i32> {
    let mut valued: Vec<(f64, i32)> = story.facts.nodes.iter().filter_map(|row| Some((value(row.node)?, row.node))).collect();
    valued.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    valued.into_iter().map(|(_, node)| node).collect()
}
