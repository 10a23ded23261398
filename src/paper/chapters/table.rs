//! Tables of nDCG by users, attack and defence: a column for each reading, the paper's figure, and the differences.

use super::super::claims::signed;
use super::super::document::{Part, Table};
use super::super::found::{OnData, mean, ndcg};
use super::super::published::{closest, robustness as published};
use super::{curves, named};
use crate::math;
use crate::report::{Published, USERS};

/// Our figures next to the paper's, on every data set.
pub fn robustness(all: &[OnData], experiment: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for data in all.iter().filter(|data| !data.sweeps_of(experiment).is_empty()) {
        let set = closest(data.set());
        let Some(paper) = published(set) else { continue };
        parts.push(Part::Heading(named(data)));
        parts.push(Part::text(introduction(data, experiment, set)));
        parts.extend(agreement(data, experiment, &paper, set).map(Part::Text));
        for users in USERS {
            let table = table(data, experiment, users, Some((&paper, set)));
            if !table.rows.is_empty() {
                parts.push(Part::text(format!("**{}, {users} users**", named(data))));
                parts.push(Part::Table(table));
            }
        }
        if data.unit == "seed" {
            parts.extend(curves::convergence(data, experiment));
        }
    }
    parts
}

/// Rules that the paper does not have.
pub fn further(all: &[OnData]) -> Vec<Part> {
    let mut parts = Vec::new();
    for data in all.iter().filter(|data| !data.sweeps_of("further-rules").is_empty()) {
        parts.push(Part::text(format!("**{}, perfect users**. {}", named(data), cells(data, "further-rules"))));
        parts.push(Part::Table(table(data, "further-rules", "perfect", None)));
    }
    parts
}

fn introduction(data: &OnData, experiment: &str, set: &str) -> String {
    let other = if data.set() == set && data.caution.is_none() {
        String::new()
    } else {
        format!(
            " The paper's figures are those of {set}, another set: levels differ, so compare patterns, not numbers. The deviations that the paper prints look like those across nodes."
        )
    };
    format!("{}{other}", cells(data, experiment))
}

/// What a cell holds.
fn cells(data: &OnData, experiment: &str) -> String {
    let units: std::collections::BTreeSet<&str> =
        data.outcomes.iter().filter(|run| run.experiment == experiment).map(|run| run.unit.as_str()).collect();
    let sweep = data.sweeps_of(experiment).first().map_or(String::new(), |sweep| sweep.to_string());
    let random = mean(&data.values(experiment, &sweep, &[], |run| Some(run.end.random))).unwrap_or(f64::NAN);
    let (n, unit) = (units.len(), data.unit);
    let over = match (n, unit) {
        (1, "seed") => "one seed, with the standard deviation across nodes in brackets, so that differences may be chance".to_string(),
        _ => format!("means over {n} {unit}s, with the standard deviation over {unit}s in brackets"),
    };
    format!("nDCG@10 of honest nodes over the last 3 % of each run: {over}. A random ranking has {random:.3}.")
}

/// The rows of one kind of users.
fn table(data: &OnData, experiment: &str, users: &str, paper: Option<(&Published, &str)>) -> Table {
    let sweeps = data.sweeps_of(experiment);
    let mut head: Vec<String> = ["attack", "rule"].map(String::from).to_vec();
    head.extend(sweeps.iter().map(|sweep| sweep.to_string()));
    if let Some((_, set)) = paper {
        head.push(format!("paper, {set}"));
        head.extend(sweeps.iter().map(|sweep| format!("{sweep} − paper")));
    }
    let mut defenses: Vec<String> = Vec::new();
    for sweep in &sweeps {
        defenses
            .extend(data.labels(experiment, sweep, "defense").into_iter().filter(|label| !defenses.contains(label)).collect::<Vec<_>>());
    }
    let mut rows = Vec::new();
    for (nth, attack) in ["FLIP", "LIE", "IPM"].into_iter().enumerate() {
        for defense in &defenses {
            let is_reference = matches!(defense.as_str(), "Oracle" | "Local");
            if is_reference && nth > 0 {
                continue;
            }
            let found: Vec<Option<(f64, f64)>> = sweeps.iter().map(|sweep| cell(data, experiment, sweep, users, attack, defense)).collect();
            if found.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec![if is_reference { "any".into() } else { attack.to_string() }, defense.clone()];
            row.extend(found.iter().map(|cell| cell.map_or("–".into(), |(mean, sd)| bracketed(mean, sd))));
            if let Some((paper, _)) = paper {
                let theirs = paper.figure(users, attack, defense);
                row.push(theirs.map_or("–".into(), |(mean, sd)| bracketed(mean, sd)));
                row.extend(found.iter().map(|cell| cell.zip(theirs).map_or("–".into(), |(ours, theirs)| signed(ours.0 - theirs.0))));
            }
            rows.push(row);
        }
    }
    Table { head, rows, n_words: 2 }
}

