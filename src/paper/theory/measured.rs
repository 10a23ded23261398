//! What the tables of a run say: weights between evaluations, and the spread of honest models at evaluations.

use super::{Mixing, Stretch, TheoryRun, Weights};
use crate::adversary::Attack;
use crate::error::{Error, Result};
use crate::node::Defense;
use crate::record::{CurveRow, ModelRow, ReceiptRow, Sampling};
use crate::report::Run;
use serde::Serialize;
use std::collections::BTreeMap;

/// How far honest models are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distance {
    /// The mean squared distance from their mean.
    pub spread: f64,
    /// The squared norm of their mean.
    pub norm: f64,
    /// The consensus distance: the one relative to the other.
    pub relative: f64,
}

impl Distance {
    /// That of some models; `None` if there are none, one is not finite, or their mean is 0.
    pub fn of(models: &[Vec<f32>]) -> Option<Distance> {
        let (n, n_weights) = (models.len() as f64, models.first()?.len());
        let sum = |of: &dyn Fn(&[f32]) -> f64| models.iter().map(|model| of(model)).sum::<f64>();
        let mean: Vec<f64> = (0..n_weights).map(|i| sum(&|model| f64::from(model[i])) / n).collect();
        let square = |x: f64| x * x;
        let squared = |model: &[f32]| model.iter().zip(&mean).map(|(weight, mean)| square(f64::from(*weight) - mean)).sum::<f64>();
        let (spread, norm) = (sum(&squared) / n, mean.iter().map(|weight| weight * weight).sum::<f64>());
        Some(Distance { spread, norm, relative: spread / norm }).filter(|distance| distance.relative.is_finite())
    }
}

/// An evaluation at which models were kept.
struct Moment {
    step: i64,
    sessions: i64,
    delivered: i64,
    distance: Option<Distance>,
}

/// The weights of a run by sender, in one interval.
#[derive(Clone, Copy, Default)]
struct BySender {
    honest: Weights,
    malicious: Weights,
}

/// Everything but the distances that are to be expected.
pub(super) fn read(run: &Run) -> Result<TheoryRun> {
    let moments = moments(run)?;
    let [first, .., last] = &moments[..] else {
        return Err(Error::input(format!(
            "{}: holds models of fewer than two evaluations; record models: Every(evaluations: 1)",
            run.place.display()
        )));
    };
    let (n_nodes, n_honest) = (run.row.n_nodes as u32, (run.row.n_nodes - run.row.n_malicious) as u32);
    let one_in = match run.scenario.record.receipts {
        Sampling::OneIn(n) => n,
        Sampling::All | Sampling::Nothing => 1,
    };
    let weights = weights(run, &moments)?;
    let stretch = |from: &Moment, to: &Moment, weights: BySender| {
        let n_sessions = (to.sessions - from.sessions).max(1) as f64;
        let (all, received) = (weights.honest.and(weights.malicious), (to.delivered - from.delivered) as f64);
        Stretch {
            from: from.sessions,
            to: to.sessions,
            assumed: Mixing::new(n_nodes, all, received / n_sessions),
            honest: Mixing::new(n_honest, weights.honest, weights.honest.n as f64 * f64::from(one_in) / n_sessions),
            malicious: weights.malicious,
            measured: to.distance,
        }
    };
    let total = weights.iter().fold(BySender::default(), |total, part| BySender {
        honest: total.honest.and(part.honest),
        malicious: total.malicious.and(part.malicious),
    });
    Ok(TheoryRun {
        attack: label(run, "attack", &run.scenario.attack.name()),
        defense: label(run, "defense", run.scenario.defense.name()),
        seed: run.seed,
        is_attacked: run.scenario.attack != Attack::NoAttack,
        is_undefended: run.scenario.defense == Defense::Undefended,
        n_nodes,
        n_honest,
        one_in,
        whole: stretch(first, last, total),
        intervals: moments.windows(2).zip(weights).map(|(ends, weights)| stretch(&ends[0], &ends[1], weights)).collect(),
        start: first.distance,
    })
}

/// The label of the run on an axis of its sweep, or a name.
fn label(run: &Run, axis: &str, name: &str) -> String {
    run.labels.iter().find(|(of, _)| of == axis).map_or_else(|| name.to_string(), |(_, label)| label.clone())
}

/// The evaluations at which models were kept, with the spread of honest ones.
fn moments(run: &Run) -> Result<Vec<Moment>> {
    let mut models: BTreeMap<i32, Vec<Vec<f32>>> = BTreeMap::new();
    for row in run.table::<ModelRow>()?.rows()? {
        let ModelRow { evaluation, malicious, theta, .. } = row?;
        let honest = models.entry(evaluation).or_default();
        honest.extend((!malicious).then_some(theta));
    }
    let moment = |row: CurveRow| {
        let CurveRow { step, evaluation, sessions, delivered, .. } = row;
        models.get(&evaluation).map(|models| Moment { step, sessions, delivered, distance: Distance::of(models) })
    };
    Ok(run.curve()?.into_iter().filter_map(moment).collect())
}

/// The weights that honest nodes gave in each interval.
// Models made for their receiver that are just its own are left out, as in the table `curve`: no weight of theirs moves anything.
fn weights(run: &Run, moments: &[Moment]) -> Result<Vec<BySender>> {
    let mut weights = vec![BySender::default(); moments.len() - 1];
    for row in run.table::<ReceiptRow>()?.rows()? {
        let row: ReceiptRow = row?;
        if ["buffered", "pooled"].contains(&row.outcome) {
            let place = run.place.display();
            return Err(Error::input(format!("{place}: its rule pools models; the theorem is about rules that merge one model at a time")));
        }
        let interval = moments.partition_point(|moment| moment.step < row.step);
        if row.receiver_malicious || row.noop || interval == 0 || interval == moments.len() {
            continue;
        }
        let by_sender = &mut weights[interval - 1];
        if row.sender_malicious { &mut by_sender.malicious } else { &mut by_sender.honest }.add(row.alpha);
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_distance_by_hand() {
        // The mean is (2, 0); the distances are 1, 1 and 0.
        let distance = Distance::of(&[vec![1.0, 0.0], vec![3.0, 0.0], vec![2.0, 0.0]]).expect("it is finite");
        assert_eq!((distance.spread, distance.norm, distance.relative), (2.0 / 3.0, 4.0, 2.0 / 3.0 / 4.0));
        assert_eq!(Distance::of(&[vec![1.0], vec![f32::NAN]]), None);
        assert_eq!(Distance::of(&[vec![1.0], vec![-1.0]]), None, "nothing is relative to 0");
        assert_eq!(Distance::of(&[]), None);
    }

    proptest! {
        #[test]
        fn the_spread_is_half_the_mean_squared_distance_of_two(models in prop::collection::vec(prop::collection::vec(1.0..3.0f32, 3), 1..9)) {
            let two = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>();
            let pairs: f64 = models.iter().flat_map(|a| models.iter().map(|b| two(a, b))).sum();
            let distance = Distance::of(&models).expect("it is finite");
            prop_assert!((distance.spread - pairs / 2.0 / (models.len() * models.len()) as f64).abs() < 1e-9);
        }
    }
}
