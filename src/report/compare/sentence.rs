//! The outcome of a comparison in one sentence, and its figures with as many digits as they need.

use super::super::metric::Metric;
use super::super::statistics::MOST_SEEDS;
use super::contrast::{Contrast, FEWEST_PAIRS};
use crate::units::{count, counted};

/// What was found, with what certainty, and what would make it more certain.
pub fn sentence(contrast: &Contrast, level: f64) -> String {
    let n = contrast.pairs.len();
    match (contrast.difference, contrast.paired) {
        (None, _) => missing(contrast),
        (Some(difference), None) => too_few(contrast, difference),
        (Some(0.0), Some(interval)) if interval.standard_error == 0.0 => {
            format!("{} and {} are equal in every seed ({})", contrast.other.label, contrast.baseline.label, seeds(n))
        }
        (Some(difference), Some(interval)) if interval.standard_error == 0.0 => {
            format!("{} by exactly {} in every seed ({})", moved(contrast, difference), contrast.metric.show(difference.abs()), seeds(n))
        }
        (Some(difference), Some(interval)) if interval.excludes_zero() => {
            let by = plus_minus(contrast.metric, difference.abs(), interval.half_width());
            format!("{} by {by} ({})", moved(contrast, difference), seeds(n))
        }
        (Some(_), Some(interval)) => {
            let farthest = digits(contrast.metric, interval.farthest(), interval.half_width());
            format!("no difference larger than {farthest} was seen ({}); {}", seeds(n), more_seeds(contrast, level))
        }
    }
}

fn seeds(n: usize) -> String {
    counted(n as u64, "paired seed")
}

fn more_seeds(contrast: &Contrast, level: f64) -> String {
    let sure = if level == 0.95 { String::new() } else { format!(" at {}", per_cent(level)) };
    match contrast.seeds_needed {
        Some(n) => format!("about {} would separate them{sure} if the difference is what it seems", counted(n, "seed")),
        None => format!("more than {} seeds would be needed to separate them{sure} if the difference is what it seems", count(MOST_SEEDS)),
    }
}

fn too_few(contrast: &Contrast, difference: f64) -> String {
    let (n, Contrast { baseline, other, metric, .. }) = (contrast.pairs.len(), contrast);
    let (pairs, are) = if n == 1 { ("pair", "is") } else { ("pairs", "are") };
    let seen = format!("{} and {} differ by {}", other.label, baseline.label, metric.show(difference));
    format!(
        "{seen}, but {n} {pairs} of runs {are} too few for an interval; run both with at least {FEWEST_PAIRS} seeds, better 10 (--seed N, or seeds of a sweep)"
    )
}

fn missing(contrast: &Contrast) -> String {
    let (n, Contrast { baseline, other, metric, .. }) = (contrast.pairs.len(), contrast);
    let of = |n_missing: usize| format!("{n_missing} of {}", counted(n as u64, "run"));
    let (ours, theirs) = (of(baseline.n_missing), of(other.n_missing));
    match (metric, contrast.improvement) {
        (Metric::TimeTo(level), Some(share)) => format!(
            "{} never reaches an nDCG of {level} in {theirs}, {} in {ours}, so there is no mean; it is earlier in {} of pairs (never is last)",
            other.label,
            baseline.label,
            per_cent(share)
        ),
        _ => format!("{} has no {} in {theirs}, {} in {ours}, so there is no mean", other.label, contrast.words, baseline.label),
    }
}

/// The subject and the verb: `B ranks worse than A`.
fn moved(contrast: &Contrast, difference: f64) -> String {
    let (other, baseline) = (&contrast.other.label, &contrast.baseline.label);
    format!("{other} {} than {baseline}", verb(contrast.metric, difference > 0.0))
}

fn verb(metric: Metric, is_more: bool) -> String {
    let pick = |more: &str, less: &str| String::from(if is_more { more } else { less });
    match metric {
        Metric::Ndcg => pick("ranks better", "ranks worse"),
        Metric::Worst5 => pick("ranks better at its worst nodes", "ranks worse at its worst nodes"),
        Metric::Online => pick("shows its users better lists", "shows its users worse lists"),
        Metric::Exposure => pick("is more exposed to malicious content", "is less exposed to malicious content"),
        Metric::Pull => pick("has a larger pull of malicious content", "has a smaller pull of malicious content"),
        Metric::Auc => pick("tells honest from malicious senders better", "tells honest from malicious senders worse"),
        Metric::AlphaHonest => pick("gives honest senders more weight", "gives honest senders less weight"),
        Metric::AlphaMalicious => pick("gives malicious senders more weight", "gives malicious senders less weight"),
        Metric::Delivered => pick("delivers a larger share of messages", "delivers a smaller share of messages"),
        Metric::Present => pick("has more nodes online", "has fewer nodes online"),
        Metric::Bytes => pick("sends more", "sends less"),
        Metric::TimeTo(level) => format!("reaches an nDCG of {level} {}", pick("later", "earlier")),
    }
}

/// The most digits after the point; smaller numbers have an exponent.
const MOST_DECIMALS: usize = 6;

