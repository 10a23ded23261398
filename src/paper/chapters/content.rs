//! What the models of honest nodes are made of: why a rule holds or fails.

use super::super::claims::RULES;
use super::super::document::{Part, Table};
use super::super::found::{OnData, Outcome, mean, ndcg};
use super::{named, with};
use crate::report::three;

const EXPERIMENT: &str = "robustness";

/// nDCG, exposure and pull of every rule with perfect users.
pub fn content(all: &[OnData]) -> Vec<Part> {
    let mut parts = Vec::new();
    for data in with(all, EXPERIMENT) {
        parts.push(Part::text(format!("**{}, perfect users**. Cells are nDCG · exposure · pull, means over seeds.", named(data))));
        parts.push(Part::Table(table(data)));
    }
    if !parts.is_empty() {
        parts.insert(0, Part::text(EXPLANATION));
    }
    parts
}

const EXPLANATION: &str = "A model is the sum of what was put into it, θ = H + M, where M comes from malicious nodes. Exposure, |M| / (|M| + |H|), tells how much that is, and pull, ⟨M, H⟩ / |H|², \
                           how it lies along H. If M lies along H, a pull between 0 and −1 only shortens the model, which ranks the same; near −1 M cancels H, and below −1 the model is turned round. What \
                           of M lies across H is not in the pull: where exposure is high and pull is small, that part does the harm. Where exposure is near 1, little of H is left, and pull says \
                           little. A dash: weights whose squares are not finite.";

fn table(data: &OnData) -> Table {
    let sweeps = data.sweeps_of(EXPERIMENT);
    let columns: Vec<(&str, &str)> =
        ["FLIP", "LIE", "IPM"].into_iter().flat_map(|attack| sweeps.iter().map(move |sweep| (attack, *sweep))).collect();
    let cell = |rule: &str, (attack, sweep): &(&str, &str)| {
        let of = |figure: fn(&Outcome) -> Option<f64>| {
            let values = data.values(EXPERIMENT, sweep, &[("users", "perfect"), ("attack", attack), ("defense", rule)], figure);
            mean(&values).map_or("–".into(), three)
        };
        format!("{} · {} · {}", of(ndcg), of(|run| run.end.exposure), of(|run| run.end.pull))
    };
    let row = |rule: &&str| [rule.to_string()].into_iter().chain(columns.iter().map(|column| cell(rule, column))).collect();
    let head = ["rule".to_string()].into_iter().chain(columns.iter().map(|(attack, sweep)| format!("{attack}, {sweep}"))).collect();
    Table { head, rows: RULES.iter().map(row).collect(), n_words: 1 }
}
