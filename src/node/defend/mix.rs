//! Records how a merge moved the own model, so that quantities carried beside a model can be moved in the same way.

use crate::ltr::linear;
use std::borrow::Cow;
use std::ops::Range;
use std::slice;

/// The weights that one merge gave to the received model, or to those of a pool, oldest first. The own model keeps the rest, up to 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Mix {
    /// The own model did not move.
    Unmoved,
    /// θ_u + w (θ_v − θ_u). A rule that rescales differences may go beyond the received model, so w may be above 1.
    Toward(f64),
    /// (1 − w) θ_u + w θ′_v, where θ′_v is the received model with each layer multiplied by a number of its own.
    Rescaled {
        /// w.
        weight: f64,
        /// The places of each layer, and its number.
        scales: Vec<(Range<usize>, f64)>,
    },
    /// θ_u + Σ w_j (θ_j − θ_u).
    Pool(Vec<f64>),
    /// The same with separate weights for every coordinate: `[model][coordinate]`.
    PoolByCoordinate(Vec<Vec<f64>>),
}

impl Mix {
    /// Moves `own`, a vector carried beside θ_u, as θ_u was moved. `others` are the vectors carried beside the received models.
    pub fn apply(&self, own: &mut [f32], others: &[&[f32]]) {
        match self {
            Mix::Unmoved => {}
            Mix::Toward(weight) => linear::interpolate(own, others[0], *weight),
            Mix::Rescaled { weight, scales } => {
                for (c, scale) in scales.iter().flat_map(|(layer, scale)| layer.clone().map(move |c| (c, *scale))) {
                    own[c] = ((1.0 - weight) * f64::from(own[c]) + weight * (scale * f64::from(others[0][c]))) as f32;
                }
            }
            Mix::Pool(weights) => {
                let used: Vec<(f64, &[f32])> = weights.iter().copied().zip(others.iter().copied()).filter(|(w, _)| *w != 0.0).collect();
                for (c, own) in own.iter_mut().enumerate() {
                    *own = moved(*own, used.iter().map(|&(weight, other)| (weight, other[c])));
                }
            }
            Mix::PoolByCoordinate(weights) => {
                for (c, own) in own.iter_mut().enumerate() {
                    *own = moved(*own, weights.iter().zip(others).map(|(weights, other)| (weights[c], other[c])));
                }
            }
        }
    }

    /// Moves a mean that is carried beside θ_u. Weights are cut to [0, 1], because going beyond a model adds nothing to its content.
    pub fn mean(&self, own: f64, others: impl Iterator<Item = f64>) -> f64 {
        let scale = self.mean_scale();
        own + self.weights().iter().zip(others).map(|(weight, other)| weight.clamp(0.0, 1.0) * (scale * other - own)).sum::<f64>()
    }

    /// The number by which the received models are multiplied, averaged over all coordinates: a model that is shortened brings as much less.
    fn mean_scale(&self) -> f64 {
        let Mix::Rescaled { scales, .. } = self else { return 1.0 };
        let n: usize = scales.iter().map(|(layer, _)| layer.len()).sum();
        scales.iter().map(|(layer, scale)| layer.len() as f64 * scale).sum::<f64>() / n as f64
    }

    /// Moves means by a merge with one model, with the same bits.
    pub fn mean_with_one<const N: usize>(&self, own: [f64; N], other: [f64; N]) -> [f64; N] {
        match self {
            Mix::Unmoved => own,
            Mix::Toward(weight) => std::array::from_fn(|i| own[i] + weight.clamp(0.0, 1.0) * (other[i] - own[i])),
            Mix::Rescaled { .. } | Mix::Pool(_) | Mix::PoolByCoordinate(_) => {
                std::array::from_fn(|i| self.mean(own[i], std::iter::once(other[i])))
            }
        }
    }

    /// The weight of each received model, averaged over all coordinates.
    pub fn weights(&self) -> Cow<'_, [f64]> {
        match self {
            Mix::Unmoved => Cow::default(),
            Mix::Toward(weight) | Mix::Rescaled { weight, .. } => slice::from_ref(weight).into(),
            Mix::Pool(weights) => weights.into(),
            Mix::PoolByCoordinate(weights) => weights.iter().map(|model| model.iter().sum::<f64>() / model.len() as f64).collect(),
        }
    }
}

fn moved(own: f32, others: impl Iterator<Item = (f64, f32)>) -> f32 {
    let own = f64::from(own);
    (own + others.map(|(weight, other)| weight * (f64::from(other) - own)).sum::<f64>()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mix: Mix, expect: [f32; 2], weights: &[f64], mean: f64) {
        let mut own = [1.0, 2.0];
        mix.apply(&mut own, &[&[3.0, 0.0], &[-1.0, 4.0]]);
        assert_eq!((own, &*mix.weights(), mix.mean(10.0, [20.0, 40.0].into_iter())), (expect, weights, mean));
        assert_eq!(
            mix.mean_with_one([10.0, 7.0], [20.0, -1.0]),
            [(10.0, 20.0), (7.0, -1.0)].map(|(own, other)| mix.mean(own, [other].into_iter()))
        );
    }

    #[test]
    fn by_hand() {
        check(Mix::Unmoved, [1.0, 2.0], &[], 10.0);
        check(Mix::Toward(0.25), [1.5, 1.5], &[0.25], 12.5);
        check(Mix::Toward(2.0), [5.0, -2.0], &[2.0], 20.0);
        let rescaled = |scales: &[(Range<usize>, f64)]| Mix::Rescaled { weight: 0.25, scales: scales.to_vec() };
        check(rescaled(&[(0..2, 1.0)]), [1.5, 1.5], &[0.25], 12.5);
        check(rescaled(&[(0..1, 0.5), (1..2, 1.0)]), [1.125, 1.5], &[0.25], 11.25);
        check(Mix::Pool(vec![0.5, 0.25]), [1.5, 1.5], &[0.5, 0.25], 22.5);
        check(Mix::PoolByCoordinate(vec![vec![1.0, 0.0], vec![0.0, 0.5]]), [3.0, 3.0], &[0.5, 0.25], 22.5);
    }
}
