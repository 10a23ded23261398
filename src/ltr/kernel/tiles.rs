//! The product history × received models.

use crate::instructions::kernel;

/// The number of documents side by side in a tile of the history: `tiles[t * d + f][lane]` is feature f of document 8 t + lane.
pub const TILE: usize = 8;

/// The largest number of models that one pass over the history scores.
pub const BATCH: usize = 8;

/// Arranges documents, given row after row, in tiles of `d` features. Unused lanes hold zeros.
pub fn tiles(rows: &[f32], d: usize) -> Vec<[f32; TILE]> {
    let n_rows = rows.len() / d;
    let mut tiles = vec![[0.0; TILE]; n_rows.div_ceil(TILE) * d];
    for (rows, tile) in rows.chunks(TILE * d).zip(tiles.chunks_exact_mut(d)) {
        for (lane, row) in rows.chunks_exact(d).enumerate() {
            row.iter().zip(tile.iter_mut()).for_each(|(&x, column)| column[lane] = x);
        }
    }
    tiles
}

/// Scores every tiled document under each of up to [`BATCH`] models. `scores[m]` gets a score for each lane of each tile.
pub fn score_tiles(tiles: &[[f32; TILE]], models: &[&[f32]], scores: &mut [Vec<f32>]) {
    let Some(d) = models.first().map(|theta| theta.len()) else { return };
    assert!(models.len() <= BATCH && scores.len() == models.len());
    for scores in scores.iter_mut() {
        scores.resize(tiles.len() / d * TILE, 0.0);
    }
    let width = models.len().next_power_of_two();
    let mut weights = vec![0.0; d * width];
    for (m, theta) in models.iter().enumerate() {
        for (f, &weight) in theta.iter().enumerate() {
            weights[f * width + m] = weight;
        }
    }
    score_packed(tiles, d, width, &weights, scores);
}

kernel! {
    /// Scores few models on several tiles at a time, because eight independent sums are needed to hide the latency of one.
    fn score_packed(tiles: &[[f32; TILE]], d: usize, width: usize, weights: &[f32], scores: &mut [Vec<f32>]) {
        match width {
            1 => score_all::<1, 8>(tiles, d, weights, scores),
            2 => score_all::<2, 4>(tiles, d, weights, scores),
            4 => score_all::<4, 2>(tiles, d, weights, scores),
            _ => score_all::<8, 1>(tiles, d, weights, scores),
        }
    }
}

/// Scores M models on T tiles at a time, and on the remaining tiles one by one.
#[inline(always)]
fn score_all<const M: usize, const T: usize>(tiles: &[[f32; TILE]], d: usize, weights: &[f32], scores: &mut [Vec<f32>]) {
    let (weights, _) = weights.as_chunks::<M>();
    let n_together = tiles.len() / (T * d) * T;
    for first in (0..n_together).step_by(T) {
        score_block::<M, T>(&tiles[first * d..(first + T) * d], weights, first, scores);
    }
    for tile in n_together..tiles.len() / d {
        score_block::<M, 1>(&tiles[tile * d..(tile + 1) * d], weights, tile, scores);
    }
}

#[inline(always)]
fn score_block<const M: usize, const T: usize>(block: &[[f32; TILE]], weights: &[[f32; M]], first: usize, scores: &mut [Vec<f32>]) {
    let d = weights.len();
    let tiles: [&[[f32; TILE]]; T] = std::array::from_fn(|t| &block[t * d..(t + 1) * d]);
    let mut sums = [[[0.0f32; TILE]; M]; T];
    for (f, weights) in weights.iter().enumerate() {
        for (sums, tile) in sums.iter_mut().zip(tiles) {
            for (sums, weight) in sums.iter_mut().zip(weights) {
                for (sum, x) in sums.iter_mut().zip(&tile[f]) {
                    *sum += x * weight;
                }
            }
        }
    }
    for (t, sums) in (first..).zip(sums) {
        for (scores, sums) in scores.iter_mut().zip(sums) {
            scores[t * TILE..(t + 1) * TILE].copy_from_slice(&sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math;

    /// Small whole numbers, so that ties are common.
    fn numbers(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + salt * 104_729 + i * i * 31) % 7) as f32 - 3.0).collect()
    }

    #[test]
    fn a_batch_scores_like_each_model_alone() {
        let (d, n_rows) = (11, 149usize);
        let rows = numbers(n_rows * d, 1);
        let n_tiles = n_rows.div_ceil(TILE);
        let mut tiles = vec![[0.0; TILE]; n_tiles * d];
        for (r, row) in rows.chunks_exact(d).enumerate() {
            row.iter().enumerate().for_each(|(f, &x)| tiles[r / TILE * d + f][r % TILE] = x / 3.0);
        }
        for n_models in 1..=BATCH {
            let models: Vec<Vec<f32>> = (0..n_models).map(|m| numbers(d, m + 2).iter().map(|x| x / 7.0).collect()).collect();
            let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
            let mut scores = vec![Vec::new(); n_models];
            score_tiles(&tiles, &borrowed, &mut scores);
            for (theta, scores) in models.iter().zip(&scores) {
                for (r, row) in rows.chunks_exact(d).enumerate() {
                    let row: Vec<f32> = row.iter().map(|x| x / 3.0).collect();
                    assert_eq!(scores[r], math::dot(&row, theta));
                }
            }
        }
    }
}
