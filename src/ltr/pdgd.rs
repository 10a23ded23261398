//! Pairwise differentiable gradient descent: what one session teaches a ranker.

use super::{Preference, Slate, preferences};
use crate::math;

/// The preferences of a session with their ρ under the model that ranked it.
pub fn preferences(slate: &Slate, clicks: &[bool]) -> Vec<Preference> {
    preferences::pairs(clicks)
        .into_iter()
        .map(|(winner, loser)| Preference { winner, loser, rho: slate.rho(winner.into(), loser.into()) })
        .collect()
}

/// Each shown document's weight in the gradient: + its pairs' w where clicked, − where not, w = ρ P (1 − P), P = σ(s_i − s_j).
// PAPER: eq. (1)
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

/// θ ← θ + η g, unless that would not be finite.
pub fn step(theta: &mut [f32], eta: f64, gradient: &[f64]) {
    let moved: Vec<f32> = theta.iter().zip(gradient).map(|(&w, g)| (f64::from(w) + eta * g) as f32).collect();
    if math::all_finite(&moved) {
        theta.copy_from_slice(&moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltr::linear;
    use proptest::prelude::*;

    fn scores(documents: &[Vec<f64>], theta: &[f64]) -> Vec<f64> {
        documents.iter().map(|x| x.iter().zip(theta).map(|(x, w)| x * w).sum()).collect()
    }

    proptest! {
        /// With ρ held fixed, the gradient is that of Σ ρ P_ij.
        #[test]
        fn the_gradient_agrees_with_finite_differences(
            documents in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 3), 4..9),
            theta in prop::collection::vec(-2.0..2.0f64, 3),
            bits in 1u8..255,
        ) {
            let ranking: Vec<u32> = (0..documents.len() as u32).rev().collect();
            let clicks: Vec<bool> = (0..ranking.len()).map(|p| bits >> p & 1 == 1).collect();
            let slate = Slate::new(&scores(&documents, &theta), &ranking);
            let learned = preferences(&slate, &clicks);
            let value = |theta: &[f64]| -> f64 {
                let slate = Slate::new(&scores(&documents, theta), &ranking);
                learned.iter().map(|p| p.rho * math::sigmoid(slate.margin(p.winner.into(), p.loser.into()))).sum()
            };
            let weights = document_weights(&slate, &learned, ranking.len());
            for c in 0..3 {
                let got: f64 = ranking.iter().zip(&weights).map(|(&d, w)| w * documents[d as usize][c]).sum();
                let moved = |by: f64| {
                    let mut theta = theta.clone();
                    theta[c] += by;
                    value(&theta)
                };
                let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                prop_assert!((got - want).abs() <= 1e-5 * want.abs().max(1e-2), "{got}, not {want}");
            }
            // The f32 kernels follow their f64 twin.
            let rows: Vec<f32> = documents.iter().flatten().map(|&x| x as f32).collect();
            let narrow: Vec<f32> = theta.iter().map(|&w| w as f32).collect();
            let slate = Slate::new(&linear::scores(&rows, &narrow), &ranking);
            let narrow_weights = document_weights(&slate, &preferences(&slate, &clicks), ranking.len());
            let shown = ranking.iter().map(|&d| &rows[d as usize * 3..(d as usize + 1) * 3]);
            let gradient = linear::gradient(shown.zip(narrow_weights), 3);
            for (c, got) in gradient.iter().enumerate() {
                let want: f64 = ranking.iter().zip(&weights).map(|(&d, w)| w * documents[d as usize][c]).sum();
                prop_assert!((got - want).abs() <= 1e-4 * want.abs().max(1e-2), "{got}, not {want}");
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
