//! Claims about the neural ranker.

use super::super::found::{OnData, Outcome, Values, difference, interval, mean, ndcg};
use super::answer::{Answer, Finding, shown};
use crate::report::statistics::Interval;
use std::collections::BTreeMap;

const EXPERIMENT: &str = "neural";
/// The part of the rise that counts as converged.
// CHOICE(converged): the paper does not say how it compares speeds.
const CONVERGED: f64 = 0.9;

/// A figure of RankGuard's runs with a ranker, averaged over attacks for each seed.
fn of(data: &OnData, sweep: &str, ranker: &str, figure: fn(&Outcome) -> Option<f64>) -> Values {
    data.values(EXPERIMENT, sweep, &[("ranker", ranker), ("defense", "RankGuard")], figure)
}

/// Searches until a run has made most of its rise from its first evaluation to its end, between two evaluations by interpolation.
pub fn converged(run: &Outcome) -> Option<f64> {
    let first = run.course.first()?;
    let level = first.ndcg + CONVERGED * (run.end.ndcg - first.ndcg);
    let at = run.course.iter().position(|point| point.ndcg >= level).filter(|at| *at > 0)?;
    let (before, after) = (&run.course[at - 1], &run.course[at]);
    Some(before.sessions + (after.sessions - before.sessions) * (level - before.ndcg) / (after.ndcg - before.ndcg))
}

/// How many times as many sessions the neural ranker needs: the ratio for each seed and attack, averaged over attacks.
pub fn slower(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let of = |ranker: &str, attack: &str| {
            data.values(EXPERIMENT, name, &[("ranker", ranker), ("defense", "RankGuard"), ("attack", attack)], converged)
        };
        let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for attack in ["FLIP", "LIE", "IPM"] {
            let neural = of("neural", attack);
            for (unit, linear) in of("linear", attack) {
                ratios.entry(unit.clone()).or_default().extend(neural.get(&unit).map(|neural| neural / linear));
            }
        }
        let whole = ratios.values().filter(|ratios| ratios.len() == 3).map(|ratios| ratios.iter().sum::<f64>() / 3.0);
        let whole: Vec<f64> = whole.collect();
        let ratio = interval(&whole);
        let sessions =
            |ranker| mean(&super::neural::of(data, name, ranker, converged)).map_or("–".into(), |sessions| format!("{sessions:.0}"));
        let evidence = format!("{} against {} sessions, ratio {}", sessions("neural"), sessions("linear"), plain(ratio));
        Finding { reading: name.into(), answer: Answer::between(ratio, 1.5, 3.0), evidence }
    };
    data.sweeps_of(EXPERIMENT).into_iter().map(finding).collect()
}

fn plain(ratio: Option<Interval>) -> String {
    ratio.map_or("from fewer than three seeds".into(), |ratio| {
        format!("{:.2} ± {:.2} (n\u{a0}=\u{a0}{})", ratio.mean, ratio.half_width(), ratio.df.round() as u64 + 1)
    })
}

/// The end of both rankers.
pub fn higher(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let gap = difference(&of(data, name, "linear", ndcg), &of(data, name, "neural", ndcg));
        Finding { reading: name.into(), answer: Answer::above(gap, 0.0), evidence: format!("neural less linear: {}", shown(gap)) }
    };
    data.sweeps_of(EXPERIMENT).into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::found::{Figures, made};
    use super::*;

    #[test]
    fn a_run_has_converged_where_its_curve_crosses_the_level() {
        let point = |(sessions, ndcg)| Figures { sessions, ndcg, ..Figures::default() };
        let course: Vec<Figures> = [(0.0, 0.2), (100.0, 0.5), (200.0, 0.7), (300.0, 0.7)].map(point).to_vec();
        let run = |ndcg: f64| Outcome {
            course: course.clone(),
            ..made::run(EXPERIMENT, "literal", "", 1, Figures { ndcg, ..Figures::default() })
        };
        // 0.2 + 0.9 · 0.5 = 0.65, three quarters of the way from 0.5 to 0.7.
        assert!(converged(&run(0.7)).is_some_and(|at| (at - 175.0).abs() < 1e-9));
        assert_eq!(converged(&run(0.1)), None, "a run that falls does not converge");
    }
}
