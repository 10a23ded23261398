//! One comparison of two sides by one metric.

use super::super::metric::{Metric, Moment};
use super::super::setting::Run;
use super::super::statistics::{Interval, improvement, paired, seeds_needed, welch};
use super::Question;
use super::experiment::Experiment;
use super::pairs::Pairing;
use super::sentence::sentence;
use super::sides::Sides;
use crate::error::Result;
use crate::math::mean_sd;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Two sides compared by one metric in one setting. Differences are those of the other side from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The figure that is compared.
    pub metric: Metric,
    /// The figure in words.
    pub words: String,
    /// Whether a larger figure is the better one; `None` if neither is.
    pub larger_is_better: Option<bool>,
    /// What else varies between comparisons, with its values here; empty if nothing does.
    #[serde(serialize_with = "map")]
    pub setting: Vec<(String, String)>,
    /// The side that is compared with.
    pub baseline: Side,
    /// The side that is compared.
    pub other: Side,
    /// The figures of each seed that both sides have.
    pub pairs: Vec<Pair>,
    /// The mean of the differences; `None` if a run has no figure.
    pub difference: Option<f64>,
    /// The interval of the mean difference, by Student's t; `None` for fewer than three pairs or if a run has no figure.
    pub paired: Option<Interval>,
    /// Welch's interval of the same runs as if they were not paired, which shows what pairing gains.
    pub unpaired: Option<Interval>,
    /// How many times as wide the unpaired interval is; `None` without intervals or if the paired one has no width.
    pub times_wider: Option<f64>,
    /// The p-value of the paired t test; `None` without an interval, and if all differences are equal.
    pub p: Option<f64>,
    /// The same, adjusted by Holm's method for all comparisons that are made at once.
    pub p_holm: Option<f64>,
    /// The share of pairs in which the other side is better, ties counting half; `None` if no direction is better. A level that a run never
    /// reaches is worse than any time.
    pub improvement: Option<f64>,
    /// How many seeds would be enough for an interval without 0, if mean and spread of the differences stay; `None` if that is more than
    /// [`MOST_SEEDS`](super::super::statistics::MOST_SEEDS) or cannot be told.
    pub seeds_needed: Option<u64>,
    /// The outcome in one sentence.
    pub sentence: String,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// A short label.
    pub label: String,
    /// Everything in which the sides differ, with the values of this side as its scenario writes them.
    #[serde(serialize_with = "map")]
    pub values: Vec<(String, String)>,
    /// The mean over its runs that are in pairs; `None` if one of them has no figure.
    pub mean: Option<f64>,
    /// The standard deviation over these runs; `None` if one of them has no figure or there is only one.
    pub sd: Option<f64>,
    /// How many of these runs have no figure.
    pub n_missing: usize,
}

/// The figures of one seed; `None` where the run has none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// The seed.
    pub seed: u64,
    /// The figure of the baseline.
    pub baseline: Option<f64>,
    /// The figure of the other side.
    pub other: Option<f64>,
}

/// Fewer pairs than this have no interval: with two, one difference decides about both mean and spread.
pub const FEWEST_PAIRS: usize = 3;

/// Figures that were read already, by metric and run.
type Known = BTreeMap<(String, String), Option<f64>>;

/// All comparisons: setting by setting, side by side, metric by metric.
///
/// # Errors
/// A run did not record what a metric needs, or has no such moment.
pub fn all(pairings: &[Pairing], sides: &Sides, question: &Question) -> Result<Vec<Contrast>> {
    let (mut contrasts, mut known) = (Vec::new(), Known::new());
    for pairing in pairings {
        for metric in &question.metrics {
            let pairs = figures(pairing, *metric, question.at, &mut known)?;
            contrasts.push(Contrast::of(pairing, *metric, pairs, sides, question.level));
        }
    }
    Ok(contrasts)
}

fn figures(pairing: &Pairing, metric: Metric, at: Moment, known: &mut Known) -> Result<Vec<Pair>> {
    let mut figure = |run: &Run| -> Result<Option<f64>> {
        let key = (metric.to_string(), run.run_id.clone());
        if let Some(value) = known.get(&key) {
            return Ok(*value);
        }
        let value = metric.of(run, at)?;
        known.insert(key, value);
        Ok(value)
    };
    let pair = |(seed, one, two): &(u64, &Run, &Run)| Ok(Pair { seed: *seed, baseline: figure(one)?, other: figure(two)? });
    pairing.pairs.iter().map(pair).collect()
}

impl Contrast {
    fn of(pairing: &Pairing, metric: Metric, pairs: Vec<Pair>, sides: &Sides, level: f64) -> Self {
        let (_, one, two) = pairing.pairs[0];
        let side = |side: usize, run: &Run, value: fn(&Pair) -> Option<f64>| {
            Side::of(sides.label(side), sides.values(&Experiment::of(run)), pairs.iter().map(value).collect())
        };
        let baseline = side(sides.baseline, one, |pair| pair.baseline);
        let other = side(pairing.other, two, |pair| pair.other);
        let mut contrast = Self::computed(metric, baseline, other, pairs, level);
        contrast.setting = pairing.setting.clone();
        contrast.sentence = sentence(&contrast, level);
        contrast
    }

