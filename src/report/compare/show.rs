//! A comparison as text.

use super::Comparison;
use super::contrast::{Contrast, Side};
use super::experiment::once;
use super::sentence::{digits, per_cent, plus_minus};
use super::settings;
use crate::error::clip;
use std::fmt;

/// Columns before the lines of a metric.
const INDENT: usize = 18;
/// How many characters of a value are shown; most values are whole then.
const LONG: usize = 200;
/// How many seeds stand in one line.
const SEEDS_PER_LINE: usize = 10;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = once(self.contrasts.iter().map(block));
        for other in once(self.contrasts.iter().map(|contrast| &contrast.other.label)) {
            let first = self.contrasts.iter().find(|contrast| contrast.other.label == *other);
            first.map_or(Ok(()), |contrast| writeln!(f, "{}", difference(&contrast.baseline, &contrast.other)))?;
        }
        writeln!(f, "everything else is equal: {}", self.equal)?;
        writeln!(f, "figures are taken {}; intervals hold the true difference {} of the time", self.at, per_cent(self.level))?;
        for title in blocks {
            writeln!(f, "\n{title}")?;
            for contrast in self.contrasts.iter().filter(|contrast| block(contrast) == title) {
                lines(contrast).iter().try_for_each(|line| writeln!(f, "{line}"))?;
            }
        }
        let below: Vec<&String> = self.remarks.iter().chain(&self.cautions).collect();
        if !below.is_empty() {
            writeln!(f)?;
        }
        below.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// The heading over the metrics of one comparison.
fn block(contrast: &Contrast) -> String {
    let sides = format!("{} → {}", contrast.baseline.label, contrast.other.label);
    if contrast.setting.is_empty() { sides } else { format!("{sides}, {}", settings::show(&contrast.setting)) }
}

/// What differs between two sides, as their scenarios write it.
fn difference(baseline: &Side, other: &Side) -> String {
    let is_other = |((_, one), (_, two)): &(&(String, String), &(String, String))| one != two;
    let differing = baseline.values.iter().zip(&other.values).filter(is_other);
    let lines = differing.map(|((name, one), (_, two))| format!("{name}: {} → {}", clip(one, LONG), clip(two, LONG)));
    lines.collect::<Vec<_>>().join("; ")
}

fn lines(contrast: &Contrast) -> Vec<String> {
    let mut lines = vec![format!("  {:<w$}{}", contrast.metric.to_string(), contrast.sentence, w = INDENT - 2)];
    let more = [Some(means(contrast)), interval(contrast), unpaired(contrast)].into_iter().flatten();
    lines.extend(more.chain(seeds(contrast)).map(|line| format!("{:INDENT$}{line}", "")));
    lines
}

fn means(contrast: &Contrast) -> String {
    let metric = contrast.metric;
    let mean = |side: &Side| side.mean.map_or("no mean".into(), |mean| metric.show(mean));
    let better = contrast.improvement.map(|share| format!("   better in {:.0} % of pairs", share * 100.0));
    format!("{}: {} → {}{}", contrast.words, mean(&contrast.baseline), mean(&contrast.other), better.unwrap_or_default())
}

fn interval(contrast: &Contrast) -> Option<String> {
    let (metric, interval) = (contrast.metric, contrast.paired?);
    let shown = |value: f64| digits(metric, value, interval.half_width());
    let p = |p: f64| if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") };
    let test = contrast.p.zip(contrast.p_holm).map(|(one, holm)| format!("   p {}, by Holm {}", p(one), p(holm)));
    let (mean, low, high) = (shown(interval.mean), shown(interval.low), shown(interval.high));
    Some(format!("difference {mean}, interval {low} to {high}{}", test.unwrap_or_default()))
}

/// The interval that the same runs would give without their pairs.
fn unpaired(contrast: &Contrast) -> Option<String> {
    let interval = contrast.unpaired.filter(|interval| interval.standard_error > 0.0)?;
    let wider = contrast.times_wider.map(|times| format!(", {times:.1} times as wide"));
    Some(format!("unpaired {}{}", plus_minus(contrast.metric, interval.mean, interval.half_width()), wider.unwrap_or_default()))
}

/// The difference of every pair.
fn seeds(contrast: &Contrast) -> Vec<String> {
    let precision = contrast.paired.map_or(1.0, |interval| interval.half_width());
    let shown = contrast.pairs.iter().map(|pair| match pair.baseline.zip(pair.other) {
        Some((one, two)) => format!("{}: {}", pair.seed, digits(contrast.metric, two - one, precision)),
        None => format!("{}: {} → {}", pair.seed, one_figure(contrast, pair.baseline), one_figure(contrast, pair.other)),
    });
    let shown: Vec<String> = shown.collect();
    let title = |nth: usize| if nth == 0 { "by seed " } else { "        " };
    shown.chunks(SEEDS_PER_LINE).enumerate().map(|(nth, some)| format!("{}{}", title(nth), some.join("  "))).collect()
}

fn one_figure(contrast: &Contrast, figure: Option<f64>) -> String {
    figure.map_or("–".into(), |figure| contrast.metric.show(figure))
}

#[cfg(test)]
mod tests {
    use super::super::contrast::tests::{contrast, whole};
    use super::*;
    use crate::report::{Metric, Moment};

    #[test]
    fn a_comparison_is_printed_with_everything_that_it_rests_on() {
        let mut one = whole(Metric::Ndcg, &[(0.5, 0.4), (0.52, 0.41), (0.48, 0.39)]);
        (one.p_holm, one.baseline.values) = (one.p, vec![("defense".into(), "Guard(kappa: 4.0)".into())]);
        one.other.values = vec![("defense".into(), "Undefended".into())];
        one.setting = vec![("attack".into(), "Flip".into())];
        let mut two = contrast(Metric::TimeTo(0.5), &[(Some(60.0), None), (Some(120.0), Some(60.0))]);
        two.setting = one.setting.clone();
        let comparison = Comparison {
            by: vec!["defense".into()],
            level: 0.95,
            at: Moment::End,
            equal: "100 nodes".into(),
            contrasts: vec![one, two],
            remarks: vec!["a remark".into()],
            cautions: vec!["Data: synthetic.".into()],
        };
        let expect = "\
defense: Guard(kappa: 4.0) → Undefended
everything else is equal: 100 nodes
figures are taken at the last evaluation; intervals hold the true difference 95 % of the time

A → B, attack: Flip
  ndcg            B ranks worse than A by 0.100 ± 0.025 (3 paired seeds)
                  mean nDCG of honest nodes: 0.500 → 0.400   better in 0 % of pairs
                  difference -0.100, interval -0.125 to -0.075   p 0.003, by Holm 0.003
                  unpaired -0.100 ± 0.042, 1.7 times as wide
                  by seed 1: -0.100  2: -0.110  3: -0.090
  time-to:0.5     B never reaches an nDCG of 0.5 in 1 of 2 runs, A in 0 of 2 runs, so there is no mean; it is earlier in 50 % of pairs (never is last)
                  virtual time until the mean nDCG of honest nodes reaches 0.5: 90s → no mean   better in 50 % of pairs
                  by seed 1: 1min → –  2: -1min

a remark
Data: synthetic.
";
        assert_eq!(comparison.to_string(), expect);
    }
}
