//! The linear ranker f(d) = θᵀd.

use crate::instructions::kernel;
use crate::math;

/// The number of documents scored together: eight independent sums hide the latency of one.
const TOGETHER: usize = 8;

/// The scores of documents given row after row. Each is summed in feature order.
pub fn scores(rows: &[f32], theta: &[f32]) -> Vec<f64> {
    let d = theta.len();
    let mut scores = Vec::with_capacity(rows.len() / d);
    let blocks = rows.chunks_exact(TOGETHER * d);
    let rest = blocks.remainder();
    for block in blocks {
        let documents: [&[f32]; TOGETHER] = std::array::from_fn(|i| &block[i * d..(i + 1) * d]);
        let mut sums = [0.0f32; TOGETHER];
        for (f, weight) in theta.iter().enumerate() {
            for (sum, document) in sums.iter_mut().zip(documents) {
                *sum += document[f] * weight;
            }
        }
        scores.extend(sums.map(f64::from));
    }
    scores.extend(rest.chunks_exact(d).map(|document| f64::from(math::dot(document, theta))));
    scores
}

/// The score of one document, computed in f64.
pub fn wide_score(document: &[f32], theta: &[f64]) -> f64 {
    document.iter().zip(theta).map(|(&x, w)| f64::from(x) * w).sum()
}

/// The gradient g = Σ weight · d over documents and their weights.
pub fn gradient<'a>(documents: impl Iterator<Item = (&'a [f32], f64)>, n_features: usize) -> Vec<f64> {
    let mut gradient = vec![0.0; n_features];
    for (document, weight) in documents.filter(|(_, weight)| *weight != 0.0) {
        for (g, &x) in gradient.iter_mut().zip(document) {
            *g += weight * f64::from(x);
        }
    }
    gradient
}

kernel! {
    /// θ ← (1 − α) θ + α θ′.
    pub fn interpolate(theta: &mut [f32], other: &[f32], alpha: f64) {
        for (w, &v) in theta.iter_mut().zip(other) {
            *w = ((1.0 - alpha) * f64::from(*w) + alpha * f64::from(v)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_single_documents_give_the_same_bits() {
        let d = 13;
        let rows: Vec<f32> = (0..21 * d).map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect();
        let theta: Vec<f32> = (0..d).map(|i| ((i * 29 % 17) as f32 - 8.0) / 3.0).collect();
        let want: Vec<f64> = rows.chunks_exact(d).map(|row| f64::from(math::dot(row, &theta))).collect();
        assert_eq!(scores(&rows, &theta), want);
    }

    #[test]
    fn interpolation_meets_both_ends() {
        let (a, b) = ([0.1f32, -3.0], [7.7f32, 0.3]);
        for (alpha, want) in [(0.0, a), (1.0, b)] {
            let mut theta = a;
            interpolate(&mut theta, &b, alpha);
            assert_eq!(theta, want);
        }
    }
}
