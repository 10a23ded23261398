//! Intervals of differences between two sides, paired and unpaired.

use super::student::{quantile, two_sided};
use crate::math::mean_sd;
use serde::Serialize;

/// The mean of differences with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean difference, the second side minus the first.
    pub mean: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
    /// Degrees of freedom, which may be a fraction for unpaired sides.
    pub df: f64,
    /// The mean in units of its standard error; `None` if that is 0.
    pub t: Option<f64>,
    /// The probability of a mean at least as far from 0 if there is no difference; `None` if the standard error is 0.
    pub p: Option<f64>,
}

/// More seeds than this are not counted.
pub const MOST_SEEDS: u64 = 10_000;

impl Interval {
    fn of(mean: f64, standard_error: f64, df: f64, level: f64) -> Self {
        let half = quantile(0.5 + 0.5 * level, df) * standard_error;
        let t = (standard_error > 0.0).then(|| mean / standard_error);
        Self { mean, low: mean - half, high: mean + half, standard_error, df, t, p: t.map(|t| two_sided(t, df)) }
    }

    /// Half of its width: the number behind ±.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// Whether 0 lies outside.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The end that is farther from 0: no difference larger than this was seen.
    pub fn farthest(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

/// The interval of the mean difference of pairs (first, second), by Student's t. `None` for fewer than two pairs.
pub fn paired(pairs: &[(f64, f64)], level: f64) -> Option<Interval> {
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
    let n = differences.len() as f64;
    let (mean, sd) = mean_sd(&differences);
    let sd = if is_rounding(pairs) { 0.0 } else { sd };
    (pairs.len() > 1).then(|| Interval::of(mean, sd / n.sqrt(), n - 1.0, level))
}

/// The interval of the mean of values, by Student's t. `None` for fewer than two.
pub fn of_mean(values: &[f64], level: f64) -> Option<Interval> {
    paired(&values.iter().map(|value| (0.0, *value)).collect::<Vec<_>>(), level)
}

/// Whether all differences are equal but for the rounding of the values that they come from.
pub fn is_rounding(pairs: &[(f64, f64)]) -> bool {
    let largest = pairs.iter().flat_map(|(first, second)| [first.abs(), second.abs()]).fold(0.0, f64::max);
    let differences = || pairs.iter().map(|(first, second)| second - first);
    let spread = differences().fold(f64::MIN, f64::max) - differences().fold(f64::MAX, f64::min);
    spread <= 1e-13 * largest
}

/// Welch's interval of the difference of means, as if nothing paired the two sides. `None` if a side has fewer than two values.
pub fn welch(first: &[f64], second: &[f64], level: f64) -> Option<Interval> {
    let part = |values: &[f64]| {
        let (mean, sd) = mean_sd(values);
        (mean, sd * sd / values.len() as f64, values.len() as f64 - 1.0)
    };
    let ((mean_1, v1, df_1), (mean_2, v2, df_2)) = (part(first), part(second));
    let df = if v1 + v2 > 0.0 { (v1 + v2) * (v1 + v2) / (v1 * v1 / df_1 + v2 * v2 / df_2) } else { df_1 + df_2 };
    (df_1 >= 1.0 && df_2 >= 1.0).then(|| Interval::of(mean_2 - mean_1, (v1 + v2).sqrt(), df, level))
}

/// The smallest number of pairs whose interval would exclude 0, if mean and standard deviation of the differences stay as they are.
/// `None` if that is more than [`MOST_SEEDS`] or none would do.
pub fn seeds_needed(mean: f64, sd: f64, level: f64) -> Option<u64> {
    let separates = |n: u64| quantile(0.5 + 0.5 * level, (n - 1) as f64) * sd / (n as f64).sqrt() < mean.abs();
    // The half-width shrinks with every further pair, so the smallest number is found by halving.
    let (mut low, mut high) = (1, MOST_SEEDS);
    if mean == 0.0 || !separates(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if separates(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal_quantile;
    use crate::rng::{Pcg64, Purpose, Seed, uniform};

    #[track_caller]
    fn near(value: f64, expect: f64) {
        assert!((value - expect).abs() <= 1e-12 * expect.abs().max(1.0), "{value} is not {expect}");
    }

    #[test]
    fn a_paired_interval_by_hand() {
        // Differences 1, 2, 3: mean 2, deviation 1, standard error 1/√3, and t₂ of 97.5 % is 4.302652729749462.
        let interval = paired(&[(0.0, 1.0), (5.0, 7.0), (-1.0, 2.0)], 0.95).expect("three pairs");
        near(interval.mean, 2.0);
        near(interval.half_width(), 4.302_652_729_749_462 / 3f64.sqrt());
        near(interval.t.expect("a deviation"), 2.0 * 3f64.sqrt());
        // P(|T₂| > t) = 1 − t / √(2 + t²).
        near(interval.p.expect("a deviation"), 1.0 - (12f64 / 14.0).sqrt());
        assert!(!interval.excludes_zero());
        near(interval.farthest(), 2.0 + 4.302_652_729_749_462 / 3f64.sqrt());
    }

    #[test]
    fn equal_differences_divide_nothing_by_zero() {
        let same = paired(&[(0.5, 0.5), (0.25, 0.25), (0.1, 0.1)], 0.95).expect("three pairs");
        assert_eq!((same.mean, same.low, same.high, same.t, same.p), (0.0, 0.0, 0.0, None, None));
        // 0.3 − 0.1 and 0.5 − 0.3 differ in their last bit only.
        let shifted = paired(&[(0.1, 0.3), (0.3, 0.5), (0.4, 0.6)], 0.95).expect("three pairs");
        assert_eq!((shifted.standard_error, shifted.p, shifted.excludes_zero()), (0.0, None, true));
        assert_eq!((paired(&[(1.0, 2.0)], 0.95), paired(&[], 0.95)), (None, None));
    }

    #[test]
    fn welch_by_hand() {
        // Variances 1 and 4 of three values each: standard error √(5/3), degrees (5/3)² / ((1/9 + 16/9) / 2) = 50/17.
        let interval = welch(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], 0.95).expect("three each");
        near(interval.mean, 2.0);
        near(interval.standard_error, (5f64 / 3.0).sqrt());
        near(interval.df, 50.0 / 17.0);
        assert_eq!(welch(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0], 0.95).map(|interval| (interval.half_width(), interval.p)), Some((0.0, None)));
    }

    #[test]
    fn the_number_of_seeds_is_the_smallest_that_separates() {
        for (mean, sd) in [(0.1, 0.3), (-0.1, 0.3), (1.0, 0.1), (0.01, 0.2)] {
            let n = seeds_needed(mean, sd, 0.95).expect("few enough");
            let half = |n: u64| quantile(0.975, (n - 1) as f64) * sd / (n as f64).sqrt();
            assert!(half(n) < mean.abs() && (n == 2 || half(n - 1) >= mean.abs()), "{mean} {sd}: {n}");
        }
        assert_eq!((seeds_needed(1e-6, 1.0, 0.95), seeds_needed(0.0, 1.0, 0.95)), (None, None));
    }

    fn normal(rng: &mut Pcg64) -> f64 {
        normal_quantile(uniform(rng).clamp(1e-12, 1.0 - 1e-12))
    }

    /// Pairs whose two values share a part of size `common`; the second side is better by 0.1.
    fn pairs(rng: &mut Pcg64, n: usize, common: f64) -> Vec<(f64, f64)> {
        let pair = |_| {
            let shared = common * normal(rng);
            (shared + normal(rng), shared + normal(rng) + 0.1)
        };
        (0..n).map(pair).collect()
    }

    #[test]
    fn paired_intervals_hold_the_truth_as_often_as_they_say() {
        let (mut rng, repetitions) = (Seed(7).rng(Purpose::Noise, 0, 0), 20_000);
        for level in [0.8, 0.95] {
            let holds = |interval: Interval| interval.low <= 0.1 && 0.1 <= interval.high;
            let held = (0..repetitions).filter(|_| paired(&pairs(&mut rng, 5, 3.0), level).is_some_and(holds)).count();
            // Four standard deviations of a binomial count.
            let sd = (f64::from(repetitions) * level * (1.0 - level)).sqrt();
            assert!((held as f64 - f64::from(repetitions) * level).abs() < 4.0 * sd, "{level}: {held} of {repetitions}");
        }
    }

    #[test]
    fn pairing_narrows_the_interval_only_where_pairs_belong_together() {
        let mut rng = Seed(3).rng(Purpose::Noise, 1, 0);
        let together = pairs(&mut rng, 40, 5.0);
        let widths = |pairs: &[(f64, f64)]| {
            let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            (paired(pairs, 0.95).expect("pairs").half_width(), welch(&first, &second, 0.95).expect("values").half_width())
        };
        let (narrow, wide) = widths(&together);
        assert!(wide > 3.0 * narrow, "{narrow} {wide}");
        let shuffled: Vec<(f64, f64)> = (0..40).map(|i| (together[i].0, together[(i + 17) % 40].1)).collect();
        let (paired, unpaired) = widths(&shuffled);
        assert!(unpaired < 1.5 * paired && paired > 2.0 * narrow, "{paired} {unpaired}");
        assert!((unpaired - wide).abs() < 1e-12, "the unpaired interval knows no pairs");
    }
}