/// `0.480 ± 0.009`.
pub fn plus_minus(metric: Metric, value: f64, half_width: f64) -> String {
    format!("{} ± {}", digits(metric, value, half_width), digits(metric, half_width, half_width))
}

/// A figure with three digits after the point, or as many as show two digits of `precision`.
pub fn digits(metric: Metric, value: f64, precision: f64) -> String {
    // The precision in units of the last digit that is shown.
    let (mut decimals, mut last) = (3, precision.abs() * 1e3);
    if last > 0.0 && last < 0.995 {
        while last < 9.95 && decimals < MOST_DECIMALS {
            (decimals, last) = (decimals + 1, last * 10.0);
        }
    }
    match metric {
        Metric::Bytes | Metric::TimeTo(_) => metric.show(value),
        // A difference that is no zero is not shown as one.
        _ if value != 0.0 && decimals == MOST_DECIMALS && value.abs() < 1e-6 => format!("{value:.0e}"),
        _ => format!("{value:.decimals$}"),
    }
}

/// A share in per cent, with digits after the point only where there are any: `95 %`, `99.9 %`.
pub fn per_cent(share: f64) -> String {
    format!("{} %", (share * 1e3).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::super::contrast::tests::{contrast, whole};
    use super::*;

    #[track_caller]
    fn check(metric: Metric, figures: &[(f64, f64)], expect: &str) {
        assert_eq!(whole(metric, figures).sentence, expect);
    }

    #[test]
    fn a_difference_is_told_with_its_interval() {
        // Differences −0.10, −0.11, −0.09: deviation 0.01, and t₂ = 4.303 gives 0.025.
        let ten = [(0.5, 0.4), (0.5, 0.39), (0.5, 0.41)];
        check(Metric::Ndcg, &ten, "B ranks worse than A by 0.100 ± 0.025 (3 paired seeds)");
        check(Metric::Exposure, &ten, "B is less exposed to malicious content than A by 0.100 ± 0.025 (3 paired seeds)");
        let times = [(3600.0, 7200.0), (3600.0, 7260.0), (3600.0, 7140.0)];
        check(Metric::TimeTo(0.5), &times, "B reaches an nDCG of 0.5 later than A by 1h ± 149s (3 paired seeds)");
    }

    #[test]
    fn no_difference_is_told_with_its_bound() {
        check(
            Metric::Ndcg,
            &[(0.5, 0.51), (0.5, 0.49), (0.5, 0.503)],
            "no difference larger than 0.026 was seen (3 paired seeds); about 399 seeds would separate them if the difference is what it seems",
        );
        check(
            Metric::Ndcg,
            &[(0.5, 0.6), (0.5, 0.4), (0.5, 0.5)],
            "no difference larger than 0.248 was seen (3 paired seeds); more than 10,000 seeds would be needed to separate them if the difference is what it seems",
        );
    }

    #[test]
    fn special_cases_are_said_as_they_are() {
        check(Metric::Ndcg, &[(0.5, 0.5), (0.2, 0.2), (0.3, 0.3)], "B and A are equal in every seed (3 paired seeds)");
        check(
            Metric::Bytes,
            &[(1e3, 3e3), (2e3, 4e3), (3e3, 5e3)],
            "B sends more than A by exactly 2.00 kB in every seed (3 paired seeds)",
        );
        check(
            Metric::Ndcg,
            &[(0.5, 0.25)],
            "B and A differ by -0.250, but 1 pair of runs is too few for an interval; run both with at least 3 seeds, better 10 (--seed N, or seeds of a sweep)",
        );
        assert_eq!(
            contrast(Metric::TimeTo(0.5), &[(Some(1.0), None), (Some(1.0), Some(0.5))]).sentence,
            "B never reaches an nDCG of 0.5 in 1 of 2 runs, A in 0 of 2 runs, so there is no mean; it is earlier in 50 % of pairs (never is last)"
        );
        assert_eq!(
            contrast(Metric::Auc, &[(Some(1.0), None)]).sentence,
            "B has no AUC of α for honest against malicious senders in 1 of 1 run, A in 0 of 1 run, so there is no mean"
        );
    }

    #[test]
    fn small_intervals_have_more_digits() {
        for (value, half, expect) in [
            (0.48, 0.009, "0.480 ± 0.009"),
            (0.48, 0.001, "0.480 ± 0.001"),
            (0.48, 0.0004, "0.48000 ± 0.00040"),
            (0.48, 0.000_04, "0.480000 ± 0.000040"),
            (0.48, 0.0, "0.480 ± 0.000"),
            (0.5, 1.4e-13, "0.500000 ± 1e-13"),
            (-2e-13, 1.4e-13, "-2e-13 ± 1e-13"),
        ] {
            assert_eq!(plus_minus(Metric::Ndcg, value, half), expect);
        }
        assert_eq!((per_cent(0.95), per_cent(0.999), per_cent(1.0 / 3.0)), ("95 %".into(), "99.9 %".into(), "33.3 %".into()));
    }
}
