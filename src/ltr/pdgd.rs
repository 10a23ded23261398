//! Pairwise differentiable gradient descent (PDGD): the step that a ranker learns from one session.

use super::{Preference, Slate, preferences};
use crate::math;

/// The preferences of a session, each with its ρ under the model that ranked the session.
pub fn preferences(slate: &Slate, clicks: &[bool]) -> Vec<Preference> {
    preferences::pairs(clicks)
        .into_iter()
        .map(|(winner, loser)| Preference { winner, loser, rho: slate.rho(winner.into(), loser.into()) })
        .collect()
}

/// The weight of each shown document in the gradient. A pair adds w to its clicked document and takes w from the other one, where
/// w = ρ P (1 − P) and P = σ(s_i − s_j).
// PAPER: the PDGD gradient of one session
pub fn document_weights(slate: &Slate, preferences: &[Preference], n_shown: usize) -> Vec<f64> {
    let mut weights = vec![0.0; n_shown];
    for preference in preferences {
        let (winner, loser) = (usize::from(preference.winner), usize::from(preference.loser));
        let p = math::sigmoid(slate.margin(winner, loser));
        let w = preference.rho * p * (1.0 - p);
        weights[winner] += w;
        weights[loser] -= w;
    }
    weights
}

/// Moves the model by θ ← θ + η g, unless the result is not finite.
// CHOICE(finite): the paper's models just grow; here they stay numbers.
pub fn step(theta: &mut [f32], eta: f64, gradient: &[f64]) {
    let moved: Vec<f32> = theta.iter().zip(gradient).map(|(&w, g)| (f64::from(w) + eta * g) as f32).collect();
    if math::all_finite(&moved) {
        theta.copy_from_slice(&moved);
    }
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
                let slate = Slate::new(&form.wide_scores(&rows, &theta), &ranking);
                let learned = preferences(&slate, &clicks);
                let value = |theta: &[f64]| -> f64 {
                    let slate = Slate::new(&form.wide_scores(&rows, theta), &ranking);
                    learned.iter().map(|p| p.rho * math::sigmoid(slate.margin(p.winner.into(), p.loser.into()))).sum()
                };
                let gradient = form.gradient(shown().zip(document_weights(&slate, &learned, ranking.len())), &theta);
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
                let slate = Slate::new(&form.scores(&rows, narrow), &ranking);
                let narrow_weights = document_weights(&slate, &preferences(&slate, &clicks), ranking.len());
                for (got, want) in form.gradient(shown().zip(narrow_weights), narrow).iter().zip(gradient) {
                    prop_assert!((got - want).abs() <= 1e-4 * want.abs().max(1e-2), "{form:?}: {got}, not {want}");
                }
            }
        }
    }

    #[test]
    fn a_step_that_would_not_be_finite_is_not_taken() {
        let mut theta = [1.0f32, 2.0];
        step(&mut theta, 0.1, &[f64::INFINITY, 1.0]);
        assert_eq!(theta, [1.0, 2.0]);
        step(&mut theta, 0.5, &[1.0, -2.0]);
        assert_eq!(theta, [1.5, 1.0]);
    }
}
