//! The spread of honest models that is to be expected, by the recurrence in the documentation of the folder.

use super::{Distance, Mixing, Stretch, TheoryRun};
use crate::math;

/// The spread after so many sessions, each of which adds `step` and then keeps the share `q`: q^S m + g q (1 − q^S)/(1 − q).
fn after(spread: f64, step: f64, q: f64, n_sessions: f64) -> f64 {
    if q >= 1.0 {
        return spread + step * n_sessions;
    }
    let left = math::pow(q, n_sessions);
    left * spread + step * q * (1.0 - left) / (1.0 - q)
}

/// What one session must have added, if the spread went from `before` to `spread`.
fn step(before: f64, spread: f64, q: f64, n_sessions: f64) -> f64 {
    let unmoved = after(before, 0.0, q, n_sessions);
    ((spread - unmoved) / after(0.0, 1.0, q, n_sessions)).max(0.0)
}

impl Stretch {
    fn n_sessions(&self) -> f64 {
        (self.to - self.from) as f64
    }
}

impl Mixing {
    /// The share of the spread that the merges of one session keep.
    fn of_session(&self) -> Option<f64> {
        self.kept.map(|kept| math::pow(kept.max(0.0), self.merges))
    }
}

/// Fills in the distances to be expected, and those of whole runs.
pub(super) fn complete(mut runs: Vec<TheoryRun>) -> Vec<TheoryRun> {
    let steps: Vec<Vec<Option<f64>>> = runs.iter().filter(|run| run.is_undefended && !run.is_attacked).map(steps).collect();
    for run in &mut runs {
        let steps: Vec<Option<f64>> =
            (0..run.intervals.len()).map(|nth| mean(steps.iter().map(|of| of.get(nth).copied().flatten()))).collect();
        expect(run, &steps, |stretch| &mut stretch.assumed);
        expect(run, &steps, |stretch| &mut stretch.honest);
        let half = &run.intervals[run.intervals.len() / 2..];
        run.whole.assumed.distance = mean(half.iter().map(|part| part.assumed.distance));
        run.whole.honest.distance = mean(half.iter().map(|part| part.honest.distance));
        let measured = |of: fn(&Distance) -> f64| mean(half.iter().map(|part| part.measured.as_ref().map(of)));
        let all = (measured(|d| d.spread), measured(|d| d.norm), measured(|d| d.relative));
        run.whole.measured = match all {
            (Some(spread), Some(norm), Some(relative)) => Some(Distance { spread, norm, relative }),
            _ => None,
        };
    }
    runs
}

/// What a session adds in each interval of a run in which every α is ½ and nobody is malicious.
fn steps(run: &TheoryRun) -> Vec<Option<f64>> {
    let mut before = run.start.map(|start| start.spread);
    let of = |part: &Stretch| {
        let spread = part.measured.map(|measured| measured.spread);
        let earlier = std::mem::replace(&mut before, spread);
        Some(step(earlier?, spread?, part.assumed.of_session()?, part.n_sessions()))
    };
    run.intervals.iter().map(of).collect()
}

/// Fills in one of the columns. What was expected at the end of an interval is where the next one begins.
fn expect(run: &mut TheoryRun, steps: &[Option<f64>], column: fn(&mut Stretch) -> &mut Mixing) {
    let mut spread = run.start.map(|start| start.spread);
    for (part, step) in run.intervals.iter_mut().zip(steps) {
        let (n_sessions, norm) = (part.n_sessions(), part.measured.map(|measured| measured.norm));
        let q = column(part).of_session();
        spread = spread.zip(*step).zip(q).map(|((spread, step), q)| after(spread, step, q, n_sessions));
        column(part).distance = spread.zip(norm).map(|(spread, norm)| spread / norm);
    }
}

/// The mean of values, all of which must be known; `None` also if there are none.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_recurrence_by_hand() {
        // (8 + 2) / 2 = 5, (5 + 2) / 2 = 3.5.
        assert_eq!(after(8.0, 2.0, 0.5, 2.0), 3.5);
        assert_eq!(after(8.0, 2.0, 1.0, 3.0), 14.0);
        assert_eq!(step(8.0, 3.5, 0.5, 2.0), 2.0);
        assert_eq!(mean([Some(1.0), Some(3.0)].into_iter()), Some(2.0));
        assert_eq!(mean([Some(1.0), None].into_iter()), None);
        assert_eq!(mean([].into_iter()), None);
    }

    proptest! {
        #[test]
        fn the_closed_form_is_the_recurrence(spread in 0.0..5.0f64, added in 0.0..5.0f64, q in 0.01..=1.0f64, n_sessions in 1..40u32) {
            let slowly = (0..n_sessions).fold(spread, |spread, _| (spread + added) * q);
            let at_once = after(spread, added, q, f64::from(n_sessions));
            prop_assert!((slowly - at_once).abs() < 1e-9 * slowly.max(1.0), "{slowly} {at_once}");
            let found = step(spread, at_once, q, f64::from(n_sessions));
            prop_assert!((found - added).abs() < 1e-6, "{found} {added}");
        }
    }
}
