//! The first lines of a page of several runs.

use super::super::super::compare::Comparison;
use super::super::html::escape;
use super::super::words::{counted, grouped, list, n_of, three};
use super::experiments::{Experiment, Experiments};
use super::forest::sentence;
use super::seeds::interval;
use crate::math;

/// Up to this many comparisons are all told in the headline.
const FEW: usize = 2;
/// Up to this many stand below it.
const SOME: usize = 6;

/// The outcome: the comparisons if there are few, else who is best how often, or the extremes.
pub fn headline(experiments: &Experiments, comparison: &Result<Comparison, String>, ndcg: &str) -> String {
    match (comparison, &experiments.all[..]) {
        (_, [only]) => repeated(only, ndcg),
        (Ok(comparison), _) if !comparison.contrasts.is_empty() && comparison.contrasts.len() <= FEW => {
            comparison.contrasts.iter().map(sentence).collect::<Vec<_>>().join(" ")
        }
        _ => best_how_often(experiments, ndcg).unwrap_or_else(|| extremes(experiments, ndcg)),
    }
}

/// What the comparisons say below a headline that does not tell them: each of a few, or how many come out how.
pub fn findings(comparison: &Result<Comparison, String>) -> Vec<String> {
    match comparison {
        Ok(comparison) if comparison.contrasts.len() > SOME => tally(comparison).into_iter().collect(),
        Ok(comparison) if comparison.contrasts.len() > FEW => comparison.contrasts.iter().map(sentence).collect(),
        _ => Vec::new(),
    }
}

fn tally(comparison: &Comparison) -> Option<String> {
    let baseline = &comparison.contrasts.first()?.baseline.label;
    let sure: Vec<f64> =
        comparison.contrasts.iter().filter_map(|c| c.paired.filter(|interval| interval.excludes_zero())).map(|i| i.mean).collect();
    let (better, worse) = (sure.iter().filter(|mean| **mean > 0.0).count(), sure.iter().filter(|mean| **mean < 0.0).count());
    let n = comparison.contrasts.len();
    Some(format!(
        "Of {} with {baseline}, {} rank better, {} rank worse, and {} leave it open (95\u{202f}% intervals over paired seeds).",
        counted(n as u64, "comparison"),
        grouped(better as u64),
        grouped(worse as u64),
        grouped((n - better - worse) as u64)
    ))
}

/// One experiment with several seeds.
fn repeated(only: &Experiment, ndcg: &str) -> String {
    let ends = only.ends();
    let spread = interval(&ends).map_or(String::new(), |(_, half)| format!(" ± {}", three(half)));
    let defense = only.defense();
    format!(
        "Under {defense} honest nodes end at {ndcg} {}{spread} ({}).",
        three(math::mean_sd(&ends).0),
        counted(ends.len() as u64, "seed")
    )
}

/// The value of the main axis with the highest mean in most settings.
fn best_how_often(experiments: &Experiments, ndcg: &str) -> Option<String> {
    let main = experiments.main_axis()?;
    let winners: Vec<String> = experiments.rest(&[main]).iter().filter_map(|rest| winner(experiments, main, rest)).collect();
    let wins = |value: &&String| winners.iter().filter(|winner| winner == value).count();
    // The first of those that win equally often.
    let best = experiments.axes[main].values.iter().rev().max_by_key(wins).filter(|best| wins(best) > 0)?;
    let settings = counted(winners.len() as u64, "setting");
    let how_often = if winners.len() == 1 { String::new() } else { format!(" in {} of {settings}", grouped(wins(&best) as u64)) };
    let apart = if experiments.all.iter().all(competes) { "" } else { "Apart from Oracle, " };
    let over = if winners.len() == 1 { "" } else { "averaged over settings " };
    Some(format!("{apart}{best} has the highest mean {ndcg}{how_often}; {over}{}.", means(experiments, main)))
}

