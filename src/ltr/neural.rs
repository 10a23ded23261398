//! The neural ranker f(d) = w₂ᵀ σ(W₁ᵀd + b₁) with one hidden layer of sigmoid units and no output bias.
//!
//! θ is one flat vector: W₁ feature by feature (all units of a feature side by side), then b₁, then w₂.

use super::kernel::TILE;
use crate::instructions::kernel;
use crate::math;

/// The number of hidden units that share a pass over the documents' features.
const UNITS: usize = 4;

/// A model laid out for the kernel: its units are in blocks, and the last block is filled up with units of weight 0.
pub struct Packed {
    n_features: usize,
    /// The weights of each feature, block of units by block of units.
    first: Vec<[f32; UNITS]>,
    bias: Vec<[f32; UNITS]>,
    output: Vec<[f32; UNITS]>,
}

impl Packed {
    /// Lays out a model for documents of `d` features.
    pub fn new(theta: &[f32], d: usize) -> Self {
        let hidden = n_hidden(theta.len(), d);
        let n_blocks = hidden.div_ceil(UNITS);
        let block = |row: usize, block: usize| {
            std::array::from_fn(|u| if block * UNITS + u < hidden { theta[row * hidden + block * UNITS + u] } else { 0.0 })
        };
        Self {
            n_features: d,
            first: (0..n_blocks).flat_map(|b| (0..d).map(move |f| (f, b))).map(|(f, b)| block(f, b)).collect(),
            bias: (0..n_blocks).map(|b| block(d, b)).collect(),
            output: (0..n_blocks).map(|b| block(d + 1, b)).collect(),
        }
    }

    /// Scores all lanes of all tiles. In each vector lane, a unit sums over the features in order, and a score sums over the units in
    /// order.
    pub fn score_tiles(&self, tiles: &[[f32; TILE]], scores: &mut Vec<f32>) {
        scores.resize(tiles.len() / self.n_features * TILE, 0.0);
        score_packed(tiles, self.n_features, self, scores);
    }
}

fn n_hidden(n_weights: usize, d: usize) -> usize {
    n_weights / (d + 2)
}

/// The scores of the first `n` tiled documents.
pub fn scores(tiles: &[[f32; TILE]], n: usize, d: usize, theta: &[f32]) -> Vec<f64> {
    let mut scores = Vec::new();
    Packed::new(theta, d).score_tiles(tiles, &mut scores);
    scores.iter().take(n).copied().map(f64::from).collect()
}

kernel! {
    /// Scores two tiles and four units at a time. Eight sums run at once, and each weight and each document serves several of them.
    fn score_packed(tiles: &[[f32; TILE]], d: usize, model: &Packed, scores: &mut [f32]) {
        let (scores, _) = scores.as_chunks_mut::<TILE>();
        let mut units = vec![[[0.0; TILE]; UNITS]; 2 * model.bias.len()];
        let pairs = tiles.chunks_exact(2 * d);
        let rest = pairs.remainder();
        for (pair, scores) in pairs.zip(scores.chunks_exact_mut(2)) {
            let (a, b) = pair.split_at(d);
            score_block([a, b], model, &mut units, scores);
        }
        if let (false, Some(last)) = (rest.is_empty(), scores.last_mut()) {
            score_block([rest], model, &mut units[..model.bias.len()], std::slice::from_mut(last));
        }
    }
}

/// Computes all units of a few tiles, then σ in one long loop that a compiler can vectorise, then the scores.
#[inline(always)]
fn score_block<const T: usize>(tiles: [&[[f32; TILE]]; T], model: &Packed, units: &mut [[[f32; TILE]; UNITS]], scores: &mut [[f32; TILE]]) {
    let (d, n_blocks) = (tiles[0].len(), model.bias.len());
    for (b, (first, bias)) in model.first.chunks_exact(d).zip(&model.bias).enumerate() {
        let mut sums = [bias.map(|b| [b; TILE]); T];
        for (f, weights) in first.iter().enumerate() {
            for (sums, tile) in sums.iter_mut().zip(tiles) {
                for (sums, weight) in sums.iter_mut().zip(weights) {
                    for (sum, x) in sums.iter_mut().zip(&tile[f]) {
                        *sum += x * weight;
                    }
                }
            }
        }
        for (t, sums) in sums.into_iter().enumerate() {
            units[t * n_blocks + b] = sums;
        }
    }
    for unit in units.as_flattened_mut().as_flattened_mut() {
        *unit = math::sigmoid_f32(*unit);
    }
    for (units, scores) in units.chunks_exact(n_blocks).zip(scores) {
        *scores = [0.0; TILE];
        for (unit, output) in units.as_flattened().iter().zip(model.output.as_flattened()) {
            for (score, h) in scores.iter_mut().zip(unit) {
                *score += output * h;
            }
        }
    }
}