    /// Everything that follows from the figures alone.
    pub(super) fn computed(metric: Metric, baseline: Side, other: Side, pairs: Vec<Pair>, level: f64) -> Self {
        let whole: Option<Vec<(f64, f64)>> = pairs.iter().map(|pair| pair.baseline.zip(pair.other)).collect();
        let enough = whole.as_deref().filter(|pairs| pairs.len() >= FEWEST_PAIRS);
        let paired = enough.and_then(|pairs| paired(pairs, level));
        let unpaired = enough.and_then(|pairs| {
            let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            welch(&first, &second, level)
        });
        let difference = |pairs: &Vec<(f64, f64)>| mean_sd(&pairs.iter().map(|(first, second)| second - first).collect::<Vec<_>>()).0;
        Self {
            metric,
            words: metric.words(),
            larger_is_better: metric.larger_is_better(),
            setting: Vec::new(),
            baseline,
            other,
            difference: whole.as_ref().map(difference),
            paired,
            unpaired,
            times_wider: paired
                .zip(unpaired)
                .filter(|(paired, _)| paired.standard_error > 0.0)
                .map(|(p, u)| u.half_width() / p.half_width()),
            p: paired.and_then(|interval| interval.p),
            p_holm: None,
            improvement: metric.larger_is_better().and_then(|larger| improvement(&ordered(metric, &pairs), larger)),
            seeds_needed: paired
                .filter(|interval| interval.standard_error > 0.0)
                .and_then(|interval| seeds_needed(interval.mean, interval.standard_error * (pairs.len() as f64).sqrt(), level)),
            sentence: String::new(),
            pairs,
        }
    }

    /// The difference of every pair that has both figures, with its seed.
    pub fn differences(&self) -> Vec<(u64, f64)> {
        self.pairs.iter().filter_map(|pair| Some((pair.seed, pair.other? - pair.baseline?))).collect()
    }
}

/// Pairs by which it is decided who is better: a level that was never reached is later than any time; other pairs need both figures.
fn ordered(metric: Metric, pairs: &[Pair]) -> Vec<(f64, f64)> {
    let never = matches!(metric, Metric::TimeTo(_)).then_some(f64::INFINITY);
    pairs.iter().filter_map(|pair| pair.baseline.or(never).zip(pair.other.or(never))).collect()
}

impl Side {
    fn of(label: &str, values: Vec<(String, String)>, figures: Vec<Option<f64>>) -> Self {
        let whole: Option<Vec<f64>> = figures.iter().copied().collect();
        let (mean, sd) = whole.as_deref().map(mean_sd).unzip();
        let n_missing = figures.iter().filter(|figure| figure.is_none()).count();
        Self { label: label.into(), values, mean, sd: sd.filter(|_| figures.len() > 1), n_missing }
    }
}

/// Names with their values as one object.
fn map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A comparison of `A` and `B` by these figures.
    pub fn contrast(metric: Metric, figures: &[(Option<f64>, Option<f64>)]) -> Contrast {
        let pairs: Vec<Pair> =
            figures.iter().zip(1..).map(|((baseline, other), seed)| Pair { seed, baseline: *baseline, other: *other }).collect();
        let (one, two) = figures.iter().copied().unzip();
        let mut contrast = Contrast::computed(metric, Side::of("A", Vec::new(), one), Side::of("B", Vec::new(), two), pairs, 0.95);
        contrast.sentence = sentence(&contrast, 0.95);
        contrast
    }

    /// The same if every run has a figure.
    pub fn whole(metric: Metric, figures: &[(f64, f64)]) -> Contrast {
        contrast(metric, &figures.iter().map(|(one, two)| (Some(*one), Some(*two))).collect::<Vec<_>>())
    }

    #[test]
    fn no_mean_is_made_of_missing_figures() {
        let some = contrast(Metric::TimeTo(0.5), &[(Some(10.0), None), (Some(10.0), Some(5.0)), (None, None), (None, Some(7.0))]);
        assert_eq!((some.baseline.mean, some.other.mean, some.difference, some.paired, some.p), (None, None, None, None, None));
        assert_eq!((some.baseline.n_missing, some.other.n_missing), (2, 2));
        // Later, earlier, as late, earlier.
        assert_eq!(some.improvement, Some(0.625));
        // A missing AUC is neither better nor worse.
        assert_eq!(contrast(Metric::Auc, &[(Some(0.5), None), (Some(0.5), Some(0.6))]).improvement, Some(1.0));
    }

    #[test]
    fn few_pairs_have_no_interval_and_equal_pairs_no_test() {
        let two = whole(Metric::Ndcg, &[(0.5, 0.25), (0.5, 0.5)]);
        assert_eq!((two.difference, two.paired, two.unpaired, two.seeds_needed), (Some(-0.125), None, None, None));
        let same = whole(Metric::Ndcg, &[(0.5, 0.5), (0.25, 0.25), (0.75, 0.75)]);
        assert_eq!(
            (same.difference, same.p, same.times_wider, same.improvement, same.seeds_needed),
            (Some(0.0), None, None, Some(0.5), None)
        );
        assert_eq!(same.paired.map(|interval| (interval.low, interval.high)), Some((0.0, 0.0)));
        assert!(same.unpaired.is_some_and(|interval| interval.half_width() > 0.0));
    }

    #[test]
    fn pairs_that_belong_together_have_a_narrow_interval() {
        let moved = whole(Metric::Ndcg, &[(0.1, 0.2), (0.3, 0.41), (0.5, 0.6), (0.8, 0.91)]);
        assert!(moved.times_wider.is_some_and(|times| times > 10.0) && moved.paired.is_some_and(|interval| interval.excludes_zero()));
        assert!(moved.unpaired.is_some_and(|interval| !interval.excludes_zero()));
        assert_eq!(moved.seeds_needed, Some(2));
        assert_eq!(moved.differences().len(), 4);
    }
}
