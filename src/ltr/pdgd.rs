//! Pairwise differentiable gradient descent (PDGD): the step that a ranker learns from one session.

use super::plackett_luce::SHOWN;
use super::{Preference, Slate, preferences};
use crate::instructions::kernel;
use crate::math;

/// The largest number of preferences of a session: half of the shown documents are clicked.
const MOST: usize = SHOWN * SHOWN / 4;

/// The preferences of a session, each with its ρ under the model that ranked the session.
pub fn preferences(slate: &Slate, clicks: &[bool]) -> impl Iterator<Item = Preference> {
    preferences::pairs(clicks).map(|(winner, loser)| Preference { winner, loser, rho: slate.rho(winner.into(), loser.into()) })
}

/// The weight of each shown document in the gradient. A pair adds w to its clicked document and takes w from the other one, where
/// w = ρ P (1 − P) and P = σ(s_i − s_j).
// PAPER: the PDGD gradient of one session
pub fn document_weights(slate: &Slate, preferences: &[Preference]) -> [f64; SHOWN] {
    let mut p = [0.0; MOST];
    let p = &mut p[..preferences.len()];
    for (p, preference) in p.iter_mut().zip(preferences) {
        *p = slate.margin(preference.winner.into(), preference.loser.into());
    }
    math::sigmoids(p);
    let mut weights = [0.0; SHOWN];
    for (&p, preference) in p.iter().zip(preferences) {
        let w = preference.rho * p * (1.0 - p);
        weights[usize::from(preference.winner)] += w;
        weights[usize::from(preference.loser)] -= w;
    }
    weights
}

/// Moves the model by θ ← θ + η g, unless the result is not finite.
// CHOICE(finite): the paper's models just grow; here they stay numbers.
pub fn step(theta: &mut [f32], eta: f64, gradient: &[f64]) {
    if stays_finite(theta, eta, gradient) {
        take_step(theta, eta, gradient);
    }
}

kernel! {
    fn stays_finite(theta: &[f32], eta: f64, gradient: &[f64]) -> bool {
        // Without their sign, the bits of finite numbers lie below those of ∞ and NaN.
        let size = |(&w, &g): (&f32, &f64)| (moved(w, eta, g).to_bits() & 0x7fff_ffff) as i32;
        theta.iter().zip(gradient).map(size).fold(0, i32::max) < f32::INFINITY.to_bits() as i32
    }

    fn take_step(theta: &mut [f32], eta: f64, gradient: &[f64]) {
        theta.iter_mut().zip(gradient).for_each(|(w, &g)| *w = moved(*w, eta, g));
    }
}

#[inline(always)]
fn moved(w: f32, eta: f64, g: f64) -> f32 {
    (f64::from(w) + eta * g) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltr::ModelShape;
    use proptest::prelude::*;

    proptest! {
        /// With ρ held fixed, the gradient is that of Σ ρ P_ij.
        #[test]
        fn the_gradient_agrees_with_finite_differences(
            documents in prop::collection::vec(prop::collection::vec(-1.0..1.0f32, 3), 4..9),
            weights in prop::collection::vec(-2.0..2.0f32, 20),
            bits in 1u8..255,
        ) {
            for form in [ModelShape::Linear { n_features: 3 }, ModelShape::Neural { n_features: 3, hidden: 4 }] {
                let (rows, narrow) = (documents.concat(), &weights[..form.n_weights()]);
                let theta: Vec<f64> = narrow.iter().copied().map(f64::from).collect();
                let ranking: Vec<u32> = (0..documents.len() as u32).rev().collect();
                let clicks: Vec<bool> = (0..ranking.len()).map(|p| bits >> p & 1 == 1).collect();
                let shown = || ranking.iter().map(|&d| documents[d as usize].as_slice());
                let slate = Slate::new(&form.wide_scores(&rows, &theta), &ranking, &mut Vec::new());
                let learned: Vec<Preference> = preferences(&slate, &clicks).collect();
                let value = |theta: &[f64]| -> f64 {
                    let slate = Slate::new(&form.wide_scores(&rows, theta), &ranking, &mut Vec::new());
                    learned.iter().map(|p| p.rho * math::sigmoid(slate.margin(p.winner.into(), p.loser.into()))).sum()
                };
                let gradient = form.gradient(shown().zip(document_weights(&slate, &learned)), &theta);
                for (c, got) in gradient.iter().enumerate() {
                    let moved = |by: f64| {
                        let mut theta = theta.clone();
                        theta[c] += by;
                        value(&theta)
                    };
                    let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    prop_assert!((got - want).abs() <= 1e-5 * want.abs().max(1e-2), "{form:?}: {got}, not {want}");
                }
                // The f32 kernels follow their f64 twin.
                let slate = Slate::new(&form.scores(&rows, narrow), &ranking, &mut Vec::new());
                let narrow_weights = document_weights(&slate, &preferences(&slate, &clicks).collect::<Vec<_>>());
                for (got, want) in form.gradient(shown().zip(narrow_weights), narrow).iter().zip(gradient) {
                    prop_assert!((got - want).abs() <= 1e-4 * want.abs().max(1e-2), "{form:?}: {got}, not {want}");
                }
            }
        }
    }

    #[test]
    fn a_step_that_would_not_be_finite_is_not_taken() {
        for bad in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, -4e39] {
            for at in 0..20 {
                let (mut theta, mut gradient) = ([1.0f32; 20], [1.0; 20]);
                gradient[at] = bad;
                step(&mut theta, 0.1, &gradient);
                assert_eq!(theta, [1.0; 20], "{bad} at {at}");
            }
        }
        let mut theta = [1.0, 2.0, f32::MAX];
        step(&mut theta, 0.5, &[1.0, -2.0, 0.0]);
        assert_eq!(theta, [1.5, 1.0, f32::MAX]);
    }
}