/// Mean and spread: over seeds or folds, or across nodes for one run.
fn cell(data: &OnData, experiment: &str, sweep: &str, users: &str, attack: &str, defense: &str) -> Option<(f64, f64)> {
    let wanted = [("users", users), ("defense", defense), ("attack", attack)];
    let wanted = if matches!(defense, "Oracle" | "Local") { &wanted[..2] } else { &wanted[..] };
    let values = data.values(experiment, sweep, wanted, ndcg);
    let all: Vec<f64> = values.values().copied().collect();
    let sd = match all.len() {
        1 => mean(&data.values(experiment, sweep, wanted, |run| Some(run.end.node_sd)))?,
        _ => math::mean_sd(&all).1,
    };
    Some((mean(&values)?, sd))
}

/// 0.719(2): a mean, and a deviation in units of its last digit.
fn bracketed(mean: f64, sd: f64) -> String {
    format!("{mean:.3}({:.0})", sd * 1e3)
}

/// How well the order of all cells agrees with the paper's, for each reading: a figure that does not depend on levels.
fn agreement(data: &OnData, experiment: &str, paper: &Published, set: &str) -> Option<String> {
    let mut texts = Vec::new();
    for sweep in data.sweeps_of(experiment) {
        let mut pairs = Vec::new();
        for users in USERS {
            for attack in ["FLIP", "LIE", "IPM"] {
                let rules = ["Oracle", "Local"].iter().filter(|_| attack == "FLIP").chain(&super::super::claims::RULES);
                pairs.extend(rules.filter_map(|rule| {
                    Some((cell(data, experiment, sweep, users, attack, rule)?.0, paper.figure(users, attack, rule)?.0))
                }));
            }
        }
        texts.extend(spearman(&pairs).map(|rank| format!("{sweep} {rank:.2} ({} cells)", pairs.len())));
    }
    let texts = texts.join(", ");
    (!texts.is_empty()).then(|| {
        format!("Rank correlation (Spearman) of our cells with the paper's for {set}, by reading: {texts}; 1 would be the same order.")
    })
}

/// Spearman's rank correlation; equal values share their mean rank. `None` for fewer than three pairs or if one side is constant.
fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |values: Vec<f64>| -> Vec<f64> {
        let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
        let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
        values.iter().map(|&value| below(value) + 0.5 * (equal(value) + 1.0)).collect()
    };
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (first, second) = (ranks(first), ranks(second));
    let ((mean_1, sd_1), (mean_2, sd_2)) = (math::mean_sd(&first), math::mean_sd(&second));
    let products: f64 = first.iter().zip(&second).map(|(a, b)| (a - mean_1) * (b - mean_2)).sum();
    (pairs.len() > 2 && sd_1 > 0.0 && sd_2 > 0.0).then(|| products / ((pairs.len() - 1) as f64 * sd_1 * sd_2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_correlation_by_hand() {
        let near = |found: Option<f64>, expect: f64| assert!(found.is_some_and(|found| (found - expect).abs() < 1e-12), "{found:?}");
        near(spearman(&[(1.0, 10.0), (2.0, 20.0), (3.0, 99.0)]), 1.0);
        near(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        // Ranks 1 2 3 4 against 2 1 4 3: 1 − 6 · 4 / (4 · 15) = 0.6.
        near(spearman(&[(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0)]), 0.6);
        // Ties share 1.5: ranks 1.5 1.5 3 against 1 2 3 have the correlation √3 / 2.
        near(spearman(&[(1.0, 1.0), (1.0, 2.0), (3.0, 3.0)]), 0.75f64.sqrt());
        assert_eq!((spearman(&[(1.0, 1.0), (2.0, 2.0)]), spearman(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)])), (None, None));
    }
}
