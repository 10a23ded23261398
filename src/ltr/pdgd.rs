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