/// The value of the main axis with the highest mean in a setting where several compete.
fn winner(experiments: &Experiments, main: usize, rest: &[String]) -> Option<String> {
    let here = experiments.all.iter().filter(|experiment| experiment.rest(&[main]) == rest && competes(experiment));
    let valued: Vec<(f64, &Experiment)> = here.filter_map(|experiment| Some((experiment.mean()?, experiment))).collect();
    let best = valued.iter().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| valued.len() > 1)?;
    Some(best.1.values[main].clone())
}

/// The mean of each value of the main axis over all its experiments.
fn means(experiments: &Experiments, main: usize) -> String {
    let mean_of = |value: &String| {
        let ends: Vec<f64> = experiments.all.iter().filter(|e| e.values[main] == *value).filter_map(Experiment::mean).collect();
        (!ends.is_empty()).then(|| (math::mean_sd(&ends).0, value.clone()))
    };
    let mut means: Vec<(f64, String)> = experiments.axes[main].values.iter().filter_map(mean_of).collect();
    means.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown: Vec<String> = means.iter().take(4).map(|(mean, value)| format!("{value} {}", three(*mean))).collect();
    list(&shown)
}

/// Oracle knows who is malicious and wins nothing by it.
fn competes(experiment: &Experiment) -> bool {
    experiment.defense() != "Oracle"
}

fn extremes(experiments: &Experiments, ndcg: &str) -> String {
    let valued: Vec<(f64, &Experiment)> = experiments.all.iter().filter_map(|experiment| Some((experiment.mean()?, experiment))).collect();
    let shown = |found: Option<&(f64, &Experiment)>| {
        found.map_or("–".into(), |(mean, experiment)| {
            format!("{} with {} (n = {})", three(*mean), experiments.label(experiment), experiment.runs.len())
        })
    };
    let highest = valued.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let lowest = valued.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    format!("{ndcg} at the end is highest at {} and lowest at {}.", shown(highest), shown(lowest))
}

/// What the figures rest on.
pub fn honesty(experiments: &Experiments, n_runs: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for caution in experiments.all.iter().flat_map(|e| &e.runs).filter_map(|run| run.scenario.dataset.caution()) {
        let line = format!("Data: {caution}.");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let (fewest, most) = experiments.seeds();
    lines.push(match (fewest, most) {
        (_, 1) => "One seed: differences between runs may be chance.".into(),
        (1, _) => format!("1 to {} per experiment: where there is one seed, differences may be chance.", counted(most as u64, "seed")),
        (a, b) if a == b => format!("{} per experiment.", counted(a as u64, "seed")),
        (a, b) => format!("{} to {} per experiment.", grouped(a as u64), counted(b as u64, "seed")),
    });
    lines.push(format!("{} of {}.", counted(n_runs as u64, "run"), counted(experiments.all.len() as u64, "experiment")));
    lines.join(" ")
}

/// The best and the lowest experiments, and how much there is.
pub fn strip(experiments: &Experiments) -> String {
    let mut valued: Vec<(f64, &Experiment)> = experiments.all.iter().filter_map(|e| Some((e.mean()?, e))).collect();
    valued.sort_by(|a, b| b.0.total_cmp(&a.0));
    let stat = |label: &str, (mean, experiment): &(f64, &Experiment)| {
        let spread = interval(&experiment.ends()).map_or(String::new(), |(_, half)| format!("± {} · ", three(half)));
        let (value, detail) = (three(*mean), format!("{spread}{} · {}", experiments.label(experiment), n_of(experiment.runs.len() as u64)));
        format!(
            "<div class=\"stat\"><span class=\"label\">{label}</span><span class=\"value\">{value}</span><small>{}</small></div>\n",
            escape(&detail)
        )
    };
    let ends = [("Highest nDCG", valued.first()), ("Lowest nDCG", valued.last())];
    let stats: String = ends.iter().filter_map(|(label, found)| found.map(|found| stat(label, found))).collect();
    if valued.len() < 2 { String::new() } else { format!("<div class=\"strip\">\n{stats}</div>\n") }
}