/// The score of one document, computed in f64.
pub fn wide_score(document: &[f32], theta: &[f64]) -> f64 {
    let output = &theta[theta.len() - n_hidden(theta.len(), document.len())..];
    hidden_units(document, theta).iter().zip(output).map(|(h, w)| h * w).sum()
}

/// The gradient g = Σ weight · ∇f(d) over documents and their weights, by backpropagation.
pub fn gradient<'a>(documents: impl Iterator<Item = (&'a [f32], f64)>, theta: &[f64], d: usize) -> Vec<f64> {
    let hidden = n_hidden(theta.len(), d);
    let output = &theta[(d + 1) * hidden..];
    let mut gradient = vec![0.0; theta.len()];
    for (document, weight) in documents.filter(|(_, weight)| *weight != 0.0) {
        let units = hidden_units(document, theta);
        let deltas: Vec<f64> = units.iter().zip(output).map(|(h, w)| weight * w * h * (1.0 - h)).collect();
        let (first, rest) = gradient.split_at_mut(d * hidden);
        add_outer(first, document, &deltas);
        let (bias, outer) = rest.split_at_mut(hidden);
        bias.iter_mut().zip(&deltas).for_each(|(g, delta)| *g += delta);
        outer.iter_mut().zip(&units).for_each(|(g, h)| *g += weight * h);
    }
    gradient
}

/// The hidden units σ(W₁ᵀd + b₁) of a document.
fn hidden_units(document: &[f32], theta: &[f64]) -> Vec<f64> {
    let d = document.len();
    let hidden = n_hidden(theta.len(), d);
    let mut sums = theta[d * hidden..(d + 1) * hidden].to_vec();
    add_product(&mut sums, document, &theta[..d * hidden]);
    sums.iter().map(|&sum| math::sigmoid(sum)).collect()
}

kernel! {
    /// sums += xᵀW.
    fn add_product(sums: &mut [f64], x: &[f32], rows: &[f64]) {
        for (&x, row) in x.iter().zip(rows.chunks_exact(sums.len())) {
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += f64::from(x) * w);
        }
    }
}

kernel! {
    /// W += x yᵀ.
    fn add_outer(rows: &mut [f64], x: &[f32], y: &[f64]) {
        for (&x, row) in x.iter().zip(rows.chunks_exact_mut(y.len())) {
            row.iter_mut().zip(y).for_each(|(w, y)| *w += f64::from(x) * y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_units_by_hand() {
        // W₁ = [[1, −1], [0.5, 2]], b₁ = [0.1, −0.2], w₂ = [3, −4].
        let theta = [1.0, -1.0, 0.5, 2.0, 0.1, -0.2, 3.0, -4.0];
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (a, b) = (sigmoid(2.0 - 0.5 + 0.1), sigmoid(-2.0 - 2.0 - 0.2));
        let want = 3.0 * a - 4.0 * b;
        assert!((wide_score(&[2.0, -1.0], &theta) - want).abs() < 1e-15);
        let gradient = gradient([([2.0f32, -1.0].as_slice(), 1.0)].into_iter(), &theta, 2);
        let (da, db) = (3.0 * a * (1.0 - a), -4.0 * b * (1.0 - b));
        let want = [2.0 * da, 2.0 * db, -da, -db, da, db, a, b];
        assert!(gradient.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-15), "{gradient:?}");
    }

    #[test]
    fn saturated_units_stay_finite() {
        for scale in [1e3f32, 1e20, 3e38] {
            let theta: Vec<f32> = [1.0, -1.0, 1.0, -1.0, 0.0, 0.0].iter().map(|w| w * scale).chain([1.0, 1.0]).collect();
            let mut scores = Vec::new();
            Packed::new(&theta, 2).score_tiles(&super::super::kernel::tiles(&[0.5, 0.25], 2), &mut scores);
            assert_eq!(scores[0], 1.0, "one unit is on, the other off");
        }
    }
}
